"""Isis & Osiris played to the end thousands of times at once, by people who know what they do.

A batch of games is a set of arrays with a row for each game. Everybody follows the same few rules of thumb
(`Habits`): plus beside one's own stones, minus beside the others', stones where the sum is good and room is left.
The tiles that nobody has seen come in an order that is drawn beforehand, the same for every move that is compared.
"""

from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.isis_osiris.editions import Table, find_edition
from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING, IsisOsirisState

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
_NEVER = np.float32(-1e9)


class Habits(NamedTuple):
    """What people look at; each number counts at the start, and in the second row it changes towards the end."""

    worth: tuple[float, float] = (1.0, 0.0)
    """A stone: the sum of the tiles beside the cell,"""
    room: tuple[float, float] = (0.3, 0.0)
    """the free cells beside it,"""
    friends: tuple[float, float] = (-0.2, 0.0)
    """one's own stones there,"""
    rivals: tuple[float, float] = (0.0, 0.0)
    """and those of others."""
    turning: tuple[float, float] = (0.0, 0.0)
    """Turning a tile over: as such,"""
    spread: tuple[float, float] = (1.0, 0.0)
    """and how much good and harm it could do on the best cells."""
    saving: tuple[float, float] = (0.0, 0.0)
    """And for each stone that one has left beyond those of the others."""
    mine: tuple[float, float] = (1.0, 0.0)
    """A tile, for each point on it: one's own stones beside the cell,"""
    theirs: tuple[float, float] = (-1.0, 0.0)
    """those of others,"""
    open: tuple[float, float] = (0.0, 0.0)
    """and free cells, which somebody's stone may take;"""
    size: tuple[float, float] = (0.0, 0.0)
    """the same for the points without their sign."""
    noise: tuple[float, float] = (0.3, 0.0)
    """How much the eye is off."""


_TWO = Habits(
    worth=(1.02, 0.06),
    room=(-0.01, -0.10),
    friends=(-0.08, -0.18),
    rivals=(0.18, -0.06),
    turning=(-0.07, 0.0),
    spread=(1.14, -0.07),
    saving=(0.03, -0.07),
    mine=(1.25, 0.04),
    theirs=(-1.13, -0.19),
    open=(0.24, 0.01),
    size=(-0.01, 0.0),
)
_MORE = Habits(
    worth=(1.20, -0.21),
    room=(-0.13, -0.05),
    friends=(-0.13, 0.03),
    rivals=(0.57, -0.18),
    turning=(0.01, 0.0),
    spread=(0.92, -0.12),
    saving=(-0.06, -0.21),
    mine=(1.28, -0.01),
    theirs=(-1.27, 0.08),
    open=(0.08, -0.11),
    size=(-0.03, -0.11),
)
HABITS = {2: (_TWO,) * 2, 3: (_MORE,) * 3, 4: (_MORE,) * 4}
"""By number of seats; found by letting habits play against each other (`tools/isis_osiris_habits.py`)."""


@dataclass
class Batch:
    """Games side by side, [N, ...]."""

    turn: Ints
    left: Ints
    """How many cells are free, [N]."""
    pending: Floats
    """The tile that lies face up and waits for a cell; 0 for none."""
    taken: Floats
    """0 for a free cell, very little for a taken one, [N, cells]."""
    worth: Floats
    """The sum of the tiles beside each cell, [N, cells]."""
    near: Floats
    """The stones of each seat beside each cell, [N, seats, cells]."""
    room: Floats
    """The free cells beside each cell, [N, cells]."""
    scores: Floats
    """[N, seats]"""
    stones: Ints
    """How many each seat has left, [N, seats]."""
    stocks: Ints
    order: Floats
    """The tiles to come, [N, tiles]; one more than there are, so that looking at the next never fails."""
    drawn: Ints
    """How many of them have come, [N]."""

    def take(self, rows: Any) -> "Batch":
        """Some of the games, each as often as it is named."""
        return Batch(**{name: value[rows] for name, value in vars(self).items()})


@cache
def _links(edition: str) -> Floats:
    """Which cells share a side, [cells, cells]."""
    board = find_edition(edition)
    found = np.zeros((board.size, board.size), np.float32)
    for cell, others in enumerate(board.neighbours):
        found[cell, list(others)] = 1
    return found


def batch_of(states: list[IsisOsirisState]) -> Batch:
    """Games that start from these states; the order of the tiles to come is still to be given."""
    edition = states[0].table.edition
    cells = range(edition.size)
    free = np.array([[state.free >> cell & 1 for cell in cells] for state in states], np.float32)
    stones = np.array([[[mask >> cell & 1 for cell in cells] for mask in s.stones] for s in states], np.float32)
    tiles = np.array([state.tiles for state in states], np.float32)
    links = _links(edition.name)
    near = stones @ links
    return Batch(
        turn=np.array([state.turn for state in states]),
        left=free.sum(1).astype(np.int64),
        pending=np.array([0 if s.turned in (FACE_DOWN, NOTHING) else s.turned for s in states], np.float32),
        taken=(1 - free) * _NEVER,
        worth=tiles @ links,
        near=near,
        room=free @ links,
        scores=np.einsum("nsc,nc->ns", near, tiles),
        stones=np.array([state.stones_left for state in states]),
        stocks=np.array([state.stocks for state in states]),
        order=np.zeros((len(states), 1), np.float32),
        drawn=np.zeros(len(states), np.int64),
    )


