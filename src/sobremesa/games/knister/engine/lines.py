"""What is known of single lines of Knister, in lookup tables for whole batches of sheets.

A batch of sheets is an array [N, 25] of numbers as in :mod:`sobremesa.games.knister`. `quality_of` is the mean
of the final points after each roll in a cell if all other free cells take what comes. With two free cells or fewer
nobody can do otherwise, and it is exact.
"""

from functools import cache
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.knister.scoring import CELLS, LINES, SIDE, combination
from sobremesa.games.knister.state import DICE

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]

ROLLS = np.array(DICE.outcomes)
"""The sums of two dice, [11]."""
ODDS: Floats = np.array(DICE.weights, np.float32) / np.float32(DICE.total)
"""How likely each sum is, [11]."""
LINE_CELLS = np.array([np.arange(CELLS)[line.cells] for line in LINES])
"""The cells of each line, [12, 5]."""
TIMES: Floats = np.array([line.times for line in LINES], np.float32)
"""How often each line counts, [12]."""
_THROUGH = (LINE_CELLS[..., None] == np.arange(CELLS)).any(1)
THROUGH_CELL = np.argsort(~_THROUGH.T, axis=1, kind="stable")[:, :4]
"""Four lines for each cell, [25, 4]: those through it first."""
WEIGHT: Floats = np.take_along_axis(_THROUGH.T * TIMES, THROUGH_CELL, axis=1)
"""How much each of THROUGH_CELL counts for the cell, [25, 4]; 0 if it does not go through it."""
_SYMBOLS = len(ROLLS) + 1
_PLACES = _SYMBOLS ** np.arange(SIDE)


class LineValues(NamedTuple):
    """By the code of a line, in base 12 with 0 for a free cell: [248832, ...]."""

    value: Floats
    """The mean of a line's points if its free cells take what comes."""
    gain: Floats
    """What each roll in one of the line's free cells adds to its mean, [..., 11]."""


@cache
def line_values() -> LineValues:
    """Computed on first use, in a fraction of a second."""
    hands = np.array(list(combinations_with_replacement(range(_SYMBOLS), SIDE)))
    codes = hands @ _PLACES
    order = np.argsort(codes)
    known = codes[order]

    def find(found: NDArray[np.int64]) -> NDArray[np.int64]:
        return order[np.searchsorted(known, np.sort(found, axis=-1) @ _PLACES)]

    free = (hands == 0).sum(1)
    after = np.repeat(hands[:, None], len(ROLLS), axis=1)
    after[..., 0] = np.where(free[:, None] > 0, np.arange(1, _SYMBOLS), hands[:, :1])
    following = find(after)
    value = np.array([combination(bytes(int(k) + 1 if k else 0 for k in hand)).points for hand in hands], np.float64)
    for count in range(1, SIDE + 1):
        value = np.where(free == count, value[following] @ ODDS.astype(np.float64), value)
    gain = value[following] - value[:, None]
    digits = np.arange(_SYMBOLS**SIDE)[:, None] // _PLACES % _SYMBOLS
    every = find(digits)
    return LineValues(value[every].astype(np.float32), gain[every].astype(np.float32))


def line_codes(sheets: Ints) -> NDArray[np.int64]:
    """What each line holds, [N, 25] -> [N, 12]."""
    return np.asarray(np.maximum(sheets - 1, 0)[:, LINE_CELLS] @ _PLACES)


def expected(sheets: Ints) -> Floats:
    """The mean of the final points if all free cells take what comes, [N, 25] -> [N]."""
    return np.asarray(line_values().value[line_codes(sheets)] @ TIMES)


def quality_of(sheets: Ints, cells: Ints) -> Floats:
    """The ``expected`` points after each roll in these cells, [N, 25], [N, K] -> [N, K, 11]; they must be free."""
    codes, found = line_codes(sheets), line_values()
    # Lines that do not go through the cell have a weight of 0, so that every cell has as many.
    here = np.take_along_axis(codes, THROUGH_CELL[cells].reshape(len(sheets), -1), axis=1)
    gains = found.gain[here.reshape(*cells.shape, -1)] * WEIGHT[cells][..., None]
    return np.asarray(gains.sum(2) + (found.value[codes] @ TIMES)[:, None, None])


def written(sheets: Ints, cells: NDArray[np.int64], rolls: NDArray[np.int64]) -> Ints:
    """Sheets with each roll in its cell, [N, 25], [N], [N] -> [N, 25]."""
    after = sheets.copy()
    after[np.arange(len(after)), cells] = rolls
    return after
