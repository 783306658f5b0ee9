"""Players that compute. They see a seat's view, never the state."""

from sobremesa.engines.levels import LEVELS
from sobremesa.engines.player import Budget, Candidate, GreedyPlayer, Player, RandomPlayer, Thought
from sobremesa.engines.registry import PLAYERS, SCHOOLS, find_player

__all__ = [
    "LEVELS",
    "PLAYERS",
    "SCHOOLS",
    "Budget",
    "Candidate",
    "GreedyPlayer",
    "Player",
    "RandomPlayer",
    "Thought",
    "find_player",
]
