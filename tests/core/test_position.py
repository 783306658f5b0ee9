"""Positions as one line of text."""

import pytest

import sobremesa
from sobremesa.core import InvalidPosition
from sobremesa.core.position import MAX_POSITION_LENGTH, read_choice, read_number, read_position, write_position

KEYS = ("seats", "turn")


def test_fields_come_back_as_they_were_written() -> None:
    text = write_position("chess", {"seats": 2, "turn": "-"})
    assert text == "chess seats=2 turn=-"
    assert read_position(text, "chess", KEYS) == {"seats": "2", "turn": "-"}
    assert read_position(f"  {text}\n", "chess", KEYS) == {"seats": "2", "turn": "-"}


def test_a_value_may_be_empty_or_hold_an_equals_sign() -> None:
    assert read_position("chess seats= turn=a=b", "chess", KEYS) == {"seats": "", "turn": "a=b"}


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "this is no position of chess: it begins with “”"),
        ("draughts seats=2 turn=0", "this is no position of chess: it begins with “draughts”"),
        ("chess", "a position of chess has the fields seats turn"),
        ("chess seats=2", "a position of chess has the fields seats turn"),
        ("chess seats=2 turn=0 turn=0", "a position of chess has the fields seats turn"),
        ("chess  seats=2 turn=0", "a position of chess has the fields seats turn"),
        ("chess turn=0 seats=2", "“turn=0” stands where seats=… belongs"),
        ("chess seats turn=0", "“seats” stands where seats=… belongs"),
        ("chess seats=2 Turn=0", "“Turn=0” stands where turn=… belongs"),
    ],
)
def test_what_is_no_position_is_refused(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition) as error:
        read_position(text, "chess", KEYS)
    assert str(error.value) == why


def test_a_text_that_is_too_long_is_refused_unread() -> None:
    with pytest.raises(InvalidPosition, match="too long"):
        read_position("chess " + "x" * MAX_POSITION_LENGTH, "chess", KEYS)


@pytest.mark.parametrize("value", ["0", "7", "10", "999999999"])
def test_numbers(value: str) -> None:
    assert read_number({"n": value}, "n") == int(value)


@pytest.mark.parametrize("value", ["", "-1", "+1", "01", "1.0", "1e3", " 1", "1_0", "٣", "²", "1000000000", "9" * 5000])
def test_what_is_no_number_is_refused(value: str) -> None:
    with pytest.raises(InvalidPosition, match="is no number"):
        read_number({"n": value}, "n")


def test_choices() -> None:
    assert read_choice({"side": "left"}, "side", ("left", "right")) == "left"
    for value in ("", "Left", "middle"):
        with pytest.raises(InvalidPosition, match="is none of left, right"):
            read_choice({"side": value}, "side", ("left", "right"))


@pytest.mark.parametrize("game", sobremesa.GAMES)
def test_the_first_word_says_which_game_it_is(game: str) -> None:
    start = sobremesa.GAMES[game].start()
    assert sobremesa.parse_position(start.position()) == start


@pytest.mark.parametrize("text", ["", "chess", "Callisto seats=2", "callisto\tseats=2"])
def test_a_position_of_an_unknown_game_is_refused(text: str) -> None:
    with pytest.raises(InvalidPosition, match="a position begins with its game: callisto, isis-osiris, knister"):
        sobremesa.parse_position(text)
