"""What a network learns from remembered games of Callisto: positions, turned at random, and what to say of them."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.callisto import CallistoRules, CallistoState
from sobremesa.batch.callisto_observation import NO_CELL, NOBODY
from sobremesa.batch.rules import slots
from sobremesa.training import callisto_network as network
from sobremesa.training.callisto_games import Table, log_policy, results
from sobremesa.training.callisto_network import THERE, Answer, Weights
from sobremesa.training.callisto_search import at_each

TRIES = 4
"""So often another position is drawn where a game is not over yet."""
LEAST = 1e-6
"""Less than this is not expected of all forgotten moves together."""


class Lessons(NamedTuple):
    """Positions as the mover sees them, and the goals of learning."""

    planes: Array
    """[n, 16, side, side]"""
    table: Array
    """[n, 70]"""
    legal: Array
    """[n, placements] of bool"""
    moves: Array
    """The likeliest placements, [n, 32],"""
    shares: Array
    """and how likely they should be, [n, 32]; what is missing to 1 belongs to all others together."""
    goals: Array
    """What slots should hope for, as in `callisto_games.worth`, [n, 4, 2]."""
    owners: Array
    """Who will own each cell, [n, side, side]."""
    counts: Array
    """1 where the game is over, so that there is something to learn; else 0. [n]"""


def draw(
    rules: CallistoRules,
    table: Table,
    key: Array,
    upto: Array | int,
    window: Array | int,
    trust: Array | float,
    count: int,
) -> Lessons:
    """Lessons from the last rows before one, as many rows as the window has.

    Values are as far from what a search has found to what came of the game as the outcome is trusted, 0 to 1.
    """
    for_row, for_game, for_symmetry = jax.random.split(key, 3)
    rows, batch = table.memory.games.shape
    row = (upto - 1 - jax.random.randint(for_row, (TRIES, count), 0, window)) % rows
    game = jax.random.randint(for_game, (TRIES, count), 0, batch)
    over = table.latest.out[table.memory.games[row, game], game].all(-1)
    try_ = over.argmax(0)
    row, game = at_each(row.T, try_), at_each(game.T, try_)
    known = jax.tree.map(lambda part: part[row, game], table.memory)
    end = CallistoState(*(part[known.games, game] for part in table.latest))
    goals = trust * results(rules, end) + (1 - trust) * known.values
    lessons = plain(rules, known.positions, end, known.moves, known.shares, goals, over.any(0))
    return turned(rules, lessons, jax.random.randint(for_symmetry, (count,), 0, 8))


def plain(
    rules: CallistoRules,
    state: CallistoState,
    end: CallistoState,
    moves: Array,
    shares: Array,
    goals: Array,
    counts: Array,
) -> Lessons:
    """Lessons from positions that are not turned; goals are by seat."""
    seen = rules.observe(state)
    return Lessons(
        planes=seen.planes,
        table=seen.table,
        legal=rules.legal(state),
        moves=moves.astype(jnp.int32),
        shares=shares.astype(jnp.float32),
        goals=slots(goals, state.turn),
        owners=rules.owners(end, state.turn),
        counts=counts.astype(jnp.float32),
    )


def turned(rules: CallistoRules, lessons: Lessons, symmetry: Array) -> Lessons:
    """The same lessons on turned boards, each by one of the 8 symmetries of the square, [n]."""
    symmetries = rules.tables.symmetries
    back = jnp.asarray(np.argsort(symmetries, 1))
    return lessons._replace(
        planes=_turned(lessons.planes, symmetry),
        legal=jnp.take_along_axis(lessons.legal, jnp.asarray(symmetries)[symmetry], 1),
        moves=back[symmetry[:, None], lessons.moves],
        owners=_turned(lessons.owners, symmetry),
    )


def _turned(x: Array, symmetry: Array) -> Array:
    """Canvases, [n, ..., side, side], each turned as `Tables.symmetries` says."""
    wide = symmetry.reshape(-1, *[1] * (x.ndim - 1))
    x = jnp.where(wide & 1 > 0, x[..., ::-1], x)
    x = jnp.where(wide & 2 > 0, x[..., ::-1, :], x)
    return jnp.where(wide & 4 > 0, x.swapaxes(-1, -2), x)


def answers(weights: Weights, lessons: list[Lessons]) -> list[Answer]:
    """What the network says of each kind's lessons; those on canvases of one size are looked at together."""
    sides = [each.planes.shape[-1] for each in lessons]
    found: dict[int, list[Answer]] = {}
    for side in dict.fromkeys(sides):
        alike = [each for each, own in zip(lessons, sides, strict=True) if own == side]
        planes, table = (
            jnp.concatenate([each.planes for each in alike]),
            jnp.concatenate([each.table for each in alike]),
        )
        ends = np.cumsum([len(each.table) for each in alike])[:-1]
        parts = (jnp.split(part, ends) for part in network.answer(weights, planes, table))
        found[side] = [Answer(*each) for each in zip(*parts, strict=True)]
    return [found[side].pop(0) for side in sides]


def losses(rules: CallistoRules, found: Answer, lessons: Lessons) -> dict[str, Array]:
    """How far answers are from each goal, each [n]: as cross-entropy, but for margins in square UNITs."""
    likely = jnp.take_along_axis(log_policy(rules, found, lessons.legal), lessons.moves, 1)
    others = jnp.log(jnp.maximum(1 - jnp.exp(likely).sum(-1), LEAST))
    rest = jnp.maximum(1 - lessons.shares.sum(-1), 0)
    there = lessons.table[:, THERE] > 0
    wins, margins = jnp.where(there, (lessons.goals[..., 0] + 1) / 2, 0), lessons.goals[..., 1]
    off = jnp.where(there, jnp.square(jnp.tanh(found.margin) - margins), 0)
    cells = lessons.owners != NO_CELL
    owners = jnp.take_along_axis(
        jax.nn.log_softmax(found.owners[..., : NOBODY + 1]), jnp.maximum(lessons.owners, 0)[..., None], -1
    )
    return {
        "policy": -(lessons.shares * likely).sum(-1) - rest * others,
        "win": -(wins * jax.nn.log_softmax(found.win)).sum(-1),
        "margin": off.sum(-1) / there.sum(-1),
        "owners": -jnp.where(cells, owners[..., 0], 0).sum((1, 2)) / cells.sum((1, 2)),
    }
