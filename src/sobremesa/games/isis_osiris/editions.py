"""Isis & Osiris as data: the board, the tiles, and who gets how many pieces."""

from dataclasses import dataclass
from functools import cache, cached_property

from sobremesa.core.cells import cell_name
from sobremesa.games.isis_osiris.moves import moves_on


@dataclass(frozen=True)
class Hand:
    """What each seat begins with."""

    stones: int
    tiles: int


@dataclass(frozen=True)
class Edition:
    """A board and its pieces. Cells count from 0 at the bottom left, row by row upwards."""

    name: str
    width: int
    height: int
    tiles: dict[int, int]
    """How many tiles there are of each value."""
    hands: dict[int, Hand]
    """What each seat begins with, by number of seats."""

    @cached_property
    def size(self) -> int:
        """How many cells the board has."""
        return self.width * self.height

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The name of each cell."""
        return tuple(cell_name(cell % self.width, cell // self.width) for cell in range(self.size))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The cells that share a side with each cell (I7)."""
        found = []
        for cell in range(self.size):
            y, x = divmod(cell, self.width)
            beside = ((x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1))
            found.append(tuple(v * self.width + u for u, v in beside if 0 <= u < self.width and 0 <= v < self.height))
        return tuple(found)


EDITIONS = {
    "standard": Edition(
        name="standard",
        width=6,
        height=6,
        tiles={-4: 1, -3: 2, -2: 6, -1: 2, 1: 2, 2: 6, 3: 2, 4: 1},
        hands={2: Hand(stones=8, tiles=11), 3: Hand(stones=6, tiles=7), 4: Hand(stones=5, tiles=5)},
    ),
}

SMALL = {
    "2x2": Edition(
        name="2x2",
        width=2,
        height=2,
        tiles={-2: 1, -1: 1, 1: 1, 2: 1},
        hands={2: Hand(stones=1, tiles=2)},
    ),
    "3x3": Edition(
        name="3x3",
        width=3,
        height=3,
        tiles={-1: 1, 2: 1},
        hands={2: Hand(stones=4, tiles=1)},
    ),
    "4x3": Edition(
        name="4x3",
        width=4,
        height=3,
        tiles={-2: 2, -1: 2, 1: 2, 2: 2},
        hands={2: Hand(stones=3, tiles=4)},
    ),
}
"""Boards that can be solved, to test players on; no part of the box, and in no menu."""


def find_edition(name: str) -> Edition:
    """The edition of that name, small boards included."""
    return EDITIONS[name] if name in EDITIONS else SMALL[name]


VARIANTS = ("own", "common")
"""Everybody draws from his own tiles, or all from one common stock (I10)."""


class Setup:
    """How a table was set, and what follows from it. There is one of each: get it from ``find_setup(...)``."""

    def __init__(self, edition: str, seats: int, variant: str, memory_aid: bool, starter: int) -> None:
        self.edition = find_edition(edition)
        self.seats = seats
        self.variant = variant
        self.memory_aid = memory_aid
        self.starter = starter
        hand = self.edition.hands[seats]
        self.values = tuple(self.edition.tiles)
        self.moves = moves_on(self.edition.names)
        self.stones = (hand.stones,) * seats
        common = variant == "common"
        self.stocks = (sum(self.edition.tiles.values()),) if common else (hand.tiles,) * seats
        self.stock_of = (0,) * seats if common else tuple(range(seats))

    def __reduce__(self) -> tuple[object, tuple[str, int, str, bool, int]]:
        return find_setup, (self.edition.name, self.seats, self.variant, self.memory_aid, self.starter)


@cache
def find_setup(edition: str, seats: int, variant: str, memory_aid: bool, starter: int) -> Setup:
    """The setup with these options."""
    return Setup(edition, seats, variant, memory_aid, starter)
