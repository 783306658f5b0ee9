"""Lets programs that speak the Go Text Protocol play Callisto against each other, and referees them.

    python tools/gtp_match.py "sobremesa gtp --time 2" "pentobi-gtp --game callisto_2 --level 7" --games 20

The first program takes every seat in turn, the other sits at all others. All moves are checked by the rules of the
house, and what the programs say of the final score, too. ``--opening N`` lets the referee place the first N pieces, not
foolishly but never twice the same; each opening is played with the first program at every seat.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from random import Random

from sobremesa.core.errors import SobremesaError
from sobremesa.engines.arena import Mean
from sobremesa.engines.player import GreedyPlayer
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame

OPENING_NOISE = 4.0
"""The noise on the values by which openings are chosen, so that they differ."""


class Foul(Exception):
    """A program broke the rules of the game or of the protocol."""


class Program:
    """A program at the other end of two pipes."""

    def __init__(self, command: str) -> None:
        self.command = command
        self._process = subprocess.Popen(
            shlex.split(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )

    def ask(self, command: str) -> str:
        """The answer to a command; raises Foul if it is refused, or if there is none."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        try:
            self._process.stdin.write(command + "\n")
            self._process.stdin.flush()
        except BrokenPipeError:
            raise Foul(f"{self.command}: gone before “{command}”") from None
        lines: list[str] = []
        while not lines or lines[-1]:
            line = self._process.stdout.readline()
            if not line:
                raise Foul(f"{self.command}: gone after “{command}”")
            if lines or line.strip():
                lines.append(line.rstrip())
        answer = "\n".join(lines[:-1])
        if not answer.startswith("="):
            raise Foul(f"{self.command}: “{command}” was refused: {answer}")
        return answer[1:].strip()

    def close(self) -> None:
        """Ends the conversation."""
        try:
            self.ask("quit")
        except Foul:
            self._process.kill()
        self._process.communicate()


@dataclass(frozen=True)
class Game:
    """A game that was played: who sat where, what was played, and how it ended."""

    programs: tuple[int, ...]
    moves: tuple[str, ...]
    penalties: tuple[int, ...]
    places: tuple[int, ...]
    seconds: tuple[tuple[float, ...], ...]
    """How long each seat thought about each of its moves."""

    def first(self, program: int) -> float:
        """A program's part of first places, for each seat that it had."""
        return sum(self.places[seat] == 1 for seat in self._seats(program)) / len(self._seats(program))

    def ahead(self, program: int) -> float:
        """By how many squares a program's best seat was ahead of the others."""
        own = self._seats(program)
        others = [penalty for seat, penalty in enumerate(self.penalties) if seat not in own]
        return min(others) - min(self.penalties[seat] for seat in own)

    def spent(self, program: int) -> float:
        """The seconds that a program thought, for each seat that it had."""
        return sum(sum(self.seconds[seat]) for seat in self._seats(program)) / len(self._seats(program))

    def longest(self, program: int) -> float:
        """The seconds of its longest move."""
        return max((second for seat in self._seats(program) for second in self.seconds[seat]), default=0.0)

    def _seats(self, program: int) -> list[int]:
        return [seat for seat, other in enumerate(self.programs) if other == program]


def colours(gtp_game: GtpGame) -> Sequence[str]:
    """What the seats are called."""
    return "bw" if gtp_game.seats == 2 else [str(seat + 1) for seat in range(gtp_game.seats)]


def opening(gtp_game: GtpGame, pieces: int, random: Random) -> list[str]:
    """The first moves of a game."""
    player, state, moves = (
        GreedyPlayer(GAME, random, OPENING_NOISE),
        CallistoState.begin(gtp_game.edition, gtp_game.seats, 0),
        [],
    )
    for _ in range(pieces):
        move = player.choose(state.view(state.turn))
        state = state.play(move)
        moves.append(str(move))
    return moves


