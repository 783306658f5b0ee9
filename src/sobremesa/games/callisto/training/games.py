"""Thousands of games of Callisto side by side, all on the device: what a network plays, and what it can learn from.

Each kind of table has its own program, since rules and canvas differ. Games that are over are replaced at once. What is
played is kept in a replay buffer, a ring of rows, a move in every game to a row, the oldest overwritten; what became of
each game is kept beside.
"""

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array, lax

from sobremesa.games.callisto.batch.board import SIZES
from sobremesa.games.callisto.batch.rules import CallistoRules, CallistoState, callisto
from sobremesa.games.callisto.editions import EDITIONS
from sobremesa.games.callisto.training import network
from sobremesa.games.callisto.training.network import MARGIN_UNIT, MASKED_LOGIT, Answer, Weights
from sobremesa.games.callisto.training.search import Evaluation, SearchSettings, search, top_k

KINDS = tuple((edition, seats) for edition, each in EDITIONS.items() for seats in each.boards)
"""The kinds of tables: an edition and the number of seats."""
MAX_POLICY_MOVES = 32
"""How many moves of a policy the replay buffer keeps, the likeliest."""
MARGIN_WEIGHT = 0.3
"""How much the margin counts beside first place."""
VALUE_WEIGHTS = (1 - MARGIN_WEIGHT, MARGIN_WEIGHT)
"""The weights of the two parts of a value: first place and margin."""
MORE_THAN_ALL_SQUARES = 10**6
MAX_BLIND_TURNS = 4
"""The most turns of each seat in a blind opening."""
OPENING_TURNS = 5
"""The turns of each seat in which matches between policies have a Gumbel scale of 1, so that they go many ways."""


class ReplayBuffer(NamedTuple):
    """The replay buffer: positions and what a search has found there, [rows, B, ...]."""

    positions: CallistoState
    moves: Array
    """The likeliest moves, [rows, B, 32] of int16."""
    shares: Array
    """How likely these moves should be, [rows, B, 32] of float16."""
    values: Array
    """What the position was found to be worth, by seat: first place and margin, [rows, B, seats, 2] of float16."""
    games: Array
    """The game's place in ``SelfPlay.latest``, [rows, B] of int32."""


class SelfPlay(NamedTuple):
    """B games of one kind that a network plays against itself, and their replay buffer."""

    at: CallistoState
    """The positions now, [B]."""
    games: Array
    """How many games were over before this one, [B]."""
    replay: ReplayBuffer
    latest: CallistoState
    """The last known position of each game, [games, B]: the final one if it is over."""


def rules_of(kind: tuple[str, int]) -> CallistoRules:
    """The rules at such a table."""
    return callisto(*kind)


def ahead(scores: Array) -> Array:
    """By how many squares each seat is ahead of the best of the others, [..., seats] (C9)."""
    seats = scores.shape[-1]
    others = jnp.where(jnp.eye(seats, dtype=bool), MORE_THAN_ALL_SQUARES, scores[..., None, :]).min(-1)
    return others - scores


def worth(win: Array, margin: Array) -> Array:
    """Values from the share of first place and the margin in MARGIN_UNITs: both from -1 to 1, [..., seats, 2]."""
    return jnp.stack([2 * win - 1, jnp.tanh(margin)], -1)


def results(rules: CallistoRules, state: CallistoState) -> Array:
    """What games that are over are worth to each seat, [..., seats, 2]."""
    return worth(rules.winnings(state), ahead(rules.scores(state)) / MARGIN_UNIT)


def by_seat(by_slot: Array, turn: Array, seats: int) -> Array:
    """Numbers by slot, from the mover onwards, put into the order of seats, [N, 4, ...], [N] -> [N, seats, ...]."""
    order = (jnp.arange(seats) - turn[:, None]) % seats
    return jnp.take_along_axis(by_slot, order.reshape(*order.shape, *[1] * (by_slot.ndim - 2)), 1)


def placements(rules: CallistoRules, policy: Array) -> Array:
    """What planes say of the placements, [N, side, side, planes] -> [N, placements]."""
    count, side, _, planes = policy.shape
    plane, cell = np.divmod(rules.arrays.at(side), side * side)
    return policy.reshape(count, -1).at[:, cell * planes + plane].get(unique_indices=True, mode="promise_in_bounds")


