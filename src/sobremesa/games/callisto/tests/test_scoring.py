"""C9 and C10: penalties and places."""

import pytest

from sobremesa.core import Result

from .boards import over, position


@pytest.mark.parametrize(
    ("left", "points"),
    [
        ("O L U", 4 + 4 + 5),
        ("I T4 Z", 3 + 4 + 4),
        ("2", 2),
        ("V W", 3 + 5),
    ],
)
def test_c9_the_examples_of_the_rulebook(left: str, points: int) -> None:
    assert over(left, "2 I T5", edition="pocket").penalty(0) == points


@pytest.mark.parametrize("edition", ["classic", "pocket"])
def test_c9_the_examples_of_the_rulebook_at_one_table(edition: str) -> None:
    state = over("O L U", "I T4 Z", "2", "V W", edition=edition)
    assert state.result() == Result((13, 11, 2, 8), (4, 3, 1, 2))


def test_c9_each_copy_of_a_tile_counts() -> None:
    assert over("2 2 O O X", "L L Z Z").penalty(0) == 2 + 2 + 4 + 4 + 5


def test_c9_a_full_hand_costs_all_its_squares_and_an_empty_one_nothing() -> None:
    assert position("h1", "i1").penalty(0) == 68
    assert position("a1", "a3", edition="pocket").penalty(0) == 47
    assert over("", "L L Z Z O O").penalty(0) == 0


@pytest.mark.parametrize("pillars", [2, 3])
def test_c9_an_unplaced_pillar_costs_nothing(pillars: int) -> None:
    assert over("X", "L L Z Z", pillars=pillars).penalty(0) == 5


def test_c10_the_lowest_penalty_wins() -> None:
    result = over("W", "2", "O I", edition="pocket").result()
    assert result == Result((5, 2, 7), (2, 1, 3))
    assert result.winners == (1,)


@pytest.mark.parametrize(
    ("starter", "places"),
    [
        (0, (4, 3, 2, 1)),
        (1, (1, 4, 3, 2)),
        (2, (2, 1, 4, 3)),
        (3, (3, 2, 1, 4)),
    ],
)
def test_c10_among_equals_whoever_started_later_ranks_higher(starter: int, places: tuple[int, ...]) -> None:
    state = position("", "", "", "", starter=starter, turn=None, out="xxxx")
    assert state.result() == Result((68, 68, 68, 68), places)


@pytest.mark.parametrize(
    ("starter", "places"),
    [
        (0, (3, 1, 2)),  # order of play 0 1 2: seat 2 came later than seat 0
        (1, (2, 1, 3)),  # 1 2 0
        (2, (2, 1, 3)),  # 2 0 1
    ],
)
def test_c10_also_for_the_last_place(starter: int, places: tuple[int, ...]) -> None:
    state = position("", "j1 k1 j2,k2", "", starter=starter, turn=None, out="xxx")
    assert state.result() == Result((68, 66, 68), places)


@pytest.mark.parametrize(
    ("starter", "places"),
    [
        (0, (4, 2, 3, 1)),  # 0 1 2 3: of the winners 1 and 3 seat 3 came later, of the losers 0 and 2 seat 2
        (1, (3, 2, 4, 1)),  # 1 2 3 0
        (2, (3, 1, 4, 2)),  # 2 3 0 1
        (3, (4, 1, 3, 2)),  # 3 0 1 2
    ],
)
def test_c10_for_two_ties_at_once(starter: int, places: tuple[int, ...]) -> None:
    state = position("", "h1 i1 h2,i2", "", "h20 i20 h19,i19", starter=starter, turn=None, out="xxxx")
    assert state.result() == Result((68, 66, 68, 66), places)
