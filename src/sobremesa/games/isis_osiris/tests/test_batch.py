"""Isis & Osiris in JAX beyond single moves: other boards, chance given or drawn, observations."""

from random import Random
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np

from batch.alongside import together
from kinds import played
from sobremesa.games.isis_osiris import IsisOsirisState
from sobremesa.games.isis_osiris.batch.observation import NUMBERS, PLANES, VALUES
from sobremesa.games.isis_osiris.batch.rules import isis_osiris
from sobremesa.games.isis_osiris.editions import SMALL


def begin(variant: str, seats: int, edition: str = "standard", starter: int = 0) -> IsisOsirisState:
    return IsisOsirisState.begin(edition, seats, variant, memory_aid=False, starter=starter)


def test_board_and_canvas_are_data() -> None:
    """A board of 4x3 on a canvas of 6x6, or as it is."""
    rules = isis_osiris("4x3", 2, "common")
    state = rules.read(played(begin("common", 2, "4x3"), "Sb1 T *-2 Td3"))
    planes = np.asarray(jax.jit(rules.observe, static_argnums=1)(state, 6).planes)
    assert planes.shape == (PLANES, 6, 6)
    assert planes[-2, 1:4, 1:5].all()
    assert planes[-2].sum() == 12
    assert np.argwhere(planes[:-2]).tolist() == [[0, 1, 2], [4 + VALUES.tolist().index(-2), 3, 4]]
    assert jax.eval_shape(rules.observe, state).planes.shape == (PLANES, 3, 4)


def test_a_turned_tile_waits_for_chance_and_then_for_a_cell() -> None:
    """I2: no move while the tile is being turned over, no stone after it."""
    rules = isis_osiris()
    legal, odds, step, happen = (jax.jit(each) for each in (rules.legal, rules.odds, rules.step, rules.happen))
    turned = step(rules.init(jnp.zeros((), int)), rules.turning)
    assert rules.waiting(turned)
    assert not legal(turned).any()
    assert jax.tree.all(jax.tree.map(np.array_equal, step(turned, 5), turned))
    np.testing.assert_allclose(odds(turned), np.array([1, 2, 6, 2, 2, 6, 2, 1]) / 22, rtol=1e-6)
    shown = happen(turned, 7)
    assert shown.turned == 4
    assert legal(shown).tolist() == [True] * 36 + [False]
    assert odds(shown).tolist() == [0] * 8
    placed = step(shown, 5)
    assert placed.tiles[5] == 4
    assert placed.turn == 1
    assert odds(step(placed, rules.turning))[7] == 0


@pytest.mark.parametrize(("variant", "seats"), [("own", 2), ("common", 3), ("own", 4)])
def test_an_observation_is_the_position_with_a_perfect_memory(variant: str, seats: int) -> None:
    rules, random = isis_osiris(seats=seats, variant=variant), Random(7)
    states: list[Any] = []
    for game in range(6):
        state = begin(variant, seats, starter=game % seats)
        for _ in range(random.randrange(1, 50)):
            chance = state.chance
            state = state.happen(chance.draw(random)) if chance else state.play(state.random_move(random))
        states.append(state)
    states.append(played(begin(variant, seats), "Sa1 T"))
    states.append(played(begin(variant, seats), "Sa1 T *+3"))
    seen = jax.jit(rules.observe)(together(rules, states))
    assert seen.planes.shape == (8, PLANES, 6, 6)
    assert seen.numbers.shape == (8, NUMBERS)
    for state, planes, numbers in zip(states, np.asarray(seen.planes), np.asarray(seen.numbers), strict=True):
        order = [(state.turn + slot) % seats for slot in range(seats)]
        gap = [0] * (4 - seats)
        stones = np.zeros((4, 36), bool)
        for slot, seat in enumerate(order):
            stones[slot] = [state.stones[seat] >> cell & 1 for cell in range(36)]
        tiles = [[value == each for each in state.tiles] for value in VALUES.tolist()]
        free = [state.free >> cell & 1 for cell in range(36)]
        assert np.array_equal(planes.reshape(PLANES, 36), [*stones, *tiles, [True] * 36, free])
        expected = [state.stones_left[seat] / 8 for seat in order] + gap
        expected += [state.tiles_left(seat) / 22 for seat in order] + gap
        expected += [1] * seats + gap + [state.scores()[seat] / 20 for seat in order] + gap
        expected += [left / all_of for left, all_of in zip(state.unseen, (1, 2, 6, 2, 2, 6, 2, 1), strict=True)]
        expected += [state.turned == value for value in VALUES.tolist()] + [state.chance is not None]
        expected += [seats == 2, seats == 3, seats == 4, variant == "own", variant == "common"]
        np.testing.assert_allclose(numbers, np.array(expected, np.float32), rtol=1e-6)


def test_small_boards_have_no_other_tiles() -> None:
    assert {value for edition in SMALL.values() for value in edition.tiles} <= set(VALUES.tolist())
