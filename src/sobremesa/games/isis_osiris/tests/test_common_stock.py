"""I10: the variant in which everybody draws from one stock."""

import pytest

from kinds import Kind, kinds_of, played
from sobremesa.core import IllegalMove, InvalidPosition
from sobremesa.games.isis_osiris import IsisOsirisState

from .boards import position, random_game, start

KINDS = kinds_of("isis-osiris")

ALL_TILES = ("+1+1+2+2+2+2", "+2+2+3+3+4-1", "-1-2-2-2-2-2", "-2-3-3-4AA")


def empty_stock(*rows: str, turn: int) -> IsisOsirisState:
    """All 22 tiles and some stones lie on the board."""
    return position(*ALL_TILES, *rows, variant="common", tiles="0", turn=turn)


@pytest.mark.parametrize(("seats", "stones"), [(2, 8), (3, 6), (4, 5)])
def test_i10_stones_as_ever_but_all_22_tiles_form_one_stock(seats: int, stones: int) -> None:
    state = start(seats, "common")
    assert state.stones_left == (stones,) * seats
    assert state.stocks == (22,)
    assert [state.tiles_left(seat) for seat in range(seats)] == [22] * seats


def test_i10_everybody_draws_from_it() -> None:
    state = played(start(variant="common"), "T *+1 Ta1 T *+2 Tb1 T")
    assert state.stocks == (19,)
    assert state.view(0).tiles_left == (19, 19)


def test_i10_when_it_is_empty_only_stones_are_placed() -> None:
    state = empty_stock("AAAABB", "BB....", turn=0)
    assert {move.kind for move in state.legal_moves()} == {"stone"}
    with pytest.raises(IllegalMove, match=r"^I4: there is no tile left for you: place a stone$"):
        played(state, "T")


def test_i10_who_has_neither_stone_nor_tile_passes() -> None:
    """Seat 0 has placed all its stones; two cells are left for seat 1."""
    state = empty_stock("AAAAAA", "BBBB..", turn=1)
    assert state.stones_left == (0, 4)
    state = played(state, "Se1")
    assert state.turn == 1
    state = played(state, "Sf1")
    assert state.over


def test_i10_passing_is_no_move_and_nobody_without_a_piece_has_the_turn() -> None:
    with pytest.raises(InvalidPosition, match="has the turn but no piece left"):
        empty_stock("AAAAAA", "BBBB..", turn=0)


def test_i10_nobody_passes_while_there_is_a_tile_to_draw() -> None:
    rows = ("+1+1+2+2+2+2", "+2+2+3+3+4-1", "-1-2-2-2-2-2", "-2-3-3.AA", "AAAAAA", "BBBB..")
    state = position(*rows, variant="common", tiles="1", turn=1)
    state = played(state, "Se1")
    assert state.turn == 0
    assert [move.text for move in state.legal_moves()] == ["T"]


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.options["variant"] == "common"], ids=str)
def test_i10_somebody_can_always_move_until_the_board_is_full(kind: Kind) -> None:
    for seed in range(10):
        states = random_game(kind, seed)
        assert all(state.over or state.chance or state.count_moves() for state in states)
        assert states[-1].free == 0
