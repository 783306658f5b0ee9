"""What a search that counts the end of a game out finds: exact values."""

from typing import Any, NamedTuple

from sobremesa.engines.evaluator import Values


class TimeUp(Exception):
    """The search did not come to its end."""


class Solution(NamedTuple):
    """The values of moves, and how deep the search looked."""

    moves: dict[Any, Values]
    """The values after each move, in the order of the legal moves."""
    depth: int
    exact: bool
    """Whether every line was followed to the end of the game."""
