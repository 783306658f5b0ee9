"""Finds habits for playing out Isis & Osiris: ``python tools/isis_osiris_habits.py --seats 2 --minutes 7``.

Habits (`sobremesa.engines.isis_osiris.playouts`) play against the best found so far, in both or all seats, on the same
tiles; of each litter the best quarter decides where the next one is looked for (the cross-entropy method). What is
printed is the part of first places against the habits that a person would guess, and the habits.
"""

import argparse
import time

import numpy as np

from sobremesa import GAMES
from sobremesa.engines.isis_osiris.playouts import Floats, Habits, Noise, batch_of, orders_of, play_out
from sobremesa.games.isis_osiris.state import IsisOsirisState

LITTER, GAMES_EACH, MARGIN = 24, 400, 0.01


def score(start: IsisOsirisState, mine: Habits, theirs: Habits, orders: Floats, noise: Noise) -> float:
    """The part of first places that these habits take from every seat, and a little for the margin."""
    total = 0.0
    for seat in range(start.seats):
        games = batch_of([start]).take(np.zeros(len(orders), np.int64))
        games.order = orders.copy()
        everybody = tuple(mine if other == seat else theirs for other in range(start.seats))
        scores = play_out(start.table, games, noise, everybody)
        best = np.delete(scores, seat, axis=1).max(1)
        own = scores[:, seat]
        total += float(((own > best) + (own == best) / 2 + MARGIN * (own - best)).mean())
    return total / start.seats


def main() -> None:
    """Looks for so many minutes."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seats", type=int, default=2)
    parser.add_argument("--minutes", type=float, default=7)
    parser.add_argument("--seed", type=int, default=3)
    chosen = parser.parse_args()
    start = GAMES["isis-osiris"].start(seats=chosen.seats)
    assert isinstance(start, IsisOsirisState)
    random = np.random.default_rng(chosen.seed)
    noise = Noise(random)
    mean = np.array(Habits()).reshape(-1)
    spread = np.full(len(mean), 0.25)
    spread[-2:] = 0  # how much the eye is off is no habit: without it everybody would play alike
    rival, until, round = Habits(), time.monotonic() + 60 * chosen.minutes, 0
    while time.monotonic() < until:
        round += 1
        orders = orders_of(start, GAMES_EACH, random)
        litter = mean + spread * random.standard_normal((LITTER, len(mean)))
        scores = [score(start, habits(one), rival, orders, noise) for one in litter]
        best = litter[np.argsort(scores)[::-1][: LITTER // 4]]
        mean = (mean + best.mean(0)) / 2
        spread = np.where(spread > 0, np.maximum(0.6 * spread + 0.4 * best.std(0), 0.03), 0)
        if round % 8 == 0:
            rival = habits(mean)
            print(
                round, f"{score(start, rival, Habits(), orders_of(start, 2000, random), noise):.3f}", rival, flush=True
            )


def habits(numbers: Floats) -> Habits:
    """Habits from a row of numbers."""
    return Habits(*((round(float(one), 2), round(float(two), 2)) for one, two in numbers.reshape(-1, 2)))


if __name__ == "__main__":
    main()
