"""What a seat sees of Knister: its own sheet, and of some others what they had before this round."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sobremesa.core.state import View
from sobremesa.games.knister import plain
from sobremesa.games.knister.moves import Write, writes_on

if TYPE_CHECKING:
    from sobremesa.games.knister.state import KnisterState

TOP = 12
"""So many leaders are shown: everybody at a table as the box has it (K8)."""
NEIGHBOURS = 2
"""So many seats just ahead and just behind are shown, too."""


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
    """How many have not written it yet."""
    to_write: bool
    """Whether this seat is one of them."""
    sheet: bytes | None
    """One's own sheet as it is now; a spectator has none."""
    standings: tuple[Standing, ...]
    """In order of rank."""
    over: bool

    @classmethod
    def of(cls, state: KnisterState, seat: int | None) -> Self:
        ranking = state.closed.standings
        shown = set(range(min(TOP, state.seats)))
        if seat is not None:
            own = ranking.rank[seat]
            shown |= set(range(max(own - NEIGHBOURS, 0), min(own + NEIGHBOURS + 1, state.seats)))
        standings = []
        for index in sorted(shown):
            other = ranking.order[index]
            standings.append(
                Standing(
                    seat=other,
                    place=ranking.places[other],
                    points=ranking.points[other],
                    sheet=state.closed[other],
                    wrote=bool(state.roll) and other not in state.deciding,
                )
            )
        return cls(
            seat=seat,
            seats=state.seats,
            starter=state.starter,
            rounds=state.rounds,
            roller=state.roller,
            roll=state.roll or None,
            waiting=len(state.deciding),
            to_write=seat is not None and seat in state.deciding,
            sheet=None if seat is None else state.sheets[seat],
            standings=tuple(standings),
            over=state.over,
        )

    def legal_moves(self) -> list[Write]:
        return writes_on(self.sheet) if self.to_write and self.sheet is not None else []

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
