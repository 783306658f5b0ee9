"""The clocks of a room: when the time for something is up, a clock sends a command as anybody does."""

from abc import ABC, abstractmethod
from typing import NamedTuple

from sobremesa.rooms import binding
from sobremesa.rooms.commands import DrawTimeUp, ReadyTimeUp, TimeUp
from sobremesa.rooms.errors import Reason, Refusal
from sobremesa.rooms.limits import READY_SECONDS
from sobremesa.rooms.room import Room
from sobremesa.server.actor import Publication, RoomActor
from sobremesa.server.clock import Clock, Timer

GRACE_SECONDS = 10.0
"""Seconds that are given anew when a clock ran out while nobody had the room open, or nothing could be written."""


class Deadline(NamedTuple):
    """What a clock waits for."""

    since: int
    """The entry of the log with which it began."""
    at: float
    """When time is up, in seconds since 1970."""
    whole: float
    """How many seconds there were at first."""


class RoomClock(ABC):
    """Watches one deadline of one room."""

    def __init__(self, actor: RoomActor, clock: Clock) -> None:
        self._actor = actor
        self._clock = clock
        self._timer: Timer | None = None
        self._since = 0
        """What the timer is set for."""
        self._stopped = False

    @abstractmethod
    def deadline(self, room: Room) -> Deadline | None:
        """What there is to wait for now."""

    @abstractmethod
    def time_is_up(self, since: int) -> TimeUp | ReadyTimeUp | DrawTimeUp:
        """What is sent then."""

    def publish(self, publication: Publication) -> None:
        """Something has happened: subscribes to an actor."""
        deadline = self.deadline(publication.room)
        # What another process wrote has its time, which may be wrong here: who hears of it counts from then.
        new = deadline is not None and deadline.since > publication.before.version
        self.look(publication.room, heard_now=new and not publication.written_here)

    def look(self, room: Room, heard_now: bool = False) -> None:
        """Sets the timer for the running deadline."""
        deadline = self.deadline(room)
        if self._timer is not None and deadline is not None and self._since == deadline.since:
            return
        self._cancel()
        if deadline is not None and not self._stopped:
            whole = deadline.whole
            left = whole if heard_now else deadline.at - self._clock.time()
            self._since = deadline.since
            # Never more than there was at first: the log may have been written when clocks were ahead.
            self._timer = self._clock.later(min(left, whole) if left > 0 else min(whole, GRACE_SECONDS), self._ring)

    def stop(self) -> None:
        """Rings no more."""
        self._stopped = True
        self._cancel()

    def _cancel(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _ring(self) -> None:
        self._timer = None
        self._actor.send(self.time_is_up(self._since), None, self._rung)

    def _rung(self, outcome: int | Exception) -> None:
        """What could not be written down is tried again; who was moved for in time, or moved, is published."""
        if isinstance(outcome, Exception) and not (isinstance(outcome, Refusal) and outcome.reason == Reason.STALE):
            self.look(self._actor.room)


class MoveClock(RoomClock):
    """The time for a decision."""

    def deadline(self, room: Room) -> Deadline | None:
        """Of the running decision."""
        return None if room.deadline is None else Deadline(room.since, room.deadline, room.setup.clock)

    def time_is_up(self, since: int) -> TimeUp:
        """Whoever has not decided is moved for."""
        return TimeUp(since)


class ReadyClock(RoomClock):
    """The time to say that one is ready."""

    def deadline(self, room: Room) -> Deadline | None:
        """Of the question that everybody was asked."""
        return None if room.ready is None else Deadline(room.ready.version, room.ready.deadline, READY_SECONDS)

    def time_is_up(self, since: int) -> ReadyTimeUp:
        """Whoever has not answered loses the seat."""
        return ReadyTimeUp(since)


class DrawClock(RoomClock):
    """The time to seal, and to open, what chance is made of."""

    def deadline(self, room: Room) -> Deadline | None:
        """Of what the next game waits for."""
        at, wait = binding.deadline(room), room.draw.wait
        return None if at is None or wait is None else Deadline(wait.since, at, at - wait.since_at)

    def time_is_up(self, since: int) -> DrawTimeUp:
        """Whoever has not opened makes the promise void."""
        return DrawTimeUp(since)
