"""Options, and how a table is set."""

from typing import Any

import pytest

from sobremesa import GAMES, find_game
from sobremesa.core import InvalidSetup, Option
from sobremesa.core.game import Game

CALLISTO, ISIS_OSIRIS, KNISTER = GAMES.values()
EDITION = Option("edition", "classic", choices=("classic", "pocket"))
SEATS = Option("seats", 2, choices=(2, 3, 4))
AID = Option("memory_aid", False, choices=(False, True))
STARTER = Option("starter", 0)
GOAL = Option("goal", 5, least=1, most=9)


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (EDITION, "classic"),
        (EDITION, "pocket"),
        (SEATS, 2),
        (SEATS, 4),
        (AID, True),
        (AID, False),
        (STARTER, 0),
        (STARTER, 10**9),
        (GOAL, 1),
        (GOAL, 9),
    ],
)
def test_an_option_takes_what_may_be_chosen(option: Option, value: Any) -> None:
    assert option.check(value) is value


@pytest.mark.parametrize(
    ("option", "value"),
    [
        (EDITION, "travel"),
        (EDITION, "Classic"),
        (EDITION, 0),
        (EDITION, None),
        (EDITION, ["classic"]),
        (SEATS, 1),
        (SEATS, 5),
        (SEATS, 2.0),
        (SEATS, "2"),
        (SEATS, True),
        (AID, 0),
        (AID, 1),
        (AID, "true"),
        (AID, None),
        (STARTER, -1),
        (STARTER, False),
        (STARTER, float("nan")),
        (STARTER, float("inf")),
        (GOAL, 0),
        (GOAL, 10),
        (GOAL, {}),
    ],
)
def test_an_option_takes_nothing_else(option: Option, value: object) -> None:
    with pytest.raises(InvalidSetup, match=f"^{option.name} cannot be "):
        option.check(value)


def test_the_error_says_what_may_be_chosen() -> None:
    for option, words in {EDITION: "classic pocket", SEATS: "2 3 4", STARTER: "0", GOAL: "1 9"}.items():
        assert all(word in option.described() for word in words.split())
        with pytest.raises(InvalidSetup) as error:
            option.check(None)
        assert str(error.value) == f"{option.name} cannot be None: choose {option.described()}"


@pytest.mark.parametrize(
    "value",
    [10**5000, -(10**5000), "x" * 10**6, [[]] * 10**5, {"a": "b" * 10**5}],
    ids=["huge", "minus huge", "text", "list", "object"],
)
def test_the_error_stays_short_whatever_the_value(value: object) -> None:
    for game in GAMES.values():
        for option in game.options:
            with pytest.raises(InvalidSetup) as error:
                game.set_table({option.name: value})
            assert len(str(error.value)) < 200


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_options_that_are_left_out_take_their_defaults(game: Game) -> None:
    assert game.set_table({}) == {option.name: option.default for option in game.options}
    assert game.start().options == game.set_table({})


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_every_game_has_seats_and_a_starter(game: Game) -> None:
    assert {"seats", "starter"} <= {option.name for option in game.options}


def test_a_game_starts_the_way_its_table_is_set() -> None:
    table: dict[str, Any] = {"edition": "pocket", "seats": 3, "starter": 2}
    assert CALLISTO.start(**table).options == table
    assert CALLISTO.start(**table).seats == 3
    assert CALLISTO.start(**table).deciding == {2}


def test_an_unknown_option_is_refused_by_name() -> None:
    with pytest.raises(InvalidSetup) as error:
        KNISTER.start(dice=3)
    assert str(error.value) == "Knister has no option “dice”: there are seats, starter"


@pytest.mark.parametrize("game", GAMES.values(), ids=GAMES)
def test_the_starter_has_a_seat(game: Game) -> None:
    assert game.start(seats=3, starter=2).options["starter"] == 2
    with pytest.raises(InvalidSetup, match=r"^seat 3 cannot start: the seats are 0 to 2$"):
        game.start(seats=3, starter=3)


def test_games_are_found_by_their_id() -> None:
    assert find_game("isis-osiris") is ISIS_OSIRIS
    with pytest.raises(InvalidSetup, match="there is no game “chess”: there are callisto, isis-osiris, knister"):
        find_game("chess")
