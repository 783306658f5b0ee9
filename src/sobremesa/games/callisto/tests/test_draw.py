"""The drawings of boards and hands: complete, readable without colour."""

import re
from collections.abc import Iterator

import pytest

from drawings import SVG, contrast, count, parts, read, sample
from kinds import Kind, each, kinds_of, trail
from sobremesa.core import drawing
from sobremesa.games.callisto import GAME, CallistoState, draw
from sobremesa.games.callisto.board import bits
from sobremesa.games.callisto.editions import SHAPES

KINDS = kinds_of(GAME.id)


def states_of(kind: Kind) -> Iterator[CallistoState]:
    for state in sample(kind):
        assert isinstance(state, CallistoState)
        yield state


@each(KINDS)
def test_every_piece_is_drawn_once(kind: Kind) -> None:
    for state in states_of(kind):
        root = read(state.view(None).svg())
        pillars = sum(side.pillars.bit_count() for side in state.sides)
        (board,) = parts(root, "board")
        assert count(board, "pillar") == pillars
        assert count(board, "tile") == sum(len(side.placed) for side in state.sides) - pillars
        hands = parts(root, "hand")
        for seat, hand in enumerate(hands):
            assert count(hand, "tile") == sum(state.sides[seat].hand)
            assert count(hand, "pillar") == state.pillars_left(seat)
        assert len(hands) == state.seats


@each(KINDS)
def test_tiles_are_drawn_where_they_lie(kind: Kind) -> None:
    """The dots say which squares a tile covers: one for each."""
    for state in states_of(kind):
        board = state.board
        covered = []
        for tile in parts(parts(read(state.view(None).svg()), "board")[0], "tile"):
            dots = re.findall(r"M(\d+) (\d+)h0", tile[-1].attrib["d"])
            squares = [(int(x) // draw.CELL, board.height - 1 - int(y) // draw.CELL) for x, y in dots]
            covered.append(sum(board.bit(x, y) for x, y in squares))
        assert covered == [cells for side in state.sides for cells in side.placed if not cells & side.pillars]


@pytest.mark.parametrize(
    ("tile", "corners"),
    [("2", 4), ("I", 4), ("O", 4), ("V", 6), ("L", 6), ("T4", 8), ("Z", 8), ("U", 8), ("T5", 8), ("W", 10), ("X", 12)],
)
def test_a_tile_is_one_outline_without_inner_lines(tile: str, corners: int) -> None:
    squares = [(x, y) for y, row in enumerate(SHAPES[tile].split()) for x, mark in enumerate(row) if mark == "#"]
    line = drawing.outline(squares, side=10, inset=1)
    assert line.count("M") == line.count("z") == 1
    assert line.count("Q") == corners
    points = [(float(x), float(y)) for x, y in re.findall(r"([\d.-]+) ([\d.-]+)", line)]
    width, height = max(x for x, _ in squares) + 1, max(y for _, y in squares) + 1
    assert (min(x for x, _ in points), max(x for x, _ in points)) == (1, 10 * width - 1)
    assert (min(y for _, y in points), max(y for _, y in points)) == (1, 10 * height - 1)


@each(KINDS)
def test_text_has_lines_between_pieces_only(kind: Kind) -> None:
    for state in states_of(kind):
        board = state.board
        lines = [line.ljust(90) for line in state.view(None).text().split("\n")]
        piece = dict.fromkeys(bits(board.cells), 0)
        owner: dict[int, str] = {}
        for seat, side in enumerate(state.sides):
            for cells in side.placed:
                piece |= dict.fromkeys(bits(cells), cells)
                owner |= dict.fromkeys(bits(cells), "ABCD"[seat])
        for cell in piece:
            x, y = board.xy(cell)
            line, column = 2 * (board.height - 1 - y) + 1, 4 + 3 * x
            free = "░" if board.centre >> cell & 1 else "·"
            assert lines[line][column] == owner.get(cell, free)
            assert (lines[line][column + 1] == "▌") == any(side.pillars >> cell & 1 for side in state.sides)
            for neighbour, mark, between in (
                (cell + 1, "│", lines[line][column + 2]),
                (cell + board.stride, "─", lines[line - 1][column]),
            ):
                assert (between == mark) == (piece[cell] != piece.get(neighbour, -1))


def test_text_names_what_is_left() -> None:
    state = GAME.start(seats=2, starter=1)
    text = state.view(None).text()
    assert re.findall(r"(→?) +([AB])  (▌▌▌)  68", text) == [("", "A", "▌▌▌"), ("→", "B", "▌▌▌")]
    assert re.findall(r" (2×2 I×2 V×2|O×2 L×2 T4×2|Z×2 U T5 W X)", text) == 2 * [
        "2×2 I×2 V×2",
        "O×2 L×2 T4×2",
        "Z×2 U T5 W X",
    ]


@each(KINDS)
def test_it_shows_who_is_to_move_who_is_out_and_the_places(kind: Kind) -> None:
    for state in trail(kind, 0)[0][-12:]:
        assert isinstance(state, CallistoState)
        trays = parts(read(state.view(None).svg()), "tray")
        result = state.result()
        for seat, tray in enumerate(trays):
            assert count(tray, "out") == (state.is_out(seat) and not state.over)
            badges = [text.text for badge in parts(tray, "place") for text in badge.iter(f"{SVG}text")]
            assert badges == ([str(result.places[seat])] if result else [])
            assert (tray[0].attrib["stroke"] == drawing.ACCENT) == (seat in state.deciding)


@pytest.mark.parametrize("seat", range(4))
def test_pieces_stand_out_from_the_board(seat: int) -> None:
    tile = drawing.SEATS[seat]
    assert contrast(tile.light, draw.SLATE) >= 3
    assert contrast(tile.light, draw.CENTRE) >= 3


def test_the_ending_can_be_read() -> None:
    assert contrast(draw.STARLIGHT, drawing.NIGHT) >= 4.5
