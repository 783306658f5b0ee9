"""Sheets and positions of Knister for the examples."""

from random import Random

from sobremesa.games.knister import GAME, KnisterState, Write
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.state import DICE


def start(seats: int = 1, starter: int = 0) -> KnisterState:
    """Blank sheets."""
    return KnisterState.begin(seats, starter)


def position(text: str) -> KnisterState:
    """A position in writing."""
    state = GAME.parse_position(text)
    assert isinstance(state, KnisterState)
    return state


def sheet(*rows: str) -> bytes:
    """A sheet as one looks at it, the top row first; a dot is a free cell."""
    numbers = [0 if word == "." else int(word) for row in reversed(rows) for word in row.split()]
    assert len(numbers) == 25
    return bytes(numbers)


def filled(*sheets: bytes) -> KnisterState:
    """The end of a game in which the first seat writes from a1 to e5, the others wherever their sheets have it."""
    state = start(len(sheets))
    left = [list(numbers) for numbers in sheets]
    for roll in sheets[0]:
        state = state.happen(roll)
        for seat, numbers in enumerate(left):
            cell = numbers.index(roll)
            numbers[cell] = 0
            state = state.play(WRITES[cell], seat)
    return state


def write(cell: str) -> Write:
    """The move that writes into a cell."""
    return start().parse_move(cell)


SPECTACULAR = sheet(
    "2 3 4 5 6",
    "4 5 6 2 3",
    "6 2 3 4 5",
    "3 4 5 6 2",
    "5 6 2 3 4",
)
"""A diagonal Latin square on 2 to 6: each of the twelve lines is a straight without a 7."""
HIGH = bytes(number + 6 for number in SPECTACULAR)
"""The same on 8 to 12."""
WORTHLESS = bytes(12 if number == 6 else number for number in SPECTACULAR)
"""The same on 2, 3, 4, 5 and 12: five different numbers in each line, and no straight."""


def with_free_cells(free: int, seed: int) -> bytes:
    """A sheet of random rolls with so many free cells anywhere."""
    random = Random(seed)
    sheet = [DICE.draw(random) for _ in range(25)]
    for cell in random.sample(range(25), free):
        sheet[cell] = 0
    return bytes(sheet)
