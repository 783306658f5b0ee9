"""Positions of Isis & Osiris in writing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sobremesa.core.errors import InvalidPosition
from sobremesa.core.position import read_choice, read_number, read_position, write_position
from sobremesa.games.isis_osiris.editions import EDITIONS, SMALL, VARIANTS, Edition, find_edition, find_setup

if TYPE_CHECKING:
    from sobremesa.games.isis_osiris.state import IsisOsirisState

GAME = "isis-osiris"
_FIELDS = ("edition", "seats", "variant", "memory_aid", "starter", "turn", "turned", "tiles", "cells")
_CELL = re.compile(r"\.|[A-D]|[+-][1-9]", re.ASCII)


def write(state: IsisOsirisState) -> str:
    """The position as one line of text; cells row by row from the top, as they lie on the table."""
    from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING

    edition = state.setup.edition
    cells = [f"{value:+}" if value else "." for value in state.tiles]
    for seat, stones in enumerate(state.stones):
        for cell in range(edition.size):
            if stones >> cell & 1:
                cells[cell] = "ABCD"[seat]
    rows = ["".join(cells[low : low + edition.width]) for low in range(0, edition.size, edition.width)]
    turned = {NOTHING: "-", FACE_DOWN: "?"}.get(state.turned, f"{state.turned:+}")
    return write_position(
        GAME,
        state.options
        | {
            "memory_aid": "on" if state.setup.memory_aid else "off",
            "turn": state.turn,
            "turned": turned,
            "tiles": ",".join(map(str, state.stocks)),
            "cells": "/".join(reversed(rows)),
        },
    )


def parse_position(text: str) -> IsisOsirisState:
    """Reads what ``write`` wrote; pieces that cannot all come from one box are refused."""
    from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING, IsisOsirisState

    fields = read_position(text, GAME, _FIELDS)
    edition = find_edition(read_choice(fields, "edition", (*EDITIONS, *SMALL)))
    seats = int(read_choice(fields, "seats", tuple(map(str, edition.hands))))
    variant = read_choice(fields, "variant", VARIANTS)
    memory_aid = read_choice(fields, "memory_aid", ("on", "off")) == "on"
    starter = int(read_choice(fields, "starter", tuple(map(str, range(seats)))))
    turn = read_number(fields, "turn")
    turned = {"-": NOTHING, "?": FACE_DOWN} | {f"{value:+}": value for value in edition.tiles}
    setup = find_setup(edition.name, seats, variant, memory_aid, starter)

    cells = _read_cells(fields["cells"], edition)
    waiting = turned[read_choice(fields, "turned", tuple(turned))]
    stones = tuple(sum(1 << c for c, mark in enumerate(cells) if mark == letter) for letter in "ABCD"[:seats])
    tiles = tuple(int(mark) if mark[0] in "+-" else 0 for mark in cells)
    stocks = tuple(_read_stocks(fields["tiles"], setup.stocks))
    seen = [*filter(None, tiles), *([waiting] if waiting not in (NOTHING, FACE_DOWN) else [])]
    unseen = tuple(count - seen.count(value) for value, count in edition.tiles.items())
    stones_left = tuple(setup.stones[seat] - stones[seat].bit_count() for seat in range(seats))
    free = sum(1 << cell for cell, mark in enumerate(cells) if mark == ".")

    if any(mark in "ABCD"[seats:] for mark in cells):
        raise InvalidPosition("isis-osiris.error.there-are-stones-of-a-seat-that-nobody")
    if min(stones_left) < 0 or min(unseen) < 0:
        raise InvalidPosition("isis-osiris.error.there-are-more-pieces-on-the-board-than")
    if sum(setup.stocks) - sum(stocks) != len(seen) + (waiting == FACE_DOWN):
        raise InvalidPosition("isis-osiris.error.tiles-does-not-go-with-the-tiles-on-the-board", tiles=fields["tiles"])
    if turn >= seats:
        raise InvalidPosition("isis-osiris.error.turn-is-no-seat-of-this-table", turn=turn)
    if not free and waiting != NOTHING:
        raise InvalidPosition("isis-osiris.error.a-tile-is-turned-over-but-no-cell")
    if free and waiting == NOTHING and not (stones_left[turn] or stocks[setup.stock_of[turn]]):
        raise InvalidPosition("isis-osiris.error.seat-has-the-turn-but-no-piece-left", turn=turn)
    if sum(stones_left) + sum(stocks) + (waiting != NOTHING) < free.bit_count():
        raise InvalidPosition("isis-osiris.error.there-are-not-enough-pieces-left-to-fill")
    return IsisOsirisState(setup, turn, waiting, free, stones, tiles, stones_left, stocks, unseen)


def _read_cells(text: str, edition: Edition) -> list[str]:
    cells = []
    rows = text.split("/")
    for row in reversed(rows):
        marks = _CELL.findall(row)
        if "".join(marks) != row or len(marks) != edition.width:
            raise InvalidPosition("isis-osiris.error.is-no-row-of-cells", row=row[:40], width=edition.width)
        cells += marks
    if len(rows) != edition.height:
        raise InvalidPosition("isis-osiris.error.cells-needs-rows-with-between-them", height=edition.height)
    return cells


def _read_stocks(text: str, full: tuple[int, ...]) -> list[int]:
    words = text.split(",")
    if len(words) != len(full):
        raise InvalidPosition("isis-osiris.error.tiles-needs-a-number-for-each-stock", tiles=text[:40])
    stocks = [read_number({"tiles": word}, "tiles") for word in words]
    if any(left > all_ for left, all_ in zip(stocks, full, strict=True)):
        raise InvalidPosition("isis-osiris.error.there-are-more-tiles-left-than-there-ever")
    return stocks
