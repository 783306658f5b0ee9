"""How many points any player of Knister could have on average, at most: ``python bound.py``.

Somebody who knows all 25 rolls beforehand scores far more than anybody can who does not: too weak a bound. So he is
made to pay for what he knows. Before each roll the network says what the sheet is worth on average over the rolls, and
what it is worth once this roll is known; he pays the difference, and is paid it when the roll is worse than the
average. A player who does not know the rolls pays nothing on average, whatever he does. So the mean of the best that
can be had with all rolls known, less what was paid, is no less than what anybody can have without knowing them (the
dual of an information relaxation). The better the network, the nearer the two: with a perfect one they are equal for
every sequence.

The best sequence of cells is looked for with a beam; a wider one can only find more, so what is printed is the bound
as far as the beam has found it. Print it for several widths to see how much is missing.
"""

import argparse
import json
from math import sqrt
from statistics import fmean, stdev
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.knister.engine.lines import ODDS, ROLLS, Floats, Ints, expected
from sobremesa.games.knister.engine.network import Network, network
from sobremesa.games.knister.scoring import CELLS


class Beam(NamedTuple):
    """The most promising ways so far: sheets [N, 25], the network's values of them, and what was gained less paid."""

    sheets: Ints
    points: Floats
    """The mean final points, [N, 25, 11], with full cells ruled out."""
    gained: Floats


def evaluations(net: Network, sheets: Ints) -> Floats:
    """What every roll in every cell is worth, [N, 25] -> [N, 25, 11]; nothing in full cells."""
    return np.where((sheets == 0)[..., None], net.points(sheets), -np.inf).astype(np.float32)


def best_known(net: Network, rolls: NDArray[np.int64], width: int, tried: int) -> float:
    """The most that can be had when these rolls, [25] from 0 to 10, are known beforehand, less what is paid for it."""
    blank = np.zeros((1, CELLS), np.int64)
    beam = Beam(blank, evaluations(net, blank), np.zeros(1, np.float32))
    start = float(beam.points[0].max(0) @ ODDS)
    for number, roll in enumerate(rolls.tolist()):
        here = beam.points[:, :, roll]
        count = min(tried, CELLS - number)
        cells = np.argsort(-here, axis=1)[:, :count]
        before = np.repeat(beam.gained - here.max(1), count)
        sheets = np.repeat(beam.sheets, count, axis=0)
        sheets[np.arange(len(sheets)), cells.reshape(-1)] = ROLLS[roll]
        _, first = np.unique(sheets @ _MIX, return_index=True)
        sheets, before = sheets[first], before[first]
        if number == CELLS - 1:
            return start + float((before + expected(sheets)).max())
        points = evaluations(net, sheets)
        gained = before + points.max(1) @ ODDS
        # Sheets that differ by a symmetry are worth the same: one of each will do.
        _, alike = np.unique(np.round(gained, 3), return_index=True)
        kept = alike[::-1][:width]
        beam = Beam(sheets[kept], points[kept], gained[kept])
    raise AssertionError("the last roll returns")


_MIX = np.random.default_rng(0).integers(1, 1 << 40, CELLS)
"""Tells sheets apart by one number each."""


def main() -> None:
    """Prints the bound for each width."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sequences", type=int, default=300, help="sequences of rolls (%(default)s)")
    parser.add_argument("--widths", default="4,16,64", help="widths of the beam (%(default)s)")
    parser.add_argument("--cells", type=int, default=CELLS, help="so many cells are tried for a roll (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true")
    chosen = parser.parse_args()
    random = np.random.default_rng(chosen.seed)
    odds = ODDS.astype(np.float64) / ODDS.astype(np.float64).sum()
    sequences = random.choice(len(ROLLS), (chosen.sequences, CELLS), p=odds)
    for width in map(int, chosen.widths.split(",")):
        found = [best_known(network(), rolls, width, chosen.cells) for rolls in sequences]
        sure = 1.96 * stdev(found) / sqrt(len(found))
        result = {"width": width, "sequences": len(found), "bound": fmean(found), "sure": sure}
        print(
            json.dumps(result) if chosen.json else f"width {width:>3}: {result['bound']:.2f} ± {sure:.2f}", flush=True
        )


if __name__ == "__main__":
    main()
