"""Search in thousands of games at a time, on the device. It knows no game, only functions over a batch of states.

This is the search of Gumbel AlphaZero and MuZero (Danihelka and others, 2022). The root tries its most promising moves,
drawn by Gumbel noise on the priors, by sequential halving; further down a move is due if it has had fewer visits than
the improved policy, made of completed Q-values, gives it. Values are vectors over seats, and whoever moves wants the
most for himself (max^n), where mctx has one value a node; so nothing changes where the same seat moves again, or others
are out. Inner nodes keep only their best priors: since moves that were never tried are tried in that order, this is
exact until a node has ``max_children`` children.
"""

from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax
from numpy.typing import NDArray

S = TypeVar("S")
"""A game's states."""
MASKED_LOGIT = -1e9
"""The log-probability of moves that are not legal."""
_GROUP = 64
C_VISIT, C_SCALE = 50, 0.1
"""A value weighs (C_VISIT + the visits of the most visited move) * C_SCALE beside a logit of the prior."""


class SearchSettings(NamedTuple):
    """How much is searched."""

    simulations: int = 24
    considered: int = 12
    """The most moves that are tried at the root."""
    max_children: int = 8
    """The most moves that other nodes know."""


class Evaluation(NamedTuple):
    """The evaluation of states, [B]."""

    priors: Array
    """Log-probabilities of moves, [B, moves]; MASKED_LOGIT where a move is not legal."""
    values: Array
    """The value of each seat in several parts, estimated or, at the end, exact, [B, seats, parts]."""
    turn: Array
    """Who moves, [B]."""
    over: Array
    """Whether the game has ended, [B]."""


class SearchResult(NamedTuple):
    """What a search has found."""

    move: Array
    """The move to make, [B]."""
    policy: Array
    """The improved policy: how likely each move should be, [B, moves]."""
    values: Array
    """What the root is worth, [B, seats, parts]."""


class _Root(NamedTuple):
    """The moves that the root considers, [B, considered]."""

    moves: Array
    priors: Array
    """The log-probabilities of the moves."""
    perturbed_logits: Array
    """The log-probabilities with their Gumbel noise; -inf if there is no such move."""
    due_visits: Array
    """How many visits a move must have to be the next, by simulation, [B, simulations]."""


class _Tree(NamedTuple):
    """Nodes in the order in which they were found; the first is the root."""

    states: Any
    """The state at each node, [nodes, B, ...]."""
    parent: Array
    """The node before each, [B, nodes]; -1 for the root and what is no node yet."""
    prior: Array
    """The log-probability of the move that led here, [B, nodes]."""
    visits: Array
    """How often each node was visited, [B, nodes] of float32."""
    values: Array
    """The mean of the values found below, [B, nodes, seats, parts]."""
    raw_value: Array
    """The evaluation's own value, to the node's mover, [B, nodes]."""
    turn: Array
    """Who moves at each node, [B, nodes]."""
    over: Array
    """Whether the game has ended, [B, nodes]."""
    moves: Array
    """The moves with the best priors, [B, nodes, max_children]."""
    priors: Array
    """The log-probabilities of these moves, [B, nodes, max_children]."""
    children: Array
    """The node of each move that the root considers, [B, considered]; -1 before its first visit."""
    ancestors: Array
    """Which nodes lie on the way to each, itself among them, [B, nodes, nodes] of bool."""


class _Step(NamedTuple):
    """What comes after each node, [B, nodes], or after one, [B]."""

    move: Array
    prior: Array
    """The move's log-probability."""
    child: Array
    """The node that the move leads to; -1 if that is new."""


class _Path(NamedTuple):
    """Where a simulation goes."""

    first: Array
    """Which of the moves that the root considers the simulation takes, [B]."""
    node: Array
    """The last node before the end of the simulation, [B]."""
    last: _Step
    """What comes after that node."""


class _Completed(NamedTuple):
    """Completed Q-values, scaled to logits: those of moves without a visit are estimated."""

    visited: Array
    """The values of visited moves, [..., n]."""
    other: Array
    """The value of every move without a visit, [...]."""
    share: Array
    """The sum of the priors of visited moves, [...]."""
    visits: Array
    """The sum of all visits, [...]."""


