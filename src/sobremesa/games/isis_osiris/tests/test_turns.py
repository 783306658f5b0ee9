"""I2, I4 and I5: stones, tiles, and whose turn it is."""

import re

import pytest

from kinds import played
from sobremesa.core import IllegalMove
from sobremesa.core.drawing import ACCENT
from sobremesa.games.isis_osiris import TURN, Move

from .boards import EMPTY_ROW, position, start


def test_i2_a_player_places_a_stone_or_turns_a_tile_over() -> None:
    moves = start().legal_moves()
    assert len(moves) == 36 + 1
    assert {move.kind for move in moves[:36]} == {"stone"}
    assert moves[36] == TURN


def test_i2_a_stone_is_placed_on_a_free_cell() -> None:
    state = played(start(), "Sc3")
    assert state.turn == 1
    assert state.stones_left == (7, 8)
    assert len(state.legal_moves()) == 35 + 1
    with pytest.raises(IllegalMove, match=r"^I2: that cell is taken$"):
        played(state, "Sc3")


def test_i2_between_turning_and_placing_a_tile_chance_decides_its_value() -> None:
    state = played(start(), "T")
    assert not state.deciding
    assert state.chance is not None
    assert state.legal_moves() == ()
    assert state.stocks == (10, 11)
    with pytest.raises(IllegalMove, match=r"^I2: the tile is still being turned over$"):
        played(state, "Tc3")

    state = played(state, "*-3")
    assert state.deciding == {0}
    assert state.turned == -3
    assert {move.kind for move in state.legal_moves()} == {"tile"}
    assert len(state.legal_moves()) == 36

    state = played(state, "Tc3")
    assert state.deciding == {1}
    assert state.tiles[14] == -3


def test_i2_a_turned_tile_must_be_placed() -> None:
    state = played(start(), "T *-4")
    with pytest.raises(IllegalMove, match=r"^I2: a tile that was turned over must be placed: you cannot change"):
        played(state, "Sc3")
    with pytest.raises(IllegalMove, match=r"^I2: the tile that you turned over must be placed first$"):
        played(state, "T")


def test_i2_a_tile_is_placed_on_a_free_cell() -> None:
    state = played(start(), "Sc3 T *+1")
    with pytest.raises(IllegalMove, match=r"^I2: that cell is taken$"):
        played(state, "Tc3")
    state = played(state, "Tc4 T *+1")
    with pytest.raises(IllegalMove, match=r"^I2: that cell is taken$"):
        played(state, "Tc4")


def test_i2_no_tile_is_placed_before_it_is_turned_over() -> None:
    with pytest.raises(IllegalMove, match=r"^I2: turn a tile over before you place it$"):
        played(start(), "Tc3")
    with pytest.raises(IllegalMove, match=r"^I2: no tile is being turned over$"):
        start().happen(+2)
    with pytest.raises(IllegalMove, match=r"^I2: no tile is being turned over$"):
        played(start(), "T *+2").happen(+2)


@pytest.mark.parametrize("forged", [Move("stone", 36, "Sa7"), Move("stone", -1, "S"), Move("tile", 99, "Tz9")])
def test_i2_a_move_off_the_board_is_refused(forged: Move) -> None:
    for state in (start(), played(start(), "T *+2")):
        with pytest.raises(IllegalMove, match=r"^I2: .* is not on this board$"):
            state.play(forged)


@pytest.mark.parametrize(
    "forged",
    [Move("stone", 0, "Sf6"), Move("tile", 0, "Sa1"), Move("coin", 0, "Ca1"), Move("turn", 0, "T"), Move("", 0, "")],
)
def test_i2_a_move_that_lies_about_itself_is_refused(forged: Move) -> None:
    for state in (start(), played(start(), "T *+2")):
        assert forged not in state.legal_moves()
        with pytest.raises(IllegalMove):
            state.play(forged)


def test_i4_without_tiles_a_stone_must_be_placed() -> None:
    """Eleven tiles of seat 0 and ten of seat 1 lie on the board."""
    rows = ("+1+1+2+2+2+2", "+2+2+3+3+4-1", "-1-2-2-2-2-2", "-2-3-3A..", EMPTY_ROW, "B.....")
    state = position(*rows, tiles="0,1", turn=0)
    assert {move.kind for move in state.legal_moves()} == {"stone"}
    with pytest.raises(IllegalMove, match=r"^I4: there is no tile left for you: place a stone$"):
        played(state, "T")
    assert "turn" in {move.kind for move in played(state, "Sf3").legal_moves()}


def test_i4_without_stones_a_tile_must_be_turned_over() -> None:
    state = position("AAAAAA", "AA....", *[EMPTY_ROW] * 4, tiles="11,11")
    assert state.legal_moves() == (TURN,)
    assert state.count_moves() == 1
    with pytest.raises(IllegalMove, match=r"^I4: you have no stone left: turn a tile$"):
        played(state, "Sa1")


def test_i5_the_turn_passes_from_seat_to_seat() -> None:
    state = start(seats=4, starter=2)
    order = []
    for moves in ("Sa1", "T *+1 Tb1", "Sc1", "Sd1", "Se1"):
        order.append(state.turn)
        state = played(state, moves)
    assert order == [2, 3, 0, 1, 2]


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_i5_drawings_list_the_seats_in_order_of_play(seats: int) -> None:
    """On a screen nobody sits to the right of anybody: who is next stands below, and after the last comes the first."""
    state = start(seats=seats)
    lines: list[int] = []
    panels: list[float] = []
    for cell in ("a1", "b1", "c1", "d1")[:seats]:
        view = state.view(None)
        lines += [number for number, line in enumerate(view.text(colour=False).splitlines()) if "→" in line]
        lit = rf'<g class="panel"><rect [^>]*y="([\d.]+)"[^>]*stroke="{ACCENT}"'
        panels += map(float, re.findall(lit, view.svg()))
        state = played(state, f"S{cell}")
    assert state.turn == 0
    for places in (list(map(float, lines)), panels):
        assert len(places) == seats
        assert places == sorted(set(places)), "from top to bottom"


def test_i5_nobody_else_may_move() -> None:
    state = start(seats=3, starter=1)
    for seat in (0, 2):
        assert state.legal_moves(seat) == ()
        assert state.count_moves(seat) == 0
        with pytest.raises(IllegalMove, match=r"^I5: it is not your turn$"):
            state.play(TURN, seat)
    assert state.play(TURN, 1) == state.play(TURN)
