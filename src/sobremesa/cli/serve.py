"""``sobremesa serve``: the server; ``sobremesa`` alone is the server on one's own machine, with the page opened."""

import argparse
import asyncio
import contextlib
import os
import socket
import sqlite3
import sys
import threading
import time
import webbrowser
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sobremesa.cli import menu
from sobremesa.cli.files import data_folder
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError

PORT = 8765


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the commands."""
    serve = commands.add_parser(
        "serve",
        parents=[common],
        help="run a server for others",
        epilog="example: sobremesa serve --host 0.0.0.0 --database postgresql://localhost/sobremesa --redis redis://localhost",
    )
    serve.add_argument("--host", default="127.0.0.1", help="the address to listen on (%(default)s)")
    serve.add_argument("--port", type=int, default=PORT, help="the port to listen on; 0 for any (%(default)s)")
    serve.add_argument("--redis", metavar="URL", help="joins several processes to one server")
    serve.add_argument("--origin", action="append", default=[], metavar="URL", help="another page that may talk to us")
    serve.add_argument(
        "--name", action="append", default=[], metavar="HOST", help="a name that the server goes by, as play.example"
    )
    serve.add_argument("--metrics", metavar="HOST:PORT", help="figures for Prometheus on a port of their own")
    serve.add_argument("--secure", action="store_true", help="cookies for HTTPS only")
    serve.add_argument("--proxies", default="127.0.0.1", help="whose X-Forwarded-For is believed (%(default)s)")
    serve.add_argument("--pause", type=float, default=0.6, help="seconds before a computer player moves (%(default)s)")
    serve.add_argument(
        "--away", type=float, default=60, help="seconds away after which people are told on their devices (%(default)s)"
    )
    serve.add_argument(
        "--push-service",
        action="append",
        default=[],
        metavar="URL",
        help="a push service besides those of the browsers",
    )
    serve.add_argument("--existing", action="store_true", help="do not start with a database that has no house in it")
    serve.add_argument("--no-limits", action="store_true", help="no rate limits: for load tests on one machine only")
    serve.add_argument("--log-level", default="info", choices=("debug", "info", "warning", "error"))
    serve.add_argument("--plain-logs", action="store_true", help="logs for people, not for programs")
    _add_database(serve)
    serve.set_defaults(run=_serve)
    migrate = commands.add_parser(
        "migrate",
        parents=[common],
        help="bring a database to this version's form",
        epilog="example: sobremesa migrate --database postgresql://localhost/sobremesa",
    )
    _add_database(migrate)
    migrate.set_defaults(run=_migrate)
    backup = commands.add_parser(
        "backup",
        parents=[common],
        help="copy the database while the server runs",
        epilog="example: sobremesa backup sobremesa-today.db",
    )
    backup.add_argument("file", type=Path, metavar="FILE")
    _add_database(backup)
    backup.set_defaults(run=_backup)
    schema = commands.add_parser(
        "schema",
        parents=[common],
        help="write the OpenAPI and the JSON Schema of all messages",
        epilog="example: sobremesa schema docs/schema",
    )
    schema.add_argument("folder", type=Path, metavar="FOLDER")
    schema.set_defaults(run=_schema)


def _add_database(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--database", metavar="URL", help="sqlite:///FILE or postgresql://… (default: SQLite in your data folder)"
    )


def _database(chosen: argparse.Namespace) -> str:
    if getattr(chosen, "database", None):
        return str(chosen.database)
    folder = data_folder()
    folder.mkdir(parents=True, exist_ok=True)
    return f"sqlite:///{folder / 'sobremesa.db'}"


def _try(database: str) -> None:
    """Raises, in one sentence, if the database cannot be opened."""
    from sobremesa.server.database import open_engine

    async def look() -> None:
        engine = open_engine(database)
        try:
            async with asyncio.timeout(10), engine.connect():
                pass
        finally:
            await engine.dispose()

    try:
        if database.startswith("sqlite:///"):
            with contextlib.closing(sqlite3.connect(database.removeprefix("sqlite:///"))) as file:
                file.execute("PRAGMA schema_version")
        else:
            asyncio.run(look())
    except SobremesaError:
        raise
    except Exception as error:
        reason = str(getattr(error, "orig", None) or error) or type(error).__name__
        raise SobremesaError("cli.error.the-database-cannot-be-opened", reason=reason.splitlines()[0][:200]) from None


def _host_and_port(text: str) -> tuple[str, int]:
    host, _, port = text.rpartition(":")
    if not port.isdigit() or int(port) > 65535:
        raise SobremesaError("cli.error.a-port-of-its-own-is-written-like")
    return host.strip("[]") or "127.0.0.1", int(port)


def _find_house(database: str) -> None:
    """Raises if there is nothing in the database: a disk that is not mounted looks like a new house."""
    from sobremesa.server.database import open_engine, sqlite_file
    from sobremesa.server.migrate import revision

    async def look() -> str | None:
        engine = open_engine(database)
        try:
            return await revision(engine)
        finally:
            await engine.dispose()

    file = sqlite_file(database)
    if (file is not None and not file.exists()) or asyncio.run(look()) is None:
        raise SobremesaError("cli.error.there-is-no-house-in-this-database")


def _needs_server() -> None:
    try:
        import fastapi  # noqa: F401
    except ImportError:
        raise SobremesaError("cli.error.the-server-needs-more-packages") from None


def _serve(chosen: argparse.Namespace, terminal: Terminal) -> int:
    _needs_server()
    from sobremesa.server import logs
    from sobremesa.server.run import run
    from sobremesa.server.settings import NO_LIMITS, Limits, Settings

    logs.set_up(chosen.log_level, json=not chosen.plain_logs)
    os.umask(0o077)  # The database holds keys and promises: it is nobody else's to read.
    if chosen.existing:
        _find_house(_database(chosen))
    _try(_database(chosen))
    settings = Settings(
        database=_database(chosen),
        host=chosen.host,
        port=chosen.port,
        redis=chosen.redis,
        origins=tuple(chosen.origin),
        hosts=tuple(name.lower() for name in chosen.name),
        metrics=_host_and_port(chosen.metrics) if chosen.metrics else None,
        secure=chosen.secure,
        proxies=chosen.proxies,
        pause=chosen.pause,
        away_for=chosen.away,
        push_services=tuple(chosen.push_service),
        limits=NO_LIMITS if chosen.no_limits else Limits(),
    )
    return run(settings, lambda address: terminal.say("cli.sobremesa-is-at", address=address))


def serve_locally(chosen: argparse.Namespace, terminal: Terminal) -> int:
    """Starts the server on this machine and opens the page; plays in the terminal where there is no server."""
    if find_spec("fastapi") is None:
        terminal.say("cli.here-is-the-table-in-the-terminal")
        return menu.run(chosen, terminal)
    from sobremesa.server import logs
    from sobremesa.server.run import run
    from sobremesa.server.settings import Settings

    logs.set_up("warning", json=False)
    os.umask(0o077)

    def opened(address: str) -> None:
        terminal.say("cli.sobremesa-is-at-ctrl-c-ends", address=address)
        if sys.stdout.isatty():
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    return run(Settings(database=_database(chosen), port=_free_port()), opened)


def _free_port() -> int:
    """The usual port, or any other if it is taken."""
    with socket.socket() as probe:
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind(("127.0.0.1", PORT))
        except OSError:
            return 0
    return PORT


def _migrate(chosen: argparse.Namespace, terminal: Terminal) -> int:
    _needs_server()
    os.umask(0o077)
    _try(_database(chosen))
    from sobremesa.server.database import open_engine
    from sobremesa.server.migrate import migrate, revision

    async def bring() -> str | None:
        engine = open_engine(_database(chosen))
        try:
            await migrate(engine)
            return await revision(engine)
        finally:
            await engine.dispose()

    terminal.say("cli.the-database-is-at-revision", revision=asyncio.run(bring()))
    return 0


def _backup(chosen: argparse.Namespace, terminal: Terminal) -> int:
    _needs_server()
    from sobremesa.server.backup import backup

    began = time.monotonic()
    asyncio.run(backup(_database(chosen), chosen.file))
    terminal.say("cli.saved-in-after-s", file=chosen.file, seconds=round(time.monotonic() - began, 1))
    return 0


def _schema(chosen: argparse.Namespace, terminal: Terminal) -> int:
    _needs_server()
    from sobremesa.server.schema import write_schemas

    for path in write_schemas(chosen.folder):
        terminal.show(str(path))
    return 0
