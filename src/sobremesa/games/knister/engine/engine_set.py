"""The levels of Knister."""

from collections.abc import Sequence
from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.engine_set import EngineSet, Maker, greedy
from sobremesa.engines.player import Player
from sobremesa.games.knister.engine.player import NetworkPlayer, Skill
from sobremesa.games.knister.sheets import Sheets
from sobremesa.games.knister.state import KnisterState
from sobremesa.games.knister.view import KnisterView


def recall(view: KnisterView, past: Sequence[KnisterView], seed: str) -> KnisterState:
    """One's own sheet alone: the others' sheets change nothing about what can be written on it."""
    assert view.sheet is not None
    sheets = Sheets([view.sheet])
    return KnisterState(0, view.rounds, view.roll or 0, int(view.to_write), sheets, sheets)


def _network(name: str, skill: Skill) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return NetworkPlayer(name, random, skill)

    return make


ENGINE_SET = EngineSet(
    recall,
    {
        "child": greedy("child", 6.5),
        "beginner": greedy("beginner", 3.8),
        "casual": greedy("casual", 2.5),
        "regular": greedy("regular", 1.6),
        "club": greedy("club", 0.85),
        "expert": _network("expert", Skill(noise=1.35)),
        "master": _network("master", Skill(noise=0.85)),
        "champion": _network("champion", Skill(ahead=True, exact=True, to_win=True)),
    },
    {
        "net": _network("net", Skill()),
        "net-ahead": _network("net-ahead", Skill(ahead=True, exact=True)),
        "net-points": _network("net-points", Skill(exact=True)),
        "net-wins": _network("net-wins", Skill(exact=True, to_win=True)),
    },
)
"""Even steps of about six points a game; see docs/engines/knister.md."""
