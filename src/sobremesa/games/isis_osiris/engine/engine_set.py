"""The levels of Isis & Osiris."""

from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.engine_set import EngineSet, Maker, greedy
from sobremesa.engines.player import Player
from sobremesa.games.isis_osiris.engine.expectimax import ExpectimaxPlayer
from sobremesa.games.isis_osiris.engine.memory import recall
from sobremesa.games.isis_osiris.engine.player import NetworkPlayer, Skill


def _network(name: str, skill: Skill) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return NetworkPlayer(name, game, random, skill)

    return make


def _expectimax(depth: int) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return ExpectimaxPlayer(f"expectimax-{depth}", game, random, depth)

    return make


ENGINE_SET = EngineSet(
    recall,
    {
        "child": greedy("child", 6.0),
        "beginner": greedy("beginner", 3.2),
        "casual": greedy("casual", 1.3),
        "regular": greedy("regular", 0.5),
        "club": _network("club", Skill(noise=0.025, memory_span=42.0)),
        "expert": _network("expert", Skill(noise=0.02, memory_span=150.0)),
        "master": _network("master", Skill(noise=0.012, exact=True)),
        "champion": _network("champion", Skill(2000, exact=True)),
    },
    yardsticks={"net": _network("net", Skill())} | {f"expectimax-{depth}": _expectimax(depth) for depth in (1, 2)},
    remembers=True,
)
