"""Callisto's boards as arrays: a set of cells is a whole number for each row, bit x for column x.

Tiles are held by the cell in the middle of the box around them (the lower left of two middles), so that their squares
lie among its eight neighbours and itself. The planes of a policy are the pillar and all ways to hold every tile of the
house, in one order for all editions; a board lies in the middle of its canvas, so that turning the canvas turns it.
"""

from functools import cache, cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.callisto.board import PILLAR, Board, Orientation, bits, turned
from sobremesa.games.callisto.editions import EDITIONS, SHAPES

KINDS = (PILLAR, *SHAPES)
"""Every piece of the house, whether an edition has it or not."""
HOLDS = (Orientation(PILLAR, "", ((0, 0),)), *(hold for piece in SHAPES for hold in turned(piece)))
"""Every way to hold a piece: a plane for each."""
KIND_OF_PLANE = np.array([KINDS.index(hold.piece) for hold in HOLDS])
SIZES = np.array([0, *(shape.count("#") for shape in SHAPES.values())], np.int32)
"""The squares that an unplaced piece costs (C9), [12]."""
MAX_COPIES = np.array([3, *(max(edition.tiles.get(piece, 0) for edition in EDITIONS.values()) for piece in SHAPES)])
"""The most copies of each piece that an edition has, [12]."""
MAX_SIDE = max(len(rows) for edition in EDITIONS.values() for rows in edition.boards.values())
"""The side of a canvas that every board fits on."""
AROUND = tuple((dx, dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1))
"""A cell's neighbours and itself."""
RowBits = NDArray[np.uint32]
"""Sets of cells, a bit for each column and a number for each row."""


def middle(hold: Orientation) -> tuple[int, int]:
    """The middle of the box around a piece."""
    return max(x for x, _ in hold.offsets) // 2, max(y for _, y in hold.offsets) // 2


def _covers() -> RowBits:
    masks = np.zeros((len(AROUND), len(HOLDS), 1), np.uint32)
    for plane, hold in enumerate(HOLDS):
        left, low = middle(hold)
        for x, y in hold.offsets:
            masks[AROUND.index((x - left, y - low)), plane] = 0xFFFFFFFF
    return masks


COVERS = _covers()
"""Which neighbours a piece held in each way covers, all bits or none, [9, planes, 1]."""


class BoardArrays:
    """The arrays of one board. There is one of each: get it from ``board_arrays(board)``."""

    def __init__(self, board: Board) -> None:
        self.board = board
        self.height, self.width = board.height, board.width
        self.cells, self.centre, self.rim = map(self.rows, (board.cells, board.centre, board.rim))
        plane_of = {(hold.piece, hold.letter): plane for plane, hold in enumerate(HOLDS)}
        lying: list[tuple[int, int, int]] = []
        for hold, placed in ((HOLDS[0], board.pillars), *zip(board.orientations, board.planes, strict=True)):
            plane, (left, low) = plane_of[hold.piece, hold.letter], middle(hold)
            for x, y in map(board.xy, placed):
                lying.append((plane, y + low, x + left))
        self.plane, self.y, self.x = np.array(lying).T
        """The plane of each placement, and the cell that it is held by, each [placements]."""
        self.kind = KIND_OF_PLANE[self.plane]
        self.plane_row = self.plane * self.height + self.y
        """The row of its plane in which each placement lies, counted through all planes, [placements]."""
        self.first = np.zeros(len(HOLDS) * self.height, np.int32)
        """For each such row, the placement held at x = 0 if it existed: those of a row are consecutive numbers."""
        self.first[self.plane_row] = np.arange(len(lying)) - self.x
        self.covered = np.array([self.rows(placement.cells) for placement in board.placements])
        """The cells of each placement, [placements, height]."""

    def rows(self, cells: int) -> RowBits:
        """A set of cells, row by row."""
        rows = np.zeros(self.height, np.uint32)
        for cell in bits(cells):
            x, y = self.board.xy(cell)
            rows[y] |= np.uint32(1 << x)
        return rows

    def at(self, side: int) -> NDArray[Any]:
        """Where the placements lie among all cells of all planes on a canvas, [placements], ascending."""
        low, left = (side - self.height) // 2, (side - self.width) // 2
        return np.asarray((self.plane * side + self.y + low) * side + self.x + left)

    @cached_property
    def symmetries(self) -> NDArray[Any]:
        """Placements under the symmetries of the square, [8, placements].

        Symmetry s is a mirror (s & 1: x to -x, s & 2: y to -y) and then an exchange of x and y (s & 4). What was said
        of placement ``symmetries[s, a]`` holds of a on the turned board.
        """
        number = {placement.cells: placement.number for placement in self.board.placements}
        found = np.zeros((8, len(number)), np.int32)
        for symmetry in range(8):
            bit = [self.board.bit(*self._moved(cell, symmetry)) for cell in range(self.board.stride * self.height)]
            for cells, old in number.items():
                found[symmetry, number[sum(bit[cell] for cell in bits(cells))]] = old
        return found

    def _moved(self, cell: int, symmetry: int) -> tuple[int, int]:
        x, y = self.board.xy(cell)
        if x == self.width:  # the spare column
            return x, y
        if symmetry & 1:
            x = self.width - 1 - x
        if symmetry & 2:
            y = self.height - 1 - y
        return (y, x) if symmetry & 4 else (x, y)


@cache
def board_arrays(board: Board) -> BoardArrays:
    """The arrays of a board."""
    return BoardArrays(board)
