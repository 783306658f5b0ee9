"""Seats at public tables that wait for their first game: each person has one, and a network takes few at once.

Without that, one address takes every open seat of the house in a moment, and nobody ever comes to those tables.
"""

import json
from collections import OrderedDict

from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.projections import mark
from sobremesa.rooms.rated import is_gathering
from sobremesa.rooms.room import Room
from sobremesa.server.attendance import Visitor
from sobremesa.server.clock import Clock
from sobremesa.server.limits import TokenBuckets
from sobremesa.server.storage import Store

SITTING_DOWN = 1.0
"""Seconds for which who has sat down at one table cannot sit down at another."""
MAX_TAKING = 10_000
"""People of whom that is remembered."""


class PublicSeats:
    """Says whether somebody may take one more."""

    def __init__(self, store: Store, clock: Clock, of_network: TokenBuckets) -> None:
        self._store = store
        self._clock = clock
        self._of_network = of_network
        self._taking: OrderedDict[str, tuple[str | None, float]] = OrderedDict()
        """At which table somebody was allowed to sit down last, and when: it may not be on disk yet."""

    async def check_command(self, room: Room, command: m.RoomCommand, visitor: Visitor) -> None:
        """Raises if a command would give somebody a second seat, or too many to their network."""
        match command:
            case m.Sit():
                takes = is_gathering(room) and room.public
            case m.Manage():
                takes = is_gathering(room) and command.public is True and bool(room.seats_of(visitor.person))
            case _:
                takes = False
        if takes:
            await self._check(room.id, visitor)

    async def check_room(self, setup: m.NewRoom, visitor: Visitor) -> None:
        """Raises if a new room would give its host a second seat."""
        if setup.public and not setup.crowd and {plan.kind for plan in setup.seats} == {"me", "open"}:
            await self._check(None, visitor)

    async def _check(self, room: str | None, visitor: Visitor) -> None:
        person, now = visitor.person, self._clock.monotonic()
        last, then = self._taking.get(person, (room, now))
        if last != room and now - then < SITTING_DOWN:
            raise Refusal("busy", "server.error.slow-down-a-little", retry_after=SITTING_DOWN)
        self._taking[person] = room, now
        while len(self._taking) > MAX_TAKING:
            self._taking.popitem(last=False)
        for row in await self._store.waiting_rooms_of(visitor.person):
            waiting = json.loads(row["about"] or "{}").get("waiting", [])
            if row["id"] != room and mark(row["id"], visitor.person) in waiting:
                raise Refusal("taken", "server.error.you-wait-at-another-table")
        if not self._of_network.allows(visitor.network):
            raise Refusal("busy", "server.error.many-have-sat-down", retry_after=30)
