"""The network for Isis & Osiris: what every piece is worth on every cell, in one pass.

A piece is a stone, or a tile of each value; so the expectation over the tile that is turned over costs nothing. For
each slot from the mover onwards the answer is the share of first place, and the margin over the mean of the others.

Every round, the cells hear the sum of their neighbours by a side, of those by a corner, of their row and column, the
sum of the board, and the most in it. So the answer turns with the board under all its 8 symmetries, by construction.

It learns what is missing in the totals as they stand after the placement, and adds nothing to the last placement of a
game, where they are exact. Inside, arrays are cell-major, [36, N, channels]: sums over cells are sums of whole slices.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sobremesa.engines.isis_osiris.features import (
    CELLS,
    FOUR,
    HALF,
    LEFT,
    NEAR,
    PER_CELL,
    PER_TABLE,
    PIECES,
    SIDE,
    SLOTS,
    THERE,
    TOTALS,
    VALUES,
    WORTH,
)
from sobremesa.games.isis_osiris.track import END
from sobremesa.training.layers import Weights as Weights
from sobremesa.training.layers import cast, matrices, norm, pick, silu

UNIT = float(END)
"""The points that the network calls one."""
SHARPNESS, CALM = 1.4, 3
"""What an expected lead of a point is as a logit: the first, by the root of the placements to come and the second."""
HEARD = 4
"""What a cell hears of cells: itself and three kinds of neighbours."""
NEVER = -1e9


class Size(NamedTuple):
    """How large a network is."""

    channels: int = 96
    hidden: int = 192
    rounds: int = 6


class Quality(NamedTuple):
    """What placements are worth, for each slot from the mover onwards; nothing for slots without a seat."""

    win: Array
    """The share of first place, [..., 4]."""
    margin: Array
    """The final total less the mean of the others', in UNITs, [..., 4]."""


class Choice(NamedTuple):
    """What a mover who wants the most for himself makes of qualities."""

    utilities: Array
    """How much he wants each placement, [36, N, 9]; full cells are ruled out."""
    turning: Array
    """By how much turning a tile over is better than placing a stone, [N]; infinite if only one of them can be done."""
    value: Quality
    """What the position is worth before chance has a say, [N, 4]."""


def init(key: Array, size: Size) -> Weights:
    """Weights of a network that answers with the totals as they stand."""
    matrix = matrices(key)
    width, hidden = size.channels, size.hidden

    def a_round() -> Weights:
        return {
            "hear": matrix(HEARD * width, hidden),
            "board": matrix(2 * width, hidden, 0.5),
            "bias": jnp.zeros(hidden),
            "out": matrix(hidden, width, 0.5),
        }

    return {
        "cell": matrix(PER_CELL, width, 2.0),
        "table": matrix(PER_TABLE, width, 2.0),
        "bias": jnp.zeros(width),
        "rounds": [a_round() for _ in range(size.rounds)],
        "head": jnp.zeros((width, 2 * PIECES * SLOTS)),
        "head_bias": jnp.zeros(2 * PIECES * SLOTS),
    }


@jax.custom_vjp
def hear(cells: Array) -> Array:
    """Each cell beside the sums by sides, by corners, and of its row and column, [36, N, C] -> [36, N, 4 C].

    Each sum is its own transpose, which is all that going back needs.
    """
    return jnp.concatenate([cells, *(each(cells) for each in SUMS)], -1)


def by_sides(cells: Array) -> Array:
    """The sum of the neighbours that share a side with each cell, [36, ...]."""
    return _flat(_both(_grid(cells), 0) + _both(_grid(cells), 1))


def by_corners(cells: Array) -> Array:
    """The sum of the neighbours that share nothing but a corner with each cell, [36, ...]."""
    return _flat(_both(_both(_grid(cells), 0), 1))


def by_lines(cells: Array) -> Array:
    """Half the sum of the row and of the column of each cell, [36, ...]."""
    grid = _grid(cells)
    rows, columns = (sum(grid[:, at] for at in range(SIDE)), sum(grid[at] for at in range(SIDE)))
    return _flat(jnp.asarray(rows)[:, None] + jnp.asarray(columns)[None]) / 2


SUMS = (by_sides, by_corners, by_lines)


def _grid(cells: Array) -> Array:
    return cells.reshape(SIDE, SIDE, *cells.shape[1:])


def _flat(grid: Array) -> Array:
    return grid.reshape(CELLS, *grid.shape[2:])


def _both(grid: Array, axis: int) -> Array:
    """The sum of both neighbours along an axis."""
    wide = jnp.pad(grid, [(1, 1) if at == axis else (0, 0) for at in range(grid.ndim)])
    return lax.slice_in_dim(wide, 0, SIDE, axis=axis) + lax.slice_in_dim(wide, 2, SIDE + 2, axis=axis)


def _hear_back(_: None, slope: Array) -> tuple[Array]:
    own, *sums = jnp.split(slope, HEARD, -1)
    for back, part in zip(SUMS, sums, strict=True):
        own += back(part)
    return (own,)


hear.defvjp(lambda cells: (hear(cells), None), _hear_back)


