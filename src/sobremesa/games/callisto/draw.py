"""Callisto drawn: stone tiles on a moon of slate, as SVG and in characters."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from textwrap import wrap
from typing import TYPE_CHECKING

from sobremesa.core.drawing import (
    BOLD,
    FAINT,
    INK,
    LINE,
    MUTED,
    NIGHT,
    PLAIN,
    SEATS,
    Canvas,
    Markup,
    SeatColour,
    Square,
    Style,
    at,
    circle,
    element,
    group,
    label,
    marks,
    outline,
    panel,
    path,
    picture,
    place_badge,
    rect,
    seat_name,
    turn_arrow,
)
from sobremesa.games.callisto.board import Board, Placement, bits
from sobremesa.games.callisto.editions import SHAPES

if TYPE_CHECKING:
    from sobremesa.games.callisto.state import CallistoState
    from sobremesa.games.callisto.view import CallistoView

CELL = 32
"""The side of a cell in the space that pieces are drawn in; groups scale it."""
PLATE, SLATE, CENTRE, EDGE, STARLIGHT = "#0E1014", "#2E3643", "#1C2129", "#454E5E", "#B4BAC6"
WIDTH, HEIGHT, MARGIN = 800, 572, 16
PANEL = HEIGHT - 2 * MARGIN
TRAY = MARGIN + PANEL + 12
TRAY_WIDTH = WIDTH - MARGIN - TRAY


def svg(view: CallistoView, last: Placement | None = None) -> str:
    """The position as an SVG document; the last move, if given, is outlined."""
    state = view.state
    board = state.board
    height = (PANEL - 8 * (state.seats - 1)) / state.seats
    return picture(
        WIDTH,
        HEIGHT,
        f"Callisto · {board.edition.name} · {state.seats}",
        _described(state),
        marks(SEATS[: state.seats]),
        rect(MARGIN, MARGIN, PANEL, PANEL, rx=10, fill=NIGHT),
        _stars() if board.centre else "",
        _board(state, last),
        *(_tray(state, seat, MARGIN + seat * (height + 8), height) for seat in range(state.seats)),
    )


def _described(state: CallistoState) -> str:
    """The pieces of every seat in notation, and what is left in its hand."""
    sides = [
        f"{seat_name(seat)}: {' '.join(state.board.by_cells[cells].short for cells in side.placed) or '-'}"
        f" ({state.penalty(seat)})"
        for seat, side in enumerate(state.sides)
    ]
    return "; ".join([*sides, *(f"→ {seat_name(seat)}" for seat in state.deciding)])


def _stars() -> Markup:
    """A few stars in the corners of the night that an octagon leaves free."""
    corners = ((20, 24), (64, 82), (96, 30), (34, 132), (138, 60), (152, 18))
    stars = (
        circle(x + MARGIN if west else MARGIN + PANEL - 0.8 * x, y * 1.1 + MARGIN, 0.8 + (x + y) % 3 * 0.3)
        for x, y in corners
        for west in (True, False)
    )
    return group(*stars, fill="#FFFFFF", fill_opacity=0.5)


def _board(state: CallistoState, last: Placement | None) -> Markup:
    board = state.board
    left, right, low = 46, 20, 36
    scale = (PANEL - left - right) / (board.width * CELL)
    x, y = MARGIN + left, MARGIN + PANEL - low - board.height * CELL * scale
    cell = CELL * scale
    size = min(15.0, cell * 0.55)
    letters = (
        label(x + (column + 0.5) * cell, MARGIN + PANEL - 15, chr(ord("a") + column), size)
        for column in range(board.width)
    )
    numbers = (
        label(MARGIN + 17, y + (board.height - row - 0.5) * cell, str(row + 1), size) for row in range(board.height)
    )
    return group(
        group(*letters, *numbers, fill=STARLIGHT),
        group(_plate(board, scale), _slate(board), *_pieces(state, last), transform=at(x, y, scale)),
        class_="board",
    )


def _plate(board: Board, scale: float) -> Markup:
    """The octagon under the cells; the pocket edition's frame is one with square corners."""
    widths = board.edition.boards[board.seats]
    widest = [row for row, width in enumerate(widths) if width == board.width]
    side, first, last = (board.width - widths[0]) / 2, widest[0], widest[-1] + 1
    width, height = board.width, board.height
    corners: tuple[tuple[float, float], ...] = ((side, 0), (width - side, 0), (width, first), (width, last))
    corners += tuple((width - x, height - y) for x, y in corners)
    line = "M" + "L".join(f"{x * CELL:g} {y * CELL:g}" for x, y in corners) + "z"
    frame = (8 if board.centre else 16) / scale
    rim = (2 if board.centre else 7) / scale
    return group(
        path(line, stroke=EDGE, stroke_width=2 * frame),
        path(line, fill=PLATE, stroke=PLATE, stroke_width=2 * (frame - rim)),
        stroke_linejoin="round",
    )


