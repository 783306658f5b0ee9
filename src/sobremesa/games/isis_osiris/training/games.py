"""Thousands of games of Isis & Osiris at tables of every kind side by side, all on the device.

Every placement fills a cell, so all games have 36 of them and go in step. Who draws a tile draws the next of a shuffled
deal: of the unseen tiles each is equally likely, as in `sobremesa.games.isis_osiris.state`.
"""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sobremesa.batch.rules import next_seat, places
from sobremesa.games.isis_osiris.editions import VARIANTS, find_setup
from sobremesa.games.isis_osiris.engine.features import (
    CELLS,
    COPIES,
    EDITION,
    SLOTS,
    VALUES,
    Positions,
    features,
    rotated,
    totals,
)
from sobremesa.games.isis_osiris.training import network
from sobremesa.games.isis_osiris.training.network import Quality, Weights

KINDS = tuple((variant, seats) for variant in VARIANTS for seats in EDITION.hands)
"""The kinds of tables: a stock of one's own or a common one, and the number of seats."""
KIND_CYCLE = np.array([0] * 5 + list(range(1, len(KINDS))))
"""The kinds of the games to learn from, over and over: half of them are own stocks for two."""
ALL_TILES = np.repeat(VALUES, COPIES)
"""The values of all tiles, [22]."""
NOISY_PLACEMENTS = 12
"""The placements in which the Gumbel scale falls to 0, so that choices nearly as good as the best have a chance."""


class Games(NamedTuple):
    """Played games, placement by placement, [T, N, ...]."""

    positions: Positions
    """Before the placement."""
    pieces: Array
    """What was placed: 0 for a stone, else a tile of the value before it in VALUES."""
    cells: Array
    explored: Array
    """Whether the placement was random."""
    values: Array
    """The share of first place and the margin, by seat, expected before the placement, [T, N, 2, 4]."""


def _by_seat(kind: tuple[str, int], pieces: str) -> list[int]:
    setup = find_setup(EDITION.name, kind[1], kind[0], memory_aid=False, starter=0)
    left = setup.stones if pieces == "stones" else [setup.stocks[stock] for stock in setup.stock_of]
    return [*left, *[0] * (SLOTS - kind[1])]


def begin(kinds: Array) -> Positions:
    """New games of these kinds, [N]; the first seat starts."""
    shape = (len(kinds), CELLS)
    stones, tiles = (np.array([_by_seat(kind, what) for kind in KINDS], np.int8) for what in ("stones", "tiles"))
    return Positions(
        seats=jnp.asarray([seats for _, seats in KINDS], jnp.int8)[kinds],
        common=jnp.asarray([VARIANTS.index(variant) for variant, _ in KINDS], jnp.int8)[kinds],
        turn=jnp.zeros(len(kinds), jnp.int8),
        stones=jnp.zeros(shape, jnp.int8),
        tiles=jnp.zeros(shape, jnp.int8),
        stones_left=jnp.asarray(stones)[kinds],
        tiles_left=jnp.asarray(tiles)[kinds],
        unseen=jnp.broadcast_to(jnp.asarray(COPIES), (len(kinds), len(VALUES))),
    )


def deals(key: Array, batch: int) -> Array:
    """The tiles in the order in which they will be turned over, as pieces, [N, 22]."""
    pieces = 1 + np.repeat(np.arange(len(VALUES)), COPIES)
    return jax.random.permutation(key, jnp.broadcast_to(pieces, (batch, len(pieces))), axis=1, independent=True)


def free(at: Positions) -> Array:
    """The free cells, [N, 36]."""
    return jnp.asarray((at.stones == 0) & (at.tiles == 0))


def pieces_left(at: Positions) -> tuple[Array, Array]:
    """How many stones the mover has, [N], and how many tiles he can turn over, [N]."""
    mine = jnp.arange(SLOTS) == at.turn[:, None]
    return (at.stones_left * mine).sum(-1), (at.tiles_left * mine).sum(-1)


def place(at: Positions, pieces: Array, cells: Array) -> Positions:
    """The positions after a piece [N] was placed on a cell [N] in each (I2)."""
    tile = pieces[:, None] > 0
    here = jnp.arange(CELLS) == cells[:, None]
    mine = jnp.arange(SLOTS) == at.turn[:, None]
    there = jnp.arange(SLOTS) < at.seats[:, None]
    values = jnp.asarray(np.append(0, VALUES), jnp.int8)[pieces]
    after = at._replace(
        stones=jnp.where(here & ~tile, at.turn[:, None] + 1, at.stones).astype(jnp.int8),
        tiles=jnp.where(here & tile, values[:, None], at.tiles),
        stones_left=at.stones_left - (mine & ~tile),
        tiles_left=at.tiles_left - (tile & there & (mine | (at.common[:, None] == 1))),
        unseen=at.unseen - (jnp.arange(1, len(VALUES) + 1) == pieces[:, None]),
    )
    follows, _ = next_seat(at.turn, (after.stones_left > 0) | (after.tiles_left > 0))  # I10
    return after._replace(turn=follows)


