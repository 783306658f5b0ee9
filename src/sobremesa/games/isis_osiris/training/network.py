"""The network for Isis & Osiris: what every piece is worth on every cell, in one pass.

A piece is a stone, or a tile of each value; so the expectation over the tile that is turned over costs nothing. For
each slot from the mover onwards the answer is the share of first place, and the margin over the mean of the others.

Every round is one of message passing: the cells get the sum of their neighbours by a side, of those by a corner, of
their row and column, the sum of the board, and the maximum over it. So the answer turns with the board under all its 8
symmetries, by construction: the network is equivariant.

It learns what is missing in the totals as they stand after the placement, and adds nothing to the last placement of a
game, where they are exact. Inside, arrays are cell-major, [36, N, channels]: sums over cells are sums of whole slices.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sobremesa.games.isis_osiris.engine.features import (
    CELL_FEATURES,
    CELLS,
    FOUR,
    HALF,
    LEFT,
    NEAR,
    PIECES,
    SIDE,
    SLOTS,
    TABLE_FEATURES,
    THERE,
    TOTALS,
    VALUES,
    WORTH,
)
from sobremesa.games.isis_osiris.track import END
from sobremesa.training.layers import Weights as Weights
from sobremesa.training.layers import cast, matrices, norm, pick, silu

POINTS_UNIT = float(END)
"""The points that the network calls one."""
LEAD_LOGIT, LEAD_HORIZON = 1.4, 3
"""An expected lead of a point is a logit of LEAD_LOGIT / sqrt(the placements to come + LEAD_HORIZON)."""
MESSAGE_PARTS = 4
"""What a cell gets of cells: itself and three kinds of neighbours."""
MASKED_LOGIT = -1e9
"""The logit of slots without a seat."""


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
    """The final total less the mean of the others', in POINTS_UNITs, [..., 4]."""


class Choice(NamedTuple):
    """What a mover who wants the most for himself makes of qualities."""

    utilities: Array
    """The utility of each placement to the mover, [36, N, 9]; full cells are ruled out."""
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
            "hear": matrix(MESSAGE_PARTS * width, hidden),
            "board": matrix(2 * width, hidden, 0.5),
            "bias": jnp.zeros(hidden),
            "out": matrix(hidden, width, 0.5),
        }

    return {
        "cell": matrix(CELL_FEATURES, width, 2.0),
        "table": matrix(TABLE_FEATURES, width, 2.0),
        "bias": jnp.zeros(width),
        "rounds": [a_round() for _ in range(size.rounds)],
        "head": jnp.zeros((width, 2 * PIECES * SLOTS)),
        "head_bias": jnp.zeros(2 * PIECES * SLOTS),
    }


@jax.custom_vjp
def gather(cells: Array) -> Array:
    """Each cell beside the sums by sides, by corners, and of its row and column, [36, N, C] -> [36, N, 4 C].

    Each sum is its own transpose, which is all that the gradient needs.
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


def _gather_back(_: None, gradient: Array) -> tuple[Array]:
    own, *sums = jnp.split(gradient, MESSAGE_PARTS, -1)
    for back, part in zip(SUMS, sums, strict=True):
        own += back(part)
    return (own,)


gather.defvjp(lambda cells: (gather(cells), None), _gather_back)


def body(weights: Weights, cells: Array, table: Array) -> tuple[Array, Array, Array]:
    """The cells before the last round, [36, N, C], and their messages then: of cells, [36, N, 4 C], of all, [N, H]."""
    dtype = weights["cell"].dtype
    x = cells.astype(dtype) @ weights["cell"] + (table.astype(dtype) @ weights["table"] + weights["bias"])
    for w in weights["rounds"][:-1]:
        x = _update_cells(w, x, *_messages(w, x))
    return x, *_messages(weights["rounds"][-1], x)


def _messages(w: Weights, x: Array) -> tuple[Array, Array]:
    own = norm(x)
    board = jnp.concatenate([norm(x.sum(0)), own.max(0)], -1)
    return gather(own), board @ w["board"] + w["bias"]


def _update_cells(w: Weights, x: Array, messages: Array, board: Array) -> Array:
    return jnp.add(x, silu(messages @ w["hear"] + board) @ w["out"])


def _learnt(weights: Weights, hidden: Array) -> Array:
    """What the network adds, [..., N, C] -> [..., N, 2, 9, 4]."""
    found = jnp.dot(norm(hidden), weights["head"], preferred_element_type=jnp.float32) + weights["head_bias"]
    return jnp.reshape(found, (*hidden.shape[:-1], 2, PIECES, SLOTS))


def standing(cells: Array, table: Array) -> Array:
    """The totals after each piece is placed there, in points, [..., N, F], [N, G] -> [..., N, 9, 4]."""
    stone = FOUR * cells[..., WORTH, None, None] * np.eye(1, SLOTS, dtype=np.float32)
    tile = HALF * cells[..., None, NEAR] * VALUES[:, None].astype(np.float32)
    return POINTS_UNIT * table[:, None, TOTALS] + jnp.concatenate([stone, tile], -2)


def _heads(learnt: Array, totals: Array, table: Array) -> tuple[Array, Array]:
    """Shares of first place as logits, and margins, both [..., N, 9, 4]."""
    there = table[:, None, THERE] > 0
    to_come = _to_come(table)
    seats = there.sum(-1, keepdims=True)
    ahead = (totals - totals.sum(-1, keepdims=True) / seats) * (seats / (seats - 1)) / POINTS_UNIT
    margin = ahead + jnp.where(to_come > 0, learnt[..., 1, :, :], 0)
    sharpness = POINTS_UNIT * LEAD_LOGIT * lax.rsqrt(to_come + LEAD_HORIZON) * (seats - 1) / seats
    logits = sharpness * lax.stop_gradient(margin) + learnt[..., 0, :, :]
    return jnp.where(there, logits, MASKED_LOGIT), jnp.where(there, margin, 0)


def _to_come(table: Array) -> Array:
    """How many placements follow the next one, [N, 1, 1]."""
    return jnp.round(table[:, LEFT, None, None] * CELLS) - 1


def quality(weights: Weights, cells: Array, table: Array, dtype: Any = jnp.float32) -> Quality:
    """What every piece is worth on every cell, [N, 36, F], [N, G] -> [36, N, 9, 4]; no sense on full cells.

    Products are computed in `dtype` and added up in float32.
    """
    weights, cells = cast(weights, dtype), cells.swapaxes(0, 1)
    hidden = _update_cells(weights["rounds"][-1], *body(weights, cells, table))
    totals = standing(cells, table)
    logits, margin = _heads(_learnt(weights, hidden), totals, table)
    there = table[:, None, THERE] > 0
    first = there & (totals > jnp.where(there, totals, -jnp.inf).max(-1, keepdims=True) - 0.5)
    win = jnp.where(_to_come(table) > 0, jax.nn.softmax(logits), first / first.sum(-1, keepdims=True))
    return Quality(win, margin)


def quality_of(
    weights: Weights, cells: Array, table: Array, at: Array, pieces: Array, dtype: Any = jnp.float32
) -> tuple[Array, Array]:
    """The ``quality`` of one placement in each position, not the last: its cell [N], its piece [N] -> both [N, 4].

    Shares are logits. Spares the last step of the other 35 cells.
    """
    weights, cells = cast(weights, dtype), cells.swapaxes(0, 1)
    x, messages, board = body(weights, cells, table)
    hidden = _update_cells(weights["rounds"][-1], pick(x, at), pick(messages, at), board)
    logits, margin = _heads(_learnt(weights, hidden), standing(pick(cells, at), table), table)
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
