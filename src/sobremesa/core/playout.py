"""A game played to its end by chance alone."""

from random import Random
from typing import TypeVar

from sobremesa.core.state import State

S = TypeVar("S", bound=State)  # type: ignore[type-arg]


def playout(state: S, random: Random) -> S:
    """The end of a game in which every seat moves at random from here on."""
    while True:
        chance = state.chance
        if chance is not None:
            state = state.happen(chance.draw(random))
            continue
        seat = next(iter(state.deciding), None)
        if seat is None:
            return state
        state = state.play(state.random_move(random, seat), seat)
