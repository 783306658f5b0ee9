"""Every drawing of every game: well formed, complete, readable without colour, and silent about what is hidden."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from itertools import pairwise, product
from random import Random
from typing import Any

import pytest

from sobremesa import GAMES
from sobremesa.core import drawing
from sobremesa.core.state import State, View
from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto import draw as callisto
from sobremesa.games.callisto.board import bits
from sobremesa.games.callisto.editions import SHAPES
from sobremesa.games.isis_osiris import IsisOsirisState
from sobremesa.games.isis_osiris import draw as isis_osiris
from sobremesa.games.isis_osiris.palette import GLASS
from sobremesa.games.isis_osiris.track import END, on_track
from sobremesa.games.isis_osiris.view import IsisOsirisView
from sobremesa.games.knister import KnisterState
from sobremesa.games.knister import draw as knister
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.scoring import LINES, line_points
from sobremesa.games.knister.view import KnisterView

SVG = "{http://www.w3.org/2000/svg}"
ESCAPE = re.compile(r"\x1b\[[0-9;]*m")

CALLISTO = [{"edition": edition, "seats": seats} for edition, seats in product(("classic", "pocket"), (2, 3, 4))]
ISIS_OSIRIS = [
    {"seats": seats, "variant": variant, "memory_aid": aid}
    for seats, variant, aid in product((2, 3, 4), ("own", "common"), (False, True))
]
KNISTER = [{"seats": seats} for seats in (1, 2, 3, 12, 40)]
TABLES = [
    *(("callisto", options) for options in CALLISTO),
    *(("isis-osiris", options) for options in ISIS_OSIRIS),
    *(("knister", options) for options in KNISTER),
]


def each(tables: list[Any]) -> pytest.MarkDecorator:
    """Every table."""
    return pytest.mark.parametrize("table", tables, ids=lambda table: re.sub(r"[^\w=-]+", "-", str(table)).strip("-"))


def history(game: str, options: dict[str, Any], seed: int = 0) -> list[State[Any]]:
    """All states of a random game, for which chance and all seats are drawn from one seed."""
    return _history(game, tuple(options.items()), seed)


@cache
def _history(game: str, options: tuple[tuple[str, Any], ...], seed: int) -> list[State[Any]]:
    random = Random(seed)
    states = [GAMES[game].start(**dict(options))]
    while not states[-1].over:
        state = states[-1]
        if state.chance is not None:
            states.append(state.happen(state.chance.draw(random)))
        else:
            seat = random.choice(sorted(state.deciding))
            states.append(state.play(state.random_move(random, seat), seat))
    return states


def sample(game: str, options: dict[str, Any]) -> list[State[Any]]:
    """The beginning, the end, and a few states between them."""
    states = history(game, options)
    return [*states[:: len(states) // 3 + 1], *states[-2:]]


def views(table: tuple[str, dict[str, Any]]) -> Iterator[View[Any]]:
    for number, state in enumerate(sample(*table)):
        yield state.view(None)
        yield state.view(number % state.seats)


def parts(root: ET.Element, name: str) -> list[ET.Element]:
    return [element for element in root.iter() if element.get("class") == name]


def count(root: ET.Element, name: str) -> int:
    return len(parts(root, name))


def read(svg: str) -> ET.Element:
    return ET.fromstring(svg)


@each(TABLES)
def test_every_svg_is_one_self_contained_picture(table: tuple[str, dict[str, Any]]) -> None:
    definitions: dict[str, bytes] = {}
    for view in views(table):
        root = read(view.svg())
        width, height = int(root.attrib["width"]), int(root.attrib["height"])
        assert root.tag == f"{SVG}svg"
        assert root.attrib["viewBox"] == f"0 0 {width} {height}"
        assert 640 <= width <= 800
        assert 480 <= height <= 800
        names = {element.tag.removeprefix(SVG) for element in root.iter()}
        assert names <= {"svg", "title", "desc", "defs", "pattern", "g", "rect", "circle", "ellipse", "path", "text"}
        assert not [key for element in root.iter() for key in element.attrib if "href" in key or key.startswith("on")]
        ids = [element.attrib["id"] for element in root.iter() if "id" in element.attrib]
        assert len(ids) == len(set(ids))
        assert set(re.findall(r"url\(#([^)]+)\)", view.svg())) <= set(ids)
        for element in root.iter(f"{SVG}pattern"):
            same = definitions.setdefault(element.attrib["id"], ET.tostring(element))
            assert same == ET.tostring(element), "an id means the same in all pictures of one page"


@each(TABLES)
def test_every_svg_can_be_read_aloud(table: tuple[str, dict[str, Any]]) -> None:
    for view in views(table):
        root = read(view.svg())
        assert root.attrib["role"] == "img"
        title, desc = root[0], root[1]
        assert (title.tag, desc.tag) == (f"{SVG}title", f"{SVG}desc")
        assert str(title.text).startswith(GAMES[table[0]].name)
        assert desc.text


@each(TABLES)
def test_everything_lies_inside_the_picture(table: tuple[str, dict[str, Any]]) -> None:
    def centres(element: ET.Element, x: float, y: float, scale: float) -> Iterator[tuple[float, float]]:
        numbers = re.match(r"translate\(([\d.-]+) ([\d.-]+)\)(?: scale\(([\d.]+)\))?", element.get("transform", ""))
        if numbers:
            x, y = x + scale * float(numbers[1]), y + scale * float(numbers[2])
            scale *= float(numbers[3] or 1)
        for key_x, key_y in (("x", "y"), ("cx", "cy")):
            if element.tag != f"{SVG}pattern" and key_x in element.attrib:
                yield x + scale * float(element.attrib[key_x]), y + scale * float(element.attrib[key_y])
        for child in element:
            yield from centres(child, x, y, scale)

    for view in views(table):
        root = read(view.svg())
        for x, y in centres(root, 0, 0, 1):
            assert 0 <= x <= int(root.attrib["width"])
            assert 0 <= y <= int(root.attrib["height"])


@each(TABLES)
def test_text_needs_no_colour(table: tuple[str, dict[str, Any]]) -> None:
    for view in views(table):
        plain, coloured = view.text(), view.text(colour=True)
        assert "\x1b" not in plain
        assert "\x1b[" in coloured
        assert ESCAPE.sub("", coloured) == plain
        assert all(line == line.rstrip() for line in plain.split("\n"))
        assert max(map(len, plain.split("\n"))) <= 80
        assert len(plain.split("\n")) <= 45


@each(TABLES)
def test_no_colour_runs_over_the_end_of_a_line(table: tuple[str, dict[str, Any]]) -> None:
    for view in views(table):
        for line in view.text(colour=True).split("\n"):
            codes = ESCAPE.findall(line)
            assert not codes or codes[-1] == "\x1b[0m"


BOXES = {"│": "ud", "─": "lr", "┌": "dr", "┐": "dl", "└": "ur", "┘": "ul"}
BOXES |= {"├": "udr", "┤": "udl", "┬": "dlr", "┴": "ulr", "┼": "udlr"}


@each(TABLES)
def test_lines_in_text_join(table: tuple[str, dict[str, Any]]) -> None:
    """What leads out of a box-drawing character leads into the one beside or below it."""
    for view in views(table):
        lines = [line.ljust(80) for line in [*view.text().split("\n"), ""]]
        for line, below in pairwise(lines):
            for here, beside in pairwise(line):
                assert ("r" in BOXES.get(here, "")) == ("l" in BOXES.get(beside, "")), line
            for here, under in zip(line, below, strict=True):
                assert ("d" in BOXES.get(here, "")) == ("u" in BOXES.get(under, "")), line


def callisto_states(options: dict[str, Any]) -> Iterator[CallistoState]:
    for state in sample("callisto", options):
        assert isinstance(state, CallistoState)
        yield state


@each(CALLISTO)
def test_callisto_draws_every_piece_once(table: dict[str, Any]) -> None:
    for state in callisto_states(table):
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


@each(CALLISTO)
def test_callisto_draws_tiles_where_they_lie(table: dict[str, Any]) -> None:
    """The dots say which squares a tile covers: one for each."""
    for state in callisto_states(table):
        board = state.board
        covered = []
        for tile in parts(parts(read(state.view(None).svg()), "board")[0], "tile"):
            dots = re.findall(r"M(\d+) (\d+)h0", tile[-1].attrib["d"])
            squares = [(int(x) // callisto.CELL, board.height - 1 - int(y) // callisto.CELL) for x, y in dots]
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


@each(CALLISTO)
def test_callisto_text_has_lines_between_pieces_only(table: dict[str, Any]) -> None:
    for state in callisto_states(table):
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


def test_callisto_text_names_what_is_left() -> None:
    state = GAMES["callisto"].start(seats=2, starter=1)
    text = state.view(None).text()
    assert re.findall(r"(→?) +([AB])  (▌▌▌)  68", text) == [("", "A", "▌▌▌"), ("→", "B", "▌▌▌")]
    assert re.findall(r" (2×2 I×2 V×2|O×2 L×2 T4×2|Z×2 U T5 W X)", text) == 2 * [
        "2×2 I×2 V×2",
        "O×2 L×2 T4×2",
        "Z×2 U T5 W X",
    ]


@each(CALLISTO)
def test_callisto_shows_who_is_to_move_who_is_out_and_the_places(table: dict[str, Any]) -> None:
    for state in history("callisto", table)[-12:]:
        assert isinstance(state, CallistoState)
        trays = parts(read(state.view(None).svg()), "tray")
        result = state.result()
        for seat, tray in enumerate(trays):
            assert count(tray, "out") == (state.is_out(seat) and not state.over)
            badges = [text.text for badge in parts(tray, "place") for text in badge.iter(f"{SVG}text")]
            assert badges == ([str(result.places[seat])] if result else [])
            assert (tray[0].attrib["stroke"] == drawing.ACCENT) == (seat in state.deciding)


def isis_states(options: dict[str, Any]) -> Iterator[IsisOsirisState]:
    for state in sample("isis-osiris", options):
        assert isinstance(state, IsisOsirisState)
        yield state


@each(ISIS_OSIRIS)
def test_isis_osiris_draws_every_piece_once(table: dict[str, Any]) -> None:
    for state in isis_states(table):
        root = read(state.view(None).svg())
        (board,) = parts(root, "board")
        assert count(board, "stone") == sum(stones.bit_count() for stones in state.stones)
        assert count(board, "tile") == sum(map(bool, state.tiles))
        for seat, panel in enumerate(parts(root, "panel")):
            assert count(panel, "stone") == 1 + state.stones_left[seat], "a stone stands beside the seat's letter"
            assert count(panel, "tile") == (state.tiles_left(seat) if table["variant"] == "own" else 0)
        stock = [element.text for element in parts(root, "stock")]
        assert stock == ([str(state.stocks[0])] if table["variant"] == "common" else [])


@each([options for options in ISIS_OSIRIS if not options["memory_aid"]])
def test_values_that_lie_face_down_are_not_in_the_drawing(table: dict[str, Any]) -> None:
    """I3: two games that differ only in what lies face down look the same, until the end."""
    seen = 0
    for state in [*history("isis-osiris", table)[::6], history("isis-osiris", table)[-1]]:
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


@each([options for options in ISIS_OSIRIS if options["memory_aid"]])
def test_the_memory_aid_shows_them(table: dict[str, Any]) -> None:
    for state in isis_states(table):
        faces = [
            text.text
            for tile in parts(parts(read(state.view(0).svg()), "board")[0], "tile")
            for text in tile.iter(f"{SVG}text")
        ]
        assert faces == [f"{value:+}".replace("-", "−") for value in state.tiles if value]


@each(ISIS_OSIRIS)
def test_isis_osiris_ends_with_the_worth_of_every_stone_and_markers_on_the_track(table: dict[str, Any]) -> None:
    state = history("isis-osiris", table)[-1]
    assert isinstance(state, IsisOsirisState)
    root = read(state.view(None).svg())
    (board,) = parts(root, "board")
    shown = [text.text for stone in parts(board, "stone") for text in stone.iter(f"{SVG}text")]
    stones = [cell for cell in range(36) if not state.tiles[cell]]
    assert shown == [f"{state.worth(cell):+}".replace("-", "−") if state.worth(cell) else "0" for cell in stones]
    assert count(root, "marker") == state.seats
    assert count(read(history("isis-osiris", table)[-2].view(None).svg()), "marker") == 0


def test_isis_osiris_shows_a_total_past_the_track_with_markers() -> None:
    view = history("isis-osiris", ISIS_OSIRIS[0])[-1].view(None)
    assert isinstance(view, IsisOsirisView)
    view = replace(view, scores=(23, -41))
    shown = [text.text for panel in parts(read(view.svg()), "panel") for text in panel.iter(f"{SVG}text")]
    assert [words for words in shown if str(words)[0] in "+−"] == ["+23", "+20", "+3", "−41", "−20", "−20", "−1"]


@each(ISIS_OSIRIS)
def test_isis_osiris_text_shows_every_cell(table: dict[str, Any]) -> None:
    for state in isis_states(table):
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


def knister_states(options: dict[str, Any]) -> Iterator[KnisterState]:
    for state in sample("knister", options):
        assert isinstance(state, KnisterState)
        yield state


@each(KNISTER)
def test_knister_draws_the_sheet_and_its_points(table: dict[str, Any]) -> None:
    for state in knister_states(table):
        seat = state.rounds % state.seats
        sheet = state.sheets[seat]
        (drawn,) = parts(read(state.view(seat).svg()), "sheet")
        assert [text.text for text in parts(drawn, "number")] == [str(number) for number in sheet if number]
        won = zip(LINES, line_points(sheet), strict=True)
        full = [str(points) for line, points in won if all(sheet[line.cells])]
        assert [text.text for text in parts(drawn, "points")] == full
        assert [text.text for text in parts(drawn, "total")] == [str(sum(line_points(sheet)))]


@each(KNISTER)
def test_knister_shows_the_roll_and_the_ranking(table: dict[str, Any]) -> None:
    for state in knister_states(table):
        view = state.view(0)
        root = read(view.svg())
        pips = sum(len(list(die.iter(f"{SVG}circle"))) for die in parts(root, "die")[:2]) if state.roll else 0
        assert pips == state.roll
        assert [text.text for text in parts(root, "standing")] == [str(row.points) for row in view.standings]
        faces = [knister.DICE.index(char) + 1 for char in view.text() if char in knister.DICE]
        assert sum(faces) == state.roll


@each(KNISTER)
def test_knister_text_shows_every_cell_and_its_points(table: dict[str, Any]) -> None:
    for state in knister_states(table):
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
    state = GAMES["knister"].start(seats=3).happen(7).play(WRITES[0], 0)
    one, other = state.play(WRITES[3], 1), state.play(WRITES[20], 1)
    for seat in (None, 0, 2):
        assert one.view(seat).svg() == other.view(seat).svg()
        assert one.view(seat).text(True) == other.view(seat).text(True)
    assert one.view(1).svg() != other.view(1).svg()
    assert one.view(None).svg(WRITES[3]) == one.view(None).svg(WRITES[20])


def test_a_ranking_says_where_it_leaves_seats_out() -> None:
    state = GAMES["knister"].start(seats=100)
    assert state.view(50).text().count("…") == 2
    assert state.view(99).text().count("…") == 1
    assert state.view(None).text().count("…") == 1
    assert GAMES["knister"].start(seats=12).view(11).text().count("…") == 0


@pytest.mark.parametrize(("points", "stars"), [(50, 0), (51, 1), (81, 2), (101, 3)])
def test_the_solitaire_game_ends_with_stars(points: int, stars: int) -> None:
    """K7"""
    view = history("knister", {"seats": 1})[-1].view(0)
    assert isinstance(view, KnisterView)
    view = replace(view, standings=(replace(view.standings[0], points=points),))
    assert count(read(view.svg()), "star") == stars
    assert view.text().count("★") == stars


@each([("callisto", CALLISTO[0]), ("isis-osiris", ISIS_OSIRIS[0]), ("knister", KNISTER[0])])
def test_the_last_move_can_be_marked(table: tuple[str, dict[str, Any]]) -> None:
    state = GAMES[table[0]].start(**table[1])
    if state.chance is not None:
        state = state.happen(7)
    move = state.legal_moves(0)[0]
    after = state.play(move, 0)
    unmarked, marked = after.view(0).svg(), after.view(0).svg(move)
    assert (count(read(unmarked), "last"), count(read(marked), "last")) == (0, 1)


def test_names_are_escaped() -> None:
    name = """<b> & "Ana's" </text>"""
    root = read(drawing.picture(700, 500, name, name, drawing.label(0, 0, name, class_=name)))
    assert [root[0].text, root[1].text, root[-1].text, root[-1].get("class")] == [name] * 4
    assert drawing.element("g", drawing.element("a")) == "<g><a/></g>"


def test_seats_have_letters_while_there_are_letters() -> None:
    assert [drawing.seat_name(seat) for seat in range(4)] == list("ABCD")
    assert drawing.seat_name(25, 26) == "Z"
    assert drawing.seat_name(25, 27) == "26"


def test_no_two_seats_share_a_colour_or_a_mark() -> None:
    for seats in (drawing.SEATS, GLASS):
        assert len({seat.fill for seat in seats}) == len({seat.mark for seat in seats}) == 4


def contrast(one: str, other: str) -> float:
    """As WCAG 2 defines it."""

    def luminance(colour: str) -> float:
        channels = (value / 255 for value in bytes.fromhex(colour[1:]))
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    dark, light = sorted((luminance(one), luminance(other)))
    return (light + 0.05) / (dark + 0.05)


@pytest.mark.parametrize("seat", range(4))
def test_pieces_stand_out_from_the_board(seat: int) -> None:
    tile, stone = drawing.SEATS[seat], GLASS[seat]
    assert contrast(tile.light, callisto.SLATE) >= 3
    assert contrast(tile.light, callisto.CENTRE) >= 3
    assert contrast(tile.deep, drawing.CARD) >= 3
    assert contrast(stone.deep, isis_osiris.LIMESTONE) >= 3
    assert contrast(isis_osiris.LAPIS, isis_osiris.LIMESTONE) >= 3
    for colour in (tile, stone):
        assert contrast(colour.text, colour.fill) >= 4.5
        assert contrast(colour.deep, "#FFFFFF") >= 4.5


@pytest.mark.parametrize(
    ("ink", "ground"),
    [
        (drawing.INK, drawing.CARD),
        (drawing.INK, drawing.GLOW),
        (drawing.MUTED, drawing.CARD),
        (drawing.MUTED, knister.PAPER),
        (drawing.MUTED, knister.OWN),
        (knister.PENCIL, knister.BLUE),
        (knister.PENCIL, knister.FRESH),
        (isis_osiris.PLUS, isis_osiris.PLASTER),
        (isis_osiris.MINUS, isis_osiris.PLASTER),
        (isis_osiris.PLUS, isis_osiris.FIELDS),
        (isis_osiris.MINUS, isis_osiris.FIELDS),
        (isis_osiris.CARVED, isis_osiris.SAND),
        (isis_osiris.GOLD, isis_osiris.LAPIS),
        (callisto.STARLIGHT, drawing.NIGHT),
    ],
)
def test_words_and_numbers_can_be_read(ink: str, ground: str) -> None:
    assert contrast(ink, ground) >= 4.5
