"""AlphaZero in a page: learns a small board of Isis & Osiris by itself on a CPU, then plays against greedy.

    python examples/alphazero.py --moves 2000000     # five minutes on two cores

Self-play with Gumbel search (mctx) over the rules in JAX, a small residual network, Adam. The search samples chance.
"""

import argparse
import time
from functools import partial
from random import Random
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import optax

import sobremesa as sm
from sobremesa.batch.env import State, auto_reset, make

BOARD = (
    "isis-osiris edition=4x3 seats=2 variant=own memory_aid=on starter=0 turn=0 turned=- tiles=4,4 cells=..../..../...."
)
env = make("isis-osiris", position=BOARD)
WIDTH, BLOCKS = 96, 2


class Sample(NamedTuple):
    """A position, what the search made of it, and how the game ended for who moved."""

    seen: jax.Array
    mask: jax.Array
    policy: jax.Array
    value: jax.Array


def new_network(key: jax.Array) -> Any:
    """Random weights."""
    size = int(jnp.prod(jnp.array(env.observation_shape)))
    shapes = [(size, WIDTH), *[(WIDTH, WIDTH)] * (2 * BLOCKS), (WIDTH, env.num_actions + 1)]
    keys = jax.random.split(key, len(shapes))
    return [(jax.random.normal(k, s) * (1 / s[0]) ** 0.5, jnp.zeros(s[1])) for k, s in zip(keys, shapes, strict=True)]


