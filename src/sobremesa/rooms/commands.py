"""What the house itself sends to a room: computers' moves, and clocks that have run out."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class EngineMove:
    """A computer player moves."""

    seat: int
    player: str
    since: int
    """The decision that it answers: ``Room.since``."""
    move: str | None
    """None if it found none: then one is made for it, and the room says so."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The clock of a decision has run out."""

    since: int
    """Which decision: ``Room.since``."""


@dataclass(frozen=True, slots=True)
class DrawTimeUp:
    """The next game has waited long enough for seals, or for openings."""

    since: int
    """Since when: ``Wait.since``."""


@dataclass(frozen=True, slots=True)
class LeaveAll:
    """A person leaves all their seats, because they are being forgotten."""


@dataclass(frozen=True, slots=True)
class Rename:
    """A person is called otherwise from now on."""

    name: str
    before: str
    """What they were called: of several seats at one screen those are renamed that have this name."""


@dataclass(frozen=True, slots=True)
class ReadyTimeUp:
    """Who has not said that they are ready loses the seat."""

    asked: int
    """With which entry of the log they were asked."""


@dataclass(frozen=True, slots=True)
class GiveHint:
    """A person at the table is about to be told what a computer would do."""

    seat: int
    since: int
    """The decision that it helps with: ``Room.since``."""


HouseCommand = EngineMove | TimeUp | DrawTimeUp | LeaveAll | Rename | ReadyTimeUp | GiveHint
"""What the house itself sends: they come in by the same way as everybody's commands."""
