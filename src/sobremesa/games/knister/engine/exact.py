"""Perfect play at the end of a sheet of Knister: every roll and every cell, counted out."""

import numpy as np

from sobremesa.games.knister.engine.lines import ODDS, ROLLS, Floats, Ints, expected, quality_of

MAX_FREE_CELLS = 5
"""With this many free cells or fewer every placement is counted out exactly, in a few hundredths of a second."""
_CHUNK = 20_000


def value(sheets: Ints) -> Floats:
    """The best mean of final points before the next roll, [N, 25] -> [N]; all sheets have equally many free cells."""
    free = int((sheets[0] == 0).sum()) if len(sheets) else 0
    if free <= 1:
        return expected(sheets)
    if free == 2:
        if len(sheets) > _CHUNK:
            return np.concatenate([value(sheets[low : low + _CHUNK]) for low in range(0, len(sheets), _CHUNK)])
        return np.asarray(quality_of(sheets, np.nonzero(sheets == 0)[1].reshape(-1, 2)).max(1) @ ODDS)
    after, cells = successors(sheets)
    return np.asarray(value(after).reshape(len(sheets), cells, len(ROLLS)).max(1) @ ODDS)


def successors(sheets: Ints) -> tuple[Ints, int]:
    """Every sheet after every roll in every free cell, [N, 25] -> [N * free * 11, 25], and how many cells are free."""
    count = int((sheets[0] == 0).sum())
    cells = np.nonzero(sheets == 0)[1].reshape(len(sheets), count)
    after = np.repeat(sheets, count * len(ROLLS), axis=0)
    where = np.repeat(cells.reshape(-1), len(ROLLS))
    after[np.arange(len(after)), where] = np.tile(ROLLS, len(sheets) * count)
    return after, count


def placements(sheet: Ints, roll: int) -> tuple[Ints, Floats]:
    """The free cells of a sheet [25], and the exact mean of final points after this roll in each of them."""
    cells = np.flatnonzero(sheet == 0)
    after = np.repeat(sheet[None], len(cells), axis=0)
    after[np.arange(len(cells)), cells] = roll
    return cells, value(after)
