"""The moves of Knister: write the roll into a free cell."""

from itertools import compress
from typing import NamedTuple

from sobremesa.core.cells import cell_name, parse_cell
from sobremesa.games.knister.scoring import CELLS, SIDE


class Write(NamedTuple):
    """Writes the roll into a cell of one's own sheet; the notation is the cell's name (``c3``)."""

    cell: int
    text: str

    def __str__(self) -> str:
        return self.text


WRITES = tuple(Write(cell, cell_name(cell % SIDE, cell // SIDE)) for cell in range(CELLS))

_IS_FREE = bytes([1]) + bytes(255)


def parse_move(text: str) -> Write:
    """The move that a cell's name stands for."""
    x, y = parse_cell(text.strip(), SIDE, SIDE)
    return WRITES[y * SIDE + x]


def writes_on(sheet: bytes) -> list[Write]:
    """A move for each free cell."""
    return list(compress(WRITES, sheet.translate(_IS_FREE)))
