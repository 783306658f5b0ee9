"""The drawings of the sheet, the roll and the ranking: complete, and silent about what others write."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from drawings import SVG, contrast, count, parts, read, sample
from kinds import Kind, each, kinds_of, trail
from sobremesa.core import drawing
from sobremesa.games.knister import GAME, KnisterState, draw
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.scoring import LINES, line_points
from sobremesa.games.knister.view import KnisterView

KINDS = kinds_of(GAME.id)


def states_of(kind: Kind) -> Iterator[KnisterState]:
    for state in sample(kind):
        assert isinstance(state, KnisterState)
        yield state


@each(KINDS)
def test_the_sheet_is_drawn_with_its_points(kind: Kind) -> None:
    for state in states_of(kind):
        seat = state.rounds % state.seats
        sheet = state.sheets[seat]
        (drawn,) = parts(read(state.view(seat).svg()), "sheet")
        assert [text.text for text in parts(drawn, "number")] == [str(number) for number in sheet if number]
        won = zip(LINES, line_points(sheet), strict=True)
        full = [str(points) for line, points in won if all(sheet[line.cells])]
        assert [text.text for text in parts(drawn, "points")] == full
        assert [text.text for text in parts(drawn, "total")] == [str(sum(line_points(sheet)))]


@each(KINDS)
def test_it_shows_the_roll_and_the_ranking(kind: Kind) -> None:
    for state in states_of(kind):
        view = state.view(0)
        root = read(view.svg())
        pips = sum(len(list(die.iter(f"{SVG}circle"))) for die in parts(root, "die")[:2]) if state.roll else 0
        assert pips == state.roll
        assert [text.text for text in parts(root, "standing")] == [str(row.points) for row in view.standings]
        faces = [draw.DICE.index(char) + 1 for char in view.text() if char in draw.DICE]
        assert sum(faces) == state.roll


@each(KINDS)
def test_text_shows_every_cell_and_its_points(kind: Kind) -> None:
    for state in states_of(kind):
        sheet = state.sheets[0]
        lines = [line.ljust(60) for line in state.view(0).text().split("\n")]
        for cell, number in enumerate(sheet):
            y, x = divmod(cell, 5)
            assert lines[2 * (5 - y)][4 + 5 * x : 8 + 5 * x].strip() == (str(number) if number else "")
        shown = [lines[2 * (5 - y)][30:33] for y in range(5)]
        shown += [lines[12][4 + 5 * x : 7 + 5 * x] for x in range(5)] + [lines[0][30:33], lines[12][30:33]]
        won = zip(LINES, line_points(sheet), strict=True)
        assert [box.strip() for box in shown] == [
            str(points) if all(sheet[line.cells]) else "·" for line, points in won
        ]


def test_nobody_sees_where_others_wrote_in_the_running_round() -> None:
    """K1: all write at the same time."""
    state = GAME.start(seats=3).happen(7).play(WRITES[0], 0)
    one, other = state.play(WRITES[3], 1), state.play(WRITES[20], 1)
    for seat in (None, 0, 2):
        assert one.view(seat).svg() == other.view(seat).svg()
        assert one.view(seat).text(True) == other.view(seat).text(True)
    assert one.view(1).svg() != other.view(1).svg()
    assert one.view(None).svg(WRITES[3]) == one.view(None).svg(WRITES[20])


def test_a_ranking_says_where_it_leaves_seats_out() -> None:
    state = GAME.start(seats=100)
    assert state.view(50).text().count("…") == 2
    assert state.view(99).text().count("…") == 1
    assert state.view(None).text().count("…") == 1
    assert GAME.start(seats=12).view(11).text().count("…") == 0


@pytest.mark.parametrize(("points", "stars"), [(50, 0), (51, 1), (81, 2), (101, 3)])
def test_the_solitaire_game_ends_with_stars(points: int, stars: int) -> None:
    """K7"""
    view = trail(KINDS[0], 0)[0][-1].view(0)
    assert isinstance(view, KnisterView)
    view = replace(view, standings=(replace(view.standings[0], points=points),))
    assert count(read(view.svg()), "star") == stars
    assert view.text().count("★") == stars


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        (drawing.MUTED, draw.PAPER),
        (drawing.MUTED, draw.OWN),
        (draw.PENCIL, draw.BLUE),
        (draw.PENCIL, draw.FRESH),
    ],
)
def test_numbers_can_be_read(ink: str, ground: str) -> None:
    assert contrast(ink, ground) >= 4.5
