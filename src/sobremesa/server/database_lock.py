"""One server for a SQLite file: others are refused while it runs. And a house that has vanished is not built anew.

Beside ``sobremesa.db`` lies ``sobremesa.db.lock``. The running server holds a lock on it, which the system takes back
when the process ends, however it ends. It stays, and says that there was a house here.
"""

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from sobremesa.core.errors import SobremesaError
from sobremesa.server.database import sqlite_file

HOUSE = b"There is a house in the database beside this file. Sobremesa holds a lock on this one while it runs.\n"


@contextlib.contextmanager
def hold_database(url: str, *, shared: bool = False) -> Iterator[None]:
    """Holds a SQLite database for as long as this lasts; servers that are joined by Redis may share it."""
    path = sqlite_file(url)
    if path is None:
        yield
        return
    beside = path.with_name(path.name + ".lock")
    descriptor = os.open(beside, os.O_RDWR | os.O_CREAT, 0o600)
    try:
        if not _lock(descriptor, shared):
            raise SobremesaError("server.error.another-sobremesa-is-using-the-database", file=path)
        if os.path.getsize(beside) and not _has_something(path):
            raise SobremesaError(
                "server.error.the-database-was-here-and-is-gone",
                file=path,
                lock=beside,
            )
        yield
    finally:
        os.close(descriptor)


def mark_house(url: str) -> None:
    """Notes beside a SQLite file that there is a house in it now."""
    if (path := sqlite_file(url)) is not None and _has_something(path):
        path.with_name(path.name + ".lock").write_bytes(HOUSE)


def _has_something(path: Path) -> bool:
    return path.exists() and path.stat().st_size > 0


def _lock(descriptor: int, shared: bool) -> bool:
    """Takes the lock; False if somebody else has it."""
    try:
        if os.name == "posix":
            import fcntl

            fcntl.flock(descriptor, (fcntl.LOCK_SH if shared else fcntl.LOCK_EX) | fcntl.LOCK_NB)
        else:
            import msvcrt

            os.lseek(descriptor, 1 << 20, os.SEEK_SET)  # beyond what is written there
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    except OSError:
        return False
    return True
