"""What all drawings share: the palette, seats' colours and marks, SVG elements, and a canvas of characters.

Colours are never alone: each seat also has a letter and a mark, so that every drawing can be read without them.
"""

from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple
from xml.sax.saxutils import escape, quoteattr

LINEN = "#F5F0E6"
CARD = "#FFFDF8"
INK = "#23252B"
MUTED = "#6B6F7B"
LINE = "#DED6C6"
ACCENT = "#B86E00"
GLOW = "#F2B544"
"""The accent of the dark palette: for what glows, and as a ground for ink."""
NIGHT = "#16181D"

SANS = "Inter, 'Segoe UI', system-ui, 'DejaVu Sans', sans-serif"
HAND = "'Patrick Hand', 'Segoe Print', 'Comic Sans MS', 'Comic Neue', cursive"


Square = tuple[int, int]
"""Column and row on a grid, the row counted downwards."""


class SeatColour(NamedTuple):
    """A seat's colour, its mark, and the shades that go with it."""

    name: str
    fill: str
    deep: str
    """Dark enough for an outline or a text on a light ground."""
    light: str
    """Light enough for an outline on a dark ground."""
    marking: str
    """The colour of the mark on the fill."""
    text: str
    """Readable on the fill."""
    mark: str

    @property
    def id(self) -> str:
        """The id of its pattern; equal ids have equal patterns, in whatever picture."""
        return f"sobremesa-{self.name}-{self.mark}"

    @property
    def paint(self) -> str:
        """The value of ``fill`` that paints the colour with its mark."""
        return f"url(#{self.id})"


SEATS = (
    SeatColour("blue", "#0072B2", "#004A75", "#6FB7E0", "#0072B2", "#FFFFFF", "plain"),
    SeatColour("vermilion", "#D55E00", "#8A3A00", "#F7A76B", "#8A3A00", "#000000", "dots"),
    SeatColour("green", "#009E73", "#00604A", "#63CFAF", "#00705A", "#000000", "stripes"),
    SeatColour("amber", "#E0A100", "#755300", "#F6D06B", "#946800", "#000000", "crosses"),
)
LIKE_THE_BOX = tuple(
    seat._replace(fill=fill) for seat, fill in zip(SEATS, ("#2B57B8", "#C62828", "#2E8B3D", "#D9A400"), strict=True)
)
"""The colours that boxes have, for who prefers them on the page; marks keep seats apart all the same."""

Palette = Mapping[str, tuple[SeatColour, ...]]
"""The seats' colours in each look of the page: ``light``, and where it differs ``dark``, ``contrast`` and ``box``."""
HOUSE_PALETTE: Palette = {"light": SEATS, "box": LIKE_THE_BOX}

MARKS: dict[str, tuple[tuple[int, int, int, int], ...]] = {
    "plain": (),
    "dots": ((4, 4, 4, 4), (12, 12, 12, 12)),
    "stripes": ((0, 16, 16, 0),),
    "crosses": ((5, 5, 11, 11), (11, 5, 5, 11)),
}
"""Each mark as strokes from point to point on a square of 16x16, which is repeated; the page draws with the same."""
_STROKE = {"plain": 0.0, "dots": 3.6, "stripes": 3.2, "crosses": 1.8}


def seat_name(seat: int, seats: int = 4) -> str:
    """A letter for each seat; a number from 1 where a table has more seats than there are letters.

    >>> seat_name(2), seat_name(2, seats=1000)
    ('C', '3')
    """
    return chr(ord("A") + seat) if seats <= 26 else str(seat + 1)


class Markup(str):
    """Text that is SVG already, and so is not escaped again."""

    __slots__ = ()


