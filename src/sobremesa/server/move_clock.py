"""The clock of a room: when the time for a decision is up, it sends a command as anybody does."""

from sobremesa.rooms.errors import Reason, Refusal
from sobremesa.rooms.room import Room, TimeUp
from sobremesa.server.actor import Publication, RoomActor
from sobremesa.server.clock import Clock, Timer

GRACE = 10.0
"""Seconds that are given anew when a clock ran out while nobody had the room open, or nothing could be written."""


class MoveClock:
    """Watches one room's deadline."""

    def __init__(self, actor: RoomActor, clock: Clock) -> None:
        self._actor = actor
        self._clock = clock
        self._timer: Timer | None = None
        self._since = 0
        """The decision that the timer is set for."""
        self._stopped = False

    def publish(self, publication: Publication) -> None:
        """Something has happened: subscribes to an actor."""
        room = publication.room
        # What another process wrote has its time, which may be wrong here: who hears of a decision counts from then.
        heard_now = not publication.written_here and room.since > publication.before.version
        self.look(room, heard_now)

    def look(self, room: Room, heard_now: bool = False) -> None:
        """Sets the timer for the running decision."""
        if self._timer is not None and self._since == room.since and room.deadline is not None:
            return
        self._cancel()
        if (deadline := room.deadline) is not None and not self._stopped:
            clock = room.setup.clock
            left = clock if heard_now else deadline - self._clock.time()
            self._since = room.since
            # Never more than there is for a decision: the log may have been written when clocks were ahead.
            self._timer = self._clock.later(min(left, clock) if left > 0 else min(clock, GRACE), self._ring)

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
        self._actor.send(TimeUp(self._since), None, self._rung)

    def _rung(self, outcome: int | Exception) -> None:
        """What could not be written down is tried again; who was moved for in time, or moved, is published."""
        if isinstance(outcome, Exception) and not (isinstance(outcome, Refusal) and outcome.reason == Reason.STALE):
            self.look(self._actor.room)
