"""Callisto in writing: moves by cells, their short form, positions."""

import pytest

from kinds import played
from sobremesa.core import AmbiguousMove, InvalidMove, InvalidPosition
from sobremesa.games.callisto import GAME

from .boards import position, start

STATE = position("e5 l5", "e12 l12")


def test_a_move_is_written_by_its_cells_row_by_row() -> None:
    assert str(STATE.parse_move("g5,f5,g6,f6")) == "f5,g5,f6,g6"
    assert STATE.parse_move(" F5,G5 ") == STATE.parse_move("f5,g5")


def test_the_short_form_names_tile_way_and_first_cell() -> None:
    """Ways are lettered in their fixed order; a tile that looks the same from all sides needs no letter."""
    for short, cells in {
        "P@e6": "e6",
        "O@f5": "f5,g5,f6,g6",
        "X@f5": "f5,e6,f6,g6,f7",
        "2a@f5": "f5,g5",
        "2b@f5": "f5,f6",
        "Ia@f5": "f5,g5,h5",
        "La@f5": "f5,g5,h5,f6",
    }.items():
        move = STATE.parse_move(short.lower())
        assert (str(move), move.short) == (cells, short)


def test_the_way_may_be_left_out_if_only_one_is_legal() -> None:
    """Seat 0 is shut in at the bottom, except for h3 and the cells above it."""
    state = position("h1 i1 h2", "h16 a8 f3,g3,g2 i2,i3,j2 g4,g5,g6 i4,i5,i6")
    assert state.parse_move("I@h3") == state.parse_move("h3,h4,h5")
    assert played(state, "2@h3").turn == 1


def test_an_ambiguous_short_form_names_the_choices() -> None:
    with pytest.raises(AmbiguousMove, match="2a@f5 2b@f5"):
        STATE.parse_move("2@f5")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "is no cell"),
        ("f5,", "is no cell"),
        ("f5 g5", "is no cell"),
        ("f05", "is no cell"),
        ("f٥", "is no cell"),
        ("z9", "is not on this board"),
        ("a1", "not on this board"),
        ("f17", "is not on this board"),
        ("f5,f5", "named twice"),
        ("f5,h5", "no tile has the shape"),
        ("f5,g5,h5,i5", "no tile has the shape"),
        ("f5,g5,h5,i5,j5,k5,l5,m5,n5,o5,p5,a5,b5,c5", "too long"),
        ("Q@f5", "is no move"),
        ("2@", "is no move"),
        ("@f5", "is no move"),
        ("2@z9", "is not on this board"),
        ("X@a8", "does not fit"),
        ("2c@f5", "cannot lie there in that way"),
        ("2@h8", "does not fit there"),
    ],
)
def test_what_is_no_move_is_refused_with_a_reason(text: str, why: str) -> None:
    with pytest.raises(InvalidMove, match=why):
        STATE.parse_move(text)


def test_a_position_in_writing() -> None:
    assert start().position() == "callisto edition=classic seats=2 starter=0 turn=0 out=.. placed=-/-"
    state = played(start("pocket", 3, starter=2), "a1 c1 l1")
    assert state.position() == "callisto edition=pocket seats=3 starter=2 turn=2 out=... placed=c1/l1/a1"


def test_pieces_are_written_in_a_fixed_order_whatever_came_first() -> None:
    one, other = played(start(), "h1 h16 i1 i16"), played(start(), "i1 i16 h1 h16")
    assert one == other
    assert one.position().endswith("placed=h1;i1/h16;i16")


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("edition=travel", "none of classic, pocket"),
        ("seats=5", "none of 2, 3, 4"),
        ("starter=2", "none of 0, 1"),
        ("turn=2", "no seat that is still in the game"),
        ("turn=+1", "is no number"),
        ("out=.", "for each seat"),
        ("out=.y", "for each seat"),
        ("placed=-", "a part for each seat"),
        ("placed=/-", "is no cell"),
        ("placed=h1;h1/-", "two pieces lie on one cell"),
        ("placed=h1/h1", "two pieces lie on one cell"),
        ("placed=h1,i2/-", "no tile has the shape"),
        ("placed=a1/-", "not on this board"),
        ("placed=h1;i1;h16;i16/-", "more pieces than it has"),
        ("placed=h1;i1;f8,g8,h8,g9,g7;j8,i9,j9,k9,j10/-", "more pieces than it has"),
        ("placed=h1;h2,i2/-", "tiles before its first two pillars"),
    ],
)
def test_what_is_no_position_is_refused_with_a_reason(field: str, why: str) -> None:
    key = field.partition("=")[0]
    words = start().position().split()
    text = " ".join(field if word.startswith(f"{key}=") else word for word in words)
    with pytest.raises(InvalidPosition, match=why):
        GAME.parse_position(text)