def play(gtp_game: GtpGame, at: Sequence[Program], programs: tuple[int, ...], start: Sequence[str] = ()) -> Game:
    """Plays a game, a program at each seat; one process may sit at several."""
    state, called = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0), colours(gtp_game)
    everybody = list(dict.fromkeys(at))
    seconds: list[list[float]] = [[] for _ in range(gtp_game.seats)]
    moves: list[str] = []
    for program in everybody:
        program.ask(f"set_game {gtp_game.name}")
    while not state.over:
        seat = state.turn
        if len(moves) < len(start):
            text, others = start[len(moves)], everybody
        else:
            began = time.perf_counter()
            text, others = (
                at[seat].ask(f"genmove {called[seat]}"),
                [each for each in everybody if each is not at[seat]],
            )
            seconds[seat].append(time.perf_counter() - began)
        try:
            state = state.play(state.parse_move(text))
        except SobremesaError as error:
            raise Foul(f"{at[seat].command}: {text} by {called[seat]} after {' '.join(moves)}: {error}") from None
        moves.append(text)
        for program in others:
            program.ask(f"play {called[seat]} {text}")
    result = state.result()
    assert result is not None
    score = final_score(gtp_game, result.scores)
    for program in everybody:
        for colour in called:
            if (more := program.ask(f"genmove {colour}")) != "pass":
                raise Foul(f"{program.command}: {more} by {colour} after the end")
        if (said := program.ask("final_score")) != score:
            raise Foul(f"{program.command}: says {said} where it is {score}")
    return Game(programs, tuple(moves), result.scores, result.places, tuple(map(tuple, seconds)))


def final_score(gtp_game: GtpGame, penalties: Sequence[int]) -> str:
    """As the protocol says it."""
    if gtp_game.seats > 2:
        most = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0).penalty(0)
        return " ".join(str(most - penalty) for penalty in penalties)
    ahead = penalties[1] - penalties[0]
    return f"B+{ahead}" if ahead > 0 else f"W+{-ahead}" if ahead < 0 else "0"


def summary(games: Sequence[Game], names: Sequence[str]) -> str:
    """How the programs did, as a table; intervals hold the truth in 95 of 100 cases."""
    lines = [
        f"| program ({len(games)} games) | first places a seat | ahead | seconds a game | longest move |",
        "|---|---:|---:|---:|---:|",
    ]
    for program, name in enumerate(names):
        first = Mean.of([game.first(program) for game in games])
        ahead = Mean.of([game.ahead(program) for game in games])
        spent = Mean.of([game.spent(program) for game in games])
        longest = max(game.longest(program) for game in games)
        lines.append(f"| {name} | {first:.1%} | {ahead} | {spent.mean:.1f} | {longest:.2f} s |")
    return "\n".join(lines)


def main() -> int:
    """Plays all games and counts."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("programs", nargs=2, metavar="COMMAND", help="a program and its arguments, as one word")
    parser.add_argument("--game", choices=tuple(GTP_GAMES), default="callisto_2", help="the table (%(default)s)")
    parser.add_argument("--games", type=int, default=10, metavar="N", help="so many (%(default)s)")
    parser.add_argument("--opening", type=int, default=0, metavar="N", help="pieces that the referee places")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="the same seed gives the same openings")
    parser.add_argument("--json", type=Path, metavar="FILE", help="add a line for each game to a file")
    chosen = parser.parse_args()
    gtp_game, games = GTP_GAMES[chosen.game], []
    programs = [Program(command) for command in chosen.programs]
    try:
        for number in range(chosen.games):
            mine, random = number % gtp_game.seats, Random(f"{chosen.seed} {number // gtp_game.seats}")
            seated = tuple(0 if seat == mine else 1 for seat in range(gtp_game.seats))
            start = opening(gtp_game, chosen.opening, random)
            games.append(play(gtp_game, [programs[each] for each in seated], seated, start))
            print(f"{number + 1}: {games[-1].penalties} {games[-1].places}", file=sys.stderr, flush=True)
            if chosen.json:
                with chosen.json.open("a") as file:
                    file.write(json.dumps(asdict(games[-1])) + "\n")
    except Foul as foul:
        print(foul, file=sys.stderr)
        return 1
    finally:
        for program in programs:
            program.close()
    print(summary(games, chosen.programs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
