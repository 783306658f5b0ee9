"""The observation of a position of Isis & Osiris: the same form for every board, variant and number of seats.

| planes | what |
|---|---|
| 0-3 | each slot's stones |
| 4-11 | the tiles of each value (VALUES), face down as they lie: a perfect memory (I3) |
| 12, 13 | the cells of the board; those that are free |

| numbers | what |
|---|---|
| 0-3, 4-7 | each slot: stones left; tiles that it can still turn over, as shares of the most in the box |
| 8-11, 12-15 | each slot: is there a seat; its total as the board stands (I7), in units of the track's end |
| 16-23, 24-31 | of each value, the share of such tiles that nobody has seen; the tile that was turned over |
| 32 | whether a tile is being turned over |
| 33-35, 36-37 | 2, 3 or 4 seats; own or common stock |
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import jax.numpy as jnp
import numpy as np

from sobremesa.batch.rules import SLOTS, Observation, slots
from sobremesa.games.isis_osiris.editions import EDITIONS, VARIANTS
from sobremesa.games.isis_osiris.track import END

if TYPE_CHECKING:
    from sobremesa.games.isis_osiris.batch.rules import IsisOsirisRules, IsisOsirisState

VALUES = np.array(sorted({value for edition in EDITIONS.values() for value in edition.tiles}))
"""Every value that a tile in the box has; small boards have some of them."""
COPIES = np.array([max(edition.tiles.get(value, 0) for edition in EDITIONS.values()) for value in VALUES.tolist()])
"""The most tiles of each value that an edition has."""
_HANDS = [hand for edition in EDITIONS.values() for hand in edition.hands.values()]
_STONES = max(hand.stones for hand in _HANDS)
_TILES = max(sum(edition.tiles.values()) for edition in EDITIONS.values())
_SEATS = (2, 3, 4)
PLANES = SLOTS + len(VALUES) + 2
NUMBERS = 4 * SLOTS + 2 * len(VALUES) + 6


def observe(rules: IsisOsirisRules, state: IsisOsirisState, side: int | None) -> Observation:
    """The position as the seat to decide knows it."""
    shape, turn, edition = state.turn.shape, state.turn, rules.edition
    stones = state.stones[..., None, :] == jnp.arange(1, rules.seats + 1)[:, None]
    tiles = state.tiles[..., None, :] == VALUES[:, None]
    free = rules.free(state)[..., None, :]
    cells = jnp.concatenate([slots(stones, turn), tiles, jnp.ones_like(free), free], -2)
    planes = cells.reshape(*cells.shape[:-1], edition.height, edition.width)
    if side:
        low, left = (side - edition.height) // 2, (side - edition.width) // 2
        gaps = [(low, side - edition.height - low), (left, side - edition.width - left)]
        planes = jnp.pad(planes, [(0, 0)] * (planes.ndim - 2) + gaps)
    by_seat = [
        state.stones_left / _STONES,
        rules.tiles_left(state) / _TILES,
        jnp.ones((*shape, rules.seats)),
        rules.scores(state) / END,
    ]
    unseen = jnp.zeros((*shape, len(VALUES))).at[..., np.searchsorted(VALUES, rules.values)].set(state.unseen)
    kind = np.array([rules.seats == seats for seats in _SEATS] + [rules.setup.variant == each for each in VARIANTS])
    numbers = [
        *(slots(each, turn) for each in by_seat),
        unseen / COPIES,
        state.turned[..., None] == VALUES,
        rules.waiting(state)[..., None],
        jnp.broadcast_to(kind, (*shape, len(kind))),
    ]
    return Observation(planes, jnp.concatenate([each.astype(jnp.float32) for each in numbers], -1))
