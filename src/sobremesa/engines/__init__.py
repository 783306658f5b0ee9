"""Players that compute. They see a seat's view, never the state."""

from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import Budget, Candidate, GreedyPlayer, Player, RandomPlayer, Thought
from sobremesa.engines.registry import ENGINE_SETS, PLAYERS, find_player

__all__ = [
    "ENGINE_SETS",
    "LEVELS",
    "PLAYERS",
    "Budget",
    "Candidate",
    "GreedyPlayer",
    "Player",
    "RandomPlayer",
    "Thought",
    "find_player",
]
