"""What a player is, and the two simplest ones."""

from collections.abc import Callable
from random import Random
from typing import Any, Protocol

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import View


class Player(Protocol):
    """Somebody who can choose a move when it is their turn to decide."""

    name: str

    def choose(self, view: View[Any]) -> Any:
        """One of ``view.legal_moves()``."""


class RandomPlayer:
    """Plays anything that is legal."""

    name = "random"

    def __init__(self, game: Game, random: Random) -> None:
        self._random = random

    def choose(self, view: View[Any]) -> Any:
        return self._random.choice(view.legal_moves())


class GreedyPlayer:
    """Plays what looks best one move ahead; equals by lot."""

    name = "greedy"

    def __init__(self, game: Game, random: Random) -> None:
        self._judge = game.judge
        self._random = random

    def choose(self, view: View[Any]) -> Any:
        moves = view.legal_moves()
        values = self._judge(view, moves)
        best = max(values)
        return self._random.choice([move for move, value in zip(moves, values, strict=True) if value == best])


PLAYERS: dict[str, Callable[[Game, Random], Player]] = {"random": RandomPlayer, "greedy": GreedyPlayer}


def find_player(name: str, game: Game, random: Random) -> Player:
    """The player of that name, ready to sit down."""
    if name not in PLAYERS:
        raise InvalidSetup(
            "there is no player “{name}”: there are {players}", name=name[:40], players=", ".join(PLAYERS)
        )
    return PLAYERS[name](game, random)
