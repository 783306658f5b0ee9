"""The contract that every game keeps in JAX, as :class:`sobremesa.core.state.State` is for one game at a time.

A state is a tuple of arrays with any leading shape, written [...]: one game, a batch, or what ``jax.vmap`` makes of it.
Everything is pure, takes its random key as an argument, and can be jitted and mapped. Moves and outcomes of chance are
numbers in the library's fixed order. They are not checked: ``legal`` and ``odds`` say what may be.
"""

from abc import ABC, abstractmethod
from typing import Any, Generic, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
from jax import Array

S = TypeVar("S")
"""A game's states."""
SLOTS = 4
"""The slots for seats counted from the mover onwards: four, so that one network can serve every table."""
_CHUNK = 64


class Observation(NamedTuple):
    """What the seat to decide knows, with itself in the first slot and the others as they follow it."""

    planes: Array
    """What lies on each cell, [..., planes, height, width] of bool; row 0 is the bottom row."""
    numbers: Array
    """Everything else as numbers of about 0 to 1, [..., numbers] of float32."""


class Rules(ABC, Generic[S]):
    """The rules at one kind of table: a game, its edition and variant, and the number of seats."""

    seats: int
    actions: int
    """How many moves there are, legal or not."""
    outcomes: int
    """How many things chance can bring; 0 where nothing is left to it."""
    max_steps: int
    """The most moves and outcomes of chance, counted together, that a game can have."""

    @abstractmethod
    def init(self, starters: Array) -> S:
        """New games; the seat that starts each, [...], gives the shape."""

    @abstractmethod
    def read(self, state: Any) -> S:
        """A state of the library at such a table, as one game in NumPy arrays: its leading shape is []."""

    @abstractmethod
    def legal(self, state: S) -> Array:
        """The moves of the seat to decide, [..., actions] of bool; none while chance is awaited and at the end."""

    @abstractmethod
    def step(self, state: S, actions: Array) -> S:
        """The games after a legal move [...] in each; one that waits for chance or is over stays as it is."""

    @abstractmethod
    def odds(self, state: S) -> Array:
        """How likely each outcome of chance is, [..., outcomes] of float32; all 0 where chance is not awaited."""

    @abstractmethod
    def happen(self, state: S, outcomes: Array) -> S:
        """The games after chance brought an outcome [...] in each; one that does not wait for it stays as it is."""

    @abstractmethod
    def turn(self, state: S) -> Array:
        """The seat that ``legal`` and ``step`` mean, [...]; the last one that moved when the game is over."""

    @abstractmethod
    def over(self, state: S) -> Array:
        """Whether the game has ended, [...] of bool."""

    @abstractmethod
    def scores(self, state: S) -> Array:
        """Everybody's score as it stands, [..., seats] of int32."""

    @abstractmethod
    def places(self, state: S) -> Array:
        """Everybody's place as it stands, from 1, [..., seats] of int32."""

    @abstractmethod
    def observe(self, state: S) -> Observation:
        """What the seat to decide knows."""

    def deciding(self, state: S) -> Array:
        """The seats that have to decide now, [..., seats] of bool."""
        mine = jnp.arange(self.seats) == self.turn(state)[..., None]
        return mine & ~(self.over(state) | self.waiting(state))[..., None]

    def waiting(self, state: S) -> Array:
        """Whether it is chance that the game waits for, [...] of bool."""
        return (self.odds(state) > 0).any(-1)

    def winnings(self, state: S) -> Array:
        """One point for the first place, shared among equals, [..., seats] of float32."""
        first = self.places(state) == 1
        return first / first.sum(-1, keepdims=True)

    def settle(self, state: S, key: Array) -> S:
        """The games after chance, by this key, brought something wherever it is awaited."""
        if not self.outcomes:
            return state
        return self.happen(state, jax.random.categorical(key, jnp.log(self.odds(state))))

    def random_move(self, state: S, key: Array) -> Array:
        """A legal move in each game, [...], each as likely as the others; 0 where there is none."""
        return draw(self.legal(state), key)


def draw(legal: Array, key: Array) -> Array:
    """The number of one of those that are True, [..., n] -> [...], each as likely as the others; 0 if none is."""
    gap = -legal.shape[-1] % _CHUNK
    chunks = jnp.pad(legal, [(0, 0)] * (legal.ndim - 1) + [(0, gap)]).reshape(*legal.shape[:-1], -1, _CHUNK)
    chunk, nth = nth_of(chunks.sum(-1, dtype=jnp.int32), key)
    inside = jnp.take_along_axis(chunks, chunk[..., None, None], -2)[..., 0, :].cumsum(-1, dtype=jnp.int32)
    found = chunk * _CHUNK + (inside <= nth[..., None]).sum(-1, dtype=jnp.int32)
    return jnp.where(inside[..., -1] > 0, found, 0)


def nth_of(counts: Array, key: Array) -> tuple[Array, Array]:
    """Draws one of all things that lie in boxes, [..., boxes] of int32: its box, [...], and its place there, [...].

    Places count from 0. Where there is nothing it is the first of the first box.
    """
    upto = counts.cumsum(-1)
    total = upto[..., -1]
    ticket = jnp.minimum((jax.random.uniform(key, total.shape) * total).astype(jnp.int32), total - 1)
    box = (upto <= ticket[..., None]).sum(-1, dtype=jnp.int32)
    before = jnp.take_along_axis(upto - counts, box[..., None], -1)[..., 0]
    return box, jnp.maximum(ticket - before, 0)


def next_seat(turn: Array, can: Array) -> tuple[Array, Array]:
    """The first seat after this one, [...], that can go on, [..., seats], and which seats that skips, [..., seats].

    If none can, the turn stays and all are skipped.
    """
    seats = can.shape[-1]
    ahead = (jnp.arange(seats) - turn[..., None] - 1) % seats
    skipped = jnp.where(can, ahead, seats).min(-1)
    follows = jnp.where(skipped < seats, (turn + 1 + skipped) % seats, turn)
    return follows.astype(turn.dtype), ahead < skipped[..., None]


def places(keys: Array) -> Array:
    """Each one's place when the smallest key is best and equal keys share a place, [..., seats] -> [..., seats]."""
    return 1 + (keys[..., None, :] < keys[..., :, None]).sum(-1, dtype=jnp.int32)


def slots(by_seat: Array, first: Array) -> Array:
    """What belongs to seats, from one of them [...] onwards, [..., seats, N] -> [..., 4, N]; slots left over are 0."""
    axis, seats = first.ndim, by_seat.shape[first.ndim]
    order = (first[..., None].astype(jnp.int32) + jnp.arange(seats)) % seats
    turned = jnp.take_along_axis(by_seat, order.reshape(*order.shape, *[1] * (by_seat.ndim - axis - 1)), axis)
    return jnp.pad(turned, [(0, SLOTS - seats if at == axis else 0) for at in range(by_seat.ndim)])
