"""Colours of seats, marks and outlines exist once: in the library, which writes them down for the page."""

import re
from pathlib import Path

import pytest

from sobremesa import GAMES
from sobremesa.core.drawing import HOUSE_PALETTE, MARKS, SeatColour, corners, outline

ROOT = Path(__file__).parents[1]
PALETTES = [HOUSE_PALETTE, *(game.palette for game in GAMES.values())]
SEATS = {seat for palette in PALETTES for seats in palette.values() for seat in seats}
BASIC = {"#000000", "#FFFFFF", "#23252B", "#F2B544"}
"""Black, white, ink and the dark accent are not a seat's alone."""


def sources() -> list[Path]:
    folders = [ROOT / "web/src", *(ROOT / "src/sobremesa/games").glob("*/page")]
    return [path for folder in folders for path in folder.rglob("*") if path.suffix in (".css", ".svelte", ".ts")]


@pytest.mark.parametrize("seat", sorted(SEATS), ids=lambda seat: f"{seat.name} {seat.fill}")
def test_the_page_takes_the_colours_of_seats_from_the_library(seat: SeatColour) -> None:
    own = re.compile("|".join({seat.fill, seat.deep, seat.light} - BASIC or {"#no"}), re.I)
    assert not [path.name for path in sources() if own.search(path.read_text(encoding="utf-8"))]


@pytest.mark.parametrize("palette", PALETTES)
def test_every_look_has_a_colour_and_a_mark_for_each_seat(palette: dict[str, tuple[SeatColour, ...]]) -> None:
    for seats in palette.values():
        assert [seat.mark for seat in seats] == [seat.mark for seat in palette["light"]]
        assert len({seat.fill for seat in seats}) == len({seat.mark for seat in seats}) == len(seats)
        assert all(seat.mark in MARKS for seat in seats)


def test_the_outline_of_an_l_has_six_corners() -> None:
    assert len(list(corners([(0, 0), (0, 1), (1, 1)]))) == 6
    assert outline([(0, 0)], 32, 2).startswith("M2 6Q2 2 6 2L")
