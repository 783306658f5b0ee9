"""Isis & Osiris drawn: glass stones and eyed tiles on limestone, as SVG and in characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sobremesa.core.drawing import (
    ACCENT,
    BOLD,
    FAINT,
    INK,
    LINE,
    MUTED,
    PLAIN,
    Canvas,
    Markup,
    SeatColour,
    Style,
    at,
    circle,
    element,
    group,
    label,
    marks,
    panel,
    path,
    picture,
    place_badge,
    rect,
    seat_name,
    turn_arrow,
)
from sobremesa.games.isis_osiris.moves import Move
from sobremesa.games.isis_osiris.palette import EYE, GLASS
from sobremesa.games.isis_osiris.track import END, on_track
from sobremesa.games.isis_osiris.view import FREE, HIDDEN

if TYPE_CHECKING:
    from sobremesa.games.isis_osiris.view import IsisOsirisView

SAND, LIMESTONE, JOINT, FIELDS, CARVED = "#D9C49A", "#EFE3C8", "#C2AC7F", "#F7EFDC", "#4F4227"
LAPIS, GOLD, PLASTER = "#1E3A73", "#E3B94F", "#FFFAEC"
PLUS, MINUS = "#1B4FA0", "#B3231B"

WIDTH, HEIGHT, MARGIN = 800, 554, 16
CELL, FIELD = 72, 23
TRACK_LEFT, TRACK_RIGHT, TRACK_WIDTH, ZERO = 28, 544, 32, 494
BOARD_X, BOARD_Y = 86, 34
SIDE, SIDE_WIDTH = 600, WIDTH - MARGIN - 600
PANEL_GAP = 8


def svg(view: IsisOsirisView, last: Move | None = None) -> str:
    """What the seat sees as an SVG document; the last piece that was laid, if given, is outlined."""
    centres = [_centre(view, cell) for cell in range(view.board.size)]
    free = (rect(x - CELL / 2 + 1, y - CELL / 2 + 1, CELL - 2, CELL - 2, rx=3) for x, y in centres)
    pieces = [_piece(view, cell) for cell, mark in enumerate(view.cells) if mark != FREE]
    ring: list[Markup] = []
    if last is not None and last.cell >= 0:
        x, y = centres[last.cell]
        shape = circle(x, y, 34) if last.kind == "stone" else rect(x - 34, y - 34, 68, 68, rx=9)
        ring = [group(shape, fill="none", stroke=ACCENT, stroke_width=3, class_="last")]
    return picture(
        WIDTH,
        HEIGHT,
        f"Isis & Osiris · {view.variant} · {view.seats}",
        _described(view),
        marks(GLASS[: view.seats]),
        rect(MARGIN, MARGIN, 572, HEIGHT - 2 * MARGIN, rx=10, fill=SAND),
        _track(),
        group(
            rect(BOARD_X - 3, BOARD_Y - 3, 6 * CELL + 6, 6 * CELL + 6, rx=6, fill=JOINT),
            group(*free, fill=LIMESTONE),
            _names(view),
            *pieces,
            *ring,
            class_="board",
        ),
        *_markers(view),
        *_side(view),
    )


def _described(view: IsisOsirisView) -> str:
    """What lies where, then the turned tile, the totals and whose turn it is."""
    lies = [f"{name} {mark}" for name, mark in zip(view.board.names, view.cells, strict=True) if mark != FREE]
    turned = [] if view.turned is None else [f"T {view.turned:+}"]
    totals = [f"{seat_name(seat)}: {total:+}" for seat, total in enumerate(view.scores or ())]
    turn = [] if view.turn is None else [f"→ {seat_name(view.turn)}"]
    return "; ".join([", ".join(lies) or "-", *turned, *totals, *turn])


def _signed(value: int) -> str:
    """With a real minus sign, as wide as a plus."""
    return f"{value:+}".replace("-", "−") if value else "0"


def _worth(view: IsisOsirisView, cell: int) -> int | None:
    """What the stone on the cell scores (I7), once the game is over and all tiles are shown."""
    if view.scores is None:
        return None
    beside = (view.cells[neighbour] for neighbour in view.board.neighbours[cell])
    return sum(int(mark) for mark in beside if mark[0] in "+-")


def _centre(view: IsisOsirisView, cell: int) -> tuple[float, float]:
    y, x = divmod(cell, view.board.width)
    return BOARD_X + (x + 0.5) * CELL, BOARD_Y + (view.board.height - y - 0.5) * CELL


def _piece(view: IsisOsirisView, cell: int) -> Markup:
    x, y = _centre(view, cell)
    mark = view.cells[cell]
    if mark in "ABCD":
        return _stone(x, y, 28, GLASS["ABCD".index(mark)], _worth(view, cell))
    return _tile(x, y, 60, None if mark == HIDDEN else int(mark))


def _stone(x: float, y: float, radius: float, colour: SeatColour, worth: int | None = None) -> Markup:
    """A round glass stone; at the end of the game its worth is in its heart."""
    light = [
        element("ellipse", cx=-0.3, cy=-0.42, rx=0.36, ry=0.2, transform="rotate(-32 -0.3 -0.42)", fill_opacity=0.75),
        path("M-0.5 0.62Q0 1 0.62 0.5Q0.1 0.78 -0.5 0.62z", fill_opacity=0.45),
    ]
    heart = []
    if worth is not None:
        heart = [
            circle(x, y, radius * 0.58, fill=colour.deep),
            label(x, y, _signed(worth), radius * 0.68, fill="#FFFFFF", font_weight=700),
        ]
    return group(
        element("ellipse", cx=x, cy=y + radius * 0.16, rx=radius, ry=radius, fill="#4A3A1A", fill_opacity=0.3),
        circle(x, y, radius, fill=colour.paint, stroke=colour.deep, stroke_width=radius / 14 + 0.5),
        group(*light, fill="#FFFFFF", transform=at(x, y, radius)),
        *heart,
        class_="stone",
    )


def _tile(x: float, y: float, size: float, value: int | None) -> Markup:
    """A square tile around a point: its back with the eye, or its face if there is a value to show."""
    ground, edge = LAPIS, LAPIS
    if value is None:
        inside = [
            rect(4, 4, 56, 56, rx=5, fill=LAPIS, stroke=GOLD, stroke_width=1.6),
            path(EYE, fill="none", stroke=GOLD, stroke_width=3, stroke_linecap="round", stroke_linejoin="round"),
            circle(31, 30.5, 7, fill=GOLD),
        ]
    else:
        ground, edge = PLASTER, PLUS if value > 0 else MINUS
        inside = [label(32, 32, _signed(value), 31, fill=edge, font_weight=700)]
    return group(
        rect(1, 3, 62, 62, rx=7, fill="#4A3A1A", fill_opacity=0.3),
        rect(1.5, 1.5, 61, 61, rx=7, fill=ground, stroke=edge, stroke_width=2.5),
        *inside,
        class_="tile",
        transform=at(x - size / 2, y - size / 2, size / 64),
    )


def _names(view: IsisOsirisView) -> Markup:
    low = BOARD_Y + view.board.height * CELL
    letters = (label(BOARD_X + (x + 0.5) * CELL, low + 14, chr(ord("a") + x), 14) for x in range(view.board.width))
    numbers = (label(BOARD_X - 14, low - (y + 0.5) * CELL, str(y + 1), 14) for y in range(view.board.height))
    return group(*letters, *numbers, fill=CARVED)


def _field(value: int) -> tuple[float, float]:
    """The middle of a field of the track: minus up the left side, plus up the right, 0 below the board (I9)."""
    if not value:
        return (TRACK_LEFT + TRACK_RIGHT + TRACK_WIDTH) / 2, ZERO + 15
    x = TRACK_LEFT if value < 0 else TRACK_RIGHT
    return x + TRACK_WIDTH / 2, ZERO - (abs(value) - 0.5) * FIELD


def _track() -> Markup:
    fields = [
        rect(TRACK_LEFT, ZERO, TRACK_RIGHT + TRACK_WIDTH - TRACK_LEFT, 30, rx=4),
        label(*_field(0), "0", 14, fill=INK),
    ]
    for value in range(1, END + 1):
        for signed in (-value, value):
            x, y = _field(signed)
            fields.append(rect(x - TRACK_WIDTH / 2, y - FIELD / 2 + 0.5, TRACK_WIDTH, FIELD - 1, rx=3))
            if value % 5:
                fields.append(circle(x, y, 1.8, fill=JOINT))
            else:
                fields.append(label(x, y, _signed(signed), 13, fill=MINUS if signed < 0 else PLUS, font_weight=600))
    return group(*fields, fill=FIELDS, class_="track")


def _markers(view: IsisOsirisView) -> list[Markup]:
    """Each seat's disc on the field of its total, less the 20-markers (I9); equals stand side by side."""
    taken: dict[int, int] = {}
    discs = []
    for seat, total in enumerate(view.scores or ()):
        _, value = on_track(total)
        x, y = _field(value)
        x += (-1 if value > 0 else 1) * 17 * taken.setdefault(value, 0)
        taken[value] += 1
        colour = GLASS[seat]
        discs += [
            circle(x, y, 11, fill=colour.deep, stroke="#FFFFFF", stroke_width=1.5, class_="marker"),
            label(x, y, seat_name(seat), 14, fill="#FFFFFF", font_weight=700),
        ]
    return discs


