"""K3 and K4: the score table."""

from itertools import combinations_with_replacement, permutations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core.language import LANGUAGES, rules_page
from sobremesa.games.knister import GAME
from sobremesa.games.knister.plain import lines
from sobremesa.games.knister.scoring import COMBINATIONS, LINES, NOTHING, combination, line_points, points

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


def tims_sheet(code: str) -> list[list[str]]:
    """The worked example as the rules page prints it: six rows of six, the last of each being points."""
    table = rules_page(GAME.package, code).partition("| a | b | c | d | e |")[2].partition("\n\n")[0]
    rows = [[cell.strip() for cell in row.strip("|").split("|")] for row in table.splitlines()[2:]]
    assert [len(row) for row in rows] == [6] * 6
    return rows


@pytest.mark.parametrize("code", LANGUAGES)
class TestTheWorkedExample:
    """Tim's sheet: the rulebook tells what is true of it, the rules page has numbers for which that is so."""

    def full(self, code: str) -> bytes:
        return sheet(*(" ".join(row[:5]).replace("*", "") for row in tims_sheet(code)[:5]))

    def test_k1_after_nine_rounds_the_second_row_is_a_full_house(self, code: str) -> None:
        early = sheet(*(" ".join(c.strip("*") if "*" in c else "." for c in row[:5]) for row in tims_sheet(code)[:5]))
        assert sum(number > 0 for number in early) == 9
        assert combination(early[LINES[3].cells]).name == "full house"
        assert points(early) == 8

    def test_k3_the_margins_hold_what_the_library_counts(self, code: str) -> None:
        rows = tims_sheet(code)
        margins = [row[5] for row in rows[:5]] + rows[5][:5]
        assert [f"*{found}*" for found in lines(self.full(code))[:10]] == margins
        assert rows[5][5] == ""

    def test_k3_three_of_a_kind_and_a_straight_with_a_7_on_the_diagonals(self, code: str) -> None:
        up, down = (combination(self.full(code)[line.cells]) for line in LINES[10:])
        assert (down.name, up.name) == ("three of a kind", "straight with a 7")
        assert line_points(self.full(code))[10:] == (2 * 8, 2 * 3)

    def test_k3_two_lines_without_a_combination_and_53_points_in_all(self, code: str) -> None:
        assert [combination(self.full(code)[line.cells]) for line in LINES].count(NOTHING) == 2
        assert points(self.full(code)) == 53
        assert " = 53 " in rules_page(GAME.package, code)

    def test_it_is_the_same_in_every_language(self, code: str) -> None:
        assert tims_sheet(code) == tims_sheet("en")


def test_k3_what_the_rulebook_tells_of_tims_sheet_needs_pairs_or_fours_of_a_kind() -> None:
    """So the points that are damaged in the scan, 1 and 6, are part of its 53, of which 31 are not on the diagonals."""
    clear = {made.points for made in COMBINATIONS} - {1, 6}
    assert 31 - 8 not in {sum(seven) for seven in combinations_with_replacement(sorted(clear), 7)}
    every = {made.points for made in COMBINATIONS}
    assert 31 - 8 in {sum(seven) for seven in combinations_with_replacement(sorted(every), 7)}


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
