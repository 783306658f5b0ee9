"""What a game may bring to the server besides its rules: addresses of its own, and work in the background."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from fastapi import APIRouter

from sobremesa.core.game import Game

if TYPE_CHECKING:
    from sobremesa.server.house import House


class Service(Protocol):
    """What works in the background for one house."""

    async def tidy(self) -> None:
        """Asked for twice a minute: what has to be done before its time comes."""

    async def forget(self, person: str) -> None:
        """Somebody is about to be forgotten: what has to be known after that is written down, without who it was."""


@dataclass(frozen=True)
class Part:
    """A game's own part of the server; ``Game.server`` says where it is."""

    routes: APIRouter
    make: Callable[["House"], Service]
    """Its service, which is then in ``House.parts`` under the game's id."""


def part_of(game: Game) -> Part:
    """A game's own part."""
    part: Part = game.load("server")
    return part
