"""Players that compute. They see a seat's view, never the state."""

from sobremesa.engines.player import PLAYERS, GreedyPlayer, Player, RandomPlayer, find_player

__all__ = ["PLAYERS", "GreedyPlayer", "Player", "RandomPlayer", "find_player"]
