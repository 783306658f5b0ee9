"""Looking a roll ahead on a sheet of Knister, with the network at the end of every line."""

import numpy as np

from sobremesa.games.knister.engine.exact import MAX_FREE_CELLS, value
from sobremesa.games.knister.engine.lines import ROLLS, Floats, Ints
from sobremesa.games.knister.engine.network import Network


def first(network: Network, sheet: Ints, roll: int) -> tuple[Ints, Floats]:
    """The free cells of a sheet [25], and what the network expects of this roll in each of them."""
    cells = np.flatnonzero(sheet == 0)
    return cells, network.points(sheet[None])[0, cells, roll - int(ROLLS[0])]


def ahead(network: Network, sheet: Ints, roll: int, cells: Ints) -> Floats:
    """What is expected of this roll in each of the free cells when every next roll is looked at."""
    after = np.repeat(sheet[None], len(cells), axis=0)
    after[np.arange(len(cells)), cells] = roll
    return value(after) if len(cells) <= MAX_FREE_CELLS else network.value(after)
