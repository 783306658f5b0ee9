"""The digital home of tabletop games: their rules, players that compute, records, and a server.

    import sobremesa as sm

is enough for everything everyday. Each game is there under its own name, with ``_`` for ``-`` (``sm.GAMES`` has all by
id). Nothing is loaded before it is used: to import this costs milliseconds, and needs the standard library alone.
``docs/program/index.md`` shows how to begin.
"""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"

HOMES = {
    "GAMES": "sobremesa.games",
    "Analysis": "sobremesa.engines.analysis",
    "Budget": "sobremesa.engines.player",
    "Chance": "sobremesa.core.chance",
    "Contest": "sobremesa.engines.contest",
    "FairChance": "sobremesa.table.fair",
    "Game": "sobremesa.core.game",
    "IllegalMove": "sobremesa.core.errors",
    "Move": "sobremesa.core.state",
    "Player": "sobremesa.engines.player",
    "Record": "sobremesa.table.record",
    "Result": "sobremesa.core.result",
    "Review": "sobremesa.engines.review",
    "Sitting": "sobremesa.table.sitting",
    "SobremesaError": "sobremesa.core.errors",
    "State": "sobremesa.core.state",
    "Thought": "sobremesa.engines.player",
    "View": "sobremesa.core.state",
    "analyse": "sobremesa.engines.analysis",
    "arena": "sobremesa.engines.contest",
    "find_game": "sobremesa.games",
    "find_player": "sobremesa.engines.registry",
    "load": "sobremesa.table.files",
    "parse_position": "sobremesa.games",
    "playout": "sobremesa.core.playout",
    "random_play": "sobremesa.core.playout",
    "replay": "sobremesa.notebook",
    "save": "sobremesa.table.files",
    "verify": "sobremesa.table.verify",
}
"""Where each name really lives. ``tools/stub.py`` writes the same for type checkers, into ``__init__.pyi``."""
__all__ = ["errors", *HOMES]


def __getattr__(name: str) -> Any:
    """Finds a name, or a game, when it is asked for the first time (PEP 562)."""
    if name in HOMES:
        found = getattr(import_module(HOMES[name]), name)
    elif name == "errors":
        found = import_module("sobremesa.core.errors")
    else:
        found = None if name.startswith("_") else _game(name)
        if found is None:
            raise AttributeError(f"module 'sobremesa' has no attribute {name!r}")
    globals()[name] = found
    return found


def _game(name: str) -> Any:
    from sobremesa.games import GAMES

    return GAMES.get(name.replace("_", "-"))


def __dir__() -> list[str]:
    from sobremesa.games import GAMES

    return sorted({*globals(), *__all__, *(id.replace("-", "_") for id in GAMES)})