def orders_of(state: IsisOsirisState, count: int, random: np.random.Generator) -> Floats:
    """So many orders in which the unseen tiles may come, [count, tiles + 1]."""
    pool = np.repeat(np.array(state.table.values, np.float32), state.unseen)
    found = random.permuted(np.tile(pool, (count, 1)), axis=1)
    return np.concatenate([found, np.zeros((count, 1), np.float32)], axis=1)


class Noise:
    """Random numbers drawn once and used again from ever other places: enough for people whose eye is a little off."""

    def __init__(self, random: np.random.Generator, size: int = 1 << 20) -> None:
        self._random = random
        self._pool = random.standard_normal(size, np.float32)

    def __call__(self, rows: int, columns: int) -> Floats:
        size = rows * columns
        if size >= len(self._pool):
            return self._random.standard_normal((rows, columns), np.float32)
        start = int(self._random.integers(0, len(self._pool) - size))
        return self._pool[start : start + size].reshape(rows, columns)


def play_out(table: Table, games: Batch, noise: Noise, habits: tuple[Habits, ...]) -> Floats:
    """Plays all games to their end, each seat by its habits, and returns the scores, [N, seats]. Uses the batch up."""
    seats, size = table.seats, table.edition.size
    links, stock_of = _links(table.edition.name), np.array(table.stock_of)
    rows = np.arange(len(games.turn))
    while games.left[0]:
        seat, left = int(games.turn[0]), int(games.left[0])
        if (games.turn != seat).any() or (games.left != left).any():
            return _play_apart(table, games, noise, habits)
        late = 1 - left / size
        (worth, room, friends, rivals, turning, spread, saving, own, foreign, open, big, off) = (
            one + late * two for one, two in habits[seat]
        )
        mine = games.near[:, seat]
        theirs = games.near[:, 1 - seat] if seats == 2 else (games.near.sum(1) - mine) / (seats - 1)
        seen = noise(len(rows), size) * np.float32(off) + games.taken
        stone = worth * games.worth + room * games.room + friends * mine + rivals * theirs + seen
        stone_at = stone.argmax(1)
        balance = own * mine + foreign * theirs
        own_stones, own_tiles = games.stones[:, seat], games.stocks[:, stock_of[seat]]
        others = (games.stones.sum(1) - own_stones) / (seats - 1)
        gap = (balance + games.taken).max(1) - (balance - games.taken).min(1)
        promise = turning + spread * gap + saving * (own_stones - others)
        lying = games.pending != 0
        turns = ~lying & (own_tiles > 0) & ((own_stones == 0) | (promise > stone[rows, stone_at]))
        is_tile = lying | turns
        value = games.pending + turns * games.order[rows, games.drawn]
        tile = value[:, None] * (balance + open * games.room) + (big * np.abs(value))[:, None] * games.room + seen
        cell = np.where(is_tile, tile.argmax(1), stone_at)
        link = links[cell]
        stones = (~is_tile).astype(np.float32)
        games.scores[:, seat] += stones * games.worth[rows, cell]
        games.scores += value[:, None] * games.near[rows, :, cell]
        mine += stones[:, None] * link
        games.worth += value[:, None] * link
        games.room -= link
        games.taken[rows, cell] = _NEVER
        games.stones[:, seat] -= ~is_tile
        games.stocks[:, stock_of[seat]] -= turns
        games.drawn += turns
        games.pending[:] = 0
        games.left -= 1
        games.turn = _next_turn(games, seat, seats, stock_of)
    return games.scores


def _play_apart(table: Table, games: Batch, noise: Noise, habits: tuple[Habits, ...]) -> Floats:
    """Games that are not in step go on in batches of their own."""
    scores = games.scores.copy()
    kinds = games.turn * (table.edition.size + 1) + games.left
    for kind in np.unique(kinds):
        rows = np.flatnonzero(kinds == kind)
        scores[rows] = play_out(table, games.take(rows), noise, habits)
    return scores


def _next_turn(games: Batch, seat: int, seats: int, stock_of: Ints) -> Ints:
    """The next seat that has a piece left (I10)."""
    turn = np.full(len(games.turn), seat)
    for step in range(seats - 1, 0, -1):
        other = (seat + step) % seats
        has = (games.stones[:, other] > 0) | (games.stocks[:, stock_of[other]] > 0)
        turn[has] = other
    return turn
