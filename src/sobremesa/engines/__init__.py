"""Players that compute. They see a seat's view, never the state."""

from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import Budget, Candidate, GreedyPlayer, Player, RandomPlayer, Thought
from sobremesa.engines.registry import PLAYERS, engine_set, find_player, players_of

__all__ = [
    "LEVELS",
    "PLAYERS",
    "Budget",
    "Candidate",
    "GreedyPlayer",
    "Player",
    "RandomPlayer",
    "Thought",
    "engine_set",
    "find_player",
    "players_of",
]
