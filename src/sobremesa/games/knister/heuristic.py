"""A heuristic for Knister, as a beginner sees it: make combinations, and keep lines that may still become one."""

from collections.abc import Sequence
from functools import cache

from sobremesa.games.knister.moves import Write
from sobremesa.games.knister.scoring import LINES, SIDE, combination
from sobremesa.games.knister.view import KnisterView

_PARTS = {(2,): 1.0, (2, 2): 4.0, (3,): 3.0, (3, 1): 2.5, (2, 1): 1.5, (2, 1, 1): 1.0, (4,): 6.0}
"""What equal numbers in a line that is not full yet are worth; the patterns' counts, largest first."""


@cache
def promise(numbers: bytes) -> float:
    """What a line's numbers look worth now, in points."""
    written = [number for number in numbers if number]
    if len(written) == SIDE:
        return combination(numbers).points
    different = set(written)
    if len(different) == len(written):
        straight = len(written) > 1 and max(written) - min(written) < SIDE
        return 0.6 * len(written) * (len(written) - 1) / 2 if straight else 0
    return _PARTS[tuple(sorted(map(written.count, different), reverse=True))]


def heuristic(view: KnisterView, moves: Sequence[Write]) -> list[float]:
    """The value of each move: how much the cell adds to what the lines look worth."""
    sheet, roll = view.sheet or b"", view.roll or 0
    before = [promise(sheet[line.cells]) for line in LINES]
    values = []
    for move in moves:
        after = sheet[: move.cell] + bytes((roll,)) + sheet[move.cell + 1 :]
        values.append(
            sum(
                (promise(after[line.cells]) - was) * line.times
                for line, was in zip(LINES, before, strict=True)
                if after[line.cells] != sheet[line.cells]
            )
        )
    return values


def forced(view: KnisterView) -> Write:
    """The first free cell, reading from the top left."""
    return max(view.legal_moves(), key=lambda write: (write.cell // SIDE, -(write.cell % SIDE)))
