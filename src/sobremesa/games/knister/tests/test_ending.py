"""K6 and K7: who wins, and how good a solitaire game was."""

import re
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core import Result
from sobremesa.core.language import LANGUAGES, rules_page
from sobremesa.games.knister import GAME
from sobremesa.games.knister.scoring import LINES, RANKS, points

from .sheets import HIGH, SPECTACULAR, WORTHLESS, filled, sheet


@pytest.mark.parametrize("best", [SPECTACULAR, HIGH])
def test_k6_the_highest_possible_total_is_168(best: bytes) -> None:
    assert filled(best).result() == Result((168,), (1,))


def test_k6_no_line_is_worth_more_than_12_so_168_is_the_most() -> None:
    assert sum(12 * line.times for line in LINES) == 168


def test_k6_the_lowest_possible_total_is_0() -> None:
    assert filled(WORTHLESS).result() == Result((0,), (1,))


@given(st.lists(st.integers(2, 12), min_size=25, max_size=25))
def test_k6_every_total_lies_between(numbers: Sequence[int]) -> None:
    assert 0 <= points(bytes(numbers)) <= 168


def test_k6_most_points_win() -> None:
    """The same rolls, written in a better and in a worse order."""
    rows = ("2 2 2 2 2", "3 3 3 3 3", "4 4 4 4 4", "5 5 5 5 5", "6 6 6 6 6")
    state = filled(sheet(*rows), SPECTACULAR)
    assert state.result() == Result((5 * 10 + 5 * 12 + 2 * 24, 168), (2, 1))


def test_k6_equal_totals_share_the_place() -> None:
    rows = ("2 2 2 2 2", "3 3 3 3 3", "4 4 4 4 4", "5 5 5 5 5", "6 6 6 6 6")
    columns = tuple(" ".join("23456") for _ in range(5))
    worse = SPECTACULAR[1:] + SPECTACULAR[:1]
    result = filled(sheet(*rows), sheet(*columns), SPECTACULAR, worse).result()
    assert result is not None
    assert result.scores[:3] == (158, 158, 168)
    assert result.scores[3] < 158
    assert result.places == (2, 2, 1, 4)
    assert result.winners == (2,)


def test_k7_over_50_is_good_over_80_great_over_100_spectacular() -> None:
    assert RANKS == ((100 + 1, "spectacular"), (80 + 1, "great"), (50 + 1, "good"))


@pytest.mark.parametrize("code", LANGUAGES)
def test_k7_the_rules_page_says_so(code: str) -> None:
    (told,) = [block for block in rules_page(GAME.package, code).split("\n\n") if block.endswith("(K7)")]
    assert [int(number) + 1 for number in re.findall(r"\d+(?= |,|\.)", told)] == sorted(least for least, _ in RANKS)
