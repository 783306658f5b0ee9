"""The levels of Isis & Osiris."""

from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.isis_osiris.memory import recall
from sobremesa.engines.isis_osiris.player import PlayoutPlayer, Skill
from sobremesa.engines.player import GreedyPlayer, Player
from sobremesa.engines.school import Maker, School


def _greedy(name: str, noise: float) -> Maker:
    def make(game: Game, random: Random) -> Player:
        player = GreedyPlayer(game, random, noise)
        player.name = name
        return player

    return make


def _playouts(name: str, skill: Skill) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return PlayoutPlayer(name, random, skill)

    return make


SCHOOL = School(
    recall,
    {
        "child": _greedy("child", 6.0),
        "beginner": _greedy("beginner", 2.5),
        "casual": _greedy("casual", 1.3),
        "regular": _greedy("regular", 0.3),
        "club": _playouts("club", Skill(400, span=10.0)),
        "expert": _playouts("expert", Skill(500)),
        "master": _playouts("master", Skill(1500, exact=True)),
        "champion": _playouts("champion", Skill(20_000, exact=True)),
    },
    remembers=True,
)
