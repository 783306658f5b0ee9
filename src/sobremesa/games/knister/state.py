"""The rules of Knister, K1 to K8."""

from typing import Any, NamedTuple, Self

from sobremesa.core.chance import Chance
from sobremesa.core.errors import IllegalMove
from sobremesa.core.result import Result
from sobremesa.core.seats import Seats
from sobremesa.core.state import State
from sobremesa.games.knister import notation
from sobremesa.games.knister.moves import WRITES, Write, parse_move, writes_on
from sobremesa.games.knister.scoring import CELLS
from sobremesa.games.knister.sheets import Sheets
from sobremesa.games.knister.view import KnisterView

DICE = Chance(tuple(range(2, 13)), (1, 2, 3, 4, 5, 6, 5, 4, 3, 2, 1))
"""The sum of two dice (K1)."""
NO_ROLL = 0


class _Fields(NamedTuple):
    starter: int
    rounds: int
    """How many rounds have ended; 25 at the end of the game."""
    roll: int
    """The roll that is being written, or NO_ROLL."""
    waiting: int
    """The seats that have not written the roll yet, a bit for each."""
    sheets: Sheets
    """The sheets as they are now."""
    closed: Sheets
    """The sheets as they were when the last round ended: what others may see of them (K1, K2)."""


class KnisterState(_Fields, State[Write]):
    """A position of Knister."""

    __slots__ = ()

    @classmethod
    def begin(cls, seats: int, starter: int) -> Self:
        """Blank sheets for everybody."""
        blank = Sheets.blank(seats)
        return cls(starter, 0, NO_ROLL, 0, blank, blank)

    @property
    def seats(self) -> int:
        return len(self.sheets)

    @property
    def options(self) -> dict[str, Any]:
        return {"seats": self.seats, "starter": self.starter}

    @property
    def roller(self) -> int:
        """Who rolls in the running round, or in the next one (K2)."""
        return (self.starter + self.rounds) % self.seats

    @property
    def deciding(self) -> Seats:
        return Seats(self.waiting)

    @property
    def chance(self) -> Chance | None:
        return DICE if not self.waiting and self.rounds < CELLS else None

    @property
    def over(self) -> bool:
        return not self.waiting and self.rounds == CELLS

    def legal_moves(self, seat: int | None = None) -> list[Write]:
        if not self.waiting or (seat is not None and not 0 <= seat < self.seats):
            return []
        seat = self._only(seat)
        return writes_on(self.sheets[seat]) if self.waiting >> seat & 1 else []

    def count_moves(self, seat: int | None = None) -> int:
        if not self.waiting or (seat is not None and not 0 <= seat < self.seats):
            return 0
        seat = self._only(seat)
        return self.sheets[seat].count(0) if self.waiting >> seat & 1 else 0

    def play(self, move: Write | str, seat: int | None = None) -> Self:
        if isinstance(move, str):
            move = self.parse_move(move, seat)
        starter, rounds, roll, waiting, sheets, closed = self
        seat = self._only(seat)
        if not waiting >> seat & 1:
            if roll:
                raise IllegalMove("K2", "knister.error.you-have-written-this-roll-already")
            raise IllegalMove("K1", "knister.error.there-is-no-roll-to-write-now")
        cell = move.cell
        if not (0 <= cell < CELLS and WRITES[cell] == move):
            raise IllegalMove("K1", "knister.error.is-no-cell-of-the-sheet", move=move)
        sheet = sheets[seat]
        if sheet[cell]:
            raise IllegalMove("K1", "knister.error.that-cell-is-taken")
        sheets = sheets.put(seat, sheet[:cell] + bytes((roll,)) + sheet[cell + 1 :])
        waiting ^= 1 << seat
        if waiting:
            return tuple.__new__(type(self), (starter, rounds, roll, waiting, sheets, closed))
        return tuple.__new__(type(self), (starter, rounds + 1, NO_ROLL, 0, sheets, sheets))  # K2

    def happen(self, outcome: int) -> Self:
        starter, rounds, _, waiting, sheets, closed = self
        if waiting or rounds == CELLS:
            raise IllegalMove("K2", "knister.error.the-dice-are-not-rolled-now")
        if outcome not in DICE.outcomes:
            raise IllegalMove("K1", "knister.error.two-dice-cannot-show", roll=outcome)
        everybody = (1 << len(sheets)) - 1
        return tuple.__new__(type(self), (starter, rounds, outcome, everybody, sheets, closed))

    def parse_move(self, text: str, seat: int | None = None) -> Write:
        return parse_move(text)

    def result(self) -> Result | None:
        """Most points first; equal totals share the place (K6)."""
        if not self.over:
            return None
        standings = self.sheets.standings
        return Result(standings.points, standings.places)

    def view(self, seat: int | None) -> KnisterView:
        self.check_seat(seat)
        return KnisterView.of(self, seat)

    def position(self) -> str:
        return notation.write(self)

    def _only(self, seat: int | None) -> int:
        """The seat, or the one that is meant when it is left out."""
        if seat is None:
            if self.waiting.bit_count() > 1:
                raise IllegalMove("K1", "knister.error.all-write-at-the-same-time")
            return self.waiting.bit_length() - 1 if self.waiting else 0
        if not 0 <= seat < self.seats:
            raise IllegalMove("K1", "knister.error.there-is-no-seat-at-this-table", seat=seat)
        return seat
