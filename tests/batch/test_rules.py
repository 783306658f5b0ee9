"""The rules for thousands of games are the library's, position by position, at every kind of table."""

from random import Random
from time import process_time
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np

from sobremesa import GAMES
from sobremesa.batch.rules import draw, next_seat, nth_of, places, slots
from sobremesa.batch.tables import rules_for
from sobremesa.core.playout import random_play
from sobremesa.core.result import places as places_in_the_library

from .alongside import KINDS, OWN, QUICK, Kind, compare, library

ONE_OF_EACH = [Kind(game, library(game).USUAL) for game in OWN]


@pytest.mark.parametrize(
    "kind",
    [kind if kind in QUICK else pytest.param(kind, marks=pytest.mark.at_length) for kind in KINDS],
    ids=str,
)
def test_random_games_agree_with_the_library_at_every_position(kind: Kind) -> None:
    """``tools/soak.py`` plays thousands."""
    assert compare(kind, games=8, seed=1) >= 8 * 5


@pytest.mark.usefixtures("nothing_compiled")
@pytest.mark.parametrize("kind", ONE_OF_EACH, ids=str)
def test_a_step_compiles_quickly(kind: Kind) -> None:
    rules = kind.rules
    games = jnp.zeros(64, jnp.int32)
    state = jax.eval_shape(rules.init, games)
    began = process_time()
    jax.jit(rules.step).lower(state, games).compile()
    assert process_time() - began < 60, "of all cores together; on a quiet machine it is a second or two"


def equal(one: Any, other: Any) -> bool:
    return bool(jax.tree.all(jax.tree.map(np.array_equal, one, other)))


@pytest.mark.parametrize("kind", ONE_OF_EACH, ids=str)
def test_whole_games_can_be_jitted_mapped_and_repeated(kind: Kind) -> None:
    """A game in a scan, mapped over keys; equal keys give equal games, and a finished game stays as it is."""
    rules = kind.rules

    def play(key: Any) -> tuple[Any, Any, Any, Any]:
        def on(state: Any, key: Any) -> tuple[Any, Any]:
            for_chance, for_move = jax.random.split(key)
            state = rules.settle(state, for_chance)
            return rules.step(state, rules.random_move(state, for_move)), rules.over(state)

        end, over = jax.lax.scan(on, rules.init(jnp.zeros((), int)), jax.random.split(key, rules.max_steps + 3))
        return end, over, rules.step(end, jnp.array(0)), rules.winnings(end)

    keys = jax.random.split(jax.random.key(1), 3)[np.array([0, 1, 0, 2])]
    ends, over, after, winnings = jax.tree.map(np.asarray, jax.jit(jax.vmap(play))(keys))
    first, second, again = (jax.tree.map(lambda part, at=at: part[at], ends) for at in (0, 1, 2))
    assert not over[:, 0].any()
    assert over[:, -1].all()
    assert equal(first, again)
    assert not equal(first, second)
    assert equal(ends, after)
    np.testing.assert_allclose(winnings.sum(-1), 1)


@pytest.mark.parametrize("kind", ONE_OF_EACH, ids=str)
def test_random_moves_are_legal_and_each_as_likely_as_the_others(kind: Kind) -> None:
    rules, count, chance = kind.rules, 20_000, Random(3)
    state = kind.start(0)
    for _ in range(5 * rules.seats):
        state = next(state for _, state in random_play(state, chance))
    while state.chance is not None:
        state = state.happen(state.chance.draw(chance))

    @jax.jit
    def many(one: Any, key: Any) -> tuple[Any, Any]:
        batch = jax.tree.map(lambda part: jnp.broadcast_to(part, (count, *part.shape)), one)
        return rules.random_move(batch, key), rules.legal(one)

    drawn, legal = map(np.asarray, many(rules.read(state), jax.random.key(5)))
    assert legal.sum() == state.count_moves(int(rules.turn(rules.read(state))))
    assert legal[drawn].all()
    expected = count / legal.sum()
    surprise = ((np.bincount(drawn, minlength=rules.actions)[legal] - expected) ** 2 / expected).sum()
    assert surprise < legal.sum() + 5 * np.sqrt(2 * legal.sum())  # chi-square, five standard deviations


