"""Callisto as plain data, ready for JSON: what views hold, and what the box holds."""

from typing import Literal, TypedDict

from sobremesa.core.cells import cell_name
from sobremesa.games.callisto.board import Board, Offset, bits, board, turned
from sobremesa.games.callisto.editions import EDITIONS, SHAPES, Edition


class CallistoOptions(TypedDict):
    """How the table was set."""

    edition: str
    seats: int
    starter: int


class CallistoSide(TypedDict):
    """One seat's pieces."""

    placed: list[str]
    """The cells of each piece on the board (``e9,e10,f10``)."""
    tiles: dict[str, int]
    """How many of each tile are left."""
    pillars: int
    """How many pillars are left."""
    penalty: int
    out: bool


class CallistoView(TypedDict):
    """What a seat, or a spectator, sees."""

    game: Literal["callisto"]
    seat: int | None
    options: CallistoOptions
    deciding: list[int]
    sides: list[CallistoSide]
    scores: list[int] | None
    """The penalties once the game is over."""
    places: list[int] | None


class CallistoOrientation(TypedDict):
    """One way to hold a tile."""

    letter: str
    """As in the short notation (``Lc@e9``); empty if the tile has only one."""
    offsets: list[list[int]]
    """The squares ``[x, y]`` from the bottom left of the box around it, y upwards, in the order of the notation."""
    turned: int
    """Which orientation it is after a quarter turn clockwise."""
    flipped: int
    """Which one it is in a mirror, left and right exchanged."""


class CallistoShape(TypedDict):
    """A tile in all its orientations."""

    squares: int
    orientations: list[CallistoOrientation]


class CallistoBoard(TypedDict):
    """A board: rows of cells, each of them centred."""

    width: int
    height: int
    rows: list[int]
    """How many cells each row has, from the top."""
    centre: list[str]
    """The cells of the centre."""


class CallistoPillar(TypedDict):
    """Where a seat's first, second or third pillar may stand."""

    rule: str
    on: str
    beside_tiles: bool
    """Or also beside a tile of anybody."""
    apart: bool
    """Never side by side with another pillar."""


class CallistoEdition(TypedDict):
    """Tiles, boards and pillar rules of an edition."""

    tiles: dict[str, int]
    """How many of each tile a seat has."""
    boards: dict[int, CallistoBoard]
    """By number of seats."""
    pillars: list[CallistoPillar]


class CallistoBox(TypedDict):
    """Everything that the pages draw with."""

    shapes: dict[str, CallistoShape]
    editions: dict[str, CallistoEdition]


def box() -> CallistoBox:
    """What is in the box, all editions together."""
    return {
        "shapes": {piece: _shape(piece) for piece in SHAPES},
        "editions": {name: _edition(edition) for name, edition in EDITIONS.items()},
    }


def _shape(piece: str) -> CallistoShape:
    ways = turned(piece)
    offsets = [way.offsets for way in ways]
    return {
        "squares": len(offsets[0]),
        "orientations": [
            {
                "letter": way.letter,
                "offsets": [[x, y] for x, y in way.offsets],
                "turned": offsets.index(_boxed([(y, -x) for x, y in way.offsets])),
                "flipped": offsets.index(_boxed([(-x, y) for x, y in way.offsets])),
            }
            for way in ways
        ],
    }


def _boxed(squares: list[Offset]) -> tuple[Offset, ...]:
    """The same squares, counted from the bottom left of the box around them."""
    left, low = min(x for x, _ in squares), min(y for _, y in squares)
    return tuple(sorted(((x - left, y - low) for x, y in squares), key=lambda square: (square[1], square[0])))


def _edition(edition: Edition) -> CallistoEdition:
    return {
        "tiles": dict(edition.tiles),
        "boards": {seats: _board(board(edition.name, seats)) for seats in edition.boards},
        "pillars": [
            {"rule": rule.number, "on": rule.on, "beside_tiles": rule.beside_tiles, "apart": rule.apart}
            for rule in edition.pillars
        ],
    }


def _board(table: Board) -> CallistoBoard:
    return {
        "width": table.width,
        "height": table.height,
        "rows": list(table.edition.boards[table.seats]),
        "centre": [cell_name(*table.xy(cell)) for cell in bits(table.centre)],
    }
