"""The levels of Callisto. The stronger ones ask the network."""

from pathlib import Path
from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.callisto.player import NetworkPlayer, Skill, recall
from sobremesa.engines.player import GreedyPlayer, Player
from sobremesa.engines.school import Maker, School
from sobremesa.engines.tree import Shape
from sobremesa.games.callisto import GAME

_FEW = Shape(considered=4, batch=4, explore=0.75)
_BROAD = Shape(considered=16, batch=8, explore=0.75)
_DOUBT = 2.0
"""Of those who search for long: what the network likes at first sight is too narrow for them."""

SKILLS = {
    "club": Skill(4, noise=0.41, lots=4.2, shape=_FEW),
    "expert": Skill(4, noise=0.30, lots=3.0, shape=_FEW),
    "master": Skill(16, noise=0.09, lots=0.9, shape=_BROAD, exact=True),
    "champion": Skill(100_000, 1.8, doubt=_DOUBT, shape=_BROAD, exact=True, keeps=True),
}
"""How those play who ask the network."""


def seated(name: str, random: Random, file: Path | None = None) -> Player:
    """The player of a level, perhaps with a network from another file."""
    if file is None or name not in SKILLS:
        return SCHOOL.levels[name](GAME, random)
    return NetworkPlayer(name, GAME, random, SKILLS[name], file)


def _greedy(name: str, noise: float, sight: int | None) -> Maker:
    def make(game: Game, random: Random) -> Player:
        player = GreedyPlayer(game, random, noise, sight)
        player.name = name
        return player

    return make


def _searching(name: str) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return NetworkPlayer(name, game, random, SKILLS[name])

    return make


def _counted(simulations: int) -> Maker:
    def make(game: Game, random: Random) -> Player:
        skill = Skill(simulations, 600.0, doubt=_DOUBT, shape=_BROAD)
        return NetworkPlayer(f"search-{simulations}", game, random, skill)

    return make


SCHOOL = School(
    recall,
    {
        "child": _greedy("child", 8.0, 8),
        "beginner": _greedy("beginner", 4.0, 24),
        "casual": _greedy("casual", 2.2, 80),
        "regular": _greedy("regular", 0.4, None),
        **{name: _searching(name) for name in SKILLS},
    },
    {f"search-{simulations}": _counted(simulations) for simulations in (1, 16, 64, 200, 800)},
)
"""``search-1`` is the network alone."""
