"""Computer players for a game that brings none of its own: a heuristic with noise, and UCT.

The weak levels look one move ahead and see badly; the strong ones play many random games in their heads. A game without
a heuristic has UCT alone, a game that cannot ``sample`` what a seat does not see has the heuristic alone.
``sobremesa levels GAME`` measures how far apart they are, and writes other strengths into the game's ``levels.json``.
"""

import json
import re
from collections.abc import Sequence
from importlib.resources import files
from random import Random
from typing import Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.engine_set import EngineSet, Maker
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import GreedyPlayer, Player
from sobremesa.engines.uct import UctPlayer

MAX_SECONDS = 1.8
"""Seconds that a level may take for a move, however many simulations it should have."""
WORLDS = 8
"""Guesses of what is hidden over which a searching player spreads its simulations."""
LEVELS_FILE = "levels.json"
_NAMED = re.compile(r"(?:(uct)-([1-9][0-9]{0,6})|noise-([0-9]{1,3}(?:\.[0-9]{1,3})?))", re.ASCII)
BY_HEURISTIC = {"child": 4.0, "beginner": 2.0, "casual": 1.0, "regular": 0.4}
"""The noise of the levels that look one move ahead, in standard deviations of the values before them."""
BY_SEARCH = {"club": 30, "expert": 100, "master": 350, "champion": 2500}
"""The simulations of the levels that search."""
SEARCH_ALONE = {"child": 2, "beginner": 4, "casual": 8, "regular": 16} | BY_SEARCH
HEURISTIC_ALONE = BY_HEURISTIC | {"club": 0.2, "expert": 0.1, "master": 0.05, "champion": 0.0}


def strengths_of(game: Game) -> dict[str, float]:
    """What each level is made of: noise for the heuristic, or a whole number of simulations; empty for no players."""
    file = files(game.package) / LEVELS_FILE
    if file.is_file():
        written: dict[str, float] = json.loads(file.read_text(encoding="utf-8"))["levels"]
        if list(written) != list(LEVELS):
            raise InvalidSetup("engines.error.needs-the-levels", file=LEVELS_FILE, levels=", ".join(LEVELS))
        return written
    if game.sample is None:
        return {} if game.heuristic is None else dict(HEURISTIC_ALONE)
    return dict(SEARCH_ALONE) if game.heuristic is None else BY_HEURISTIC | BY_SEARCH


def usual_engines(game: Game) -> EngineSet:
    """The computer players of a game that has none of its own."""
    return EngineSet(
        recall=_recall(game),
        levels={id: player_of(id, strength) for id, strength in strengths_of(game).items()},
    )


def player_of(name: str, strength: float) -> Maker:
    """A player by its strength: a whole number of simulations from 1 on, or the noise of one who looks a move ahead."""

    def make(game: Game, random: Random) -> Player:
        player: Player
        if isinstance(strength, int) and strength >= 1:
            player = UctPlayer(game, random, _recall(game), strength, MAX_SECONDS, WORLDS if game.hidden else 1)
        else:
            player = GreedyPlayer(game, random, relative_noise=strength)
        player.name = name
        return player

    return make


def strength_name(strength: float) -> str:
    """A player's name in the arena by its strength."""
    return f"uct-{strength}" if isinstance(strength, int) else f"noise-{strength:g}"


def strength_of_name(name: str) -> float | None:
    """The strength of such a name; None for another name."""
    if match := _NAMED.fullmatch(name):
        return int(match[2]) if match[1] else float(match[3])
    return None


def _recall(game: Game) -> Any:
    def recall(view: View[Any], past: Sequence[View[Any]], seed: str) -> State[Any]:
        if game.sample is None:
            raise InvalidSetup("engines.error.has-no-players-that-search", game=game.name)
        return game.sample(view, Random(seed))

    return recall
