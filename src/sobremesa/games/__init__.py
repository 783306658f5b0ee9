"""The games of the house. To add one, add its folder here and its line to GAMES."""

from typing import Any

from sobremesa.core.errors import InvalidPosition, InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.games import callisto, isis_osiris, knister

GAMES: dict[str, Game] = {game.id: game for game in (callisto.GAME, isis_osiris.GAME, knister.GAME)}

TRANSLATED_PACKAGES = ("sobremesa.core", "sobremesa.games", *(game.package for game in GAMES.values()))
"""The packages of this layer and those below that have sentences for people, each with its ``locales``."""


def find_game(id: str) -> Game:
    """The game with this id."""
    if id not in GAMES:
        raise InvalidSetup("there is no game “{game}”: there are {games}", game=id[:40], games=", ".join(GAMES))
    return GAMES[id]


def parse_position(text: str) -> State[Any]:
    """A position of any game; its first word says of which."""
    game = text.strip().partition(" ")[0]
    if game not in GAMES:
        raise InvalidPosition("a position begins with its game: {games}", games=", ".join(GAMES))
    return GAMES[game].parse_position(text)
