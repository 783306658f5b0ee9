"""C4 in the classic edition, C5 and C6 in the pocket edition: where a pillar may stand."""

import pytest

from kinds import played
from sobremesa.core import IllegalMove
from sobremesa.games.callisto import CallistoState

from .boards import position, start


def spots(state: CallistoState) -> set[str]:
    """The cells where the seat on turn may stand a pillar."""
    return {move.text for move in state.legal_moves() if move.piece == "P"}


@pytest.mark.parametrize(("seats", "cells"), [(2, 144 - 24), (3, 220 - 24), (4, 288 - 24)])
def test_c4_a_classic_pillar_stands_on_any_free_cell_outside_the_centre(seats: int, cells: int) -> None:
    state = start(seats=seats)
    assert len(spots(state)) == state.count_moves() == cells
    state = played(state, "j5")
    assert len(spots(state)) == cells - 1
    assert "j5" not in spots(state)


@pytest.mark.parametrize("cell", ["h6", "i6", "f8", "k9", "h11"])
def test_c4_no_classic_pillar_stands_in_the_centre(cell: str) -> None:
    for state in (start(), position("h1", "i1"), position("h1 h16", "i1 i16")):
        assert cell not in spots(state)
        with pytest.raises(IllegalMove, match=r"^C4: a pillar may not stand in the centre$"):
            played(state, cell)


def test_c4_the_third_classic_pillar_needs_no_contact_and_may_touch_anything() -> None:
    state = position("h1 h16 g2,h2", "i1 i16 e5,f5")
    for cell in ("a8", "i2", "e6", "h15", "g3"):
        assert played(state, cell).turn == 1


def test_c4_a_classic_pillar_needs_a_free_cell() -> None:
    state = position("h1", "i1")
    for cell in ("h1", "i1"):
        with pytest.raises(IllegalMove, match=r"^C4: that cell is taken$"):
            played(state, cell)


@pytest.mark.parametrize(("seats", "cells"), [(2, 36), (3, 44), (4, 52)])
def test_c5_the_first_pocket_pillars_stand_along_the_frame(seats: int, cells: int) -> None:
    assert len(spots(start("pocket", seats))) == cells


def test_c5_no_first_pocket_pillar_stands_inside() -> None:
    for state in (start("pocket"), position("a1", "a3", edition="pocket")):
        for cell in ("b2", "e5", "i9"):
            with pytest.raises(IllegalMove, match=r"^C5: your first two pillars stand along the frame$"):
                played(state, cell)


def test_c5_pocket_pillars_do_not_stand_side_by_side_whatever_their_colour() -> None:
    state = position("a5", "j5", edition="pocket")
    assert {"a4", "a6", "j4", "j6", "a5", "j5"}.isdisjoint(spots(state))
    assert len(spots(state)) == 36 - 6
    for cell in ("a4", "a6", "j4", "j6"):
        with pytest.raises(IllegalMove, match=r"^C5: a pillar may not stand side by side with another pillar$"):
            played(state, cell)


def test_c5_corner_contact_of_pillars_is_fine() -> None:
    state = played(start("pocket"), "b1")
    assert "a2" in spots(state)
    assert played(state, "a2").turn == 0


def test_c5_a_pocket_pillar_needs_a_free_cell() -> None:
    with pytest.raises(IllegalMove, match=r"^C5: that cell is taken$"):
        played(start("pocket"), "a1 a1")


def test_c6_the_third_pocket_pillar_stands_along_the_frame_or_beside_any_tile() -> None:
    """Seat 0 owns the domino b5,c5, seat 1 the domino i5,h5."""
    state = position("a5 e1 b5,c5", "j5 e10 i5,h5", edition="pocket")
    beside_own = {"b4", "c4", "d5", "b6", "c6"}
    beside_other = {"h4", "i4", "g5", "h6", "i6"}
    inside = {cell for cell in spots(state) if not (cell[0] in "aj" or cell[1:] in ("1", "10"))}
    assert inside == beside_own | beside_other
    assert len(spots(state) - inside) == 36 - 4 * 3
    assert played(state, "g5").pillars_left(0) == 0


def test_c6_elsewhere_inside_it_may_not_stand() -> None:
    state = position("a5 e1 b5,c5", "j5 e10 i5,h5", edition="pocket")
    for cell in ("e5", "d4", "g6"):
        with pytest.raises(IllegalMove, match=r"^C6: the third pillar stands along the frame or beside a tile$"):
            played(state, cell)


def test_c6_it_never_stands_side_by_side_with_a_pillar() -> None:
    """b4 is beside a tile, but beside the pillar on a4, too; d1 is along the frame, but beside e1."""
    state = position("a4 e1 b5,c5", "j5 e10 d2,d3", edition="pocket")
    for cell in ("b4", "d1", "a5", "e2", "j6"):
        assert cell not in spots(state)
        with pytest.raises(IllegalMove, match=r"^C6: a pillar may not stand side by side with another pillar$"):
            played(state, cell)


def test_c6_the_third_pocket_pillar_needs_a_free_cell() -> None:
    with pytest.raises(IllegalMove, match=r"^C6: that cell is taken$"):
        played(position("a5 e1 b5,c5", "j5 e10 i5,h5", edition="pocket"), "i5")
