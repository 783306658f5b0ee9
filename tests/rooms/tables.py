"""A room with the log of everything that has happened in it."""

import itertools
from collections.abc import Callable
from dataclasses import fields
from random import Random
from typing import Any

from sobremesa.engines import PLAYERS
from sobremesa.games import GAMES
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import EngineMove, HouseCommand
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.history import TableStep
from sobremesa.rooms.room import Resources, Room

COMMANDS: dict[str, Callable[..., m.RoomCommand]] = {
    "sit": m.Sit,
    "leave": m.Leave,
    "engine": m.PutEngine,
    "entropy": m.AddEntropy,
    "seal": m.Seal,
    "open": m.Open,
    "start": m.Start,
    "move": m.Move,
    "say": m.Say,
    "phrase": m.Phrase,
    "manage": m.Manage,
    "offer": m.Offer,
    "answer": m.AnswerOffer,
    "resign": m.Resign,
    "close": m.CloseRound,
    "pause": m.Pause,
    "ready": m.Ready,
}


class Table:
    """A room, its log and its steps; ``secrets`` seeds the secrets of fair chance."""

    def __init__(
        self, person: str = "host", secrets: int | None = None, resources: Resources | None = None, **setup: Any
    ) -> None:
        seats = setup.get("seats", ["me", "open"])
        setup["seats"] = [
            seat if isinstance(seat, m.SeatPlan) else m.SeatPlan(**seat if isinstance(seat, dict) else {"kind": seat})
            for seat in seats
        ]
        self.resources = resources or Resources(dict.fromkeys(GAMES, PLAYERS))
        if secrets is not None:
            self.resources = Resources(dict.fromkeys(GAMES, PLAYERS), Random(secrets).randbytes)
        self.here: set[str] | None = None
        """Who is in the room; None if that is not known."""
        self.log: list[e.Entry] = []
        self.steps: list[TableStep] = []
        self._ids = itertools.count()
        new = m.NewRoom(**{"game": "callisto", "name": "Ana"} | setup)
        self.room: Room
        self._take(Room.create("room", new, person, 1000.0, self.resources))

    def _take(self, transition: Transition) -> Transition:
        self.room = transition.successor
        self.log += transition.entries
        self.steps += transition.steps
        return transition

    def handle(self, command: m.RoomCommand | HouseCommand, person: str | None = None) -> Transition:
        """Has something happen."""
        return self._take(self.room.handle(command, person, 1000.0 + self.room.version, self.here))

    def do(self, person: str, type: str, **fields: Any) -> Transition:
        """A person's command."""
        return self.handle(COMMANDS[type](type=type, id=f"c{next(self._ids)}", **fields), person)

    def move(self, person: str, seat: int, move: str, version: int | None = None) -> Transition:
        """A person's move."""
        version = self.room.version if version is None else version
        return self.do(person, "move", seat=seat, move=move, version=version)

    def engine_moves(self, seat: int, move: str) -> Transition:
        """A computer player's move."""
        return self.handle(EngineMove(seat, self.room.seating[seat].name, self.room.since, move))

    def kinds(self) -> list[str]:
        """What has happened."""
        return [entry.event.kind for entry in self.log]

    def moves(self) -> list[tuple[int, str]]:
        """Who moved where."""
        return [(entry.event.seat, entry.event.move) for entry in self.log if isinstance(entry.event, e.Moved)]

    def replayed(self) -> Room:
        """The room that the log adds up to."""
        return Room.replay("room", self.log, self.resources)


def plain(room: Room) -> dict[str, Any]:
    """Everything that there is to know of a room, to be compared."""
    known = {field.name: getattr(room, field.name) for field in fields(room)}
    del known["resources"]
    sitting = known.pop("sitting")
    known["game"] = room.game.id
    known["seating"] = room.seating.chairs
    known["by person"] = {chair.person: room.seats_of(chair.person) for chair in room.seating if chair.person}
    known["counted"] = (room.seating.taken, room.seating.engines, room.seating.gone, room.seating.free)
    for name in ("step", "open_step"):
        step = known[name]
        known[name] = None if step is None else (step.version, step.event, step.state)
    del known["missed_now"], known["missed_last"]
    known["missed"] = room.missed
    known["undo"] = [(undo.seat, undo.sitting.state, undo.step.version) for undo in room.undo]
    if sitting is not None:
        known["sitting"] = (
            sitting.state,
            sitting.chance,
            sitting.names,
            sitting.rolls,
            sitting.together,
            sitting.record(),
            sitting.past(),
        )
    return known


def assert_same(one: Room, other: Room) -> None:
    """Two rooms are the same in everything."""
    assert plain(one) == plain(other)
