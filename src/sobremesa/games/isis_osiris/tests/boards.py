"""Positions of Isis & Osiris for the examples."""

from typing import Any, cast

from engines.positions import along
from kinds import Kind, trail
from sobremesa.games.isis_osiris import GAME, IsisOsirisState


def start(seats: int = 2, variant: str = "own", memory_aid: bool = False, starter: int = 0) -> IsisOsirisState:
    """An empty board."""
    return IsisOsirisState.begin("standard", seats, variant, memory_aid, starter)


def position(
    *rows: str,
    tiles: str,
    seats: int = 2,
    variant: str = "own",
    memory_aid: str = "off",
    starter: int = 0,
    turn: int = 0,
    turned: str = "-",
) -> IsisOsirisState:
    """The rows from the top, as they lie on the table; ``tiles`` is what is left of each stock."""
    state = GAME.parse_position(
        f"isis-osiris edition=standard seats={seats} variant={variant} memory_aid={memory_aid} starter={starter}"
        f" turn={turn} turned={turned} tiles={tiles} cells={'/'.join(rows)}"
    )
    assert isinstance(state, IsisOsirisState)
    return state


def random_game(kind: Kind, seed: int) -> list[IsisOsirisState]:
    """All states of a random game from its start to its end."""
    return cast(list[IsisOsirisState], trail(kind, seed)[0])


EMPTY_ROW = "......"


def with_free_cells(free: int, seed: int, **options: Any) -> IsisOsirisState:
    """A random position that waits for a seat, with so many free cells."""
    for state in along(GAME, seed, **options):
        if isinstance(state, IsisOsirisState) and state.free.bit_count() == free and state.chance is None:
            return state
    raise AssertionError("every game passes such a position")