def network(weights: Any, seen: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Logits of all moves, [..., actions], and the value for who moves, [...]."""
    x = seen.reshape(*seen.shape[:-3], -1)
    x = jax.nn.relu(x @ weights[0][0] + weights[0][1])
    for block in range(BLOCKS):
        (w1, b1), (w2, b2) = weights[1 + 2 * block : 3 + 2 * block]
        x = jax.nn.relu(x + jax.nn.relu(x @ w1 + b1) @ w2 + b2)
    out = x @ weights[-1][0] + weights[-1][1]
    return out[..., :-1], jnp.tanh(out[..., -1])


def search(weights: Any, state: State, key: jax.Array, simulations: int) -> Any:
    """Gumbel search from a batch of positions."""

    def recurrent(weights: Any, key: jax.Array, action: jax.Array, state: State) -> Any:
        before = state.current_player
        state = jax.vmap(env.step)(state, action, jax.random.split(key, action.shape[0]))
        logits, value = network(weights, state.observation)
        reward = jnp.take_along_axis(state.rewards, before[:, None], 1)[:, 0]
        sign = jnp.where(state.current_player == before, 1.0, -1.0)
        return mctx.RecurrentFnOutput(
            reward=reward,
            discount=jnp.where(state.terminated, 0.0, sign),
            prior_logits=jnp.where(state.legal_action_mask, logits, -1e9),
            value=jnp.where(state.terminated, 0.0, value),
        ), state

    logits, value = network(weights, state.observation)
    root = mctx.RootFnOutput(
        prior_logits=jnp.where(state.legal_action_mask, logits, -1e9), value=value, embedding=state
    )
    return mctx.gumbel_muzero_policy(
        weights, key, root, recurrent, simulations, invalid_actions=~state.legal_action_mask, max_depth=12
    )


@partial(jax.jit, static_argnums=(3, 4))
def self_play(weights: Any, state: State, key: jax.Array, steps: int, simulations: int) -> tuple[State, Sample, Any]:
    """So many moves in every game; the value of a position is looked up from the end of its game, seen backwards."""
    step = jax.vmap(auto_reset(env.step, env.init))

    def move(state: State, key: jax.Array) -> Any:
        for_search, for_step = jax.random.split(key)
        found = search(weights, state, for_search, simulations)
        after = step(state, found.action, jax.random.split(for_step, found.action.shape[0]))
        sample = (state.observation, state.legal_action_mask, found.action_weights, state.current_player)
        return after, (*sample, after.terminated, after.rewards)

    state, (seen, mask, policy, player, ended, rewards) = jax.lax.scan(move, state, jax.random.split(key, steps))

    def back(carry: Any, at: Any) -> Any:
        result, known = carry
        ended, rewards, player = at
        result = jnp.where(ended[:, None], rewards, result)
        known |= ended
        return (result, known), (jnp.take_along_axis(result, player[:, None], 1)[:, 0], known)

    nothing = (jnp.zeros_like(rewards[0]), jnp.zeros_like(ended[0]))
    _, (value, known) = jax.lax.scan(back, nothing, (ended, rewards, player), reverse=True)
    return state, Sample(seen, mask, policy, value), known  # games that go on have no value yet


optimiser = optax.adam(2e-3)


@jax.jit
def learn(weights: Any, memory: Any, sample: Sample, known: jax.Array) -> tuple[Any, Any, jax.Array]:
    """One step down the gradient."""

    def loss(weights: Any) -> jax.Array:
        logits, value = network(weights, sample.seen)
        logits = jnp.where(sample.mask, logits, -1e9)
        policy = optax.softmax_cross_entropy(logits, sample.policy)
        return (policy * known + known * (value - sample.value) ** 2).sum() / known.sum()

    cost, gradient = jax.value_and_grad(loss)(weights)
    updates, memory = optimiser.update(gradient, memory)
    return optax.apply_updates(weights, updates), memory, cost


def train(moves: int, games: int, simulations: int, seed: int) -> Any:
    """Learns from so many moves of self-play; returns the weights."""
    key, for_weights, for_games = jax.random.split(jax.random.key(seed), 3)
    weights = new_network(for_weights)
    memory = optimiser.init(weights)
    state = jax.vmap(env.init)(jax.random.split(for_games, games))
    steps, began, done = 40, time.monotonic(), 0
    while done < moves:
        key, for_play, for_order = jax.random.split(key, 3)
        state, sample, known = self_play(weights, state, for_play, steps, simulations)
        flat = jax.tree.map(lambda array: array.reshape(-1, *array.shape[2:]), (sample, known))
        order = jax.random.permutation(for_order, steps * games).reshape(-1, min(512, steps * games))
        for batch in order:
            sample, known = jax.tree.map(partial(jnp.take, indices=batch, axis=0), flat)
            weights, memory, cost = learn(weights, memory, sample, known)
        done += steps * games
        print(f"{time.monotonic() - began:6.0f} s  {done:>9,} moves  loss {cost:.3f}", flush=True)
    return weights


def against_greedy(weights: Any, games: int, seed: int, simulations: int) -> float:
    """The share of first places, in games on the same small board with both beginning equally often; equals share."""
    best = jax.jit(partial(search, simulations=simulations))
    random, won = Random(seed), 0.0
    greedy = sm.find_player("greedy", sm.isis_osiris, Random(seed))
    for game in range(games):
        position, mine = sm.isis_osiris.parse_position(BOARD), game % 2
        while not position.over:
            if position.chance is not None:
                position = position.happen(position.chance.draw(random))
            elif position.turn != mine:
                position = position.play(greedy.choose(position.view(position.turn)))
            else:
                state = env.at(position)
                batch = jax.tree.map(lambda array: array[None], state)
                action = best(weights, batch, jax.random.key(random.getrandbits(31))).action[0]
                rank = int(np.asarray(state.legal_action_mask)[: int(action)].sum())
                position = position.play(position.legal_moves()[rank])
        result = position.result()
        won += (mine in result.winners) / len(result.winners)
    return won / games


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--moves", type=int, default=2_000_000, help="of self-play (%(default)s)")
    parser.add_argument("--games", type=int, default=128, help="how many are played at a time (%(default)s)")
    parser.add_argument("--simulations", type=int, default=16, help="of the search, for each move (%(default)s)")
    parser.add_argument("--matches", type=int, default=400, help="games against greedy in the end (%(default)s)")
    parser.add_argument("--seed", type=int, default=1)
    chosen = parser.parse_args()
    weights = train(chosen.moves, chosen.games, chosen.simulations, chosen.seed)
    share = against_greedy(weights, chosen.matches, chosen.seed, chosen.simulations)
    print(f"first places against greedy: {share:.1%} of {chosen.matches}")
