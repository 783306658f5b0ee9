"""Knister's score table and its twelve lines (K3, K4)."""

from functools import cache
from typing import NamedTuple

SIDE = 5
CELLS = SIDE * SIDE
EMPTY = bytes(CELLS)
"""A sheet is 25 bytes, row by row from the bottom left; 0 is a free cell."""


class Combination(NamedTuple):
    """What a full line makes, and its points."""

    name: str
    points: int


NOTHING = Combination("nothing", 0)
PAIR = Combination("pair", 1)
TWO_PAIRS = Combination("two pairs", 3)
THREE = Combination("three of a kind", 3)
FOUR = Combination("four of a kind", 6)
FULL_HOUSE = Combination("full house", 8)
STRAIGHT_WITH_7 = Combination("straight with a 7", 8)
FIVE = Combination("five of a kind", 10)
STRAIGHT_WITHOUT_7 = Combination("straight without a 7", 12)

COMBINATIONS = (PAIR, TWO_PAIRS, THREE, FOUR, FULL_HOUSE, STRAIGHT_WITH_7, FIVE, STRAIGHT_WITHOUT_7)

_BY_COUNTS = {
    (2, 1, 1, 1): PAIR,
    (2, 2, 1): TWO_PAIRS,
    (3, 1, 1): THREE,
    (4, 1): FOUR,
    (3, 2): FULL_HOUSE,
    (5,): FIVE,
}


class Line(NamedTuple):
    """One of the twelve lines: its cells as a slice of the sheet, and how often it counts."""

    name: str
    cells: slice
    times: int


LINES = (
    *(Line(str(y + 1), slice(SIDE * y, SIDE * y + SIDE), 1) for y in range(SIDE)),
    *(Line("abcde"[x], slice(x, CELLS, SIDE), 1) for x in range(SIDE)),
    Line("/", slice(0, CELLS, SIDE + 1), 2),
    Line("\\", slice(SIDE - 1, CELLS - 1, SIDE - 1), 2),
)
"""Rows from the bottom, columns from the left, then the diagonals, which count double."""


def combination(numbers: bytes) -> Combination:
    """The one best combination of five numbers in any order; nothing while one is missing.

    >>> combination(bytes([4, 9, 4, 4, 9]))
    Combination(name='full house', points=8)
    """
    return _best(bytes(sorted(numbers)))


@cache
def _best(numbers: bytes) -> Combination:
    if not all(numbers):
        return NOTHING
    different = set(numbers)
    if len(different) == SIDE:
        if numbers[-1] - numbers[0] > SIDE - 1:
            return NOTHING  # K4
        return STRAIGHT_WITH_7 if 7 in numbers else STRAIGHT_WITHOUT_7
    return _BY_COUNTS[tuple(sorted(map(numbers.count, different), reverse=True))]


def line_points(sheet: bytes) -> tuple[int, ...]:
    """The points of each line, doubled on the diagonals; 0 for lines that are not full yet (K5)."""
    return tuple([combination(sheet[cells]).points * times for _, cells, times in LINES])


def points(sheet: bytes) -> int:
    """The points of all full lines of a sheet."""
    return sum(line_points(sheet))


RANKS = ((101, "spectacular"), (81, "great"), (51, "good"))
"""What the solitaire game calls a total (K7), and from how many points on, the best first.

Drawings give a star for each that is reached; the page finds the word in ``box()``.
"""
