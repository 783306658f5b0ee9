"""The games: every folder here, and whatever other packages bring by an entry point of the group ``sobremesa.games``.

Each has a ``GAME``. To look for them imports rules alone, no engine and nothing that is not of the standard library.
"""

import warnings
from collections.abc import Iterator, Mapping
from functools import cached_property
from importlib import import_module
from importlib.metadata import entry_points
from pkgutil import iter_modules
from typing import Any

from sobremesa.core.errors import InvalidPosition, InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State

GROUP = "sobremesa.games"
"""The group of entry points by which a package brings a game: ``reversi = "sobremesa_reversi:GAME"``."""


class Registry(Mapping[str, Game]):
    """The games by id: the house's own in order of their names, then those of other packages.

    It is filled when somebody looks into it for the first time: a package that brings a game imports this one.
    """

    def __getitem__(self, id: str) -> Game:
        return self._found[id]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    @cached_property
    def _found(self) -> dict[str, Game]:
        folders = sorted(module.name for module in iter_modules(__path__) if module.ispkg)
        found: dict[str, Game] = {}
        for folder in folders:
            game = import_module(f"{__name__}.{folder}").GAME
            found[game.id] = game
        for entry in sorted(entry_points(group=GROUP), key=lambda entry: entry.name):
            try:
                game = entry.load()
                if not isinstance(game, Game):
                    raise TypeError(f"{entry.value} is no Game")
                if found.setdefault(game.id, game) is not game:
                    raise ValueError(f"there is a game “{game.id}” already")
            except Exception as error:  # a guest that stumbles must not bring the house down
                warnings.warn(f"the game “{entry.name}” of {entry.value} is left out: {error}", stacklevel=2)
        return found


GAMES = Registry()


def find_game(id: str) -> Game:
    """The game with this id."""
    if id not in GAMES:
        raise InvalidSetup("games.error.there-is-no-game", game=id[:40], games=", ".join(GAMES))
    return GAMES[id]


def parse_position(text: str) -> State[Any]:
    """A position of any game; its first word says of which."""
    game = text.strip().partition(" ")[0]
    if game not in GAMES:
        raise InvalidPosition("games.error.a-position-begins-with-its-game", games=", ".join(GAMES))
    return GAMES[game].parse_position(text)
