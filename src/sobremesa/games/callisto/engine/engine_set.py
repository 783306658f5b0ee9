"""The levels of Callisto. The stronger ones ask the network."""

from pathlib import Path
from random import Random

from sobremesa.core.game import Game
from sobremesa.engines.engine_set import EngineSet, Maker, greedy
from sobremesa.engines.player import Player
from sobremesa.engines.tree import SearchSettings
from sobremesa.games.callisto import GAME
from sobremesa.games.callisto.engine.player import NetworkPlayer, Skill, recall

_NARROW_SEARCH = SearchSettings(considered=4, batch=4, c_puct=0.75)
_BROAD_SEARCH = SearchSettings(considered=16, batch=8, c_puct=0.75)
_POLICY_TEMPERATURE = 2.0
"""The policy temperature of those who search for long: the network's own policy is too narrow for them."""

SKILLS = {
    "club": Skill(4, noise=0.41, gumbel_scale=4.2, crowd_noise=0.57, settings=_NARROW_SEARCH),
    "expert": Skill(4, noise=0.30, gumbel_scale=3.0, crowd_noise=0.55, settings=_NARROW_SEARCH),
    "master": Skill(16, noise=0.09, gumbel_scale=0.9, crowd_noise=0.5, settings=_BROAD_SEARCH, exact=True),
    "champion": Skill(
        100_000, 1.8, policy_temperature=_POLICY_TEMPERATURE, settings=_BROAD_SEARCH, exact=True, reuse_tree=True
    ),
}
"""The skills of the levels that ask the network."""


def make_player(name: str, random: Random, file: Path | None = None, changes: str = "") -> Player:
    """The player of a level, perhaps with a network from another file, and with a skill that is changed."""
    if name not in SKILLS or not (file or changes):
        return ENGINE_SET.levels[name](GAME, random)
    return NetworkPlayer(name, GAME, random, SKILLS[name].changed(changes), file)


def _searching(name: str) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return NetworkPlayer(name, game, random, SKILLS[name])

    return make


def _counted(simulations: int) -> Maker:
    def make(game: Game, random: Random) -> Player:
        skill = Skill(simulations, 600.0, policy_temperature=_POLICY_TEMPERATURE, settings=_BROAD_SEARCH)
        return NetworkPlayer(f"search-{simulations}", game, random, skill)

    return make


ENGINE_SET = EngineSet(
    recall,
    {
        "child": greedy("child", 8.0, 8),
        "beginner": greedy("beginner", 4.0, 24),
        "casual": greedy("casual", 2.2, 80),
        "regular": greedy("regular", 0.4, None),
        **{name: _searching(name) for name in SKILLS},
    },
    {f"search-{simulations}": _counted(simulations) for simulations in (1, 16, 64, 200, 800)},
)
"""``search-1`` is the network alone."""