def _slate(board: Board) -> Markup:
    """All cells in two paths; the stroke rounds their corners."""

    def cells(mask: int, colour: str) -> Markup:
        corners = (_square(board, cell) for cell in bits(mask))
        line = "".join(f"M{x * CELL + 3} {y * CELL + 3}h26v26h-26z" for x, y in corners)
        return path(line, fill=colour, stroke=colour)

    free = cells(board.cells & ~board.centre, SLATE), cells(board.centre, CENTRE)
    return group(*free, stroke_width=4, stroke_linejoin="round")


def _square(board: Board, cell: int) -> Square:
    x, y = board.xy(cell)
    return x, board.height - 1 - y


def _pieces(state: CallistoState, last: Placement | None) -> Iterator[Markup]:
    board = state.board
    for seat, side in enumerate(state.sides):
        for cells in side.placed:
            squares = [_square(board, cell) for cell in bits(cells)]
            ring = "#FFFFFF" if last is not None and last.cells == cells else None
            if cells & side.pillars:
                yield _pillar(*squares[0], SEATS[seat], ring)
            else:
                yield _tile(squares, SEATS[seat], ring)


def _tile(squares: Iterable[Square], colour: SeatColour, ring: str | None = None) -> Markup:
    """A tile as one outline, with a light bevel and a dot for every square, which is its penalty."""
    squares = list(squares)
    dots = "".join(f"M{x * CELL + 16} {y * CELL + 16}h0" for x, y in squares)
    return group(
        path(outline(squares, CELL, 1.5), fill=colour.paint, stroke=colour.deep, stroke_width=2.4),
        path(outline(squares, CELL, 3.2), stroke=colour.light, stroke_width=1.5),
        path(dots, stroke=colour.deep, stroke_width=11),
        path(dots, stroke="#FFFFFF", stroke_width=7.5),
        *([path(outline(squares, CELL, 1), stroke=ring, stroke_width=3.2, class_="last")] if ring else []),
        class_="tile",
        fill="none",
        stroke_linecap="round",
    )


def _pillar(x: int, y: int, colour: SeatColour, ring: str | None = None) -> Markup:
    """A little round column on its foot, seen from above and in front."""
    return group(
        element("ellipse", cx=16, cy=24.5, rx=12.5, ry=5.5, fill=colour.deep),
        path("M6.5 9V23a9.5 4 0 0 0 19 0V9z", fill=colour.paint, stroke=colour.deep, stroke_width=1.2),
        path("M10.5 13V24.5M16 13V25.5M21.5 13V24.5", stroke=colour.deep, stroke_width=1.6, stroke_linecap="round"),
        element("ellipse", cx=16, cy=8, rx=12, ry=5.2, fill=colour.fill, stroke=colour.deep, stroke_width=1.2),
        element("ellipse", cx=16, cy=7.4, rx=9.6, ry=3.6, fill="#FFFFFF", fill_opacity=0.55),
        *([rect(1, 1, 30, 30, rx=4, fill="none", stroke=ring, stroke_width=3.2, class_="last")] if ring else []),
        class_="pillar",
        transform=at(x * CELL, y * CELL),
    )


