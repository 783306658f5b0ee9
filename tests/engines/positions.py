"""Positions to think about."""

from random import Random
from typing import Any

from sobremesa.core import Game, State
from sobremesa.core.playout import random_play


def along(game: Game, seed: int, **options: Any) -> list[State[Any]]:
    """A random game, state by state."""
    start = game.start(**options)
    return [start, *(state for _, state in random_play(start, Random(seed)))]


def decisions(game: Game, seed: int, **options: Any) -> list[tuple[list[State[Any]], State[Any]]]:
    """Where somebody has to decide in a random game, with what came before."""
    states = along(game, seed, **options)
    return [(states[:at], state) for at, state in enumerate(states) if state.deciding]