def log_policy(rules: CallistoRules, found: Answer, legal: Array) -> Array:
    """Log-probabilities of the placements, [N, placements]; about MASKED_LOGIT where they are not legal."""
    return jax.nn.log_softmax(jnp.where(legal, placements(rules, found.policy), MASKED_LOGIT))


def look(rules: CallistoRules, weights: Weights, state: CallistoState) -> tuple[Array, Answer]:
    """Log-probabilities of the placements, [N, placements], and all else that the network says."""
    found = network.answer(weights, *rules.observe(state))
    return log_policy(rules, found, rules.legal(state)), found


def evaluate(rules: CallistoRules, weights: Weights, state: CallistoState) -> Evaluation:
    """The network's evaluation of positions; of those that are over, their results."""
    priors, found = look(rules, weights, state)
    over = rules.over(state)
    estimates = by_seat(worth(jax.nn.softmax(found.win), found.margin), state.turn, rules.seats)
    values = jnp.where(over[:, None, None], results(rules, state), estimates)
    return Evaluation(priors, values, state.turn.astype(jnp.int32), over)


def greedy_move(rules: CallistoRules, state: CallistoState, key: Array) -> Array:
    """A placement of one of the largest tiles that fit, [N]."""
    legal = rules.legal(state)
    size = jnp.asarray(SIZES)[rules.arrays.kind] + jax.random.uniform(key, legal.shape)
    return jnp.where(legal, size, -1).argmax(-1)


def begin(rules: CallistoRules, key: Array, batch: int, rows: int) -> SelfPlay:
    """Games that have already gone on for a while, so that they do not all end at once; the replay buffer is empty."""
    for_length, for_moves = jax.random.split(key)
    length = jax.random.randint(for_length, (batch,), 0, rules.max_steps)
    at = _after(rules, length, rules.max_steps, partial(greedy_move, rules), for_moves)
    shape = (rows, batch)
    # Even a game that everybody is soon out of has two pillars each (C2); the first and last game are partly there.
    games = rows // (2 * rules.seats) + 2
    replay = ReplayBuffer(
        positions=_blank(at, rows),
        moves=jnp.zeros((*shape, MAX_POLICY_MOVES), jnp.int16),
        shares=jnp.zeros((*shape, MAX_POLICY_MOVES), jnp.float16),
        values=jnp.zeros((*shape, rules.seats, 2), jnp.float16),
        games=jnp.zeros(shape, jnp.int32),
    )
    return SelfPlay(at, jnp.zeros(batch, jnp.int32), replay, _blank(at, games))


def openings(rules: CallistoRules, batch: int, blind: float, key: Array) -> CallistoState:
    """How games begin, [B]: a share of them with a few moves that nobody has thought about, so that more is met.

    Half of these moves are any, half of them place a large tile.
    """

    def blindly(state: CallistoState, key: Array) -> Array:
        for_taste, for_move = jax.random.split(key)
        large = jax.random.bernoulli(for_taste, shape=(batch,))
        return jnp.where(large, greedy_move(rules, state, for_move), rules.random_move(state, for_move))

    for_share, for_length, for_moves = jax.random.split(key, 3)
    most = MAX_BLIND_TURNS * rules.seats
    length = jax.random.randint(for_length, (batch,), 1, most + 1)
    length = jnp.where(jax.random.uniform(for_share, (batch,)) < blind, length, 0)
    return _after(rules, length, most, blindly, for_moves)


def _after(
    rules: CallistoRules, length: Array, most: int, choose: Callable[[CallistoState, Array], Array], key: Array
) -> CallistoState:
    """Games after so many moves, [B], or after the last move before their end."""

    def on(state: CallistoState, now: tuple[Array, Array]) -> tuple[CallistoState, None]:
        number, key = now
        after = rules.step(state, choose(state, key))
        return chosen((number < length) & ~rules.over(after), after, state), None

    fresh = rules.init(jnp.zeros(len(length), jnp.int8))
    return lax.scan(on, fresh, (jnp.arange(most), jax.random.split(key, most)))[0]


