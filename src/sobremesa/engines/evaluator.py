"""What positions are worth: at the end by the rules, before that by somebody's judgement."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from sobremesa.core.game import Game
from sobremesa.core.result import Result
from sobremesa.core.state import State

Values = tuple[float, ...]
"""A number for each seat: the part of the first place that it will have, give or take a hair."""
HAIR = 1e-4
"""What a point of margin is worth beside a win: nothing to a chance, enough to choose among equals."""
ALONE = 100.0
"""In a game alone there is nobody to beat: so many points count as one."""


class Row(Protocol):
    """Something that has so many parts, as lists and arrays have."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: int, /) -> Any: ...


class Evaluation(NamedTuple):
    """A judgement of a position: how likely each legal move is to be best, and what each seat may hope for."""

    priors: Row | None
    """In the order of the moves; None if all look alike."""
    values: Values
    moves: Row | None = None
    """The moves that are worth a look, the best first; None if all legal moves were judged, in their order."""


Evaluate = Callable[[Sequence[State[Any]]], list[Evaluation]]
"""Judges positions that wait for a seat, several at a time: a network likes batches."""


def outcome(game: Game, result: Result) -> Values:
    """What a finished game is worth to each seat."""
    scores = [-score for score in result.scores] if game.low_wins else result.scores
    if len(scores) == 1:
        return (scores[0] / ALONE,)
    share = 1 / len(result.winners)
    values = []
    for seat, place in enumerate(result.places):
        ahead = scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
        values.append((share if place == 1 else 0.0) + HAIR * ahead)
    return tuple(values)


def outcome_of(game: Game, state: State[Any]) -> Values:
    """The same of a state that is over."""
    result = state.result()
    assert result is not None
    return outcome(game, result)


def chance(value: float) -> float:
    """A value as a chance to win, without the hair."""
    return min(1.0, max(0.0, value))


def chances(values: Sequence[float]) -> Values:
    """Values as chances to win, which add up to 1; where nothing is known they are equal."""
    bare = [chance(value) for value in values]
    total = sum(bare)
    return tuple(value / total if total else 1 / len(bare) for value in bare)


def mover(state: State[Any]) -> int:
    """The seat that decides now; where several do, the first of them."""
    return next(iter(state.deciding))
