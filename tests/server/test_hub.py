"""Rooms are found, opened and let go, whatever happens meanwhile."""

import asyncio
import sqlite3
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.clocks import FakeClock, MemoryStore, settle
from server.spies import Person, Story, desk
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Entry
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.storage import Batch, Conflict


class SlowStore(MemoryStore):
    """A database that reads when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_read = asyncio.Event()
        self.reads = 0

    async def read_log(self, room: str, after: int = 0) -> list[Entry]:
        self.reads += 1
        log = await super().read_log(room, after)
        await self.may_read.wait()
        return log


def hub_with_a_room() -> tuple[Hub, SlowStore]:
    store = SlowStore()
    store.logs["story"] = list(Story(Random(1), [Person(1), Person(2)], game="callisto").log)
    pool: Any = None
    return Hub(store, pool, clock=FakeClock()), store


def test_whoever_goes_away_while_a_room_is_read_takes_nobody_along() -> None:
    async def main() -> None:
        hub, store = hub_with_a_room()
        first, second = asyncio.create_task(hub.get("story")), asyncio.create_task(hub.get("story"))
        await asyncio.sleep(0)
        first.cancel()
        await asyncio.gather(first, return_exceptions=True)
        store.may_read.set()
        opened = await second
        assert opened is not None
        assert hub.rooms == {"story": opened}
        assert store.reads == 1, "they have waited for the same"

    asyncio.run(main())


def test_a_log_that_is_rewritten_while_it_is_read_is_read_again() -> None:
    async def main() -> None:
        hub, store = hub_with_a_room()
        opening = asyncio.create_task(hub.get("story"))
        await asyncio.sleep(0.01)
        assert store.reads == 1
        store.logs["story"] = [entry.anonymous() for entry in store.logs["story"]]
        hub.drop("story")
        store.may_read.set()
        opened = await opening
        assert opened is not None
        assert opened.room.host is None, "nobody comes back who was forgotten meanwhile"
        assert store.reads == 2

    asyncio.run(main())


def test_only_who_wrote_counts_and_announces() -> None:
    async def main() -> None:
        hub, store = hub_with_a_room()
        store.may_read.set()
        opened = await hub.get("story")
        assert opened is not None
        ended: list[None] = []

        async def rate() -> None:
            ended.append(None)

        hub.ended.append(rate)
        other = Story(Random(1), [Person(1), Person(2)], game="callisto").play_out()
        elsewhere = [entry for entry in other.log if entry.version > opened.room.version]
        store.logs["story"] += elsewhere
        await opened.actor.catch_up()
        assert opened.room.version == other.room.version
        await asyncio.sleep(0)
        assert (hub.moves, ended) == (0, [])

    asyncio.run(main())


class GatedStore(MemoryStore):
    """A database that writes when it is told to."""

    def __init__(self) -> None:
        super().__init__()
        self.may_write = asyncio.Event()
        self.may_write.set()

    async def append(self, batch: Batch) -> None:
        await self.may_write.wait()
        await super().append(batch)


class QuietBus:
    """There may be other processes; they say nothing."""

    def announce(self, room: str, version: int) -> None:
        pass

    async def may_think(self, room: str) -> bool:
        return True


def say(id: str, text: str = "hello") -> m.Say:
    return m.Say(type="say", id=id, text=text)


async def gated_room(bus: QuietBus | None = None) -> tuple[Hub, GatedStore, OpenRoom]:
    """A room of Ana's, and a hub whose database is slow when a test says so."""
    store = GatedStore()
    pool: Any = Idle()
    hub = Hub(store, pool, bus, clock=FakeClock())
    return hub, store, await hub.create(m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me")] * 2), "ana")


class Idle:
    """Computer players that nobody needs."""

    def cancel(self, room: str) -> None:
        pass


def test_a_dropped_room_finishes_what_it_has_taken_and_takes_no_more() -> None:
    """Who has it open still must not write to a room that another has in memory: they would not hear of each other."""

    async def main() -> None:
        hub, store, old = await gated_room()
        id, version = old.room.id, old.room.version
        store.may_write.clear()
        before = asyncio.create_task(old.actor.do(say("before"), "ana"))
        await settle()
        hub.drop(id)
        with pytest.raises(Refusal, match="try again") as refused:
            await old.actor.do(say("after"), "ana")
        assert (refused.value.reason, refused.value.retry_after) == ("busy", 1)
        new = await hub.get(id)
        assert new is not None
        assert (new is old, new.room.version) == (False, version)
        store.may_write.set()
        assert await before == version + 1
        await settle()
        assert new.room.version == version + 1, "the successor has heard of it"
        assert await new.actor.do(say("after"), "ana") == version + 2
        assert len(store.logs[id]) == version + 2
        await hub.finish()

    asyncio.run(main())


def test_a_room_that_was_let_go_takes_nothing_either() -> None:
    async def main() -> None:
        hub, _, old = await gated_room()
        assert hub.evict_idle(-1) == 1
        with pytest.raises(Refusal, match="try again"):
            await old.actor.do(say("after"), "ana")

    asyncio.run(main())


def test_a_rewritten_log_is_reloaded_when_nothing_is_on_its_way_any_more() -> None:
    async def main() -> None:
        hub, store, old = await gated_room()
        store.may_write.clear()
        writing = asyncio.create_task(old.actor.do(say("before"), "ana"))
        await settle()
        hub.drop(old.room.id)
        reloading = asyncio.create_task(hub.reload_everywhere(old.room.id))
        await settle()
        assert not reloading.done()
        store.may_write.set()
        await reloading
        assert writing.done()
        await hub.finish()
        assert (hub._finishing, hub._outdated) == (set(), set())

    asyncio.run(main())


def test_a_log_that_is_rewritten_while_it_is_replayed_is_read_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sobremesa.server.hub.MAX_ENTRIES_ON_LOOP", 0)

    async def main() -> None:
        hub, store = hub_with_a_room()
        store.may_read.set()

        async def beside(work: Any, *arguments: Any) -> Any:
            found = work(*arguments)
            if store.reads == 1:
                store.logs["story"] = [entry.anonymous() for entry in store.logs["story"]]
                hub.drop("story")
            return found

        monkeypatch.setattr("sobremesa.server.hub.asyncio.to_thread", beside)
        opened = await hub.get("story")
        assert opened is not None
        assert (opened.room.host, store.reads) == (None, 2)

    asyncio.run(main())


def test_who_comes_in_does_not_wait_for_what_is_being_written() -> None:
    """With several processes a room is compared with the log; a crowd's batch takes a while."""

    async def main() -> None:
        hub, store, room = await gated_room(QuietBus())
        store.may_write.clear()
        writing = asyncio.create_task(room.actor.do(say("slow"), "ana"))
        await settle()
        coming = asyncio.create_task(hub.get(room.room.id))
        await settle()
        assert coming.done()
        assert coming.result() is room
        store.may_write.set()
        await writing
        elsewhere = Hub(store, hub.engines.pool, clock=FakeClock())
        theirs = await elsewhere.get(room.room.id)
        assert theirs is not None
        version = await theirs.actor.do(say("there"), "ana")
        again = await hub.get(room.room.id)
        assert again is room
        assert room.room.version == version, "what nobody announced is found"
        await hub.finish()

    asyncio.run(main())


# -- somebody is forgotten --------------------------------------------------------------------------------------------


def told_of(folder: Path) -> str:
    with sqlite3.connect(folder / "house.db") as house:
        return "\n".join(house.iterdump())


def test_what_is_on_its_way_while_a_person_is_forgotten_is_forgotten_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A host without a seat talks and manages the room while their traces are being taken out."""

    async def main() -> None:
        async with desk(tmp_path) as here:
            house, ana = here.house, Person(1).id
            setup = m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="open")] * 2, name="Anastasia", wait=True)
            room = await house.hub.create(setup, ana)
            append, may_write = house.store.append, asyncio.Event()

            async def slow(batch: Batch) -> None:
                await may_write.wait()
                await append(batch)

            monkeypatch.setattr(house.store, "append", slow)
            on_its_way = [
                asyncio.create_task(room.actor.do(say("a", "I am going"), ana)),
                asyncio.create_task(room.actor.do(m.Manage(type="manage", id="b", public=True), ana)),
            ]
            await settle()
            forgetting = asyncio.create_task(house.forget(ana))
            while room.room.id in house.hub.rooms:
                await asyncio.sleep(0)
            await house.room(room.room.id)  # somebody else looks in meanwhile
            assert not forgetting.done()
            may_write.set()
            await forgetting
            await asyncio.gather(*on_its_way)
            with pytest.raises(Refusal, match="try again"):
                await room.actor.do(say("c", "still here"), ana)
            again = await house.room(room.room.id)
            assert "Anastasia" not in again.audience.snapshot("guest")
            assert "I am going" not in again.audience.snapshot("guest")
            assert again.room.version == room.room.version
        left = told_of(tmp_path)
        for trace in ("Anastasia", "I am going", "still here", ana):
            assert trace not in left

    asyncio.run(main())


@pytest.mark.parametrize("unknown", ["nowhere", ""])
def test_there_is_no_such_room(unknown: str) -> None:
    async def main() -> None:
        hub, store = hub_with_a_room()
        store.may_read.set()
        assert await hub.get(unknown) is None
        assert hub.rooms == {}

    asyncio.run(main())


class LostAnswers(MemoryStore):
    """Writes, and then the answer is lost."""

    async def append(self, batch: Batch) -> None:
        await super().append(batch)
        await super().append(batch)  # as a store that tries again: now it is there already


def test_a_room_whose_first_answer_was_lost_is_there_once() -> None:
    async def main() -> None:
        store, pool = LostAnswers(), None
        hub = Hub(store, pool, clock=FakeClock())  # type: ignore[arg-type]
        setup = m.NewRoom(game="knister", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="open")])
        opened = await hub.create(setup, "ana", "the-room", "open-1")
        assert [entry.event.kind for entry in store.logs["the-room"]] == ["created", "seated", "promised"]
        assert store.logs["the-room"][0].command == "open-1"
        again = await hub.create(setup, "ana", "the-room", "open-1")
        assert again is opened
        assert opened.room.commitment is not None
        with pytest.raises(Conflict):
            await hub.create(setup, "bo", "the-room", "open-1")

    asyncio.run(main())