def element(name: str, *children: str, **attributes: object) -> Markup:
    """An SVG element. Children that are no markup are escaped; ``stroke_width`` becomes ``stroke-width``.

    >>> element("text", "Isis & Osiris", x=4.0, class_="title")
    '<text x="4" class="title">Isis &amp; Osiris</text>'
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}={quoteattr(_value(value))}"
        for key, value in attributes.items()
        if value is not None
    )
    inside = "".join(child if isinstance(child, Markup) else escape(child) for child in children)
    return Markup(f"<{name}{written}>{inside}</{name}>" if children else f"<{name}{written}/>")


def group(*children: str, **attributes: object) -> Markup:
    """Elements together."""
    return element("g", *children, **attributes)


def rect(x: float, y: float, width: float, height: float, **attributes: object) -> Markup:
    """A rectangle."""
    return element("rect", x=x, y=y, width=width, height=height, **attributes)


def circle(x: float, y: float, radius: float, **attributes: object) -> Markup:
    """A circle around a point."""
    return element("circle", cx=x, cy=y, r=radius, **attributes)


def path(strokes: str, **attributes: object) -> Markup:
    """A path; ``strokes`` is its ``d``."""
    return element("path", d=strokes, **attributes)


def label(x: float, y: float, text: str, size: float = 16, anchor: str = "middle", **attributes: object) -> Markup:
    """A short text, centred on the height ``y``: not every viewer knows how to do that by itself."""
    return element("text", text, x=x, y=y + size * 0.36, font_size=size, text_anchor=anchor, **attributes)


def at(x: float, y: float, scale: float = 1) -> str:
    """The value of ``transform`` that moves a group there."""
    return f"translate({_value(x)} {_value(y)})" + (f" scale({scale:.4g})" if scale != 1 else "")


def corners(squares: Iterable[Square]) -> Iterator[tuple[Square, Square, Square]]:
    """The corners around squares of a grid, clockwise, each with the directions before and after it.

    The clockwise edges of two squares cancel where they meet; what is left is the outline.
    """
    edges: set[tuple[Square, Square]] = set()
    for x, y in squares:
        around = ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1))
        for edge in zip(around, around[1:] + around[:1], strict=True):
            edges ^= {edge[::-1] if edge[::-1] in edges else edge}
    after = dict(edges)
    here = first = min(after)
    before = (0, -1)
    while True:
        there = after[here]
        ahead = (there[0] - here[0], there[1] - here[1])
        if ahead != before:
            yield here, before, ahead
        here, before = there, ahead
        if here == first:
            return


def outline(squares: Iterable[Square], side: float, inset: float, radius: float = 4) -> str:
    """The one line around squares of a grid, drawn in from their edges by ``inset``, with round corners."""
    line = ""
    for (x, y), before, ahead in corners(squares):
        x0, y0 = x * side - (before[1] + ahead[1]) * inset, y * side + (before[0] + ahead[0]) * inset
        line += f"{'L' if line else 'M'}{x0 - before[0] * radius:g} {y0 - before[1] * radius:g}"
        line += f"Q{x0:g} {y0:g} {x0 + ahead[0] * radius:g} {y0 + ahead[1] * radius:g}"
    return line + "z"


def marks(seats: tuple[SeatColour, ...]) -> Markup:
    """The definitions of the seats' patterns, to be put into every picture that paints with them."""
    return element("defs", *(_pattern(seat) for seat in seats))


def panel(x: float, y: float, width: float, height: float, lit: bool = False) -> Markup:
    """A card for one seat's things; that of the seat to move is lit."""
    edge, thick = (ACCENT, 2) if lit else (LINE, 1)
    return rect(x, y, width, height, rx=10, fill=CARD, stroke=edge, stroke_width=thick)


def turn_arrow(x: float, y: float, size: float = 12) -> Markup:
    """The sign before a seat that has to decide."""
    h = size / 2
    return path(
        f"M{_value(x)} {_value(y - h)}l{_value(size * 0.9)} {_value(h)}l{_value(-size * 0.9)} {_value(h)}z", fill=ACCENT
    )


