"""What is known of a single line of Knister before any learning, by exact recursion over its 4,368 hands.

`EXPECTED` is the mean of a line's points if every free cell of it gets the next roll. Summed over the twelve lines it
is the exact mean of a sheet's final points when one free cell is left, and of each placement when two are left: after
that nobody can choose any more. Before that it is where the network starts from.
"""

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.knister.batch.rules import HAND_POINTS, HANDS, ODDS, ROLLS, SYMBOLS

Floats = NDArray[np.float32]


def _successors() -> NDArray[np.int64]:
    """The hand after each roll is written into a free cell of a hand, [4368, 11]; the hand itself if it is full."""
    places = SYMBOLS ** np.arange(HANDS.shape[1])
    codes = HANDS.astype(np.int64) @ places
    order = np.argsort(codes)
    after = np.repeat(HANDS[:, None], len(ROLLS), axis=1)
    after[..., 0] = np.where(HANDS[:, :1] == 0, np.arange(1, SYMBOLS), HANDS[:, :1])  # sorted: free cells come first
    return order[np.searchsorted(codes[order], np.sort(after, axis=-1) @ places)]


FREE = (HANDS == 0).sum(axis=1)
"""How many cells of a hand are free, [4368]."""
AFTER = _successors()


def _choosing(rolls_per_cell: int) -> Floats:
    """The mean points of a line that may refuse rolls, if it is offered so many for each free cell, [4368]."""
    best = np.where(FREE == 0, HAND_POINTS, -np.inf)
    answer = best.copy()
    for rolls in range(1, HANDS.shape[1] * rolls_per_cell + 1):
        with np.errstate(invalid="ignore"):
            best = np.maximum(best[AFTER], best[:, None]) @ ODDS.astype(np.float64)
        best = np.where(FREE == 0, HAND_POINTS, np.where(rolls >= FREE, best, -np.inf))
        answer = np.where(FREE * rolls_per_cell == rolls, best, answer)
    return answer.astype(np.float32)


def _with_gains(value: Floats) -> Floats:
    """[4368] -> [4368, 12]: the value of a hand, then what each roll written there adds to it."""
    table: Floats = np.concatenate([value[:, None], value[AFTER] - value[:, None]], axis=1)
    return table


def _chances() -> Floats:
    """How likely a hand ends with each number of points if it takes every roll, [4368, 7]."""
    kinds = np.unique(HAND_POINTS)
    chance = (HAND_POINTS[:, None] == kinds) & (FREE == 0)[:, None]
    result = chance.astype(np.float64)
    for free in range(1, HANDS.shape[1] + 1):
        result = np.where((free == FREE)[:, None], np.tensordot(ODDS, result[AFTER], (0, 1)), result)
    return np.asarray(result, np.float32)


EXPECTED = _with_gains(_choosing(1))
"""Mean points if every roll is taken, and what each roll adds to that, [4368, 12]."""


def _features() -> Floats:
    counts = (HANDS[..., None] == np.arange(SYMBOLS)).sum(axis=1)
    blocks = [counts / 2, 2 * _chances()]
    for rolls_per_cell in (1, 2, 3):
        table = _with_gains(_choosing(rolls_per_cell))
        blocks += [table[:, :1] / 4, table[:, 1:] / 2]
    return np.concatenate(blocks, axis=1).astype(np.float32)


FEATURES = _features()
"""The features of a line that the network takes, [4368, 55], about one in size: counts, chances, values and gains."""
