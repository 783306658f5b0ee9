"""Isis & Osiris, by Michael Schacht."""

from sobremesa.core.game import Game, Option
from sobremesa.games.isis_osiris.editions import EDITIONS, VARIANTS
from sobremesa.games.isis_osiris.heuristic import forced, heuristic
from sobremesa.games.isis_osiris.moves import TURN, Move
from sobremesa.games.isis_osiris.notation import parse_position
from sobremesa.games.isis_osiris.plain import IsisOsirisView, box
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.isis_osiris.words import WORDS

GAME = Game(
    id="isis-osiris",
    name="Isis & Osiris",
    designer="Michael Schacht",
    version=1,
    options=(
        Option("edition", "standard", choices=tuple(EDITIONS)),
        Option("seats", 2, choices=(2, 3, 4)),
        Option("variant", "own", choices=VARIANTS),
        Option("memory_aid", False, choices=(False, True)),
        Option("starter", 0),
    ),
    low_wins=False,
    even_starts=False,
    has_chance=True,
    begin=IsisOsirisState.begin,
    parse_position=parse_position,
    heuristic=heuristic,
    forced=forced,
    words=WORDS,
    plain=IsisOsirisView,
    box=box,
    package=__name__,
    hides=lambda move: move.startswith("T"),
)

__all__ = ["GAME", "TURN", "IsisOsirisState", "Move"]
