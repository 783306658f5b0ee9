"""Redis that goes away, hangs, or carries nonsense: nobody waits for it, and nobody misses anything for long."""

import asyncio
import logging
import signal
import time
from collections.abc import Awaitable, Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import redis.asyncio

from server.clocks import FakeClock, MemoryStore, settle
from server.redis_server import Redis, own_redis
from sobremesa.rooms import messages as m
from sobremesa.rooms.events import Said
from sobremesa.server import bus as bus_module
from sobremesa.server.bus import CHANNEL, CircuitBreaker, RedisBus
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub, OpenRoom

pytest_plugins = ["server.postgres"]


@pytest.fixture
def carrier(tmp_path: Path) -> Iterator[Redis]:
    with own_redis(tmp_path) as server:
        yield server


def run(test: Awaitable[None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(60):
            await test

    asyncio.run(within_time())


async def until(condition: Callable[[], object]) -> None:
    while not condition():
        await asyncio.sleep(0.01)


class Ear:
    """A process that listens."""

    def __init__(self, url: str) -> None:
        self.bus = RedisBus(url)
        self.heard: list[tuple[str, int]] = []
        self.subscribed = 0

    async def _changed(self, room: str, version: int) -> None:
        if room == "trap":
            raise RuntimeError("a mistake of ours")
        self.heard.append((room, version))

    async def _subscribed(self) -> None:
        self.subscribed += 1

    async def __aenter__(self) -> "Ear":
        await self.bus.open(self._changed, self._subscribed)
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.bus.close()


def test_strange_messages_make_nobody_deaf(carrier: Redis, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with Ear(carrier.url) as one, Ear(carrier.url) as other:
            voice = redis.asyncio.Redis.from_url(carrier.url)
            for strange in ("garbage", "", b"\xff\xfe", "a b c d", "a b c", "somebody trap 1"):
                assert await voice.publish(CHANNEL, strange) == 2, "they still listen"
            await voice.aclose()
            one.bus.announce("room", 7)
            await until(lambda: other.heard)
            assert other.heard == [("room", 7)]
            assert one.bus.listening
            assert other.subscribed == 1, "and never stopped"

    with caplog.at_level(logging.WARNING):
        run(main())
    assert caplog.text.count("an announcement could not be read") == 12


def test_after_redis_was_away_everybody_looks_again_and_nothing_announced_is_lost(carrier: Redis) -> None:
    async def main() -> None:
        async with Ear(carrier.url) as one, Ear(carrier.url) as other:
            await asyncio.to_thread(carrier.kill)
            one.bus.announce("room", 1)
            one.bus.announce("room", 2)
            one.bus.announce("forgotten", -1)
            one.bus.announce("forgotten", 5)
            await until(lambda: not (one.bus.listening or other.bus.listening))
            assert not await one.bus.check()
            assert await one.bus.may_think("room"), "without Redis the database decides"
            await asyncio.to_thread(carrier.start)
            await until(lambda: one.subscribed == other.subscribed == 2)
            await until(lambda: len(other.heard) >= 3)
            assert sorted(other.heard) == [("forgotten", -1), ("forgotten", 5), ("room", 2)], "the newest of each"

    run(main())


def test_a_redis_that_hangs_holds_nobody_up(carrier: Redis, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody waits longer than the stated time, and after the first nobody waits at all: no second question is sent."""

    async def main() -> None:
        async with Ear(carrier.url) as one:
            asked = 0
            usual: Callable[..., Awaitable[Any]] = one.bus._redis.set

            async def counted(*arguments: Any, **options: Any) -> Any:
                nonlocal asked
                asked += 1
                return await usual(*arguments, **options)

            monkeypatch.setattr(one.bus._redis, "set", counted)
            carrier.signal(signal.SIGSTOP)
            try:
                before = asyncio.all_tasks()
                one.bus.announce("room", 1)
                assert asyncio.all_tasks() == before, "an announcement starts nothing that somebody waits for"
                assert await one.bus.may_think("a")
                for _ in range(50):
                    assert await one.bus.may_think("a")
                assert asked <= 2
                assert one.bus._circuit._until - time.monotonic() <= bus_module.OPEN_FOR
                await until(lambda: not one.bus.listening)
            finally:
                carrier.signal(signal.SIGCONT)
            await until(lambda: one.bus.listening and one.subscribed == 2)
            await until(lambda: not one.bus._pending)

    run(main())


def test_a_circuit_breaker() -> None:
    now = 100.0
    circuit = CircuitBreaker(lambda: now)
    assert circuit.allows()
    circuit.note(False)
    assert not circuit.allows()
    now += bus_module.OPEN_FOR - 0.01
    assert not circuit.allows()
    now += 0.01
    assert circuit.allows(), "one attempt"
    circuit.note(False)
    assert not circuit.allows()
    now += bus_module.OPEN_FOR
    circuit.note(True)
    assert circuit.allows()


class Silence:
    """A bus on which nothing arrives."""

    def announce(self, room: str, version: int) -> None:
        pass

    async def may_think(self, room: str) -> bool:
        return True


class Reader:
    """Somebody who watches."""

    person = "bob"

    def __init__(self) -> None:
        self.told: list[str] = []
        self.dismissed: list[str] = []

    def tell(self, text: str) -> None:
        self.told.append(text)

    def dismiss(self, reason: str, retry_after: float) -> None:
        self.dismissed.append(reason)


class CountingStore(MemoryStore):
    """Counts questions."""

    questions = 0

    async def heads(self, ids: Any) -> Any:
        self.questions += 1
        return await super().heads(ids)


def test_a_look_at_watched_rooms_is_one_question_and_finds_what_nobody_announced() -> None:
    async def main() -> None:
        store, clock = CountingStore(), FakeClock()
        ours, theirs = (Hub(store, EnginePool(1), Silence(), clock=clock) for _ in range(2))
        plan = m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me")] * 2)
        rooms: list[tuple[OpenRoom, Reader]] = []
        for _ in range(5):
            room = await theirs.create(plan, "ana")
            opened = await ours.get(room.room.id)
            assert opened is not None
            reader = Reader()
            opened.audience.join(reader)
            rooms.append((opened, reader))
        for opened, _ in rooms[:3]:
            there = theirs.rooms[opened.room.id]
            await there.actor.do(m.Say(type="say", id="s", text="are you there?"), "ana")
        store.questions = 0
        await ours.look_at_rooms()
        await settle()
        assert store.questions == 1
        for number, (opened, reader) in enumerate(rooms):
            assert len(reader.told) == (2 if number < 3 else 1)
            assert isinstance(store.logs[opened.room.id][-1].event, Said) == (number < 3)
        store.rewritten[rooms[4][0].room.id] = 1
        await ours.look_at_rooms()
        assert rooms[4][1].dismissed == ["changed"], "what was rewritten is read again"
        assert rooms[4][0].room.id not in ours.rooms
        for hub in (ours, theirs):
            await hub.close()
            await hub.finish()

    run(main())


def test_nobody_watches_so_nobody_asks() -> None:
    async def main() -> None:
        store = CountingStore()
        hub = Hub(store, EnginePool(1), Silence(), clock=FakeClock())
        opened = await hub.create(m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me")] * 2), "ana")
        heads: list[list[str]] = []

        async def asked(ids: Any) -> Any:
            heads.append(list(ids))
            return []

        store.heads = asked  # type: ignore[method-assign]
        await hub.look_at_rooms()
        await hub.look_at_rooms(everywhere=True)
        assert heads == [[], [opened.room.id]]
        await hub.close()

    run(main())
