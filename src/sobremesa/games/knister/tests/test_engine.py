"""Knister: the end counted out, the network, and playing to win."""

from functools import cache
from random import Random

import numpy as np
import pytest

from sobremesa.engines import find_player
from sobremesa.games.knister import GAME
from sobremesa.games.knister.engine import exact, lines, winning
from sobremesa.games.knister.engine.network import network
from sobremesa.games.knister.engine.player import NetworkPlayer, Skill
from sobremesa.games.knister.scoring import points
from sobremesa.games.knister.sheets import Sheets
from sobremesa.games.knister.state import DICE, KnisterState

from .sheets import with_free_cells


def write(sheet: bytes, cell: int, roll: int) -> bytes:
    return sheet[:cell] + bytes((roll,)) + sheet[cell + 1 :]


def free_cells(sheet: bytes) -> list[int]:
    return [cell for cell, number in enumerate(sheet) if not number]


@cache
def brute_force(sheet: bytes) -> float:
    """The best mean of final points before the next roll, by the score table and nothing else."""
    cells = free_cells(sheet)
    if not cells:
        return points(sheet)
    rolls = zip(DICE.outcomes, DICE.weights, strict=True)
    return sum(weight * max(brute_force(write(sheet, cell, roll)) for cell in cells) for roll, weight in rolls) / 36


def as_array(sheet: bytes) -> lines.Ints:
    return np.frombuffer(sheet, np.uint8).astype(np.int64)


def table_of(sheets: list[bytes], roll: int) -> KnisterState:
    seats = len(sheets)
    return KnisterState(0, 25 - sheets[0].count(0), roll, (1 << seats) - 1, Sheets(sheets), Sheets(sheets))


@pytest.mark.parametrize(("free", "seed"), [(1, 1), (2, 2), (3, 3), (3, 4), (4, 5), (4, 6), (5, 7), (5, 8)])
def test_the_champion_loses_nothing_at_the_end(free: int, seed: int) -> None:
    sheet, roll = with_free_cells(free, seed), DICE.draw(Random(seed))
    truth = {cell: brute_force(write(sheet, cell, roll)) for cell in free_cells(sheet)}
    cells, values = exact.placements(as_array(sheet), roll)
    assert dict(zip(cells.tolist(), values.tolist(), strict=True)) == pytest.approx(truth, abs=1e-3)
    thought = find_player("champion", GAME, Random(1)).think(table_of([sheet], roll).view(0))
    assert thought.exact
    assert truth[thought.move.cell] == pytest.approx(max(truth.values()), abs=1e-3)
    assert [candidate.value for candidate in thought.candidates] == pytest.approx(
        sorted(truth.values())[::-1], abs=1e-3
    )
    brute_force.cache_clear()


def test_what_lines_expect_is_what_comes_by_itself() -> None:
    """With one free cell nobody can choose any more."""
    for seed in range(20):
        sheet = with_free_cells(1, seed)
        assert lines.expected(as_array(sheet)[None])[0] == pytest.approx(brute_force(sheet), abs=1e-4)


def test_the_network_agrees_with_the_lines_where_nobody_can_choose() -> None:
    sheets = np.stack([as_array(with_free_cells(2, seed)) for seed in range(30)])
    cells = np.nonzero(sheets == 0)[1].reshape(-1, 2)
    found = np.take_along_axis(network().points(sheets), cells[..., None], axis=1)
    assert found == pytest.approx(lines.quality_of(sheets, cells), abs=1e-3)


def test_the_network_plays_well_and_the_spread_is_a_distribution() -> None:
    sheets = np.zeros((1, 25), np.int64)
    assert 70 < network().value(sheets)[0] < 74
    _, spread = network().spread(sheets)
    assert spread.sum(-1) == pytest.approx(np.ones((1, 25, 11)), abs=1e-4)


