"""Thousands of solitary games of Knister played by a network, all on the device."""

from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sobremesa.games.knister.batch import rules
from sobremesa.games.knister.scoring import CELLS
from sobremesa.games.knister.training import network
from sobremesa.games.knister.training.network import Weights

DECISIONS = CELLS - network.MAX_EXACT_CELLS
"""The placements that the network is asked for; the last ones are exact without it."""


class Games(NamedTuple):
    """Played games, step by step, [T, N, ...]."""

    sheets: Array
    """Before the placement, [T, N, 25]."""
    rolls: Array
    cells: Array
    explored: Array
    """Whether the placement was random."""
    values: Array
    """What the sheet was expected to make before the roll."""


def play(
    weights: Weights, key: Array, batch: int, epsilon: Array | float, dtype: Any, *, looking: bool = False
) -> tuple[Games, Array, Array]:
    """Plays games to the end: all that was decided, [T, N]; the exact mean after that, [N]; the final points, [N].

    A share of the placements, epsilon, is random. Others are what the network values most, or, looking ahead by one
    placement, what leads to the sheet that it values most.
    """
    everyone = jnp.arange(batch)

    def of_roll(sheets: Array, qualities: Array, rolls: Array) -> Array:
        return network.best(qualities, sheets)[:, everyone, rolls]

    def decide(sheets: Array, key: Array) -> tuple[Array, Games]:
        for_roll, for_coin, for_cell = jax.random.split(key, 3)
        qualities = network.quality(weights, sheets, dtype)
        rolls = rules.roll(for_roll, batch)
        values = ahead(weights, sheets, rolls, dtype) if looking else of_roll(sheets, qualities, rolls)
        explored = jax.random.uniform(for_coin, (batch,)) < epsilon
        anywhere = jnp.where(rules.legal(sheets), jax.random.uniform(for_cell, sheets.shape), -1).argmax(-1)
        cells = jnp.where(explored, anywhere, values.argmax(0))
        seen = Games(sheets, rolls, cells, explored, network.value(qualities, sheets))
        return rules.step(sheets, cells, rolls), seen

    def finish(sheets: Array, key: Array) -> tuple[Array, None]:
        rolls = rules.roll(key, batch)
        values = of_roll(sheets, network.expected(rules.hands(sheets).T), rolls)
        return rules.step(sheets, values.argmax(0), rolls), None

    keys = jax.random.split(key, CELLS)
    sheets, games = lax.scan(decide, rules.init(batch), keys[:DECISIONS])
    exact = network.value(network.expected(rules.hands(sheets).T), sheets)
    sheets, _ = lax.scan(finish, sheets, keys[DECISIONS:])
    return games, exact, rules.points(sheets)


def ahead(weights: Weights, sheets: Array, rolls: Array, dtype: Any) -> Array:
    """What the sheet is worth with the roll in each cell, [N, 25], [N] -> [25, N]; full cells are ruled out."""

    def after(cell: Array) -> Array:
        written = rules.step(sheets, jnp.broadcast_to(cell, rolls.shape), rolls)
        value = network.value(network.quality(weights, written, dtype), written)
        return jnp.where(rules.legal(sheets)[:, cell], value, -jnp.inf)

    values: Array = lax.map(after, jnp.arange(CELLS))
    return values


@partial(jax.jit, static_argnums=(2, 3, 4))
def _totals(weights: Weights, key: Array, batch: int, dtype: Any, looking: bool) -> Array:
    return play(weights, key, batch, 0.0, dtype, looking=looking)[2]


def evaluate(
    weights: Weights, games: int, batch: int, seed: int, dtype: Any, *, looking: bool = False
) -> dict[str, float]:
    """Final points of games without any randomness but the dice's."""
    keys = jax.random.split(jax.random.key(seed), -(-games // batch))
    totals = np.concatenate([np.asarray(_totals(weights, key, batch, dtype, looking)) for key in keys])
    return {
        "games": len(totals),
        "mean": float(totals.mean()),
        "standard_error": float(totals.std() / np.sqrt(len(totals))),
        "sd": float(totals.std()),
        "over_80": float((totals > 80).mean()),
        "over_100": float((totals > 100).mean()),
    }
