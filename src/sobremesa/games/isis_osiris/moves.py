"""The moves of Isis & Osiris: place a stone, turn a tile over, lay it face down."""

from functools import cache
from typing import TYPE_CHECKING, NamedTuple

from sobremesa.core.cells import parse_cell
from sobremesa.core.errors import InvalidMove

if TYPE_CHECKING:
    from sobremesa.games.isis_osiris.editions import Edition


class Move(NamedTuple):
    """``Sc3`` places a stone on c3, ``T`` turns a tile over, ``Tc3`` lays the turned tile on c3."""

    kind: str
    cell: int
    text: str

    def __str__(self) -> str:
        return self.text


TURN = Move("turn", -1, "T")

_CHUNK = 12


class BoardMoves:
    """All moves on a board: a lookup table. Those on a set of free cells are found twelve cells at a time."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.stones = tuple(Move("stone", cell, f"S{name}") for cell, name in enumerate(names))
        self.tiles = tuple(Move("tile", cell, f"T{name}") for cell, name in enumerate(names))
        self._chunks = {
            kind: [self._subsets(moves[low : low + _CHUNK]) for low in range(0, len(moves), _CHUNK)]
            for kind, moves in (("stone", self.stones), ("tile", self.tiles))
        }

    @staticmethod
    def _subsets(moves: tuple[Move, ...]) -> list[tuple[Move, ...]]:
        subsets: list[tuple[Move, ...]] = [()]
        for move in moves:
            subsets += [subset + (move,) for subset in subsets]
        return subsets

    def on(self, kind: str, free: int) -> tuple[Move, ...]:
        """The moves of a kind on these free cells."""
        found: tuple[Move, ...] = ()
        for subsets in self._chunks[kind]:
            found += subsets[free & (1 << _CHUNK) - 1]
            free >>= _CHUNK
        return found


@cache
def moves_on(names: tuple[str, ...]) -> BoardMoves:
    """The moves on a board with these cells."""
    return BoardMoves(names)


def parse_move(text: str, edition: "Edition", turned: bool) -> Move:
    """A move in notation; a cell alone means the turned tile if there is one, else a stone."""
    word = text.strip().lower()
    if word == "t":
        return TURN
    kind = {"s": "stone", "t": "tile"}.get(word[:1]) if len(word) > 2 else None
    try:
        x, y = parse_cell(word[1:] if kind else word, edition.width, edition.height)
    except InvalidMove:
        raise InvalidMove("isis-osiris.error.is-no-move", text=text[:20]) from None
    moves = moves_on(edition.names)
    if kind is None:
        kind = "tile" if turned else "stone"
    return (moves.tiles if kind == "tile" else moves.stones)[y * edition.width + x]