@pytest.mark.parametrize("kind", [kind for kind in ONE_OF_EACH if GAMES[kind.game].has_chance], ids=str)
def test_chance_by_a_key_brings_what_the_odds_say(kind: Kind) -> None:
    rules, count, chance = kind.rules, 20_000, Random(4)
    state = kind.start(0)
    while state.chance is None:
        state = state.play(state.random_move(chance, min(state.deciding)), min(state.deciding))

    @jax.jit
    def many(one: Any, key: Any) -> tuple[Any, Any, Any, Any]:
        batch = jax.tree.map(lambda part: jnp.broadcast_to(part, (count, *part.shape)), one)
        drawn = rules.settle(batch, key)
        given = jax.vmap(rules.happen, (None, 0))(one, jnp.arange(rules.outcomes))
        return drawn, given, rules.odds(one), rules.settle(drawn, key)

    drawn, given, odds, again = many(rules.read(state), jax.random.key(8))
    assert equal(drawn, again)
    shown, values = (getattr(each, library(kind.game).DRAWN) for each in (drawn, given))
    for value, likely in zip(values.tolist(), odds.tolist(), strict=True):
        assert abs((np.asarray(shown) == value).mean() - likely) < 5 * np.sqrt(likely / count)


def test_draw_finds_every_place_and_nothing_else() -> None:
    legal = np.random.default_rng(1).random((50, 200)) < np.linspace(0, 0.2, 50)[:, None]
    keys = jax.random.split(jax.random.key(2), 400)
    drawn = np.asarray(jax.jit(jax.vmap(draw, (None, 0)))(jnp.asarray(legal), keys))
    for row, found in zip(legal, drawn.T, strict=True):
        assert set(found.tolist()) <= set(np.flatnonzero(row).tolist()) | ({0} if not row.any() else set())
    assert set(drawn[:, 3].tolist()) == set(np.flatnonzero(legal[3]).tolist()) or legal[3].sum() > 40
    box, nth = nth_of(jnp.array([0, 3, 0, 2]), keys[0])
    assert (int(box), int(nth)) in {(1, 0), (1, 1), (1, 2), (3, 0), (3, 1)}


def test_places_are_those_of_the_library() -> None:
    keys = np.random.default_rng(2).integers(0, 4, (200, 4))
    assert [tuple(row) for row in np.asarray(places(jnp.asarray(keys))).tolist()] == [
        places_in_the_library(row) for row in keys.tolist()
    ]


def test_the_turn_goes_to_the_next_who_can() -> None:
    turn, skipped = next_seat(jnp.array([0, 1, 2, 3]), jnp.array([[1, 0, 0, 1]] * 3 + [[0, 0, 0, 0]], bool))
    assert turn.tolist() == [3, 3, 3, 3]
    assert skipped.tolist() == [[0, 1, 1, 0], [0, 0, 1, 0], [0, 0, 0, 0], [1, 1, 1, 1]]


def test_slots_begin_with_the_mover() -> None:
    by_seat = jnp.array([[10, 11, 12], [20, 21, 22]])
    assert slots(by_seat, jnp.array([1, 2])).tolist() == [[11, 12, 10, 0], [22, 20, 21, 0]]


def test_there_is_one_object_for_each_way_to_set_a_table() -> None:
    for kind in ONE_OF_EACH:
        game = GAMES[kind.game]
        views = {option.name: option.choices[-1] for option in game.options if option.changes == "views"}
        assert rules_for(kind.game, **kind.options, **views, starter=1) is rules_for(kind.game, **kind.options)
        assert rules_for(kind.game, **{option.name: option.default for option in game.options}) is rules_for(kind.game)
