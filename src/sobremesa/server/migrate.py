"""Brings a database to the newest revision. Any number of processes may try at the same moment.

To change the schema: change ``database.metadata``, add a module to ``migrations/versions``, raise ``HEAD``.
"""

import asyncio
import time

from sqlalchemy import Connection, inspect, text
from sqlalchemy.exc import OperationalError, ProgrammingError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from sobremesa.core.errors import SobremesaError

HEAD = "0008"
"""The newest revision."""
LOCK_TIMEOUT = 30.0
"""Seconds to wait for another process that holds a SQLite file."""
_LOCK = 0x50B2E3E5A
"""A number for PostgreSQL's advisory lock; any will do, if everybody takes the same."""


async def migrate(engine: AsyncEngine) -> str | None:
    """Creates or updates all tables, in one transaction: it is done, or nothing has changed.

    Returns the revision that was there before; None if there was nothing.
    """
    if engine.dialect.name == "sqlite":
        return await _patiently(engine)
    if (before := await revision(engine)) != HEAD:
        await _upgrade(engine, f"SELECT pg_advisory_xact_lock({_LOCK})")
    return before


async def revision(engine: AsyncEngine) -> str | None:
    """The revision that the database is at; None for an empty one."""
    async with engine.connect() as connection:
        return await _read_revision(connection)


async def _patiently(engine: AsyncEngine) -> str | None:
    """SQLite does not always wait by itself: a file is locked for a moment while it is switched to WAL."""
    deadline = time.monotonic() + LOCK_TIMEOUT
    while True:
        try:
            if (before := await revision(engine)) != HEAD:
                await _upgrade(engine, "BEGIN IMMEDIATE")
            return before
        except OperationalError as error:
            if "locked" not in str(error.orig) or time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.05)


async def _read_revision(connection: AsyncConnection) -> str | None:
    query = text("SELECT version_num FROM alembic_version")
    try:
        return (await connection.execute(query)).scalar_one_or_none()
    except (OperationalError, ProgrammingError):
        await connection.rollback()
        if not await connection.run_sync(lambda sync: inspect(sync).has_table("alembic_version")):
            return None
        # Another process has made it meanwhile; or else the error is a real one, and comes again.
        return (await connection.execute(query)).scalar_one_or_none()


async def _upgrade(engine: AsyncEngine, lock: str) -> None:
    async with engine.connect() as connection:
        await connection.exec_driver_sql(lock)
        await connection.run_sync(_run_alembic)
        await connection.commit()


def _run_alembic(connection: Connection) -> None:
    """Does nothing if another process was first: Alembic reads the revision again, behind the lock."""
    # Only here: it takes longer to import than everything else that a start does.
    from alembic.command import upgrade
    from alembic.config import Config
    from alembic.util import CommandError

    config = Config()
    config.set_main_option("script_location", "sobremesa.server:migrations")
    config.attributes["connection"] = connection
    try:
        upgrade(config, "head")
    except CommandError as error:
        raise SobremesaError("server.error.the-database-is-of-a-newer-sobremesa") from error
