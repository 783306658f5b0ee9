"""Reversi keeps the contract that every game keeps, and its own rules."""

import pytest
from sobremesa_reversi import GAME

from sobremesa.core import IllegalMove
from sobremesa.table.conformance import check_game


def perft(state, depth):
    if not depth:
        return 1
    return sum(perft(state.play(move), depth - 1) for move in state.legal_moves())


def test_it_keeps_the_contract() -> None:
    check_game(GAME)


def test_the_counts_that_everybody_finds() -> None:
    assert [perft(GAME.start(), depth) for depth in range(1, 5)] == [4, 12, 56, 244]


def test_r2_a_disc_turns_something_over() -> None:
    with pytest.raises(IllegalMove, match="R2: that turns no disc over"):
        GAME.start().play(GAME.start().parse_move("a1"))
    with pytest.raises(IllegalMove, match="R2: that cell is taken"):
        GAME.start().play(GAME.start().parse_move("d4"))


def test_r6_who_has_more_discs_wins() -> None:
    state = GAME.parse_position(f"reversi starter=0 turn=0 cells={'X' * 33}{'O' * 31}")
    assert state.result().winners == (0,)