def _tray(state: CallistoState, seat: int, top: float, height: float) -> Markup:
    colour, side = SEATS[seat], state.sides[seat]
    result = state.result()
    turn = seat in state.deciding
    middle = top + 22
    sign: list[Markup] = []
    if result:
        sign = [place_badge(TRAY + TRAY_WIDTH - 22, middle, result.places[seat])]
    elif state.is_out(seat):
        sign = [_out(TRAY + TRAY_WIDTH - 22, middle)]
    elif turn:
        sign = [turn_arrow(TRAY + TRAY_WIDTH - 28, middle, 16)]
    unit, slots = _slots(state.board, height - 48)
    left = dict(zip(state.board.pieces, side.hand, strict=True))
    pieces = []
    for piece, copy, x, y in slots:
        squares = _shape(piece)
        place = at(TRAY + 14 + x, top + 44 + y, unit / CELL)
        if copy < left[piece]:
            pieces.append(group(_tile(squares, colour), transform=place))
        else:
            pieces.append(path(outline(squares, CELL, 2), fill="none", stroke=LINE, stroke_width=3, transform=place))
    pillars = (
        group(_pillar(0, 0, colour), transform=at(TRAY + 64 + 20 * number, middle - 12, 0.72))
        for number in range(state.pillars_left(seat))
    )
    return group(
        panel(TRAY, top, TRAY_WIDTH, height, lit=turn),
        group(_tile([(0, 0)], colour), transform=at(TRAY + 12, middle - 12, 0.75), class_="chip"),
        label(TRAY + 50, middle, seat_name(seat), 18, font_weight=700, fill=INK),
        group(*pillars, *pieces, class_="hand"),
        label(TRAY + TRAY_WIDTH - 44, middle, str(state.penalty(seat)), 20, "end", font_weight=700, fill=INK),
        *sign,
        class_="tray",
    )


def _out(x: float, y: float) -> Markup:
    """The sign of a seat that is out: no entry."""
    return group(
        circle(x, y, 9, fill="none", stroke=MUTED, stroke_width=2),
        path(f"M{x - 6:g} {y + 6:g}l12 -12", stroke=MUTED, stroke_width=2),
        class_="out",
    )


@cache
def _shape(piece: str) -> tuple[Square, ...]:
    return tuple((x, y) for y, row in enumerate(SHAPES[piece].split()) for x, mark in enumerate(row) if mark == "#")


def _size(piece: str) -> tuple[int, int]:
    rows = SHAPES[piece].split()
    return len(rows[0]), len(rows)


@cache
def _slots(board: Board, height: float) -> tuple[float, list[tuple[str, int, float, float]]]:
    """The largest square with which all tiles fit on shelves of the tray, and a fixed place for each copy."""
    width, gap = TRAY_WIDTH - 24.0, 7
    shelves: list[list[tuple[str, int]]] = []
    depths: list[float] = []
    for unit in (half / 2 for half in range(34, 8, -1)):
        shelves = []
        x = width
        for piece, copy in ((piece, copy) for piece, copies in board.edition.tiles.items() for copy in range(copies)):
            if x + _size(piece)[0] * unit > width:
                shelves.append([])
                x = 0.0
            shelves[-1].append((piece, copy))
            x += _size(piece)[0] * unit + gap
        depths = [max(_size(piece)[1] for piece, _ in shelf) * unit + gap for shelf in shelves]
        if sum(depths) <= height and len(shelves[-1]) > 1:
            break
    slots = []
    y = 0.0
    for shelf, depth in zip(shelves, depths, strict=True):
        x = 0.0
        for piece, copy in shelf:
            slots.append((piece, copy, x, y + (depth - gap - _size(piece)[1] * unit) / 2))
            x += _size(piece)[0] * unit + gap
        y += depth
    return unit, slots


