"""Knister for thousands of solitary sheets at a time (K1, K3, K4).

A batch of sheets is an int8 array [..., 25]: the numbers 2 to 12 row by row from the bottom left, 0 for a free cell,
as in :mod:`sobremesa.games.knister`. Everything can be jitted and mapped, and takes its random key as an argument.
Many players of one game are many sheets that are given the same rolls (K2).
"""

from functools import cache
from itertools import combinations_with_replacement

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from sobremesa.games.knister.scoring import CELLS, LINES, SIDE, combination
from sobremesa.games.knister.state import DICE

ROLLS = np.array(DICE.outcomes, np.int8)
"""The sums of two dice, [11]."""
ODDS = np.array(DICE.weights, np.float32) / np.float32(sum(DICE.weights))
"""How likely each sum is, [11]."""
LINE_CELLS = np.array([np.arange(CELLS)[line.cells] for line in LINES])
"""The cells of each line, [12, 5]."""
TIMES = np.array([line.times for line in LINES], np.int32)
"""How often each line counts, [12]."""
SYMBOLS = len(ROLLS) + 1
"""What a cell can hold: nothing, or one of the sums."""

HANDS = np.array(list(combinations_with_replacement(range(SYMBOLS), SIDE)), np.int8)
"""Every line as far as points go, [4368, 5]: what its cells hold, sorted; 0 is free, k is the k-th sum."""
HAND_POINTS = np.array(
    [combination(bytes([int(k) + 1 if k else 0 for k in hand])).points for hand in HANDS.tolist()], np.int32
)
"""The points of each hand, counted once, [4368]; 0 while a cell is free (K5)."""
_PLACES = SYMBOLS ** np.arange(SIDE)


@cache
def hand_of_code() -> NDArray[np.int16]:
    """The index in HANDS of a line written as a number in base 12, [12 ** 5]."""
    digits = np.arange(SYMBOLS**SIDE)[:, None] // _PLACES % SYMBOLS
    order = np.argsort(codes := HANDS.astype(np.int64) @ _PLACES)
    return order[np.searchsorted(codes[order], np.sort(digits) @ _PLACES)].astype(np.int16)


def init(batch: int) -> Array:
    """Blank sheets, [batch, 25]."""
    return jnp.zeros((batch, CELLS), jnp.int8)


def roll(key: Array, batch: int) -> Array:
    """Rolls of two dice, [batch], as indices 0 to 10 into ROLLS."""
    pairs = np.repeat(np.arange(len(ROLLS)), DICE.weights)
    return jnp.asarray(pairs)[jax.random.randint(key, (batch,), 0, len(pairs))]


def legal(sheets: Array) -> Array:
    """Which cells are free, [..., 25] -> [..., 25] of bool."""
    return sheets == 0


def step(sheets: Array, cells: Array, rolls: Array) -> Array:
    """Sheets [..., 25] with each roll [...] (an index into ROLLS) written into its cell [...], which must be free."""
    here = jnp.arange(CELLS) == cells[..., None]
    return jnp.where(here, jnp.asarray(ROLLS)[rolls][..., None], sheets)


def hands(sheets: Array) -> Array:
    """What each line holds, [..., 25] -> [..., 12], as indices into HANDS."""
    digits = jnp.maximum(sheets.astype(jnp.int32) - 1, 0)
    codes = sum(digits[..., LINE_CELLS[:, place]] * int(worth) for place, worth in enumerate(_PLACES))
    return jnp.asarray(hand_of_code())[codes].astype(jnp.int32)


def line_points(sheets: Array) -> Array:
    """The points of each line, doubled on the diagonals, [..., 25] -> [..., 12]."""
    return jnp.asarray(HAND_POINTS)[hands(sheets)] * TIMES


def points(sheets: Array) -> Array:
    """The points of all full lines, [..., 25] -> [...]."""
    return line_points(sheets).sum(-1)
