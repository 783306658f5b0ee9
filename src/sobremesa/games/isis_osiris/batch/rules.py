"""Isis & Osiris for thousands of games at a time (I1 to I10).

A move is the number of a cell, for a stone or, when a tile has been turned over, for that tile; the number after the
last cell turns a tile over. Then chance is awaited: outcome k is the k-th value of ``Setup.values``.
"""

from functools import cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.rules import Observation, Rules, next_seat, places
from sobremesa.games import isis_osiris as games
from sobremesa.games.isis_osiris.batch.observation import observe
from sobremesa.games.isis_osiris.editions import find_setup
from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING


class IsisOsirisState(NamedTuple):
    """Positions, with the values of all tiles that anybody has seen: a perfect memory."""

    stones: Array
    """Whose stone lies on each cell, [..., cells] of int8: the seat counted from 1, or 0."""
    tiles: Array
    """The value of the tile on each cell, or 0, [..., cells] of int8."""
    turned: Array
    """The value that was turned over and has to be placed, or NOTHING, or FACE_DOWN, [...] of int8."""
    stones_left: Array
    """How many stones each seat has left, [..., seats] of int8."""
    stocks: Array
    """How many tiles are left to turn over, [..., stocks] of int8: each seat's own, or one for all (I10)."""
    unseen: Array
    """How many tiles of each value nobody has seen, [..., values] of int8."""
    turn: Array


