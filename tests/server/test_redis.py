"""Several processes as one server, on a real PostgreSQL, joined by a real Redis."""

import asyncio
import json
from collections.abc import Awaitable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.bots import Ledger, play_seat
from server.postgres import new_database
from server.redis_server import redis
from server.serving import Server, serving
from sobremesa.rooms import messages as m
from sobremesa.server.client import Guest, Visit
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub
from sobremesa.server.migrate import migrate
from sobremesa.server.storage import Store
from sobremesa.table import loads, verify

pytest_plugins = ["server.postgres"]
Json = dict[str, Any]


@pytest.fixture(scope="module")
def redis_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with redis(tmp_path_factory.mktemp("redis")) as url:
        yield url


@pytest.fixture(scope="module")
def servers(
    redis_url: str, postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Server, Server]]:
    """Two processes on one database."""
    database = new_database(postgres_server)
    with ExitStack() as stopping:
        both = [
            stopping.enter_context(
                serving(database, tmp_path_factory.mktemp(name), "--no-limits", "--redis", redis_url)
            )
            for name in ("left", "right")
        ]
        yield both[0], both[1]
        for server in both:
            assert "Traceback" not in server.log, server.log[-4000:]


def run(test: Awaitable[None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(90):
            await test

    asyncio.run(within_time())


class Diary:
    """Everything that one guest was told, in order."""

    def __init__(self, visit: Visit) -> None:
        self.versions: list[int] = []
        self.steps: list[tuple[int, int | None, str | None]] = []
        self.talk: list[Json] = []
        hear = visit._hear

        async def listen(message: Json) -> None:
            if message["type"] == "update" and not message["reset"]:
                self.versions.append(message["version"])
                self.steps += [(step["version"], step["seat"], step["rolled"]) for step in message["steps"]]
                self.talk += message["talk"]
            await hear(message)

        visit._hear = listen  # type: ignore[method-assign]


def test_guests_of_two_processes_play_in_one_room(servers: tuple[Server, Server]) -> None:
    async def play() -> None:
        left, right = servers
        ana, bob, eve = Guest(left.address), Guest(right.address), Guest(right.address)
        for game, setup in (("callisto", {"options": {"edition": "pocket"}}), ("isis-osiris", {}), ("knister", {})):
            room = await ana.open_room(game, ["me", "open", "greedy"], **setup)
            async with ana.enter(room) as hers, bob.enter(room) as his, eve.enter(room) as bench:
                diaries = [Diary(visit) for visit in (hers, his, bench)]
                await his.do("sit", name="Bob")
                ledger = Ledger()
                await asyncio.gather(play_seat(hers, 0, Random(1), ledger), play_seat(his, 1, Random(2), ledger))
                last = max(hers.update["version"], his.update["version"])
                for visit in (hers, his, bench):
                    await visit.wait_until(lambda update: update["version"] == last)  # noqa: B023
                assert {seat for _, seat, _, _ in ledger.moves} == {0, 1}
            told = [(diary.steps, diary.talk) for diary in diaries]
            assert told[0] == told[1] == told[2], "everybody sees everything, once and in order"
            steps = [version for version, _, _ in diaries[0].steps]
            assert steps == list(range(steps[0], steps[-1] + 1)), "nothing is left out"
            assert [line["kind"] for line in diaries[0].talk] == ["seated", "begun", "ended"]
            for diary in diaries:
                assert diary.versions == sorted(set(diary.versions))
            assert hers.views[0]["options"] == his.views[0]["options"]
            for server in servers:
                record = await Guest(server.address).call("GET", f"/api/rooms/{room}/games/1/record")
                assert verify(loads(json.dumps(record))).final.over

    run(play())


def test_both_write_at_the_same_moment(servers: tuple[Server, Server]) -> None:
    """All talk at once through both processes: the log has everything exactly once."""

    async def talk() -> None:
        left, right = servers
        ana, bob = Guest(left.address), Guest(right.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with ana.enter(room) as hers, bob.enter(room) as his:
            await his.do("sit", name="Bob")
            start = (await hers.wait_until(lambda update: update["room"]["playing"]))["version"]
            diaries = [Diary(hers), Diary(his)]
            said = await asyncio.gather(
                *(
                    visit.do("say", text=f"{name} {number}")
                    for number in range(15)
                    for visit, name in ((hers, "a"), (his, "b"))
                )
            )
            assert sorted(said) == list(range(start + 1, start + 31))
            for visit in (hers, his):
                await visit.wait_until(lambda update: update["version"] == start + 30)
        everything = sorted(f"{name} {number}" for number in range(15) for name in "ab")
        for guest, diary in zip((ana, bob), diaries, strict=True):
            update = await guest.call("GET", f"/api/rooms/{room}/updates?version={start}&wait=0")
            lines = [line for line in update["talk"] if line["version"] > start]
            assert sorted(line["text"] for line in lines) == everything
            assert diary.talk == lines, "on the socket, too: each line once, in order"

    run(talk())


def test_one_who_is_removed_disappears_from_both(servers: tuple[Server, Server]) -> None:
    async def remove() -> None:
        left, right = servers
        ana, bob = Guest(left.address), Guest(right.address)
        room = await ana.open_room("callisto", ["me", "open"], name="Ana")
        async with bob.enter(room) as his:
            await his.do("sit", name="Bob")
            assert his.update["room"]["seats"]["0"]["name"] == "Ana"
            await ana.call("DELETE", "/api/me")
            await his.wait_until(lambda update: update["room"]["seats"]["0"]["name"] != "Ana", 20)

    run(remove())


def test_a_process_dies_and_its_guests_move_over(
    redis_url: str, postgres_server: str, tmp_path_factory: pytest.TempPathFactory
) -> None:
    """It is the process whose engine plays in the room: the other one takes that over, too, and all play on."""

    async def play(left: Server, right: Server) -> None:
        ana, bob = Guest(left.address), Guest(left.address)
        room = await ana.open_room("knister", ["me", "open", "random"])
        await bob.call("POST", f"/api/rooms/{room}/commands", {"type": "sit", "id": "sit", "name": "Bob"})
        async with ana.enter(room) as hers:
            await hers.wait_until(lambda update: hers.views[0]["waiting"] == 2)  # the engine has written
        ledger = Ledger()
        bob.address = right.address
        async with bob.enter(room) as his:
            async with ana.enter(room) as hers:
                playing = asyncio.create_task(play_seat(his, 1, Random(2), ledger))
                for _ in range(5):
                    update = await hers.wait_until(lambda update: "0" in update["legal"])
                    rounds = hers.views[0]["rounds"]
                    await hers.move(0, update["legal"]["0"][0])
                    await hers.wait_until(lambda update: hers.views[0]["rounds"] > rounds)  # noqa: B023
                await asyncio.to_thread(left.kill)
                seen, sheet = hers.update, hers.views[0]["sheet"]
            ana.address = right.address
            async with ana.enter(room) as hers:
                assert hers.update["version"] >= seen["version"]
                assert hers.update["room"]["seats"]["0"]["yours"], "the same person with the same token"
                sheets = zip(sheet, hers.views[0]["sheet"], strict=True)
                assert all(old in (0, new) for old, new in sheets), "with everything that was written"
                await asyncio.gather(playing, play_seat(hers, 0, Random(1), ledger))
        record = await bob.call("GET", f"/api/rooms/{room}/games/1/record")
        assert verify(loads(json.dumps(record))).fair

    database = new_database(postgres_server)
    folders = [tmp_path_factory.mktemp(name) for name in ("dies", "lives")]
    arguments = ("--no-limits", "--redis", redis_url)
    with serving(database, folders[0], *arguments) as left, serving(database, folders[1], *arguments) as right:
        run(play(left, right))
        assert "Traceback" not in right.log


class Silence:
    """A bus on which nothing arrives: the other process died after it had written, before it could say so."""

    def announce(self, room: str, version: int) -> None:
        pass

    async def may_think(self, room: str) -> bool:
        return True


def test_what_a_process_did_not_live_to_announce_is_found(tmp_path: Path) -> None:
    async def find() -> None:
        stores = [Store(f"sqlite:///{tmp_path / 'both.db'}") for _ in range(2)]
        await migrate(stores[0].engine)
        dies, lives = (Hub(store, EnginePool(1), Silence()) for store in stores)
        theirs = await dies.create(m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me")] * 2), "ana")
        ours = await lives.get(theirs.room.id)
        assert ours is not None
        first, second = (
            m.Move(type="move", id=move, seat=seat, move=move, version=theirs.room.version + seat)
            for seat, move in enumerate(("c8", "n8"))
        )
        written = await theirs.actor.do(first, "ana")
        assert ours.room.version == written - 1, "nobody said so"
        assert await lives.get(theirs.room.id) is ours
        assert ours.room.version == written, "whoever comes in finds it"
        assert await theirs.actor.do(second, "ana") == written + 1
        assert await ours.actor.do(second, "ana") == written + 1, "the same command through both: done once"
        for hub in (dies, lives):
            await hub.close()
            await hub.store.close()

    run(find())


def test_without_redis_a_server_does_not_start(tmp_path: Path) -> None:
    server = Server(f"sqlite:///{tmp_path / 'alone.db'}", tmp_path, "--redis", "redis://127.0.0.1:1")
    with pytest.raises(AssertionError, match="did not start"):
        server.start()
    assert server.process is not None
    assert server.process.wait() != 0
