"""Positions of Callisto for the examples, written by hand or filled with tiles."""

from sobremesa.games.callisto import GAME, CallistoState, Placement
from sobremesa.games.callisto.board import find_board


def position(
    *placed: str, edition: str = "classic", starter: int = 0, turn: int | None = 0, out: str = ""
) -> CallistoState:
    """What each seat has placed, pieces with spaces between them; no turn means that the game is over."""
    sides = [side.replace(" ", ";") or "-" for side in placed]
    state = GAME.parse_position(
        f"callisto edition={edition} seats={len(sides)} starter={starter} turn={'-' if turn is None else turn}"
        f" out={out or '.' * len(sides)} placed={'/'.join(sides)}"
    )
    assert isinstance(state, CallistoState)
    return state


def start(edition: str = "classic", seats: int = 2, starter: int = 0) -> CallistoState:
    """An empty board."""
    return CallistoState.begin(edition, seats, starter)


def over(*left: str, edition: str = "classic", starter: int = 0, pillars: int = 2) -> CallistoState:
    """The end of a game in which each seat has these tiles left; the others lie wherever they fit.

    Without care: a board that is nearly full is too much to ask.
    """
    board = find_board(edition, len(left))
    free = board.cells
    sides: list[list[str]] = [[] for _ in left]

    def lay(seat: int, piece: str, where: int) -> None:
        nonlocal free
        place = next(p for p in board.placements if p.piece == piece and not p.cells & ~where)
        free &= ~place.cells
        sides[seat].append(place.text)

    for seat in range(len(left)):
        for _ in range(pillars):
            lay(seat, "P", free & ~board.centre)
    for piece in reversed(board.pieces):  # the big ones first
        for seat, hand in enumerate(left):
            for _ in range(board.edition.tiles[piece] - hand.split().count(piece)):
                lay(seat, piece, free)
    return position(*map(" ".join, sides), edition=edition, starter=starter, turn=None, out="x" * len(left))


def pieces(moves: list[Placement]) -> set[str]:
    """The pieces that some moves place."""
    return {move.piece for move in moves}
