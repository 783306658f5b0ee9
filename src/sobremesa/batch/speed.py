"""How fast the rules in JAX are on a device: random games at a time, each starting anew when it is over."""

from collections.abc import Callable
from time import perf_counter
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
from jax import Array

from sobremesa.batch.rules import Rules

MOVES_PER_LOOK = 16
"""How many moves are made in every game between two looks at the clock."""
GAMES_BY_PLATFORM = {"cpu": 512}
"""How many games go on at a time, by the kind of device."""
GAMES_ELSEWHERE = 16_384
"""How many games go on at a time on any other kind of device."""


class Speed(NamedTuple):
    """What was measured."""

    device: str
    games: int
    compile: float
    """Seconds to compile a step."""
    moves: float
    """Moves a second in all games together: draw chance and a legal move, make it."""
    masks: float
    """Masks of all legal moves a second."""
    observations: float


def devices() -> list[Any]:
    """One device of each kind that JAX has here: the CPU, and whatever is faster."""
    found = {device.platform: device for device in [*jax.devices("cpu"), *jax.devices()][::-1]}
    return list(found.values())[::-1]


def measure(rules: Rules[Any], device: Any, seconds: float) -> Speed:
    """Measures each figure for so many seconds."""
    games = GAMES_BY_PLATFORM.get(device.platform, GAMES_ELSEWHERE)
    with jax.default_device(device):
        fresh, play = random_games(rules, games, MOVES_PER_LOOK)
        began = perf_counter()
        jax.jit(rules.step).lower(fresh, jnp.zeros(games, jnp.int32)).compile()
        compiled = perf_counter() - began
        state, key = play(fresh, jax.random.key(1)), jax.random.key(2)

        def again() -> Any:
            nonlocal state, key
            key, own = jax.random.split(key)
            state = play(state, own)
            return state

        moves = MOVES_PER_LOOK * games * _times(again, seconds)
        legal, observe = jax.jit(rules.legal), jax.jit(rules.observe)
        masks = games * _times(lambda: legal(state), seconds)
        observations = games * _times(lambda: observe(state), seconds)
    return Speed(device.device_kind, games, compiled, moves, masks, observations)


def random_games(rules: Rules[Any], games: int, moves: int) -> tuple[Any, Callable[[Any, Array], Any]]:
    """New games, and what makes so many random moves in each; a game that is over begins anew."""
    fresh = jax.jit(rules.init)(jnp.arange(games) % rules.seats)

    @jax.jit
    def play(state: Any, key: Array) -> Any:
        def on(state: Any, key: Array) -> tuple[Any, None]:
            over = rules.over(state)
            state = jax.tree.map(lambda old, new: jnp.where(_wide(over, old), new, old), state, fresh)
            for_chance, for_move = jax.random.split(key)
            state = rules.settle(state, for_chance)
            return rules.step(state, rules.random_move(state, for_move)), None

        return jax.lax.scan(on, state, jax.random.split(key, moves))[0]

    return fresh, play


def _wide(flags: Array, like: Array) -> Array:
    return flags.reshape(flags.shape + (1,) * (like.ndim - flags.ndim))


def _times(work: Callable[[], Any], seconds: float) -> float:
    """How often a second something can be done."""
    done_with: Callable[[Any], Any] = jax.block_until_ready
    done_with(work())
    done, began = 0, perf_counter()
    while (elapsed := perf_counter() - began) < seconds:
        done_with(work())
        done += 1
    return done / elapsed
