"""Knister in writing."""

import pytest

from kinds import played
from sobremesa.core import InvalidMove, InvalidPosition
from sobremesa.games.knister import GAME

from .sheets import position, start, write


def test_a_move_is_the_name_of_a_cell() -> None:
    state = start().happen(7)
    assert " ".join(map(str, state.legal_moves())) == (
        "a1 b1 c1 d1 e1 a2 b2 c2 d2 e2 a3 b3 c3 d3 e3 a4 b4 c4 d4 e4 a5 b5 c5 d5 e5"
    )
    assert str(state.parse_move(" C3 ")) == "c3"


@pytest.mark.parametrize("text", ["", "c", "3c", "f1", "a6", "a0", "a1,a2", "c٣", "c3\0", "7"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(InvalidMove):
        start().parse_move(text)


def test_a_position_in_writing() -> None:
    state = start(2, starter=1).happen(12).play(write("a1"), 0).play(write("e5"), 1)
    assert state.position() == f"knister seats=2 starter=1 roll=- sheets=C{'.' * 24}/{'.' * 24}C"


def test_where_the_running_roll_was_written_stands_behind_the_sheet() -> None:
    state = played(start(), "*10 a1").happen(7)
    assert state.position() == f"knister seats=1 starter=0 roll=7 sheets=A{'.' * 24}"
    state = start(2).happen(7).play(write("c3"), 0)
    assert state.position() == f"knister seats=2 starter=0 roll=7 sheets={'.' * 12}7{'.' * 12}+c3/{'.' * 25}"
    assert position(state.position()) == state
    assert position(state.position()).deciding == {1}


BLANK = "." * 25


@pytest.mark.parametrize(
    ("text", "why"),
    [
        (f"seats=0 starter=0 roll=- sheets={BLANK}", "a sheet for each seat"),
        (f"seats=2 starter=0 roll=- sheets={BLANK}", "a sheet for each seat"),
        (f"seats=1 starter=1 roll=- sheets={BLANK}", "a sheet for each seat"),
        (f"seats=one starter=0 roll=- sheets={BLANK}", "is no number"),
        (f"seats=01 starter=0 roll=- sheets={BLANK}", "is no number"),
        (f"seats=1 starter=0 roll=0 sheets={BLANK}", "two dice cannot show 0"),
        (f"seats=1 starter=0 roll=1 sheets={BLANK}", "two dice cannot show 1"),
        (f"seats=1 starter=0 roll=13 sheets={BLANK}", "two dice cannot show 13"),
        (f"seats=1 starter=0 roll=- sheets={BLANK[1:]}", "is no sheet of 25 cells"),
        (f"seats=1 starter=0 roll=- sheets=1{BLANK[1:]}", "is no sheet of 25 cells"),
        (f"seats=1 starter=0 roll=- sheets=?{BLANK[1:]}", "is no sheet of 25 cells"),
        (f"seats=1 starter=0 roll=- sheets=7{BLANK[1:]}+a1", "was not written into a1"),
        (f"seats=2 starter=0 roll=8 sheets=7{BLANK[1:]}+a1/{BLANK}", "was not written into a1"),
        (f"seats=2 starter=0 roll=7 sheets=7{BLANK[1:]}+b1/{BLANK}", "was not written into b1"),
        (f"seats=2 starter=0 roll=7 sheets=7{BLANK[1:]}/{BLANK}", "do not hold the same rolls"),
        (f"seats=2 starter=0 roll=- sheets=7{BLANK[1:]}/8{BLANK[1:]}", "do not hold the same rolls"),
        (f"seats=1 starter=0 roll=7 sheets=7{BLANK[1:]}+a1", "over when everybody has written"),
        (f"seats=1 starter=0 roll=7 sheets={'7' * 25}", "no round after the twenty-fifth"),
    ],
)
def test_what_is_no_position_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidPosition, match=why):
        GAME.parse_position(f"knister {text}")
