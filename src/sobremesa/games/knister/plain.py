"""Knister as plain data, ready for JSON: what views hold, and what the box holds."""

from functools import lru_cache
from typing import Literal, TypedDict

from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.scoring import CELLS, COMBINATIONS, LINES, RANKS, SIDE, Line, combination


class KnisterOptions(TypedDict):
    """How the table was set."""

    seats: int
    """How many seats the table has."""
    starter: int
    """The seat that starts."""


class KnisterStanding(TypedDict):
    """A row of the ranking, as the last round left it."""

    seat: int
    """Whose row it is."""
    place: int
    """Counted from 1; equals share one."""
    points: int
    """As the last round left them."""
    sheet: list[int]
    """25 numbers from a1, 0 is free, as the last round left them."""
    lines: list[int | None]
    """The points of its twelve lines; null while one is not full."""
    wrote: bool
    """Whether the seat has written the running round's roll, not where."""


class KnisterView(TypedDict):
    """What a seat, or a spectator, sees."""

    game: Literal["knister"]
    seat: int | None
    """Who looks; null for a spectator."""
    options: KnisterOptions
    """How the table is set."""
    deciding: list[int]
    """This seat, if it has to write."""
    rounds: int
    """How many rounds have ended."""
    roller: int
    """The seat that rolls."""
    roll: int | None
    """The roll that is being written."""
    waiting: int
    """How many seats have not written the roll yet."""
    sheet: list[int] | None
    """One's own sheet as it is now, from a1; 0 is a free cell. A spectator has none."""
    lines: list[int | None] | None
    """The points of the sheet's twelve lines; None for those that are not full yet."""
    standings: list[KnisterStanding]
    """The rows of the ranking that are shown, the best first."""
    over: bool
    """Whether the game has ended."""


class KnisterLine(TypedDict):
    """One of the twelve lines."""

    name: str
    """A row's number, a column's letter, ``/`` or a backslash."""
    cells: list[int]
    times: int
    """How often the line counts."""


class KnisterCombination(TypedDict):
    """What a full line can make."""

    name: str
    points: int


class KnisterRank(TypedDict):
    """A word for a total in the solitaire game (K7)."""

    least: int
    word: str


class KnisterRoll(TypedDict):
    """A sum of two dice, and in how many of the 36 ways it comes."""

    roll: int
    ways: int
    probability: float


class KnisterBox(TypedDict):
    """Everything that the pages draw with."""

    side: int
    cells: list[str]
    """The name of each cell, in the order of ``sheet`` in a view."""
    lines: list[KnisterLine]
    """The twelve lines, in the order of ``lines`` in a view."""
    combinations: list[KnisterCombination]
    ranks: list[KnisterRank]
    rolls: list[KnisterRoll]


PAPER: tuple[Line, ...] = (*reversed(LINES[:SIDE]), *LINES[SIDE:])
"""The lines as one reads them on paper: rows from the top, columns from the left, ``/`` and then the other diagonal."""


@lru_cache(maxsize=4096)
def lines(sheet: bytes) -> tuple[int | None, ...]:
    """The points of each line of ``PAPER``, diagonals doubled; None while one of its numbers is missing (K5).

    Kept for a while: all who watch a table see the same leaders.
    """
    rows = [(sheet[cells], times) for _, cells, times in PAPER]
    return tuple([combination(row).points * times if all(row) else None for row, times in rows])


def box() -> KnisterBox:
    """What is in the box."""
    from sobremesa.games.knister.state import DICE

    return {
        "side": SIDE,
        "cells": [str(write) for write in WRITES],
        "lines": [{"name": line.name, "cells": list(range(CELLS))[line.cells], "times": line.times} for line in PAPER],
        "combinations": [{"name": found.name, "points": found.points} for found in COMBINATIONS],
        "ranks": [{"least": least, "word": word} for least, word in RANKS],
        "rolls": [
            {"roll": roll, "ways": ways, "probability": float(DICE.probability(roll))}
            for roll, ways in zip(DICE.outcomes, DICE.weights, strict=True)
        ],
    }