def _side(view: IsisOsirisView) -> list[Markup]:
    """The turned tile and the common stock on top, below them a panel for each seat."""
    common = view.variant == "common"
    top = MARGIN
    zone: list[Markup] = []
    if view.scores is None or common:
        zone = [_zone(view, common)]
        top += 136 + PANEL_GAP
    height = (HEIGHT - MARGIN - top - PANEL_GAP * (view.seats - 1)) / view.seats
    return zone + [_panel(view, seat, top + seat * (height + PANEL_GAP), height) for seat in range(view.seats)]


def _zone(view: IsisOsirisView, common: bool) -> Markup:
    middle = MARGIN + 68
    x = SIDE + SIDE_WIDTH / 2 + (34 if common else 0)
    things = [
        rect(x - 50, middle - 50, 100, 100, rx=12, fill="none", stroke=LINE, stroke_width=2, stroke_dasharray="6 6")
    ]
    if view.turning or view.turned is not None:
        things = [_tile(x, middle, 104, view.turned)]
    if common:
        left = view.tiles_left[0]
        things += [_tile(SIDE + 38, middle - 8 - 3 * level, 48, None) for level in range(min(left, 3))]
        things.append(label(SIDE + 38, middle + 40, str(left), 20, fill=INK, font_weight=700, class_="stock"))
    return group(panel(SIDE, MARGIN, SIDE_WIDTH, 136), *things, class_="turned")


