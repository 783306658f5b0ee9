"""The network for Knister: what every roll is worth in every cell of a sheet, in one pass.

Cells and lines each have a state. Every round is one of message passing: the lines get the sum of their cells and of
the whole sheet, then the cells the sum of their lines. Rows and columns share weights, the diagonals have their own; so
the answer turns with the sheet under all 32 rearrangements that keep lines together, by construction (equivariance).

It learns what is missing in `knister_lines.EXPECTED`, the points that come by themselves, and adds nothing where that
is exact. Inside, arrays are cell-major, [25, N, channels]: sums over lines are then sums of whole slices.
"""

from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.games.knister.batch import rules
from sobremesa.games.knister.scoring import CELLS, SIDE
from sobremesa.games.knister.training.lines import EXPECTED, FEATURES
from sobremesa.training.layers import Weights as Weights
from sobremesa.training.layers import cast, matrices, norm, pick, silu

Lines = tuple[Array, Array]
"""Rows and columns [10, N, ...]; diagonals [2, N, ...]."""

ROLLS = len(rules.ROLLS)
ORTHOGONALS = 2 * SIDE
POINTS_UNIT = 10.0
"""The points that the network's last layer calls one."""
MAX_EXACT_CELLS = 2
"""With this many free cells or fewer, the expectation of single lines is exact."""
SPREAD_REACH = 64
"""How far from its mean, in points, the bins of final totals reach; those at the ends hold what lies beyond."""

THROUGH = (rules.LINE_CELLS[..., None] == np.arange(CELLS)).any(1)
"""Which line goes through which cell, [12, 25]."""
KINDS = THROUGH[ORTHOGONALS:].sum(0)
"""How many diagonals go through each cell, [25]."""
_DIAGONAL, _ANTIDIAGONAL = np.eye(SIDE), np.eye(SIDE)[::-1]


class Size(NamedTuple):
    """How large a network is."""

    channels: int = 128
    hidden: int = 256
    rounds: int = 4
    bins: int = 0
    """How many bins the spread of final totals has, SPREAD_REACH points to both sides of the mean; 0 for no spread."""


def init(key: Array, size: Size) -> Weights:
    """Weights of a network that answers with the expectation of single lines."""
    matrix = matrices(key)
    width, hidden = size.channels, size.hidden

    def line(kind: str) -> Weights:
        return {
            f"{kind}_cells": matrix(width, width, 0.7),
            f"{kind}_self": matrix(width, width, 0.7),
            f"{kind}_out": matrix(width, width, 0.5),
            f"{kind}_say": matrix(width, hidden, 0.5),
            f"{kind}_bias": jnp.zeros(width),
        }

    def a_round() -> Weights:
        return line("straight") | line("diagonal") | {
            "sheet": matrix(width, width, 0.5),
            "cell": matrix(width, hidden, 0.7),
            "cell_bias": jnp.zeros(hidden),
            "cell_out": matrix(hidden, width, 0.5),
        }  # fmt: skip

    weights: Weights = {
        "cell": matrix(rules.SYMBOLS + 3, width, 2.0),
        "straight": matrix(FEATURES.shape[1], width, 2.0),
        "straight_bias": jnp.zeros(width),
        "diagonal": matrix(FEATURES.shape[1], width, 2.0),
        "diagonal_bias": jnp.zeros(width),
        "rounds": [a_round() for _ in range(size.rounds)],
        "head": matrix(width, ROLLS, 0.01),
        "head_bias": jnp.zeros(ROLLS),
    }
    if size.bins:
        weights["spread"] = {
            "in": matrix(width, width),
            "in_bias": jnp.zeros(width),
            "out": matrix(width, ROLLS * size.bins, 0.1),
            "out_bias": jnp.zeros(ROLLS * size.bins),
        }
    return weights


@jax.custom_vjp
def to_lines(cells: Array) -> Lines:
    """The sum of each line's cells, [25, N, ...]. `to_cells` is its transpose, and each is the other's gradient."""
    return _to_lines(cells)


@jax.custom_vjp
def to_cells(lines: Lines) -> Array:
    """The sum of each cell's lines, [25, N, ...]."""
    return _to_cells(lines)


def _to_lines(cells: Array) -> Lines:
    grid = cells.reshape(SIDE, SIDE, *cells.shape[1:])
    rows = sum(grid[:, x] for x in range(SIDE))
    columns = sum(grid[y] for y in range(SIDE))
    diagonals = [sum(cells[int(cell)] for cell in line) for line in rules.LINE_CELLS[ORTHOGONALS:]]
    return jnp.concatenate([rows, columns]), jnp.stack(diagonals)


def _to_cells(lines: Lines) -> Array:
    straight, (first, second) = lines[0], lines[1]
    spread = (SIDE, SIDE) + (1,) * (straight.ndim - 1)
    cells = straight[:SIDE, None] + straight[None, SIDE:]
    cells += jnp.asarray(_DIAGONAL, straight.dtype).reshape(spread) * first
    cells += jnp.asarray(_ANTIDIAGONAL, straight.dtype).reshape(spread) * second
    return jnp.reshape(cells, (CELLS, *straight.shape[1:]))


to_lines.defvjp(lambda cells: (_to_lines(cells), None), lambda _, lines: (_to_cells(lines),))
to_cells.defvjp(lambda lines: (_to_cells(lines), None), lambda _, cells: (_to_lines(cells),))


def expected(hands: Array) -> Array:
    """Mean final points after each roll in each cell if all other rolls come as they like, [12, N] -> [25, N, 11]."""
    table = jnp.asarray(EXPECTED)[hands] * jnp.asarray(rules.TIMES, jnp.float32)[:, None, None]
    return to_cells((table[:ORTHOGONALS, :, 1:], table[ORTHOGONALS:, :, 1:])) + table[..., :1].sum(0)


