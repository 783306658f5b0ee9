"""Looking a roll or two ahead on a sheet of Knister, with the network at the end of every line."""

import numpy as np

from sobremesa.engines.knister.exact import FEW, value
from sobremesa.engines.knister.lines import ODDS, ROLLS, Floats, Ints
from sobremesa.engines.knister.network import Network
from sobremesa.engines.limit import Limit

LIKELY = 4
"""So many placements are looked at two rolls ahead,"""
CLOSE = 0.3
"""if they are no more points behind the best: what a roll more changes is smaller."""
ANSWERS = 4
"""So many cells are tried for each next roll."""


def first(network: Network, sheet: Ints, roll: int) -> tuple[Ints, Floats]:
    """The free cells of a sheet [25], and what the network expects of this roll in each of them."""
    cells = np.flatnonzero(sheet == 0)
    return cells, network.points(sheet[None])[0, cells, roll - int(ROLLS[0])]


def deeper(
    network: Network, sheet: Ints, roll: int, cells: Ints, points: Floats, rolls: int, limit: Limit
) -> tuple[Floats, int]:
    """The same, looking one roll further, and two rolls where it matters and time allows."""
    after = np.repeat(sheet[None], len(cells), axis=0)
    after[np.arange(len(cells)), cells] = roll
    free = len(cells) - 1
    if free <= FEW - 1:
        return value(after), free
    found = network.points(after)
    found[(after != 0)] = -np.inf
    limit.done += len(after)
    points = np.asarray(found.max(1) @ ODDS)
    if rolls < 2:
        return points, 1
    points = points.copy()
    best = np.argsort(-points, kind="stable")[:LIKELY]
    best = best[points[best] > points[best[0]] - CLOSE]
    if len(best) == 1:
        return points, 1
    looked = 0
    for at in best:  # the most promising first, so that whatever is left out is what matters least
        if looked and limit.over():
            break
        points[at] = _two_ahead(network, after[at], found[at], limit)
        looked += 1
    if looked < len(cells):  # those that were not looked at so closely must not win by that
        rest = np.setdiff1d(np.arange(len(cells)), best[:looked])
        points[rest] = np.minimum(points[rest], points[best[:looked]].max() - 1e-3)
    return points, 2


def _two_ahead(network: Network, sheet: Ints, qualities: Floats, limit: Limit) -> float:
    """What a sheet [25] is worth if for every next roll the most promising cells are tried, [25, 11] given."""
    tried = min(ANSWERS, int((sheet == 0).sum()))
    cells = np.argsort(-qualities, axis=0, kind="stable")[:tried]
    sheets = np.repeat(sheet[None], tried * len(ROLLS), axis=0)
    sheets[np.arange(len(sheets)), cells.reshape(-1)] = np.tile(ROLLS, tried)
    limit.done += len(sheets)
    free = int((sheets[0] == 0).sum())
    worth = value(sheets) if free <= FEW - 1 else network.value(sheets)
    return float(worth.reshape(tried, len(ROLLS)).max(0) @ ODDS)
