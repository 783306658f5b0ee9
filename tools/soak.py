"""Plays random games in the library and in JAX side by side, at every kind of table, and compares every position.

The tests do the same with a few games; this is for thousands: ``python tools/soak.py --games 200``.
"""

import argparse
import sys
from pathlib import Path
from time import perf_counter

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from batch.alongside import KINDS, compare

BATCH = 50
"""How many games go on side by side."""


def main() -> None:
    """Compares as many games as the command line says; a difference ends the program with the position."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=200, help="games of each kind (%(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only kinds that contain this text")
    parser.add_argument("--seed", type=int, default=1, help="the first seed (%(default)s)")
    chosen = parser.parse_args()
    games = positions = 0
    began = perf_counter()
    for kind in (kind for kind in KINDS if chosen.only in str(kind)):
        here = 0
        for seed in range(chosen.seed, chosen.seed + -(-chosen.games // BATCH)):
            here += compare(kind, BATCH, seed)
            games += BATCH
        positions += here
        print(f"{kind}: {here:,} positions agree", flush=True)
    print(f"{games:,} games, {positions:,} positions in {perf_counter() - began:.0f} s")


if __name__ == "__main__":
    main()
