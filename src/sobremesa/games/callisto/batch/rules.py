"""Callisto for thousands of games at a time (C1 to C10)."""

from functools import cache
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.rules import Observation, Rules, next_seat, nth_of, places
from sobremesa.games import callisto as games
from sobremesa.games.callisto.batch.board import AROUND, COVERS, KIND_OF_PLANE, KINDS, SIZES, board_arrays
from sobremesa.games.callisto.batch.observation import observe, owners
from sobremesa.games.callisto.board import find_board


class CallistoState(NamedTuple):
    """Positions. Sets of cells are rows of bits, as in :mod:`sobremesa.games.callisto.batch.board`."""

    cells: Array
    """The cells under each seat's tiles and pillars, [..., seats, height] of uint32."""
    pillars: Array
    """The cells under each seat's pillars, [..., seats, height] of uint32."""
    left: Array
    """How many of each piece (KINDS) each seat has in hand, [..., seats, 12] of int8."""
    out: Array
    """Who is out for good (C8), [..., seats] of bool."""
    turn: Array
    starter: Array


class CallistoRules(Rules[CallistoState]):
    """Callisto in an edition for a number of seats; get them from ``callisto(edition, seats)``.

    Moves are the placements of the library's board, in its order.
    """

    outcomes = 0

    def __init__(self, edition: str, seats: int) -> None:
        self.board = find_board(edition, seats)
        self.arrays = board_arrays(self.board)
        self.seats = seats
        self.actions = len(self.board.placements)
        self.side = max(self.board.width, self.board.height)
        """The side of the smallest canvas."""
        tiles = self.board.edition.tiles
        self.hand = np.array([len(self.board.edition.pillars), *(tiles.get(kind, 0) for kind in KINDS[1:])], np.int8)
        """What everybody begins with, [12]."""
        self.max_steps = seats * int(self.hand.sum())
        rules = self.board.edition.pillars
        lie = {"along the frame": self.arrays.rim, "outside the centre": self.arrays.cells & ~self.arrays.centre}
        self._pillar_cells = np.array([lie[rule.on] for rule in rules] + [np.zeros_like(self.arrays.rim)])
        self._beside_tiles = _all_or_none([rule.beside_tiles for rule in rules])
        self._apart = _all_or_none([rule.apart for rule in rules])

    def init(self, starters: Array) -> CallistoState:
        starters = jnp.asarray(starters, jnp.int8)
        blank = jnp.zeros((*starters.shape, self.seats, self.board.height), jnp.uint32)
        left = jnp.broadcast_to(self.hand, (*starters.shape, self.seats, len(KINDS)))
        return CallistoState(blank, blank, left, jnp.zeros((*starters.shape, self.seats), bool), starters, starters)

    def read(self, state: games.CallistoState) -> CallistoState:
        rows = self.arrays.rows
        left = np.zeros((self.seats, len(KINDS)), np.int8)
        for seat, side in enumerate(state.sides):
            left[seat, 0] = state.pillars_left(seat)
            left[seat, [KINDS.index(piece) for piece in self.board.pieces]] = side.hand
        fields: dict[str, Any] = {
            "cells": np.array([rows(side.cells) for side in state.sides]),
            "pillars": np.array([rows(side.pillars) for side in state.sides]),
            "left": left,
            "out": np.array([state.is_out(seat) for seat in range(self.seats)]),
            "turn": np.int8(max(state.turn, 0)),
            "starter": np.int8(state.starter),
        }
        return CallistoState(**fields)

    def legal(self, state: CallistoState) -> Array:
        rows = self.legal_rows(state)
        flat_rows = rows.reshape(*rows.shape[:-2], -1)[..., self.arrays.plane_row]
        return jnp.asarray(flat_rows >> self.arrays.x.astype(np.uint32) & 1, bool)

    def legal_rows(self, state: CallistoState) -> Array:
        """The legal moves of the seat to decide as rows of bits, [..., planes, height] of uint32."""
        pillars, tiles = self.fits(state, _of(state.cells, state.turn), _of(state.left, state.turn))
        rows = jnp.concatenate([pillars[..., None, :], tiles], -2)
        return jnp.where(self.over(state)[..., None, None], 0, rows)

    def random_move(self, state: CallistoState, key: Array) -> Array:
        rows = self.legal_rows(state)
        flat_rows = rows.reshape(*rows.shape[:-2], -1)
        word, nth = nth_of(jax.lax.population_count(flat_rows).astype(jnp.int32), key)
        bits = jnp.take_along_axis(flat_rows, word[..., None], -1) >> np.arange(self.board.width, dtype=np.uint32) & 1
        x = (bits.cumsum(-1) <= nth[..., None]).sum(-1)
        return jnp.where(self.over(state), 0, jnp.asarray(self.arrays.first)[word] + x).astype(jnp.int32)

    def spread(self, rows: Array, side: int | None = None) -> Array:
        """Rows of bits as cells of a canvas, [..., height] -> [..., side, side] of bool."""
        side = side or self.side
        low, left = (side - self.board.height) // 2, (side - self.board.width) // 2
        cells = (rows[..., None] >> np.arange(self.board.width, dtype=np.uint32) & 1).astype(bool)
        gaps = [(low, side - self.board.height - low), (left, side - self.board.width - left)]
        return jnp.pad(cells, [(0, 0)] * (rows.ndim - 1) + gaps)

    def step(self, state: CallistoState, actions: Array) -> CallistoState:
        moves = self.deciding(state)
        kind = jnp.asarray(self.arrays.kind)[actions][..., None]
        placed = jnp.where(moves[..., None], jnp.asarray(self.arrays.covered)[actions][..., None, :], 0)
        state = state._replace(
            cells=state.cells | placed,
            pillars=state.pillars | jnp.where(kind[..., None] == 0, placed, 0),
            left=state.left - (moves[..., None] & (jnp.arange(len(KINDS)) == kind)[..., None, :]),
        )
        return self._pass_turn(state)

    def _pass_turn(self, state: CallistoState) -> CallistoState:
        """The next seat that can place something; those who cannot on their turn are out (C7, C8, C9)."""
        pillars, tiles = self.fits(state, state.cells, state.left)
        can = (pillars != 0).any(-1) | (tiles != 0).any((-2, -1))
        turn, skipped = next_seat(state.turn, can & ~state.out)
        return state._replace(turn=turn, out=state.out | skipped)

    def fits(self, state: CallistoState, cells: Array, left: Array) -> tuple[Array, Array]:
        """Where somebody with these cells and pieces may place a pillar, [..., height], and tiles, [..., 38, height].

        For one seat, cells are [..., height] and pieces [..., 12]; for all, [..., seats, height] and [..., seats, 12].
        """
        free = self.free(state)
        standing = self.hand[0] - left[..., 0]
        pillar_cells = self.pillar_cells(state, standing)
        if cells.ndim > free.ndim:
            free = free[..., None, :]
        touching = self.beside(cells) & free  # C3
        fit, touch = jnp.full((), 0xFFFFFFFF, jnp.uint32), jnp.zeros((), jnp.uint32)
        for (dx, dy), covered in zip(AROUND, COVERS[:, 1:], strict=True):
            fit &= _shifted(free, dx, dy)[..., None, :] | ~covered
            touch |= _shifted(touching, dx, dy)[..., None, :] & covered
        have = left[..., KIND_OF_PLANE[1:]] > 0
        have &= (standing >= 2)[..., None]  # C2
        return pillar_cells & free, jnp.where(have[..., None], fit & touch, 0)

    def pillar_cells(self, state: CallistoState, standing: Array) -> Array:
        """Where a seat with so many pillars on the board may place the next, free or not (C4, C5, C6).

        [...] -> [..., height], or [..., seats] -> [..., seats, height].
        """
        all_cells, pillars = _union(state.cells), _union(state.pillars)
        beside_tiles, beside_pillars = self.beside(all_cells ^ pillars), self.beside(pillars)
        if standing.ndim > state.turn.ndim:
            beside_tiles, beside_pillars = beside_tiles[..., None, :], beside_pillars[..., None, :]
        cells = jnp.asarray(self._pillar_cells)[standing]
        cells |= beside_tiles & jnp.asarray(self._beside_tiles)[standing]
        return cells & ~(beside_pillars & jnp.asarray(self._apart)[standing])

    def beside(self, rows: Array) -> Array:
        """The cells of the board that share a side with one of these, [..., height]."""
        return (rows << 1 | rows >> 1 | _shifted(rows, 0, 1) | _shifted(rows, 0, -1)) & self.arrays.cells

    def free(self, state: CallistoState) -> Array:
        """The free cells of the board, [..., height]."""
        return ~_union(state.cells) & self.arrays.cells

    def odds(self, state: CallistoState) -> Array:
        """Nothing is left to chance."""
        return jnp.zeros((*state.turn.shape, 0), jnp.float32)

    def happen(self, state: CallistoState, outcomes: Array) -> CallistoState:
        """Nothing is left to chance."""
        return state

    def turn(self, state: CallistoState) -> Array:
        return state.turn

    def over(self, state: CallistoState) -> Array:
        return state.out.all(-1)

    def scores(self, state: CallistoState) -> Array:
        """The penalties: squares on unplaced tiles (C9)."""
        return (state.left * SIZES).sum(-1, dtype=jnp.int32)

    def places(self, state: CallistoState) -> Array:
        """Lowest penalty first; among equals whoever started later (C10)."""
        order = (jnp.arange(self.seats) - state.starter[..., None]) % self.seats
        return places(self.scores(state) * self.seats - order)

    def observe(self, state: CallistoState, side: int | None = None) -> Observation:
        """What the seat to decide sees, on a canvas with this side or, without it, the smallest one."""
        return observe(self, state, side or self.side)

    def owners(self, state: CallistoState, seat: Array, side: int | None = None) -> Array:
        """Who has each cell, [..., side, side], as slots from a seat on: see ``callisto_observation.owners``."""
        return owners(self, state, seat, side or self.side)


