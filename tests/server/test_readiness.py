"""A server that says how it is, is alone on its file, and builds no new house where one has vanished."""

import asyncio
import json
import os
import resource
import signal
import sqlite3
import time
from collections import namedtuple
from collections.abc import Awaitable
from pathlib import Path

import httpx
import pytest

from server.postgres import new_database
from server.redis_server import own_redis
from server.serving import Server, run_command, serving
from sobremesa.core.errors import SobremesaError
from sobremesa.server import storage
from sobremesa.server.client import Guest, Refused
from sobremesa.server.database_lock import hold_database, mark_house
from sobremesa.server.house import House
from sobremesa.server.settings import Settings

pytest_plugins = ["server.postgres"]


def url(folder: Path) -> str:
    return f"sqlite:///{folder / 'table.db'}"


def run(test: Awaitable[None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(60):
            await test

    asyncio.run(within_time())


def readiness(server: Server) -> str:
    answer = httpx.get(server.address + "/readyz", timeout=20)
    assert answer.status_code == (200 if answer.text == "ok" else 503)
    return answer.text


async def until_ready_says(server: Server, said: str) -> None:
    while await asyncio.to_thread(readiness, server) != said:
        await asyncio.sleep(0.1)


# -- one server for a file --------------------------------------------------------------------------------------------


def test_a_second_server_on_the_same_file_is_refused_in_one_line(tmp_path: Path) -> None:
    with serving(url(tmp_path), tmp_path) as server:
        refused = run_command(["serve", "--database", url(tmp_path), "--port", "0"], tmp_path)
        assert refused.returncode == 1
        assert "another Sobremesa is using the database" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
        assert readiness(server) == "ok", "the first one goes on"
        server.kill()
        server.start()
        assert readiness(server) == "ok", "and whoever was killed leaves no lock behind"


def test_servers_that_redis_joins_share_a_file(tmp_path: Path) -> None:
    with (
        hold_database(url(tmp_path), shared=True),
        hold_database(url(tmp_path), shared=True),
        pytest.raises(SobremesaError, match="another Sobremesa"),
        hold_database(url(tmp_path)),
    ):
        pass
    with hold_database(url(tmp_path)):
        pass
    with hold_database("postgresql://somewhere/else"):
        pass


# -- a house that has vanished ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["deleted", "emptied"])
def test_a_database_that_is_gone_is_not_replaced_by_a_new_one(way: str, tmp_path: Path) -> None:
    with hold_database(url(tmp_path)):
        (tmp_path / "table.db").write_text("a house")
        mark_house(url(tmp_path))
    with hold_database(url(tmp_path)):
        pass
    (tmp_path / "table.db").unlink() if way == "deleted" else (tmp_path / "table.db").write_text("")
    refused = run_command(["serve", "--database", url(tmp_path), "--port", "0"], tmp_path)
    assert refused.returncode == 1
    assert "was here and is gone" in refused.stderr
    assert len(refused.stderr.splitlines()) == 1


def test_a_server_that_must_find_a_house(tmp_path: Path, postgres_server: str) -> None:
    """Where a disk was not mounted, nothing beside the file could tell: ``--existing`` does."""
    for database in (url(tmp_path), new_database(postgres_server)):
        refused = run_command(["serve", "--database", database, "--port", "0", "--existing"], tmp_path)
        assert refused.returncode == 1
        assert "there is no house in this database" in refused.stderr
        assert len(refused.stderr.splitlines()) == 1
    with serving(url(tmp_path), tmp_path):
        pass
    with serving(url(tmp_path), tmp_path, "--existing") as server:
        assert readiness(server) == "ok"


def test_a_file_that_vanishes_under_a_running_server(tmp_path: Path) -> None:
    async def main(server: Server) -> None:
        guest = Guest(server.address)
        room = await guest.open_room("callisto", ["me", "me"])
        async with guest.enter(room) as visit:
            await visit.do("say", text="still there")
            (tmp_path / "table.db").rename(tmp_path / "elsewhere.db")
            with pytest.raises(Refused, match="could not be written"):
                await visit.ask("say", text="into nothing")
        answer = await asyncio.to_thread(httpx.get, f"{server.address}/api/rooms")
        assert (answer.status_code, answer.headers["Retry-After"]) == (503, "2")
        await until_ready_says(server, "not ready: database")
        assert not (tmp_path / "table.db").exists(), "nothing was made in its place"
        (tmp_path / "elsewhere.db").rename(tmp_path / "table.db")
        async with guest.enter(room) as visit:
            await visit.do("say", text="back again")
            assert [line["text"] for line in visit.update["talk"] if line["kind"] == "said"][-1] == "back again"
        await until_ready_says(server, "ok")

    with serving(url(tmp_path), tmp_path) as server:
        run(main(server))
        assert "Traceback" not in server.log


# -- ready, or not ----------------------------------------------------------------------------------------------------


def test_a_disk_that_is_full(tmp_path: Path) -> None:
    """A limit on the size of files stands for it: no special rights are needed, and the database sees the same."""

    async def main(server: Server) -> None:
        guest = Guest(server.address)
        room = await guest.open_room("callisto", ["me", "me"])
        assert server.process is not None
        pid = server.process.pid
        unlimited = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        size = max(file.stat().st_size for file in tmp_path.glob("table.db*"))
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, unlimited[1]))
        said = {"type": "say", "id": "full", "text": "is there space?"}
        sent = f"{server.address}/api/rooms/{room}/commands"
        headers = {"Authorization": f"Bearer {guest.token}"}
        answer = await asyncio.to_thread(httpx.post, sent, json=said, headers=headers)
        assert (answer.status_code, answer.json()["reason"]) == (503, "busy")
        assert answer.headers["Retry-After"] == "1"
        await until_ready_says(server, "not ready: database")
        resource.prlimit(pid, resource.RLIMIT_FSIZE, unlimited)
        answer = await asyncio.to_thread(httpx.post, sent, json=said, headers=headers)
        assert answer.status_code == 200
        await until_ready_says(server, "ok")

    with serving(url(tmp_path), tmp_path) as server:
        run(main(server))
    with sqlite3.connect(tmp_path / "table.db") as database:
        assert database.execute("SELECT count(*) FROM events WHERE command = 'full'").fetchall() == [(1,)]


