"""What positions are worth: at the end by the rules, before that by an evaluation."""

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, Protocol

from sobremesa.core.game import Game
from sobremesa.core.result import SOLO_POINTS, Result
from sobremesa.core.state import State

Values = tuple[float, ...]
"""A number for each seat: the part of the first place that it will have, and a tie-break for the margin."""
MARGIN_TIEBREAK = 1e-4
"""The value of a point of margin beside a win: too little to change a chance, enough to choose among equals."""


class Indexable(Protocol):
    """Something that has a length and can be indexed, as lists and arrays can."""

    def __len__(self) -> int: ...

    def __getitem__(self, at: int, /) -> Any: ...


class Evaluation(NamedTuple):
    """The evaluation of a position: a policy over its legal moves, and a value for each seat."""

    priors: Indexable | None
    """How likely each move is to be the best, in the order of the moves; None if all look alike."""
    values: Values
    moves: Indexable | None = None
    """The moves that are worth a look, the best first; None if all legal moves have a prior, in their order."""


Evaluate = Callable[[Sequence[State[Any]]], list[Evaluation]]
"""Evaluates positions that wait for a seat, several at a time: a network likes batches."""


def outcome(game: Game, result: Result) -> Values:
    """What a finished game is worth to each seat."""
    scores = [-score for score in result.scores] if game.low_wins else result.scores
    if len(scores) == 1:
        return (scores[0] / SOLO_POINTS,)
    share = 1 / len(result.winners)
    values = []
    for seat, place in enumerate(result.places):
        ahead = scores[seat] - max(score for other, score in enumerate(scores) if other != seat)
        values.append((share if place == 1 else 0.0) + MARGIN_TIEBREAK * ahead)
    return tuple(values)


def outcome_of(game: Game, state: State[Any]) -> Values:
    """What a state that is over is worth to each seat."""
    result = state.result()
    assert result is not None
    return outcome(game, result)


def margin_of(value: float) -> float:
    """The points ahead in what a finished game is worth by ``outcome``: first places are shared by twelfths."""
    return (value - round(value * 12) / 12) / MARGIN_TIEBREAK


def chance(value: float) -> float:
    """A value as a chance to win, without the tie-break."""
    return min(1.0, max(0.0, value))


def chances(values: Sequence[float]) -> Values:
    """Values as chances to win, which add up to 1; where nothing is known they are equal."""
    bare = [chance(value) for value in values]
    total = sum(bare)
    return tuple(value / total if total else 1 / len(bare) for value in bare)


def mover(state: State[Any]) -> int:
    """The seat that decides now; where several do, the first of them."""
    return next(iter(state.deciding))
