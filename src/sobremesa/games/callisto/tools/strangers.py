"""What a network for Callisto makes of games that others played: is it surprised, and are its chances right?

    python strangers.py games/*.blksgf --weights callisto.onnx --name pentobi

Reads games in Pentobi's format and prints two tables for each number of seats. The first one tells how the moves that
were placed rank in the network's priors, turn by turn: the share that a node of the search does not keep at all, and
the median rank. The second one tells how far the chances to win are off, ply by ply: Brier's score, the sum of squares
over seats (whoever always tells the fair share gets 0.50, 0.67 and 0.75 with two, three and four seats; less is
better), and for whoever placed by ``--name`` its mean chance as the network sees it beside the first places it took.
With ``--name`` only the moves of players count for the ranks whose name holds that text. A line tells on which turn
they placed their third pillar, in the mean over the seats that did. The last two tables tell who came first from each
seat, and how much room those had who won and those who did not: the free cells that they could reach in four steps.
"""

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from pathlib import Path
from statistics import fmean, median
from typing import NamedTuple

import numpy as np

from sobremesa.games.callisto import CallistoState, sgf
from sobremesa.games.callisto.board import PILLAR
from sobremesa.games.callisto.engine.features import Floats, canvas
from sobremesa.games.callisto.engine.network import MAX_PRIORS, Network, network

TURNS = 2
"""The turns of each seat that make a row of the ranks."""
ROOM_TURNS, ROOM_STEPS = (6, 9, 12), 4
"""After which turns the room is told, and how many steps away a cell still counts."""


class Placed(NamedTuple):
    """A position of a game, what the network says of it, and what was placed."""

    seats: int
    ply: int
    counted: bool
    """Whether the player who placed has the name that was asked for."""
    named: tuple[bool, ...]
    """Which seats have that name."""
    rank: int
    """How many legal moves the network likes better than the one that was placed."""
    chances: tuple[float, ...]
    """The chance to win of each seat."""
    won: tuple[float, ...]
    """Each seat's part of first place in the end."""


def read(files: Sequence[Path]) -> list[sgf.Game]:
    """All games of some files."""
    return [sgf.loads(text) for file in files for text in sgf.split(file.read_text())]


def looked_at(game: sgf.Game, net: Network, name: str) -> Iterator[Placed]:
    """All positions of a game that was played to its end; nothing of others."""
    states = [CallistoState.begin("classic", game.seats, 0)]
    for move in game.moves:
        states.append(states[-1].play(move))
    result = states.pop().result()
    if result is None:
        return
    won = tuple((place == 1) / result.places.count(1) for place in result.places)
    named = tuple(name in each for each in game.names) if game.names else (True,) * game.seats
    drawn = canvas(states[0].board)
    policy, win, _ = net(*drawn.observe(states))
    for ply, (state, move) in enumerate(zip(states, game.moves, strict=True)):
        chances = tuple(float(win[ply, (seat - state.turn) % game.seats]) for seat in range(game.seats))
        yield Placed(game.seats, ply, named[state.turn], named, _rank(state, policy[ply], move.number), chances, won)


def _rank(state: CallistoState, logits: Floats, number: int) -> int:
    drawn = canvas(state.board)
    legal = drawn.legal(state)
    liked, numbers = logits[drawn.at[legal]], drawn.number[legal]
    (own,) = liked[numbers == number]
    return int((liked > own).sum())


def brier(placed: Placed) -> float:
    """How far chances were off in one position."""
    return float(np.square(np.subtract(placed.chances, placed.won)).sum())


def third_pillars(game: sgf.Game, name: str) -> list[int]:
    """The turns on which the named seats of a game placed their third pillar."""
    state, turns = CallistoState.begin("classic", game.seats, 0), []
    for move in game.moves:
        seat = state.turn
        if move.piece == PILLAR and state.pillars_left(seat) == 1 and (not game.names or name in game.names[seat]):
            turns.append(len(state.sides[seat].placed) + 1)
        state = state.play(move)
    return turns


class Finish(NamedTuple):
    """How a game was for one seat."""

    seat: int
    named: bool
    first: bool
    room: tuple[int, ...]
    """The free cells in reach after the turns of ROOM_TURNS."""


