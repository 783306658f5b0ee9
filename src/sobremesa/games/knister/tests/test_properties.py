"""What must hold in every position: above all, what is in a view and what is not."""

import json
from random import Random
from typing import cast

import pytest

from kinds import Kind, each, in_random_positions, kinds_of, reached, some_seats
from perft import perft
from sobremesa.games.knister import GAME, KnisterState

KINDS = kinds_of(GAME.id)
SEVERAL = [kind for kind in KINDS if kind.options["seats"] > 1]


@in_random_positions(60, kinds=SEVERAL)
def test_k1_where_others_write_in_the_running_round_is_in_no_view(kind: Kind, seed: int, at: int) -> None:
    state = cast(KnisterState, reached(kind, seed, at))
    random = Random(seed)
    for viewer in (*some_seats(state, seed), None):
        other = state
        for seat in range(state.seats):
            if state.roll and seat != viewer and seat not in state.deciding:
                before = state.closed[seat]
                cell = random.choice([cell for cell in range(25) if not before[cell]])
                sheet = before[:cell] + bytes([state.roll]) + before[cell + 1 :]
                other = other._replace(sheets=other.sheets.put(seat, sheet))
        assert kind.game.parse_position(other.position()) == other
        assert other.view(viewer) == state.view(viewer)
        assert json.dumps(other.view(viewer).as_dict()) == json.dumps(state.view(viewer).as_dict())


@in_random_positions(40, kinds=KINDS)
def test_k1_everybody_sees_his_own_sheet_and_the_roll(kind: Kind, seed: int, at: int) -> None:
    state = cast(KnisterState, reached(kind, seed, at))
    for seat in some_seats(state, seed):
        sheet = state.sheets[seat]
        other = state._replace(sheets=state.sheets.put(seat, bytes(14 - number for number in sheet)))
        assert other.view(seat) != state.view(seat)
        if state.roll:
            other = state._replace(roll=9 if state.roll == 5 else 5)
            assert other.view(seat) != state.view(seat)
            assert other.view(None) != state.view(None)


@each(KINDS)
def test_k6_equal_points_share_a_place(kind: Kind) -> None:
    for seed in range(4):
        result = reached(kind, seed, -1).result()
        assert result is not None
        assert result.places == tuple(1 + sum(other > mine for other in result.scores) for mine in result.scores)


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        ("1", [11, 11 * 25, 11 * 25 * 11]),
        ("2", [11, 11 * 25, 11 * 25 * 25]),
    ],
)
def test_ways_to_go_on_that_can_be_counted_by_hand(table: str, counts: list[int]) -> None:
    """Eleven rolls, and each seat writes into any of its free cells."""
    assert perft(GAME.start(**GAME.kinds()[table]))[: len(counts)] == counts
