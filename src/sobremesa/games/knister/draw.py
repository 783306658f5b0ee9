"""Knister drawn: a sheet from a block, ivory dice and the ranking, as SVG and in characters."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sobremesa.core.drawing import (
    ACCENT,
    BOLD,
    FAINT,
    GLOW,
    HAND,
    INK,
    LINE,
    MUTED,
    PLAIN,
    Canvas,
    Markup,
    Style,
    at,
    circle,
    group,
    label,
    panel,
    path,
    picture,
    place_badge,
    rect,
    seat_name,
)
from sobremesa.games.knister.moves import Write
from sobremesa.games.knister.scoring import CELLS, LINES, RANKS, SIDE, line_points, points
from sobremesa.games.knister.view import LEADERS_SHOWN, NEIGHBOURS_SHOWN

if TYPE_CHECKING:
    from sobremesa.games.knister.view import KnisterView, Standing

PAPER, RULE, BLUE, PENCIL = "#FFFFFF", "#2F63A8", "#DCE8F7", "#2B2D34"
FRESH, OWN = "#FFE9B8", "#FFF4DF"
IVORY, IVORY_EDGE = "#FBF5E2", "#8C7B52"

WIDTH, HEIGHT, MARGIN = 800, 588, 16
CELL, BOX, GAP = 74, 58, 12
SHEET = 556
"""The side of the sheet, which is square, at its full size."""
GRID_X, GRID_Y = 52, 92
RIGHT = GRID_X + SIDE * CELL + GAP
LOW = GRID_Y + SIDE * CELL + GAP
PANEL_X, PANEL_WIDTH = 588, WIDTH - MARGIN - 588
SHEETS_SHOWN = 4
"""How many leaders' sheets a spectator sees."""
_PIPS = {1: ((0, 0),), 2: ((-1, 1), (1, -1))}
_PIPS |= {3: _PIPS[1] + _PIPS[2], 4: ((-1, -1), (1, 1), *_PIPS[2])}
_PIPS |= {5: _PIPS[1] + _PIPS[4], 6: ((-1, 0), (1, 0), *_PIPS[4])}


