"""Where rooms are kept: what is read and written of them in the database. What was acknowledged is on disk."""

import asyncio
import json
import re
import shutil
from collections.abc import AsyncIterator, Container, Iterable, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError
from sqlalchemy import Table, delete, exists, func, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.rooms.events import Entry, read_event
from sobremesa.rooms.projections import about_without, mark
from sobremesa.server.database import (
    Vanished,
    daily_sheets,
    devices,
    events,
    keys,
    open_engine,
    people,
    promises,
    pushes,
    ratings,
    results,
    rooms,
    sqlite_file,
)

T = TypeVar("T")
ROWS_AT_ONCE = 200
"""Rows that are read or written in one go: the event loop is held for that long."""
MIN_FREE_BYTES = 16 * 1024 * 1024
"""Bytes that have to be free beside a SQLite file, for a server that calls itself ready."""
_ROOM_ID = re.compile("[A-Za-z0-9_-]{1,40}")
MAX_ENTRIES_ON_LOOP = 500
"""A log of more entries than this is replayed beside the event loop."""


class Conflict(Exception):
    """Another process has written to the room since it was read, or one of the commands was done already."""


@dataclass(frozen=True)
class Head:
    """Where a room's log ends."""

    room: str
    version: int
    rewritten: int
    """How often people were taken out of it."""


