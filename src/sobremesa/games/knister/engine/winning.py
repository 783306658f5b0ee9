"""Playing Knister to win, not to score: near the end the same rolls are counted out for everybody.

The others are taken to play for points. Since the rolls are common to all (K2), what they will have is known for every
sequence of rolls, and one's own best answer to each of them can be counted out, too.
"""

import numpy as np

from sobremesa.games.knister.engine.exact import successors, value
from sobremesa.games.knister.engine.lines import ODDS, ROLLS, Floats, Ints, expected
from sobremesa.games.knister.engine.network import SPREAD_REACH, Network

MAX_FREE_CELLS = 4
"""With this many free cells or fewer every sequence of rolls is looked at."""
_SIDES = len(ROLLS)
_MAX_TOTAL = 120
"""The highest total, counted in steps of two points or so."""


def totals(sheet: Ints, roll: int) -> Floats:
    """The final points of somebody who plays perfectly for points, [25] -> [11, 11, ...]: an axis for each roll."""
    cells = np.flatnonzero(sheet == 0)
    after = np.repeat(sheet[None], len(cells), axis=0)
    after[np.arange(len(cells)), cells] = roll
    sheets = after[value(after).argmax()][None]
    free = len(cells) - 1
    for left in range(free, 0, -1):
        options, count = successors(sheets)
        options = options.reshape(len(sheets), count, _SIDES, -1)
        worth = value(options.reshape(-1, options.shape[-1])).reshape(len(sheets), count, _SIDES)
        best = worth.argmax(1)
        sheets = np.take_along_axis(options, best[:, None, :, None], axis=1)[:, 0].reshape(-1, options.shape[-1])
        assert left == int((sheets[0] == 0).sum()) + 1
    return np.asarray(expected(sheets)).reshape((_SIDES,) * free)


def chances(sheet: Ints, roll: int, others: list[Ints]) -> tuple[Ints, Floats]:
    """The free cells, and the chance to win after the roll in each of them; a shared first place counts in part."""
    cells = np.flatnonzero(sheet == 0)
    free = len(cells) - 1
    rivals = np.round(np.stack([totals(other, roll) for other in others]))
    best = rivals.max(0).reshape(-1)
    sharing = 1 / (1 + (rivals.reshape(len(others), -1) == best).sum(0))
    after = np.repeat(sheet[None], len(cells), axis=0)
    after[np.arange(len(cells)), cells] = roll
    shape, sheets = [len(cells)], after
    for _ in range(free):
        sheets, count = successors(sheets)
        shape += [count, _SIDES]
    # Own choices stand before the roll that they answer: [cell, choice, roll, choice, roll, ...].
    mine = np.round(expected(sheets)).reshape(shape)
    against = best.reshape((1,) + (1, _SIDES) * free)
    share = sharing.reshape(against.shape)
    won = np.where(mine > against, 1.0, np.where(mine == against, share, 0.0))
    for _ in range(free):
        won = _answered(won)
    return cells, np.asarray(won)


def standing(network: Network, sheets: list[Ints], roll: int) -> Floats:
    """About how likely each of these sheets is to win, [seats]: from the spread of final points, as if independent."""
    points, spread = network.spread(np.stack(sheets))
    at = roll - int(ROLLS[0])
    qualities = np.where(np.stack(sheets) == 0, points[:, :, at], -np.inf)
    cells, seats = qualities.argmax(1), np.arange(len(sheets))
    bins = spread.shape[-1]
    width = 2 * SPREAD_REACH / bins
    off = (np.arange(bins) + 0.5) * width - SPREAD_REACH
    totals = np.clip(np.round((qualities[seats, cells][:, None] + off) / width), 0, _MAX_TOTAL).astype(np.int64)
    masses = np.zeros((len(sheets), _MAX_TOTAL + 1), np.float32)
    np.add.at(masses, (seats[:, None], totals), spread[seats, cells, at])
    below = masses.cumsum(1) - masses / 2
    won = np.array([(masses[s] * np.delete(below, s, axis=0).prod(0)).sum() for s in seats])
    return np.asarray(won / won.sum())


def _answered(won: Floats) -> Floats:
    """The last roll comes, and the best cell is chosen for it: [..., choice, roll] -> [...]."""
    return np.asarray(won.max(-2) @ ODDS)
