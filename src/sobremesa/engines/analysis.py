"""``sobremesa.analyse``: what a player thinks of a position, or of a game that was played."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any, Generic, Literal, TypeVar, overload

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import Move, State, View
from sobremesa.engines.player import Budget, Candidate, Measure, Player, Stop, Thought, never
from sobremesa.engines.registry import engine_set, find_player
from sobremesa.engines.review import Review, compare, moments, review
from sobremesa.games import find_game
from sobremesa.table.record import Record

M = TypeVar("M", bound=Move)
Assumed = Literal["memory"]
"""What nobody said and so was assumed. ``memory``: that the seat remembers everything that was ever shown."""
SECONDS_OF_A_POSITION = 1.0
"""Seconds that an analysis of a position takes at most if nobody says otherwise."""
SECONDS_OF_A_REVIEW = 0.7
"""The same for each move of a game."""


@dataclass(frozen=True)
class Analysis(Generic[M]):
    """What a player thinks of a position, from one seat."""

    view: View[M]
    """What the seat sees there."""
    seat: int
    player: str
    thought: Thought
    assumed: Assumed | None
    """What was assumed of what the seat had seen before; None if nothing had to be."""

    @property
    def move(self) -> M:
        """What the player would do."""
        move: M = self.thought.move
        return move

    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """The moves that were considered, the best first."""
        return self.thought.candidates

    @property
    def measure(self) -> Measure:
        """Whether values are chances to win or expected final points."""
        return self.thought.measure

    @property
    def value(self) -> float | None:
        """What the position is worth to the seat; None if the player cannot tell."""
        return self.candidates[0].value if self.candidates else None

    @property
    def chances(self) -> tuple[float, ...]:
        """Each seat's chance to win; empty if the player cannot tell."""
        return self.thought.chances

    @property
    def exact(self) -> bool:
        """Whether the values are the game's own, not an estimate."""
        return self.thought.exact

    def to_dict(self) -> dict[str, list[Any]]:
        """The candidates as a column for each figure, as ``pandas.DataFrame`` takes it."""
        return {
            "move": [str(candidate.move) for candidate in self.candidates],
            "value": [candidate.value for candidate in self.candidates],
            "visits": [candidate.visits for candidate in self.candidates],
        }

    def _about(self) -> str:
        about = f"{self.player}, seat {self.seat}"
        if self.assumed:
            about += ", as if it remembered everything that was shown"
        return about + (", exact" if self.exact else "")

    def __str__(self) -> str:
        return "\n".join([self._about(), *(f"  {move:8} {value:>7}" for move, value in self.thought.rows())])

    def _repr_html_(self) -> str:
        table = self.thought.html(self._about())
        picture = self.view.svg(self.move)
        return f'<div style="display:flex;gap:1em;align-items:start">{picture}{table}</div>'


@overload
def analyse(
    what: State[M],
    seat: int | None = None,
    past: Sequence[State[Any] | View[Any]] | None = None,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    player: str | Player = "champion",
    stop: Stop = never,
) -> Analysis[M]: ...


@overload
def analyse(
    what: Record,
    seat: int | None = None,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    player: str = "champion",
) -> Review: ...


def analyse(
    what: State[Any] | Record,
    seat: int | None = None,
    past: Sequence[State[Any] | View[Any]] | None = None,
    *,
    seconds: float | None = None,
    simulations: int | None = None,
    player: str | Player = "champion",
    stop: Stop = never,
) -> Analysis[Any] | Review:
    """What a player thinks of a position: its move, the candidates with their values, everybody's chances.

    The player sees what the ``seat`` sees, and nothing else; the seat may be left out where one alone has to decide.
    Where views forget what was shown earlier, ``past`` says what the seat has seen: the states before this one, or the
    seat's views of them, oldest first. Left out, the seat is taken to remember everything that was ever shown, and
    ``assumed`` in the answer says so.

    Of a record every move is looked at, of one seat or of all: what it gave away against the best. ``seconds`` are then
    for each move.
    """
    if isinstance(what, Record):
        if past is not None or not isinstance(player, str):
            raise InvalidSetup("engines.error.a-record-tells-by-itself-what-was-seen")
        budget = Budget(SECONDS_OF_A_REVIEW if seconds is None else seconds, simulations)
        seats = None if seat is None else (seat,)
        thoughts = [thought for _, thought in review(what, player, budget, seats)]
        return compare(what, moments(what, seats), thoughts)
    game = game_of(what)
    what.check_seat(seat)
    seat = what.decider(seat)
    view, seen, assumed = as_seen(game, what, seat, past)
    thinker = find_player(player, game, Random(what.position())) if isinstance(player, str) else player
    name = player if isinstance(player, str) else player.name
    thought = thinker.think(
        view, seen, Budget(SECONDS_OF_A_POSITION if seconds is None else seconds, simulations, "analysis"), stop
    )
    return Analysis(what.view(seat), seat, name, thought, assumed)


def game_of(state: State[Any]) -> Game:
    """The game of a state."""
    return find_game(str(state.view(None).as_dict()["game"]))


def as_seen(
    game: Game, state: State[Any], seat: int, past: Sequence[State[Any] | View[Any]] | None
) -> tuple[View[Any], Sequence[View[Any]], Assumed | None]:
    """What a player is given of a position: the seat's view, its earlier views, and what had to be assumed."""
    view = state.view(seat)
    if past is not None:
        return view, [before.view(seat) if isinstance(before, State) else before for before in past], None
    if not engine_set(game).remembers or not game.forgetful(state.options):
        return view, (), None
    if game.reveal is None:
        raise InvalidSetup("engines.error.in-seats-forget-what-they-see", game=game.name)
    open_view = game.reveal(state).view(seat)
    if _shown(open_view) == _shown(view):
        return view, (), None
    return open_view, (), "memory"


def _shown(view: View[Any]) -> dict[str, Any]:
    return {name: value for name, value in view.as_dict().items() if name != "options"}
