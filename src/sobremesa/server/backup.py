"""A copy of the database while the server is running: the state of one moment, complete or not there at all."""

import asyncio
import contextlib
import os
import secrets
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path

from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError

from sobremesa.core.errors import SobremesaError

PAGES_AT_ONCE = 256
"""Pages that are copied at once; between steps others get the disk."""


async def backup(database_url: str, target: Path) -> None:
    """Copies a database into a file: a SQLite database again, or PostgreSQL's custom format for ``pg_restore``.

    Whoever has the file has the secrets in it, so only its owner may read it. A file of that name is replaced,
    when the copy is complete and was checked.
    """
    try:
        url = make_url(database_url)
    except ArgumentError:
        raise SobremesaError("server.error.a-database-is-named-as-in-sqlite-file") from None
    if not target.absolute().parent.is_dir():
        raise SobremesaError("server.error.there-is-no-folder", folder=target.absolute().parent)
    match url.get_backend_name():
        case "sqlite":
            await asyncio.to_thread(_copy_sqlite, url, target)
        case "postgresql" | "postgres":
            await _dump_postgresql(url, target)
        case name:
            raise SobremesaError("server.error.there-is-no-backup-for-a-database-of-the-kind", kind=name)


def _copy_sqlite(url: URL, target: Path) -> None:
    source = Path(url.database or "")
    if not source.is_file():
        raise SobremesaError("server.error.there-is-no-database", file=source)
    if target.exists() and target.samefile(source):
        raise SobremesaError("server.error.is-the-database-itself", file=target)
    try:
        with _unfinished(target) as unfinished:
            with closing(sqlite3.connect(f"{source.resolve().as_uri()}?mode=rw", uri=True, timeout=30)) as theirs:
                # In WAL mode a reader sees the moment at which it began and keeps no writer waiting. Without this
                # the copy would begin anew whenever somebody writes, and never end on a busy evening.
                theirs.execute("BEGIN")
                theirs.execute("SELECT count(*) FROM sqlite_master").fetchone()
                with closing(sqlite3.connect(unfinished, isolation_level=None)) as ours:
                    theirs.backup(ours, pages=PAGES_AT_ONCE)
            _finish_sqlite(unfinished)
    except sqlite3.Error as error:
        raise SobremesaError("server.error.the-database-could-not-be-copied", reason=error) from error


def _finish_sqlite(copy: Path) -> None:
    """Checks a copy, and makes it one file, with no write-ahead log beside it."""
    with closing(sqlite3.connect(copy, isolation_level=None)) as ours:
        ours.execute("PRAGMA journal_mode=DELETE")
        if (found := ours.execute("PRAGMA integrity_check").fetchone()[0]) != "ok":
            raise sqlite3.DatabaseError(found)


async def _dump_postgresql(url: URL, target: Path) -> None:
    pg_dump = shutil.which("pg_dump")
    if pg_dump is None:
        raise SobremesaError("server.error.there-is-no-pg-dump-on-the-path")
    environment = dict(os.environ)
    if url.password:
        # Everybody on the machine can read the arguments of a process, but not its environment.
        environment["PGPASSWORD"] = str(url.password)
    with _unfinished(target) as unfinished:
        process = await asyncio.create_subprocess_exec(
            pg_dump,
            "--format=custom",
            "--no-password",
            f"--file={unfinished}",
            f"--dbname={_for_libpq(url)}",
            env=environment,
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.DEVNULL,
            stderr=asyncio.subprocess.PIPE,
        )
        try:
            _, said = await process.communicate()
        finally:
            if process.returncode is None:
                process.kill()
                await process.wait()
        if process.returncode:
            reason = " ".join(said.decode(errors="replace").split())[:300]
            raise SobremesaError("server.error.the-database-could-not-be-copied", reason=reason)


def _for_libpq(url: URL) -> str:
    """The address as PostgreSQL's own programs read it, without the password."""
    query = {"sslmode" if key == "ssl" else key: value for key, value in url.query.items()}
    plain = URL.create("postgresql", url.username, None, url.host, url.port, url.database, query)
    return plain.render_as_string()


@contextmanager
def _unfinished(target: Path) -> Iterator[Path]:
    """A file beside the target that takes its name if all goes well, and else disappears."""
    unfinished = target.with_name(f".{target.name}.{secrets.token_hex(4)}.part")
    os.close(os.open(unfinished, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield unfinished
        with unfinished.open("rb+") as written:
            os.fsync(written.fileno())
        unfinished.replace(target)
        _sync_folder(target.absolute().parent)
    finally:
        for suffix in ("", "-journal", "-wal", "-shm"):
            unfinished.with_name(unfinished.name + suffix).unlink(missing_ok=True)


def _sync_folder(folder: Path) -> None:
    """The new name is on disk, too, where the system can do that."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)
