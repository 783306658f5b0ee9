"""Callisto, by Reiner Knizia."""

from sobremesa.core.game import Game, Option
from sobremesa.games.callisto.board import Placement
from sobremesa.games.callisto.editions import EDITIONS
from sobremesa.games.callisto.heuristic import forced, heuristic
from sobremesa.games.callisto.notation import parse_position
from sobremesa.games.callisto.plain import CallistoView, box
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.words import WORDS

GAME = Game(
    id="callisto",
    name="Callisto",
    designer="Reiner Knizia",
    version=1,
    options=(
        Option("edition", "classic", choices=tuple(EDITIONS)),
        Option("seats", 2, choices=(2, 3, 4)),
        Option("starter", 0),
    ),
    low_wins=True,
    even_starts=True,
    has_chance=False,
    begin=CallistoState.begin,
    parse_position=parse_position,
    heuristic=heuristic,
    forced=forced,
    words=WORDS,
    plain=CallistoView,
    box=box,
    package=__name__,
    scores_so_far=lambda state: tuple(state.penalty(seat) for seat in range(state.seats)),
)

__all__ = ["GAME", "CallistoState", "Placement"]
