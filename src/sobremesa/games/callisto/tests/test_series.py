"""Series (C11): at least as many games as players, penalties are added up, the lowest sum wins."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.result import Result
from sobremesa.games.callisto import GAME
from sobremesa.table.series import Series


def penalties(*scores: int) -> Result:
    return Result(scores, tuple(range(1, len(scores) + 1)))


def test_c11_at_least_as_many_games_as_players() -> None:
    for games in (3, 4, 5, 6, 7, 100):
        assert Series(GAME, {"seats": 3}, games).games == games
    for games in (1, 2):
        with pytest.raises(InvalidSetup, match=r"^C11: a series of Callisto has at least as many .* 3 or more$"):
            Series(GAME, {"seats": 3}, games)
    for games in (0, -3):
        with pytest.raises(InvalidSetup, match="at least one game"):
            Series(GAME, {"seats": 3}, games)


@given(st.sampled_from((2, 3, 4)), st.integers(0, 40), st.integers(0, 3))
def test_c11_only_a_multiple_lets_everybody_start_equally_often(seats: int, more: int, starter: int) -> None:
    series = Series(GAME, {"seats": seats, "starter": starter % seats}, seats + more)
    starts = Counter(series.options_of(number)["starter"] for number in range(series.games))
    assert set(starts) == set(range(seats)), "everybody starts"
    assert max(starts.values()) - min(starts.values()) == int(series.uneven)


def test_c11_each_player_starts_equally_often() -> None:
    series = Series(GAME, {"seats": 4, "starter": 2}, 8)
    starters = [series.options_of(number)["starter"] for number in range(8)]
    assert starters == [2, 3, 0, 1, 2, 3, 0, 1]


def test_c11_penalties_are_added_up_and_the_lowest_sum_wins() -> None:
    series = Series(GAME, {"seats": 2}, 2).add(penalties(13, 11)).add(penalties(2, 8))
    assert series.over
    assert series.standing == Result((15, 19), (1, 2))


def test_c11_equal_sums_share_the_place() -> None:
    series = Series(GAME, {"seats": 3}, 3)
    for scores in [(10, 5, 20), (5, 10, 20), (0, 0, 20)]:
        series = series.add(penalties(*scores))
    assert series.standing == Result((15, 15, 60), (1, 1, 3))