def svg(view: KnisterView, last: Write | None = None) -> str:
    """What the seat sees as an SVG document: its sheet; for a spectator, those of the leaders.

    ``last`` is the seat's own last move; a spectator may not know where anybody wrote in this round (K1).
    """
    if view.sheet is not None and view.seat is not None:
        shown = [(view.sheet, view.seat)]
    else:
        last = None
        shown = [(row.sheet, row.seat) for row in view.standings[:SHEETS_SHOWN]]
    across = min(len(shown), 2)
    step = SHEET / across
    top = MARGIN + (SHEET - step * -(-len(shown) // across)) / 2
    sheets = (
        group(
            _sheet(sheet, seat_name(seat, view.seats), last, small=across > 1),
            transform=at(MARGIN + number % across * step, top + number // across * step, 0.985 / across),
        )
        for number, (sheet, seat) in enumerate(shown)
    )
    return picture(WIDTH, HEIGHT, f"Knister · {view.seats}", _described(view), *sheets, _dice(view), _ranking(view))


def pair(roll: int) -> tuple[int, int]:
    """Two faces that make the roll: only the sum is known, so the most even ones stand for it.

    >>> pair(7), pair(12)
    ((3, 4), (6, 6))
    """
    return roll // 2, roll - roll // 2


def _described(view: KnisterView) -> str:
    """The round, the roll, one's own sheet row by row from the top, and the ranking."""
    words = [f"{view.rounds}/{CELLS}"]
    if view.roll is not None:
        words.append(f"→ {view.roll}")
    if view.sheet is not None:
        rows = [view.sheet[low : low + SIDE] for low in range(CELLS - SIDE, -1, -SIDE)]
        words.append(" / ".join(" ".join(str(number or "-") for number in row) for row in rows))
    words.append(", ".join(f"{row.place}. {seat_name(row.seat, view.seats)} {row.points}" for row in view.standings))
    return "; ".join(words)


def _sheet(sheet: bytes, name: str, last: Write | None = None, small: bool = False) -> Markup:
    """A sheet of paper: the grid, and the points of each full line in the box that it runs into."""
    cells, numbers = [], []
    for cell, number in enumerate(sheet):
        y, x = divmod(cell, SIDE)
        left, top = GRID_X + x * CELL, GRID_Y + (SIDE - 1 - y) * CELL
        fresh = last is not None and last.cell == cell
        cells.append(rect(left, top, CELL, CELL, fill=FRESH if fresh else BLUE, class_="last" if fresh else None))
        if number:
            slant = f"{at(left + CELL / 2, top + CELL / 2)} rotate({cell * 7 % 5 * 2 - 4})"
            numbers.append(label(0, 0, str(number), 46, class_="number", transform=slant))
    middle = GRID_X + SIDE * CELL / 2
    total = points(sheet)
    return group(
        rect(8, 9, SHEET - 14, SHEET - 10, rx=4, fill="#E9E2D2", transform=f"rotate(0.7 {SHEET / 2:g} {SHEET / 2:g})"),
        rect(4, 4, SHEET - 12, SHEET - 12, rx=4, fill=PAPER, stroke=LINE),
        label(GRID_X, 40, name, 44 if small else 28, "start", font_weight=700, fill=INK),
        label(middle, 36, str(total), 48, font_family=HAND, fill=PENCIL, class_="total"),
        path(f"M{middle - 32:g} 60q32 -4 64 0M{middle - 28:g} 66q30 -4 58 0", fill="none", stroke=RULE, stroke_width=2),
        *([] if small else [_names()]),
        group(*cells, stroke=RULE, stroke_width=1.5),
        rect(GRID_X, GRID_Y, SIDE * CELL, SIDE * CELL, fill="none", stroke=RULE, stroke_width=3, rx=2),
        _margin(sheet, small),
        group(*numbers, font_family=HAND, fill=PENCIL),
        class_="sheet",
    )


def _names() -> Markup:
    letters = (label(GRID_X + (x + 0.5) * CELL, GRID_Y - 12, "abcde"[x], 16) for x in range(SIDE))
    numbers = (label(GRID_X - 16, GRID_Y + (SIDE - 0.5 - y) * CELL, str(y + 1), 16) for y in range(SIDE))
    return group(*letters, *numbers, fill=MUTED)


def _margin(sheet: bytes, small: bool) -> Markup:
    boxes, written = [], []
    for line, won in zip(LINES, line_points(sheet), strict=True):
        x, y = _box(line.name)
        double = line.times == 2
        if double:
            up = -1 if line.name == "/" else 1
            start = f"M{RIGHT - 13:g} {y + BOX / 2 - up * (BOX / 2 + 13):g}"
            boxes.append(path(f"{start}l10 {10 * up}", stroke=RULE, stroke_width=3))
            boxes.append(label(x + BOX + 18, y + BOX / 2, "×2", 22 if small else 16, fill=MUTED))
        boxes.append(rect(x, y, BOX, BOX, rx=6, fill=PAPER, stroke=RULE, stroke_width=3 if double else 1.5))
        if all(sheet[line.cells]):
            written.append(label(x + BOX / 2, y + BOX / 2, str(won), 34, class_="points"))
    return group(*boxes, group(*written, font_family=HAND, fill=PENCIL))


def _box(name: str) -> tuple[float, float]:
    """Where the box of a line is: rows at the right, columns below, diagonals at the corners they run into."""
    inset = (CELL - BOX) / 2
    if name in "/\\":
        return RIGHT, GRID_Y - GAP - BOX if name == "/" else LOW
    if name in "abcde":
        return GRID_X + "abcde".index(name) * CELL + inset, LOW
    return RIGHT, GRID_Y + (SIDE - int(name)) * CELL + inset


TOP, LOWEST = MARGIN + 4, HEIGHT - MARGIN - 8
DICE_HEIGHT = 176
CHECK = "M0 5l4 4l7 -9"


def _dice(view: KnisterView) -> Markup:
    """The roll as two dice, or their empty places; who rolls, how many have written, and the round."""
    if view.over:
        return group()
    left, middle, low = PANEL_X + PANEL_WIDTH / 2, TOP + 60, TOP + 128
    faces = (0, 0) if view.roll is None else pair(view.roll)
    things = [
        _die(left - 44, middle, faces[0], -5),
        _die(left + 44, middle, faces[1], 4),
        group(_die(0, 0, 5, 0), transform=at(PANEL_X + 25, low, 0.27)),
        label(PANEL_X + 44, low, seat_name(view.roller, view.seats), 17, "start", font_weight=700),
        label(PANEL_X + PANEL_WIDTH - 16, low, f"{view.rounds + 1}/{CELLS}", 16, "end"),
    ]
    if view.roll is not None and view.seats > 1:
        things.append(_check(PANEL_X + 20, low + 28))
        things.append(label(PANEL_X + 44, low + 28, f"{view.seats - view.waiting}/{view.seats}", 16, "start"))
    return group(panel(PANEL_X, TOP, PANEL_WIDTH, DICE_HEIGHT, lit=view.to_write), *things, fill=INK, class_="dice")


def _die(x: float, y: float, face: int, tilt: float) -> Markup:
    """An ivory die; without a face it is an empty place on the table."""
    if not face:
        return rect(x - 34, y - 34, 68, 68, rx=13, fill="none", stroke=LINE, stroke_width=2, stroke_dasharray="6 6")
    return group(
        rect(-34, -31, 68, 68, rx=13, fill=IVORY_EDGE, fill_opacity=0.4),
        rect(-34, -34, 68, 68, rx=13, fill=IVORY, stroke=IVORY_EDGE, stroke_width=2),
        *(circle(18 * u, 18 * v, 6.8, fill=INK) for u, v in _PIPS[face]),
        class_="die",
        transform=f"{at(x, y)} rotate({tilt})",
    )


def _check(x: float, y: float) -> Markup:
    return path(CHECK, fill="none", stroke="#00604A", stroke_width=2.5, stroke_linecap="round", transform=at(x, y - 5))


def _rows(view: KnisterView) -> list[Standing | None]:
    """The ranking as far as the view shows it; None where seats are left out."""
    rows: list[Standing | None] = list(view.standings)
    own = next((at for at, row in enumerate(view.standings) if row.seat == view.seat), 0)
    if view.seats > len(rows) > own + NEIGHBOURS_SHOWN:
        rows.append(None)
    if own >= LEADERS_SHOWN + NEIGHBOURS_SHOWN and view.standings[LEADERS_SHOWN].place != LEADERS_SHOWN + 1:
        rows.insert(LEADERS_SHOWN, None)
    return rows


def _ranking(view: KnisterView) -> Markup:
    top = TOP if view.over else TOP + DICE_HEIGHT + 8
    rows = _rows(view)
    pitch = min(32, (LOWEST - top - 20) / len(rows))
    size = min(17, pitch * 0.72)
    things = []
    for index, row in enumerate(rows):
        y = top + 10 + (index + 0.5) * pitch
        if row is None:
            things += [circle(PANEL_X + 27 + 7 * dot, y, 1.8, fill=MUTED) for dot in range(-1, 2)]
            continue
        if row.seat == view.seat:
            things.append(rect(PANEL_X + 6, y - pitch / 2 + 1, PANEL_WIDTH - 12, pitch - 2, rx=6, fill=OWN))
        if view.over and row.place == 1:
            things.append(place_badge(PANEL_X + 26, y, 1, min(12, pitch * 0.46)))
        else:
            things.append(label(PANEL_X + 26, y, str(row.place), size, fill=MUTED))
        things.append(label(PANEL_X + 54, y, seat_name(row.seat, view.seats), size, "start", font_weight=700))
        things.append(label(PANEL_X + PANEL_WIDTH - 44, y, str(row.points), size + 1, "end", class_="standing"))
        if row.wrote:
            things.append(_check(PANEL_X + PANEL_WIDTH - 28, y))
    if view.over and view.seats == 1:
        earned = sum(view.standings[0].points >= least for least, _ in RANKS)
        things += [_star(PANEL_X + 54 + 46 * star, top + 84, star < earned) for star in range(len(RANKS))]
    return group(panel(PANEL_X, top, PANEL_WIDTH, LOWEST - top), *things, fill=INK, class_="ranking")


def _star(x: float, y: float, earned: bool) -> Markup:
    """One for each rank of the solitaire game (K7)."""
    return path(
        "M0 -18L5 -6L18 -5L8 3L11 16L0 9L-11 16L-8 3L-18 -5L-5 -6z",
        fill=GLOW if earned else "none",
        stroke=ACCENT if earned else LINE,
        stroke_width=1.5,
        stroke_linejoin="round",
        class_="star" if earned else None,
        transform=at(x, y),
    )


DICE = "⚀⚁⚂⚃⚄⚅"
CELL_COLUMNS = 4
"""The columns of a cell in characters."""


def text(view: KnisterView, colour: bool) -> str:
    """What the seat sees, in characters: its sheet, or the leader's, and beside it the dice and the ranking."""
    canvas = Canvas()
    sheet, seat = (view.standings[0].sheet, view.standings[0].seat) if view.sheet is None else (view.sheet, view.seat)
    canvas.put(0, 0, seat_name(seat or 0, view.seats), BOLD)
    _sheet_in_text(canvas, sheet)
    column = 46
    if not view.over:
        canvas.put(column, 0, f"{view.rounds + 1}/{CELLS}", FAINT)
        canvas.put(column + 7, 0, f"→ {seat_name(view.roller, view.seats)}", FAINT)
    if view.roll is not None:
        low, high = pair(view.roll)
        canvas.put(column, 2, f" {DICE[low - 1]} {DICE[high - 1]} ", Style(INK, IVORY, bold=True))
        canvas.put(column + 7, 2, str(view.roll), BOLD)
        canvas.put(column + 12, 2, f"✓ {view.seats - view.waiting}/{view.seats}" if view.seats > 1 else "", FAINT)
    for line, row in enumerate(_rows(view), start=2 if view.over else 4):
        if row is None:
            canvas.put(column, line, "  …", FAINT)
            continue
        own = row.seat == view.seat
        words = f"{row.place:3}  {seat_name(row.seat, view.seats):<5} {row.points:4} {'✓' if row.wrote else ''}"
        canvas.put(column, line, words.rstrip(), BOLD if own else PLAIN)
        canvas.put(column - 2, line, "→" if own and view.to_write else "", BOLD)
    if view.over and view.seats == 1:
        canvas.put(column, 4, "★" * sum(view.standings[0].points >= least for least, _ in RANKS), BOLD)
    return canvas.render(colour)


def _sheet_in_text(canvas: Canvas, sheet: bytes) -> None:
    """The grid with its points: rows at the right, columns below, the diagonals, which count double, at the corners."""
    for line in range(2 * SIDE + 1):
        ends = "│││" if line % 2 else "┌┬┐" if line == 0 else "└┴┘" if line == 2 * SIDE else "├┼┤"
        cells = ends[1].join([(" " if line % 2 else "─") * CELL_COLUMNS] * SIDE)
        canvas.put(3, line + 1, ends[0] + cells + ends[2], Style(RULE, BLUE))
    for cell, number in enumerate(sheet):
        y, x = divmod(cell, SIDE)
        if number:
            canvas.put(4 + (CELL_COLUMNS + 1) * x, 2 * (SIDE - y), f"{number:3} ", Style(INK, BLUE, bold=True))
    right, low = 5 + (CELL_COLUMNS + 1) * SIDE, 2 * SIDE + 2
    for index, (row, won) in enumerate(zip(LINES, line_points(sheet), strict=True)):
        box = f"{won:3}" if all(sheet[row.cells]) else "  ·"
        if index < SIDE:
            canvas.put(1, 2 * (SIDE - index), row.name, FAINT)
            canvas.put(right, 2 * (SIDE - index), box)
        elif index < 2 * SIDE:
            column = 4 + (CELL_COLUMNS + 1) * (index - SIDE)
            canvas.put(column + 2, 0, row.name, FAINT)
            canvas.put(column, low, box)
        else:
            corner = 0 if row.name == "/" else low
            canvas.put(right, corner, box)
            canvas.put(right + 4, corner, "×2", FAINT)
    canvas.put(right - 2, low + 2, f"Σ {points(sheet):3}", BOLD)
