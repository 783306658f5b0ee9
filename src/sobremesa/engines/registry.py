"""Everybody who can sit down as a computer player, by name."""

import re
from collections.abc import Sequence
from random import Random
from typing import Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines import callisto, isis_osiris, knister
from sobremesa.engines.engine_set import EngineSet, Maker
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import GreedyPlayer, Player, RandomPlayer
from sobremesa.engines.uct import UctPlayer

ENGINE_SETS: dict[str, EngineSet] = {
    "callisto": callisto.ENGINE_SET,
    "isis-osiris": isis_osiris.ENGINE_SET,
    "knister": knister.ENGINE_SET,
}
"""The computer players of each game, by the games' ids."""

_UCT = re.compile(r"uct-([1-9][0-9]{0,6})", re.ASCII)


def _at_level(id: str) -> Maker:
    def make(game: Game, random: Random) -> Player:
        return ENGINE_SETS[game.id].levels[id](game, random)

    return make


PLAYERS: dict[str, Maker] = {id: _at_level(id) for id in LEVELS} | {"greedy": GreedyPlayer, "random": RandomPlayer}
"""Who may be seated at any table; ``find_player`` also knows the yardsticks of a game, and ``uct-N``."""


def check_player(name: str, game: Game) -> None:
    """Raises if nobody has that name."""
    if name not in PLAYERS and name not in ENGINE_SETS[game.id].yardsticks and not _UCT.fullmatch(name):
        raise InvalidSetup(
            "there is no player “{name}”: there are {players}", name=name[:40], players=", ".join(PLAYERS)
        )


def find_player(name: str, game: Game, random: Random) -> Player:
    """The player of that name, ready to sit down."""
    check_player(name, game)
    if match := _UCT.fullmatch(name):
        return UctPlayer(game, random, ENGINE_SETS[game.id].recall, int(match[1]))
    return (PLAYERS.get(name) or ENGINE_SETS[game.id].yardsticks[name])(game, random)


def past_of(game: Game, states: Sequence[State[Any]], seat: int) -> tuple[View[Any], ...]:
    """What a player of this game needs of what its seat saw earlier."""
    return ENGINE_SETS[game.id].past(states, seat)
