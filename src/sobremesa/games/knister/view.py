"""What a seat sees of Knister: its own sheet, and of some others what they had before this round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sobremesa.core.state import View
from sobremesa.games.knister import plain
from sobremesa.games.knister.moves import Write, writes_on

if TYPE_CHECKING:
    from sobremesa.games.knister.state import KnisterState

LEADERS_SHOWN = 12
"""How many leaders a view shows: everybody at a table as the box has it (K8)."""
NEIGHBOURS_SHOWN = 2
"""How many seats just ahead and just behind one's own a view shows, too."""


@dataclass(frozen=True)
class Standing:
    """A row of the ranking, as the last round left it."""

    seat: int
    place: int
    points: int
    sheet: bytes
    wrote: bool
    """Whether the seat has written the running round's roll, not where."""


@dataclass(frozen=True)
class KnisterView(View[Write]):
    """The common roll, one's own sheet, the leaders and one's neighbours in the ranking."""

    seat: int | None
    seats: int
    starter: int
    rounds: int
    """How many rounds have ended."""
    roller: int
    roll: int | None
    """The roll that is being written."""
    waiting: int
    """How many seats have not written the roll yet."""
    to_write: bool
    """Whether this seat has not written the roll yet."""
    sheet: bytes | None
    """One's own sheet as it is now; a spectator has none."""
    standings: tuple[Standing, ...]
    """The rows of the ranking that are shown, the best first."""
    over: bool

    @classmethod
    def of(cls, state: KnisterState, seat: int | None) -> Self:
        ranking = state.closed.standings
        shown = set(range(min(LEADERS_SHOWN, state.seats)))
        if seat is not None:
            own = ranking.rank[seat]
            shown |= set(range(max(own - NEIGHBOURS_SHOWN, 0), min(own + NEIGHBOURS_SHOWN + 1, state.seats)))
        waiting, closed = state.waiting, state.closed
        standings = []
        for index in sorted(shown):
            other = ranking.order[index]
            wrote = bool(state.roll) and not waiting >> other & 1
            row = Standing(other, ranking.places[other], ranking.points[other], closed[other], wrote)
            standings.append(row)
        return cls(
            seat=seat,
            seats=state.seats,
            starter=state.starter,
            rounds=state.rounds,
            roller=state.roller,
            roll=state.roll or None,
            waiting=waiting.bit_count(),
            to_write=seat is not None and waiting >> seat & 1 == 1,
            sheet=None if seat is None else state.sheets[seat],
            standings=tuple(standings),
            over=state.over,
        )

    def legal_moves(self) -> list[Write]:
        return writes_on(self.sheet) if self.to_write and self.sheet is not None else []

    def named_seats(self) -> list[int]:
        return [row.seat for row in self.standings]

    def as_dict(self) -> plain.KnisterView:
        return {
            "game": "knister",
            "seat": self.seat,
            "options": {"seats": self.seats, "starter": self.starter},
            "deciding": [self.seat] if self.to_write and self.seat is not None else [],
            "rounds": self.rounds,
            "roller": self.roller,
            "roll": self.roll,
            "waiting": self.waiting,
            "sheet": None if self.sheet is None else list(self.sheet),
            "lines": None if self.sheet is None else list(plain.lines(self.sheet)),
            "standings": [
                {
                    "seat": row.seat,
                    "place": row.place,
                    "points": row.points,
                    "sheet": list(row.sheet),
                    "lines": list(plain.lines(row.sheet)),
                    "wrote": row.wrote,
                }
                for row in self.standings
            ],
            "over": self.over,
        }

    def text(self, colour: bool = False) -> str:
        from sobremesa.games.knister import draw

        return draw.text(self, colour)

    def svg(self, last: Write | None = None) -> str:
        from sobremesa.games.knister import draw

        return draw.svg(self, last)
