"""Knister, by Heinz Wüppen."""

from sobremesa.core.game import Game, Option
from sobremesa.games.knister.heuristic import forced, heuristic
from sobremesa.games.knister.moves import Write
from sobremesa.games.knister.notation import parse_position
from sobremesa.games.knister.plain import KnisterView, box
from sobremesa.games.knister.state import KnisterState
from sobremesa.games.knister.words import WORDS

GAME = Game(
    id="knister",
    name="Knister",
    designer="Heinz Wüppen",
    version=1,
    options=(Option("seats", 1, least=1, most=10**9), Option("starter", 0)),
    low_wins=False,
    series_rule=None,
    has_chance=True,
    begin=KnisterState.begin,
    parse_position=parse_position,
    heuristic=heuristic,
    forced=forced,
    words=WORDS,
    plain=KnisterView,
    box=box,
    package=__name__,
)

__all__ = ["GAME", "KnisterState", "Write"]
