"""Callisto in writing: moves as Pentobi writes them, their short form, and positions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sobremesa.core.cells import parse_cell
from sobremesa.core.errors import AmbiguousMove, InvalidMove, InvalidPosition
from sobremesa.core.position import read_choice, read_number, read_position, write_position
from sobremesa.games.callisto.board import PILLAR, Board, Placement, find_board
from sobremesa.games.callisto.editions import EDITIONS, SHAPES

if TYPE_CHECKING:
    from sobremesa.games.callisto.state import CallistoState

GAME = "callisto"
_FIELDS = ("edition", "seats", "starter", "turn", "out", "placed")
_SHORT = re.compile(r"([a-z0-9]{1,3})@([a-z][0-9]{1,2})", re.ASCII)


def squares(piece: str) -> int:
    """How many squares a tile has, and so what it costs at the end (C9)."""
    return SHAPES[piece].count("#")


def parse_cells(text: str, board: Board) -> Placement:
    """The placement on these cells, given in any order (``e9,e10,f10``)."""
    if len(text) > 40:
        raise InvalidMove("callisto.error.the-text-is-too-long-for-a-move")
    cells = 0
    for name in text.split(","):
        bit = board.bit(*parse_cell(name, board.width, board.height))
        if cells & bit:
            raise InvalidMove("callisto.error.the-cell-is-named-twice", cell=name)
        cells |= bit
    if cells & ~board.cells:
        raise InvalidMove("callisto.error.some-of-these-cells-are-not-on-this", text=text)
    placement = board.by_cells.get(cells)
    if placement is None:
        raise InvalidMove("callisto.error.no-tile-has-the-shape-of-these-cells", text=text)
    return placement


def parse_move(text: str, state: CallistoState) -> Placement:
    """A move by its cells, or in the short form; there the orientation may be left out if only one is legal."""
    text = text.strip().lower()
    if "@" not in text:
        return parse_cells(text, state.board)
    placement = state.board.by_short.get(text)
    if placement is not None:
        return placement
    match = _SHORT.fullmatch(text)
    pieces = {piece.lower(): piece for piece in (PILLAR, *state.board.pieces)}
    if match is None or match[1].rstrip("abcdefgh") not in pieces:
        raise InvalidMove("callisto.error.is-no-move", text=text[:40])
    parse_cell(match[2], state.board.width, state.board.height)
    if match[1] not in pieces:
        raise InvalidMove("callisto.error.that-tile-cannot-lie-there-in-that-way")
    moves = [m for m in state.legal_moves() if m.piece == pieces[match[1]] and m.short.lower().endswith(f"@{match[2]}")]
    if not moves:
        raise InvalidMove("callisto.error.the-tile-does-not-fit-there-whichever-way")
    if len(moves) > 1:
        raise AmbiguousMove(
            "callisto.error.the-tile-fits-there-in-several-ways", moves=" ".join(m.short for m in moves)
        )
    return moves[0]


def write(state: CallistoState) -> str:
    """The position as one line of text."""
    known = state.board.by_cells
    return write_position(
        GAME,
        state.options
        | {
            "turn": "-" if state.over else state.turn,
            "out": "".join("x" if state.is_out(seat) else "." for seat in range(state.seats)),
            "placed": "/".join(";".join(known[cells].text for cells in side.placed) or "-" for side in state.sides),
        },
    )


def parse_position(text: str) -> CallistoState:
    """Reads what ``write`` wrote; a position that no game could reach is refused where it matters to the rules."""
    from sobremesa.games.callisto.state import OVER, CallistoState, Side

    fields = read_position(text, GAME, _FIELDS)
    edition = EDITIONS[read_choice(fields, "edition", tuple(EDITIONS))]
    seats = int(read_choice(fields, "seats", tuple(map(str, edition.boards))))
    starter = int(read_choice(fields, "starter", tuple(map(str, range(seats)))))
    board = find_board(edition.name, seats)
    if len(fields["out"]) != seats or set(fields["out"]) - set("x."):
        raise InvalidPosition("callisto.error.out-needs-an-x-or-a-dot-for-each", out=fields["out"][:20])
    out = sum(1 << seat for seat, mark in enumerate(fields["out"]) if mark == "x")
    turn = OVER if fields["turn"] == "-" else read_number(fields, "turn")
    hands = fields["placed"].split("/")
    if len(hands) != seats:
        raise InvalidPosition("callisto.error.placed-needs-a-part-for-each-seat-with-between")
    sides = []
    taken = 0
    for hand in hands:
        cells = pillars = 0
        left = dict(edition.tiles)
        placed = []
        for name in hand.split(";") if hand != "-" else ():
            try:
                move = parse_cells(name, board)
            except InvalidMove as error:
                raise InvalidPosition(error.id, **error.values) from None
            if move.cells & taken:
                raise InvalidPosition("callisto.error.two-pieces-lie-on-one-cell", move=name)
            taken |= move.cells
            cells |= move.cells
            placed.append(move.cells)
            if move.piece == PILLAR:
                pillars |= move.cells
            else:
                left[move.piece] -= 1
        if min(left.values()) < 0 or pillars.bit_count() > len(edition.pillars):
            raise InvalidPosition("callisto.error.a-seat-has-placed-more-pieces-than-it-has")
        if pillars.bit_count() < 2 and cells != pillars:
            raise InvalidPosition("callisto.error.a-seat-has-placed-tiles-before-its-first")
        sides.append(Side(cells, pillars, tuple(sorted(placed)), tuple(left.values())))
    if turn == OVER:
        if out != (1 << seats) - 1:
            raise InvalidPosition("callisto.error.the-game-is-over-only-when-everybody-is-out")
    elif turn >= seats or out >> turn & 1:
        raise InvalidPosition("callisto.error.turn-is-no-seat-that-is-still-in-the-game", turn=turn)
    state = CallistoState(board, starter, turn, out, tuple(sides))
    if turn != OVER and not state.can_place(turn):
        raise InvalidPosition("callisto.error.seat-has-the-turn-but-can-place-nothing", turn=turn)
    return state
