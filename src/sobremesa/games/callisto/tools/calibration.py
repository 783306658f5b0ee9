"""Are the chances right that a network for Callisto gives? ``python calibration.py --games 100``.

Draws positions after a few moves, blindly or as the network would place, asks the network and a search for everybody's
chance to win, and lets the search play the game out. Prints for each kind of table what was predicted and what came:
the mean for whoever begins, and how far off chances were (Brier's score, the mean square over seats: who always
predicts the fair share gets 0.25 with two seats, 0.22 with three and 0.19 with four; less is better).
"""

import argparse
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import NamedTuple

import numpy as np

from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame
from sobremesa.games.callisto.engine.network import NetworkEvaluator, network
from sobremesa.games.callisto.tools.duel import ANY_EVENNESS, REFEREE, Opening, described, opening

PLAY = "simulations=32 seconds=99 exact=0"
BLIND_GUMBEL_SCALE = 99.0
"""Noise so large that priors have no say."""


class Chances(NamedTuple):
    """Everybody's chance to win, as the network, a search and the game itself say, each by seat."""

    network: Sequence[float]
    search: Sequence[float]
    game: Sequence[float]


def compare_chances(gtp_game: GtpGame, wanted: Opening, weights: Path | None, number: int) -> Chances:
    """Everybody's chances in one opening."""
    random = Random(number)
    state = opening(gtp_game, wanted, weights, random)
    (evaluation,) = NetworkEvaluator(network(weights), 0.0)([state])
    found = described(REFEREE, weights, random).think(state.view(state.turn))
    player = described(PLAY, weights, random)
    while not state.over:
        state = state.play(player.choose(state.view(state.turn)))
    result = state.result()
    assert result is not None
    won = [(place == 1) / result.places.count(1) for place in result.places]
    return Chances(evaluation.values, found.values, won)


def main() -> None:
    """Draws, asks, plays, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("--games", type=int, default=100, metavar="N", help="so many of each kind (%(default)s)")
    parser.add_argument("--pieces", type=int, default=5, metavar="N", help="placed so far (%(default)s)")
    parser.add_argument(
        "--gumbel-scale",
        "--lots",
        type=float,
        default=BLIND_GUMBEL_SCALE,
        metavar="N",
        help="how far moves stray from the priors (%(default)s)",
    )
    parser.add_argument("--game", choices=tuple(GTP_GAMES), action="append", help="only such tables")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the network, if not the one of the house")
    chosen = parser.parse_args()
    print("| table | network | search | game | network off | search off |\n|---|---:|---:|---:|---:|---:|")
    for name in chosen.game or GTP_GAMES:
        gtp_game = GTP_GAMES[name]
        wanted = Opening(chosen.pieces, chosen.gumbel_scale, ANY_EVENNESS)
        found = np.array([compare_chances(gtp_game, wanted, chosen.weights, number) for number in range(chosen.games)])
        first = "".join(f" {mean:.1%} |" for mean in found[:, :, 0].mean(0))
        off = "".join(f" {np.square(found[:, each] - found[:, 2]).mean():.3f} |" for each in (0, 1))
        print(f"| {name} |{first}{off}", flush=True)


if __name__ == "__main__":
    main()
