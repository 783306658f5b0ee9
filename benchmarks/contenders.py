"""What is compared: games of five libraries, each played at random through its library's own interface.

A contender plays a little and says how many moves that were, and how many legal moves there were to choose from in all
of them. Where the interface lists or masks what is legal, the move is drawn from that. Others' libraries are imported
when their games are prepared, and not before.
"""

import warnings
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from importlib import import_module
from random import Random
from typing import Any

import sobremesa as sm
from sobremesa.core.playout import random_play

LIBRARY = "sobremesa"
LISTED = "sobremesa, moves listed"
ZOO = "sobremesa.envs.zoo"
RULES = "sobremesa.batch"
ENV = "sobremesa.batch.env"
OPEN_SPIEL = "OpenSpiel"
PETTING_ZOO = "PettingZoo"
PGX = "Pgx"
OWN = (LIBRARY, LISTED, ZOO, RULES, ENV)
"""The ways in which our own games are played."""
TABLES: dict[str, tuple[str, dict[str, Any]]] = {
    "Callisto classic": ("callisto", {"edition": "classic", "seats": 2}),
    "Callisto pocket": ("callisto", {"edition": "pocket", "seats": 2}),
    "Isis & Osiris": ("isis-osiris", {"seats": 2}),
    "Knister": ("knister", {"seats": 2}),
}
"""Our own games, and the tables at which they are played."""
SPIELS = {
    "connect four": "connect_four",
    "othello": "othello",
    "breakthrough": "breakthrough",
    "go 9x9": "go(board_size=9)",
    "hex 11x11": "hex(board_size=11)",
    "hex 19x19": "hex(board_size=19)",
    "go 19x19": "go(board_size=19)",
}
ZOOS: dict[str, tuple[str, dict[str, Any]]] = {
    "connect four": ("connect_four_v3", {}),
    "go 9x9": ("go_v5", {"board_size": 9}),
}
PGXS = {"connect four": "connect_four", "othello": "othello", "go 9x9": "go_9x9", "hex 11x11": "hex"}
BATCH = 512
"""How many games go on at a time in JAX."""
MOVES_AT_A_TIME = 16
"""How many moves are made in each of them before the clock is looked at."""

Count = tuple[int, int]
"""How many moves were made, and how many legal moves they were drawn from; 0 where nobody counted."""
Play = Callable[[], Count]


@dataclass(frozen=True)
class Contender:
    """A game as a library plays it."""

    library: str
    game: str
    prepare: Callable[[], Play]
    """Loads and compiles what is needed."""


def contenders() -> Iterator[Contender]:
    """Everybody who can be compared."""
    for game, (id, options) in TABLES.items():
        for library, prepare in (
            (LIBRARY, _library),
            (LISTED, _listed),
            (ZOO, _own_zoo),
            (RULES, _rules),
            (ENV, _own_env),
        ):
            yield Contender(library, game, partial(prepare, id, options))
    for game, name in SPIELS.items():
        yield Contender(OPEN_SPIEL, game, partial(_open_spiel, name))
    for game, (name, options) in ZOOS.items():
        yield Contender(PETTING_ZOO, game, partial(_petting_zoo, name, options))
    for game, name in PGXS.items():
        yield Contender(PGX, game, partial(_pgx, name))


def _library(id: str, options: dict[str, Any]) -> Play:
    start, random = sm.find_game(id).start(**options), Random(1)

    def play() -> Count:
        return sum([seat is not None for seat, _ in random_play(start, random)]), 0

    return play


def _listed(id: str, options: dict[str, Any]) -> Play:
    start, random = sm.find_game(id).start(**options), Random(1)

    def play() -> Count:
        state, moves, choices = start, 0, 0
        while not state.over:
            if state.chance is not None:
                state = state.happen(state.chance.draw(random))
                continue
            seat = next(iter(state.deciding))
            legal = state.legal_moves(seat)
            state = state.play(random.choice(legal), seat)
            moves += 1
            choices += len(legal)
        return moves, choices

    return play


def _open_spiel(name: str) -> Play:
    game, random = import_module("pyspiel").load_game(name), Random(1)

    def play() -> Count:
        state, moves, choices = game.new_initial_state(), 0, 0
        while not state.is_terminal():
            legal = state.legal_actions()
            state.apply_action(random.choice(legal))
            moves += 1
            choices += len(legal)
        return moves, choices

    return play


def _own_zoo(id: str, options: dict[str, Any]) -> Play:
    from sobremesa.envs import zoo

    return _agent_by_agent(zoo.aec(id, **options))


def _petting_zoo(name: str, options: dict[str, Any]) -> Play:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _agent_by_agent(import_module(f"pettingzoo.classic.{name}").env(**options))


def _agent_by_agent(env: Any) -> Play:
    """The same program for PettingZoo's games and for ours."""
    import numpy as np

    random = Random(1)

    def play() -> Count:
        moves = choices = 0
        env.reset(seed=random.getrandbits(31))
        for _ in env.agent_iter():
            seen, _reward, over, cut, _info = env.last()
            if over or cut:
                break
            legal = np.flatnonzero(seen["action_mask"])
            env.step(random.choice(legal))
            moves += 1
            choices += len(legal)
        return moves, choices

    return play


def _own_env(id: str, options: dict[str, Any]) -> Play:
    from sobremesa.batch import env

    return _in_pgx_shape(env.make(id, **options), env.auto_reset)


def _pgx(name: str) -> Play:
    return _in_pgx_shape(import_module("pgx").make(name), import_module("pgx.experimental.wrappers").auto_reset)


def _in_pgx_shape(env: Any, auto_reset: Any) -> Play:
    """The same program for Pgx's games and for ours, but for who makes the environment."""
    import jax

    from sobremesa.batch.rules import draw

    init, step = jax.vmap(env.init), jax.vmap(auto_reset(env.step, env.init))

    @jax.jit
    def chunk(state: Any, key: Any) -> Any:
        def move(state: Any, key: Any) -> Any:
            for_action, for_step = jax.random.split(key)
            mask = state.legal_action_mask
            action = draw(mask, for_action)
            return step(state, action, jax.random.split(for_step, BATCH)), mask.sum()

        return jax.lax.scan(move, state, jax.random.split(key, MOVES_AT_A_TIME))

    state, key = jax.jit(init)(jax.random.split(jax.random.key(1), BATCH)), jax.random.key(2)

    def play() -> Count:
        nonlocal state, key
        key, own = jax.random.split(key)
        state, choices = chunk(state, own)
        return MOVES_AT_A_TIME * BATCH, int(choices.sum())

    return play


def _rules(id: str, options: dict[str, Any]) -> Play:
    import jax

    from sobremesa.batch.speed import random_games
    from sobremesa.batch.tables import rules_for

    wait: Callable[[Any], Any] = jax.block_until_ready
    state, moves = random_games(rules_for(id, **options), BATCH, MOVES_AT_A_TIME)
    key = jax.random.key(1)

    def play() -> Count:
        nonlocal state, key
        key, own = jax.random.split(key)
        state = wait(moves(state, own))
        return MOVES_AT_A_TIME * BATCH, 0

    return play
