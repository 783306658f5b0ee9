"""Who is in a room, or was a moment ago. Computer players think for them, and the thinking is put to their account."""

from collections import Counter
from collections.abc import Callable, Iterator
from typing import NamedTuple

from sobremesa.rooms.room import Room
from sobremesa.server.clock import Clock
from sobremesa.server.engine_pool import Account

ATTENDANCE_SECONDS = 30.0
"""Seconds for which who was in a room counts as waiting there: for pages that reload, and for who asks now and then."""


class Visitor(NamedTuple):
    """Somebody who asks, and where they come from."""

    person: str
    network: str


class Attendance:
    """The visitors of one room."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._here: Counter[Visitor] = Counter()
        """How many times each visitor is connected."""
        self._seen: dict[Visitor, float] = {}
        """When others were here last, oldest first."""

    def come(self, visitor: Visitor) -> None:
        """Somebody is here until they go."""
        self._here[visitor] += 1

    def go(self, visitor: Visitor) -> None:
        """Somebody who came is gone."""
        self._here[visitor] -= 1
        if self._here[visitor] <= 0:
            del self._here[visitor]
        self.see(visitor)

    def see(self, visitor: Visitor) -> None:
        """Somebody has asked something."""
        self._seen.pop(visitor, None)
        self._seen[visitor] = self._clock.monotonic()

    def __bool__(self) -> bool:
        return any(True for _ in self)

    def __iter__(self) -> Iterator[Visitor]:
        limit = self._clock.monotonic() - ATTENDANCE_SECONDS
        while self._seen and next(iter(self._seen.values())) < limit:
            del self._seen[next(iter(self._seen))]
        yield from self._here
        yield from (visitor for visitor in self._seen if visitor not in self._here)

    def account(self, room: Room, stands: Callable[[str], float]) -> Account | None:
        """For whom computer players think in this room; None if nobody is there.

        Who plays comes before who looks on, and of those whose network has had the least (``FairShares.tag``).
        """
        accounts = (Account(network, person, bool(room.seats_of(person))) for person, network in self)
        return min(accounts, key=lambda account: (not account.at_table, stands(account.network)), default=None)
