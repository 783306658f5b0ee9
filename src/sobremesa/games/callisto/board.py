"""A Callisto board as bits, and every placement of every piece on it, computed once.

A set of cells is one integer. Cell (x, y), counted from the bottom left, is bit ``y * stride + x``;
the stride is one more than the width, and that spare column is never free, so that a shifted
tile cannot wrap around the edge: its squares span neighbouring columns, one of which is the spare one.
"""

from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from sobremesa.core.cells import cell_name
from sobremesa.games.callisto.editions import EDITIONS, SHAPES, Edition

Offset = tuple[int, int]
PILLAR = "P"
ORIENTATION_LETTERS = "abcdefgh"
"""The names of a tile's orientations, in their fixed order, where it has several."""


class Placement(NamedTuple):
    """A pillar or tile on certain cells: a move. ``str`` gives the cells as Pentobi writes them."""

    number: int
    """Its place in the fixed order of all placements on the board."""
    piece: str
    cells: int
    text: str
    short: str
    """The form for people: tile, orientation letter if it has several, ``@`` its first cell (``Lc@e9``)."""

    def __str__(self) -> str:
        return self.text


class Orientation(NamedTuple):
    """One way to hold a tile: its squares' offsets from the bottom left of the box around it."""

    piece: str
    letter: str
    offsets: tuple[Offset, ...]


class Step(NamedTuple):
    """One addition when fitting all tiles at once: the shape of an earlier step, plus one square.

    Steps 0 to 8 are implied: the nine single squares of the 3x3 box.
    """

    smaller: int
    """The earlier step."""
    square: int
    """The square that is added, counted through the 3x3 box."""
    orientation: int | None
    """The orientation that is complete now, an index in ``Board.orientations``; None for a shape on the way to one."""


def turned(piece: str) -> list[Orientation]:
    """All different rotations and reflections of a tile, in a fixed order."""
    rows = SHAPES[piece].split()
    shape = {(x, y) for y, row in enumerate(reversed(rows)) for x, mark in enumerate(row) if mark == "#"}
    found: list[tuple[Offset, ...]] = []
    for _ in range(2):
        for _ in range(4):
            left, low = min(x for x, _ in shape), min(y for _, y in shape)
            offsets = tuple(sorted(((x - left, y - low) for x, y in shape), key=lambda c: (c[1], c[0])))
            if offsets not in found:
                found.append(offsets)
            shape = {(y, -x) for x, y in shape}
        shape = {(-x, y) for x, y in shape}
    letters = ORIENTATION_LETTERS if len(found) > 1 else [""]
    return [Orientation(piece, letter, offsets) for letter, offsets in zip(letters, found, strict=False)]


def bits(mask: int) -> Iterator[int]:
    """The cells of a set, in ascending order."""
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


def nth_bit(mask: int, n: int) -> int:
    """The n-th cell of a set, counted from 0, found by halving."""
    base = 0
    width = 256 if mask >> 256 == 0 else 512
    while width > 1:
        width >>= 1
        low = mask & ((1 << width) - 1)
        if n < (below := low.bit_count()):
            mask = low
        else:
            n -= below
            mask >>= width
            base += width
    return base


