"""Every drawing of every game: well formed, complete, and readable without colour."""

import re
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import pytest

from drawings import SVG, contrast, count, read, sample
from kinds import KINDS, ONE_OF_EACH, Kind, each
from sobremesa.core import drawing
from sobremesa.core.state import View

ESCAPE = re.compile(r"\x1b\[[0-9;]*m")


def views(kind: Kind) -> Iterator[View[Any]]:
    for number, state in enumerate(sample(kind)):
        yield state.view(None)
        yield state.view(number % state.seats)


@each(KINDS)
def test_every_svg_is_one_self_contained_picture(kind: Kind) -> None:
    definitions: dict[str, bytes] = {}
    for view in views(kind):
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


@each(KINDS)
def test_every_svg_can_be_read_aloud(kind: Kind) -> None:
    for view in views(kind):
        root = read(view.svg())
        assert root.attrib["role"] == "img"
        title, desc = root[0], root[1]
        assert (title.tag, desc.tag) == (f"{SVG}title", f"{SVG}desc")
        assert str(title.text).startswith(kind.game.name)
        assert desc.text


@each(KINDS)
def test_everything_lies_inside_the_picture(kind: Kind) -> None:
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

    for view in views(kind):
        root = read(view.svg())
        for x, y in centres(root, 0, 0, 1):
            assert 0 <= x <= int(root.attrib["width"])
            assert 0 <= y <= int(root.attrib["height"])


@each(KINDS)
def test_text_needs_no_colour(kind: Kind) -> None:
    for view in views(kind):
        plain, coloured = view.text(), view.text(colour=True)
        assert "\x1b" not in plain
        assert "\x1b[" in coloured
        assert ESCAPE.sub("", coloured) == plain
        assert all(line == line.rstrip() for line in plain.split("\n"))
        assert max(map(len, plain.split("\n"))) <= 80
        assert len(plain.split("\n")) <= 45


@each(KINDS)
def test_no_colour_runs_over_the_end_of_a_line(kind: Kind) -> None:
    for view in views(kind):
        for line in view.text(colour=True).split("\n"):
            codes = ESCAPE.findall(line)
            assert not codes or codes[-1] == "\x1b[0m"


BOXES = {"│": "ud", "─": "lr", "┌": "dr", "┐": "dl", "└": "ur", "┘": "ul"}
BOXES |= {"├": "udr", "┤": "udl", "┬": "dlr", "┴": "ulr", "┼": "udlr"}


@each(KINDS)
def test_lines_in_text_join(kind: Kind) -> None:
    """What leads out of a box-drawing character leads into the one beside or below it."""
    for view in views(kind):
        lines = [line.ljust(80) for line in [*view.text().split("\n"), ""]]
        for line, below in pairwise(lines):
            for here, beside in pairwise(line):
                assert ("r" in BOXES.get(here, "")) == ("l" in BOXES.get(beside, "")), line
            for here, under in zip(line, below, strict=True):
                assert ("d" in BOXES.get(here, "")) == ("u" in BOXES.get(under, "")), line


@each(ONE_OF_EACH)
def test_the_last_move_can_be_marked(kind: Kind) -> None:
    state = kind.start()
    if state.chance is not None:
        state = state.happen(state.chance.outcomes[0])
    seat = min(state.deciding)
    move = state.legal_moves(seat)[0]
    after = state.play(move, seat)
    unmarked, marked = after.view(seat).svg(), after.view(seat).svg(move)
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
    assert len({seat.fill for seat in drawing.SEATS}) == len({seat.mark for seat in drawing.SEATS}) == 4


@pytest.mark.parametrize("seat", range(4))
def test_colours_of_seats_can_be_told_and_read(seat: int) -> None:
    colour = drawing.SEATS[seat]
    assert contrast(colour.deep, drawing.CARD) >= 3
    assert contrast(colour.text, colour.fill) >= 4.5
    assert contrast(colour.deep, "#FFFFFF") >= 4.5


@pytest.mark.parametrize("ground", [drawing.CARD, drawing.GLOW])
def test_words_and_numbers_can_be_read(ground: str) -> None:
    assert contrast(drawing.INK, ground) >= 4.5
    assert contrast(drawing.MUTED, drawing.CARD) >= 4.5
