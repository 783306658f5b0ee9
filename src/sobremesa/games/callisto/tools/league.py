"""Games of Callisto that strangers play among themselves, for a network to learn from and to be measured by.

    python league.py "pentobi-gtp --nobook --level 5" --game callisto_3 --games 500 --out l5.blksgf

Every game draws one of the programs for each seat. A share of the games (``--blind``) begins with a few pieces that the
referee places anywhere, so that openings differ. The games are added to a file in Pentobi's format, each as soon as it
is over; the programs must speak the Go Text Protocol, and every move is checked by the rules of the house.
"""

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random

from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame
from sobremesa.games.callisto.tools.gtp_match import Foul, Program, play, written

MAX_BLIND_TURNS = 3
"""The most turns of each seat in a blind opening."""


def blind_opening(gtp_game: GtpGame, share: float, random: Random) -> list[str]:
    """No moves, or in a share of the games a few that nobody has thought about."""
    if random.random() >= share:
        return []
    state, moves = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0), []
    for _ in range(random.randint(1, MAX_BLIND_TURNS * gtp_game.seats)):
        move = state.random_move(random)
        state = state.play(move)
        moves.append(str(move))
    return moves


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays and writes."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("programs", nargs="+", metavar="COMMAND", help="a program and its arguments, as one word")
    parser.add_argument("--game", choices=tuple(GTP_GAMES), default="callisto_3", help="the table (%(default)s)")
    parser.add_argument("--games", type=int, default=100, metavar="N", help="so many (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.0, metavar="S", help="begin no game after so long")
    parser.add_argument("--blind", type=float, default=0.25, metavar="SHARE", help="games with a blind opening")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="the same seed gives the same seats and openings")
    parser.add_argument("--out", type=Path, required=True, metavar="FILE", help="the games are added to this file")
    chosen = parser.parse_args(arguments)
    gtp_game, random = GTP_GAMES[chosen.game], Random(chosen.seed)
    programs = [Program(command) for command in chosen.programs]
    chosen.out.parent.mkdir(parents=True, exist_ok=True)
    began, done = time.monotonic(), 0
    try:
        while done < chosen.games and not 0 < chosen.seconds < time.monotonic() - began:
            seated = tuple(random.randrange(len(programs)) for _ in range(gtp_game.seats))
            start = blind_opening(gtp_game, chosen.blind, random)
            game = play(gtp_game, [programs[each] for each in seated], seated, start)
            with chosen.out.open("a") as file:
                file.write(written(gtp_game, game, chosen.programs))
            done += 1
    except Foul as foul:
        print(foul, file=sys.stderr)
        return 1
    finally:
        for program in programs:
            program.close()
    print(f"{done} games in {time.monotonic() - began:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
