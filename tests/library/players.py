"""Players of one's own, for the arena's tests: processes find them in a module."""

from collections.abc import Sequence
from random import Random
from typing import Any

from sobremesa import Budget, Game, Player, Thought, View
from sobremesa.engines.player import DEFAULT_BUDGET, Stop, never


class Lucky(Player):
    """Plays anything that is legal, by its own random source."""

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        return Thought(self.random.choice(view.decisions()))


def last(game: Game, random: Random) -> Player:
    """Not a class but a function that makes a player."""
    player = _Last(game, random)
    player.name = "last"
    return player


class _Last(Player):
    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        return Thought(view.decisions()[-1])
