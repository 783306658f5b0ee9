"""A heuristic for Callisto, as a beginner sees it: big tiles first, towards open space, in the others' way."""

from collections.abc import Sequence

from sobremesa.games.callisto.board import PILLAR, Placement
from sobremesa.games.callisto.notation import squares
from sobremesa.games.callisto.view import CallistoView


def heuristic(view: CallistoView, moves: Sequence[Placement]) -> list[float]:
    """The value of each move, one move ahead."""
    state = view.state
    board = state.board
    free = board.cells
    for side in state.sides:
        free &= ~side.cells
    own = state.sides[state.turn]
    others = 0
    for seat, side in enumerate(state.sides):
        if seat != state.turn:
            others |= board.beside(side.cells)
    reach = board.beside(own.cells) & free

    def open_space(cells: int, steps: int) -> int:
        for _ in range(steps):
            cells |= board.beside(cells) & free
        return cells

    near = open_space(own.cells, 3)
    values = []
    for move in moves:
        if move.piece == PILLAR:
            new = open_space(move.cells, 3) & ~near
            values.append(new.bit_count() / 8 + (1 if not own.pillars else 0))
            continue
        gained = board.beside(move.cells) & free & ~move.cells & ~reach
        taken = others & move.cells
        values.append(4 * squares(move.piece) + gained.bit_count() + 0.5 * taken.bit_count())
    return values


def forced(view: CallistoView) -> Placement:
    """The move of the highest value; among equals the first of the list."""
    moves = view.legal_moves()
    values = heuristic(view, moves)
    return moves[values.index(max(values))]
