"""The observation of a position of Callisto, a network's features: the same form for every edition and table.

| planes | of each slot | what |
|---|---|---|
| 0-3 | yes | cells under its tiles and pillars |
| 4-7 | yes | cells under its pillars |
| 8-11 | yes | free cells beside its pieces: where a tile can touch (C3) |
| 12, 13, 14 | | the cells of the board; those that are free; the centre |
| 15 | | where the mover's next pillar may stand (C4-C6) |

| numbers | what |
|---|---|
| 0-47 | for each slot, how many of each piece (KINDS) it has left, as a share of the most in any edition |
| 48-51 | each slot's penalty so far (C9), as a share of all squares |
| 52-55, 56-59, 60-63 | each slot: is there a seat; is it out (C8); did it start (C10) |
| 64-66, 67-68 | 2, 3 or 4 seats; classic or pocket edition |
| 69 | the share of the board that is free |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.rules import SLOTS, Observation, slots
from sobremesa.games.callisto.batch.board import MAX_COPIES, SIZES
from sobremesa.games.callisto.editions import EDITIONS

if TYPE_CHECKING:
    from sobremesa.games.callisto.batch.rules import CallistoRules, CallistoState

PLANES = 3 * SLOTS + 4
NUMBERS = 70
NOBODY = SLOTS
"""The owner of a cell that stays free."""
NO_CELL = -1
"""The owner of what is no cell of the board."""
_SEATS = (2, 3, 4)
_SQUARES = int(MAX_COPIES @ SIZES)


def observe(rules: CallistoRules, state: CallistoState, side: int) -> Observation:
    """The position as the seat to decide sees it, on a canvas of side x side."""
    shape, turn, arrays = state.turn.shape, state.turn, rules.arrays
    free = rules.free(state)
    mine = slots(state.left, turn)
    pillar = rules.pillar_cells(state, rules.hand[0] - mine[..., 0, 0]) & free
    fixed = [jnp.broadcast_to(rows, free.shape) for rows in (arrays.cells, free, arrays.centre, pillar)]
    rows = jnp.concatenate(
        [
            slots(state.cells, turn),
            slots(state.pillars, turn),
            slots(rules.beside(state.cells) & free[..., None, :], turn),
            jnp.stack(fixed, -2),
        ],
        -2,
    )
    by_seat = [
        rules.scores(state) / _SQUARES,
        jnp.ones((*shape, rules.seats)),
        state.out,
        jnp.arange(rules.seats) == state.starter[..., None],
    ]
    edition = rules.board.edition.name
    kind = np.array([rules.seats == seats for seats in _SEATS] + [edition == name for name in EDITIONS])
    space = jax.lax.population_count(free).sum(-1) / rules.board.cells.bit_count()
    numbers = [
        (mine / MAX_COPIES).reshape(*shape, -1),
        *(slots(each.astype(jnp.float32), turn) for each in by_seat),
        jnp.broadcast_to(kind, (*shape, len(kind))),
        space[..., None],
    ]
    return Observation(rules.spread(rows, side), jnp.concatenate([each.astype(jnp.float32) for each in numbers], -1))


def owners(rules: CallistoRules, state: CallistoState, seat: Array, side: int) -> Array:
    """Who has each cell, [..., side, side] of int8, as slots counted from a seat [...] on.

    Of the final position, a network can learn to foresee it. A cell that is still free is NOBODY's, and what is no cell
    has NO_CELL.
    """
    lie = rules.spread(slots(state.cells, seat), side)
    owner = jnp.where(lie.any(-3), lie.argmax(-3), NOBODY)
    return jnp.where(rules.spread(jnp.asarray(rules.arrays.cells), side), owner, NO_CELL).astype(jnp.int8)