def finishes(game: sgf.Game, name: str) -> list[Finish]:
    """How a game was for everybody; nothing if it was not played to its end."""
    states = [CallistoState.begin("classic", game.seats, 0)]
    for move in game.moves:
        states.append(states[-1].play(move))
    result = states[-1].result()
    if result is None:
        return []
    found = []
    for seat, place in enumerate(result.places):
        room = tuple(reach(states[min(turn * game.seats, len(states) - 1)], seat) for turn in ROOM_TURNS)
        found.append(Finish(seat, not game.names or name in game.names[seat], place == 1, room))
    return found


def reach(state: CallistoState, seat: int) -> int:
    """How many free cells a seat could reach in so many steps if nobody were in its way."""
    board, free, own = state.board, state.free, state.sides[seat].cells
    cells = own
    for _ in range(ROOM_STEPS):
        cells |= board.beside(cells) & free
    return (cells & ~own).bit_count()


def by_seat(found: Sequence[Finish]) -> list[str]:
    """The table of first places."""
    lines = ["| seat | first places of the named | of the others |", "|---|---:|---:|"]
    for seat in sorted({each.seat for each in found}):
        shares = []
        for named in (True, False):
            own = [each.first for each in found if each.seat == seat and each.named == named]
            shares.append(f"{sum(own)} of {len(own)}")
        lines.append(f"| {seat + 1} | {' | '.join(shares)} |")
    return lines


def rooms(found: Sequence[Finish]) -> list[str]:
    """The table of room."""
    turns = " | ".join(f"after turn {turn}" for turn in ROOM_TURNS)
    lines = [f"| who | {turns} |", "|---|" + "---:|" * len(ROOM_TURNS)]
    for named, first in ((True, True), (True, False), (False, True), (False, False)):
        own = [each.room for each in found if each.named == named and each.first == first]
        if own:
            means = " | ".join(f"{fmean(each):.0f}" for each in zip(*own, strict=True))
            who = f"{'named' if named else 'others'}, {'first' if first else 'not first'}"
            lines.append(f"| {who} | {means} |")
    return lines


def ranks(found: Sequence[Placed]) -> list[str]:
    """The table of ranks."""
    lines = [f"| plies | moves | not among {MAX_PRIORS} | median rank | first |", "|---|---:|---:|---:|---:|"]
    rows: dict[int, list[int]] = defaultdict(list)
    for each in found:
        if each.counted:
            rows[each.ply // (TURNS * each.seats)].append(each.rank)
    for row, own in sorted(rows.items()):
        step = TURNS * found[0].seats
        outside, first = fmean(rank >= MAX_PRIORS for rank in own), fmean(rank == 0 for rank in own)
        plies = f"{row * step} to {row * step + step - 1}"
        lines.append(f"| {plies} | {len(own)} | {outside:.0%} | {median(own):.0f} | {first:.0%} |")
    return lines


def calibration(found: Sequence[Placed]) -> list[str]:
    """The table of chances."""
    seats = found[0].seats
    lines = ["| ply | games | off | chance of the named | first places |", "|---|---:|---:|---:|---:|"]
    rows: dict[int, list[Placed]] = defaultdict(list)
    for each in found:
        if each.ply % (TURNS * seats) == 0:
            rows[each.ply].append(each)
    for ply, own in sorted(rows.items()):
        chances = [chance for each in own for chance, named in zip(each.chances, each.named, strict=True) if named]
        won = [share for each in own for share, named in zip(each.won, each.named, strict=True) if named]
        shares = f"{fmean(chances):.1%} | {fmean(won):.1%}" if chances else " | "
        lines.append(f"| {ply} | {len(own)} | {fmean(map(brier, own)):.3f} | {shares} |")
    return lines


def main(arguments: Sequence[str] | None = None) -> None:
    """Reads, asks, prints."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="games, *.blksgf")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the network, if not the one of the house")
    parser.add_argument("--name", default="", metavar="TEXT", help="only players whose name holds this text")
    chosen = parser.parse_args(arguments)
    net, games = network(chosen.weights), read(chosen.files)
    for seats in sorted({game.seats for game in games}):
        found = [each for game in games if game.seats == seats for each in looked_at(game, net, chosen.name)]
        print(f"{seats} seats\n")
        print("\n".join([*ranks(found), "", *calibration(found), ""]), flush=True)
        turns = [turn for game in games if game.seats == seats for turn in third_pillars(game, chosen.name)]
        if turns:
            print(f"third pillar on turn {fmean(turns):.1f} in the mean of {len(turns)}\n", flush=True)
        ended = [each for game in games if game.seats == seats for each in finishes(game, chosen.name)]
        print("\n".join([*by_seat(ended), "", *rooms(ended), ""]), flush=True)


if __name__ == "__main__":
    main()
