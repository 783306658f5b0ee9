"""How a game is put into words: ids of its catalogue, and the values of their gaps."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

Sentence = tuple[str, dict[str, object]]
"""The id of a sentence, and what fills its gaps."""


@dataclass(frozen=True)
class Words:
    """What a game says about its moves."""

    describe: Callable[[Any], Sentence]
    """Puts a move into words; ``{name}`` stands for who makes it."""
    describe_chance: Callable[[int], Sentence]
    """Puts an outcome of chance into words."""
    group: Callable[[Any], str]
    """Which moves belong together in a list: the tile in Callisto."""
    help: tuple[str, ...]
    """How to type a move."""
    short: Callable[[Any], str]
    """The shortest text for people to type."""
    ask_chance: str = ""
    """How ``{name}`` is asked to let chance happen, where a seat does that by its own hand (``State.roller``)."""
    shapes: str = ""
    """A drawing of the pieces with their names, if they need one."""
