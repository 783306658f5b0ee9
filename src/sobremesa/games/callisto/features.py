"""What a seat of Callisto sees, as numbers for learning agents.

| numbers | what |
|---|---|
| seats x cells x 2 | the cells under each seat's tiles and pillars; those under its pillars |
| seats x (tiles + 1) | how many of each tile it has left, and of pillars, in fours |
| seats x 2 | is it out; has it the turn |

The numbers of a seat stand together, those of the seat that looks first.
"""

from sobremesa.games.callisto.view import CallistoView


def features(view: CallistoView) -> list[float]:
    """The numbers; always as many at tables of one kind. A spectator looks as the first seat does."""
    state, found = view.state, list[float]()
    board = state.board
    cells = [bit for bit in range(board.cells.bit_length()) if board.cells >> bit & 1]
    for slot in range(state.seats):
        seat = ((view.seat or 0) + slot) % state.seats
        side = state.sides[seat]
        found += [float(side.cells >> bit & 1) for bit in cells]
        found += [float(side.pillars >> bit & 1) for bit in cells]
        found += [left / 4 for left in side.hand]
        found += [state.pillars_left(seat) / 4, float(state.is_out(seat)), float(state.turn == seat)]
    return found
