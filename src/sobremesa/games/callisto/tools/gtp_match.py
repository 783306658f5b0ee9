"""Lets programs that speak the Go Text Protocol play Callisto against each other, and referees them.

    python gtp_match.py "sobremesa gtp --time 2" "pentobi-gtp --game callisto_2 --level 7" --games 20

The first program takes every seat in turn, the last one sits wherever nobody else does: of two programs at a table for
three the second has two seats. All moves are checked by the rules of the house, and what the programs say of the final
score, too. ``--opening N`` lets the referee place the first N pieces, not foolishly but never twice the same; each
opening is played with the first program at every seat. Programs that know ``set_random_seed`` are given a seed for each
game.

``--json FILE`` keeps every game in a file, and goes on where that file ends: a match that was stopped is not played
again, and one that is to be longer plays what is missing. ``--sgf FILE`` writes all games as Pentobi does.
``--jobs N`` plays so many games at a time, each with programs of its own.
"""

import argparse
import json
import shlex
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from dataclasses import asdict, dataclass
from math import sqrt
from pathlib import Path
from queue import SimpleQueue
from random import Random
from statistics import fmean
from threading import Lock
from typing import Any, NamedTuple

from sobremesa.core.errors import SobremesaError
from sobremesa.engines.arena import Z_95, Mean
from sobremesa.engines.player import GreedyPlayer
from sobremesa.games.callisto import GAME, CallistoState, sgf
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, GtpGame

OPENING_NOISE = 4.0
"""The noise on the values by which openings are chosen, so that they differ."""
MAX_SEED = 2**31


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

    def knows(self, command: str) -> bool:
        """Whether the program has a command."""
        return self.ask(f"known_command {command}") == "true"

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
    cpu_seconds: tuple[float, ...] = ()
    """The processor seconds of each program, as it says itself; not a number if it does not say."""

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

    def cpu(self, program: int) -> float:
        """The processor seconds of a program, for each seat that it had."""
        known = self.cpu_seconds[program] if program < len(self.cpu_seconds) else float("nan")
        return known / len(self._seats(program))

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


def written(gtp_game: GtpGame, game: Game, names: Sequence[str]) -> str:
    """A game as Pentobi writes it, with the names of the programs at their seats."""
    state, moves = CallistoState.begin(gtp_game.edition, gtp_game.seats, 0), []
    start = state
    for text in game.moves:
        moves.append(state.parse_move(text))
        state = state.play(moves[-1])
    return sgf.dumps(start, tuple(moves), tuple(names[program] for program in game.programs))


class Interval(NamedTuple):
    """A share of something that happened in some of several games, and where the true share lies in 95 of 100 cases."""

    share: float
    low: float
    high: float

    def __str__(self) -> str:
        return f"{self.share:.1%} ({self.low:.1%} to {self.high:.1%})"


def wilson(happened: float, games: int) -> Interval:
    """Wilson's interval: unlike the mean's, it also holds near none and near all."""
    share, z = happened / games, Z_95**2 / games
    middle, reach = (share + z / 2) / (1 + z), sqrt(share * (1 - share) * z + z * z / 4) / (1 + z)
    return Interval(share, max(0.0, middle - reach), min(1.0, middle + reach))


def seating(number: int, programs: int, seats: int) -> tuple[int, ...]:
    """Who sits where in a game: the programs in their order, the last one at all seats left over, turned by one."""
    return tuple(min((seat - number) % seats, programs - 1) for seat in range(seats))


def summary(games: Sequence[Game], names: Sequence[str]) -> str:
    """How the programs did, as tables; intervals hold the truth in 95 of 100 cases."""
    seats = len(games[0].programs)
    lines = [
        f"| program ({len(games)} games) | first places a seat | ahead | seconds a game | processor | longest move |",
        "|---|---:|---:|---:|---:|---:|",
    ]
    for program, name in enumerate(names):
        chairs = games[0].programs.count(program)
        first = wilson(sum(game.first(program) for game in games) * chairs, len(games) * chairs)
        ahead = Mean.of([game.ahead(program) for game in games])
        spent, cpu = fmean(game.spent(program) for game in games), fmean(game.cpu(program) for game in games)
        longest = max(game.longest(program) for game in games)
        lines.append(f"| {name} | {first} | {ahead} | {spent:.1f} | {cpu:.1f} | {longest:.2f} s |")
    lines += ["", f"| seat | first places of {names[0]} | mean penalty |", "|---|---:|---:|"]
    for seat in range(seats):
        own = [game for game in games if game.programs[seat] == 0]
        if own:
            won, penalty = sum(game.places[seat] == 1 for game in own), Mean.of([game.penalties[seat] for game in own])
            lines.append(f"| {seat + 1} | {won} of {len(own)} | {penalty:.1f} |")
    lines += ["", f"fair share {1 / seats:.1%}"]
    return "\n".join(lines)


