"""A real PostgreSQL for tests: ``pytest_plugins = ["server.postgres"]`` brings the fixture ``postgres_url``.

Other modules may import this one before that, hence: PYTEST_DONT_REWRITE.
"""

import asyncio
import os
import secrets
import shutil
import socket
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import text

from sobremesa.server.database import open_engine

OPTIONS = "-c fsync=off -c synchronous_commit=off -c full_page_writes=off -c max_connections=200"
"""Quick, and fit for being killed as a process, not for a power failure."""


@contextmanager
def postgres() -> Iterator[str]:
    """Runs a server of its own in a temporary folder; gives the URL of its database ``postgres``."""
    pg_ctl, initdb = program("pg_ctl"), program("initdb")
    folder = Path(tempfile.mkdtemp(prefix="sobremesa-postgres-"))
    # PostgreSQL refuses to run as root.
    who: dict[str, Any] = {"user": "postgres", "group": "postgres"} if os.geteuid() == 0 else {}
    if who:
        shutil.chown(folder, "postgres", "postgres")
    try:
        data = str(folder / "data")
        _run([initdb, "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C", "--no-sync"], who)
        port = _start([pg_ctl, "-D", data, "-w", "-t", "60", "-l", str(folder / "log")], folder, who)
        try:
            yield f"postgresql://postgres@127.0.0.1:{port}/postgres"
        finally:
            _run([pg_ctl, "-D", data, "-w", "-m", "immediate", "stop"], who)
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def program(name: str) -> str:
    """A program of PostgreSQL, on the path or where Debian puts it; without it tests are skipped, but fail in CI."""
    if found := shutil.which(name):
        return found
    installed = sorted(Path("/usr/lib/postgresql").glob(f"*/bin/{name}"), key=lambda path: int(path.parts[4]))
    if installed:
        return str(installed[-1])
    reason = f"PostgreSQL is not installed: there is no {name} on the path"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _start(command: list[str], folder: Path, who: dict[str, Any]) -> int:
    """Starts the server; again with another port, if somebody took the first one in between."""
    for attempt in range(5):
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = int(free.getsockname()[1])
        options = f"{OPTIONS} -p {port} -c listen_addresses=127.0.0.1 -k {folder}"
        try:
            _run([*command, "-o", options, "start"], who)
        except RuntimeError:
            if attempt == 4:
                raise
        else:
            return port
    raise AssertionError


def _run(command: list[str], who: dict[str, Any]) -> None:
    # Into a file, not a pipe: the server inherits it, and would keep a pipe open for ever.
    with tempfile.TemporaryFile() as said:
        done = subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=said, stderr=said, check=False, **who)
        said.seek(0)
        if done.returncode:
            raise RuntimeError(f"{command[0]} failed: {said.read().decode(errors='replace')}")


def new_database(server: str) -> str:
    """The URL of a fresh, empty database on a server."""
    name = f"test_{secrets.token_hex(6)}"
    asyncio.run(_execute(server, f"CREATE DATABASE {name}"))
    return f"{server.rpartition('/')[0]}/{name}"


async def _execute(url: str, statement: str) -> None:
    engine = open_engine(url)
    try:
        async with engine.connect() as connection:
            alone = await connection.execution_options(isolation_level="AUTOCOMMIT")
            await alone.execute(text(statement))
    finally:
        await engine.dispose()


@pytest.fixture(scope="session")
def postgres_server() -> Iterator[str]:
    """One server for all tests (with pytest-xdist: one for each worker)."""
    with postgres() as url:
        yield url


@pytest.fixture
def postgres_url(postgres_server: str) -> str:
    """An empty database for one test."""
    return new_database(postgres_server)
