"""K1 and K2: all write at the same time, so nobody sees where others wrote before the round is over."""

import json

import pytest

from kinds import kinds_of, trail
from sobremesa.games.knister import KnisterState

from .sheets import position, start, write

KINDS = kinds_of("knister")

TIM, SARA, CARLOS = 0, 1, 2


def round_of(*cells: str) -> KnisterState:
    """An 8 is rolled, and the first seats have written it."""
    state = start(3).happen(8)
    for seat, cell in enumerate(cells):
        state = state.play(write(cell), seat)
    return state


@pytest.mark.parametrize("seat", [SARA, CARLOS, None])
def test_k1_nobody_sees_where_others_write_in_the_running_round(seat: int | None) -> None:
    assert round_of("a1").view(seat) == round_of("c3").view(seat)
    view = round_of("a1").view(seat)
    assert all(set(row.sheet) == {0} for row in view.standings)


def test_k1_everybody_sees_his_own_sheet_as_it_is() -> None:
    assert round_of("a1").view(TIM) != round_of("c3").view(TIM)
    sheet = round_of("a1").view(TIM).sheet
    assert sheet is not None
    assert sheet[0] == 8


def test_k1_everybody_sees_the_roll_and_who_has_written_it() -> None:
    for seat in (TIM, SARA, CARLOS, None):
        view = round_of("a1").view(seat)
        assert view.roll == 8
        assert view.waiting == 2
        assert {row.seat: row.wrote for row in view.standings} == {TIM: True, SARA: False, CARLOS: False}
        assert view.to_write == (seat in (SARA, CARLOS))


@pytest.mark.parametrize("seat", [TIM, SARA, CARLOS, None])
def test_k2_everybody_sees_all_sheets_when_the_round_is_over(seat: int | None) -> None:
    assert round_of("a1", "b1", "c1").view(seat) != round_of("a1", "b1", "d1").view(seat)
    view = round_of("a1", "b1", "c1").view(seat)
    assert view.roll is None
    assert {row.seat: row.sheet.index(8) for row in view.standings} == {TIM: 0, SARA: 1, CARLOS: 2}
    assert not any(row.wrote for row in view.standings)


def test_the_ranking_is_that_of_the_last_round() -> None:
    """Tim makes five of a kind just now: nobody sees the points before the others have written, too."""
    state = position(f"knister seats=2 starter=0 roll=8 sheets=8888{'.' * 21}/8......8......8.8........")
    assert state.deciding == {0, 1}
    state = state.play(write("e1"), 0)
    for seat in (0, 1, None):
        assert [(row.seat, row.points) for row in state.view(seat).standings] == [(0, 0), (1, 0)]
    state = state.play(write("e5"), 1)
    for seat in (0, 1, None):
        assert [(row.seat, row.place, row.points) for row in state.view(seat).standings] == [(0, 1, 10), (1, 2, 0)]


def test_a_spectator_has_no_sheet() -> None:
    view = round_of().view(None)
    assert view.sheet is None
    assert view.legal_moves() == []


@pytest.mark.parametrize("seat", [0, 17, 39])
def test_k8_at_a_big_table_one_sees_the_leaders_and_ones_neighbours(seat: int) -> None:
    """Forty seats, all equal, so in order of their seats."""
    shown = [row.seat for row in start(40).view(seat).standings]
    leaders = list(range(12))
    near = [other for other in range(seat - 2, seat + 3) if 0 <= other < 40]
    assert shown == sorted({*leaders, *near})
    assert [row.seat for row in start(40).view(None).standings] == leaders


def test_a_view_as_plain_data() -> None:
    view = round_of("a1").view(TIM).as_dict()
    assert json.loads(json.dumps(view)) == view
    blank = [0] * 25
    assert view == {
        "game": "knister",
        "seat": TIM,
        "options": {"seats": 3, "starter": 0},
        "deciding": [],
        "rounds": 0,
        "roller": 0,
        "roll": 8,
        "waiting": 2,
        "sheet": [8, *blank[1:]],
        "lines": [None] * 12,
        "standings": [
            {"seat": seat, "place": 1, "points": 0, "sheet": blank, "lines": [None] * 12, "wrote": seat == TIM}
            for seat in range(3)
        ],
        "over": False,
    }


def test_k5_lines_have_points_once_their_fifth_number_is_written() -> None:
    """As on paper: rows from the top, columns from the left, then the diagonals, which count double (K3)."""
    rows = ("62345", "6....", "6.9..", "68...", "6677A")
    state = position(f"knister seats=1 starter=0 roll=- sheets={''.join(reversed(rows))}")
    straight, sixes, two_pairs = 12, 10, 3
    before = [straight, None, None, None, two_pairs, sixes, None, None, None, None, None, None]
    assert state.view(0).as_dict()["lines"] == before
    state = state.happen(11).play(write("d4"), 0)
    assert state.view(0).as_dict()["lines"] == [*before[:10], 0, None], "6 8 9 11 5 makes nothing"
    full = position(f"knister seats=1 starter=0 roll=- sheets={'66666' * 5}").view(None).as_dict()
    assert full["lines"] is None, "a spectator has no sheet"
    assert full["standings"][0]["lines"] == [10] * 10 + [20, 20]


def test_the_lines_of_a_sheet_add_up_to_its_points() -> None:
    for seed in range(20):
        states, _ = trail(KINDS[2], seed)
        for row in states[-1].view(None).as_dict()["standings"]:
            assert sum(row["lines"]) == row["points"]


def test_the_others_lines_are_those_of_the_last_round() -> None:
    state = position(f"knister seats=2 starter=0 roll=8 sheets=8888{'.' * 21}/8......8......8.8........")
    state = state.play(write("e1"), 0)
    own = state.view(0).as_dict()
    assert own["lines"] is not None
    assert own["lines"][4] == 10
    for seat in (0, 1, None):
        for row in state.view(seat).as_dict()["standings"]:
            assert row["lines"] == [None] * 12
