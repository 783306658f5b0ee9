"""The digital home of three tabletop games: Callisto, Isis & Osiris and Knister."""

from sobremesa.core.playout import playout
from sobremesa.games import GAMES, find_game, parse_position

__version__ = "0.1.0"
__all__ = ["GAMES", "find_game", "parse_position", "playout"]
