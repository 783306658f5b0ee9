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
from sobremesa.games.callisto.training.league import League, draw
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
MAX_LEAGUE_TURNS = 9
"""The turns of each seat after which a game that begins in a position of the league begins, at most."""
STRANGERS_GUMBEL_SCALE = 0.7
"""The Gumbel scale of seats that play as strangers would: below 1, so that they err less often than their policy."""
BOXERS_OWN_WEIGHT, BOXERS_VICTIM_WEIGHT = 0.4, 0.6
"""What a boxer wants: so much of its own value, and so much of the victim's lost."""
KEEPERS_TURNS = (8, 19)
"""Keepers draw the turn before which they do not place their last pillar: the first, and the one after the last."""
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


class Population(NamedTuple):
    """How games of self-play begin and who sits there: shares of all games."""

    blind: float = 0.0
    """Games that begin with blind moves."""
    league: float = 0.0
    """Games that begin in a position of the league."""
    strangers: float = 0.0
    """Games in which all seats but one play as strangers would, without search."""
    boxers: float = 0.0
    """Games in which all seats but one, the victim, rather want the victim to lose than to win themselves."""
    keepers: float = 0.0
    """Seats, of all, that keep their last pillar back for a while."""


class Roles(NamedTuple):
    """Who sits at B tables."""

    strangers: Array
    """Which seats play as strangers would, [B, seats] of bool."""
    boxed: Array
    """Which seats the others box in, [B, seats] of bool: one or none."""
    pillar_turn: Array
    """The turn before which a seat does not place its last pillar as long as a tile fits, [B, seats] of int8."""


class SelfPlay(NamedTuple):
    """B games of one kind that a network plays against itself, and their replay buffer."""

    at: CallistoState
    """The positions now, [B]."""
    roles: Roles
    """Who sits there."""
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


def evaluate(
    rules: CallistoRules, weights: Weights, state: CallistoState, policy_temperature: float = 1.0
) -> Evaluation:
    """The network's evaluation of positions; of those that are over, their results."""
    priors, found = look(rules, weights, state)
    if policy_temperature != 1:
        legal = priors > MASKED_LOGIT / 2
        priors = jax.nn.log_softmax(jnp.where(legal, priors / policy_temperature, MASKED_LOGIT))
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
    nobody = jnp.zeros((batch, rules.seats), bool)
    role = Roles(nobody, nobody, jnp.zeros(nobody.shape, jnp.int8))
    return SelfPlay(at, role, jnp.zeros(batch, jnp.int32), replay, _blank(at, games))


def roles(rules: CallistoRules, population: Population, batch: int, key: Array) -> Roles:
    """Who sits at new tables, [B]: everybody as itself, one among strangers, or a victim among boxers."""
    for_share, for_seat, for_keepers, for_turn = jax.random.split(key, 4)
    share = jax.random.uniform(for_share, (batch, 1))
    one = jax.random.randint(for_seat, (batch, 1), 0, rules.seats) == jnp.arange(rules.seats)
    among_strangers = share < population.strangers
    boxed = ~among_strangers & (share < population.strangers + population.boxers)
    keeps = jax.random.uniform(for_keepers, (batch, rules.seats)) < population.keepers
    turn = jax.random.randint(for_turn, (batch, rules.seats), *KEEPERS_TURNS)
    return Roles(among_strangers & ~one, boxed & one, jnp.where(keeps, turn, 0).astype(jnp.int8))


def keeping(rules: CallistoRules, pillar_turn: Array, state: CallistoState, priors: Array) -> Array:
    """Priors of whoever keeps its last pillar back, [B, seats] of int8, [B, placements] -> [B, placements]."""
    everyone = jnp.arange(len(state.turn))
    left = state.left[everyone, state.turn]
    turn = rules.hand.sum() - left.sum(-1) + 1
    early = (left[:, 0] == 1) & (turn < pillar_turn[everyone, state.turn])
    tiles = priors * jnp.asarray(rules.arrays.kind > 0) + MASKED_LOGIT * jnp.asarray(rules.arrays.kind == 0)
    fits = (tiles > MASKED_LOGIT / 2).any(-1)
    return jnp.where((early & fits)[:, None], jax.nn.log_softmax(tiles), priors)


def boxing(boxed: Array, values: Array) -> Array:
    """Values as the others see them who box a seat in, [B, seats] of bool, [B, seats, parts] -> [B, seats, parts].

    A linear change that `unboxing` undoes, so that a search need not know of it.
    """
    victim = (values * boxed[..., None]).sum(1, keepdims=True)
    theirs = BOXERS_OWN_WEIGHT * values - BOXERS_VICTIM_WEIGHT * victim
    return jnp.where((boxed.any(1, keepdims=True) & ~boxed)[..., None], theirs, values)


