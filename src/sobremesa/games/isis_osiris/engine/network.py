"""The network for Isis & Osiris, run by ONNX Runtime on one thread."""

from collections.abc import Sequence
from functools import cache
from pathlib import Path
from typing import NamedTuple

from sobremesa.engines.runtime import session
from sobremesa.games.isis_osiris.engine.features import Floats, state_features
from sobremesa.games.isis_osiris.state import IsisOsirisState


class Quality(NamedTuple):
    """What each piece is worth on each cell before a tile is turned over, by slot: no sense on full cells."""

    win: Floats
    """The share of first place, [N, 36, 9, 4]."""
    margin: Floats
    """The final total less the mean of the others', in points, [N, 36, 9, 4]."""


class Network:
    """Evaluates all placements of positions on the board of the box."""

    def __init__(self, file: Path | None = None) -> None:
        """From the weights that come with the package, or from another file."""
        self._session = session(__package__, file)

    def quality(self, states: Sequence[IsisOsirisState]) -> Quality:
        """What is known of these positions; whether a tile lies face up makes no difference."""
        cells, table = state_features(states)
        return Quality(*self._session.run(["win", "margin"], {"cells": cells, "table": table}))


@cache
def network() -> Network:
    """The network, loaded on first use."""
    return Network()
