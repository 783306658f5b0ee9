"""Isis & Osiris in writing."""

import pytest

from kinds import played
from sobremesa.core import InvalidMove, InvalidPosition
from sobremesa.games.isis_osiris import GAME

from .boards import start


def test_moves_in_writing() -> None:
    state = start()
    assert [str(state.parse_move(text)) for text in ("Sc3", "T", "Tc3")] == ["Sc3", "T", "Tc3"]
    assert str(state.parse_move(" sC3 ")) == "Sc3"


def test_a_cell_alone_means_the_turned_tile_if_there_is_one_and_else_a_stone() -> None:
    assert str(start().parse_move("c3")) == "Sc3"
    assert str(played(start(), "T *+1").parse_move("c3")) == "Tc3"


@pytest.mark.parametrize("text", ["", "S", "x", "c", "g1", "a7", "a0", "Sg1", "Xc3", "SSc3", "T c3", "S٣", "c3c3"])
def test_what_is_no_move_is_refused(text: str) -> None:
    with pytest.raises(InvalidMove, match="is no move: a cell like c3, Sc3 for a stone, T to turn a tile"):
        start().parse_move(text)


def test_a_position_in_writing() -> None:
    state = played(start(3, "own", memory_aid=True, starter=2), "Sa1 T *-3 Tf6 T *+4")
    assert state.position() == (
        "isis-osiris edition=standard seats=3 variant=own memory_aid=on starter=2 turn=1 turned=+4 tiles=6,6,7"
        " cells=.....-3/....../....../....../....../C....."
    )
    assert GAME.parse_position(state.position()) == state


def test_a_tile_that_is_being_turned_over_is_a_question_mark() -> None:
    state = played(start(), "T")
    assert " turned=? " in state.position()
    assert GAME.parse_position(state.position()) == state


ROW = "/" + "." * 6


@pytest.mark.parametrize(
    ("field", "why"),
    [
        ("edition=travel", "none of standard"),
        ("seats=1", "none of 2, 3, 4"),
        ("variant=mine", "none of own, common"),
        ("memory_aid=True", "none of on, off"),
        ("starter=2", "none of 0, 1"),
        ("turn=2", "no seat of this table"),
        ("turn=-", "is no number"),
        ("turned=+5", "none of"),
        ("turned=+4", "does not go with the tiles on the board"),
        ("turned=?", "does not go with the tiles on the board"),
        ("tiles=11", "a number for each stock"),
        ("tiles=12,10", "more tiles left than there ever were"),
        ("tiles=10,11", "does not go with the tiles on the board"),
        ("cells=......", "needs 6 rows"),
        ("cells=....." + ROW * 5, "is no row of 6 cells"),
        ("cells=E....." + ROW * 5, "is no row of 6 cells"),
        ("cells=C....." + ROW * 5, "a seat that nobody has taken"),
        ("cells=+2....." + ROW * 5, "does not go with the tiles on the board"),
        ("cells=+4+4...." + ROW * 5, "more pieces on the board than in the box"),
        ("cells=+9....." + ROW * 5, "does not go with the tiles on the board"),
        ("cells=AAAAAA/AAA..." + ROW * 4, "more pieces on the board than in the box"),
    ],
)
def test_what_is_no_position_is_refused_with_a_reason(field: str, why: str) -> None:
    key = field.partition("=")[0]
    text = " ".join(field if word.startswith(f"{key}=") else word for word in start().position().split())
    with pytest.raises(InvalidPosition, match=why):
        GAME.parse_position(text)
