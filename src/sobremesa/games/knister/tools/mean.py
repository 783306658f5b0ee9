"""The champion's mean at Knister, with luck taken off: ``python mean.py``.

A score is what somebody plays plus what the dice do, and the dice do far more. Before each roll the network says what
the sheet is worth on average over the rolls, and after it what it is worth with this one: the difference is luck. Luck
is nothing on average, whoever plays and however good the network's opinion is, so the mean of the scores less the luck
is the mean of the scores; but it is known far better after as many games. Both means are printed, with an interval that
holds the truth in 95 of 100 cases.
"""

import argparse
from random import Random
from typing import NamedTuple

import numpy as np

from sobremesa.engines import find_player
from sobremesa.engines.arena import Mean
from sobremesa.games.knister import GAME, KnisterState
from sobremesa.games.knister.engine.lines import ODDS, ROLLS
from sobremesa.games.knister.engine.network import network


class Played(NamedTuple):
    """One game."""

    score: float
    luck: float


def luck_of(sheet: bytes, roll: int) -> float:
    """What this roll is worth beside the average of all rolls, as the network evaluates it."""
    numbers = np.frombuffer(sheet, np.uint8).astype(np.int64)
    best = network().points(numbers[None])[0][numbers == 0].max(0)
    return float(best[roll - int(ROLLS[0])] - best @ ODDS)


def play(name: str, seed: str) -> Played:
    """One game alone."""
    random = Random(seed)
    player, state, luck = find_player(name, GAME, random), KnisterState.begin(1, 0), 0.0
    rolls = random.choices(ROLLS.tolist(), ODDS.tolist(), k=25)
    for roll in rolls:
        state = state.happen(roll)
        luck += luck_of(state.sheets[0], roll)
        state = state.play(player.choose(state.view(0)), 0)
    result = state.result()
    assert result is not None
    return Played(result.scores[0], luck)


def main() -> None:
    """Plays and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--player", default="champion", help="who plays (%(default)s)")
    parser.add_argument("--games", type=int, default=2000, help="so many (%(default)s)")
    parser.add_argument("--seed", default="1")
    chosen = parser.parse_args()
    games = [play(chosen.player, f"{chosen.seed}/{number}") for number in range(chosen.games)]
    print(f"{chosen.player}, {chosen.games} games")
    print(f"scores:           {Mean.of([game.score for game in games])}")
    print(f"luck:             {Mean.of([game.luck for game in games])}")
    print(f"scores less luck: {Mean.of([game.score - game.luck for game in games])}")


if __name__ == "__main__":
    main()
