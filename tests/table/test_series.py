"""Series (C11): at least as many games as players, penalties are added up, the lowest sum wins."""

from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa import GAMES
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.language import LANGUAGES, Language
from sobremesa.core.result import Result
from sobremesa.table.series import Series

CALLISTO, KNISTER = GAMES["callisto"], GAMES["knister"]


def penalties(*scores: int) -> Result:
    return Result(scores, tuple(range(1, len(scores) + 1)))


def test_c11_at_least_as_many_games_as_players() -> None:
    for games in (3, 4, 5, 6, 7, 100):
        assert Series(CALLISTO, {"seats": 3}, games).games == games
    for games in (1, 2):
        with pytest.raises(InvalidSetup, match=r"^C11: a series of Callisto has at least as many .* 3 or more$"):
            Series(CALLISTO, {"seats": 3}, games)
    for games in (0, -3):
        with pytest.raises(InvalidSetup, match="at least one game"):
            Series(CALLISTO, {"seats": 3}, games)


@given(st.sampled_from((2, 3, 4)), st.integers(0, 40), st.integers(0, 3))
def test_c11_only_a_multiple_lets_everybody_start_equally_often(seats: int, more: int, starter: int) -> None:
    series = Series(CALLISTO, {"seats": seats, "starter": starter % seats}, seats + more)
    starts = Counter(series.options_of(number)["starter"] for number in range(series.games))
    assert set(starts) == set(range(seats)), "everybody starts"
    assert max(starts.values()) - min(starts.values()) == int(series.uneven)


def test_only_a_game_with_a_rule_about_series_has_a_shortest_one_and_the_error_cites_that_rule() -> None:
    assert [(game.id, game.series_rule) for game in GAMES.values() if game.series_rule] == [("callisto", "C11")]
    for game in GAMES.values():
        for games in range(1, 6):
            if game.series_rule is None:
                assert not Series(game, {"seats": 2}, games).uneven
    elsewhere = replace(KNISTER, series_rule="X9")
    with pytest.raises(InvalidSetup, match=r"^X9: a series of Knister") as caught:
        Series(elsewhere, {"seats": 4}, 3)
    for language in map(Language, LANGUAGES):
        said = language.explain(caught.value)
        assert said.startswith("X9")
        assert "C11" not in said


def test_c11_each_player_starts_equally_often() -> None:
    series = Series(CALLISTO, {"seats": 4, "starter": 2}, 8)
    starters = [series.options_of(number)["starter"] for number in range(8)]
    assert starters == [2, 3, 0, 1, 2, 3, 0, 1]


def test_c11_penalties_are_added_up_and_the_lowest_sum_wins() -> None:
    series = Series(CALLISTO, {"seats": 2}, 2).add(penalties(13, 11)).add(penalties(2, 8))
    assert series.over
    assert series.standing == Result((15, 19), (1, 2))


def test_c11_equal_sums_share_the_place() -> None:
    series = Series(CALLISTO, {"seats": 3}, 3)
    for scores in [(10, 5, 20), (5, 10, 20), (0, 0, 20)]:
        series = series.add(penalties(*scores))
    assert series.standing == Result((15, 15, 60), (1, 1, 3))


def test_in_knister_the_highest_sum_wins_and_any_number_of_games_makes_a_series() -> None:
    series = Series(KNISTER, {"seats": 2}, 3).add(penalties(50, 60)).add(penalties(40, 35)).add(penalties(5, 10))
    assert series.standing == Result((95, 105), (2, 1))


def test_a_series_does_not_change_when_a_game_is_added() -> None:
    series = Series(CALLISTO, {"seats": 2}, 2)
    series.add(penalties(1, 2))
    assert series.results == ()
    assert series.next_options["starter"] == 0
    assert series.add(penalties(1, 2)).next_options["starter"] == 1


def test_a_finished_series_takes_no_more() -> None:
    series = Series(CALLISTO, {"seats": 2}, 2).add(penalties(1, 2)).add(penalties(3, 4))
    with pytest.raises(InvalidSetup, match="over"):
        series.add(penalties(1, 2))
    with pytest.raises(InvalidSetup, match="over"):
        _ = series.next_options


def test_a_result_of_another_table_is_refused() -> None:
    with pytest.raises(InvalidSetup, match="3 seats"):
        Series(CALLISTO, {"seats": 2}, 2).add(penalties(1, 2, 3))


def test_the_table_of_a_series_is_a_table_that_starts() -> None:
    series = Series(CALLISTO, {"seats": 3, "edition": "pocket"}, 3)
    for number in range(3):
        state = CALLISTO.start(**series.options_of(number))
        assert list(state.deciding) == [number]
