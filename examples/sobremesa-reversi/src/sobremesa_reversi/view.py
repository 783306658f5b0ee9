"""Reversi as it is seen. Nothing is hidden, so a view holds the state."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sobremesa.core.drawing import circle, picture, rect
from sobremesa.core.state import View
from sobremesa_reversi.state import DISCS, FREE, NAMES, SIDE, Move, ReversiState

CELL = 40
COLOURS = ("#23252B", "#FFFDF8")


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
        shapes = []
        for cell, name in enumerate(NAMES):
            x, y = cell % SIDE * CELL, (SIDE - 1 - cell // SIDE) * CELL
            fill = "#4F8A66" if name == last else "#3B6E50"
            shapes.append(rect(x + 1, y + 1, CELL - 2, CELL - 2, rx=3, fill=fill, data_move=name))
            if (disc := self.state.cells[cell]) != FREE:
                middle = (x + CELL / 2, y + CELL / 2)
                shapes.append(circle(*middle, CELL * 0.4, fill=COLOURS[DISCS.index(disc)], stroke="#23252B"))
            elif name in self.legal_moves():
                shapes.append(circle(x + CELL / 2, y + CELL / 2, 4, fill="#E0A100", data_move=name))
        return picture(SIDE * CELL, SIDE * CELL, "Reversi", self.text(), *shapes)