def unboxing(boxed: Array, values: Array) -> Array:
    """The values that `boxing` has changed."""
    victim = (values * boxed[..., None]).sum(1, keepdims=True)
    theirs = (values + BOXERS_VICTIM_WEIGHT * victim) / BOXERS_OWN_WEIGHT
    return jnp.where((boxed.any(1, keepdims=True) & ~boxed)[..., None], theirs, values)


def strangers_move(rules: CallistoRules, weights: Weights, state: CallistoState, key: Array) -> Array:
    """What a stranger might place, [N]."""
    found = network.answer(weights, *rules.observe(state))
    likely = log_policy(rules, found._replace(policy=found.strangers), rules.legal(state))
    return (likely + STRANGERS_GUMBEL_SCALE * jax.random.gumbel(key, likely.shape)).argmax(-1)


def openings(
    rules: CallistoRules, batch: int, population: Population, league: League | None, key: Array
) -> CallistoState:
    """How games begin, [B]: a share of them with a few moves that nobody has thought about, so that more is met.

    Half of these moves are any, half of them place a large tile. Another share begins where strangers have been.
    """
    for_league, for_start, key = jax.random.split(key, 3)

    def blindly(state: CallistoState, key: Array) -> Array:
        for_taste, for_move = jax.random.split(key)
        large = jax.random.bernoulli(for_taste, shape=(batch,))
        return jnp.where(large, greedy_move(rules, state, for_move), rules.random_move(state, for_move))

    for_share, for_length, for_moves = jax.random.split(key, 3)
    most = MAX_BLIND_TURNS * rules.seats
    length = jax.random.randint(for_length, (batch,), 1, most + 1)
    length = jnp.where(jax.random.uniform(for_share, (batch,)) < population.blind, length, 0)
    begun = _after(rules, length, most, blindly, for_moves)
    if league is None or not population.league:
        return begun
    drawn = draw(league, for_start, batch, MAX_LEAGUE_TURNS * rules.seats)
    there = drawn.there & (jax.random.uniform(for_league, (batch,)) < population.league)
    return chosen(there, drawn.positions, begun)


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
    population: Population,
    policy_temperature: float,
    dtype: Any,
    weights: Weights,
    selfplay: SelfPlay,
    league: League | None,
    row: Array,
    key: Array,
) -> tuple[SelfPlay, dict[str, Array]]:
    """Makes moves in every game, written into the replay buffer from a row on; counts the games that ended, and how.

    Games that replace them begin as the population says. What a search finds is remembered also where a stranger moves.
    """
    batch, games = len(selfplay.games), len(selfplay.latest.turn)
    for_openings, for_roles, for_search = jax.random.split(key, 3)
    fresh = openings(rules, batch, population, league, for_openings)
    cast = roles(rules, population, batch, for_roles)
    everyone = jnp.arange(batch)
    ready = network.ready(weights, dtype)

    def move(now: tuple[CallistoState, Roles, Array, CallistoState], key: Array) -> Any:
        at, role, number, latest = now
        for_search, for_strangers = jax.random.split(key)

        def think(state: CallistoState) -> Evaluation:
            found = evaluate(rules, ready, state, policy_temperature)
            if population.keepers:
                found = found._replace(priors=keeping(rules, role.pillar_turn, state, found.priors))
            return found._replace(values=boxing(role.boxed, found.values)) if population.boxers else found

        found = search(think, rules.step, at, for_search, settings, VALUE_WEIGHTS)
        values = unboxing(role.boxed, found.values) if population.boxers else found.values
        shares, likeliest = top_k(found.policy, MAX_POLICY_MOVES)
        place = number % games
        half = jnp.float16
        entry = ReplayBuffer(at, likeliest.astype(jnp.int16), shares.astype(half), values.astype(half), place)
        played = found.move
        if population.strangers:
            theirs = role.strangers[everyone, at.turn]
            played = jnp.where(theirs, strangers_move(rules, ready, at, for_strangers), played)
        after = rules.step(at, played)
        over = rules.over(after)
        latest = CallistoState(*(old.at[place, everyone].set(own) for old, own in zip(latest, after, strict=True)))
        figures = {"games": over.sum(), "first": (over & (rules.places(after)[:, 0] == 1)).sum()}
        role = Roles(*(jnp.where(over[:, None], new, old) for new, old in zip(cast, role, strict=True)))
        return (chosen(over, fresh, after), role, number + over, latest), (entry, figures)

    now = (selfplay.at, selfplay.roles, selfplay.games, selfplay.latest)
    (at, role, number, latest), (entries, figures) = lax.scan(move, now, jax.random.split(for_search, moves))
    replay = jax.tree.map(lambda old, own: lax.dynamic_update_slice_in_dim(old, own, row, 0), selfplay.replay, entries)
    return SelfPlay(at, role, number, replay, latest), {name: part.sum() for name, part in figures.items()}


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
