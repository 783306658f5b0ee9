"""I6: the last cell ends the game."""

import pytest

from kinds import Kind, kinds_of, played
from sobremesa.core import IllegalMove
from sobremesa.games.isis_osiris import TURN

from .boards import position, random_game

KINDS = kinds_of("isis-osiris")

ALMOST = position(
    "-3BA-1+3+4", "AB+2AAB", "A-4+2-2-1+2", "+1+2-2BBA", "+2-2-3B+1-2", "BBA-2A.", tiles="1,1", turn=1, turned="+3"
)
"""Both have placed eight stones, seat 1 holds the last tile that goes on the board."""


def test_i6_the_game_goes_on_while_a_cell_is_free() -> None:
    assert not ALMOST.over
    assert ALMOST.result() is None
    assert [move.text for move in ALMOST.legal_moves()] == ["Tf1"]


def test_i6_the_last_cell_ends_the_game_at_once_with_a_piece_left_over_each() -> None:
    state = played(ALMOST, "Tf1")
    assert state.over
    assert not state.deciding
    assert state.chance is None
    assert state.legal_moves() == ()
    assert [state.stones_left[seat] + state.tiles_left(seat) for seat in (0, 1)] == [1, 1]
    with pytest.raises(IllegalMove, match=r"^I6: the game is over$"):
        state.play(TURN)


@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind.options["variant"] == "own"], ids=str)
def test_i6_everyone_has_exactly_one_piece_left_over(kind: Kind) -> None:
    for seed in range(10):
        end = random_game(kind, seed)[-1]
        assert [end.stones_left[seat] + end.tiles_left(seat) for seat in range(end.seats)] == [1] * end.seats


def test_i6_leftovers_are_worth_nothing() -> None:
    """The tile left over could be anything: the result does not know it."""
    end = played(ALMOST, "Tf1")
    assert end.result() == end._replace(stocks=(0, 0), stones_left=(5, 5)).result()
