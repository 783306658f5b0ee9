"""The database: its tables, how it is opened, and when it is away. SQLite by default, PostgreSQL by URL."""

from pathlib import Path
from typing import Any

from sqlalchemy import (
    Boolean,
    Column,
    Float,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    event,
    false,
    true,
)
from sqlalchemy.exc import ArgumentError, DBAPIError, InterfaceError, NoSuchModuleError, OperationalError
from sqlalchemy.exc import TimeoutError as PoolTimeout
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from sobremesa.core.errors import SobremesaError

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
    Column("rewritten", Integer, nullable=False, default=0, server_default="0"),
)
"""What the lobby needs to know of each room, kept in step with its log.

``rewritten`` counts how often people were taken out of its log, for processes that have the room in memory.
"""

events = Table(
    "events",
    metadata,
    Column("room", String(40), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("kind", String(20), nullable=False),
    Column("data", Text, nullable=False),
    Column("at", Float, nullable=False),
    Column("person", String(64), index=True),
    Column("command", String(64)),
    Index("ix_events_command", "room", "person", "command", unique=True),
)
"""The event logs of all rooms. ``command`` is the idempotency key of the command that an entry is the first of."""

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
    Column("counts", Boolean, nullable=False, default=False, server_default=true()),
)
"""A row for each seat of each game that ended: ``counts`` if it was a rated game, ``rated`` once ratings followed it.

Games from before there was a difference count.
"""

ratings = Table(
    "ratings",
    metadata,
    Column("person", String(64), primary_key=True),
    Column("game", String(40), primary_key=True),
    Column("mu", Float, nullable=False),
    Column("sigma", Float, nullable=False),
    Column("games", Integer, nullable=False),
    Column("settled", Integer, nullable=False, default=0, server_default="0"),
    Column("met", Integer, nullable=False, default=0, server_default="0"),
)

dailies = Table(
    "dailies",
    metadata,
    Column("date", String(10), primary_key=True),
    Column("secret", LargeBinary, nullable=False),
    Column("revealed", Boolean, nullable=False, default=False, server_default=false()),
)
"""The days of the daily game. ``revealed``: its rolls could be known to anybody, because a server took it for over."""

daily_sheets = Table(
    "daily_sheets",
    metadata,
    Column("date", String(10), primary_key=True),
    Column("person", String(64), primary_key=True),
    Column("name", String(60), nullable=False),
    Column("cells", Text, nullable=False),
    Column("points", Integer),
    Column("at", Float, nullable=False),
    Column("league", String(8), nullable=False, default="ranked", server_default="ranked"),
)

daily_tombstones = Table(
    "daily_tombstones",
    metadata,
    Column("date", String(10), primary_key=True),
    Column("id", String(64), primary_key=True),
)
"""Who had begun a day's sheet before they were forgotten, as a hash of the day and the person: one try stays one."""

tokens = Table(
    "tokens",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("person", String(64), index=True),
    Column("created_at", Float, nullable=False),
)
"""Tokens by their hash: of further devices with who they stand for, and of those that are good no more, with nobody."""

pairings = Table(
    "pairings",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("person", String(64), nullable=False, index=True),
    Column("expires_at", Float, nullable=False),
)
"""Codes, by their hash, with which another device becomes the same person: each is good once, for some minutes."""

devices = Table(
    "devices",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("person", String(64), nullable=False, index=True),
    Column("token", String(64), index=True),
    Column("endpoint", Text, nullable=False),
    Column("p256dh", String(120), nullable=False),
    Column("auth", String(40), nullable=False),
    Column("language", String(2), nullable=False),
    Column("created_at", Float, nullable=False),
    Column("seen_at", Float, nullable=False),
    Column("failures", Integer, nullable=False),
)
"""Devices that want to be told when it is their person's turn, by the hash of their address at a push service.

``token`` is the hash of the token that the device came with, as in ``tokens``; ``seen_at`` is when the person last
looked at a table, on whichever device.
"""

pushes = Table(
    "pushes",
    metadata,
    Column("room", String(40), primary_key=True),
    Column("person", String(64), primary_key=True),
    Column("topic", String(10), primary_key=True),
    Column("kind", String(10), nullable=False),
    Column("version", Integer, nullable=False),
    Column("due_at", Float, index=True),
    Column("tries", Integer, nullable=False),
)
"""What somebody is to be told of a room, and when; once it was sent, ``due_at`` is empty.

There is one row for news (``Notice``), and one for the warning that time runs out.
"""

keys = Table(
    "keys", metadata, Column("name", String(40), primary_key=True), Column("value", LargeBinary, nullable=False)
)


LOST_STATES = ("08", "57P")
"""How SQLSTATEs begin that PostgreSQL's driver gives when a connection is lost, or the server stops or starts."""


class Vanished(Exception):
    """The database's file is not the one that was opened: it was moved, deleted or replaced."""


def is_away(error: BaseException) -> bool:
    """Whether an error means that the database cannot be reached or written now, rather than a mistake of ours."""
    if isinstance(error, Vanished | OperationalError | InterfaceError | OSError | TimeoutError | PoolTimeout):
        return True
    if isinstance(error, DBAPIError) and str(getattr(error.orig, "sqlstate", "")).startswith(LOST_STATES):
        return True
    # What the driver for PostgreSQL raises while a connection is made comes as it is.
    return type(error).__module__.startswith("asyncpg.") or bool(getattr(error, "connection_invalidated", False))


def sqlite_file(url: str) -> Path | None:
    """The file of a SQLite database, if it is one."""
    path = url.removeprefix("sqlite:///")
    return Path(path) if url.startswith("sqlite:///") and path and not path.startswith(":") else None


def open_engine(url: str) -> AsyncEngine:
    """An engine for ``sqlite:///path`` or ``postgresql://...``, with the drivers that we use."""
    url = url.replace("sqlite:///", "sqlite+aiosqlite:///", 1) if url.startswith("sqlite:///") else url
    for scheme in ("postgresql://", "postgres://"):
        if url.startswith(scheme):
            url = "postgresql+asyncpg://" + url.removeprefix(scheme)
    try:
        # Parameters stay out of error texts: among them are secrets.
        engine = create_async_engine(
            url,
            pool_pre_ping=not url.startswith("sqlite"),
            hide_parameters=True,
            # A database that is there no more may not say so: nobody waits for it for ever.
            connect_args={} if url.startswith("sqlite") else {"timeout": 10, "command_timeout": 20},
        )
    except (ArgumentError, NoSuchModuleError):
        raise SobremesaError("server.error.a-database-is-named-as-in-sqlite-file") from None
    if engine.dialect.name == "sqlite":
        event.listen(engine.sync_engine, "connect", _prepare_sqlite)
    return engine


def _prepare_sqlite(connection: Any, _: object) -> None:
    cursor = connection.cursor()
    for pragma in ("journal_mode=WAL", "synchronous=FULL", "busy_timeout=10000", "secure_delete=ON"):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()
