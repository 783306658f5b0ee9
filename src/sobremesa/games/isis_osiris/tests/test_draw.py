"""The drawings of board, stocks and track: complete, and silent about what lies face down."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from drawings import SVG, contrast, count, parts, read, sample
from kinds import Kind, each, kinds_of, trail
from sobremesa.games.isis_osiris import GAME, IsisOsirisState, draw
from sobremesa.games.isis_osiris.palette import GLASS
from sobremesa.games.isis_osiris.track import END, on_track
from sobremesa.games.isis_osiris.view import IsisOsirisView

KINDS = kinds_of(GAME.id)
HIDDEN = [kind for kind in KINDS if not kind.options["memory_aid"]]
SHOWN = [kind for kind in KINDS if kind.options["memory_aid"]]


def states_of(kind: Kind) -> Iterator[IsisOsirisState]:
    for state in sample(kind):
        assert isinstance(state, IsisOsirisState)
        yield state


@each(KINDS)
def test_every_piece_is_drawn_once(kind: Kind) -> None:
    for state in states_of(kind):
        root = read(state.view(None).svg())
        (board,) = parts(root, "board")
        assert count(board, "stone") == sum(stones.bit_count() for stones in state.stones)
        assert count(board, "tile") == sum(map(bool, state.tiles))
        for seat, panel in enumerate(parts(root, "panel")):
            assert count(panel, "stone") == 1 + state.stones_left[seat], "a stone stands beside the seat's letter"
            assert count(panel, "tile") == (state.tiles_left(seat) if kind.options["variant"] == "own" else 0)
        stock = [element.text for element in parts(root, "stock")]
        assert stock == ([str(state.stocks[0])] if kind.options["variant"] == "common" else [])


@each(HIDDEN)
def test_values_that_lie_face_down_are_not_in_the_drawing(kind: Kind) -> None:
    """I3: two games that differ only in what lies face down look the same, until the end."""
    seen = 0
    for state in [*trail(kind, 0)[0][::6], trail(kind, 0)[0][-1]]:
        assert isinstance(state, IsisOsirisState)
        other = state._replace(tiles=tuple(-value for value in state.tiles))
        for seat in (None, state.seats - 1):
            assert (state.view(seat).svg() == other.view(seat).svg()) == (not state.over)
            assert (state.view(seat).text(True) == other.view(seat).text(True)) == (not state.over)
        faces = [text.text for tile in parts(read(state.view(0).svg()), "tile") for text in tile.iter(f"{SVG}text")]
        if not state.over:
            turned = [state.turned] if state.view(0).turned is not None else []
            assert faces == [f"{value:+}".replace("-", "−") for value in turned]
        seen += any(state.tiles) and not state.over
    assert seen > 5


@each(SHOWN)
def test_the_memory_aid_shows_them(kind: Kind) -> None:
    for state in states_of(kind):
        faces = [
            text.text
            for tile in parts(parts(read(state.view(0).svg()), "board")[0], "tile")
            for text in tile.iter(f"{SVG}text")
        ]
        assert faces == [f"{value:+}".replace("-", "−") for value in state.tiles if value]


@each(KINDS)
def test_it_ends_with_the_worth_of_every_stone_and_markers_on_the_track(kind: Kind) -> None:
    state = trail(kind, 0)[0][-1]
    assert isinstance(state, IsisOsirisState)
    root = read(state.view(None).svg())
    (board,) = parts(root, "board")
    shown = [text.text for stone in parts(board, "stone") for text in stone.iter(f"{SVG}text")]
    stones = [cell for cell in range(36) if not state.tiles[cell]]
    assert shown == [f"{state.worth(cell):+}".replace("-", "−") if state.worth(cell) else "0" for cell in stones]
    assert count(root, "marker") == state.seats
    assert count(read(trail(kind, 0)[0][-2].view(None).svg()), "marker") == 0


def test_it_shows_a_total_past_the_track_with_markers() -> None:
    view = trail(KINDS[0], 0)[0][-1].view(None)
    assert isinstance(view, IsisOsirisView)
    view = replace(view, scores=(23, -41))
    shown = [text.text for panel in parts(read(view.svg()), "panel") for text in panel.iter(f"{SVG}text")]
    assert [words for words in shown if str(words)[0] in "+−"] == ["+23", "+20", "+3", "−41", "−20", "−20", "−1"]


@each(KINDS)
def test_text_shows_every_cell(kind: Kind) -> None:
    for state in states_of(kind):
        view = state.view(0)
        lines = [line.ljust(60) for line in view.text().split("\n")]
        for cell, mark in enumerate(view.cells):
            y, x = divmod(cell, 6)
            middle = lines[4 * (5 - y) + 2][4 + 8 * x : 11 + 8 * x].strip(" │")
            wanted = {".": "", "?": "◉"}.get(mark, f"● {mark}" if mark in "ABCD" else mark.replace("-", "−"))
            assert middle == wanted


@pytest.mark.parametrize(
    ("total", "markers", "rest"),
    [
        (0, 0, 0),
        (7, 0, 7),
        (20, 0, 20),
        (21, 1, 1),
        (23, 1, 3),
        (40, 1, 20),
        (-20, 0, -20),
        (-21, -1, -1),
        (-41, -2, -1),
    ],
)
def test_the_track_shows_a_total_as_markers_and_a_remainder(total: int, markers: int, rest: int) -> None:
    """I9"""
    assert on_track(total) == (markers, rest)


def test_markers_and_remainder_always_make_the_total() -> None:
    for total in range(-100, 101):
        markers, rest = on_track(total)
        assert markers * END + rest == total
        assert abs(rest) <= END
        assert not markers or abs(markers + (1 if rest > 0 else -1)) > abs(markers), "both pull the same way"


def test_no_two_seats_share_a_colour_or_a_mark() -> None:
    assert len({seat.fill for seat in GLASS}) == len({seat.mark for seat in GLASS}) == 4


@pytest.mark.parametrize("seat", range(4))
def test_stones_stand_out_from_the_board(seat: int) -> None:
    stone = GLASS[seat]
    assert contrast(stone.deep, draw.LIMESTONE) >= 3
    assert contrast(draw.LAPIS, draw.LIMESTONE) >= 3
    assert contrast(stone.text, stone.fill) >= 4.5
    assert contrast(stone.deep, "#FFFFFF") >= 4.5


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        (draw.PLUS, draw.PLASTER),
        (draw.MINUS, draw.PLASTER),
        (draw.PLUS, draw.FIELDS),
        (draw.MINUS, draw.FIELDS),
        (draw.CARVED, draw.SAND),
        (draw.GOLD, draw.LAPIS),
    ],
)
def test_numbers_can_be_read(ink: str, ground: str) -> None:
    assert contrast(ink, ground) >= 4.5