class IsisOsirisRules(Rules[IsisOsirisState]):
    """Isis & Osiris on a board for a number of seats; get them from ``isis_osiris(edition, seats, variant)``."""

    def __init__(self, edition: str, seats: int, variant: str) -> None:
        self.setup = find_setup(edition, seats, variant, memory_aid=False, starter=0)
        self.edition = self.setup.edition
        self.seats = seats
        self.cells = self.edition.size
        self.turning = self.cells
        """The move that turns a tile over."""
        self.actions = self.cells + 1
        self.values = np.array(self.setup.values, np.int8)
        self.outcomes = len(self.values)
        self.max_steps = self.cells + 2 * min(sum(self.setup.stocks), self.cells)
        self._stock_of = np.array(self.setup.stock_of)

    def init(self, starters: Array) -> IsisOsirisState:
        shape = jnp.shape(starters)

        def each(numbers: tuple[int, ...]) -> Array:
            return jnp.broadcast_to(jnp.array(numbers, jnp.int8), (*shape, len(numbers)))

        return IsisOsirisState(
            stones=jnp.zeros((*shape, self.cells), jnp.int8),
            tiles=jnp.zeros((*shape, self.cells), jnp.int8),
            turned=jnp.full(shape, NOTHING, jnp.int8),
            stones_left=each(self.setup.stones),
            stocks=each(self.setup.stocks),
            unseen=each(tuple(self.edition.tiles.values())),
            turn=jnp.asarray(starters, jnp.int8),
        )

    def read(self, state: games.IsisOsirisState) -> IsisOsirisState:
        owners = [
            next((seat + 1 for seat, stones in enumerate(state.stones) if stones >> cell & 1), 0)
            for cell in range(self.cells)
        ]
        fields: dict[str, object] = {
            "stones": owners,
            "tiles": state.tiles,
            "turned": state.turned,
            "stones_left": state.stones_left,
            "stocks": state.stocks,
            "unseen": state.unseen,
            "turn": state.turn,
        }
        arrays: dict[str, Any] = {name: np.array(field, np.int8) for name, field in fields.items()}
        return IsisOsirisState(**arrays)

    def legal(self, state: IsisOsirisState) -> Array:
        mine = jnp.arange(self.seats) == state.turn[..., None]
        stone, tile = ((left * mine).sum(-1) > 0 for left in (state.stones_left, self.tiles_left(state)))
        turned = state.turned != NOTHING
        lay = self.free(state) & (turned | stone)[..., None]  # I2, I4
        moves = jnp.concatenate([lay, (~turned & tile)[..., None]], -1)
        return moves & ~(self.waiting(state) | self.over(state))[..., None]

    def step(self, state: IsisOsirisState, actions: Array) -> IsisOsirisState:
        decided = ~(self.waiting(state) | self.over(state))
        turning = decided & (actions == self.turning)
        laying = decided & ~turning
        is_stone = state.turned == NOTHING
        mine = jnp.arange(self.seats) == state.turn[..., None]
        here = (jnp.arange(self.cells) == actions[..., None]) & laying[..., None]
        stock = jnp.arange(state.stocks.shape[-1]) == jnp.asarray(self._stock_of)[state.turn][..., None]
        after = state._replace(
            stones=jnp.where(here & is_stone[..., None], state.turn[..., None] + 1, state.stones),
            tiles=jnp.where(here & ~is_stone[..., None], state.turned[..., None], state.tiles),
            turned=jnp.where(turning, FACE_DOWN, jnp.where(laying, NOTHING, state.turned)).astype(jnp.int8),
            stones_left=state.stones_left - (mine & (laying & is_stone)[..., None]),
            stocks=state.stocks - (stock & turning[..., None]),
        )
        can = (after.stones_left > 0) | (self.tiles_left(after) > 0)  # I10
        follows, _ = next_seat(state.turn, can)
        return after._replace(turn=jnp.where(laying, follows, state.turn))

    def odds(self, state: IsisOsirisState) -> Array:
        """Each unseen tile is equally likely to be the one that is turned over (I1)."""
        unseen = state.unseen.astype(jnp.float32)
        return jnp.where(self.waiting(state)[..., None], unseen / jnp.maximum(unseen.sum(-1, keepdims=True), 1), 0)

    def happen(self, state: IsisOsirisState, outcomes: Array) -> IsisOsirisState:
        waiting = self.waiting(state)
        shown = (jnp.arange(self.outcomes) == outcomes[..., None]) & waiting[..., None]
        value = jnp.asarray(self.values)[outcomes]
        return state._replace(turned=jnp.where(waiting, value, state.turned), unseen=state.unseen - shown)

    def waiting(self, state: IsisOsirisState) -> Array:
        return state.turned == FACE_DOWN

    def turn(self, state: IsisOsirisState) -> Array:
        return state.turn

    def over(self, state: IsisOsirisState) -> Array:
        """The last cell is filled (I6)."""
        return ~self.free(state).any(-1)

    def free(self, state: IsisOsirisState) -> Array:
        """Which cells are free, [..., cells]."""
        return (state.stones == 0) & (state.tiles == 0)

    def tiles_left(self, state: IsisOsirisState) -> Array:
        """How many tiles each seat can still turn over: its own, or those of the common stock, [..., seats]."""
        return state.stocks[..., self._stock_of]

    def worths(self, state: IsisOsirisState) -> Array:
        """What a stone on each cell scores: the sum of the tiles beside it (I7), [..., cells] of int32."""
        shape = state.turn.shape
        tiles = state.tiles.astype(jnp.int32).reshape(*shape, self.edition.height, self.edition.width)
        wide = jnp.pad(tiles, [(0, 0)] * len(shape) + [(1, 1), (1, 1)])
        beside = wide[..., :-2, 1:-1] + wide[..., 2:, 1:-1] + wide[..., 1:-1, :-2] + wide[..., 1:-1, 2:]
        return beside.reshape(*shape, self.cells)

    def scores(self, state: IsisOsirisState) -> Array:
        """The totals as the board stands (I7)."""
        theirs = state.stones[..., None, :] == jnp.arange(1, self.seats + 1)[:, None]
        return (theirs * self.worths(state)[..., None, :]).sum(-1, dtype=jnp.int32)

    def places(self, state: IsisOsirisState) -> Array:
        """Highest total first; equal totals share the place (I8)."""
        return places(-self.scores(state))

    def observe(self, state: IsisOsirisState, side: int | None = None) -> Observation:
        """What a seat with a perfect memory knows, on a canvas with this side or, without it, the board's own size."""
        return observe(self, state, side)


@cache
def isis_osiris(edition: str = "standard", seats: int = 2, variant: str = "own") -> IsisOsirisRules:
    """The rules at such a table."""
    return IsisOsirisRules(edition, seats, variant)
