"""Every kind of table that the tests play at, and how they get to a position there."""

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple, TypeVar, cast

from sobremesa import GAMES
from sobremesa.core import Game, State

if TYPE_CHECKING:
    import pytest
    from _pytest.mark import ParameterSet
    from hypothesis import settings

S = TypeVar("S", bound=State[Any])
Test = Callable[..., None]


def examples(count: int) -> "settings":
    """Settings with ``count`` examples for each hundred of Hypothesis' profile."""
    from hypothesis import settings  # here, because tools/perft.py does without it

    usual = settings().max_examples
    return settings(max_examples=max(2, count * usual // 100))


class Kind(NamedTuple):
    """A game and the way its table is set."""

    id: str
    game: Game
    options: dict[str, Any]

    def __str__(self) -> str:
        return self.id

    def start(self) -> State[Any]:
        """A new game of this kind."""
        return self.game.start(**self.options)


OWN_GAMES = {id: game for id, game in GAMES.items() if game.package.startswith("sobremesa.games.")}
"""The house's own, whatever else is installed."""
KINDS = [
    Kind(f"{game.id}-{name}", game, dict(options)) for game in GAMES.values() for name, options in game.kinds().items()
]


def kinds_of(id: str) -> list[Kind]:
    """The kinds of one game's tables."""
    return [kind for kind in KINDS if kind.game.id == id]


ONE_OF_EACH = [kinds_of(id)[0] for id in GAMES]
"""The first kind of each game."""


def each(kinds: Sequence[Kind]) -> "pytest.MarkDecorator":
    """Runs a test with each of these kinds of tables."""
    import pytest  # here, because tools/perft.py does without it

    return pytest.mark.parametrize("kind", kinds, ids=str)


def one_every_day(games: Iterable[str], number: int) -> "list[ParameterSet]":
    """All these games as parameters: the one with this number is tested every day, the others at length."""
    import pytest  # here, because tools/perft.py does without it

    return [pytest.param(game, marks=() if at == number else pytest.mark.at_length) for at, game in enumerate(games)]


def played(state: S, moves: str) -> S:
    """The state after these moves, in notation with spaces between them; ``*+2`` is what chance brings."""
    for word in moves.split():
        state = state.happen(int(word[1:])) if word[0] == "*" else state.play(state.parse_move(word))
    return state


class Step(NamedTuple):
    """One thing that happened in a game: a seat moved, or chance (``seat`` is None) brought something."""

    seat: int | None
    what: Any


def trail(kind: Kind, seed: int) -> tuple[list[State[Any]], list[Step]]:
    """All states of a random game from its start to its end, and the steps between them."""
    return _trail(KINDS.index(kind), seed)


@lru_cache(maxsize=64)
def _trail(index: int, seed: int) -> tuple[list[State[Any]], list[Step]]:
    random = Random(seed)
    states, steps = [KINDS[index].start()], []
    while not states[-1].over:
        state = states[-1]
        if state.chance is not None:
            steps.append(Step(None, random.choice(state.chance.outcomes)))
            states.append(state.happen(steps[-1].what))
        else:
            seat = random.choice(list(state.deciding))
            steps.append(Step(seat, random.choice(state.legal_moves(seat))))
            states.append(state.play(steps[-1].what, seat))
    return states, steps


def reached(kind: Kind, seed: int, at: int) -> State[Any]:
    """The state at some point of a random game; any number is a point, the end included."""
    states, _ = trail(kind, seed)
    return states[at % len(states)]


def some_seats(state: State[Any], seed: int) -> list[int]:
    """A few seats of a big table, all seats of a small one."""
    everybody = range(state.seats)
    return list(everybody) if state.seats <= 5 else Random(seed).sample(everybody, 3)


def in_random_positions(count: int, kinds: Sequence[Kind] = KINDS) -> Callable[[Test], Test]:
    """Runs a test with every kind of table; Hypothesis chooses the game and the point in it."""
    from hypothesis import given
    from hypothesis import strategies as st

    def decorate(test: Test) -> Test:
        chosen = given(seed=st.integers(0, 10**6), at=st.integers(0, 10**4))(test)
        return cast(Test, each(kinds)(examples(count)(chosen)))

    return decorate
