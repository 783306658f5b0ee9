"""What a seat sees of Callisto: everything, for nothing is hidden."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sobremesa.core.state import View
from sobremesa.games.callisto import plain
from sobremesa.games.callisto.board import Placement

if TYPE_CHECKING:
    from sobremesa.games.callisto.state import CallistoState


@dataclass(frozen=True)
class CallistoView(View[Placement]):
    """The whole position, seen from a seat."""

    seat: int | None
    state: CallistoState

    def legal_moves(self) -> list[Placement]:
        return [] if self.seat is None else self.state.legal_moves(self.seat)

    def as_dict(self) -> plain.CallistoView:
        state, board, result = self.state, self.state.board, self.state.result()
        return {
            "game": "callisto",
            "seat": self.seat,
            "options": {"edition": board.edition.name, "seats": state.seats, "starter": state.starter},
            "deciding": list(state.deciding),
            "sides": [
                {
                    "placed": [plain.piece(board.by_cells[cells]) for cells in side.placed],
                    "tiles": dict(zip(board.pieces, side.hand, strict=True)),
                    "pillars": state.pillars_left(seat),
                    "penalty": state.penalty(seat),
                    "out": state.is_out(seat),
                }
                for seat, side in enumerate(state.sides)
            ],
            "scores": list(result.scores) if result else None,
            "places": list(result.places) if result else None,
        }

    def text(self, colour: bool = False) -> str:
        from sobremesa.games.callisto import draw

        return draw.text(self, colour)

    def svg(self, last: Placement | None = None) -> str:
        from sobremesa.games.callisto import draw

        return draw.svg(self, last)