@cache
def schedule(considered: int, simulations: int) -> NDArray[np.float32]:
    """For 0, 1, ... considered moves, the visits that the next move has had, by simulation, [moves, simulations]."""
    return np.array([_halving(count, simulations) for count in range(considered + 1)], np.float32)


def _halving(count: int, simulations: int) -> list[int]:
    """Sequential halving: all moves are visited equally often, then the better half, and so on."""
    if count <= 1:
        return list(range(simulations))
    rounds = (count - 1).bit_length()
    found: list[int] = []
    visits, left = [0] * count, count
    while len(found) < simulations:
        for _ in range(max(1, simulations // (rounds * left))):
            found += visits[:left]
            visits[:left] = [had + 1 for had in visits[:left]]
        left = max(2, left // 2)
    return found[:simulations]


def top_k(x: Array, count: int) -> tuple[Array, Array]:
    """The largest of each row and where they are, in descending order, [B, n] -> twice [B, count].

    Every row is read once, for the largest of each group; then only the group that has the next one.
    """
    batch, gap = len(x), -x.shape[1] % _GROUP
    groups = jnp.pad(x, [(0, 0), (0, gap)], constant_values=-jnp.inf).reshape(batch, -1, _GROUP)

    def pick(now: tuple[Array, Array], number: Array) -> tuple[tuple[Array, Array], Array]:
        tops, found = now
        group = tops.argmax(1).astype(jnp.int32)
        places = group[:, None] * _GROUP + jnp.arange(_GROUP)
        taken = (places[..., None] == found[:, None]).any(-1)
        left = jnp.where(taken, -jnp.inf, at_each(groups, group))
        at = left.argmax(1).astype(jnp.int32)
        rest = jnp.where(jnp.arange(_GROUP) == at[:, None], -jnp.inf, left).max(1, keepdims=True)
        tops = jnp.where(jnp.arange(tops.shape[1]) == group[:, None], rest, tops)
        found = jnp.where(jnp.arange(count) == number, at_each(places, at)[:, None], found)
        return (tops, found), at_each(left, at)

    start = groups.max(2), jnp.full((batch, count), -1)
    (_, found), values = lax.scan(pick, start, jnp.arange(count))
    return values.T, found


def at_each(x: Array, at: Array) -> Array:
    """One of each row, [B, n, ...], [B] -> [B, ...]."""
    return x[jnp.arange(len(at)), at]


def search(
    evaluate: Callable[[S], Evaluation],
    step: Callable[[S, Array], S],
    state: S,
    key: Array,
    settings: SearchSettings,
    value_weights: tuple[float, ...],
) -> SearchResult:
    """Searches from states, [B], none of them over. A seat's utility is the weighted sum of the parts of its value."""
    first = evaluate(state)
    root = _consider(first, key, settings)
    tree = _new_tree(state, first, settings, value_weights)

    def simulate(number: Array, tree: _Tree) -> _Tree:
        path = _descend(tree, root, number, value_weights)
        return _expand(tree, path, number + 1, evaluate, step, value_weights)

    tree = lax.fori_loop(0, settings.simulations, simulate, tree)
    visits, completed = _root_values(tree, root, value_weights)
    most = visits == visits.max(1, keepdims=True)
    chosen = jnp.where(most, root.perturbed_logits + completed.visited, -jnp.inf).argmax(1)
    gain = jnp.where(tree.children >= 0, completed.visited - completed.other[:, None], 0)
    policy = first.priors.at[jnp.arange(len(chosen))[:, None], root.moves].add(gain)
    return SearchResult(at_each(root.moves, chosen), jax.nn.softmax(policy), tree.values[:, 0])


def _consider(first: Evaluation, key: Array, settings: SearchSettings) -> _Root:
    legal = first.priors > MASKED_LOGIT / 2
    noisy = jnp.where(legal, first.priors + jax.random.gumbel(key, legal.shape), -jnp.inf)
    perturbed_logits, moves = top_k(noisy, settings.considered)
    priors = jnp.take_along_axis(first.priors, moves, 1)
    count = (perturbed_logits > -jnp.inf).sum(1)
    return _Root(
        moves, priors, perturbed_logits, jnp.asarray(schedule(settings.considered, settings.simulations))[count]
    )


def _new_tree(state: Any, first: Evaluation, settings: SearchSettings, value_weights: tuple[float, ...]) -> _Tree:
    """A tree that is nothing but its root."""
    batch, nodes = len(first.turn), settings.simulations + 1

    def with_root(blank: Array, root: Array) -> Array:
        return blank.at[:, 0].set(root.astype(blank.dtype))

    def floats(*more: int) -> Array:
        return jnp.zeros((batch, nodes, *more), jnp.float32)

    return _Tree(
        states=jax.tree.map(lambda part: jnp.zeros((nodes, *part.shape), part.dtype).at[0].set(part), state),
        parent=jnp.full((batch, nodes), -1),
        prior=floats(),
        visits=with_root(floats(), jnp.ones(batch)),
        values=with_root(floats(*first.values.shape[1:]), first.values),
        raw_value=with_root(floats(), at_each(_utilities(first.values, value_weights), first.turn)),
        turn=with_root(jnp.zeros((batch, nodes), jnp.int32), first.turn),
        over=jnp.zeros((batch, nodes), bool),
        moves=jnp.zeros((batch, nodes, settings.max_children), jnp.int32),
        priors=floats(settings.max_children),
        children=jnp.full((batch, settings.considered), -1),
        ancestors=jnp.broadcast_to(jnp.eye(nodes, dtype=bool), (batch, nodes, nodes)),
    )


def _utilities(values: Array, value_weights: tuple[float, ...]) -> Array:
    """The utility of values to each seat, [..., seats, parts] -> [..., seats]."""
    return (values * jnp.asarray(value_weights)).sum(-1)


def _complete(tried: Array, priors: Array, values: Array, visits: Array, raw_value: Array) -> _Completed:
    """Values of moves, [..., n], on a scale from the worst to the best, in proportion to their visits.

    Moves that were not tried are worth the mean of the raw value and the tried ones, weighted by their priors.
    """
    likely = jnp.where(tried, jnp.maximum(jnp.exp(priors), 1e-30), 0)
    visits = jnp.where(tried, visits, 0)
    total, share = visits.sum(-1), likely.sum(-1)
    mean = (likely * values).sum(-1) / jnp.maximum(share, 1e-30)
    other = (raw_value + total * mean) / (1 + total)
    low = jnp.minimum(other, jnp.where(tried, values, jnp.inf).min(-1))
    high = jnp.maximum(other, jnp.where(tried, values, -jnp.inf).max(-1))
    scale = C_SCALE * (C_VISIT + visits.max(-1)) / jnp.maximum(high - low, 1e-8)
    scaled = jnp.where(tried, (values - low[..., None]) * scale[..., None], 0)
    return _Completed(scaled, (other - low) * scale, share, total)


def _root_values(tree: _Tree, root: _Root, value_weights: tuple[float, ...]) -> tuple[Array, _Completed]:
    """The visits of the moves that the root considers, [B, considered], and their values, none missing."""
    tried, child = tree.children >= 0, jnp.maximum(tree.children, 0)
    visits = jnp.where(tried, jnp.take_along_axis(tree.visits, child, 1), 0)
    utilities = jnp.take_along_axis(_utilities(tree.values, value_weights), tree.turn[:, :1, None], 2)[..., 0]
    values = jnp.take_along_axis(utilities, child, 1)
    found = _complete(tried, root.priors, values, visits, tree.raw_value[:, 0])
    return visits, found._replace(visited=jnp.where(tried, found.visited, found.other[:, None]))


def _descend(tree: _Tree, root: _Root, number: Array, value_weights: tuple[float, ...]) -> _Path:
    """From the root to a move that was never made, or to the end of a game."""
    nodes = tree.parent.shape[1]
    visits, completed = _root_values(tree, root, value_weights)
    due = (visits == root.due_visits[:, number, None]) & (root.perturbed_logits > -jnp.inf)
    first = jnp.where(due, root.perturbed_logits + completed.visited, -jnp.inf).argmax(1)
    begin = _Step(*(at_each(each, first) for each in (root.moves, root.priors, tree.children)))
    steps = _select(tree, value_weights)
    steps = _Step(*(every.at[:, 0].set(own) for every, own in zip(steps, begin, strict=True)))
    child = jnp.maximum(steps.child, 0)
    goes = (steps.child >= 0) & ~jnp.take_along_axis(tree.over, child, 1)
    end = jnp.where(goes, child, jnp.arange(nodes))
    for _ in range(nodes.bit_length()):  # twice as far each time
        end = jnp.take_along_axis(end, end, 1)
    node = end[:, 0]
    return _Path(first, node, _Step(*(at_each(each, node) for each in steps)))


def _select(tree: _Tree, value_weights: tuple[float, ...]) -> _Step:
    """What each inner node does next, [B, nodes]. The root's answer has no sense."""
    nodes, max_children = tree.moves.shape[1:]
    tried = tree.parent[:, None] == jnp.arange(nodes)[:, None]  # [B, nodes, children]
    utilities = _utilities(tree.values, value_weights).swapaxes(1, 2)
    values = jnp.take_along_axis(utilities, tree.turn[..., None], 1)
    priors, visits = tree.prior[:, None], tree.visits[:, None]
    found = _complete(tried, priors, values, visits, tree.raw_value)
    shares = jnp.where(tried, jnp.exp(priors + found.visited), 0)
    each = jnp.exp(found.other)
    whole = shares.sum(-1) + jnp.maximum(1 - found.share, 0) * each
    deficit = shares / whole[..., None] - visits / (1 + found.visits)[..., None]
    deficit = jnp.where(tried, deficit, -jnp.inf)
    count = tried.sum(-1)
    at = jnp.minimum(count, max_children - 1)[..., None]
    move, prior = (jnp.take_along_axis(best, at, 2)[..., 0] for best in (tree.moves, tree.priors))
    fresh = jnp.where((count < max_children) & (prior > MASKED_LOGIT / 2), jnp.exp(prior) * each / whole, -jnp.inf)
    return _Step(move, prior, jnp.where(fresh > deficit.max(-1), -1, deficit.argmax(-1)).astype(jnp.int32))


def _expand(
    tree: _Tree,
    path: _Path,
    number: Array,
    evaluate: Callable[[Any], Evaluation],
    step: Callable[[Any, Array], Any],
    value_weights: tuple[float, ...],
) -> _Tree:
    """Expands the node that a path has found, and backpropagates its value to all nodes on the way."""
    everyone, each = jnp.arange(len(path.node)), jnp.arange(tree.parent.shape[1])
    last = path.last
    state = step(jax.tree.map(lambda part: part[path.node, everyone], tree.states), last.move)
    found = evaluate(state)
    new, child = last.child < 0, jnp.maximum(last.child, 0)
    priors, moves = top_k(found.priors, tree.moves.shape[2])
    worth = jnp.where(new[:, None, None], found.values, at_each(tree.values, child))
    way = at_each(tree.ancestors, jnp.where(new, path.node, child))
    visits = tree.visits + way
    learnt = tree.values + (worth[:, None] - tree.values) / jnp.maximum(visits, 1)[..., None, None]
    values = jnp.where(way[..., None, None], learnt, tree.values)

    def put(old: Array, own: Array) -> Array:
        return lax.dynamic_update_slice_in_dim(old, own[:, None].astype(old.dtype), number, 1)

    below = (jnp.arange(tree.children.shape[1]) == path.first[:, None]) & (new & (path.node == 0))[:, None]
    return _Tree(
        states=jax.tree.map(lambda old, own: lax.dynamic_update_index_in_dim(old, own, number, 0), tree.states, state),
        parent=put(tree.parent, jnp.where(new, path.node, -1)),
        prior=put(tree.prior, last.prior),
        visits=put(visits, new),
        values=put(values, found.values),
        raw_value=put(tree.raw_value, at_each(_utilities(found.values, value_weights), found.turn)),
        turn=put(tree.turn, found.turn),
        over=put(tree.over, found.over),
        moves=put(tree.moves, moves),
        priors=put(tree.priors, priors),
        children=jnp.where(below, number, tree.children),
        ancestors=put(tree.ancestors, way | (each == number)),
    )
