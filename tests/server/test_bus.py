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

from server.clocks import FakeClock, HastyLoop, MemoryStore, settle
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


# -- how long it takes, in time that passes at once --------------------------------------------------------------------


class Line:
    """A connection to a Redis that is there, away, or hangs; ``lost`` if it is dead and nobody says so."""

    def __init__(self, redis: "FakeRedis") -> None:
        self.redis = redis
        self.cut = self.lost = False
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        redis.lines.append(self)

    async def __aenter__(self) -> "Line":
        return self

    async def __aexit__(self, *error: object) -> None:
        self.redis.lines.remove(self)

    async def answered(self) -> None:
        """Waits for Redis to answer."""
        while not self.cut and (self.lost or self.redis.state == "hung"):
            await self.redis.changes()
        if self.cut or self.redis.state == "away":
            raise redis.exceptions.ConnectionError

    async def subscribe(self, channel: str) -> None:
        await self.answered()
        self.inbox.put_nowait({"type": "subscribe"})

    async def ping(self) -> None:
        self.inbox.put_nowait({"type": "pong"})

    async def get_message(self, timeout: float) -> dict[str, Any] | None:
        try:
            async with asyncio.timeout(timeout):
                await self.answered()
                return await self.inbox.get()
        except TimeoutError:
            return None


class FakeRedis:
    """Redis, as several clients meet it."""

    def __init__(self) -> None:
        self.state = "there"
        self.lines: list[Line] = []
        self._changed = asyncio.Event()

    def pubsub(self) -> Line:
        return Line(self)

    async def changes(self) -> None:
        await self._changed.wait()

    async def publish(self, channel: str, text: str) -> None:
        async with Line(self) as line:
            await line.answered()
            for other in self.lines:
                if not other.lost:
                    other.inbox.put_nowait({"type": "message", "data": text.encode()})

    async def set(self, *arguments: Any, **options: Any) -> bool:
        async with Line(self) as line:
            await line.answered()
            return True

    async def ping(self) -> None:
        async with Line(self) as line:
            await line.answered()

    async def aclose(self) -> None:
        pass

    def becomes(self, state: str) -> None:
        """Is killed, hangs, forgets its connections without a word while it hangs, or is there again."""
        for line in self.lines:
            line.cut |= state == "away"
            line.lost |= state == "lost"
        self.state = "hung" if state == "lost" else state
        self._changed.set()
        self._changed = asyncio.Event()


def told_after(way: str, seconds: float, moved_at: float, quiet: float) -> float:
    """How long after Redis is back somebody on another process is told of a move that was made while it was not."""

    async def main() -> float:
        now, redis, written, told = asyncio.get_running_loop().time, FakeRedis(), False, asyncio.Event()

        async def changed(room: str, version: int) -> None:
            told.set()

        async def subscribed() -> None:
            if written:
                told.set()

        buses = [RedisBus("redis://127.0.0.1:1") for _ in range(2)]
        for bus in buses:
            bus._redis = bus._hearing = redis  # type: ignore[assignment]
            await bus.open(changed, subscribed)
        await asyncio.sleep(quiet)
        redis.becomes(way)
        await asyncio.sleep(moved_at * seconds)
        written = True
        buses[0].announce("room", 1)
        await asyncio.sleep((1 - moved_at) * seconds)
        redis.becomes("there")
        back = now()
        await told.wait()
        for bus in buses:
            await bus.close()
        return now() - back

    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        return runner.run(main())


@pytest.mark.parametrize("way", ["away", "hung", "lost"])
def test_who_waits_is_told_within_the_stated_time_of_redis_return(way: str) -> None:
    """Whenever it happened, however long it took, and whenever somebody moved meanwhile."""
    longest = max(
        told_after(way, length / 20, moved_at, quiet)
        for length in range(1, 80)
        for moved_at in (0, 0.5, 1)
        for quiet in (0.05, 0.5)
    )
    assert 0 < longest <= bus_module.HEARD_WITHIN - 0.2, "and there is time left to read what was missed"


@pytest.mark.parametrize("way", ["away", "hung", "lost"])
def test_no_engine_waits_for_redis_longer_than_stated(way: str) -> None:
    async def main() -> None:
        now, bus, redis = asyncio.get_running_loop().time, RedisBus("redis://127.0.0.1:1"), FakeRedis()
        bus._redis = redis  # type: ignore[assignment]
        redis.becomes(way)
        for _ in range(200):
            asked = now()
            assert await bus.may_think("room")
            assert now() - asked <= bus_module.ANSWER_WITHIN + 1e-6
            await asyncio.sleep(0.05)

    with asyncio.Runner(loop_factory=HastyLoop) as runner:
        runner.run(main())


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