@dataclass
class Batch:
    """What a room wants written, all or nothing."""

    room: str
    entries: Sequence[Entry]
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
        self._path = sqlite_file(url)
        self._identity: tuple[int, int] | None = None

    def hold_on_to_file(self) -> None:
        """From now on the file must stay the one that it is: what is written to a deleted file is lost."""
        if self._path is not None:
            self._identity = _identity(self._path)

    def check_file(self) -> None:
        """Raises if the file is not the one that was opened."""
        if self._identity is not None and self._path is not None and _identity(self._path) != self._identity:
            raise Vanished("the database's file was moved, deleted or replaced: put it back, and start again")

    @asynccontextmanager
    async def reading(self) -> AsyncIterator[AsyncConnection]:
        """A connection to read with."""
        self.check_file()  # else SQLite would make an empty one in its place
        async with self.engine.connect() as connection:
            yield connection

    @asynccontextmanager
    async def writing(self) -> AsyncIterator[AsyncConnection]:
        """A transaction of its own."""
        self.check_file()
        async with self.engine.begin() as connection:
            yield connection

    async def append(self, batch: Batch) -> None:
        """Returns when the batch is on disk; raises Conflict if its versions or keys are taken."""
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
        entries = [(batch.room, entry) for batch in batches for entry in batch.entries]
        secrets = [
            {"room": room, "version": entry.version, "secret": entry.secret}
            for room, entry in entries
            if entry.secret is not None
        ]
        outcomes = [row for batch in batches for row in batch.results]
        # Rooms in one order everywhere, so that two processes cannot wait for each other.
        summaries = sorted((dict(batch.summary) for batch in batches if batch.summary), key=lambda row: str(row["id"]))
        async with self.writing() as connection:
            # Piece by piece: others have their turn while ten thousand moves are written.
            for some in _chunks(entries):
                await connection.execute(insert(events), [_row(room, entry) for room, entry in some])
            if secrets:
                await connection.execute(insert(promises), secrets)
            for rows in _chunks(outcomes):
                await connection.execute(insert(results), rows)
            if summaries:
                # The host never changes, and once forgotten must not come back with what was on its way.
                await connection.execute(
                    self._upsert(rooms, ["id"], ["id", "host", "created_at", "rewritten"]), summaries
                )
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

    async def read_log(self, room: str, after: int = 0) -> list[Entry]:
        """A room's log after a version, with the secrets of its promises."""
        async with self.reading() as connection:
            log: list[Entry] = []
            query = select(events).where(events.c.room == room, events.c.version > after).order_by(events.c.version)
            # Piece by piece: others have their turn while ten thousand sheets are read.
            async for rows in (await connection.stream(query)).partitions(ROWS_AT_ONCE):
                log += [_entry(row, None) for row in rows]
            # Only now: of every promise that was read, the secret is there, whatever is being written meanwhile.
            query = select(promises).where(promises.c.room == room, promises.c.version > after)
            secrets = {row.version: row.secret for row in await connection.execute(query)}
        return [replace(entry, secret=secrets[entry.version]) if entry.version in secrets else entry for entry in log]

    async def heads(self, ids: Sequence[str]) -> list[Head]:
        """Where the logs of many rooms end, in one query for some hundreds."""
        last = select(func.max(events.c.version)).where(events.c.room == rooms.c.id).scalar_subquery()
        found: list[Head] = []
        async with self.reading() as connection:
            for some in _chunks(list(ids)):
                query = select(rooms.c.id, last, rooms.c.rewritten).where(rooms.c.id.in_(some))
                found += [Head(*row) for row in await connection.execute(query)]
        return found

    async def find_command(self, room: str, person: str | None, command: str) -> int | None:
        """The version at which a command stands in the log, if it was done already."""
        async with self.reading() as connection:
            query = select(events.c.version).where(
                events.c.room == room, events.c.person == person, events.c.command == command
            )
            return (await connection.execute(query)).scalar_one_or_none()

    async def lobby(self, since: float, limit: int = 50) -> list[Mapping[str, Any]]:
        """Public rooms in which something has happened since then, the liveliest first."""
        async with self.reading() as connection:
            lively = rooms.c.public & (rooms.c.changed_at > since)
            query = select(rooms).where(lively).order_by(rooms.c.changed_at.desc()).limit(limit)
            return [dict(row._mapping) for row in await connection.execute(query)]

    async def rooms_of(self, person: str, limit: int = 50) -> list[Mapping[str, Any]]:
        """The rooms that a person has taken a seat in, the latest first."""
        async with self.reading() as connection:
            mine = select(events.c.room).where(events.c.person == person, events.c.kind.in_(["seated", "created"]))
            query = select(rooms).where(rooms.c.id.in_(mine)).order_by(rooms.c.changed_at.desc()).limit(limit)
            return [dict(row._mapping) for row in await connection.execute(query)]

    async def waiting_rooms_of(self, person: str, since: float, limit: int) -> list[Mapping[str, Any]]:
        """The public rooms, changed since then, that have not begun and where a person took a seat, or opened them."""
        async with self.reading() as connection:
            mine = select(events.c.room).where(events.c.person == person, events.c.kind.in_(["seated", "created"]))
            waiting = rooms.c.public & rooms.c.playing.is_(False) & (rooms.c.changed_at > since)
            query = select(rooms).where(waiting, rooms.c.id.in_(mine)).limit(limit)
            return [dict(row._mapping) for row in await connection.execute(query)]

    async def count_rooms(self, host: str, since: float) -> int:
        """How many rooms a person has opened since a time."""
        async with self.reading() as connection:
            query = select(func.count()).select_from(rooms).where(rooms.c.host == host, rooms.c.created_at > since)
            return int((await connection.execute(query)).scalar_one())

    async def expire(self, after: float, before: float, *, seated: bool, spare: Container[str]) -> tuple[float, int]:
        """Removes rooms in which no person ever made a move and that were changed last between two times, some at once.

        With ``seated`` those where somebody took a seat, too. Returns up to when it has looked, and how many are gone.
        """
        kinds = ["moved"] if seated else ["moved", "seated"]
        by_people = exists().where(events.c.room == rooms.c.id, events.c.kind.in_(kinds), events.c.person.is_not(None))
        async with self.writing() as connection:
            old = select(rooms.c.id, rooms.c.changed_at, by_people.label("used")).where(
                rooms.c.changed_at > after, rooms.c.changed_at <= before
            )
            found = (await connection.execute(old.order_by(rooms.c.changed_at).limit(ROWS_AT_ONCE))).all()
            empty = [row.id for row in found if not row.used and row.id not in spare]
            for table in (events, promises, results, pushes):
                await connection.execute(delete(table).where(table.c.room.in_(empty)))
            await connection.execute(delete(rooms).where(rooms.c.id.in_(empty)))
        return (found[-1].changed_at if len(found) == ROWS_AT_ONCE else before), len(empty)

    async def key(self, name: str, fresh: bytes) -> bytes:
        """A key of this installation, made once."""
        await self.add_if_missing(keys, ["name"], {"name": name, "value": fresh})
        async with self.reading() as connection:
            query = select(keys.c.value).where(keys.c.name == name)
            return bytes((await connection.execute(query)).scalar_one())

    async def scrub(self) -> None:
        """Has the files keep nothing of what rows said before; PostgreSQL clears that away by itself."""
        if self.engine.dialect.name == "sqlite":
            async with self.reading() as connection:
                await connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)")

    async def check_writing(self) -> None:
        """Raises if nothing can be written: a read, and a small write that changes nothing that matters."""
        row = {"name": "readiness", "value": b"%d" % self.commits}
        await self.put(keys, ["name"], row)

    def check_space(self) -> bool:
        """Whether there is space left beside a database file; of a database elsewhere we know no more than it says."""
        if self._path is None:
            return True
        return shutil.disk_usage(self._path.parent).free >= MIN_FREE_BYTES

    async def close(self) -> None:
        """Writes what is waiting, then lets go of the database."""
        while self._waiting:
            await asyncio.sleep(0.01)
        if self._writer is not None:
            self._writer.cancel()
            await asyncio.gather(self._writer, return_exceptions=True)
        await self.engine.dispose()


