"""The rules in JAX for every table that the library can set."""

from typing import Any

from sobremesa.batch.rules import Rules
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Value
from sobremesa.games import find_game


def rules_for(game: str, **options: Value) -> Rules[Any]:
    """The rules at a table that is set this way; options that are left out take the library's defaults.

    ``init`` takes who starts, and options that only change what seats are shown mean nothing here.
    """
    found = find_game(game)
    if not found.batch:
        raise InvalidSetup("{game} has no rules in JAX", game=found.name)
    left_out = {"starter", *(option.name for option in found.options if option.changes == "views")}
    chosen = {name: value for name, value in found.set_table(options).items() if name not in left_out}
    rules: Rules[Any] = found.load("batch")(**chosen)
    return rules