def _blank(like: CallistoState, count: int) -> CallistoState:
    return CallistoState(*(jnp.zeros((count, *part.shape), part.dtype) for part in like))


def chosen(flags: Array, one: CallistoState, other: CallistoState) -> CallistoState:
    """In each game, [B], the one position or the other."""

    def pick(one: Array, other: Array) -> Array:
        return jnp.where(flags.reshape(-1, *[1] * (one.ndim - 1)), one, other)

    return CallistoState(*map(pick, one, other))


def play(
    rules: CallistoRules,
    settings: SearchSettings,
    moves: int,
    blind: float,
    dtype: Any,
    weights: Weights,
    selfplay: SelfPlay,
    row: Array,
    key: Array,
) -> tuple[SelfPlay, dict[str, Array]]:
    """Makes moves in every game, written into the replay buffer from a row on; counts the games that ended, and how.

    A share of the games that replace them begins blindly.
    """
    batch, games = len(selfplay.games), len(selfplay.latest.turn)
    for_openings, for_search = jax.random.split(key)
    fresh = openings(rules, batch, blind, for_openings)
    everyone = jnp.arange(batch)
    think = partial(evaluate, rules, network.ready(weights, dtype))

    def move(now: tuple[CallistoState, Array, CallistoState], key: Array) -> Any:
        at, number, latest = now
        found = search(think, rules.step, at, key, settings, VALUE_WEIGHTS)
        shares, likeliest = top_k(found.policy, MAX_POLICY_MOVES)
        place = number % games
        half = jnp.float16
        entry = ReplayBuffer(at, likeliest.astype(jnp.int16), shares.astype(half), found.values.astype(half), place)
        after = rules.step(at, found.move)
        over = rules.over(after)
        latest = CallistoState(*(old.at[place, everyone].set(own) for old, own in zip(latest, after, strict=True)))
        figures = {"games": over.sum(), "first": (over & (rules.places(after)[:, 0] == 1)).sum()}
        return (chosen(over, fresh, after), number + over, latest), (entry, figures)

    now = (selfplay.at, selfplay.games, selfplay.latest)
    (at, number, latest), (entries, figures) = lax.scan(move, now, jax.random.split(for_search, moves))
    replay = jax.tree.map(lambda old, own: lax.dynamic_update_slice_in_dim(old, own, row, 0), selfplay.replay, entries)
    return SelfPlay(at, number, replay, latest), {name: part.sum() for name, part in figures.items()}


def match(
    rules: CallistoRules, games: int, dtype: Any, weights: Weights, others: Weights, greedy: Array, key: Array
) -> tuple[Array, Array]:
    """The shares of first place and the margins of a policy that sits among others, each seat in turn, twice [games].

    Nobody searches. The others place the largest tile if they are `greedy`, [] of bool.
    """
    seat = (jnp.arange(games) % rules.seats).astype(jnp.int8)
    both = [network.ready(each, dtype) for each in (weights, others)]

    def on(state: CallistoState, now: tuple[Array, Array]) -> tuple[CallistoState, None]:
        gumbel_scale, key = now
        *for_noise, for_greed = jax.random.split(key, 3)
        noise = [gumbel_scale * jax.random.gumbel(own, (games, rules.actions)) for own in for_noise]
        ours, theirs = ((look(rules, each, state)[0] + own).argmax(-1) for each, own in zip(both, noise, strict=True))
        theirs = jnp.where(greedy, greedy_move(rules, state, for_greed), theirs)
        return rules.step(state, jnp.where(state.turn == seat, ours, theirs)), None

    gumbel_scale = jnp.where(jnp.arange(rules.max_steps) < OPENING_TURNS * rules.seats, 1.0, 0.1)
    first = rules.init(jnp.zeros(games, jnp.int8))
    last, _ = lax.scan(on, first, (gumbel_scale, jax.random.split(key, rules.max_steps)))
    mine = jnp.arange(games), seat
    return rules.winnings(last)[mine], ahead(rules.scores(last))[mine]