def chance_to_win(mine: bytes, theirs: bytes, roll: int) -> dict[int, float]:
    """The chance to win after each placement, by trying everything; the other one plays for points."""

    def other(sheet: bytes, roll: int) -> bytes:
        return write(sheet, max(free_cells(sheet), key=lambda cell: brute_force(write(sheet, cell, roll))), roll)

    def won(mine: bytes, theirs: bytes) -> float:
        if not free_cells(mine):
            difference = points(mine) - points(theirs)
            return (difference > 0) + (difference == 0) / 2
        total = 0.0
        for roll, weight in zip(DICE.outcomes, DICE.weights, strict=True):
            answer = other(theirs, roll)
            total += weight * max(won(write(mine, cell, roll), answer) for cell in free_cells(mine))
        return total / 36

    answer = other(theirs, roll)
    return {cell: won(write(mine, cell, roll), answer) for cell in free_cells(mine)}


@pytest.mark.parametrize("seed", range(6))
def test_chances_to_win_are_counted_out(seed: int) -> None:
    mine, theirs = with_free_cells(3, seed), with_free_cells(3, seed + 100)
    roll = DICE.draw(Random(seed))
    cells, chances = winning.chances(as_array(mine), roll, [as_array(theirs)])
    truth = chance_to_win(mine, theirs, roll)
    found = dict(zip(cells.tolist(), chances.tolist(), strict=True))
    # Among equal placements the other one may choose differently; that can move the chance a little.
    assert found == pytest.approx(truth, abs=0.05)


def test_who_is_behind_takes_a_risk_that_points_alone_would_not() -> None:
    """Somewhere among random ends the best cell for points is not the best cell to win."""
    different = 0
    for seed in range(12):
        mine, theirs = with_free_cells(3, seed), with_free_cells(3, seed + 50)
        view = table_of([mine, theirs], DICE.draw(Random(seed))).view(0)
        bold = NetworkPlayer("bold", Random(1), Skill(exact=True, to_win=True)).choose(view)
        safe = NetworkPlayer("safe", Random(1), Skill(exact=True)).choose(view)
        different += bold != safe
        _, chances = winning.chances(as_array(mine), view.roll or 0, [as_array(theirs)])
        cells = free_cells(mine)
        assert chances[cells.index(bold.cell)] >= chances[cells.index(safe.cell)] - 1e-6
    assert different


@pytest.mark.parametrize("ahead", [False, True])
def test_looking_ahead_keeps_all_cells_and_the_scale(ahead: bool) -> None:
    sheet = with_free_cells(12, 3)
    thought = NetworkPlayer("x", Random(1), Skill(ahead=ahead, exact=True)).think(table_of([sheet], 8).view(0))
    assert len(thought.candidates) == 12
    assert thought.candidates[0].move == thought.move
    assert thought.depth == ahead
    plain = NetworkPlayer("x", Random(1), Skill()).think(table_of([sheet], 8).view(0))
    assert thought.values[0] == pytest.approx(plain.values[0], abs=3)


def test_noise_makes_a_player_weaker() -> None:
    def mean(skill: Skill) -> float:
        total = 0
        for deal in range(12):
            random, state = Random(deal), GAME.start()
            player = NetworkPlayer("x", Random(deal), skill)
            while not state.over:
                if state.chance is not None:
                    state = state.happen(state.chance.draw(random))
                else:
                    state = state.play(player.choose(state.view(0)), 0)
            result = state.result()
            assert result is not None
            total += result.scores[0]
        return total / 12

    assert mean(Skill()) > 60 > 45 > mean(Skill(noise=4.0))


def test_whoever_is_ahead_is_likelier_to_win() -> None:
    good, bad = bytes([2, 3, 4, 5, 6] * 3 + [0] * 10), bytes([2, 9, 4, 11, 7] * 3 + [0] * 10)
    for sheets in ([good, bad], [bad, good, bad]):
        likely = winning.standing(network(), [as_array(sheet) for sheet in sheets], 7)
        assert likely.sum() == pytest.approx(1)
        assert int(likely.argmax()) == sheets.index(good)
        assert likely.max() > 0.9
    even = winning.standing(network(), [as_array(good)] * 2, 7)
    assert even == pytest.approx([0.5, 0.5])
    view = table_of([good, bad], 7).view(1)
    assert find_player("champion", GAME, Random(1)).think(view).chances[0] > 0.9