def place_badge(x: float, y: float, place: int, radius: float = 12) -> Markup:
    """The place of a seat at the end; the winner's shines."""
    first = place == 1
    return group(
        circle(x, y, radius, fill=GLOW if first else CARD, stroke=ACCENT if first else MUTED, stroke_width=1.5),
        label(x, y, str(place), radius * 1.25, font_weight=700, fill=INK),
        class_="place",
    )


def picture(width: int, height: int, title: str, desc: str, *children: str) -> str:
    """A whole SVG document on a card of its own, so that it can be read on a dark page, too."""
    return element(
        "svg",
        element("title", title),
        element("desc", desc),
        rect(0.5, 0.5, width - 1, height - 1, rx=10, fill=LINEN, stroke=LINE),
        *children,
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
        font_family=SANS,
    )


def _pattern(seat: SeatColour) -> Markup:
    return element(
        "pattern",
        rect(0, 0, 16, 16, fill=seat.fill),
        path(_repeated(MARKS[seat.mark]), stroke=seat.marking, stroke_width=_STROKE[seat.mark], stroke_linecap="round"),
        id=seat.id,
        width=16,
        height=16,
        patternUnits="userSpaceOnUse",
    )


def _repeated(strokes: Iterable[tuple[int, int, int, int]]) -> str:
    """Strokes on a tile of 16x16, and those of the tiles around it that reach into it."""
    line = ""
    for x1, y1, x2, y2 in strokes:
        for dx, dy in product((-16, 0, 16), repeat=2):
            (left, right), (top, bottom) = sorted((x1 + dx, x2 + dx)), sorted((y1 + dy, y2 + dy))
            if left <= 16 and right >= 0 and top <= 16 and bottom >= 0:
                line += f"M{x1 + dx} {y1 + dy}L{x2 + dx} {y2 + dy}"
    return line


def _value(value: object) -> str:
    """Numbers to a hundredth, without needless zeros."""
    return f"{value:.2f}".rstrip("0").rstrip(".") if isinstance(value, float) else str(value)


class Style(NamedTuple):
    """How a character looks on a terminal with colours."""

    ink: str | None = None
    ground: str | None = None
    bold: bool = False

    @property
    def codes(self) -> str:
        """The escape code that switches it on: 24-bit colours."""
        codes = ["1"] if self.bold else []
        for kind, colour in ((38, self.ink), (48, self.ground)):
            if colour is not None:
                codes.append(";".join(map(str, (kind, 2, *bytes.fromhex(colour[1:])))))
        return f"\x1b[{';'.join(codes)}m" if codes else ""


PLAIN = Style()
BOLD = Style(bold=True)
FAINT = Style(ink="#8A8F9B")
"""Grey that can be read on a black and on a white terminal."""


class Canvas:
    """Rows of characters, each with a style. Colours change no character."""

    def __init__(self) -> None:
        self._rows: list[list[tuple[str, Style]]] = []

    def put(self, x: int, y: int, text: str, style: Style = PLAIN) -> None:
        """Writes a text from column ``x`` of row ``y`` on, over what was there."""
        while len(self._rows) <= y:
            self._rows.append([])
        row = self._rows[y]
        row.extend([(" ", PLAIN)] * (x + len(text) - len(row)))
        row[x : x + len(text)] = [(char, style) for char in text]

    def render(self, colour: bool) -> str:
        """The rows as lines, without spaces at their ends."""
        return "\n".join(self._line(row, colour) for row in self._rows)

    @staticmethod
    def _line(row: list[tuple[str, Style]], colour: bool) -> str:
        text = "".join(char for char, _ in row).rstrip()
        if not colour:
            return text
        line, now = "", PLAIN
        for char, style in row[: len(text)]:
            if style != now:
                line += ("\x1b[0m" if now != PLAIN else "") + style.codes
                now = style
            line += char
        return line + ("\x1b[0m" if now != PLAIN else "")
