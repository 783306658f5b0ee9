"""Isis & Osiris as plain data, ready for JSON: what views hold, and what the box holds."""

from typing import Literal, TypedDict

from sobremesa.games.isis_osiris.editions import EDITIONS, Edition
from sobremesa.games.isis_osiris.palette import EYE
from sobremesa.games.isis_osiris.track import END


class IsisOsirisOptions(TypedDict):
    """How the table was set."""

    edition: str
    """Board and pieces."""
    seats: int
    """How many seats the table has."""
    variant: str
    """Tiles of one's own, or one common stock."""
    memory_aid: bool
    """Whether tiles stay readable."""
    starter: int
    """The seat that starts."""


class IsisOsirisView(TypedDict):
    """What a seat, or a spectator, sees."""

    game: Literal["isis-osiris"]
    seat: int | None
    """Who looks; null for a spectator."""
    options: IsisOsirisOptions
    """How the table is set."""
    deciding: list[int]
    """The seats that have to decide now, as far as this seat may know."""
    turn: int | None
    """Whose turn it is; None when the game is over."""
    turning: bool
    """A tile is being turned over, and nobody knows it yet."""
    turned: int | None
    """The value of the tile that lies face up, waiting for a cell."""
    cells: list[str]
    """For each cell ``.`` free, ``A``-``D`` a seat's stone, ``?`` a tile face down, or its value (``+2``)."""
    stones_left: list[int]
    """By seat."""
    tiles_left: list[int]
    """How many tiles each seat can still turn over."""
    scores: list[int] | None
    """The totals once the game is over."""
    places: list[int] | None
    """The places once the game is over."""


class IsisOsirisTile(TypedDict):
    """A value, and how many tiles have it."""

    value: int
    count: int


class IsisOsirisHand(TypedDict):
    """What each seat begins with, and how many tiles are put away unseen."""

    stones: int
    tiles: int
    put_away: int


class IsisOsirisEdition(TypedDict):
    """A board and its pieces."""

    width: int
    height: int
    cells: list[str]
    """The name of each cell, in the order of ``cells`` in a view."""
    neighbours: list[list[int]]
    """For each cell those that share a side with it."""
    tiles: list[IsisOsirisTile]
    hands: dict[int, IsisOsirisHand]
    """What each seat begins with, by number of seats. A common stock is one pile; none are put away (I10)."""


class IsisOsirisTrack(TypedDict):
    """The scoring track: what goes past an end takes a marker worth that much (I9)."""

    least: int
    most: int


class IsisOsirisBox(TypedDict):
    """Everything that the pages draw with."""

    editions: dict[str, IsisOsirisEdition]
    track: IsisOsirisTrack
    eye: str
    """The eye on a tile's back, as strokes on a tile of 64x64."""


def box() -> IsisOsirisBox:
    """What is in the box, all editions together."""
    return {
        "editions": {name: _edition(edition) for name, edition in EDITIONS.items()},
        "track": {"least": -END, "most": END},
        "eye": EYE,
    }


def _edition(edition: Edition) -> IsisOsirisEdition:
    tiles = sum(edition.tiles.values())
    return {
        "width": edition.width,
        "height": edition.height,
        "cells": list(edition.names),
        "neighbours": [list(cells) for cells in edition.neighbours],
        "tiles": [{"value": value, "count": count} for value, count in edition.tiles.items()],
        "hands": {
            seats: {"stones": hand.stones, "tiles": hand.tiles, "put_away": tiles - seats * hand.tiles}
            for seats, hand in edition.hands.items()
        },
    }
