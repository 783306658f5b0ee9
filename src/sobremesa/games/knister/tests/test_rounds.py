"""K1, K2 and K5: rolling, writing, and when a line may be scored."""

from fractions import Fraction
from itertools import permutations

import pytest

from kinds import played
from sobremesa.core import IllegalMove
from sobremesa.games.knister import Write
from sobremesa.games.knister.scoring import points

from .sheets import HIGH, SPECTACULAR, filled, position, sheet, start, write


def test_k1_two_dice_are_rolled() -> None:
    chance = start().chance
    assert chance is not None
    assert {roll: chance.probability(roll) for roll in chance.outcomes} == {
        roll: Fraction(sum(a + b == roll for a in range(1, 7) for b in range(1, 7)), 36) for roll in range(2, 13)
    }


@pytest.mark.parametrize("roll", [0, 1, 13, -7])
def test_k1_two_dice_cannot_show_anything_else(roll: int) -> None:
    with pytest.raises(IllegalMove, match=rf"^K1: two dice cannot show {roll}$"):
        start().happen(roll)


def test_k1_there_is_nothing_to_write_before_the_roll() -> None:
    assert not start(3).deciding
    assert start(3).legal_moves(1) == []
    with pytest.raises(IllegalMove, match=r"^K1: there is no roll to write now$"):
        start(3).play(write("a1"), 0)


def test_k1_everybody_writes_into_any_free_cell_of_his_own_sheet() -> None:
    """Sara rolls 3 and 5 and writes the 8 into the middle, Tim into a corner, Carlos at the right edge."""
    state = start(3).happen(8)
    assert state.deciding == {0, 1, 2}
    assert [len(state.legal_moves(seat)) for seat in range(3)] == [25, 25, 25]
    state = state.play(write("c3"), 0).play(write("a1"), 1).play(write("e2"), 2)
    assert [sheet.index(8) for sheet in state.sheets] == [12, 0, 9]
    assert [sheet.count(0) for sheet in state.sheets] == [24, 24, 24]


def test_k1_all_write_at_the_same_time_the_order_makes_no_difference() -> None:
    rolled = start(3).happen(8)
    cells = {0: "c3", 1: "a1", 2: "e2"}
    ends = set()
    for order in permutations(cells):
        state = rolled
        for seat in order:
            state = state.play(write(cells[seat]), seat)
        ends.add(state)
    assert len(ends) == 1


def test_k1_with_several_to_write_one_says_whose_sheet_it_is() -> None:
    state = start(2).happen(8)
    for ask in (state.legal_moves, state.count_moves, lambda: state.play(write("a1"))):
        with pytest.raises(IllegalMove, match=r"^K1: all write at the same time: say whose sheet it is$"):
            ask()
    state = state.play(write("a1"), 1)
    assert state.play(write("a1")) == state.play(write("a1"), 0)


def test_k1_written_numbers_stay() -> None:
    state = played(start(), "*8 c3 *7")
    assert len(state.legal_moves()) == 24
    with pytest.raises(IllegalMove, match=r"^K1: that cell is taken: written numbers stay$"):
        played(state, "c3")


@pytest.mark.parametrize("forged", [Write(25, "f1"), Write(-1, "e5"), Write(0, "b1"), Write(10**9, "a1")])
def test_k1_there_are_no_other_cells(forged: Write) -> None:
    with pytest.raises(IllegalMove, match=r"^K1: .* is no cell of the sheet$"):
        start().happen(7).play(forged)


@pytest.mark.parametrize("seat", [-1, 2, 100])
def test_k1_there_are_no_other_seats(seat: int) -> None:
    with pytest.raises(IllegalMove, match=rf"^K1: there is no seat {seat} at this table$"):
        start(2).happen(7).play(write("a1"), seat)


def test_k2_everybody_writes_a_roll_once() -> None:
    state = start(2).happen(8).play(write("a1"), 0)
    assert state.deciding == {1}
    assert state.legal_moves(0) == []
    assert state.count_moves(0) == 0
    with pytest.raises(IllegalMove, match=r"^K2: you have written this roll already$"):
        state.play(write("b1"), 0)


def test_k2_a_round_ends_when_everybody_has_written() -> None:
    state = start(2).happen(8).play(write("a1"), 0)
    assert state.chance is None
    with pytest.raises(IllegalMove, match=r"^K2: the dice are not rolled now$"):
        state.happen(7)
    assert state.rounds == 0
    state = state.play(write("a1"), 1)
    assert state.rounds == 1
    assert state.chance is not None
    assert not state.deciding


def test_k2_the_roller_changes_clockwise_from_round_to_round() -> None:
    state = start(3, starter=1)
    rollers = []
    for cell in ("a1", "b1", "c1", "d1"):
        rollers.append(state.roller)
        state = state.happen(7)
        assert state.roller == rollers[-1]
        for seat in range(3):
            state = state.play(write(cell), seat)
    assert rollers == [1, 2, 0, 1]


def test_k1_there_are_25_rounds() -> None:
    state = position(f"knister seats=1 starter=0 roll=- sheets={'7' * 24}.")
    assert not state.over
    assert state.result() is None
    state = played(state, "*7 e5")
    assert state.over
    assert state.rounds == 25
    assert state.chance is None
    with pytest.raises(IllegalMove, match=r"^K2: the dice are not rolled now$"):
        state.happen(7)
    with pytest.raises(IllegalMove, match=r"^K1: there is no roll to write now$"):
        state.play(write("e5"))


def test_k5_a_line_may_be_scored_the_moment_its_fifth_number_is_written() -> None:
    """Tim has a full house in a row after nine rounds, and writes down his 8 points."""
    four = sheet("7 . . . .", "4 9 4 4 .", ". . 6 . .", ". . . 10 .", ". . . . 5")
    five = sheet("7 . . . .", "4 9 4 4 9", ". . 6 . .", ". . . 10 .", ". . . . 5")
    assert points(four) == 0
    assert points(five) == 8


def test_k5_it_makes_no_difference_to_the_total() -> None:
    state = start()
    for cell, roll in zip(state.happen(2).legal_moves(), SPECTACULAR, strict=True):
        before = points(state.sheets[0])
        state = state.happen(roll).play(cell)
        assert points(state.sheets[0]) >= before
    assert points(state.sheets[0]) == 168
    assert filled(HIGH).sheets[0] == HIGH
