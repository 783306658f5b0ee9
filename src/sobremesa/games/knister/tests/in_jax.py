"""The library's positions and moves as JAX has them, for ``batch.alongside``."""

from sobremesa.core.game import Value
from sobremesa.games.knister import KnisterState, Write
from sobremesa.games.knister.scoring import points

TABLES: list[dict[str, Value]] = [{"seats": seats} for seats in (1, 2, 5)]
QUICK = TABLES[1:2]
USUAL: dict[str, Value] = {"seats": 5}
DRAWN = "roll"


def action(state: KnisterState, move: Write) -> int:
    return int(move.cell)


def scores(state: KnisterState) -> list[int]:
    return [points(sheet) for sheet in state.sheets]


def outcomes(state: KnisterState) -> tuple[int, ...]:
    return tuple(range(2, 13))
