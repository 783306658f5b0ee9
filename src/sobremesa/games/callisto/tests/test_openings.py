"""The openings of Callisto: every cell has a value, what is alike is worth the same, and every line can be played."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sobremesa.core.cells import cell_name, parse_cell
from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto.tools import openings as callisto_openings
from sobremesa.games.callisto.tools.openings import (
    DATA,
    TABLES,
    alike,
    champion,
    draw,
    explore,
    fingerprint,
    ink_on,
    main_line,
    shade,
    sides,
    written,
)

from .networks import random_network

LIGHTEST = 25_000
"""Bytes of a table that the page loads."""


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_network(tmp_path_factory.mktemp("weights") / "callisto.onnx")


def start(table: str) -> CallistoState:
    return CallistoState.begin(*TABLES[table], 0)


def images(cell: str, width: int) -> set[str]:
    """The cells that a cell becomes when the table is turned, or seen in a mirror."""
    x, y = parse_cell(cell, width, width)
    corners = {(a, b) for a in (x, width - 1 - x) for b in (y, width - 1 - y)}
    return {cell_name(*square) for square in corners | {(b, a) for a, b in corners}}


def moments(data: dict[str, Any]) -> Iterator[tuple[CallistoState, dict[str, Any], dict[str, int]]]:
    """Every map of what was written: the position, played by the rules, the map, and its values by cell."""
    waiting = [(start(f"{data['edition']}-{data['seats']}"), data["opening"])]
    while waiting:
        state, opening = waiting.pop()
        yield state, opening, dict(callisto_openings.ranked(data["cells"], opening["values"]))
        waiting += [(state.play(state.parse_move(cell)), reply) for cell, reply in opening["replies"].items()]


def check(data: dict[str, Any]) -> None:
    """Fails unless every map is complete, and every line legal."""
    seats, longest = data["seats"], 0
    for state, opening, values in moments(data):
        longest = max(longest, sum(side.pillars.bit_count() for side in state.sides) + 1)
        assert sorted(values) == sorted(move.text for move in state.legal_moves())
        assert all(0 <= value <= 1000 for value in values.values())
        assert not opening["replies"] or max(values.values()) == values[next(iter(opening["replies"]))]
    assert longest == 2 * seats == len(list(main_line(data)))
    first = dict(callisto_openings.ranked(data["cells"], data["opening"]["values"]))
    width = start(f"{data['edition']}-{seats}").board.width
    assert all(first[other] == value for cell, value in first.items() for other in images(cell, width))


@pytest.mark.parametrize("table", ["classic-2", "pocket-2", "pocket-3"])
def test_every_cell_is_judged_and_every_line_goes_on(table: str, weights: Path) -> None:
    opening = explore(start(table), champion(weights), (2, 1))
    assert opening is not None
    assert len(opening.replies) == 3
    assert len(set(opening.values.values())) > 3
    check(json.loads(json.dumps(written(table, opening, fingerprint(table, weights)))))


@pytest.mark.parametrize("table", TABLES)
def test_what_the_page_has(table: str) -> None:
    file = DATA / f"{table}.json"
    data = json.loads(file.read_text(encoding="utf-8"))
    assert f"{data['edition']}-{data['seats']}" == table
    assert data["made"].keys() >= {"player", "weights", "date", "seed"}
    assert file.stat().st_size < LIGHTEST
    check(data)


@pytest.mark.parametrize("table", TABLES)
def test_cells_that_are_alike_are_found(table: str) -> None:
    state = start(table)
    assert len(sides(state.board)) == 8
    groups = [{cell_name(*state.board.xy(cell)) for cell in together} for together in alike(state)]
    cells = [move.text for move in state.legal_moves()]
    assert {frozenset(group) for group in groups} == {frozenset(images(cell, state.board.width)) for cell in cells}
    assert sum(map(len, groups)) == len(cells)


def test_a_pillar_leaves_only_its_own_mirror() -> None:
    """On a diagonal there is one; elsewhere nothing is alike any more."""
    state = start("classic-2")
    for cell, most in (("e5", 2), ("f4", 1)):
        assert max(map(len, alike(state.play(state.parse_move(cell))))) == most


def test_a_cell_is_worth_what_is_left_to_who_placed_the_pillar(weights: Path) -> None:
    """The same whenever it is asked for: the next seat thinks, and the share of the seat before it counts."""
    value_of = champion(weights)
    state = start("pocket-3").play(start("pocket-3").parse_move("c1"))
    assert value_of(state, 4) == value_of(state, 4)
    after = [state.play(move) for move in state.legal_moves()[:6]]
    assert all(0 < value_of(each, 4) < 1 for each in after)
    assert len({value_of(each, 4) for each in after}) > 1


def test_it_is_written_and_drawn(weights: Path, tmp_path: Path) -> None:
    line = callisto_openings.write((1,), weights, tmp_path, "pocket-2")
    data = json.loads((tmp_path / "pocket-2.json").read_text(encoding="utf-8"))
    assert line.startswith(f"pocket-2: {next(main_line(data))[0]} ")
    root = ElementTree.fromstring(draw([data]))
    texts = [text.text for text in root.iter("{http://www.w3.org/2000/svg}text")]
    assert {"pocket, 2 seats", "1", "2", "3", "4"} <= set(texts)
    assert len([text for text in texts if text and "." in text and "%" not in text]) == 5


def test_the_page_has_the_colours_of_the_picture() -> None:
    source = (DATA.parent / "openings.ts").read_text(encoding="utf-8")
    assert f"RAMP = {json.dumps([colour.lower() for colour in callisto_openings.RAMP])}" in source


def test_figures_can_be_read_on_every_colour() -> None:
    def light(colour: str) -> float:
        parts = [part / 255 for part in bytes.fromhex(colour[1:])]
        red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
        return 0.2126 * red + 0.7152 * green + 0.0722 * blue

    levels = [light(shade(step / 50)) for step in range(51)]
    assert levels == sorted(levels)
    for step in range(51):
        bright, dark = sorted((light(shade(step / 50)), light(ink_on(shade(step / 50)))), reverse=True)
        assert (bright + 0.05) / (dark + 0.05) >= 4.5
