"""K3 and K4: the score table."""

from itertools import combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.games.knister.scoring import COMBINATIONS, LINES, combination, line_points, points

from .sheets import sheet

TABLE = [
    ("pair", 1, "4 5 6 7 5"),
    ("two pairs", 3, "5 6 6 10 5"),
    ("three of a kind", 3, "7 8 7 7 4"),
    ("four of a kind", 6, "3 6 6 6 6"),
    ("full house", 8, "4 9 4 4 9"),
    ("straight with a 7", 8, "7 10 8 6 9"),
    ("five of a kind", 10, "8 8 8 8 8"),
    ("straight without a 7", 12, "3 5 6 2 4"),
]
FREE = ". . . . ."


def numbers(line: str) -> bytes:
    return bytes(map(int, line.split()))


@pytest.mark.parametrize(("name", "score", "line"), TABLE)
def test_k3_the_table(name: str, score: int, line: str) -> None:
    for order in permutations(numbers(line)):
        assert combination(bytes(order)) == (name, score)


def test_k3_there_are_no_other_combinations() -> None:
    assert [tuple(made) for made in COMBINATIONS] == [(name, score) for name, score, _ in TABLE]


@pytest.mark.parametrize(("name", "score", "line"), TABLE)
def test_k3_rows_and_columns_count_once(name: str, score: int, line: str) -> None:
    for at in range(5):
        rows = [FREE] * 5
        rows[at] = line
        assert points(sheet(*rows)) == score
        columns = [" ".join(word if x == at else "." for x in range(5)) for word in line.split()]
        assert points(sheet(*columns)) == score


@pytest.mark.parametrize(("name", "score", "line"), TABLE)
def test_k3_diagonals_count_double(name: str, score: int, line: str) -> None:
    down = [" ".join(word if x == y else "." for x in range(5)) for y, word in enumerate(line.split())]
    assert points(sheet(*down)) == points(sheet(*reversed(down))) == 2 * score


def test_k3_the_example_of_the_rulebook_tims_diagonals() -> None:
    """Three of a kind on one diagonal, a straight with a 7 on the other: 2x3 and 2x8."""
    tim = sheet(
        "7 . . . 9",
        ". 8 . 6 .",
        ". . 7 . .",
        ". 8 . 7 .",
        "10 . . . 4",
    )
    assert line_points(tim) == (0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 2 * 8, 2 * 3)


def test_k3_twelve_lines_each_cell_in_its_row_its_column_and_perhaps_a_diagonal() -> None:
    assert len(LINES) == 12
    assert [line.times for line in LINES] == [1] * 10 + [2] * 2
    cells = [range(25)[line.cells] for line in LINES]
    assert all(len(line) == 5 for line in cells)
    lines_of = [sum(cell in line for line in cells) for cell in range(25)]
    assert lines_of == [
        3, 2, 2, 2, 3,
        2, 3, 2, 3, 2,
        2, 2, 4, 2, 2,
        2, 3, 2, 3, 2,
        3, 2, 2, 2, 3,
    ]  # fmt: skip


@pytest.mark.parametrize("line", ["2 3 4 5 7", "8 9 10 11 2", "2 4 6 8 10", "4 5 6 8 9", "12 2 3 4 5"])
def test_k4_four_or_fewer_consecutive_numbers_are_no_straight(line: str) -> None:
    assert combination(numbers(line)) == ("nothing", 0)


def test_k4_only_2_to_6_and_8_to_12_are_straights_without_a_7() -> None:
    straights = {low: combination(bytes(range(low, low + 5))).points for low in range(2, 9)}
    assert straights == {2: 12, 3: 8, 4: 8, 5: 8, 6: 8, 7: 8, 8: 12}


def test_k3_a_line_scores_its_one_best_combination() -> None:
    """All 3,003 lines, against every row of the table that they satisfy."""
    for line in combinations_with_replacement(range(2, 13), 5):
        counts = sorted(map(line.count, set(line)))
        straight = line == tuple(range(line[0], line[0] + 5))
        made = {
            1: counts[-1] >= 2,
            3: counts[-1] >= 3 or sum(count >= 2 for count in counts) == 2,
            6: counts[-1] >= 4,
            8: counts == [2, 3] or (straight and 7 in line),
            10: counts == [5],
            12: straight and 7 not in line,
        }
        assert combination(bytes(line)).points == max([score for score, yes in made.items() if yes], default=0)


@given(st.lists(st.integers(2, 12), min_size=25, max_size=25))
def test_k3_a_sheet_is_worth_the_same_from_every_side(written: list[int]) -> None:
    rows = [written[low : low + 5] for low in range(0, 25, 5)]
    turned = [list(row) for row in zip(*rows, strict=True)]
    mirrored = [row[::-1] for row in rows]
    assert points(bytes(written)) == points(b"".join(map(bytes, turned))) == points(b"".join(map(bytes, mirrored)))
