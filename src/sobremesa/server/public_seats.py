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
from sobremesa.server.listing import LISTED_FOR
from sobremesa.server.storage import Store

TAKING_SECONDS = 1.0
"""Seconds for which who sits down at one table cannot sit down at another, unless it is known to be written before."""
MAX_TAKING = 10_000
"""People of whom that is remembered."""

MAX_WAITING_ROOMS = 50
"""Tables that still wait, and where somebody has sat down within a day, after which they sit down nowhere else."""


Taking = tuple[str | None, float]
"""At which table somebody was allowed to sit down, and when; None for a table that is about to be opened."""


class PublicSeats:
    """Says whether somebody may take one more."""

    def __init__(self, store: Store, clock: Clock, of_network: TokenBuckets) -> None:
        self._store = store
        self._clock = clock
        self._of_network = of_network
        self._taking: OrderedDict[str, Taking] = OrderedDict()
        """Of each person the last time: it may not be on disk yet."""

    async def check_command(self, room: Room, command: m.RoomCommand, visitor: Visitor) -> Taking | None:
        """Raises if a command would give somebody a second seat, or too many to their network."""
        match command:
            case m.Sit():
                takes = is_gathering(room) and room.public
            case m.Manage():
                takes = is_gathering(room) and command.public is True and bool(room.seats_of(visitor.person))
            case _:
                takes = False
        return await self._check(room.id, visitor) if takes else None

    async def check_room(self, setup: m.NewRoom, visitor: Visitor) -> Taking | None:
        """Raises if a new room would give its host a second seat."""
        kinds = {plan.kind for plan in setup.seats}
        if setup.public and not setup.crowd and "me" in kinds and ("open" in kinds or setup.wait):
            return await self._check(None, visitor)
        return None

    def written(self, person: str, taking: Taking | None) -> None:
        """What somebody was allowed is on disk, or has failed."""
        if taking is not None and self._taking.get(person) is taking:
            del self._taking[person]

    async def _check(self, room: str | None, visitor: Visitor) -> Taking:
        person, now = visitor.person, self._clock.monotonic()
        taking: Taking = (room, now)
        last = self._taking.get(person)
        is_another = last is not None and (room is None or last[0] != room)
        is_on_its_way = last is not None and is_another and now - last[1] < TAKING_SECONDS
        if not is_on_its_way:
            self._taking[person] = taking
            while len(self._taking) > MAX_TAKING:
                self._taking.popitem(last=False)
        rooms = await self._store.waiting_rooms_of(person, self._clock.time() - LISTED_FOR, MAX_WAITING_ROOMS)
        if len(rooms) == MAX_WAITING_ROOMS:  # the one where they sit may not be among these
            raise Refusal("busy", "server.error.slow-down-a-little", retry_after=3600)
        for row in rooms:
            waiting = json.loads(row["about"] or "{}").get("waiting", [])
            if row["id"] != room and mark(row["id"], visitor.person) in waiting:
                raise Refusal("taken", "server.error.you-wait-at-another-table")
        if is_on_its_way:
            raise Refusal("busy", "server.error.slow-down-a-little", retry_after=TAKING_SECONDS)
        if not self._of_network.allows(visitor.network):
            raise Refusal("busy", "server.error.many-have-sat-down", retry_after=30)
        return taking
