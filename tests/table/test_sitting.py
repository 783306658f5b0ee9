"""Taking back: never across another seat's decision, a roll or a turned tile."""

import pytest

from sobremesa import GAMES
from sobremesa.core.errors import IllegalMove, SobremesaError
from sobremesa.table import FairChance, Sitting


def sitting(game: str, **options: int) -> Sitting:
    return Sitting.start(GAMES[game], dict(options), FairChance.from_seed("x"))


def play(table: Sitting, seat: int, *moves: str) -> Sitting:
    for move in moves:
        table = table.play(table.state.parse_move(move, seat), seat)
    return table


def test_a_move_can_be_taken_back_until_the_next_seat_moves() -> None:
    table = sitting("callisto")
    start = table.state
    table = play(table, 0, "c8")
    assert table.can_undo == 0
    table = table.undo(0)
    assert table.state == start
    assert table.record().events == ()
    table = play(table, 0, "d8")
    table = play(table, 1, "n8")
    assert table.can_undo == 1
    with pytest.raises(SobremesaError, match="nothing to take back"):
        table = table.undo(0)
    table = table.undo(1)
    with pytest.raises(SobremesaError, match="nothing to take back"):
        table = table.undo(0)
    assert table.record().events == ("d8",)


def test_a_turned_tile_stays_turned_but_may_be_laid_elsewhere() -> None:
    table = sitting("isis-osiris")
    table = play(table, 0, "T")
    table = table.roll()
    assert table.can_undo is None
    turned = table.state
    table = play(table, 0, "Tc3")
    table = table.undo(0)
    assert table.state == turned
    with pytest.raises(SobremesaError, match="nothing to take back"):
        table = table.undo(0)


def test_nothing_is_taken_back_across_a_roll() -> None:
    table = sitting("knister")
    table = table.roll()
    table = play(table, 0, "c3")
    assert table.can_undo == 0
    table = table.roll()
    assert table.can_undo is None
    with pytest.raises(SobremesaError, match="nothing to take back"):
        table = table.undo(0)


def test_in_a_round_of_knister_only_the_last_writer_may() -> None:
    table = sitting("knister", seats=3)
    table = table.roll()
    table = play(table, 1, "c3")
    table = play(table, 0, "a1")
    with pytest.raises(SobremesaError):
        table = table.undo(1)
    table = table.undo(0)
    assert table.record().events[-1] == "- c3 -"


def test_the_round_is_written_in_the_order_of_seats() -> None:
    table = sitting("knister", seats=3)
    table = table.roll()
    for seat, cell in ((2, "e5"), (0, "a1"), (1, "c3")):
        table = play(table, seat, cell)
    assert table.record().events[-1] == "a1 c3 e5"


def test_there_is_no_roll_where_a_seat_decides() -> None:
    with pytest.raises(SobremesaError, match="nothing is left to chance"):
        sitting("callisto").roll()


def test_an_illegal_move_changes_nothing() -> None:
    table = sitting("callisto")
    before = table.state
    with pytest.raises(IllegalMove, match="C4"):
        table = play(table, 0, "h8")
    assert table.state is before
    assert table.record().events == ()
