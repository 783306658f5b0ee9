"""Callisto as plain data, ready for JSON: what views hold, and what the box holds."""

from functools import cache
from typing import Literal, TypedDict

from sobremesa.core.cells import cell_name
from sobremesa.core.drawing import corners
from sobremesa.games.callisto.board import ORIENTATION_LETTERS, Board, Offset, Placement, bits, find_board, turned
from sobremesa.games.callisto.editions import EDITIONS, SHAPES, Edition


class CallistoOptions(TypedDict):
    """How the table was set."""

    edition: str
    """Board and pieces."""
    seats: int
    """How many seats the table has."""
    starter: int
    """The seat that starts."""


class CallistoPiece(TypedDict):
    """A piece on the board."""

    move: str
    """The move that placed it: its cells (``e9,e10,f10``)."""
    piece: str
    """The tile's name; 1 is a pillar."""
    orientation: int
    """Which of the orientations in the box it has."""
    cell: str
    """Where the first square of that orientation lies."""


class CallistoSide(TypedDict):
    """One seat's pieces."""

    placed: list[CallistoPiece]
    """The pieces on the board."""
    tiles: dict[str, int]
    """How many of each tile are left."""
    pillars: int
    """How many pillars are left."""
    penalty: int
    """The squares of the tiles in hand."""
    out: bool
    """Whether nothing can be placed any more."""


class CallistoView(TypedDict):
    """What a seat, or a spectator, sees."""

    game: Literal["callisto"]
    seat: int | None
    """Who looks; null for a spectator."""
    options: CallistoOptions
    """How the table is set."""
    deciding: list[int]
    """The seats that have to decide now, as far as this seat may know."""
    sides: list[CallistoSide]
    """What each seat has."""
    scores: list[int] | None
    """The penalties once the game is over."""
    places: list[int] | None
    """The places once the game is over."""


class CallistoOrientation(TypedDict):
    """One way to hold a tile."""

    letter: str
    """The letter in the short notation (``Lc@e9``); empty if the tile has only one orientation."""
    offsets: list[list[int]]
    """The squares ``[x, y]`` from the bottom left of the box around it, y upwards, in the order of the notation."""
    corners: list[list[int]]
    """Around its squares, clockwise, rows counted downwards: ``[x, y, dx, dy]``, the last two pointing inwards."""
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
    """Whether it may also stand beside a tile of anybody."""
    apart: bool
    """Whether it may not stand side by side with another pillar."""


class CallistoEdition(TypedDict):
    """Tiles, boards and pillar rules of an edition."""

    tiles: dict[str, int]
    """How many of each tile a seat has."""
    boards: dict[int, CallistoBoard]
    """The boards by number of seats."""
    pillars: list[CallistoPillar]


class CallistoBox(TypedDict):
    """Everything that the pages draw with."""

    shapes: dict[str, CallistoShape]
    editions: dict[str, CallistoEdition]


def piece(placement: Placement) -> CallistoPiece:
    """A piece on the board."""
    orientation, cell = _lies(placement)
    return {"move": placement.text, "piece": placement.piece, "orientation": orientation, "cell": cell}


@cache
def _lies(placement: Placement) -> tuple[int, str]:
    held, cell = placement.short.split("@")
    letter = held.removeprefix(placement.piece)
    return (ORIENTATION_LETTERS.index(letter) if letter else 0), cell


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
                "corners": _corners(way.offsets),
                "turned": offsets.index(_boxed([(y, -x) for x, y in way.offsets])),
                "flipped": offsets.index(_boxed([(-x, y) for x, y in way.offsets])),
            }
            for way in ways
        ],
    }


def _corners(squares: tuple[Offset, ...]) -> list[list[int]]:
    """With rows counted downwards, as one draws; where the line turns, it is drawn in along both sides."""
    height = max(y for _, y in squares) + 1
    around = corners((x, height - 1 - y) for x, y in squares)
    return [[x, y, -before[1] - ahead[1], before[0] + ahead[0]] for (x, y), before, ahead in around]


def _boxed(squares: list[Offset]) -> tuple[Offset, ...]:
    """The same squares, counted from the bottom left of the box around them."""
    left, low = min(x for x, _ in squares), min(y for _, y in squares)
    return tuple(sorted(((x - left, y - low) for x, y in squares), key=lambda square: (square[1], square[0])))


def _edition(edition: Edition) -> CallistoEdition:
    return {
        "tiles": dict(edition.tiles),
        "boards": {seats: _board(find_board(edition.name, seats)) for seats in edition.boards},
        "pillars": [
            {"rule": rule.number, "on": rule.on, "beside_tiles": rule.beside_tiles, "apart": rule.apart}
            for rule in edition.pillars
        ],
    }


def _board(board: Board) -> CallistoBoard:
    return {
        "width": board.width,
        "height": board.height,
        "rows": list(board.edition.boards[board.seats]),
        "centre": [cell_name(*board.xy(cell)) for cell in bits(board.centre)],
    }
