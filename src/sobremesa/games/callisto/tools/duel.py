"""Two ways to search with a network for Callisto against each other: what is a setting worth?

    python duel.py "simulations=200 halving=1" "simulations=200 c_puct=0.75" --weights probe.onnx

A player is described by what differs from the champion: fields of its ``Skill`` (simulations, seconds, margin,
gumbel_scale, policy_temperature, noise, exact, pillar_turn) and of its ``SearchSettings`` (considered, batch, halving,
c_puct, fpu_reduction), and ``weights`` for a network of its own. The first moves of each game are drawn by the priors
of a network; every opening is played from every seat, the first player at one of them and the second at all others.

Whoever begins with two seats is far ahead, so that good players share most openings and results say little. With
``--pieces 6 --gumbel-scale 6 --even 0.2`` openings stray further from the priors, until a search gives everybody a fair
chance to win, within a fifth. Even so most are won by the same seat whoever sits there: the last line says how many
were not.
"""

import argparse
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

from sobremesa.engines.arena import Mean
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.engine.engine_set import SKILLS
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame
from sobremesa.games.callisto.engine.network import EvaluationNoise, NetworkEvaluator, network
from sobremesa.games.callisto.engine.player import NetworkPlayer

ANY_EVENNESS = 1.0
"""With this, openings may be as uneven as they like."""
REFEREE = "simulations=128 seconds=99 exact=0"
"""The player that finds out whether an opening is even."""
OLD_NAMES = {"lots": "gumbel_scale", "doubt": "policy_temperature", "explore": "c_puct", "unseen": "fpu_reduction"}
"""What version 0.1 called some settings: descriptions that use these names can still be read."""


class Opening(NamedTuple):
    """How games begin."""

    pieces: int
    gumbel_scale: float
    """How far moves stray from the priors; with 1 they are drawn as often as the priors say."""
    even: float
    """How far from fair the chances may be."""


def described(text: str, weights: Path | None, random: Random) -> NetworkPlayer:
    """The player of a description."""
    written: dict[str, Any] = dict(word.split("=", 1) for word in text.split())
    file = Path(written.pop("weights")) if "weights" in written else weights
    changes = " ".join(f"{OLD_NAMES.get(name, name)}={value}" for name, value in written.items())
    return NetworkPlayer(text, GAME, random, SKILLS["champion"].changed(changes), file)


def opening(gtp_game: GtpGame, wanted: Opening, weights: Path | None, random: Random) -> CallistoState:
    """A position that is drawn by a network's priors, in which nobody is far from a fair chance to win."""
    evaluator = NetworkEvaluator(
        network(weights), 0.0, EvaluationNoise(0.0, wanted.gumbel_scale, random.getrandbits(63))
    )
    while True:
        state = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0)
        for _ in range(wanted.pieces):
            (found,) = evaluator([state])
            assert found.moves is not None
            state = state.play(found.moves[0])
        if wanted.even == ANY_EVENNESS or far(state, weights) <= wanted.even:
            return state


def far(state: CallistoState, weights: Path | None) -> float:
    """How far the seats are from a fair chance to win, at most, as a short search sees it."""
    thought = described(REFEREE, weights, Random(0)).think(state.view(state.turn))
    return max(abs(value - 1 / state.seats) for value in thought.values)


def play(
    gtp_game: GtpGame, wanted: Opening, texts: Sequence[str], weights: Path | None, number: int
) -> list[tuple[float, float]]:
    """One opening from every seat: the first player's part of first places, and its margin."""
    random, found = Random(number), []
    start = opening(gtp_game, wanted, weights, random)
    for mine in range(gtp_game.seats):
        players = [described(texts[seat != mine], weights, random) for seat in range(gtp_game.seats)]
        state = start
        while not state.over:
            state = state.play(players[state.turn].choose(state.view(state.turn)))
        result = state.result()
        assert result is not None
        ahead = min(score for seat, score in enumerate(result.scores) if seat != mine) - result.scores[mine]
        found.append((float(result.places[mine] == 1), float(ahead)))
    return found


def summary(first: Sequence[float], ahead: Sequence[float]) -> str:
    """The means over openings."""
    return f"first {Mean.of(first):.1%}, ahead {Mean.of(ahead)}"


def main() -> None:
    """Plays and counts."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("players", nargs=2, metavar="PLAYER")
    parser.add_argument("--game", choices=tuple(GTP_GAMES), default="callisto_2")
    parser.add_argument("--openings", type=int, default=20, metavar="N", help="so many (%(default)s)")
    parser.add_argument("--pieces", type=int, default=5, metavar="N", help="pieces of an opening (%(default)s)")
    parser.add_argument(
        "--gumbel-scale",
        "--lots",
        type=float,
        default=1.3,
        metavar="N",
        help="how far openings stray from the priors (%(default)s)",
    )
    parser.add_argument(
        "--even",
        type=float,
        default=ANY_EVENNESS,
        metavar="SHARE",
        help="how far from fair an opening may be (%(default)s)",
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the network, if not the one of the house")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at the same time (%(default)s)")
    chosen = parser.parse_args()
    gtp_game = GTP_GAMES[chosen.game]
    task = partial(
        play, gtp_game, Opening(chosen.pieces, chosen.gumbel_scale, chosen.even), chosen.players, chosen.weights
    )
    first, ahead = [], []
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for games in pool.map(task, range(chosen.openings)):
            first.append(sum(won for won, _ in games) / len(games))
            ahead.append(sum(margin for _, margin in games) / len(games))
            print(f"{len(first) * gtp_game.seats} games: {summary(first, ahead)}", file=sys.stderr, flush=True)
    print(f"{chosen.players[0]} | against {chosen.players[1]} | {summary(first, ahead)}")
    print(f"from every seat: {first.count(1)} openings won, {first.count(0)} lost, of {len(first)}")


if __name__ == "__main__":
    main()
