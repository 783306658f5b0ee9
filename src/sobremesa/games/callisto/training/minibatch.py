"""Minibatches from the replay buffer of Callisto: positions with symmetric augmentation, their targets and losses."""

from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from sobremesa.batch.rules import slots
from sobremesa.games.callisto.batch.observation import NO_CELL, NOBODY
from sobremesa.games.callisto.batch.rules import CallistoRules, CallistoState
from sobremesa.games.callisto.training import network
from sobremesa.games.callisto.training.games import MAX_POLICY_MOVES, SelfPlay, log_policy, results
from sobremesa.games.callisto.training.league import League, draw
from sobremesa.games.callisto.training.network import THERE, Answer, Weights
from sobremesa.games.callisto.training.search import at_each

MAX_DRAWS = 4
"""How often a position is drawn, at most, until one of a game that is over is found."""
MIN_REST_PROBABILITY = 1e-6
"""The least probability of all moves together that the replay buffer does not keep."""


STRANGERS_WEIGHTS = {"policy": 0.25, "win": 0.5, "margin": 0.5, "owners": 0.5, "strangers": 1.0}
"""How much each loss counts where strangers have played, beside what it counts elsewhere.

Their policy is not ours, and there are few of their games: their results could be learnt by heart.
"""


class Minibatch(NamedTuple):
    """A minibatch: positions as the mover sees them, and the targets of learning."""

    planes: Array
    """The planes of the observations, [n, 16, side, side]."""
    numbers: Array
    """The numbers of the observations, [n, 70]."""
    legal: Array
    """Which placements are legal, [n, placements] of bool."""
    moves: Array
    """The likeliest placements, [n, 32]."""
    shares: Array
    """The policy target: how likely these should be, [n, 32]; what is missing to 1 belongs to all others together."""
    value_targets: Array
    """The value targets by slot, as in `callisto_games.worth`, [n, 4, 2]."""
    owners: Array
    """Who will own each cell, [n, side, side]: an auxiliary target."""
    mask: Array
    """1 where the game is over, so that there is something to learn, else 0, [n]."""
    strangers: Array
    """1 where strangers have played, else 0, [n]."""


def sample(
    rules: CallistoRules,
    selfplay: SelfPlay,
    key: Array,
    upto: Array | int,
    window: Array | int,
    outcome_weight: Array | float,
    count: int,
) -> Minibatch:
    """A minibatch from the last rows before ``upto``, as many rows as the window has.

    Value targets mix what came of the game with what a search has found, by the weight of the outcome, 0 to 1.
    """
    for_row, for_game, for_symmetry = jax.random.split(key, 3)
    rows, batch = selfplay.replay.games.shape
    row = (upto - 1 - jax.random.randint(for_row, (MAX_DRAWS, count), 0, window)) % rows
    game = jax.random.randint(for_game, (MAX_DRAWS, count), 0, batch)
    over = selfplay.latest.out[selfplay.replay.games[row, game], game].all(-1)
    try_ = over.argmax(0)
    row, game = at_each(row.T, try_), at_each(game.T, try_)
    known = jax.tree.map(lambda part: part[row, game], selfplay.replay)
    end = CallistoState(*(part[known.games, game] for part in selfplay.latest))
    value_targets = outcome_weight * results(rules, end) + (1 - outcome_weight) * known.values
    minibatch = plain(rules, known.positions, end, known.moves, known.shares, value_targets, over.any(0))
    return augmented(rules, minibatch, jax.random.randint(for_symmetry, (count,), 0, 8))


def sample_league(rules: CallistoRules, league: League, key: Array, count: int) -> Minibatch:
    """A minibatch of what strangers have met, placed and come to."""
    for_games, for_symmetry = jax.random.split(key)
    drawn = draw(league, for_games, count)
    moves = jnp.zeros((count, MAX_POLICY_MOVES), jnp.int32).at[:, 0].set(drawn.moves)
    shares = jnp.zeros((count, MAX_POLICY_MOVES)).at[:, 0].set(1.0)
    minibatch = plain(rules, drawn.positions, drawn.ends, moves, shares, results(rules, drawn.ends), drawn.there)
    minibatch = minibatch._replace(strangers=jnp.ones(count))
    return augmented(rules, minibatch, jax.random.randint(for_symmetry, (count,), 0, 8))


