"""How computers play one game: what they can know of a position, and the players of each level."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.player import GreedyPlayer, Player

Maker = Callable[[Game, Random], Player]
"""Makes a player that is ready to sit down."""


@dataclass(frozen=True)
class EngineSet:
    """The computer players of one game."""

    recall: Callable[[Any, Sequence[Any], str], State[Any]]
    """The position as a seat with a perfect memory knows it, from its view, its earlier views, and a seed.

    What the seat never saw is guessed, from the seed (determinisation).
    """
    levels: Mapping[str, Maker]
    """The player of each level, by the ids of ``LEVELS``."""
    yardsticks: Mapping[str, Maker] = field(default_factory=dict)
    """Players for the arena alone, by name, to measure what a part of a player is worth."""
    remembers: bool = False
    """Whether earlier views hold anything that the last one does not."""

    def past(self, states: Sequence[State[Any]], seat: int) -> tuple[View[Any], ...]:
        """What the seat saw along a game, as far as that matters to its player."""
        return tuple(state.view(seat) for state in states) if self.remembers else ()


def greedy(name: str, noise: float, considered: int | None = None) -> Maker:
    """A level that plays by the game's heuristic, with noise on its values."""

    def make(game: Game, random: Random) -> Player:
        player = GreedyPlayer(game, random, noise, considered)
        player.name = name
        return player

    return make
