"""The levels of Isis & Osiris."""

from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.isis_osiris.memory import recall
from sobremesa.engines.isis_osiris.player import NetworkPlayer, Skill
from sobremesa.engines.player import GreedyPlayer, Player
from sobremesa.engines.school import Maker, School


def _greedy(name: str, noise: float) -> Maker:
    def make(game: Game, random: Random) -> Player:
        player = GreedyPlayer(game, random, noise)
        player.name = name
        return player

    return make


def _network(name: str, skill: Skill) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return NetworkPlayer(name, game, random, skill)

    return make


SCHOOL = School(
    recall,
    {
        "child": _greedy("child", 6.0),
        "beginner": _greedy("beginner", 3.2),
        "casual": _greedy("casual", 1.3),
        "regular": _greedy("regular", 0.5),
        "club": _network("club", Skill(noise=0.025, span=42.0)),
        "expert": _network("expert", Skill(noise=0.02, span=150.0)),
        "master": _network("master", Skill(noise=0.012, exact=True)),
        "champion": _network("champion", Skill(2000, exact=True)),
    },
    yardsticks={"net": _network("net", Skill())},
    remembers=True,
)