@cache
def callisto(edition: str = "classic", seats: int = 2) -> CallistoRules:
    """The rules at such a table."""
    return CallistoRules(edition, seats)


def _all_or_none(flags: list[bool]) -> np.ndarray:
    """For 0, 1, 2 or 3 pillars standing, all bits or none, [4, 1]."""
    return np.array([[0xFFFFFFFF if flag else 0] for flag in [*flags, False]], np.uint32)


def _shifted(rows: Array, dx: int, dy: int) -> Array:
    """Bit x of row y is what was at (x + dx, y + dy), [..., height]."""
    height = rows.shape[-1]
    if dy:
        rows = jnp.pad(rows, [(0, 0)] * (rows.ndim - 1) + [(1, 1)])[..., 1 + dy : 1 + dy + height]
    return rows >> dx if dx > 0 else rows << -dx if dx < 0 else rows


def _union(rows: Array) -> Array:
    """All seats' cells together, [..., seats, height] -> [..., height]."""
    return jnp.bitwise_or.reduce(rows, axis=-2)


def _of(by_seat: Array, seat: Array) -> Array:
    """What belongs to one seat, [..., seats, n], [...] -> [..., n]."""
    return jnp.take_along_axis(by_seat, seat[..., None, None].astype(jnp.int32), -2)[..., 0, :]
