"""A heuristic for Isis & Osiris, as a beginner sees it: plus beside my stones, minus beside theirs; no memory."""

from collections.abc import Sequence

from sobremesa.games.isis_osiris.moves import Move
from sobremesa.games.isis_osiris.view import FREE, HIDDEN, IsisOsirisView


def heuristic(view: IsisOsirisView, moves: Sequence[Move]) -> list[float]:
    """The value of each move to somebody who sees the table and has forgotten the face-down tiles."""
    mine = "ABCD"[view.turn or 0]
    beside = view.board.neighbours

    def balance(cell: int) -> float:
        """My stones beside the cell less the strongest claim of the others."""
        marks = [view.cells[other] for other in beside[cell]]
        return marks.count(mine) - max((marks.count(mark) for mark in "ABCD" if mark != mine), default=0)

    def stone(cell: int) -> float:
        marks = [view.cells[other] for other in beside[cell]]
        known = sum(int(mark) for mark in marks if mark[0] in "+-")
        return known + 0.3 * marks.count(FREE) - 0.1 * marks.count(HIDDEN) - 0.2 * marks.count(mine)

    chances = [balance(cell) for cell, mark in enumerate(view.cells) if mark == FREE]
    spread = 1.0 * max(chances, default=0) - 1.0 * min(chances, default=0)
    values = []
    for move in moves:
        if move.kind == "turn":
            values.append(spread)
        elif move.kind == "tile":
            values.append((view.turned or 0) * balance(move.cell))
        else:
            values.append(stone(move.cell))
    return values


def forced(view: IsisOsirisView) -> Move:
    """The move of the highest value; among equals the first of the list."""
    moves = view.legal_moves()
    values = heuristic(view, moves)
    return moves[values.index(max(values))]
