"""Writes ``src/sobremesa/__init__.pyi``: what ``import sobremesa`` has, for type checkers. ``make docs`` runs it."""

from pathlib import Path

import sobremesa
from sobremesa import GAMES

STUB = Path(sobremesa.__file__).with_suffix(".pyi")
HEAD = '''"""Made by tools/stub.py from HOMES and the games in the house's own folder. Do not edit."""
'''


def stub() -> str:
    """The text of the stub: each name from where it lives, each game with the type of its states."""
    own = {id: game for id, game in GAMES.items() if game.package.startswith("sobremesa.games.")}
    states = {id: type(game.start()) for id, game in own.items()}
    lines = [f"from {home} import {name} as {name}" for name, home in sobremesa.HOMES.items()]
    lines += ["from sobremesa.core import errors as errors", "from sobremesa.core.game import TypedGame"]
    lines += [f"from {state.__module__} import {state.__name__}" for state in states.values()]
    lines = sorted(lines, key=lambda line: (line.split()[1], line.split()[3].lower()))
    games = [f"{id.replace('-', '_')}: TypedGame[{state.__name__}]" for id, state in states.items()]
    kinds = ["HOMES: dict[str, str]", "__version__: str"]
    exported = "\n".join(f'    "{name}",' for name in sobremesa.__all__)
    return "\n".join([HEAD, *lines, "", *kinds, *games, "", f"__all__ = [\n{exported}\n]", ""])


if __name__ == "__main__":
    STUB.write_text(stub(), encoding="utf-8")
