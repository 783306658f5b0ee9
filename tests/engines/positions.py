"""Positions to think about."""

from random import Random
from typing import Any

from sobremesa import GAMES
from sobremesa.core import Game, State
from sobremesa.core.playout import random_play
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.knister.state import DICE

ISIS = GAMES["isis-osiris"]
KNISTER = GAMES["knister"]
CALLISTO = GAMES["callisto"]


def along(game: Game, seed: int, **options: Any) -> list[State[Any]]:
    """A random game, state by state."""
    start = game.start(**options)
    return [start, *(state for _, state in random_play(start, Random(seed)))]


def decisions(game: Game, seed: int, **options: Any) -> list[tuple[list[State[Any]], State[Any]]]:
    """Where somebody has to decide in a random game, with what came before."""
    states = along(game, seed, **options)
    return [(states[:at], state) for at, state in enumerate(states) if state.deciding]


def isis_with_free_cells(free: int, seed: int, **options: Any) -> IsisOsirisState:
    """A random position that waits for a seat, with so many free cells."""
    for state in along(ISIS, seed, **options):
        if isinstance(state, IsisOsirisState) and state.free.bit_count() == free and state.chance is None:
            return state
    raise AssertionError("every game passes such a position")


def sheet_with_free_cells(free: int, seed: int) -> bytes:
    """A sheet of random rolls with so many free cells anywhere."""
    random = Random(seed)
    sheet = [DICE.draw(random) for _ in range(25)]
    for cell in random.sample(range(25), free):
        sheet[cell] = 0
    return bytes(sheet)