def shares(at: Positions) -> Array:
    """By seat, the share of first place as the boards stand (I8), [N, 4]."""
    there = jnp.arange(SLOTS) < at.seats[:, None]
    first = there & (places(jnp.where(there, -totals(at, jnp), jnp.inf)) == 1)
    return jnp.divide(first, first.sum(-1, keepdims=True))


def move(
    key: Array, at: Positions, deal: Array, found: Quality, epsilon: Array | float, gumbel_scale: Array | float
) -> tuple[Positions, Games]:
    """A placement in each game, by what the network has found there, and what it was chosen from.

    A share of the placements, epsilon, is random. With a Gumbel scale, those nearly as good as the best may be chosen.
    """
    for_coin, for_kind, for_cell, for_noise = jax.random.split(key, 4)
    everyone, open_cells = jnp.arange(len(at.turn)), free(at)
    stones, tiles = pieces_left(at)
    odds = at.unseen / jnp.maximum(at.unseen.sum(-1, keepdims=True), 1)
    choice = network.choose(found, open_cells, odds, stones > 0, tiles > 0)
    explored = jax.random.uniform(for_coin, at.turn.shape) < epsilon
    noise = gumbel_scale * jax.random.gumbel(for_noise, (CELLS + 1, len(everyone)))
    either = jnp.where(explored, 2 * jax.random.uniform(for_kind, at.turn.shape) - 1, choice.turning + noise[-1])
    turning = (tiles > 0) & ((stones == 0) | (either > 0))
    drawn = deal[everyone, len(ALL_TILES) - at.unseen.sum(-1, dtype=jnp.int32)]
    pieces = jnp.where(turning, drawn, 0)
    utilities = choice.utilities[:, everyone, pieces] + noise[:-1]
    anywhere = jnp.where(open_cells, jax.random.uniform(for_cell, open_cells.shape), -1).argmax(-1)
    cells = jnp.where(explored, anywhere, utilities.argmax(0))
    values = rotated(jnp.stack(choice.value, 1), -at.turn, at.seats, jnp)
    return place(at, pieces, cells), Games(at, pieces, cells, explored, values)


def play(
    weights: Weights, key: Array, batch: int, epsilon: Array | float, gumbel_scale: Array | float, dtype: Any
) -> tuple[Games, Positions]:
    """Plays games of all kinds to the end: all placements, and the full boards."""
    for_deal, for_moves = jax.random.split(key)
    deal = deals(for_deal, batch)
    gumbel_scales = gumbel_scale * jnp.maximum(0, 1 - jnp.arange(CELLS) / NOISY_PLACEMENTS)

    def decide(at: Positions, now: tuple[Array, Array]) -> tuple[Positions, Games]:
        return move(now[0], at, deal, network.quality(weights, *features(at, jnp), dtype), epsilon, now[1])

    first = begin(jnp.asarray(np.resize(KIND_CYCLE, batch)))
    last, games = lax.scan(decide, first, (jax.random.split(for_moves, CELLS), gumbel_scales))
    return games, last


@partial(jax.jit, static_argnames=("batch", "dtype"))
def match(
    weights: Weights, others: Weights, random: Array | float, kind: Array, key: Array, *, batch: int, dtype: Any
) -> Array:
    """The shares of first place of a network that sits among others, every seat in turn with the same deal, [N].

    The others move at random with this probability, 0 to 1.
    """
    start, games = begin(jnp.full(batch, kind)), jnp.arange(batch)
    deal, seat = deals(key, batch)[games // start.seats], games % start.seats

    def decide(at: Positions, key: Array) -> tuple[Positions, None]:
        mine = at.turn == seat
        seen = features(at, jnp)
        own, theirs = (network.quality(each, *seen, dtype) for each in (weights, others))
        found = Quality(*(jnp.where(mine[:, None, None], *each) for each in zip(own, theirs, strict=True)))
        return move(key, at, deal, found, jnp.where(mine, 0, random), 0.0)[0], None

    last, _ = lax.scan(decide, start, jax.random.split(jax.random.fold_in(key, 1), CELLS))
    return shares(last)[games, seat]


def evaluate(
    weights: Weights, others: Weights, random: float, kind: int, games: int, batch: int, seed: int, dtype: Any
) -> dict[str, float]:
    """How a network does at a table among others; a fair share is one seat's."""
    keys = jax.random.split(jax.random.key(seed), -(-games // batch))
    found = [match(weights, others, random, kind, key, batch=batch, dtype=dtype) for key in keys]
    won = np.concatenate([np.asarray(part) for part in found])
    return {"games": len(won), "share": float(won.mean()), "standard_error": float(won.std() / np.sqrt(len(won)))}
