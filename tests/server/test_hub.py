"""Rooms are found, opened and let go, whatever happens meanwhile."""

import asyncio
from random import Random
from typing import Any

import pytest

from server.clocks import FakeClock, MemoryStore
from server.spies import Person, Story
from sobremesa.rooms import messages as m
from sobremesa.rooms.events import Entry
from sobremesa.server.hub import Hub
from sobremesa.server.storage import Batch


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

    asyncio.run(main())
