"""Games played by chance alone."""

from collections.abc import Iterator
from random import Random
from typing import TypeVar

from sobremesa.core.state import State

S = TypeVar("S", bound=State)  # type: ignore[type-arg]


def random_play(state: S, random: Random) -> Iterator[tuple[int | None, S]]:
    """Goes on from a state with every seat moving at random.

    Each step gives who made it (None is chance) and the state after it.
    """
    while True:
        chance = state.chance
        if chance is not None:
            state = state.happen(chance.draw(random))
            yield None, state
            continue
        seat = next(iter(state.deciding), None)
        if seat is None:
            return
        state = state.play(state.random_move(random, seat), seat)
        yield seat, state


def playout(state: S, random: Random) -> S:
    """The end of a game in which every seat moves at random from here on."""
    for _, after in random_play(state, random):
        state = after
    return state
