"""A figure that no player of Knister can have more than, on average: ``python ceiling.py``.

Every roll goes into one row and one column. Let each line choose its own five rolls instead, as they come and for its
own good alone, without asking the others: nobody can do better than all lines together do then. That every roll is
taken by one row only is kept in mind with prices: a line pays for each roll that it takes, and what five rows would pay
if every roll were taken once is given back. Whatever the prices, the sum is no less than what any player can have
(Lagrange); they are moved, step by step, to where it is least. The two diagonals choose freely.

What one line can have at most is counted out exactly: 4,368 hands of up to five rolls, 25 rolls to come.
"""

import argparse
from itertools import combinations_with_replacement
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.knister.engine.lines import ODDS, ROLLS
from sobremesa.games.knister.scoring import CELLS, LINES, SIDE, combination

Floats = NDArray[np.float64]

P: Floats = ODDS.astype(np.float64) / ODDS.astype(np.float64).sum()
"""How likely each roll is, [11]."""
HANDS = [hand for size in range(SIDE + 1) for hand in combinations_with_replacement(range(len(ROLLS)), size)]
_NUMBER = {hand: number for number, hand in enumerate(HANDS)}
FULL = np.array([len(hand) == SIDE for hand in HANDS])
WORTH: Floats = np.array([combination(bytes(k + 2 for k in h)).points if len(h) == SIDE else 0.0 for h in HANDS])
NEXT = np.array([[_NUMBER.get(tuple(sorted((*hand, roll))), 0) for roll in range(len(ROLLS))] for hand in HANDS])
"""The hand after each roll; no sense for full ones."""
MISSING = np.array([SIDE - len(hand) for hand in HANDS])


class Line(NamedTuple):
    """What a line can have at most at some prices, and how often it takes each roll at each time, [25, 11]."""

    value: float
    taken: Floats


def best(prices: Floats) -> Line:
    """One line, which pays these prices, [25, 11], for what it takes; in the end it must be full."""
    value = np.where(FULL, WORTH, -np.inf)
    takes = np.zeros((CELLS, *NEXT.shape), bool)
    for time in reversed(range(CELLS)):
        taking = np.where(FULL[:, None], -np.inf, value[NEXT] - prices[time])
        takes[time] = taking > value[:, None]
        late = CELLS - time < MISSING
        value = np.where(late, -np.inf, np.maximum(taking, value[:, None]) @ P)
    here, taken = np.zeros(len(HANDS)), np.zeros(prices.shape)
    here[0] = 1.0
    for time in range(CELLS):
        flow = here[:, None] * P
        moved = np.where(takes[time], flow, 0.0)
        taken[time] = moved.sum(0)
        here = (flow - moved).sum(1) + np.bincount(NEXT.reshape(-1), moved.reshape(-1), len(HANDS))
    return Line(float(value[0]), taken)


def rows(steps: int, width: float) -> float:
    """The most that all rows together can have, as far as so many steps find the prices."""
    prices, least = np.zeros((CELLS, len(ROLLS))), np.inf
    for step in range(steps):
        line = best(prices)
        least = min(least, SIDE * line.value + float((prices @ P).sum()))
        gradient = SIDE * line.taken / P - 1.0
        prices = prices + width / (1 + step) ** 0.6 * gradient
    return least


def main() -> None:
    """Prints the ceiling and its parts."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=1500, help="in which prices are looked for (%(default)s)")
    parser.add_argument("--width", type=float, default=0.3, help="of the first step, in points (%(default)s)")
    chosen = parser.parse_args()
    free = best(np.zeros((CELLS, len(ROLLS)))).value
    priced = rows(chosen.steps, chosen.width)
    diagonals = sum(line.times for line in LINES if line.times > 1) * free
    print(f"one line that chooses freely: {free:.2f}; five rows that share the rolls: {priced:.2f}")
    print(f"nobody can have more on average than {2 * priced:.2f} + {diagonals:.2f} = {2 * priced + diagonals:.2f}")


if __name__ == "__main__":
    main()
