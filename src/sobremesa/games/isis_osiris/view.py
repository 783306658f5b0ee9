"""What a seat sees of Isis & Osiris. Everybody sees the same; remembering is up to them (I3)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from sobremesa.core.state import View
from sobremesa.games.isis_osiris import plain
from sobremesa.games.isis_osiris.editions import Edition, find_edition
from sobremesa.games.isis_osiris.moves import TURN, Move, moves_on

if TYPE_CHECKING:
    from sobremesa.core.result import Result
    from sobremesa.games.isis_osiris.state import IsisOsirisState

FREE = "."
HIDDEN = "?"


@dataclass(frozen=True)
class IsisOsirisView(View[Move]):
    """The table as it lies there, without the values that lie face down.

    They are shown with the memory aid, and to everybody when the game is over (I7).
    """

    seat: int | None
    edition: str
    seats: int
    variant: str
    memory_aid: bool
    starter: int
    turn: int | None
    """Whose turn it is; None when the game is over."""
    turning: bool
    """A tile is being turned over, and nobody knows it yet."""
    turned: int | None
    """The value of the tile that lies face up, waiting for a cell."""
    cells: tuple[str, ...]
    """For each cell ``.`` free, ``A``-``D`` a seat's stone, ``?`` a tile face down, or its value (``+2``)."""
    stones_left: tuple[int, ...]
    tiles_left: tuple[int, ...]
    """How many tiles each seat can still turn over; with the common stock all see the same pile."""
    scores: tuple[int, ...] | None
    """The totals once the game is over (I7)."""
    places: tuple[int, ...] | None

    @classmethod
    def of(cls, state: IsisOsirisState, seat: int | None) -> Self:
        from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING

        result: Result | None = state.result()
        shown = state.setup.memory_aid or state.over
        cells = [FREE] * len(state.tiles)
        for cell, value in enumerate(state.tiles):
            if value:
                cells[cell] = f"{value:+}" if shown else HIDDEN
        for owner, stones in enumerate(state.stones):
            for cell in range(len(cells)):
                if stones >> cell & 1:
                    cells[cell] = "ABCD"[owner]
        return cls(
            seat=seat,
            **state.options,
            turn=None if state.over else state.turn,
            turning=state.turned == FACE_DOWN,
            turned=None if state.turned in (NOTHING, FACE_DOWN) else state.turned,
            cells=tuple(cells),
            stones_left=state.stones_left,
            tiles_left=tuple(state.tiles_left(owner) for owner in range(state.seats)),
            scores=result.scores if result else None,
            places=result.places if result else None,
        )

    @property
    def board(self) -> Edition:
        """The board and its pieces."""
        return find_edition(self.edition)

    def legal_moves(self) -> tuple[Move, ...]:
        if self.seat is None or self.seat != self.turn or self.turning:
            return ()
        free = sum(1 << cell for cell, mark in enumerate(self.cells) if mark == FREE)
        moves = moves_on(self.board.names)
        if self.turned is not None:
            return moves.on("tile", free)
        stones = moves.on("stone", free) if self.stones_left[self.seat] else ()
        return (*stones, TURN) if self.tiles_left[self.seat] else stones

    def as_dict(self) -> plain.IsisOsirisView:
        return {
            "game": "isis-osiris",
            "seat": self.seat,
            "options": {
                "edition": self.edition,
                "seats": self.seats,
                "variant": self.variant,
                "memory_aid": self.memory_aid,
                "starter": self.starter,
            },
            "deciding": [] if self.turn is None or self.turning else [self.turn],
            "turn": self.turn,
            "turning": self.turning,
            "turned": self.turned,
            "cells": list(self.cells),
            "stones_left": list(self.stones_left),
            "tiles_left": list(self.tiles_left),
            "scores": list(self.scores) if self.scores else None,
            "places": list(self.places) if self.places else None,
        }

    def text(self, colour: bool = False) -> str:
        from sobremesa.games.isis_osiris import draw

        return draw.text(self, colour)

    def svg(self, last: Move | None = None) -> str:
        from sobremesa.games.isis_osiris import draw

        return draw.svg(self, last)