class Board:
    """The board of an edition for a number of seats, and all placements on it.

    There is one of each: get it from ``find_board(edition, seats)``.
    """

    def __init__(self, edition: Edition, seats: int) -> None:
        rows = edition.boards[seats]
        self.edition = edition
        self.seats = seats
        self.width = max(rows)
        self.height = len(rows)
        self.stride = self.width + 1
        self.cells = self._octagon(rows)
        self.centre = self._octagon(edition.centre)
        self.rim = self.cells & ~self._inside()
        self.pieces = tuple(edition.tiles)
        self.orientations = tuple(o for piece in self.pieces for o in turned(piece))
        self.shifts = tuple(y * self.stride + x for y in range(3) for x in range(3))
        self._steps = self._plan_steps()
        self._plans: dict[int, tuple[Step, ...]] = {}

        self.placements: list[Placement] = []
        self.pillars = self._place(Orientation(PILLAR, "", ((0, 0),)))
        self.planes = tuple(self._place(orientation) for orientation in self.orientations)
        self.holds = (self.pillars, *self.planes)
        """All placements by how the piece is held: the pillar, then the tiles in the order of ``orientations``."""
        self.by_cells = {placement.cells: placement for placement in self.placements}
        self.by_short = {placement.short.lower(): placement for placement in self.placements}

    def __reduce__(self) -> tuple[object, tuple[str, int]]:
        return find_board, (self.edition.name, self.seats)

    def __repr__(self) -> str:
        return f"<Callisto board, {self.edition.name}, {self.seats} seats>"

    def bit(self, x: int, y: int) -> int:
        """The set of one cell."""
        return 1 << (y * self.stride + x)

    def xy(self, cell: int) -> tuple[int, int]:
        """The column and row of a cell."""
        y, x = divmod(cell, self.stride)
        return x, y

    def beside(self, cells: int) -> int:
        """The cells that share a side with one of these; the caller masks off what is no cell."""
        return cells << 1 | cells >> 1 | cells << self.stride | cells >> self.stride

    def plan(self, kinds: int) -> tuple[Step, ...]:
        """The steps that fit all tiles of these kinds (a bit for each index in ``pieces``)."""
        plan = self._plans.get(kinds)
        if plan is None:
            plan = self._plans[kinds] = self._narrow(kinds)
        return plan

    def _octagon(self, rows: tuple[int, ...]) -> int:
        cells = 0
        bottom = (self.height - len(rows)) // 2
        for y, width in enumerate(reversed(rows), start=bottom):
            left = (self.width - width) // 2
            for x in range(left, left + width):
                cells |= self.bit(x, y)
        return cells

    def _inside(self) -> int:
        cells = self.cells
        return cells & cells << 1 & cells >> 1 & cells << self.stride & cells >> self.stride

    def _place(self, orientation: Orientation) -> dict[int, Placement]:
        """All placements of an orientation, by the cell under the bottom left of its box."""
        plane = {}
        for anchor in range(self.stride * self.height):
            x0, y0 = self.xy(anchor)
            squares = [(x0 + x, y0 + y) for x, y in orientation.offsets]
            mask = sum(self.bit(x, y) for x, y in squares)
            if max(x for x, _ in squares) >= self.width or mask & ~self.cells:
                continue
            text = ",".join(cell_name(x, y) for x, y in squares)
            short = f"{orientation.piece}{orientation.letter}@{cell_name(*squares[0])}"
            plane[anchor] = Placement(len(self.placements), orientation.piece, mask, text, short)
            self.placements.append(plane[anchor])
        return plane

    def _plan_steps(self) -> tuple[Step, ...]:
        """Builds every orientation's shape square by square, sharing the smaller shapes inside."""
        known: dict[frozenset[int], int] = {frozenset([square]): square for square in range(9)}
        steps: list[Step] = []

        def build(shape: frozenset[int], orientation: int | None) -> int:
            if shape in known and orientation is None:
                return known[shape]
            square = next((s for s in sorted(shape) if shape - {s} in known), min(shape))
            steps.append(Step(build(shape - {square}, None), square, orientation))
            known.setdefault(shape, len(steps) + 8)
            return len(steps) + 8

        shapes = [frozenset(3 * y + x for x, y in o.offsets) for o in self.orientations]
        for index in sorted(range(len(shapes)), key=lambda i: len(shapes[i])):
            build(shapes[index], index)
        return tuple(steps)

    def _narrow(self, kinds: int) -> tuple[Step, ...]:
        """The steps that these tiles need, renumbered."""
        wanted: set[int] = set()
        for index in reversed(range(len(self._steps))):
            step = self._steps[index]
            mine = step.orientation is not None and self._is_kind(step.orientation, kinds)
            if mine or index + 9 in wanted:
                wanted |= {index + 9, step.smaller}
        number = {square: square for square in range(9)}
        plan: list[Step] = []
        for index, step in enumerate(self._steps):
            if index + 9 in wanted:
                number[index + 9] = len(plan) + 9
                mine = step.orientation is not None and self._is_kind(step.orientation, kinds)
                plan.append(Step(number[step.smaller], step.square, step.orientation if mine else None))
        return tuple(plan)

    def _is_kind(self, orientation: int, kinds: int) -> bool:
        return bool(kinds >> self.pieces.index(self.orientations[orientation].piece) & 1)


@cache
def find_board(edition: str, seats: int) -> Board:
    """The board of an edition for that many seats."""
    return Board(EDITIONS[edition], seats)
