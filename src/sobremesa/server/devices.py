"""The devices that want to be told when it is their person's turn: who has asked for it, and for which device."""

import hashlib
from collections import OrderedDict
from collections.abc import Collection, Sequence
from typing import Any

from sqlalchemy import delete, select, update

from sobremesa.server.clock import Clock
from sobremesa.server.database import devices
from sobremesa.server.guestbook import token_row
from sobremesa.server.storage import Store
from sobremesa.server.web_push import Subscription

DEVICES_KNOWN_SECONDS = 30.0
"""Seconds for which a process does not look again whether somebody has a device: another may have added one."""
MAX_KNOWN_PEOPLE = 50_000
"""People of whom that is kept at hand."""
MAX_FAILURES = 20
"""Messages in a row that a device's service did not take; after that the device is given up."""
PEOPLE_AT_ONCE = 200


class Devices:
    """Who is reached where."""

    def __init__(self, store: Store, clock: Clock, most: int) -> None:
        self._store = store
        self._clock = clock
        self._most = most
        self._known: OrderedDict[str, tuple[bool, float]] = OrderedDict()

    async def add(self, person: str, mark: str | None, to: Subscription, language: str) -> None:
        """A device of this person. It may have been another's before; of too many the oldest goes."""
        now = self._clock.time()
        row = {
            "id": device_id(to.endpoint),
            "person": person,
            "token": None if mark is None else token_row(mark),
            "endpoint": to.endpoint,
            "p256dh": to.p256dh,
            "auth": to.auth,
            "language": language,
            "created_at": now,
            "seen_at": now,
            "failures": 0,
        }
        await self._store.put(devices, ["id"], row, keep=["created_at"])
        self._keep(person, True)
        found = await self.of(person)
        if len(found) > self._most:
            oldest = sorted(found, key=lambda row: row.created_at)[: len(found) - self._most]
            async with self._store.writing() as connection:
                await connection.execute(delete(devices).where(devices.c.id.in_([row.id for row in oldest])))

    async def remove(self, person: str, endpoint: str) -> None:
        """A device of this person is not to be told any more."""
        async with self._store.writing() as connection:
            mine = (devices.c.id == device_id(endpoint)) & (devices.c.person == person)
            await connection.execute(delete(devices).where(mine))
        self._known.pop(person, None)

    async def end(self, person: str, *, token: str | None = None, but: str | None = None) -> None:
        """The devices of a person that came with one token are told no more, or all but those of one token."""
        theirs = devices.c.person == person
        if token is not None:
            theirs &= devices.c.token == token_row(token)
        if but is not None:
            theirs &= devices.c.token.is_distinct_from(token_row(but))
        async with self._store.writing() as connection:
            await connection.execute(delete(devices).where(theirs))
        self._known.pop(person, None)

    async def renew(self, old: str, new: str) -> None:
        """A device has another token now."""
        async with self._store.writing() as connection:
            mine = devices.c.token == token_row(old)
            await connection.execute(update(devices).where(mine).values(token=token_row(new)))

    async def of(self, person: str) -> Sequence[Any]:
        """All devices of a person."""
        async with self._store.reading() as connection:
            return (await connection.execute(select(devices).where(devices.c.person == person))).all()

    async def has_any(self, person: str) -> bool:
        """Whether somebody wants to be told at all."""
        there, until = self._known.get(person, (False, 0.0))
        if self._clock.monotonic() < until:
            return there
        there = bool(await self.of(person))
        self._keep(person, there)
        return there

    async def note_seen(self, people: Collection[str]) -> None:
        """These people look now, for the other processes to know."""
        asked = sorted(people)
        for start in range(0, len(asked), PEOPLE_AT_ONCE):
            some = devices.c.person.in_(asked[start : start + PEOPLE_AT_ONCE])
            async with self._store.reading() as connection:
                if (await connection.execute(select(devices.c.id).where(some).limit(1))).first() is None:
                    continue
            async with self._store.writing() as connection:
                await connection.execute(update(devices).where(some).values(seen_at=self._clock.time()))

    async def note_sent(self, id: str) -> None:
        """A device's service has taken a message."""
        async with self._store.writing() as connection:
            await connection.execute(update(devices).where(devices.c.id == id).values(failures=0))

    async def note_failure(self, id: str, *, gone: bool) -> None:
        """A device's service does not know it any more, or has not taken a message, once more."""
        async with self._store.writing() as connection:
            this = devices.c.id == id
            await connection.execute(update(devices).where(this).values(failures=devices.c.failures + 1))
            if not gone:
                this &= devices.c.failures >= MAX_FAILURES
            await connection.execute(delete(devices).where(this))

    def forget(self, person: str) -> None:
        """What is at hand about a person."""
        self._known.pop(person, None)

    def _keep(self, person: str, there: bool) -> None:
        self._known[person] = (there, self._clock.monotonic() + DEVICES_KNOWN_SECONDS)
        self._known.move_to_end(person)
        if len(self._known) > MAX_KNOWN_PEOPLE:
            self._known.popitem(last=False)


def device_id(endpoint: str) -> str:
    """The key of a device."""
    return hashlib.sha256(endpoint.encode()).hexdigest()
