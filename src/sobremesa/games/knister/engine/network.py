"""The network for Knister, run by ONNX Runtime on one thread."""

from functools import cache
from pathlib import Path

import numpy as np

from sobremesa.engines.runtime import session
from sobremesa.games.knister.engine.lines import ODDS, Floats, Ints

SPREAD_REACH = 64.0
"""How far from its mean, in points, the bins of final totals reach; the last ones hold what lies beyond."""
_MAX_BATCH = 512


class Network:
    """Mean final points, and their spread, for every cell and every roll of a sheet."""

    def __init__(self, file: Path | None = None) -> None:
        """From the weights that come with the package, or from another file."""
        self._session = session(__package__, file)
        from onnxruntime import RunOptions

        self._run = RunOptions()
        self._run.only_execute_path_to_fetches = True

    def points(self, sheets: Ints) -> Floats:
        """Mean final points after each roll in each cell, [N, 25] -> [N, 25, 11]; no sense in full cells."""
        parts = [sheets[low : low + _MAX_BATCH] for low in range(0, len(sheets), _MAX_BATCH)]
        found = [self._session.run(["points"], {"sheets": part}, self._run)[0] for part in parts]
        return np.concatenate(found) if len(found) > 1 else found[0]

    def spread(self, sheets: Ints) -> tuple[Floats, Floats]:
        """The points, and the chances of being off them by so much, [N, 25, 11, bins]."""
        points, spread = self._session.run(["points", "spread"], {"sheets": sheets}, self._run)
        return points, spread

    def value(self, sheets: Ints) -> Floats:
        """The mean of final points before the next roll, [N, 25] -> [N]; every sheet has a free cell."""
        found = np.where((sheets == 0)[..., None], self.points(sheets), -np.inf)
        return np.asarray(found.max(1) @ ODDS)


@cache
def network() -> Network:
    """The network, loaded on first use."""
    return Network()
