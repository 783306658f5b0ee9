"""What must hold in every position."""

from typing import cast

import pytest

from kinds import Kind, each, in_random_positions, kinds_of, reached
from perft import perft
from sobremesa.core import IllegalMove
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.board import find_board

KINDS = kinds_of(GAME.id)


@each(KINDS)
def test_no_placement_of_another_board_is_accepted(kind: Kind) -> None:
    state = cast(CallistoState, reached(kind, 1, 12))
    mine = set(state.board.placements)
    for other in KINDS:
        for move in find_board(other.options["edition"], other.options["seats"]).placements[::7]:
            if move not in mine:
                with pytest.raises(IllegalMove, match=r"^C\d+: "):
                    state.play(move)


@in_random_positions(24, kinds=KINDS)
def test_the_short_form_of_a_move_parses_back(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for move in state.legal_moves():
        assert state.parse_move(move.short) == move


@each(KINDS)
def test_c10_who_starts_later_ranks_higher_at_equal_points(kind: Kind) -> None:
    for seed in range(8):
        end = reached(kind, seed, -1)
        result = end.result()
        assert result is not None
        order = [(result.scores[seat], -((seat - end.options["starter"]) % end.seats)) for seat in range(end.seats)]
        ranked = [result.places[seat] for seat in sorted(range(end.seats), key=order.__getitem__)]
        assert ranked == list(range(1, end.seats + 1))


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        ("classic-2", [120, 120 * 119]),
        ("classic-3", [196, 196 * 195]),
        ("classic-4", [264, 264 * 263]),
        ("pocket-2", [36, 36 * 33]),
    ],
)
def test_ways_to_go_on_that_can_be_counted_by_hand(table: str, counts: list[int]) -> None:
    """Each pillar on the frame bars itself and a cell on either side, also around a corner of the frame."""
    assert perft(GAME.start(**GAME.kinds()[table]))[: len(counts)] == counts
