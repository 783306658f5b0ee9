"""People of known strength play the level that they are offered: it becomes theirs, and follows them."""

from math import exp
from random import Random
from statistics import fmean

import pytest

from sobremesa import GAMES
from sobremesa.engines import players_of
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.strength import ELO_PER_LOGIT, MAX_GAMES, Meeting, find_strength, ladder_of

LADDERS = {
    "even": {name: 200.0 * number for name, number in LEVELS.items()},
    **{id: ladder_of(game, list(LEVELS)) for id, game in GAMES.items()},
}


def play(rating: float, ladder: dict[str, float], games: int, random: Random, past: list[Meeting]) -> list[str]:
    """Somebody plays so many games, each against the level that is offered; the levels that were."""
    offered = []
    for _ in range(games):
        level = find_strength(past, ladder).level
        offered.append(level)
        wins = 1 / (1 + exp((ladder[level] - rating) / ELO_PER_LOGIT))
        past.append(Meeting(level, float(random.random() < wins)))
    return offered


@pytest.mark.parametrize("name", LADDERS)
@pytest.mark.parametrize("level", LEVELS)
def test_after_twenty_games_nearly_everybody_is_offered_their_level_or_one_beside_it(name: str, level: str) -> None:
    ladder = LADDERS[name]
    order = sorted(ladder, key=lambda each: ladder[each])
    off = []
    for seed in range(30):
        past: list[Meeting] = []
        play(ladder[level], ladder, 20, Random(f"{name} {level} {seed}"), past)
        off.append(abs(order.index(find_strength(past, ladder).level) - order.index(level)))
    assert fmean(steps <= 1 for steps in off) >= 0.85, off
    assert max(off) <= 3


def test_who_is_offered_their_level_wins_about_half() -> None:
    ladder = LADDERS["even"]
    won = []
    for seed in range(40):
        past: list[Meeting] = []
        play(1000.0, ladder, 60, Random(seed), past)
        won += [meeting.score for meeting in past[20:]]
    assert 0.42 < fmean(won) < 0.58


def test_who_gets_better_is_followed() -> None:
    """Three levels up, and within twenty games the level is the new one or beside it."""
    ladder = LADDERS["even"]
    order = list(ladder)
    off = []
    for seed in range(30):
        random = Random(seed)
        past: list[Meeting] = []
        play(ladder["beginner"], ladder, 30, random, past)
        play(ladder["club"], ladder, 20, random, past)
        off.append(abs(order.index(find_strength(past, ladder).level) - order.index("club")))
    assert fmean(steps <= 1 for steps in off) >= 0.85


def test_the_first_games_are_heard_at_once_and_none_is_the_end_of_the_world() -> None:
    ladder = LADDERS["even"]
    assert find_strength([], ladder).level == "casual"
    lost = find_strength([Meeting("casual", 0.0)], ladder)
    won = find_strength([Meeting("casual", 1.0)], ladder)
    assert lost.rating < ladder["casual"] < won.rating
    assert abs(lost.rating - ladder["casual"] + won.rating - ladder["casual"]) < 1, "even-handed"
    assert {lost.level, won.level} <= {"beginner", "casual", "regular"}
    assert find_strength([Meeting("champion", 1.0)] * 200, ladder).level == "champion"
    assert find_strength([Meeting("child", 0.0)] * 200, ladder).level == "child"
    assert find_strength([Meeting("nobody", 1.0)] * 9, ladder) == find_strength([], ladder), "others do not count"
    old = [Meeting("child", 0.0)] * 500
    assert find_strength([*old, *[Meeting("expert", 1.0)] * MAX_GAMES], ladder).level in (
        "expert",
        "master",
        "champion",
    )


def test_the_more_games_the_surer() -> None:
    ladder = LADDERS["even"]
    deviations = [
        find_strength([Meeting("casual", i % 2) for i in range(games)], ladder).deviation for games in (0, 4, 20)
    ]
    assert deviations == sorted(deviations, reverse=True)


@pytest.mark.parametrize("id", GAMES)
def test_ladders_name_every_level_the_weakest_first(id: str) -> None:
    game = GAMES[id]
    levels = [name for name in players_of(game) if name in LEVELS]
    ladder = ladder_of(game, levels)
    assert list(ladder) == levels
    assert list(ladder.values()) == sorted(ladder.values())
