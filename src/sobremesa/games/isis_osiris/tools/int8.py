"""What static int8 would do to the network for Isis & Osiris: ``python int8.py``.

Quantises the products with weights after looking at positions from the network's own games, and prints how fast both
are on one thread, how often they would place a piece differently, and how they do against each other without looking
ahead, every deal with both in each seat.
"""

import argparse
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

import numpy as np

from sobremesa import find_game
from sobremesa.games.isis_osiris.engine.features import CELL_FEATURES, state_features
from sobremesa.games.isis_osiris.engine.network import Network
from sobremesa.games.isis_osiris.engine.search import Search
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.training.quantise import Feed, quantise

WEIGHTS = Path(__file__).resolve().parent.parent / "engine"
GAME = find_game("isis-osiris")


def played(deal: int, networks: Sequence[Network], **options: int | str) -> list[IsisOsirisState]:
    """The positions of a game of networks that do not look ahead, to the end."""
    chance, state = Random(deal), GAME.start(**options)
    assert isinstance(state, IsisOsirisState)
    met = [state]
    while not state.over:
        if state.chance is not None:
            state = state.happen(state.chance.draw(chance))
        else:
            state = state.play(Search(state, networks[state.turn], chance).ranked()[0][0])
        met.append(state)
    return met


def examples(states: list[IsisOsirisState]) -> Iterator[Feed]:
    """The features of positions, in batches."""
    for low in range(0, len(states), 32):
        cells, table = state_features(states[low : low + 32])
        yield {"cells": cells, "table": table}


def speed(net: Network, states: list[IsisOsirisState]) -> float:
    """Positions a second in batches of 8."""
    began, done = time.process_time(), 0
    while time.process_time() - began < 2:
        net.quality(states[:8])
        done += 8
    return done / (time.process_time() - began)


def main() -> None:
    """Quantises, compares, prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--deals", type=int, default=200, help="deals that both play against each other (%(default)s)")
    deals = parser.parse_args().deals
    net = Network()
    tables = [{"seats": seats, "variant": variant} for seats in (2, 3, 4) for variant in ("own", "common")]
    games = [played(deal, [net] * 4, **table) for deal in range(8) for table in tables]
    states = [state for game in games for state in game if state.deciding]
    with TemporaryDirectory() as folder:
        small = Path(folder) / "int8.onnx"
        count = quantise(
            WEIGHTS / "weights.onnx", small, examples(states), lambda _, shape: shape[0] > 2 * CELL_FEATURES
        )
        int8 = Network(small)
        print(f"{count} products in int8")
        print(f"fp32 {speed(net, states):.0f} positions/s, int8 {speed(int8, states):.0f} positions/s")
        choices = [[Search(state, each, Random(1)).ranked()[0][0] for state in states] for each in (net, int8)]
        other = np.mean([one != two for one, two in zip(*choices, strict=True)])
        print(f"another move in {other:.1%} of {len(states)} positions")
        shares = []
        for deal in range(deals):
            ends = [played(deal, pair)[-1].result() for pair in ((int8, net), (net, int8))]
            won = [1 / len(end.winners) * (seat in end.winners) for seat, end in enumerate(ends) if end]
            shares.append(np.mean(won))
        error = 1.96 * np.std(shares) / np.sqrt(len(shares))
        print(f"int8 against fp32: {np.mean(shares):.1%} ± {error:.1%} of the wins in {2 * deals} games")


if __name__ == "__main__":
    main()