class Match(NamedTuple):
    """What is to be played."""

    programs: tuple[str, ...]
    game: str
    opening: int
    seed: str

    def line(self, number: int, game: Game) -> str:
        """A game as a line of the file."""
        return json.dumps({"match": self._asdict(), "number": number, "game": asdict(game)}) + "\n"

    def read(self, file: Path) -> dict[int, Game]:
        """The games in a file, by number; SobremesaError if it is of another match."""
        known: dict[int, Game] = {}
        for line in file.read_text().splitlines() if file.exists() else ():
            row: dict[str, Any] = json.loads(line)
            if row.get("match") != json.loads(json.dumps(self._asdict())):
                raise SobremesaError("{file} holds another match: give another file", file=file)
            parts = row["game"]
            seconds = tuple(map(tuple, parts.pop("seconds")))
            known[row["number"]] = Game(**{name: tuple(part) for name, part in parts.items()}, seconds=seconds)
        return known


class Referee:
    """Plays the games of a match, several at a time; every job has programs of its own."""

    def __init__(self, match: Match, jobs: int, done: Callable[[int, Game], None]) -> None:
        """``done`` is told of every game as soon as it is over, one at a time."""
        self._match, self._done = match, done
        self._gtp_game = GTP_GAMES[match.game]
        self._free: SimpleQueue[list[Program]] = SimpleQueue()
        self._jobs = jobs
        self._lock = Lock()
        self._failed = False

    def play(self, numbers: Sequence[int]) -> None:
        """Plays the games of these numbers; raises Foul when a program breaks a rule, and then begins no other."""
        with ExitStack() as stack:
            for _ in range(self._jobs):
                programs = [Program(command) for command in self._match.programs]
                for program in programs:
                    stack.callback(program.close)
                self._free.put(programs)
            with ThreadPoolExecutor(self._jobs) as pool:
                for one in [pool.submit(self._play, number) for number in numbers]:
                    one.result()

    def _play(self, number: int) -> None:
        if self._failed:
            return
        match, gtp_game = self._match, self._gtp_game
        programs = self._free.get()
        try:
            seated = seating(number, len(programs), gtp_game.seats)
            start = opening(gtp_game, match.opening, Random(f"{match.seed} {number // gtp_game.seats}"))
            for at, program in enumerate(programs):
                if program.knows("set_random_seed"):
                    program.ask(f"set_random_seed {Random(f'{match.seed} {number} {at}').randrange(MAX_SEED)}")
            before = [cpu_time(program) for program in programs]
            game = play(gtp_game, [programs[each] for each in seated], seated, start)
            spent = [cpu_time(program) - earlier for program, earlier in zip(programs, before, strict=True)]
            with self._lock:
                self._done(number, Game(**vars(game) | {"cpu_seconds": tuple(spent)}))
        except Foul:
            self._failed = True
            raise
        finally:
            self._free.put(programs)


def cpu_time(program: Program) -> float:
    """The processor seconds that a program has spent; not a number if it does not say."""
    return float(program.ask("cputime")) if program.knows("cputime") else float("nan")


def main(arguments: Sequence[str] | None = None) -> int:
    """Plays all games and counts."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("programs", nargs="+", metavar="COMMAND", help="a program and its arguments, as one word")
    parser.add_argument("--game", choices=tuple(GTP_GAMES), default="callisto_2", help="the table (%(default)s)")
    parser.add_argument("--games", type=int, default=10, metavar="N", help="so many (%(default)s)")
    parser.add_argument("--opening", type=int, default=0, metavar="N", help="pieces that the referee places")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="the same seed gives the same openings")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="games at a time (%(default)s)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="keep the games in a file, and go on from there")
    parser.add_argument("--sgf", type=Path, metavar="FILE", help="write all games in Pentobi's format")
    chosen = parser.parse_args(arguments)
    gtp_game, match = GTP_GAMES[chosen.game], Match(tuple(chosen.programs), chosen.game, chosen.opening, chosen.seed)
    if not 2 <= len(match.programs) <= gtp_game.seats:
        parser.error(f"a table for {gtp_game.seats} takes 2 to {gtp_game.seats} programs")
    try:
        known = match.read(chosen.json) if chosen.json else {}
        if known:
            print(f"{len(known)} games are known from {chosen.json}", file=sys.stderr, flush=True)

        def done(number: int, game: Game) -> None:
            known[number] = game
            print(f"{number + 1}: {game.programs} {game.penalties} {game.places}", file=sys.stderr, flush=True)
            if chosen.json:
                with chosen.json.open("a") as file:
                    file.write(match.line(number, game))

        Referee(match, chosen.jobs, done).play([number for number in range(chosen.games) if number not in known])
    except (Foul, SobremesaError) as error:
        print(error, file=sys.stderr)
        return 1
    games = [game for _, game in sorted(known.items())]
    if chosen.sgf:
        chosen.sgf.write_text("".join(written(gtp_game, game, match.programs) for game in games))
    print(summary(games, match.programs))
    return 0


if __name__ == "__main__":
    sys.exit(main())
