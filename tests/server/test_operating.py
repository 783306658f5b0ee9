"""What an operator does: start, look after, back up, move and stop a server. By the commands that people type."""

import asyncio
import json
import os
import re
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, closing, suppress
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import httpx
import pytest

from server.bots import Ledger, meet, play_seat
from server.serving import PROGRAM, Server, run_command, serving
from sobremesa.server.client import Guest
from sobremesa.server.migrate import HEAD
from sobremesa.table import loads, verify

Json = dict[str, Any]


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("operating")


class Start(NamedTuple):
    """A server, and how it started on an empty database."""

    server: Server
    took: float
    worked: float
    """Seconds of the processor's time."""


@pytest.fixture(scope="module")
def started(folder: Path) -> Iterator[Start]:
    server = Server(database(folder), folder, "--no-limits", program=PROGRAM)
    took = server.start()
    assert server.process is not None
    try:
        fields = Path(f"/proc/{server.process.pid}/stat").read_text().rpartition(")")[2].split()
        yield Start(server, took, (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK"))
        assert server.stop() == 0, "stopping when asked is no failure"
        assert "Traceback" not in server.log
    finally:
        if server.process.poll() is None:
            server.kill()


@pytest.fixture(scope="module")
def server(started: Start) -> Server:
    return started.server


def database(folder: Path) -> str:
    return f"sqlite:///{folder / 'table.db'}"


def sobremesa(*arguments: object) -> "subprocess.CompletedProcess[str]":
    """A command, as somebody would type it."""
    with tempfile.TemporaryDirectory() as folder:
        return run_command([str(argument) for argument in arguments], Path(folder))


def get(server: Server, path: str) -> httpx.Response:
    return httpx.get(server.address + path, timeout=20)


def test_it_opens_within_three_seconds_on_an_empty_database(started: Start) -> None:
    print(f"open after {started.took:.1f} s, of which the processor worked {started.worked:.1f} s")
    # Other tests run beside this one, and what they take of the machine is not the server's fault.
    assert started.worked < 3


# -- looking after it -------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_it_is_well(path: str, server: Server) -> None:
    answer = get(server, path)
    assert (answer.status_code, answer.text) == (200, "ok")
    assert "set-cookie" not in answer.headers, "whoever watches the server is no guest"


def figures(server: Server) -> dict[str, float]:
    """Everything that Prometheus would read, by name and labels."""
    answer = get(server, "/metrics")
    assert answer.headers["content-type"].startswith("text/plain")
    lines = [line.rsplit(" ", 1) for line in answer.text.splitlines() if not line.startswith("#")]
    return {name: float(value) for name, value in lines}


@asynccontextmanager
async def a_game(server: Server) -> AsyncIterator[tuple[str, list[Guest]]]:
    """A game of Callisto between two people, to its end."""
    party = await meet(server.address, "callisto", 2, options={"edition": "pocket"})
    await party.play(3, Ledger())
    yield party.room, party.guests


def test_the_figures_move_with_what_happens(server: Server) -> None:
    async def play() -> None:
        before = figures(server)
        async with a_game(server) as (room, guests):
            after = figures(server)
            record = await guests[0].call("GET", f"/api/rooms/{room}/games/1/record")
            moves = len(record["events"])
            assert after["sobremesa_moves_total"] == before["sobremesa_moves_total"] + moves
            assert after["sobremesa_command_seconds_count"] >= before["sobremesa_command_seconds_count"] + moves
            assert after["sobremesa_commits_total"] > before["sobremesa_commits_total"]
            created = 'sobremesa_http_requests_total{method="POST",route="/api/rooms",status="2xx"}'
            assert after[created] == before.get(created, 0) + 1
            assert after["sobremesa_rooms"] == before["sobremesa_rooms"] + 1
            async with guests[0].enter(room), guests[1].enter(room):
                assert figures(server)["sobremesa_sockets"] == 2
        for _ in range(100):
            if not figures(server)["sobremesa_sockets"]:
                return
            await asyncio.sleep(0.05)
        pytest.fail("sockets that were closed are still counted")

    asyncio.run(play())


def test_the_figures_name_nobody(server: Server) -> None:
    async def play() -> tuple[str, list[Guest]]:
        async with a_game(server) as (room, guests):
            for path in (f"/api/rooms/{room}", f"/r/{room}", f"/api/rooms/{room}/qr.svg", "/api/me", f"/{room}"):
                await asyncio.to_thread(get, server, path)
            return room, guests

    room, guests = asyncio.run(play())
    text = get(server, "/metrics").text
    for secret in (room, *(str(guest.token) for guest in guests), *(str(guest.token)[:32] for guest in guests)):
        assert secret not in text
    labels = set(re.findall(r'(\w+)="([^"]*)"', text))
    assert {name for name, _ in labels} <= {
        "method", "route", "status", "le", "state", "outcome", "generation",
        "implementation", "major", "minor", "patchlevel", "version",
    }  # fmt: skip
    routes = {value for name, value in labels if name == "route"}
    assert "/api/rooms/{room}" in routes
    assert "other" in routes, "a path that is not ours is not repeated"


def test_the_log_is_made_of_json_and_holds_no_secret(server: Server) -> None:
    async def play() -> list[Guest]:
        async with a_game(server) as (_, guests):
            return guests

    guests = asyncio.run(play())
    for line in server.log.splitlines():
        assert {"time", "level", "message"} <= set(json.loads(line))
    for guest in guests:
        assert str(guest.token) not in server.log


# -- the database -----------------------------------------------------------------------------------------------------


def test_migrate_makes_a_database_and_leaves_it_alone_when_it_is_new(tmp_path: Path) -> None:
    for _ in range(2):
        done = sobremesa("migrate", "--database", database(tmp_path))
        assert done.returncode == 0, done.stderr
        assert HEAD in done.stdout
    with closing(sqlite3.connect(tmp_path / "table.db")) as connection:
        tables = {name for (name,) in connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert {"rooms", "events", "promises", "people", "results", "ratings", "alembic_version"} <= tables


def test_a_backup_while_a_game_is_on_is_a_server_of_its_own(server: Server, folder: Path, tmp_path: Path) -> None:
    """Two people play; the copy has their game up to some moment, and they can play it to its end there."""

    async def play() -> tuple[str, list[Guest], int]:
        party = await meet(server.address, "isis-osiris", 2)
        ledger = Ledger()
        playing = asyncio.create_task(party.play(5, ledger, pause=0.3))
        async with asyncio.timeout(60):
            while len(ledger.moves) < 3:
                await asyncio.sleep(0.02)
        done = await asyncio.to_thread(sobremesa, "backup", tmp_path / "copy.db", "--database", database(folder))
        assert done.returncode == 0, done.stderr
        assert "copy.db" in done.stdout
        assert not playing.done(), "in the middle of the game"
        playing.cancel()
        with suppress(asyncio.CancelledError):
            await playing
        update = await party.guests[0].call("GET", f"/api/rooms/{party.room}")
        return party.room, party.guests, update["version"]

    async def go_on(copy: Server, room: str, guests: list[Guest]) -> None:
        async with guests[0].enter(room) as hers, guests[1].enter(room) as his:
            assert hers.update["room"]["playing"]
            assert 5 < hers.update["version"] <= reached
            assert [seat["yours"] for seat in his.update["room"]["seats"].values()] == [False, True]
            seats = (play_seat(visit, seat, Random(seat), Ledger()) for seat, visit in enumerate((hers, his)))
            await asyncio.gather(*seats)
        record = await guests[0].call("GET", f"/api/rooms/{room}/games/1/record")
        assert verify(loads(json.dumps(record))).fair

    room, guests, reached = asyncio.run(play())
    with serving(f"sqlite:///{tmp_path / 'copy.db'}", tmp_path, "--no-limits") as copy:
        asyncio.run(go_on(copy, room, [Guest(copy.address, guest.token) for guest in guests]))


# -- what goes wrong --------------------------------------------------------------------------------------------------


def test_a_second_server_on_the_same_port_says_so_and_ends(server: Server, tmp_path: Path) -> None:
    port = server.address.rpartition(":")[2]
    done = sobremesa("serve", "--database", database(tmp_path), "--port", port)
    assert done.returncode not in (0, None)
    assert "in use" in done.stderr
    assert port in done.stderr
    assert "Traceback" not in done.stderr
    assert "Sobremesa is at" not in done.stdout
    assert get(server, "/healthz").status_code == 200, "the first one goes on"


@pytest.mark.parametrize("asked", [signal.SIGINT, signal.SIGTERM])
def test_it_ends_well_when_asked_even_with_somebody_on_the_line(tmp_path: Path, asked: signal.Signals) -> None:
    with serving(database(tmp_path), tmp_path, program=PROGRAM) as server:
        assert server.process is not None
        port = int(server.address.rpartition(":")[2])
        with socket.create_connection(("127.0.0.1", port)) as half:
            half.sendall(b"GET / HTTP/1.1\r\nHo")
            os.kill(server.process.pid, asked)
            assert server.process.wait(60) == 0
        assert "Traceback" not in server.log


def test_it_ends_well_when_asked_before_it_listens(tmp_path: Path) -> None:
    program = """if True:
        import os, signal, sys
        from sobremesa.server.house import House
        opened = House.open
        async def open(house):
            os.kill(os.getpid(), signal.SIGTERM)
            await opened(house)
        House.open = open
        from sobremesa.cli import main
        sys.exit(main(sys.argv[1:]))
    """
    done = subprocess.run(
        [sys.executable, "-c", program, "serve", "--database", database(tmp_path), "--port", "0"],
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


def test_who_asks_twice_means_it(tmp_path: Path) -> None:
    program = """if True:
        import asyncio, os, signal, sys
        from sobremesa.server.hub import Hub
        closed = Hub.close
        async def close(hub):
            os.kill(os.getpid(), signal.SIGINT)
            Hub.close = closed
            await asyncio.sleep(600)
        Hub.close = close
        from sobremesa.cli import main
        sys.exit(main(sys.argv[1:]))
    """
    with serving(database(tmp_path), tmp_path, program=[sys.executable, "-c", program]) as server:
        assert server.process is not None
        os.kill(server.process.pid, signal.SIGINT)
        assert server.process.wait(60) == 0


def test_a_backup_of_nothing(tmp_path: Path) -> None:
    done = sobremesa("backup", tmp_path / "copy.db", "--database", database(tmp_path))
    assert done.returncode != 0
    assert "table.db" in done.stderr
    assert "Traceback" not in done.stderr
    assert list(tmp_path.iterdir()) == []


# -- the schemas ------------------------------------------------------------------------------------------------------


def test_the_schema_command_writes_what_the_server_serves(server: Server, tmp_path: Path) -> None:
    done = sobremesa("schema", tmp_path / "schema")
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "schema" / "openapi.json").read_text()) == get(server, "/api/openapi.json").json()
    socket = json.loads((tmp_path / "schema" / "socket.json").read_text())
    assert {"ClientMessage", "ServerMessage", "Update", "Move", "Join"} <= set(socket["$defs"])


@pytest.mark.parametrize(
    "database", ["sqlite:////nowhere/at/all.db", "postgresql://nobody@127.0.0.1:1/nothing", "nonsense", "mysql://x/y"]
)
@pytest.mark.parametrize("command", ["serve", "migrate"])
def test_a_database_that_cannot_be_opened_is_told_in_one_line(database: str, command: str) -> None:
    told = sobremesa(command, "--database", database)
    assert told.returncode == 1
    assert len(told.stderr.strip().splitlines()) == 1, told.stderr
    assert "database" in told.stderr