def _identity(path: Path) -> tuple[int, int] | None:
    try:
        status = path.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino


def is_room_id(id: str) -> bool:
    """Whether a text could be the id of a room."""
    return _ROOM_ID.fullmatch(id) is not None


async def forget_person(
    store: Store, person: str, tables: Iterable[Table] = (people, ratings, daily_sheets, devices, pushes)
) -> set[str]:
    """Removes everything of a person. Games that others played too remain, with nobody's name in that seat.

    Returns the rooms whose logs were rewritten.
    """
    async with store.writing() as connection:
        # Results first: a rating that is being computed for them must find that they are gone.
        await connection.execute(update(results).where(results.c.person == person).values(person=None))
        await connection.execute(update(rooms).where(rooms.c.host == person).values(host=None))
        for table in tables:
            column = table.c.id if table is people else table.c.person
            await connection.execute(delete(table).where(column == person))
        query = select(events).where(events.c.person == person)
        names: dict[str, set[str]] = {}
        for row in (await connection.execute(query)).all():
            names.setdefault(row.room, set()).add(json.loads(row.data).get("name", ""))
            change = update(events).where(events.c.room == row.room, events.c.version == row.version)
            await connection.execute(change.values(person=None, command=None, data=_anonymous(row)))
        for room, of_person in names.items():
            query = select(rooms.c.about).where(rooms.c.id == room)
            if (about := (await connection.execute(query)).scalar_one_or_none()) is not None:
                change = update(rooms).where(rooms.c.id == room)
                await connection.execute(change.values(about=about_without(about, of_person, mark(room, person))))
            counted = update(rooms).where(rooms.c.id == room).values(rewritten=rooms.c.rewritten + 1)
            await connection.execute(counted)
    await store.scrub()
    return set(names)


def _chunks(rows: list[T]) -> Iterator[list[T]]:
    return (rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE))


def _row(room: str, entry: Entry) -> dict[str, Any]:
    return {
        "room": room,
        "version": entry.version,
        "kind": entry.event.kind,
        "data": _data(entry),
        "at": entry.at,
        "person": entry.person,
        "command": entry.command,
    }


def _entry(row: Any, secret: bytes | None) -> Entry:
    event = read_event({"kind": row.kind} | json.loads(row.data))
    return Entry(row.version, row.at, event, row.person, row.command, secret)


def _anonymous(row: Any) -> str:
    """What remains of an event when the person is forgotten: nothing of one that only another version can read."""
    try:
        return _data(_entry(row, None).anonymous())
    except ValidationError:
        return "{}"


def _data(entry: Entry) -> str:
    return entry.event.model_dump_json(exclude={"kind"}, exclude_none=True)
