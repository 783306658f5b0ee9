"""Knister for thousands of tables at a time, with any number of seats (K1 to K6).

All write at the same time, and nobody sees where before the round is over (K1). Here the seats are asked one by one,
from the first to the last, and see of the others only what the last round left: that is the same game. A move is
the number of a cell. Who rolls the dice makes no difference, so the starter is not kept. Single sheets are in
:mod:`sobremesa.games.knister.batch.rules`.
"""

from functools import cache
from typing import Any, NamedTuple

import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.rules import Observation, Rules, places
from sobremesa.games import knister as games
from sobremesa.games.knister.batch import rules as sheet
from sobremesa.games.knister.scoring import CELLS, SIDE
from sobremesa.games.knister.state import NO_ROLL

POINTS_UNIT = 100.0
"""The points that an observation calls one."""
PLANES = sheet.SYMBOLS
NUMBERS = len(sheet.ROLLS) + 5


class KnisterState(NamedTuple):
    """Positions."""

    sheets: Array
    """The sheets as they are now, [..., seats, 25] of int8."""
    closed: Array
    """The sheets as they were when the last round ended: what others may see of them, [..., seats, 25] of int8."""
    roll: Array
    """The roll that is being written, 2 to 12, or NO_ROLL, [...] of int8."""
    rounds: Array
    """How many rounds have ended, [...] of int8."""
    to_write: Array
    """Who has not written the roll yet, [..., seats] of bool."""


class KnisterRules(Rules[KnisterState]):
    """Knister for a number of seats; get them from ``knister(seats)``."""

    actions = CELLS
    outcomes = len(sheet.ROLLS)

    def __init__(self, seats: int) -> None:
        self.seats = seats
        self.max_steps = CELLS * (seats + 1)

    def init(self, starters: Array) -> KnisterState:
        shape = jnp.shape(starters)
        blank = jnp.zeros((*shape, self.seats, CELLS), jnp.int8)
        none = jnp.zeros(shape, jnp.int8)
        return KnisterState(blank, blank, none, none, jnp.zeros((*shape, self.seats), bool))

    def read(self, state: games.KnisterState) -> KnisterState:
        fields: dict[str, Any] = {
            "sheets": np.frombuffer(b"".join(state.sheets), np.int8).reshape(-1, CELLS),
            "closed": np.frombuffer(b"".join(state.closed), np.int8).reshape(-1, CELLS),
            "roll": np.int8(state.roll),
            "rounds": np.int8(state.rounds),
            "to_write": np.array([seat in state.deciding for seat in range(self.seats)]),
        }
        return KnisterState(**fields)

    def legal(self, state: KnisterState) -> Array:
        return sheet.legal(self.own_sheet(state)) & (state.roll != NO_ROLL)[..., None]

    def step(self, state: KnisterState, actions: Array) -> KnisterState:
        mine = self._mine(state) & state.to_write
        here = mine[..., None] & (jnp.arange(CELLS) == actions[..., None, None])
        sheets = jnp.where(here, state.roll[..., None, None], state.sheets)
        to_write = state.to_write & ~mine
        last = mine.any(-1) & ~to_write.any(-1)
        return KnisterState(
            sheets=sheets,
            closed=jnp.where(last[..., None, None], sheets, state.closed),
            roll=jnp.where(last, NO_ROLL, state.roll).astype(jnp.int8),
            rounds=state.rounds + last.astype(jnp.int8),
            to_write=to_write,
        )

    def odds(self, state: KnisterState) -> Array:
        """The sum of two dice (K1)."""
        return self.waiting(state)[..., None] * sheet.ODDS

    def happen(self, state: KnisterState, outcomes: Array) -> KnisterState:
        waiting = self.waiting(state)
        return state._replace(
            roll=jnp.where(waiting, jnp.asarray(sheet.ROLLS)[outcomes], state.roll),
            to_write=state.to_write | waiting[..., None],
        )

    def waiting(self, state: KnisterState) -> Array:
        return (state.roll == NO_ROLL) & (state.rounds < CELLS)

    def deciding(self, state: KnisterState) -> Array:
        return state.to_write

    def turn(self, state: KnisterState) -> Array:
        """The first seat that has not written."""
        return state.to_write.argmax(-1)

    def _mine(self, state: KnisterState) -> Array:
        return jnp.arange(self.seats) == self.turn(state)[..., None]

    def over(self, state: KnisterState) -> Array:
        return (state.roll == NO_ROLL) & (state.rounds == CELLS)

    def scores(self, state: KnisterState) -> Array:
        return sheet.points(state.sheets)

    def places(self, state: KnisterState) -> Array:
        """Most points first; equal totals share the place (K6)."""
        return places(-self.scores(state))

    def own_sheet(self, state: KnisterState) -> Array:
        """The sheet of the seat to decide, [..., 25]."""
        return jnp.take_along_axis(state.sheets, self.turn(state)[..., None, None], -2)[..., 0, :]

    def observe(self, state: KnisterState) -> Observation:
        """What the seat to decide sees.

        Planes [..., 12, 5, 5]: the cells of one's own sheet that are free, then those with each sum.
        Numbers: 0-10 the roll; 11 the share of rounds that have ended; 12 own points; 13 the best points of another;
        14 the share of the others that were ahead when the last round ended; 15 one over the number of seats.
        """
        own = self.own_sheet(state)
        symbols = jnp.array([0, *sheet.ROLLS.tolist()], jnp.int8)
        planes = own[..., None, :] == symbols[:, None]
        standing = sheet.points(state.closed)
        mine = self._mine(state)
        before = (standing * mine).sum(-1)
        best = jnp.where(mine, 0, standing).max(-1)
        ahead = (standing > before[..., None]).sum(-1) / max(self.seats - 1, 1)
        scalars = [
            state.rounds / CELLS,
            sheet.points(own) / POINTS_UNIT,
            best / POINTS_UNIT,
            ahead,
            jnp.full(state.roll.shape, 1 / self.seats),
        ]
        roll = state.roll[..., None] == jnp.asarray(sheet.ROLLS)
        numbers = jnp.concatenate([roll.astype(jnp.float32), jnp.stack(scalars, -1).astype(jnp.float32)], -1)
        return Observation(planes.reshape(*planes.shape[:-1], SIDE, SIDE), numbers)


@cache
def knister(seats: int = 1) -> KnisterRules:
    """The rules at such a table."""
    return KnisterRules(seats)
