"""Where rooms are kept: SQLite by default, PostgreSQL by URL. What was acknowledged is on disk."""

import asyncio
import json
import time
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    delete,
    event,
    func,
    insert,
    select,
    text,
    update,
)
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import ArgumentError, IntegrityError, NoSuchModuleError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine, create_async_engine

from sobremesa.core.errors import SobremesaError
from sobremesa.server.room import Event

metadata = MetaData()

rooms = Table(
    "rooms",
    metadata,
    Column("id", String(40), primary_key=True),
    Column("game", String(40), nullable=False),
    Column("host", String(64)),
    Column("public", Boolean, nullable=False, index=True),
    Column("playing", Boolean, nullable=False),
    Column("seated", Integer, nullable=False),
    Column("open", Integer, nullable=False),
    Column("created_at", Float, nullable=False),
    Column("changed_at", Float, nullable=False, index=True),
    Column("about", Text),
)
"""What the lobby needs to know of each room, kept in step with its log."""

events = Table(
    "events",
    metadata,
    Column("room", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("data", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("person", String(64), index=True),
)

promises = Table(
    "promises",
    metadata,
    Column("room", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("secret", LargeBinary, nullable=False),
)
"""The secrets behind the promises of fair chance, apart from the log that clients see."""

people = Table(
    "people",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", String(60), nullable=False, default=""),
    Column("created_at", Float, nullable=False),
)

results = Table(
    "results",
    metadata,
    Column("room", String(40), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("seat", Integer, primary_key=True),
    Column("game", String(40), nullable=False),
    Column("person", String(64), index=True),
    Column("player", String(60)),
    Column("score", Integer, nullable=False),
    Column("place", Integer, nullable=False),
    Column("at", Float, nullable=False),
    Column("rated", Boolean, nullable=False, default=False, index=True),
)

ratings = Table(
    "ratings",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
)

dailies = Table(
    "dailies",
    metadata,
    Column("date", String(10), primary_key=True),
    Column("secret", LargeBinary, nullable=False),
)

daily_sheets = Table(
    "daily_sheets",
    metadata,
    Column("date", String(10), primary_key=True),
    Column("person", String(64), primary_key=True),
    Column("name", String(60), nullable=False),
    Column("cells", Text, nullable=False),
    Column("points", Integer),
    Column("at", Float, nullable=False),
)

keys = Table(
    "keys", metadata, Column("name", String(40), primary_key=True), Column("value", LargeBinary, nullable=False)
)


class Conflict(Exception):
    """Another process has written to the room since it was read."""


@dataclass
class Batch:
    """What a room wants written, all or nothing."""

    room: str
    events: list[Event]
    secrets: dict[int, bytes] = field(default_factory=dict)
    """By the version of the promise."""
    summary: Mapping[str, Any] = field(default_factory=dict)
    results: Sequence[Mapping[str, Any]] = ()


class Store:
    """The database. ``append`` gathers what all rooms write at the same moment into one transaction."""

    def __init__(self, url: str) -> None:
        self.engine = open_engine(url)
        self._insert = postgresql.insert if self.engine.dialect.name == "postgresql" else sqlite.insert
        self._waiting: list[tuple[Batch, asyncio.Future[None]]] = []
        self._wake = asyncio.Event()
        self._writer: asyncio.Task[None] | None = None
        self.commits = 0

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read with."""
        async with self.engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of its own."""
        async with self.engine.begin() as connection:
            yield connection

    async def append(self, batch: Batch) -> None:
        """Returns when the batch is on disk; raises Conflict if its versions are taken."""
        if self._writer is None:
            self._writer = asyncio.create_task(self._write())
        done: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append((batch, done))
        self._wake.set()
        await done

    async def _write(self) -> None:
        while True:
            await self._wake.wait()
            self._wake.clear()
            waiting, self._waiting = self._waiting, []
            if not waiting:
                continue
            try:
                await self._commit([batch for batch, _ in waiting])
            except Exception:
                await self._write_one_by_one(waiting)
                continue
            for _, done in waiting:
                if not done.done():
                    done.set_result(None)

    async def _write_one_by_one(self, waiting: list[tuple[Batch, "asyncio.Future[None]"]]) -> None:
        """One batch spoiled the common transaction: only that one fails."""
        for batch, done in waiting:
            try:
                await self._commit([batch])
            except IntegrityError as error:
                outcome: Exception | None = Conflict(str(error.orig))
            except Exception as error:
                outcome = error
            else:
                outcome = None
            if not done.done():
                done.set_result(None) if outcome is None else done.set_exception(outcome)

    async def _commit(self, batches: list[Batch]) -> None:
        rows = [
            {
                "room": batch.room,
                "version": event.version,
                "kind": event.kind,
                "data": json.dumps(event.data, separators=(",", ":")),
                "at": event.at,
                "person": event.person,
            }
            for batch in batches
            for event in batch.events
        ]
        secrets = [
            {"room": batch.room, "version": version, "secret": secret}
            for batch in batches
            for version, secret in batch.secrets.items()
        ]
        outcomes = [row for batch in batches for row in batch.results]
        # Rooms in one order everywhere, so that two processes cannot wait for each other.
        summaries = sorted((dict(batch.summary) for batch in batches if batch.summary), key=lambda row: str(row["id"]))
        async with self.writing() as connection:
            await connection.execute(insert(events), rows)
            if secrets:
                await connection.execute(insert(promises), secrets)
            if outcomes:
                await connection.execute(insert(results), outcomes)
            if summaries:
                await connection.execute(self._upsert(rooms, ["id"], ["id", "created_at"]), summaries)
        self.commits += 1

    def _upsert(self, table: Table, key: list[str], keep: list[str]) -> Any:
        statement = self._insert(table)
        changed = {column.name: statement.excluded[column.name] for column in table.c if column.name not in keep}
        return statement.on_conflict_do_update(index_elements=key, set_=changed)

    async def put(self, table: Table, key: list[str], row: Mapping[str, Any], keep: Sequence[str] = ()) -> None:
        """Writes a row, over the one with the same key if there is one; of that, some columns are kept."""
        async with self.writing() as connection:
            await connection.execute(self._upsert(table, key, [*key, *keep]), dict(row))

    async def add_if_missing(self, table: Table, key: list[str], row: Mapping[str, Any]) -> bool:
        """Writes a row unless there is one with the same key; says whether it did."""
        async with self.writing() as connection:
            done = await connection.execute(self._insert(table).on_conflict_do_nothing(index_elements=key), dict(row))
            return done.rowcount > 0

    async def read_events(self, room: str, after: int = 0) -> tuple[list[Event], dict[int, bytes]]:
        """A room's log after a version, and the secrets of its promises."""
        async with self.reading() as connection:
            query = select(events).where(events.c.room == room, events.c.version > after).order_by(events.c.version)
            log: list[Event] = []
            # Piece by piece: others have their turn while ten thousand sheets are read.
            async for rows in (await connection.stream(query)).partitions(1000):
                log += [Event(row.version, row.kind, json.loads(row.data), row.at, row.person) for row in rows]
            query = select(promises).where(promises.c.room == room, promises.c.version > after)
            secrets = {row.version: row.secret for row in await connection.execute(query)}
        return log, secrets

    async def secret_of(self, room: str, version: int) -> bytes | None:
        """The secret behind one promise."""
        async with self.reading() as connection:
            query = select(promises.c.secret).where(promises.c.room == room, promises.c.version == version)
            return (await connection.execute(query)).scalar_one_or_none()

    async def lobby(self, limit: int = 50) -> list[Mapping[str, Any]]:
        """Public rooms in which something has happened within a day, the liveliest first."""
        async with self.reading() as connection:
            lively = rooms.c.public & (rooms.c.changed_at > time.time() - 86400)
            query = select(rooms).where(lively).order_by(rooms.c.changed_at.desc()).limit(limit)
            return [dict(row._mapping) for row in await connection.execute(query)]

    async def rooms_of(self, person: str, limit: int = 50) -> list[Mapping[str, Any]]:
        """The rooms that a person has taken a seat in, the latest first."""
        async with self.reading() as connection:
            mine = select(events.c.room).where(events.c.person == person, events.c.kind.in_(["seated", "created"]))
            query = select(rooms).where(rooms.c.id.in_(mine)).order_by(rooms.c.changed_at.desc()).limit(limit)
            return [dict(row._mapping) for row in await connection.execute(query)]

    async def count_rooms(self, host: str, since: float) -> int:
        """How many rooms a person has opened since a time."""
        async with self.reading() as connection:
            query = select(func.count()).select_from(rooms).where(rooms.c.host == host, rooms.c.created_at > since)
            return int((await connection.execute(query)).scalar_one())

    async def key(self, name: str, fresh: bytes) -> bytes:
        """A key of this installation, made once."""
        await self.add_if_missing(keys, ["name"], {"name": name, "value": fresh})
        async with self.reading() as connection:
            query = select(keys.c.value).where(keys.c.name == name)
            return bytes((await connection.execute(query)).scalar_one())

    async def ready(self) -> bool:
        """Whether the database answers."""
        async with self.reading() as connection:
            return bool((await connection.execute(text("SELECT 1"))).scalar())

    async def close(self) -> None:
        """Writes what is waiting, then lets go of the database."""
        while self._waiting:
            await asyncio.sleep(0.01)
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        await self.engine.dispose()


def open_engine(url: str) -> AsyncEngine:
    """An engine for ``sqlite:///path`` or ``postgresql://...``, with the drivers that we use."""
    url = url.replace("sqlite:///", "sqlite+aiosqlite:///", 1) if url.startswith("sqlite:///") else url
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            url = "postgresql+asyncpg://" + url.removeprefix(scheme)
    try:
        # Parameters stay out of error texts: among them are secrets.
        engine = create_async_engine(url, pool_pre_ping=not url.startswith("sqlite"), hide_parameters=True)
    except (ArgumentError, NoSuchModuleError):
        raise SobremesaError("a database is named as in sqlite:///FILE or postgresql://HOST/NAME") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


async def forget_person(store: Store, person: str, tables: Iterable[Table] = (people, ratings, daily_sheets)) -> None:
    """Removes everything of a person. Games that others played too remain, with nobody's name in that seat."""
    async with store.writing() as connection:
        # Results first: a rating that is being computed for them must find that they are gone.
        await connection.execute(update(results).where(results.c.person == person).values(person=None))
        await connection.execute(update(rooms).where(rooms.c.host == person).values(host=None))
        for table in tables:
            column = table.c.id if table is people else table.c.person
            await connection.execute(delete(table).where(column == person))
        query = select(events).where(events.c.person == person)
        called: dict[str, set[str]] = {}
        for row in (await connection.execute(query)).all():
            data = json.loads(row.data)
            called.setdefault(row.room, set()).add(data.get("name", ""))
            for key in ("name", "words", "text"):
                if key in data and row.kind in ("seated", "said", "phrase", "created"):
                    data[key] = "–"
            change = update(events).where(events.c.room == row.room, events.c.version == row.version)
            await connection.execute(change.values(person=None, data=json.dumps(data, separators=(",", ":"))))
        for room, names in called.items():
            query = select(rooms.c.about).where(rooms.c.id == room)
            if (about := (await connection.execute(query)).scalar_one_or_none()) is not None:
                told = json.loads(about)
                told["names"] = ["" if name in names else name for name in told["names"]]
                change = update(rooms).where(rooms.c.id == room)
                await connection.execute(change.values(about=json.dumps(told, separators=(",", ":"))))
