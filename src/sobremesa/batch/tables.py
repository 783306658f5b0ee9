"""The rules in JAX for every table that the library can set."""

from collections.abc import Callable
from typing import Any

from sobremesa.batch.callisto import callisto
from sobremesa.batch.isis_osiris import isis_osiris
from sobremesa.batch.knister_table import knister
from sobremesa.batch.rules import Rules
from sobremesa.core.game import Value
from sobremesa.games import GAMES

RULES: dict[str, Callable[..., Rules[Any]]] = {"callisto": callisto, "isis-osiris": isis_osiris, "knister": knister}
"""The functions that make a game's rules, by the game's id."""
_PER_GAME = {"starter", "memory_aid"}
"""Options that do not change the rules: ``init`` takes who starts, and here nobody forgets (I3)."""


def rules_for(game: str, **options: Value) -> Rules[Any]:
    """The rules at a table that is set this way; options that are left out take the library's defaults."""
    options = GAMES[game].set_table(options)
    return RULES[game](**{name: value for name, value in options.items() if name not in _PER_GAME})
