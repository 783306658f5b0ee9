"""The rules of Reversi on a board of 8 x 8; comments cite their numbers."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar

from sobremesa.core.chance import Chance
from sobremesa.core.errors import IllegalMove, InvalidMove, InvalidPosition
from sobremesa.core.position import read_choice, read_position, write_position
from sobremesa.core.result import Result, places
from sobremesa.core.seats import NOBODY, Seats
from sobremesa.core.state import State

SIDE = 8
FREE, DISCS = ".", "XO"
NAMES = tuple(f"{column}{row}" for row in range(1, SIDE + 1) for column in "abcdefgh")
"""The cells from a1, row by row upwards."""
START = "." * 27 + "XO" + "." * 6 + "OX" + "." * 27


class Move(str):
    """The cell of a disc."""

    __slots__ = ()


MOVES = tuple(map(Move, NAMES))


def _rays() -> list[list[list[int]]]:
    """For each cell, the cells in each of the eight directions."""
    steps = [(dx, dy) for dx in (-1, 0, 1) for dy in (-1, 0, 1) if dx or dy]

    def ray(x: int, y: int, dx: int, dy: int) -> list[int]:
        found = []
        while 0 <= (x := x + dx) < SIDE and 0 <= (y := y + dy) < SIDE:
            found.append(y * SIDE + x)
        return found

    return [[ray(cell % SIDE, cell // SIDE, *step) for step in steps] for cell in range(SIDE * SIDE)]


RAYS = _rays()


@dataclass(frozen=True)
class ReversiState(State[Move]):
    """A position."""

    seats: ClassVar[int] = 2
    chance: ClassVar[Chance | None] = None
    starter: int
    turn: int
    cells: str

    @classmethod
    def begin(cls, seats: int, starter: int) -> "ReversiState":
        """R1: two discs each in the middle; seat 0 has X."""
        return cls(starter, starter, START)

    @property
    def options(self) -> dict[str, Any]:
        return {"seats": 2, "starter": self.starter}

    @cached_property
    def _turned(self) -> dict[Move, list[int]]:
        """R2, R3: the legal moves of who has the turn, and the discs that each turns over."""
        return _moves(self.cells, self.turn)

    @property
    def deciding(self) -> Seats:
        return Seats(1 << self.turn) if self._turned else NOBODY

    def legal_moves(self, seat: int | None = None) -> Sequence[Move]:
        return list(self._turned) if seat in (None, self.turn) else []

    def count_moves(self, seat: int | None = None) -> int:
        return len(self.legal_moves(seat))

    def play(self, move: Move | str, seat: int | None = None) -> "ReversiState":
        if type(move) is not Move:
            move = self.parse_move(move, seat)
        if not self._turned:
            raise IllegalMove("R5", "reversi.over")
        if seat not in (None, self.turn):
            raise IllegalMove("R4", "reversi.not-your-turn")
        if move not in self._turned:
            taken = self.cells[NAMES.index(move)] != FREE
            raise IllegalMove("R2", "reversi.taken" if taken else "reversi.turns-nothing")
        cells = list(self.cells)
        for cell in (NAMES.index(move), *self._turned[move]):
            cells[cell] = DISCS[self.turn]
        after = "".join(cells)
        # R4: who cannot move is skipped. R5: the game ends when nobody can.
        other = 1 - self.turn
        turn = other if _moves(after, other) or not _moves(after, self.turn) else self.turn
        return replace(self, turn=turn, cells=after)

    def happen(self, outcome: int) -> "ReversiState":
        raise IllegalMove("R1", "reversi.no-chance")

    def parse_move(self, text: str, seat: int | None = None) -> Move:
        if (name := text.strip().lower()) not in NAMES:
            raise InvalidMove("reversi.no-cell", text=text[:20])
        return Move(name)

    def result(self) -> Result | None:
        """R6: who has more discs wins."""
        if self._turned:
            return None
        scores = (self.cells.count("X"), self.cells.count("O"))
        return Result(scores, places([-score for score in scores]))

    def view(self, seat: int | None) -> Any:
        from sobremesa_reversi.view import ReversiView

        self.check_seat(seat)
        return ReversiView(self, seat)

    def position(self) -> str:
        return write_position("reversi", {"starter": self.starter, "turn": self.turn, "cells": self.cells})


def _moves(cells: str, seat: int) -> dict[Move, list[int]]:
    mine, theirs = DISCS[seat], DISCS[1 - seat]
    found = {}
    for cell, move in enumerate(MOVES):
        if cells[cell] != FREE:
            continue
        turned: list[int] = []
        for ray in RAYS[cell]:
            between = 0
            while between < len(ray) and cells[ray[between]] == theirs:
                between += 1
            if between and between < len(ray) and cells[ray[between]] == mine:
                turned += ray[:between]
        if turned:
            found[move] = turned
    return found


def parse_position(text: str) -> ReversiState:
    """A position in writing."""
    fields = read_position(text, "reversi", ("starter", "turn", "cells"))
    starter, turn = (int(read_choice(fields, key, ("0", "1"))) for key in ("starter", "turn"))
    cells = fields["cells"]
    if len(cells) != SIDE * SIDE or set(cells) - set(FREE + DISCS):
        raise InvalidPosition("reversi.cells", count=SIDE * SIDE, marks=FREE + DISCS)
    if not _moves(cells, turn) and _moves(cells, 1 - turn):
        raise InvalidPosition("reversi.turn", turn=turn)
    return ReversiState(starter, turn, cells)
