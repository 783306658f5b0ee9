"""I7, I8 and I9: what stones are worth, who wins, and the scoring track."""

import pytest

from kinds import Kind, kinds_of
from sobremesa.core import Result
from sobremesa.games.isis_osiris.track import on_track

from .boards import position, random_game

KINDS = kinds_of("isis-osiris")

GREEN, VIOLET = 0, 1
EXAMPLE = position(
    ".-1A-2..",
    "......",
    "...+4..",
    "..-1A-2.",
    "......",
    "+1B+2...",
    tiles="7,8",
)
"""Green's stone A is on c6, its stone B on d3; violet's stone on b1."""


def test_i7_the_example_of_the_rulebook() -> None:
    c6, d3, b1 = 32, 15, 1
    assert EXAMPLE.worth(c6) == -1 - 2 == -3
    assert EXAMPLE.worth(d3) == +4 - 1 - 2 == +1
    assert EXAMPLE.worth(b1) == +1 + 2 == +3
    assert EXAMPLE.scores()[GREEN] == -3 + 1 == -2
    assert EXAMPLE.scores()[VIOLET] == +3


def test_i7_tiles_count_horizontally_and_vertically_but_not_diagonally() -> None:
    state = position("......", "..+2-4+2.", "..+1A+2.", "..+3+3+2.", "......", "......", tiles="7,7")
    assert state.scores() == (-4 + 1 + 2 + 3, 0)


def test_i7_a_tile_counts_for_every_stone_it_touches() -> None:
    state = position("......", "...A..", "..A+3B.", "...A..", "......", "......", tiles="10,11")
    assert state.scores() == (9, 3)


def test_i7_stones_count_nothing_for_each_other_and_rows_do_not_wrap() -> None:
    state = position("......", ".....+4", "AA....", "......", "......", "......", tiles="10,11")
    assert state.scores() == (0, 0)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_i7_totals_are_the_sums_over_neighbours_on_the_table(kind: Kind) -> None:
    for seed in range(3):
        end = random_game(kind, seed)[-1]
        view = end.view(None)
        table = {(cell % 6, cell // 6): mark for cell, mark in enumerate(view.cells)}
        totals = dict.fromkeys("ABCD"[: end.seats], 0)
        for (x, y), mark in table.items():
            if mark in totals:
                for beside in ((x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1)):
                    value = table.get(beside, ".")
                    totals[mark] += int(value) if value[0] in "+-" else 0
        result = end.result()
        assert result is not None
        assert result.scores == view.scores == tuple(totals.values())


def test_i8_the_highest_total_wins() -> None:
    rows = ("+2-3B-1+2B", "CC+1+1A-2", "BAAD-2+2", "D+3B+2+2D", "-2DC+3+2A", "-3CDACB")
    assert position(*rows, seats=4, tiles="1,1,1,1").result() == Result((8, 2, 2, 7), (1, 3, 3, 2))


def test_i8_of_negative_totals_the_one_closest_to_zero_wins() -> None:
    rows = ("+2C-4-2CB", "+2A-3-2+2+4", "CAB+3-2-2", "-2A-2+2AB", "+1BA+1CB", "C-3BAC+2")
    result = position(*rows, seats=3, tiles="1,1,1").result()
    assert result == Result((-5, -3, -1), (3, 2, 1))
    assert result.winners == (2,)


def test_i8_equal_totals_share_the_place() -> None:
    rows = ("-3BA-1+3+4", "AB+2AAB", "A-4+2-2-1+2", "+1+2-2BBA", "+2-2-3B+1-2", "BBA-2A+3")
    result = position(*rows, tiles="1,1").result()
    assert result == Result((-7, -7), (1, 1))
    assert result.winners == (0, 1)


def test_i8_a_shared_place_takes_the_next_one_away() -> None:
    rows = ("CA+3-3D-2", "D-2BAA-3", "+1DCBAC", "BDA+1+2-2", "B-4B+2-2+2", "+2+4+2CDC")
    for starter in range(4):
        state = position(*rows, seats=4, tiles="1,1,1,1", starter=starter)
        assert state.result() == Result((-2, 1, 1, -13), (3, 1, 1, 4))


@pytest.mark.parametrize(
    ("total", "markers", "field"),
    [
        (0, 0, 0),
        (20, 0, 20),
        (21, 1, 1),
        (-20, 0, -20),
        (-21, -1, -1),
        (40, 1, 20),
        (41, 2, 1),
        (-57, -2, -17),
    ],
)
def test_i9_a_total_past_20_takes_a_marker_and_shows_the_remainder(total: int, markers: int, field: int) -> None:
    assert on_track(total) == (markers, field)
    assert 20 * markers + field == total