OUTSIDE, FREE = -1, 0
_LINES = " ╵╷│╴┘┐┤╶└┌├─┴┬┼"
"""Box-drawing characters by the arms they have: 1 up, 2 down, 4 left, 8 right."""
_MARKS = " :/×"
"""The seats' marks: plain, dots, stripes, crosses."""


def text(view: CallistoView, colour: bool) -> str:
    """The position in characters, 80 columns at most: lines run between pieces, never through them."""
    state = view.state
    board = state.board
    canvas = Canvas()
    pieces = dict.fromkeys((_square(board, cell) for cell in bits(board.cells)), FREE)
    looks = dict.fromkeys(pieces, ("· ", " ", FAINT))
    looks |= dict.fromkeys((_square(board, cell) for cell in bits(board.centre)), ("░░", " ", FAINT))
    for seat, side in enumerate(state.sides):
        style = Style(SEATS[seat].text, SEATS[seat].fill)
        for cells in side.placed:
            squares = [_square(board, cell) for cell in bits(cells)]
            pieces |= dict.fromkeys(squares, cells)
            mark = "▌" if cells & side.pillars else _MARKS[seat]
            looks |= dict.fromkeys(squares, (seat_name(seat) + mark, mark, style))

    for y in range(board.height + 1):
        for x in range(board.width + 1):
            here, left = pieces.get((x, y), OUTSIDE), pieces.get((x - 1, y), OUTSIDE)
            above, corner = pieces.get((x, y - 1), OUTSIDE), pieces.get((x - 1, y - 1), OUTSIDE)
            arms = (above != corner) + 2 * (here != left) + 4 * (corner != left) + 8 * (above != here)
            face, join, style = looks.get((x, y), ("  ", " ", PLAIN))
            for column, line, border, inside, edge in (
                (0, 0, bool(arms), join, _LINES[arms]),
                (1, 0, here != above, join * 2, "──"),
                (0, 1, here != left, join, "│"),
                (1, 1, False, face, ""),
            ):
                place = 3 + 3 * x + column, 2 * y + line
                canvas.put(*place, edge if border else inside, FAINT if border else style)
    for x in range(board.width):
        canvas.put(4 + 3 * x, 2 * board.height + 1, chr(ord("a") + x), FAINT)
    for y in range(board.height):
        canvas.put(0, 2 * y + 1, f"{board.height - y:2}", FAINT)
    line = 1
    for seat in range(state.seats):
        line = _hand_in_text(canvas, state, seat, 6 + 3 * board.width, line) + 1
    return canvas.render(colour)


def _hand_in_text(canvas: Canvas, state: CallistoState, seat: int, column: int, line: int) -> int:
    """Writes what a seat has left, and gives the line below it."""
    result = state.result()
    sign = "→" if seat in state.deciding else "×" if state.is_out(seat) else " "
    if result:
        sign = str(result.places[seat])
    canvas.put(column - 1, line, sign, BOLD)
    canvas.put(column + 1, line, f" {seat_name(seat)} ", Style(SEATS[seat].text, SEATS[seat].fill, bold=True))
    canvas.put(column + 5, line, "▌" * state.pillars_left(seat), Style(SEATS[seat].fill))
    canvas.put(column + 9, line, f"{state.penalty(seat):3}", BOLD)
    left = zip(state.board.pieces, state.sides[seat].hand, strict=True)
    names = " ".join(piece if count == 1 else f"{piece}×{count}" for piece, count in left if count)
    lines = wrap(names, 13)
    for number, words in enumerate(lines, start=line + 1):
        canvas.put(column + 1, number, words)
    return line + 1 + len(lines)