def plain(
    rules: CallistoRules,
    state: CallistoState,
    end: CallistoState,
    moves: Array,
    shares: Array,
    value_targets: Array,
    mask: Array,
) -> Minibatch:
    """A minibatch from positions that are not turned; value targets are by seat."""
    seen = rules.observe(state)
    return Minibatch(
        planes=seen.planes,
        numbers=seen.numbers,
        legal=rules.legal(state),
        moves=moves.astype(jnp.int32),
        shares=shares.astype(jnp.float32),
        value_targets=slots(value_targets, state.turn),
        owners=rules.owners(end, state.turn),
        mask=mask.astype(jnp.float32),
        strangers=jnp.zeros(len(mask)),
    )


def augmented(rules: CallistoRules, minibatch: Minibatch, symmetry: Array) -> Minibatch:
    """Symmetric augmentation: the minibatch on turned boards, each by one of the 8 symmetries of the square, [n]."""
    symmetries = rules.arrays.symmetries
    back = jnp.asarray(np.argsort(symmetries, 1))
    return minibatch._replace(
        planes=_turn_canvas(minibatch.planes, symmetry),
        legal=jnp.take_along_axis(minibatch.legal, jnp.asarray(symmetries)[symmetry], 1),
        moves=back[symmetry[:, None], minibatch.moves],
        owners=_turn_canvas(minibatch.owners, symmetry),
    )


def _turn_canvas(x: Array, symmetry: Array) -> Array:
    """Canvases, [n, ..., side, side], each turned as `BoardArrays.symmetries` says."""
    wide = symmetry.reshape(-1, *[1] * (x.ndim - 1))
    x = jnp.where(wide & 1 > 0, x[..., ::-1], x)
    x = jnp.where(wide & 2 > 0, x[..., ::-1, :], x)
    return jnp.where(wide & 4 > 0, x.swapaxes(-1, -2), x)


def answers(weights: Weights, minibatches: list[Minibatch]) -> list[Answer]:
    """What the network says of each kind's minibatch; those on canvases of one size are computed together."""
    sides = [each.planes.shape[-1] for each in minibatches]
    found: dict[int, list[Answer]] = {}
    for side in dict.fromkeys(sides):
        alike = [each for each, own in zip(minibatches, sides, strict=True) if own == side]
        planes, numbers = (
            jnp.concatenate([each.planes for each in alike]),
            jnp.concatenate([each.numbers for each in alike]),
        )
        ends = np.cumsum([len(each.numbers) for each in alike])[:-1]
        parts = (jnp.split(part, ends) for part in network.answer(weights, planes, numbers))
        found[side] = [Answer(*each) for each in zip(*parts, strict=True)]
    return [found[side].pop(0) for side in sides]


def losses(rules: CallistoRules, found: Answer, minibatch: Minibatch) -> dict[str, Array]:
    """The losses of each target, each [n]: cross-entropies, and for margins the square error in MARGIN_UNITs.

    Each is weighted by whose game it is; what strangers would place is learnt from their games alone.
    """
    there = minibatch.numbers[:, THERE] > 0
    wins, margins = jnp.where(there, (minibatch.value_targets[..., 0] + 1) / 2, 0), minibatch.value_targets[..., 1]
    off = jnp.where(there, jnp.square(jnp.tanh(found.margin) - margins), 0)
    cells = minibatch.owners != NO_CELL
    owners = jnp.take_along_axis(
        jax.nn.log_softmax(found.owners[..., : NOBODY + 1]), jnp.maximum(minibatch.owners, 0)[..., None], -1
    )
    each = {
        "policy": _policy_loss(rules, found, minibatch),
        "win": -(wins * jax.nn.log_softmax(found.win)).sum(-1),
        "margin": off.sum(-1) / there.sum(-1),
        "owners": -jnp.where(cells, owners[..., 0], 0).sum((1, 2)) / cells.sum((1, 2)),
        "strangers": _policy_loss(rules, found._replace(policy=found.strangers), minibatch),
    }
    ours = dict.fromkeys(each, 1.0) | {"strangers": 0.0}
    theirs = minibatch.strangers > 0
    return {name: jnp.where(theirs, STRANGERS_WEIGHTS[name], ours[name]) * loss for name, loss in each.items()}


def _policy_loss(rules: CallistoRules, found: Answer, minibatch: Minibatch) -> Array:
    likely = jnp.take_along_axis(log_policy(rules, found, minibatch.legal), minibatch.moves, 1)
    others = jnp.log(jnp.maximum(1 - jnp.exp(likely).sum(-1), MIN_REST_PROBABILITY))
    rest = jnp.maximum(1 - minibatch.shares.sum(-1), 0)
    return -(minibatch.shares * likely).sum(-1) - rest * others
