"""What is in the box: tiles, pillars and boards of both editions."""

import pytest

from sobremesa.games.callisto.board import find_board
from sobremesa.games.callisto.editions import EDITIONS
from sobremesa.games.callisto.notation import squares

from . import naive

CLASSIC = [
    ("2", 2, 2),
    ("I", 2, 3),
    ("V", 2, 3),
    ("O", 2, 4),
    ("L", 2, 4),
    ("T4", 2, 4),
    ("Z", 2, 4),
    ("U", 1, 5),
    ("T5", 1, 5),
    ("W", 1, 5),
    ("X", 1, 5),
]


def test_classic_tiles_are_those_of_the_table() -> None:
    tiles = EDITIONS["classic"].tiles
    assert [(piece, copies, squares(piece)) for piece, copies in tiles.items()] == CLASSIC


@pytest.mark.parametrize(("edition", "tiles", "total"), [("classic", 18, 68), ("pocket", 13, 47)])
def test_tiles_and_squares_of_a_seat(edition: str, tiles: int, total: int) -> None:
    hand = EDITIONS[edition].tiles
    assert hand == naive.COPIES[edition]
    assert sum(hand.values()) == tiles
    assert sum(squares(piece) * copies for piece, copies in hand.items()) == total
    assert len(EDITIONS[edition].pillars) == 3


@pytest.mark.parametrize(
    ("edition", "seats", "cells"),
    [
        ("classic", 2, 144),
        ("classic", 3, 220),
        ("classic", 4, 288),
        ("pocket", 2, 100),
        ("pocket", 3, 144),
        ("pocket", 4, 196),
    ],
)
def test_boards_have_the_cells_of_the_table(edition: str, seats: int, cells: int) -> None:
    board = find_board(edition, seats)
    assert board.cells.bit_count() == cells
    expected, centre = naive.board(edition, seats)
    assert board.cells == sum(board.bit(x, y) for x, y in expected)
    assert board.centre == sum(board.bit(x, y) for x, y in centre)
    assert board.centre.bit_count() == (24 if edition == "classic" else 0)


def test_classic_centre_lies_in_the_middle_of_the_board_for_two() -> None:
    board = find_board("classic", 2)
    centre = {p.text for p in board.pillars.values() if p.cells & board.centre}
    assert centre == {
        "h11", "i11",
        "g10", "h10", "i10", "j10",
        "f9", "g9", "h9", "i9", "j9", "k9",
        "f8", "g8", "h8", "i8", "j8", "k8",
        "g7", "h7", "i7", "j7",
        "h6", "i6",
    }  # fmt: skip


@pytest.mark.parametrize(("seats", "cells"), [(2, 36), (3, 44), (4, 52)])
def test_pocket_frame_has_the_cells_along_its_four_sides(seats: int, cells: int) -> None:
    board = find_board("pocket", seats)
    last = board.width - 1
    edge = {(x, y) for x in range(last + 1) for y in range(last + 1) if {x, y} & {0, last}}
    assert board.rim == sum(board.bit(x, y) for x, y in edge)
    assert board.rim.bit_count() == cells


@pytest.mark.parametrize(
    ("piece", "ways"),
    [
        ("2", 2),
        ("I", 2),
        ("V", 4),
        ("O", 1),
        ("L", 8),
        ("T4", 4),
        ("Z", 4),
        ("U", 4),
        ("T5", 4),
        ("W", 4),
        ("X", 1),
    ],
)
def test_every_rotation_and_reflection_of_a_tile_is_there_once(piece: str, ways: int) -> None:
    shapes = [frozenset(o.offsets) for o in find_board("classic", 2).orientations if o.piece == piece]
    assert set(shapes) == naive.ways(piece)
    assert len(shapes) == ways


def test_there_are_38_ways_to_hold_a_classic_tile_and_37_a_pocket_one() -> None:
    assert len(find_board("classic", 2).orientations) == 38
    assert len(find_board("pocket", 2).orientations) == 37


def test_each_placement_on_the_board_is_listed_once_in_a_fixed_order() -> None:
    for edition, seats in naive.ROWS:
        board = find_board(edition, seats)
        cells, _ = naive.board(edition, seats)
        fits = len(cells)
        for piece in naive.COPIES[edition]:
            for way in naive.ways(piece):
                fits += sum({(x0 + x, y0 + y) for x, y in way} <= cells for x0 in range(-2, 20) for y0 in range(-2, 20))
        assert len(board.placements) == fits == len({p.cells for p in board.placements})
        assert [p.number for p in board.placements] == list(range(fits))