def _panel(view: IsisOsirisView, seat: int, top: float, height: float) -> Markup:
    colour = GLASS[seat]
    turn = seat == view.turn
    pitch = 26 if view.seats == 2 else 22
    middle = top + 22
    right = SIDE + SIDE_WIDTH
    things = [
        _stone(SIDE + 26, middle, 12, colour),
        label(SIDE + 54, middle, seat_name(seat), 18, fill=INK, font_weight=700),
    ]
    if view.scores is not None and view.places is not None:
        things.append(label(right - 44, middle, _signed(view.scores[seat]), 22, "end", fill=INK, font_weight=700))
        things.append(place_badge(right - 22, middle, view.places[seat]))
    elif turn:
        things.append(turn_arrow(right - 28, middle, 16))
    row = middle + pitch + 4
    for stone, count in (
        (True, view.stones_left[seat]),
        (False, view.tiles_left[seat] if view.variant == "own" else 0),
    ):
        for number in range(count):
            line, place = divmod(number, (SIDE_WIDTH - 24) // pitch)
            x, y = SIDE + 14 + pitch * (place + 0.5), row + line * pitch
            things.append(_stone(x, y, pitch * 0.4, colour) if stone else _tile(x, y, pitch * 0.8, None))
        row += pitch * -(-count // ((SIDE_WIDTH - 24) // pitch))
    if view.scores is not None:
        things += _twenties(view.scores[seat], row + 6)
    return group(
        panel(SIDE, top, SIDE_WIDTH, height, lit=turn),
        *things,
        class_="panel",
    )


def _twenties(total: int, y: float) -> list[Markup]:
    """The 20-markers of a total past the end of the track, and what stands on the track besides (I9)."""
    markers, rest = on_track(total)
    if not markers:
        return []
    shown = []
    for number in range(abs(markers)):
        x = SIDE + 14 + 44 * number
        shown.append(rect(x, y - 11, 38, 22, rx=5, fill=PLASTER, stroke=MUTED))
        shown.append(label(x + 19, y, _signed(END if markers > 0 else -END), 14, fill=INK, font_weight=600))
    shown.append(label(SIDE + 16 + 44 * abs(markers), y, _signed(rest), 15, "start", fill=INK))
    return shown


CELL_COLUMNS = 7
"""The columns of a cell in characters; it has three lines."""


def text(view: IsisOsirisView, colour: bool) -> str:
    """What the seat sees, in characters."""
    width, height = view.board.width, view.board.height
    canvas = Canvas()
    for line in range(4 * height + 1):
        ends = "│││" if line % 4 else "┌┬┐" if line == 0 else "└┴┘" if line == 4 * height else "├┼┤"
        row = ends[1].join([(" " if line % 4 else "─") * CELL_COLUMNS] * width)
        canvas.put(3, line, ends[0] + row + ends[2], Style(JOINT, LIMESTONE))
    for cell in range(view.board.size):
        y, x = divmod(cell, width)
        for line, (words, style) in enumerate(_cell_in_text(view, cell), start=4 * (height - 1 - y) + 1):
            canvas.put(4 + (CELL_COLUMNS + 1) * x + (CELL_COLUMNS - len(words)) // 2, line, words, style)
    for x in range(width):
        canvas.put(7 + (CELL_COLUMNS + 1) * x, 4 * height + 1, chr(ord("a") + x), FAINT)
    for y in range(height):
        canvas.put(1, 4 * (height - 1 - y) + 2, str(y + 1), FAINT)
    _side_in_text(canvas, view, 7 + (CELL_COLUMNS + 1) * width)
    return canvas.render(colour)


def _cell_in_text(view: IsisOsirisView, cell: int) -> list[tuple[str, Style]]:
    mark = view.cells[cell]
    if mark == FREE:
        return []
    if mark in "ABCD":
        colour, worth = GLASS["ABCD".index(mark)], _worth(view, cell)
        below = [] if worth is None else [(_signed(worth), Style(INK, LIMESTONE))]
        return [("", PLAIN), (f" ● {mark} ", Style(colour.text, colour.fill, bold=True)), *below]
    return _tile_in_text(None if mark == HIDDEN else int(mark))


def _tile_in_text(value: int | None) -> list[tuple[str, Style]]:
    style = Style(GOLD, LAPIS) if value is None else Style(PLUS if value > 0 else MINUS, PLASTER, bold=True)
    middle = " ◉ " if value is None else f"{_signed(value)} "
    return [("┌───┐", style), (f"│{middle}│", style), ("└───┘", style)]


def _side_in_text(canvas: Canvas, view: IsisOsirisView, column: int) -> None:
    """The turned tile, then for each seat its pieces, and at the end each stone's worth and the total."""
    if view.turning or view.turned is not None:
        for line, (words, style) in enumerate(_tile_in_text(view.turned), start=1):
            canvas.put(column + 1, line, words, style)
    if view.variant == "common":
        canvas.put(column + 9, 2, f"◉×{view.tiles_left[0]}")
    for seat, colour in enumerate(GLASS[: view.seats]):
        line = 5 + 4 * seat
        sign = "→" if seat == view.turn else str(view.places[seat]) if view.places else " "
        canvas.put(column - 1, line, sign, BOLD)
        canvas.put(column + 1, line, f" {seat_name(seat)} ", Style(colour.text, colour.fill, bold=True))
        tiles = view.tiles_left[seat] if view.variant == "own" else 0
        canvas.put(column + 1, line + 1, f"{'●' * view.stones_left[seat]} {'◉' * tiles}".strip())
        if view.scores is not None:
            worths = (_worth(view, cell) for cell, mark in enumerate(view.cells) if mark == seat_name(seat))
            canvas.put(column + 6, line, _signed(view.scores[seat]), BOLD)
            canvas.put(column + 1, line + 2, " ".join(_signed(worth or 0) for worth in worths))
