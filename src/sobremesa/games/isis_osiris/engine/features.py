"""The features that the network for Isis & Osiris takes: for players, who use NumPy, and for training, which uses JAX.

They describe the position before a tile is turned over: one that lies face up counts as still unseen and in its stock.
Seats are counted from the mover onwards, in slots; the values that lie face down are known, a perfect memory (I3).

| of each cell | what |
|---|---|
| 0-3 | each slot's stone |
| 4-11 | a tile of each value |
| 12 | nothing: it is free |
| 13-16 | each slot's stones beside it, halved |
| 17 | the sum of the tiles beside it, in fours |
| 18, 19 | the free cells beside it; the cells beside it, in fours |

| of the table | what |
|---|---|
| 0-3, 4-7 | each slot's stones left, and the tiles that it can still turn over, as shares of the most with own stocks |
| 8-11, 12-15 | each slot: is there a seat; its total as the board stands (I7), in units of the track's end |
| 16-23 | of each value, the share of tiles that nobody has seen |
| 24-26, 27 | 2, 3 or 4 seats; a common stock |
| 28 | the share of cells that are free |
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.isis_osiris.editions import EDITIONS, VARIANTS
from sobremesa.games.isis_osiris.state import NOTHING, IsisOsirisState
from sobremesa.games.isis_osiris.track import END

Floats = NDArray[np.float32]

EDITION = EDITIONS["standard"]
SIDE, CELLS = EDITION.width, EDITION.size
SLOTS = 4
VALUES = np.array(list(EDITION.tiles), np.int8)
COPIES = np.array(list(EDITION.tiles.values()), np.int8)
PIECES = 1 + len(VALUES)
"""A stone, and a tile of each value."""
LINKS = np.array([[other in beside for other in range(CELLS)] for beside in EDITION.neighbours], np.float32)
"""Which cells share a side, [36, 36]."""

STONES, TILES, FREE, NEAR, WORTH = slice(0, 4), slice(4, 12), 12, slice(13, 17), 17
THERE, TOTALS, LEFT = slice(8, 12), slice(12, 16), 28
CELL_FEATURES, TABLE_FEATURES = 20, 29
"""How many features a cell has, and how many the table."""
HALF, FOUR = 2, 4
"""The numbers by which NEAR and WORTH are divided."""
_MAX_STONES = max(hand.stones for hand in EDITION.hands.values())
_MAX_TILES = max(hand.tiles for hand in EDITION.hands.values())
_ORDER = np.arange(SLOTS, dtype=np.int8)


class Positions(NamedTuple):
    """Positions at tables of any kind side by side, before a tile is turned over: NumPy's arrays of int8, or JAX's."""

    seats: Any
    """How many seats the table has, [N]."""
    common: Any
    """Whether all draw from one stock (I10), [N]: 1 or 0."""
    turn: Any
    """The seat to move, [N]."""
    stones: Any
    """Whose stone lies on each cell, [N, 36]: the seat counted from 1, or 0."""
    tiles: Any
    """The value of the tile on each cell, or 0, [N, 36]."""
    stones_left: Any
    """How many stones each seat has left, [N, 4]; 0 where there is no seat."""
    tiles_left: Any
    """How many tiles each seat can turn over, [N, 4]; with the common stock all have the same."""
    unseen: Any
    """How many tiles of each value nobody has seen, [N, 8]."""


def read(states: Sequence[IsisOsirisState]) -> Positions:
    """States of the library, on the board of the box."""
    turned = np.array([state.turned for state in states])
    turn = np.array([state.turn for state in states], np.int8)
    seats = np.array([state.seats for state in states], np.int8)
    common = np.array([VARIANTS.index(state.setup.variant) for state in states], np.int8)
    stones = np.array([_four(state.stones) for state in states], np.uint64)
    lying = stones[:, :, None] >> np.arange(CELLS, dtype=np.uint64) & np.uint64(1)
    stocks = np.array([_four([state.tiles_left(seat) for seat in range(state.seats)]) for state in states], np.int8)
    drawing = (common[:, None] == 1) | (turn[:, None] == _ORDER)
    back = (turned != NOTHING)[:, None] & drawing & (seats[:, None] > _ORDER)
    return Positions(
        seats=seats,
        common=common,
        turn=turn,
        stones=(lying.astype(np.int8) * (_ORDER[:, None] + 1)).sum(1, dtype=np.int8),
        tiles=np.array([state.tiles for state in states], np.int8),
        stones_left=np.array([_four(state.stones_left) for state in states], np.int8),
        tiles_left=stocks + back,
        unseen=np.array([state.unseen for state in states], np.int8) + (turned[:, None] == VALUES),
    )


def _four(by_seat: Sequence[int]) -> list[int]:
    return [*by_seat, *[0] * (SLOTS - len(by_seat))]


def rotated(numbers: Any, by: Any, seats: Any, xp: Any = np) -> Any:
    """The last axis turned round, [N, ..., 4], by [N] seats: to slots by the turn, back to seats by minus the turn."""
    order = ((_ORDER + by[:, None]) % seats[:, None]).reshape(-1, *[1] * (numbers.ndim - 2), SLOTS)
    there = (seats[:, None] > _ORDER).reshape(order.shape)
    return xp.where(there, xp.take_along_axis(numbers, xp.broadcast_to(order, numbers.shape), -1), 0)


def totals(at: Positions, xp: Any = np) -> Any:
    """The seats' totals as the boards stand (I7), [N, 4] of float32; 0 where there is no seat."""
    worth = at.tiles.astype(xp.float32) @ LINKS
    return ((at.stones[:, None] == _ORDER[:, None] + 1) * worth[:, None]).sum(-1)


def features(at: Positions, xp: Any = np) -> tuple[Any, Any]:
    """The features of the cells, [N, 36, 20], and of the table, [N, 29], in float32."""
    there = at.seats[:, None] > _ORDER
    owners = xp.where(there, (_ORDER + at.turn[:, None]) % at.seats[:, None] + 1, -1)
    stones = at.stones[..., None] == owners[:, None]
    free = ((at.stones == 0) & (at.tiles == 0))[..., None]
    lying = [stones, at.tiles[..., None], free]
    beside = LINKS @ xp.concatenate([each.astype(xp.float32) for each in lying], -1)
    beside = beside / np.array([HALF] * SLOTS + [FOUR] * 2, np.float32)
    width = xp.broadcast_to(LINKS.sum(1)[:, None] / FOUR, free.shape)
    cells = [stones, at.tiles[..., None] == VALUES, free, beside, width]
    table = [
        rotated(at.stones_left, at.turn, at.seats, xp) / _MAX_STONES,
        rotated(at.tiles_left, at.turn, at.seats, xp) / _MAX_TILES,
        there,
        rotated(totals(at, xp), at.turn, at.seats, xp) / END,
        at.unseen / COPIES,
        at.seats[:, None] == np.array(list(EDITION.hands)),
        at.common[:, None],
        free.sum(1) / CELLS,
    ]
    found = [xp.concatenate([part.astype(xp.float32) for part in parts], -1) for parts in (cells, table)]
    return found[0], found[1]


def state_features(states: Sequence[IsisOsirisState]) -> tuple[Floats, Floats]:
    """The features of states of the library: of the cells, [N, 36, 20], and of the table, [N, 29]."""
    cells, table = features(read(states))
    return cells, table
