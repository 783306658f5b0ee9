"""The library's positions and moves as JAX has them, for ``batch.alongside``."""

from sobremesa.core.game import Value
from sobremesa.games.isis_osiris import IsisOsirisState
from sobremesa.games.isis_osiris.editions import EDITIONS, SMALL, VARIANTS
from sobremesa.games.isis_osiris.moves import Move

TABLES: list[dict[str, Value]] = [
    {"edition": name, "variant": variant, "seats": seats}
    for name, edition in (EDITIONS | SMALL).items()
    for variant in VARIANTS
    for seats in edition.hands
]
QUICK = [options for options in TABLES if options["edition"] not in SMALL or options["variant"] == "common"][::2]
USUAL: dict[str, Value] = {"edition": "standard", "variant": "own", "seats": 4}
DRAWN = "turned"


def action(state: IsisOsirisState, move: Move) -> int:
    return int(move.cell) % (len(state.tiles) + 1)  # TURN, on cell -1, is the last


def scores(state: IsisOsirisState) -> list[int]:
    return list(state.scores())


def outcomes(state: IsisOsirisState) -> tuple[int, ...]:
    return tuple(state.setup.values)
