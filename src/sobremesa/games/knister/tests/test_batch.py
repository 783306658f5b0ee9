"""The rules for thousands of sheets are the rules for one, position by position."""

from random import Random

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np

from sobremesa.games.knister.batch import rules as knister
from sobremesa.games.knister.scoring import CELLS, combination, line_points, points
from sobremesa.games.knister.state import DICE, KnisterState


def test_random_games_agree_with_the_library_at_every_position() -> None:
    """Eighty games in step with forty tables of two: same free cells, same points."""
    chance = Random(5)
    states = [KnisterState.begin(seats=2, starter=0) for _ in range(40)]
    sheets = knister.init(80)
    write, free, count = jax.jit(knister.step), jax.jit(knister.legal), jax.jit(knister.points)
    for _ in range(CELLS):
        rolls = [chance.choices(DICE.outcomes, DICE.weights)[0] for _ in states]
        states = [state.happen(roll) for state, roll in zip(states, rolls, strict=True)]
        cells = []
        for at, state in enumerate(states):
            for seat in (0, 1):
                mask = np.zeros(CELLS, bool)
                moves = state.legal_moves(seat)
                mask[[move.cell for move in moves]] = True
                assert (np.asarray(free(sheets)[2 * at + seat]) == mask).all()
                move = chance.choice(moves)
                cells.append(move.cell)
                states[at] = states[at].play(move, seat)
        sheets = write(sheets, jnp.array(cells), jnp.repeat(jnp.array(rolls) - 2, 2))
        totals = np.asarray(count(sheets))
        for at, state in enumerate(states):
            for seat in (0, 1):
                assert bytes(np.asarray(sheets[2 * at + seat]).tolist()) == bytes(state.sheets[seat])
                assert totals[2 * at + seat] == points(state.sheets[seat])
    results = [state.result() for state in states]
    assert count(sheets).tolist() == [score for result in results if result for score in result.scores]


def test_lines_of_thousands_of_sheets_score_as_in_the_library() -> None:
    numbers = np.random.default_rng(3).integers(1, 13, (5000, CELLS)).astype(np.int8)
    sheets = np.where(numbers == 1, 0, numbers)
    sheets[2500:] = np.random.default_rng(4).integers(2, 7, (2500, CELLS))
    ours = np.asarray(jax.jit(knister.line_points)(sheets))
    assert [tuple(row) for row in ours.tolist()] == [line_points(bytes(sheet)) for sheet in sheets.tolist()]


def test_every_hand_in_every_order() -> None:
    hands = knister.hand_of_code()
    for code in range(0, len(hands), 7):
        digits = [code // 12**place % 12 for place in range(5)]
        assert sorted(digits) == knister.HANDS[hands[code]].tolist()
        expected = combination(bytes(digit + 1 if digit else 0 for digit in digits)).points
        assert knister.HAND_POINTS[hands[code]] == expected


def test_the_dice_are_fair() -> None:
    counts = np.bincount(np.asarray(knister.roll(jax.random.key(0), 360_000)), minlength=11)
    assert np.abs(counts / 360_000 - knister.ODDS).max() < 0.003


def test_it_can_be_mapped_and_jitted_over_any_shape() -> None:
    sheets = knister.init(6).reshape(2, 3, CELLS)
    written = jax.vmap(jax.jit(knister.step))(sheets, jnp.arange(6).reshape(2, 3), jnp.full((2, 3), 5))
    assert written[1, 2, 5] == 7
    assert (knister.legal(written).sum(-1) == CELLS - 1).all()
    assert jax.vmap(knister.points)(written).shape == (2, 3)
