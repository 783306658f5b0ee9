"""Random games played in the library and in JAX side by side, compared at every position."""

from collections.abc import Callable
from functools import cache
from importlib import import_module
from random import Random
from typing import Any, NamedTuple, Protocol, cast

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from kinds import OWN_GAMES
from sobremesa.batch.rules import Rules
from sobremesa.core import State
from sobremesa.core.game import Value
from sobremesa.games import GAMES


class Kind(NamedTuple):
    """A game and the way its table is set, but for who starts."""

    game: str
    options: dict[str, Value]

    def __str__(self) -> str:
        return " ".join([self.game, *map(str, self.options.values())])

    @property
    def rules(self) -> Rules[Any]:
        rules: Rules[Any] = GAMES[self.game].load("batch")(**self.options)
        return rules

    def start(self, starter: int) -> State[Any]:
        game = GAMES[self.game]
        usual = {option.name: option.default for option in game.options}
        return game.begin(**usual | self.options | {"starter": starter})


class Library(Protocol):
    """What a game's ``tests/in_jax.py`` says of its library, so that JAX can be compared with it."""

    TABLES: list[dict[str, Value]]
    QUICK: list[dict[str, Value]]
    """Those that are compared with every change: every edition and variant, with some of the numbers of seats."""
    USUAL: dict[str, Value]
    DRAWN: str
    """The field of JAX's positions that holds what chance has brought."""

    def action(self, state: Any, move: Any) -> int:
        """The number of a move in JAX."""

    def scores(self, state: Any) -> list[int]:
        """The scores as they stand."""

    def outcomes(self, state: Any) -> tuple[int, ...]:
        """What chance can bring at such a table, in the order of JAX."""


def library(game: str) -> Library:
    return cast(Library, import_module(f"{GAMES[game].package}.tests.in_jax"))


OWN = [id for id, game in OWN_GAMES.items() if game.batch]
KINDS = [Kind(game, options) for game in OWN for options in library(game).TABLES]
QUICK = [Kind(game, options) for game in OWN for options in library(game).QUICK]


class Sight(NamedTuple):
    """All that is compared at a position."""

    legal: Any
    deciding: Any
    turn: Any
    odds: Any
    over: Any
    scores: Any
    places: Any


@cache
def look(rules: Rules[Any]) -> Callable[[Any], Sight]:
    """What JAX says of its positions."""

    def seen(state: Any) -> Sight:
        asked = (rules.legal, rules.deciding, rules.turn, rules.odds, rules.over, rules.scores, rules.places)
        return Sight(*(ask(state) for ask in asked))

    return jax.jit(seen)


@cache
def advance(rules: Rules[Any]) -> Callable[[Any, Any, Any], Any]:
    """Each game a move or, where it waits for chance, an outcome further."""

    def further(state: Any, actions: Array, outcomes: Array) -> Any:
        waiting = rules.waiting(state)
        happened, played = rules.happen(state, outcomes), rules.step(state, actions)

        def one(chance: Array, move: Array) -> Array:
            return jnp.where(waiting.reshape(waiting.shape + (1,) * (chance.ndim - 1)), chance, move)

        return jax.tree.map(one, happened, played)

    return jax.jit(further)


def compare(kind: Kind, games: int, seed: int) -> int:
    """Plays random games to their end, every seat starting in turn, and fails at the first difference.

    Gives the number of positions.
    """
    rules = kind.rules
    states = [kind.start(game % rules.seats) for game in range(games)]
    return follow(kind.game, rules, states, jax.jit(rules.init)(jnp.arange(games) % rules.seats), Random(seed))


def follow(game: str, rules: Rules[Any], states: list[State[Any]], batch: Any, random: Random) -> int:
    """Goes on at random from the library's states and the same ones in JAX to the end of each game."""
    positions = moments = 0
    while True:
        sight, fields = (jax.tree.map(np.asarray, tree) for tree in (look(rules)(batch), batch))
        actions, outcomes = np.zeros(len(states), np.int32), np.zeros(len(states), np.int32)
        for at, state in enumerate(states):
            one = Sight(*(part[at] for part in sight))
            try:
                same(game, rules, state, one)
                same_fields(rules.read(state), type(fields)(*(part[at] for part in fields)), state.over)
            except AssertionError as difference:
                raise AssertionError(state.position()) from difference
            if state.over:
                continue
            positions += 1
            if state.chance is not None:
                outcome = state.chance.draw(random)
                outcomes[at] = library(game).outcomes(state).index(outcome)
                states[at] = state.happen(outcome)
            else:
                move = state.random_move(random, int(one.turn))
                actions[at] = library(game).action(state, move)
                states[at] = state.play(move, int(one.turn))
        if sight.over.all():
            assert moments <= rules.max_steps
            return positions
        batch = advance(rules)(batch, actions, outcomes)
        moments += 1


def together(rules: Rules[Any], states: list[State[Any]]) -> Any:
    """States of the library as a batch."""
    return jax.tree.map(lambda *parts: np.stack(parts), *map(rules.read, states))


def same(game: str, rules: Rules[Any], state: State[Any], sight: Sight) -> None:
    """Fails if JAX sees anything in a position that the library does not, or the other way round."""
    assert bool(sight.over) == state.over
    assert np.flatnonzero(sight.deciding).tolist() == sorted(state.deciding)
    assert not state.deciding or int(sight.turn) in state.deciding
    moves = state.legal_moves(int(sight.turn)) if state.deciding else ()
    mask = np.zeros(rules.actions, bool)
    mask[[library(game).action(state, move) for move in moves]] = True
    assert np.array_equal(sight.legal, mask)
    values, chance = library(game).outcomes(state), state.chance
    odds = np.array([chance.probability(value) if chance else 0 for value in values], np.float32)
    np.testing.assert_allclose(sight.odds, odds, rtol=1e-6)
    assert sight.scores.tolist() == library(game).scores(state)
    if result := state.result():
        assert tuple(sight.scores.tolist()) == result.scores
        assert tuple(sight.places.tolist()) == result.places


def same_fields(read: Any, reached: Any, over: bool) -> None:
    """Fails unless both are the same position; whose turn it is makes no difference when the game is over."""
    for name, ours, theirs in zip(read._fields, read, reached, strict=True):
        assert ours.dtype == theirs.dtype, name
        assert (over and name == "turn") or np.array_equal(ours, theirs), name
