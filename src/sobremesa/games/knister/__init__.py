"""Knister, by Heinz Wüppen."""

from sobremesa.core.game import Game, Option
from sobremesa.games.knister.moves import Write
from sobremesa.games.knister.notation import parse_position
from sobremesa.games.knister.state import KnisterState

GAME = Game(
    id="knister",
    name="Knister",
    designer="Heinz Wüppen",
    version=1,
    options=(Option("seats", 1, least=1), Option("starter", 0)),
    low_wins=False,
    even_starts=False,
    begin=KnisterState.begin,
    parse_position=parse_position,
    package=__name__,
)

__all__ = ["GAME", "KnisterState", "Write"]
