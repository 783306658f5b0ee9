"""The library's positions and moves as JAX has them, for ``batch.alongside``."""

from sobremesa.core.game import Value
from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto.board import Placement
from sobremesa.games.callisto.editions import EDITIONS

TABLES: list[dict[str, Value]] = [
    {"edition": name, "seats": seats} for name, edition in EDITIONS.items() for seats in edition.boards
]
QUICK = TABLES[::2]
USUAL: dict[str, Value] = {"edition": "pocket", "seats": 4}
DRAWN = ""


def action(state: CallistoState, move: Placement) -> int:
    return int(move.number)


def scores(state: CallistoState) -> list[int]:
    return [state.penalty(seat) for seat in range(state.seats)]


def outcomes(state: CallistoState) -> tuple[int, ...]:
    return ()
