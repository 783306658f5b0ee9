"""C3: where a tile may lie."""

import pytest

from kinds import played
from sobremesa.core import IllegalMove, InvalidMove
from sobremesa.games.callisto.board import find_board

from .boards import position

STATE = position("e5 l5", "e12 l12")


def test_c3_a_tile_shares_a_side_with_a_pillar_of_its_colour() -> None:
    assert played(STATE, "f5,g5").sides[0].cells.bit_count() == 4


def test_c3_touching_by_a_corner_is_not_enough() -> None:
    with pytest.raises(IllegalMove, match=r"^C3: the tile touches nothing of yours$"):
        played(STATE, "f6,g6")
    assert STATE.parse_move("f6,g6") not in STATE.legal_moves()


def test_c3_a_tile_of_its_colour_will_do() -> None:
    state = position("e5 l5 f5,g5", "e12 l12")
    assert played(state, "h5,h6,h7").turn == 1


def test_c3_touching_another_colour_is_free_but_not_enough() -> None:
    state = position("e5 l5", "e12 l12 f6,g6")
    assert played(state, "f5,g5").turn == 1
    with pytest.raises(IllegalMove, match=r"^C3: the tile touches nothing of yours$"):
        played(state, "f7,g7")


@pytest.mark.parametrize("tile", ["e5,f5", "l5,k5", "e12,f12", "e5,f5,g5"])
def test_c3_a_tile_lies_on_free_cells(tile: str) -> None:
    with pytest.raises(IllegalMove, match=r"^C3: the tile would lie on a cell that is taken$"):
        played(STATE, tile)


def test_c3_a_tile_lies_wholly_inside_the_board() -> None:
    """Row 5 of the board for two runs from d to m, row 4 from e to l."""
    assert played(STATE, "d5,d6").turn == 1
    for tile in ("d5,c5", "d5,d4", "m5,n5"):
        with pytest.raises(InvalidMove, match="not on this board"):
            played(STATE, tile)


def test_c3_a_tile_does_not_reach_around_the_edge() -> None:
    state = position("p8 p9", "a8 a9")
    assert {move.text for move in state.legal_moves() if move.piece == "2"} == {
        "o8,o9",
        "n8,o8",
        "n9,o9",
        "o7,o8",
        "o9,o10",
    }


def test_c3_a_placement_of_another_board_is_refused() -> None:
    for other in (find_board("pocket", 2), find_board("classic", 4)):
        for move in (other.placements[-1], other.placements[90]):
            with pytest.raises(IllegalMove, match=r"^C3: .* does not lie on this board$"):
                STATE.play(move)


def test_c3_a_placement_that_lies_about_its_cells_is_refused() -> None:
    honest = STATE.parse_move("f5,g5")
    for forged in (
        honest._replace(cells=honest.cells << 1),
        honest._replace(piece="I"),
        honest._replace(number=honest.number + 1),
        honest._replace(number=-1),
        honest._replace(number=10**6),
    ):
        with pytest.raises(IllegalMove, match=r"^C3: .* does not lie on this board$"):
            STATE.play(forged)


def test_c4_tiles_may_cover_the_centre() -> None:
    state = position("e8 l9", "e12 l12")
    assert played(state, "f8,g8,h8").turn == 1
