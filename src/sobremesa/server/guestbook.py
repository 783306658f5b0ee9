"""Which person a token stands for: several devices may be one person, and a token can be ended.

A token that nobody has written anything about stands for the person that follows from it, as it always did. What is
written down is a hash of a hash of it: neither the token nor the person can be told from a row.
"""

import hashlib
import secrets
from collections import OrderedDict
from collections.abc import Iterable

from sqlalchemy import delete, select, update

from sobremesa.rooms.errors import Refusal
from sobremesa.server.clock import Clock
from sobremesa.server.database import pairings, tokens
from sobremesa.server.storage import Store

TOKENS_KNOWN_SECONDS = 5.0
"""Seconds for which a process does not look again what a token stands for: what another has ended is good that long."""
MAX_KNOWN_TOKENS = 50_000
"""Tokens that are kept at hand."""
PAIRING_SECONDS = 300.0
"""Seconds for which a code for another device is good, once."""


class Guestbook:
    """Looks tokens up, ends them, and makes one person of two devices."""

    def __init__(self, store: Store, clock: Clock) -> None:
        self._store = store
        self._clock = clock
        self._known: OrderedDict[str, tuple[str | None, float]] = OrderedDict()

    async def person(self, mark: str | None) -> str | None:
        """The person that a token stands for, by what follows from it (``PersonTokens``); None if it is ended."""
        if mark is None:
            return None
        person, until = self._known.get(mark, (None, 0.0))
        if self._clock.monotonic() < until:
            return person
        async with self._store.reading() as connection:
            row = (
                await connection.execute(select(tokens.c.person).where(tokens.c.id == token_row(mark)))
            ).one_or_none()
        person = mark if row is None else row.person
        self._keep(mark, person)
        return person

    async def add(self, mark: str, person: str) -> None:
        """A new token stands for a person who is here already."""
        row = {"id": token_row(mark), "person": person, "created_at": self._clock.time()}
        await self._store.put(tokens, ["id"], row)
        self._keep(mark, person)

    async def end(self, mark: str) -> None:
        """A token is good no more."""
        row = {"id": token_row(mark), "person": None, "created_at": self._clock.time()}
        await self._store.put(tokens, ["id"], row)
        self._keep(mark, None)

    async def end_all(self, person: str) -> None:
        """All tokens of a person are good no more, nor are codes for other devices."""
        async with self._store.writing() as connection:
            await connection.execute(update(tokens).where(tokens.c.person == person).values(person=None))
            await connection.execute(delete(pairings).where(pairings.c.person == person))
        for mark in [mark for mark, (known, _) in self._known.items() if known == person]:
            self._keep(mark, None)
        await self.end(person)  # the first token of a person is the one that the person follows from

    async def make_code(self, person: str) -> str:
        """A code with which another device becomes the same person: good once, and not for long."""
        code = secrets.token_urlsafe(16)
        now = self._clock.time()
        async with self._store.writing() as connection:
            # One at a time, and none that is over stays behind.
            over = (pairings.c.person == person) | (pairings.c.expires_at < now)
            await connection.execute(delete(pairings).where(over))
        row = {"id": token_row(code), "person": person, "expires_at": now + PAIRING_SECONDS}
        await self._store.add_if_missing(pairings, ["id"], row)
        return code

    async def take_code(self, code: str) -> str:
        """The person that a code is for; from now on the code is good no more."""
        async with self._store.writing() as connection:
            query = delete(pairings).where(pairings.c.id == token_row(code))
            rows: Iterable[tuple[str, float]] = (
                await connection.execute(query.returning(pairings.c.person, pairings.c.expires_at))
            ).all()
        for person, expires_at in rows:
            if expires_at >= self._clock.time():
                return person
        raise Refusal("late", "server.error.that-code-is-used-up-or-too-old")

    def _keep(self, mark: str, person: str | None) -> None:
        self._known[mark] = (person, self._clock.monotonic() + TOKENS_KNOWN_SECONDS)
        self._known.move_to_end(mark)
        if len(self._known) > MAX_KNOWN_TOKENS:
            self._known.popitem(last=False)


def token_row(secret: str) -> str:
    """The key of a row about a token, or about a code."""
    return hashlib.sha256(b"guestbook " + secret.encode()).hexdigest()
