"""What a room remembers of its game: the last step, what can be taken back, what was missed, who was helped."""

from dataclasses import dataclass
from typing import Any

from sobremesa.core.state import State
from sobremesa.rooms import events as e
from sobremesa.table.sitting import Sitting


@dataclass(frozen=True, slots=True, eq=False)
class TableStep:
    """One thing that happened at the table, and the state after it. What a viewer is told of it is a ``Step``."""

    version: int
    state: State[Any]
    event: e.Begun | e.Moved | e.Rolled | e.TakenBack
    back: int | None = None
    """If moves were taken back: the version of the last step that still counts."""
    draw: int | None = None
    """Which outcome of chance of its game it is, counted from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Undo:
    """What the table was like before a move that can be taken back."""

    seat: int
    """Who moved."""
    move: str
    sitting: Sitting
    step: TableStep
    open_step: TableStep


@dataclass(frozen=True, slots=True, eq=False)
class Missed:
    """A move that was made for a seat: a link of a persistent list, so that ten thousand of them are no more work."""

    seat: int
    move: str
    before: "Missed | None"


@dataclass(frozen=True, slots=True)
class Hint:
    """Somebody was told what a computer would do."""

    seat: int
    since: int
    """The decision that it helped with: ``Room.since``."""
    event: int
    """The event of the record that was being decided, counted from 1."""
