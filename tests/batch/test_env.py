"""The rules in JAX in Pgx's shape: played beside the library, with mctx, and reset by themselves."""

from typing import Any

import jax
import jax.numpy as jnp
import mctx
import numpy as np
import pytest

from sobremesa.batch.env import State, auto_reset, make

SMALL = "isis-osiris edition=2x2 seats=2 variant=own memory_aid=off starter=0 turn=0 turned=- tiles=2,2 cells=../.."
TABLES: list[tuple[str, dict[str, Any]]] = [
    ("isis-osiris", {"position": SMALL}),
    ("isis-osiris", {"seats": 3, "variant": "common"}),
    ("knister", {"seats": 2}),
    ("callisto", {"edition": "pocket"}),
]


def random_action(key: jax.Array, mask: jax.Array) -> jax.Array:
    return jax.random.categorical(key, jnp.where(mask, 0.0, -jnp.inf))


@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_random_games_are_the_librarys_games(game: str, options: dict[str, Any]) -> None:
    env = make(game, **options)
    init, step = jax.jit(env.init), jax.jit(env.step)
    state, key = init(jax.random.key(3)), jax.random.key(4)
    assert state.observation.shape == env.observation_shape
    for number in range(env.rules.max_steps + 1):
        if number % 9 == 0 or state.terminated:
            library = env.library_state(state)
            assert library.over == bool(state.terminated)
            if not library.over:
                assert int(state.current_player) in library.deciding
                assert int(state.legal_action_mask.sum()) == library.count_moves(int(state.current_player))
        if state.terminated:
            break
        key, for_action, for_step = jax.random.split(key, 3)
        state = step(state, random_action(for_action, state.legal_action_mask), for_step)
    assert state.terminated
    result = env.library_state(state).result()
    assert result is not None
    rewards = np.asarray(state.rewards)
    assert rewards.sum() == pytest.approx(0, abs=1e-6)
    assert {seat for seat, reward in enumerate(rewards) if reward == rewards.max()} == set(result.winners)
    assert env.svg(state).startswith("<svg")
    again = step(state, jnp.int32(0), key)
    assert not again.rewards.any()
    assert again.terminated


def test_a_forbidden_move_ends_the_game() -> None:
    env = make("isis-osiris")
    state = env.step(env.init(jax.random.key(1)), jnp.int32(0), jax.random.key(1))
    mover = int(state.current_player)
    after = env.step(state, jnp.int32(0), jax.random.key(2))
    assert after.terminated
    assert after.rewards[mover] == -1
    assert after.rewards.sum() == 0


def test_chance_needs_a_key() -> None:
    env = make("knister")
    with pytest.raises(ValueError, match="step needs a key"):
        env.step(env.init(jax.random.key(1)), jnp.int32(0))


def test_games_begin_anew_by_themselves() -> None:
    env = make("isis-osiris", position=SMALL)
    step = jax.jit(jax.vmap(auto_reset(env.step, env.init)))
    state = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 8))
    ended = np.zeros(8, int)
    for number in range(30):
        keys = jax.random.split(jax.random.key(number), 8)
        state = step(state, jax.vmap(random_action)(keys, state.legal_action_mask), keys)
        ended += np.asarray(state.terminated)
        assert (np.asarray(state.rewards).any(-1) <= np.asarray(state.terminated)).all()
    assert (ended >= 2).all()


def test_mctx_searches_as_it_does_in_pgx() -> None:
    """The functions of Pgx's example, but for the line that makes the environment."""
    env = make("isis-osiris", position=SMALL)

    def recurrent(params: Any, key: jax.Array, action: jax.Array, state: State) -> Any:
        before = state.current_player
        state = jax.vmap(env.step)(state, action, jax.random.split(key, action.shape[0]))
        reward = jnp.take_along_axis(state.rewards, before[:, None], 1)[:, 0]
        same = state.current_player == before
        discount = jnp.where(state.terminated, 0.0, jnp.where(same, 1.0, -1.0))
        logits = jnp.where(state.legal_action_mask, 0.0, -1e9)
        return mctx.RecurrentFnOutput(reward=reward, discount=discount, prior_logits=logits, value=jnp.zeros(4)), state

    @jax.jit
    def search(state: State, key: jax.Array) -> Any:
        root = mctx.RootFnOutput(
            prior_logits=jnp.where(state.legal_action_mask, 0.0, -1e9), value=jnp.zeros(4), embedding=state
        )
        return mctx.gumbel_muzero_policy(
            None, key, root, recurrent, num_simulations=16, invalid_actions=~state.legal_action_mask, max_depth=8
        )

    state = jax.vmap(env.init)(jax.random.split(jax.random.key(1), 4))
    found = search(state, jax.random.key(2))
    assert jnp.take_along_axis(state.legal_action_mask, found.action[:, None], 1).all()
    assert found.action_weights.shape == (4, env.num_actions)