def body(weights: Weights, sheets: Array, hands: Array) -> tuple[Array, Lines]:
    """The states of cells and lines before the last update of the cells: [25, N, channels], and lines."""
    dtype = weights["cell"].dtype
    symbols = jnp.maximum(sheets.T.astype(jnp.int32) - 1, 0)
    kinds = jax.nn.one_hot(rules.SYMBOLS + KINDS, rules.SYMBOLS + 3, dtype=dtype)[:, None]
    x = (jax.nn.one_hot(symbols, rules.SYMBOLS + 3, dtype=dtype) + kinds) @ weights["cell"]
    features = jnp.asarray(FEATURES, dtype)[hands]
    straight = features[:ORTHOGONALS] @ weights["straight"] + weights["straight_bias"]
    diagonal = features[ORTHOGONALS:] @ weights["diagonal"] + weights["diagonal_bias"]
    for at, w in enumerate(weights["rounds"]):
        if at:
            x = _update_cells(weights["rounds"][at - 1], x, straight, diagonal)
        sums = to_lines(x)
        sheet = norm(sum(sums[0][1:SIDE], sums[0][0])) @ w["sheet"]
        straight = _update_lines(w, "straight", straight, sums[0], sheet)
        diagonal = _update_lines(w, "diagonal", diagonal, sums[1], sheet)
    return x, (straight, diagonal)


def _update_lines(w: Weights, kind: str, lines: Array, cells: Array, sheet: Array) -> Array:
    messages = norm(cells) @ w[f"{kind}_cells"] + norm(lines) @ w[f"{kind}_self"] + sheet + w[f"{kind}_bias"]
    return jnp.add(lines, silu(messages) @ w[f"{kind}_out"])


def _update_cells(w: Weights, x: Array, straight: Array, diagonal: Array) -> Array:
    half = w["cell_bias"] / 2  # each cell gets it twice, from its row and its column: ten places to sum over, not 25
    messages = to_cells((norm(straight) @ w["straight_say"] + half, norm(diagonal) @ w["diagonal_say"]))
    return jnp.add(x, silu(norm(x) @ w["cell"] + messages) @ w["cell_out"])


def quality(weights: Weights, sheets: Array, dtype: Any = jnp.float32) -> Array:
    """Mean final points after each roll is written into each cell, [N, 25] -> [25, N, 11]; no sense in full cells.

    Products are computed in `dtype` and added up in float32.
    """
    weights = cast(weights, dtype)
    hands = rules.hands(sheets).T
    x, lines = body(weights, sheets, hands)
    hidden = norm(_update_cells(weights["rounds"][-1], x, *lines))
    return expected(hands) + _learnt(weights, sheets, hidden)


def quality_of(
    weights: Weights, sheets: Array, cells: Array, rolls: Array, dtype: Any = jnp.float32
) -> tuple[Array, Array]:
    """The ``quality`` of one placement on each sheet, [N, 25], [N], [N] -> [N], and its cell's state, [N, channels].

    Spares the last step of the other 24 cells.
    """
    weights = cast(weights, dtype)
    hands = rules.hands(sheets).T
    everyone, w = jnp.arange(len(sheets)), weights["rounds"][-1]
    x, (straight, diagonal) = body(weights, sheets, hands)
    row, column = (pick(norm(straight), at) for at in (cells // SIDE, SIDE + cells % SIDE))
    on = jnp.asarray(THROUGH[ORTHOGONALS:, :, None], dtype)[:, cells] * norm(diagonal)  # [2, N, channels]
    messages = (row + column) @ w["straight_say"] + (on[0] + on[1]) @ w["diagonal_say"]
    own = pick(x, cells)
    hidden = norm(own + silu(norm(own) @ w["cell"] + messages + w["cell_bias"]) @ w["cell_out"])
    return expected(hands)[cells, everyone, rolls] + _learnt(weights, sheets, hidden)[everyone, rolls], hidden


def _learnt(weights: Weights, sheets: Array, hidden: Array) -> Array:
    """What the network adds, [..., N, channels] -> [..., N, 11]."""
    found = jnp.dot(hidden, weights["head"], preferred_element_type=jnp.float32) + weights["head_bias"]
    return jnp.where((rules.legal(sheets).sum(-1) > MAX_EXACT_CELLS)[:, None], POINTS_UNIT * found, 0)


def spread(weights: Weights, hidden: Array) -> Array:
    """How final totals spread about their mean, as logits of bins, [..., channels] -> [..., 11, bins]."""
    w = weights["spread"]
    logits = silu(hidden @ w["in"] + w["in_bias"]) @ w["out"] + w["out_bias"]
    return jnp.reshape(logits, (*hidden.shape[:-1], ROLLS, -1))


def bin_of(off: Array, bins: int) -> Array:
    """The bin for a total that is so many points off its mean, [...] -> [...]."""
    return jnp.clip(jnp.floor((off + SPREAD_REACH) * (bins / (2 * SPREAD_REACH))).astype(jnp.int32), 0, bins - 1)


def best(qualities: Array, sheets: Array) -> Array:
    """Qualities with full cells ruled out, [25, N, 11]."""
    return jnp.where(rules.legal(sheets).T[..., None], qualities, -jnp.inf)


def value(qualities: Array, sheets: Array) -> Array:
    """Mean final points before the roll, [25, N, 11], [N, 25] -> [N]; sheets must have a free cell."""
    return (best(qualities, sheets).max(0) * jnp.asarray(rules.ODDS)).sum(-1)