def test_a_disk_that_is_nearly_full(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        house = House(Settings(url(tmp_path)))
        await house.open()
        assert await house.unwell() == ()
        usage = namedtuple("usage", "free")
        monkeypatch.setattr("shutil.disk_usage", lambda folder: usage(storage.MIN_FREE_BYTES - 1))
        assert await house.unwell() == (), "not looked for again at once"
        house._checked_at -= 10
        assert await house.unwell() == ("disk",)
        await house.close()
        assert await house.unwell() == ("closing",)

    run(main())


def test_redis_comes_and_goes_and_waiting_players_are_told(tmp_path: Path, postgres_server: str) -> None:
    """Two processes; Redis is killed, somebody moves, Redis is back: the one who waits hears of it. Then it hangs."""

    async def main(left: Server, right: Server) -> None:
        ana, bob = Guest(left.address), Guest(right.address)
        room = await ana.open_room("callisto", ["me", "open"], options={"edition": "pocket"})
        async with ana.enter(room) as hers, bob.enter(room) as his:
            await his.do("sit", name="Bob")
            await hers.wait_until(lambda update: "0" in update["legal"])
            await asyncio.to_thread(carrier.kill)
            version = await hers.move(0, hers.update["legal"]["0"][0])
            await until_ready_says(left, "not ready: redis, listener")
            await asyncio.to_thread(carrier.start)
            back = time.monotonic()
            await his.wait_until(lambda update: update["version"] >= version)
            print(f"told {time.monotonic() - back:.2f} s after Redis was back")
            for server in (left, right):
                await until_ready_says(server, "ok")
            carrier.signal(signal.SIGSTOP)
            try:
                began = time.monotonic()
                for number in range(10):
                    await hers.do("say", text=f"hello {number}")
                print(f"ten lines in {time.monotonic() - began:.2f} s while Redis hangs")
                last = hers.update["version"]
                await his.wait_until(lambda update: update["version"] >= last)  # found in the database
                await until_ready_says(right, "not ready: redis, listener")
            finally:
                carrier.signal(signal.SIGCONT)

    (tmp_path / "left").mkdir()
    (tmp_path / "right").mkdir()
    database = new_database(postgres_server)
    with own_redis(tmp_path) as carrier:
        arguments = ("--no-limits", "--redis", carrier.url)
        with (
            serving(database, tmp_path / "left", *arguments) as left,
            serving(database, tmp_path / "right", *arguments) as right,
        ):
            run(main(left, right))
            for server in (left, right):
                assert "Traceback" not in server.log
                assert all(json.loads(line)["level"] in ("info", "warning") for line in server.log.splitlines())


def test_a_pong_tells_the_version(tmp_path: Path) -> None:
    async def main(server: Server) -> None:
        guest = Guest(server.address)
        room = await guest.open_room("callisto", ["me", "me"])
        async with guest.enter(room) as visit:
            heard: list[dict[str, object]] = []
            hear = visit._hear

            async def listen(message: dict[str, object]) -> None:
                heard.append(message)
                await hear(message)

            visit._hear = listen  # type: ignore[method-assign]
            await visit._send({"type": "ping"})
            while not heard:
                await asyncio.sleep(0.01)
            assert (heard[0]["type"], heard[0]["version"]) == ("pong", visit.update["version"])

    with serving(url(tmp_path), tmp_path) as server:
        run(main(server))
    assert os.path.exists(tmp_path / "table.db.lock")
