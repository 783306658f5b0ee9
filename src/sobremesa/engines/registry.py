"""Everybody who can sit down as a computer player, by name."""

import re
from collections.abc import Sequence
from functools import cache
from random import Random
from typing import Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.engine_set import EngineSet, Maker
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import GreedyPlayer, Player, RandomPlayer
from sobremesa.engines.uct import UctPlayer
from sobremesa.engines.usual_set import player_of, strength_of_name, strengths_of, usual_engines

PLAYERS = (*LEVELS, "greedy", "random")
"""The names of computer players: no person at a terminal is called so."""
_UCT = re.compile(r"uct-([1-9][0-9]{0,6})", re.ASCII)


@cache
def engine_set(game: Game) -> EngineSet:
    """The computer players of a game: its own, or the usual ones."""
    engines: EngineSet = game.load("engines") if game.engines else usual_engines(game)
    return engines


def players_of(game: Game) -> tuple[str, ...]:
    """Who can be seated at a table of this game, the weakest level first; no engine is imported to know it."""
    levels = tuple(LEVELS) if game.engines else tuple(strengths_of(game))
    return (*levels, *(("greedy",) if game.heuristic is not None else ()), "random")


def _maker(name: str, game: Game) -> Maker | None:
    if name == "random":
        return RandomPlayer
    if name == "greedy" and game.heuristic is not None:
        return GreedyPlayer
    if not game.engines and (strength := strength_of_name(name)) is not None:
        return player_of(name, strength)
    if match := _UCT.fullmatch(name):
        return lambda game, random: UctPlayer(game, random, engine_set(game).recall, int(match[1]))
    engines = engine_set(game)
    return engines.levels.get(name) or engines.yardsticks.get(name)


def check_player(name: str, game: Game) -> None:
    """Raises if nobody has that name."""
    if _maker(name, game) is None:
        raise InvalidSetup("engines.error.there-is-no-player", name=name[:40], players=", ".join(players_of(game)))


def find_player(name: str, game: Game, random: Random) -> Player:
    """The player of that name, ready to sit down; besides ``players_of`` yardsticks, ``uct-N`` and ``noise-X``."""
    check_player(name, game)
    maker = _maker(name, game)
    assert maker is not None
    return maker(game, random)


def past_of(game: Game, states: Sequence[State[Any]], seat: int) -> tuple[View[Any], ...]:
    """What a player of this game needs of what its seat saw earlier."""
    return engine_set(game).past(states, seat)