def body(weights: Weights, cells: Array, table: Array) -> tuple[Array, Array, Array]:
    """What cells know before the last round, [36, N, C], what they hear then of cells, [36, N, 4 C], of all, [N, H]."""
    dtype = weights["cell"].dtype
    x = cells.astype(dtype) @ weights["cell"] + (table.astype(dtype) @ weights["table"] + weights["bias"])
    for w in weights["rounds"][:-1]:
        x = _listen(w, x, *_said(w, x))
    return x, *_said(weights["rounds"][-1], x)


def _said(w: Weights, x: Array) -> tuple[Array, Array]:
    own = norm(x)
    board = jnp.concatenate([norm(x.sum(0)), own.max(0)], -1)
    return hear(own), board @ w["board"] + w["bias"]


def _listen(w: Weights, x: Array, heard: Array, board: Array) -> Array:
    return jnp.add(x, silu(heard @ w["hear"] + board) @ w["out"])


def _learnt(weights: Weights, told: Array) -> Array:
    """What the network adds, [..., N, C] -> [..., N, 2, 9, 4]."""
    found = jnp.dot(norm(told), weights["head"], preferred_element_type=jnp.float32) + weights["head_bias"]
    return jnp.reshape(found, (*told.shape[:-1], 2, PIECES, SLOTS))


def standing(cells: Array, table: Array) -> Array:
    """The totals after each piece is placed there, in points, [..., N, F], [N, G] -> [..., N, 9, 4]."""
    stone = FOUR * cells[..., WORTH, None, None] * np.eye(1, SLOTS, dtype=np.float32)
    tile = HALF * cells[..., None, NEAR] * VALUES[:, None].astype(np.float32)
    return UNIT * table[:, None, TOTALS] + jnp.concatenate([stone, tile], -2)


def _judged(learnt: Array, totals: Array, table: Array) -> tuple[Array, Array]:
    """Shares of first place as logits, and margins, both [..., N, 9, 4]."""
    there = table[:, None, THERE] > 0
    to_come = _to_come(table)
    seats = there.sum(-1, keepdims=True)
    ahead = (totals - totals.sum(-1, keepdims=True) / seats) * (seats / (seats - 1)) / UNIT
    margin = ahead + jnp.where(to_come > 0, learnt[..., 1, :, :], 0)
    sharpness = UNIT * SHARPNESS * lax.rsqrt(to_come + CALM) * (seats - 1) / seats
    logits = sharpness * lax.stop_gradient(margin) + learnt[..., 0, :, :]
    return jnp.where(there, logits, NEVER), jnp.where(there, margin, 0)


def _to_come(table: Array) -> Array:
    """How many placements follow the next one, [N, 1, 1]."""
    return jnp.round(table[:, LEFT, None, None] * CELLS) - 1


def quality(weights: Weights, cells: Array, table: Array, dtype: Any = jnp.float32) -> Quality:
    """What every piece is worth on every cell, [N, 36, F], [N, G] -> [36, N, 9, 4]; no sense on full cells.

    Products are computed in `dtype` and added up in float32.
    """
    weights, cells = cast(weights, dtype), cells.swapaxes(0, 1)
    told = _listen(weights["rounds"][-1], *body(weights, cells, table))
    totals = standing(cells, table)
    logits, margin = _judged(_learnt(weights, told), totals, table)
    there = table[:, None, THERE] > 0
    first = there & (totals > jnp.where(there, totals, -jnp.inf).max(-1, keepdims=True) - 0.5)
    win = jnp.where(_to_come(table) > 0, jax.nn.softmax(logits), first / first.sum(-1, keepdims=True))
    return Quality(win, margin)


def quality_of(
    weights: Weights, cells: Array, table: Array, at: Array, pieces: Array, dtype: Any = jnp.float32
) -> tuple[Array, Array]:
    """The same for one placement in each position, not the last: its cell [N], its piece [N] -> both [N, 4].

    Shares are told as logits. Spares the last step of the other 35 cells.
    """
    weights, cells = cast(weights, dtype), cells.swapaxes(0, 1)
    x, heard, board = body(weights, cells, table)
    told = _listen(weights["rounds"][-1], pick(x, at), pick(heard, at), board)
    logits, margin = _judged(_learnt(weights, told), standing(pick(cells, at), table), table)
    everyone = jnp.arange(len(at))
    return logits[everyone, pieces], margin[everyone, pieces]


def choose(found: Quality, free: Array, odds: Array, stone: Array, tile: Array) -> Choice:
    """What the mover makes of qualities, [36, N, 9, 4].

    Given are the free cells [N, 36], the odds of each tile [N, 8], and which kinds of pieces he has, both [N].
    """
    utilities = found.win[..., 0] + 0.05 * jnp.clip(found.margin[..., 0], -2, 2)
    utilities = jnp.where(free.T[..., None], utilities, -jnp.inf)
    best = utilities.max(0)
    turning = jnp.where(tile, (odds * best[:, 1:]).sum(-1), -jnp.inf) - jnp.where(stone, best[:, 0], -jnp.inf)
    mix = jnp.where((turning > 0)[:, None], jnp.pad(odds, [(0, 0), (1, 0)]), jnp.eye(1, PIECES))
    at = utilities.argmax(0)[None, ..., None]
    value = Quality(*((jnp.take_along_axis(part, at, 0)[0] * mix[..., None]).sum(1) for part in found))
    return Choice(utilities, turning, value)
