"""C1 and C2: whose turn it is, and what a turn is."""

import pytest

from kinds import played
from sobremesa.core import IllegalMove

from .boards import pieces, position, start


def test_c1_the_starter_begins_and_turns_go_round_clockwise() -> None:
    state = start(seats=3, starter=1)
    order = []
    for move in ("j1", "k1", "j20", "k20", "a10", "t10"):
        order.append(state.turn)
        state = played(state, move)
    assert order == [1, 2, 0, 1, 2, 0]


def test_c1_nobody_else_may_move() -> None:
    state = start(seats=3, starter=1)
    move = state.legal_moves()[0]
    for seat in (0, 2):
        assert state.legal_moves(seat) == []
        assert state.count_moves(seat) == 0
        with pytest.raises(IllegalMove, match=r"^C1: it is not your turn$"):
            state.play(move, seat)
    assert state.play(move, 1) == state.play(move)


def test_c2_the_first_and_second_turn_place_a_pillar() -> None:
    state = start()
    for move in ("h1", "h16", "i1", "i16"):
        assert pieces(state.legal_moves()) == {"P"}
        with pytest.raises(IllegalMove, match=r"^C2: your first and second turn place a pillar$"):
            state.play(state.parse_move("g2,h2"))
        state = played(state, move)
    assert state.legal_moves()[-1].piece == "X"
    assert pieces(state.legal_moves()) == {"P", *state.board.pieces}


def test_c2_the_third_pillar_takes_the_whole_turn() -> None:
    state = played(start(), "h1 h16 i1 i16")
    assert state.turn == 0
    state = played(state, "e5")
    assert state.turn == 1
    assert state.pillars_left(0) == 0


def test_c2_there_is_no_fourth_pillar() -> None:
    state = position("h1 i1 e5", "h16 i16")
    assert "P" not in pieces(state.legal_moves())
    with pytest.raises(IllegalMove, match=r"^C2: you have no pillar left$"):
        played(state, "e6")


def test_c2_a_tile_can_be_placed_as_often_as_one_has_it() -> None:
    state = position("h1 i1 h2,h3", "h16 i16")
    state = played(state, "i2,i3 h15,i15")
    assert "2" not in pieces(state.legal_moves())
    with pytest.raises(IllegalMove, match=r"^C2: you have no tile 2 left$"):
        played(state, "g2,g3")
    assert played(state, "g2,g3,f3").sides[0].hand == (0, 2, 1, 2, 2, 2, 2, 1, 1, 1, 1)
