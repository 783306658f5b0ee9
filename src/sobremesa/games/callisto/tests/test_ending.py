"""C7, C8 and C9: who must move, who is out, and when the game ends."""

from random import Random

import pytest

from kinds import played
from sobremesa.core import IllegalMove, InvalidMove, InvalidPosition

from .boards import pieces, position, start

ENCLOSED = position("h1 i1", "h16 a8 h2,i2", turn=0)
"""Seat 0's pillars stand at the bottom, and the domino of seat 1 shuts them in."""

POCKET_GAME = """
    P@g1 P@a5 P@d1 P@j4 Wa@h1 T5a@i3 P@f3 Ib@j6 T5d@d3 2b@j9 T4b@c1 Wc@h3 Ub@a1 Vb@e5 Ld@a4 Ua@g6
    Zb@a6 Zd@h7 Vb@c7 T4b@j1 O@c9 Ib@i8 Ia@e10 2b@h9 Ia@d7 O@e8 2a@a10 Lb@c4
"""
"""All but d2, e1, e2, e3, f1, f2 and the corner a8, a9, b9 is filled. Seat 1 has a V and its third pillar left."""


def test_c7_the_third_pillar_must_be_placed_if_nothing_else_fits() -> None:
    assert ENCLOSED.deciding == {0}
    assert pieces(ENCLOSED.legal_moves()) == {"P"}
    with pytest.raises(IllegalMove, match=r"^C3: "):
        played(ENCLOSED, "g2,g3")
    with pytest.raises(InvalidMove):
        ENCLOSED.parse_move("pass")
    assert played(ENCLOSED, "e5").turn == 1


def test_c8_who_can_place_nothing_on_his_turn_is_out() -> None:
    """Seat 0's third pillar is shut in as soon as seat 1 lays the domino beside it."""
    state = position("h1 i1 i16", "h16 a8 h2,i2", turn=1)
    assert not state.is_out(0)
    state = played(state, "h15,i15")
    assert state.is_out(0)
    assert state.turn == 1


def test_c8_who_is_out_is_skipped_for_good_even_if_he_could_place_something() -> None:
    state = position("j1 j20", "k1 k20", "a10 t10", turn=0, out=".x.")
    assert state.can_place(1)
    state = played(state, "i2,j2")
    assert state.turn == 2
    assert state.legal_moves(1) == []
    assert played(state, "b10,c10").turn == 0
    with pytest.raises(IllegalMove, match=r"^C1: "):
        state.play(state.parse_move("k2,l2"), 1)


def test_c8_in_the_pocket_edition_a_later_tile_does_not_bring_anybody_back() -> None:
    state = played(start("pocket"), POCKET_GAME)
    assert state.turn == 0

    state = played(state, "Vb@a8")  # no spot is left for seat 1's pillar: each is beside another pillar
    assert state.turn == 0
    assert [state.is_out(seat) for seat in (0, 1)] == [False, True]
    assert not state.can_place(1)

    state = played(state, "2b@f1")  # now e2 is beside a tile, and beside no pillar
    assert state.can_place(1)
    assert state.over
    assert state.legal_moves() == []
    result = state.result()
    assert result is not None
    assert result.scores == (0, 3)


def test_c9_no_move_is_drawn_at_random_after_the_end() -> None:
    """Not even the third pillar that seat 1 could have placed if it were not out (C8)."""
    state = played(start("pocket"), POCKET_GAME + "Vb@a8 2b@f1")
    with pytest.raises((IndexError, IllegalMove)):
        state.random_move(Random(1))


def test_c8_being_out_is_part_of_the_position() -> None:
    inside, outside = position("h1 i1", "h16 i16", out=".."), position("h1 i1", "h16 i16", out=".x")
    assert inside != outside
    assert inside.position() != outside.position()


def test_c8_nobody_has_the_turn_who_is_out_or_can_place_nothing() -> None:
    with pytest.raises(InvalidPosition, match="no seat that is still in the game"):
        position("h1 i1", "h16 i16", turn=1, out=".x")
    with pytest.raises(InvalidPosition, match="can place nothing"):
        position("h1 i1 i16", "h16 a8 h2,i2 h15,i15", turn=0)


def test_c9_the_game_goes_on_until_everybody_is_out() -> None:
    state = position("h1 i1 i16", "h16 a8 h2,i2 h15,i15", turn=1, out="x.")
    assert not state.over
    assert state.result() is None
    turns = 0
    while not state.over:
        assert state.turn == 1
        state = state.play(state.legal_moves()[-1])
        turns += 1
    assert turns > 1
    assert not state.deciding
    assert state.result() is not None
    with pytest.raises(InvalidPosition, match="only when everybody is out"):
        position("h1 i1", "h16 i16", turn=None, out="x.")


def test_c9_nobody_moves_after_the_end() -> None:
    state = position("h1 i1", "h16 i16", turn=None, out="xx")
    assert state.legal_moves() == []
    assert state.count_moves() == 0
    with pytest.raises(IllegalMove, match=r"^C9: the game is over$"):
        state.play(start().legal_moves()[0])
