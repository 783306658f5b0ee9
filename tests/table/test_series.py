"""Series: scores are added up, and a game may have a rule about how many games make one."""

from dataclasses import replace

import pytest

from sobremesa import GAMES
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.language import LANGUAGES, Language
from sobremesa.core.result import Result
from sobremesa.table.series import Series

LOW, HIGH = (next(game for game in GAMES.values() if game.low_wins == low) for low in (True, False))


def penalties(*scores: int) -> Result:
    return Result(scores, tuple(range(1, len(scores) + 1)))


def test_only_a_game_with_a_rule_about_series_has_a_shortest_one_and_the_error_cites_that_rule() -> None:
    assert any(game.series_rule for game in GAMES.values())
    for game in GAMES.values():
        for games in range(1, 6):
            if game.series_rule is None:
                assert not Series(game, {"seats": 2}, games).uneven
    elsewhere = replace(HIGH, options=LOW.options, series_rule="X9")
    with pytest.raises(InvalidSetup, match=f"^X9: a series of {HIGH.name} ") as caught:
        Series(elsewhere, {"seats": 4}, 3)
    for language in map(Language, LANGUAGES):
        said = language.explain(caught.value)
        assert said.startswith("X9")
        assert not any(game.series_rule and game.series_rule in said for game in GAMES.values())


def test_where_the_highest_sum_wins_and_no_rule_says_how_many_any_number_of_games_makes_a_series() -> None:
    series = Series(HIGH, {"seats": 2}, 3).add(penalties(50, 60)).add(penalties(40, 35)).add(penalties(5, 10))
    assert series.standing == Result((95, 105), (2, 1))


def test_a_series_does_not_change_when_a_game_is_added() -> None:
    series = Series(LOW, {"seats": 2}, 2)
    series.add(penalties(1, 2))
    assert series.results == ()
    assert series.next_options["starter"] == 0
    assert series.add(penalties(1, 2)).next_options["starter"] == 1


def test_a_finished_series_takes_no_more() -> None:
    series = Series(LOW, {"seats": 2}, 2).add(penalties(1, 2)).add(penalties(3, 4))
    with pytest.raises(InvalidSetup, match="over"):
        series.add(penalties(1, 2))
    with pytest.raises(InvalidSetup, match="over"):
        _ = series.next_options


def test_a_result_of_another_table_is_refused() -> None:
    with pytest.raises(InvalidSetup, match="3 seats"):
        Series(LOW, {"seats": 2}, 2).add(penalties(1, 2, 3))


def test_the_table_of_a_series_is_a_table_that_starts() -> None:
    series = Series(LOW, {"seats": 3}, 3)
    for number in range(3):
        state = LOW.start(**series.options_of(number))
        assert list(state.deciding) == [number]
