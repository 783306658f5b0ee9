"""A beginner's eye for Callisto: big tiles first, towards open space, in the others' way."""

from collections.abc import Sequence

from sobremesa.games.callisto.board import PILLAR, Placement
from sobremesa.games.callisto.notation import squares
from sobremesa.games.callisto.view import CallistoView


def judge(view: CallistoView, moves: Sequence[Placement]) -> list[float]:
    """How good each move looks to somebody who thinks one move ahead."""
    state = view.state
    table = state.board
    free = table.cells
    for side in state.sides:
        free &= ~side.cells
    own = state.sides[state.turn]
    others = 0
    for seat, side in enumerate(state.sides):
        if seat != state.turn:
            others |= table.beside(side.cells)
    reach = table.beside(own.cells) & free

    def open_space(cells: int, steps: int) -> int:
        for _ in range(steps):
            cells |= table.beside(cells) & free
        return cells

    near = open_space(own.cells, 3)
    values = []
    for move in moves:
        if move.piece == PILLAR:
            new = open_space(move.cells, 3) & ~near
            values.append(new.bit_count() / 8 + (1 if not own.pillars else 0))
            continue
        gained = table.beside(move.cells) & free & ~move.cells & ~reach
        taken = others & move.cells
        values.append(4 * squares(move.piece) + gained.bit_count() + 0.5 * taken.bit_count())
    return values


def forced(view: CallistoView) -> Placement:
    """The move that looks best; among equals the first of the list."""
    moves = view.legal_moves()
    values = judge(view, moves)
    return moves[values.index(max(values))]
