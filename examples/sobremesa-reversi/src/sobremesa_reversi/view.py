"""Reversi as it is seen. Nothing is hidden, so a view holds the state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sobremesa.core.drawing import SEATS, circle, label, marks, picture, rect
from sobremesa.core.state import View
from sobremesa_reversi.state import DISCS, FREE, NAMES, SIDE, Move, ReversiState

CELL = 40


@dataclass(frozen=True)
class ReversiView(View[Move]):
    """What a seat or a spectator sees."""

    state: ReversiState
    seat: int | None

    def legal_moves(self) -> Sequence[Move]:
        return [] if self.seat is None else self.state.legal_moves(self.seat)

    def as_dict(self) -> Mapping[str, Any]:
        state = self.state
        return {
            "game": "reversi",
            "seat": self.seat,
            "options": state.options,
            "deciding": list(state.deciding),
            "cells": state.cells,
            "points": [state.cells.count(disc) for disc in DISCS],
        }

    def text(self, colour: bool = False) -> str:
        rows = [self.state.cells[at : at + SIDE] for at in range(0, SIDE * SIDE, SIDE)]
        lines = [f"{number} {' '.join(row)}" for number, row in enumerate(rows, start=1)]
        return "\n".join([*reversed(lines), "  a b c d e f g h"])

    def svg(self, last: Move | None = None) -> str:
        shapes: list[str] = [marks(SEATS[:2])]
        for cell, name in enumerate(NAMES):
            x, y = cell % SIDE * CELL, (SIDE - 1 - cell // SIDE) * CELL
            fill = "#4F8A66" if name == last else "#3B6E50"
            shapes.append(rect(x + 1, y + 1, CELL - 2, CELL - 2, rx=3, fill=fill, data_move=name))
            if (disc := self.state.cells[cell]) != FREE:
                middle = (x + CELL / 2, y + CELL / 2)
                owner = SEATS[DISCS.index(disc)]
                shapes.append(circle(*middle, CELL * 0.4, fill=owner.paint, stroke=owner.light, stroke_width=1.5))
            elif name in self.legal_moves():
                shapes.append(circle(x + CELL / 2, y + CELL / 2, 4, fill="#F2B544", data_move=name))
        for at, column in enumerate("abcdefgh"):
            for across, down, text in ((at + 0.85, SIDE - 0.17, column), (0.13, SIDE - at - 0.82, str(at + 1))):
                shapes.append(label(across * CELL, down * CELL, text, 9, fill="#E8F0EA", pointer_events="none"))
        return picture(SIDE * CELL, SIDE * CELL, "Reversi", self.text(), *shapes)
