"""An open room: what is sent to it is done once, on disk, and in order, whoever sends it and however often."""

import asyncio
import contextlib
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import pytest

from server.clocks import FakeClock, MemoryStore, settle
from sobremesa.core.errors import IllegalMove
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Entry
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.projections import results
from sobremesa.rooms.room import Room
from sobremesa.server import actor as actor_module
from sobremesa.server.actor import Publication, RoomActor
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub
from sobremesa.server.migrate import migrate
from sobremesa.server.storage import Batch, Store

pytest_plugins = ["server.postgres"]
CALLISTO = m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me")] * 2)


def say(id: str, text: str = "hello") -> m.Say:
    return m.Say(type="say", id=id, text=text)


def move(id: str, seat: int, move: str, version: int) -> m.Move:
    return m.Move(type="move", id=id, seat=seat, move=move, version=version)


async def opened(store: Store, setup: m.NewRoom = CALLISTO) -> RoomActor:
    """Ana's new room."""
    return (await Hub(store, EnginePool(1), clock=FakeClock()).create(setup, "ana")).actor


async def again(store: Store, room: str) -> RoomActor:
    """The same room in another process, or after a restart."""
    found = await Hub(store, EnginePool(1), clock=FakeClock()).get(room)
    assert found is not None
    return found.actor


async def send_all(actor: RoomActor, *commands: m.RoomCommand) -> list[Any]:
    """All at once: they are written together."""
    return await asyncio.gather(*(actor.do(command, "ana") for command in commands), return_exceptions=True)


def told(answers: list[Any]) -> list[Any]:
    """The versions, and the reasons of refusals."""
    return [answer.reason if isinstance(answer, Refusal) else answer for answer in answers]


# -- together ---------------------------------------------------------------------------------------------------------


def test_what_comes_together_is_written_together_and_told_once() -> None:
    async def main() -> None:
        store = MemoryStore()
        actor = await opened(store)
        heard: list[Publication] = []
        actor.subscribers.append(heard.append)
        version, appends = actor.room.version, store.appends
        commands: list[m.RoomCommand] = [
            move("a", 0, "c8", version),
            say("b"),
            move("c", 1, "n8", version + 1),
            say("d"),
        ]
        assert await send_all(actor, *commands) == [version + 1, version + 2, version + 3, version + 4]
        assert store.appends == appends + 1
        [publication] = heard
        assert (publication.before.version, publication.room) == (version, actor.room)
        assert [entry.version for entry in publication.entries] == list(range(version + 1, version + 5))
        assert [step.version for step in publication.steps] == [version + 1, version + 3]

    asyncio.run(main())


def test_who_is_refused_spoils_nothing_for_the_others() -> None:
    async def main() -> None:
        actor = await opened(MemoryStore())
        version = actor.room.version
        commands: list[m.RoomCommand] = [say("a"), move("b", 0, "h8", version), m.Start(type="start", id="c"), say("d")]
        one, illegal, late, two = await send_all(actor, *commands)
        assert isinstance(illegal, IllegalMove)
        assert (one, late.reason, two) == (version + 1, "late", version + 2)

    asyncio.run(main())


def test_answers_come_before_anybody_is_told() -> None:
    async def main() -> None:
        actor = await opened(MemoryStore())
        order: list[Any] = []
        actor.subscribers.append(lambda publication: order.append(publication.room.version))
        version = actor.room.version
        for number in range(5):
            actor.send(say(f"s{number}"), "ana", lambda outcome: order.append(("answer", outcome)))
        await actor.finish()
        assert order == [*(("answer", version + number) for number in range(1, 6)), version + 5]

    asyncio.run(main())


# -- the same command again -------------------------------------------------------------------------------------------


def test_again_in_the_same_batch_and_right_after_it() -> None:
    async def main() -> None:
        store = MemoryStore()
        actor = await opened(store)
        version = actor.room.version
        once = move("once", 0, "c8", version)
        assert await send_all(actor, once, once, say("x"), once) == [version + 1, version + 1, version + 2, version + 1]
        appends = store.appends
        assert await send_all(actor, once, say("x", "another text")) == [version + 1, version + 2]
        assert (actor.room.version, store.appends, store.lookups) == (version + 2, appends, 0)

    asyncio.run(main())


def test_an_id_is_its_senders_own() -> None:
    async def main() -> None:
        seats = [m.SeatPlan(kind="me"), m.SeatPlan(kind="open")]
        actor = await opened(MemoryStore(), m.NewRoom(game="callisto", seats=seats))
        version = actor.room.version
        assert await actor.do(say("same"), "ana") == version + 1
        assert await actor.do(m.Sit(type="sit", id="same", name="Bo"), "bo") == version + 2
        assert await actor.do(say("same"), "ana") == version + 1
        assert await actor.do(m.Sit(type="sit", id="same", name="Bo"), "bo") == version + 2

    asyncio.run(main())


def test_what_was_refused_may_be_tried_again_with_the_same_id() -> None:
    async def main() -> None:
        actor = await opened(MemoryStore())
        version = actor.room.version
        with pytest.raises(IllegalMove):
            await actor.do(move("m", 1, "n8", version), "ana")
        await actor.do(move("first", 0, "c8", version), "ana")
        assert await actor.do(move("m", 1, "n8", version + 1), "ana") == version + 2

    asyncio.run(main())


def test_again_when_it_has_left_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    """The database knows: what could be done once more stumbles over its index, what could not is looked up."""
    monkeypatch.setattr(actor_module, "MAX_ANSWERED", 0)

    async def main() -> None:
        store = MemoryStore()
        actor = await opened(store)
        version = actor.room.version
        old: list[m.RoomCommand] = [move("m", 0, "c8", version), say("s")]
        assert await send_all(actor, *old) == [version + 1, version + 2]
        news = [say(f"n{number}") for number in range(10)]
        await send_all(actor, *news)
        assert await send_all(actor, *old) == [version + 1, version + 2]
        assert store.lookups >= 2, "it was not in memory any more"
        assert actor.room.version == version + 12
        # Among others, in the same batch.
        mixed: list[m.RoomCommand] = [
            say("new1"),
            *old,
            move("stale", 0, "d8", version),
            move("next", 1, "n8", version + 12),
            *news[:2],
        ]
        answers = await send_all(actor, *mixed)
        assert told(answers[1:4]) == [version + 1, version + 2, "stale"]
        assert answers[5:] == [version + 3, version + 4]
        assert sorted([answers[0], answers[4]]) == [version + 13, version + 14]
        assert [entry.version for entry in store.logs[actor.room.id]] == list(range(1, version + 15))

    asyncio.run(main())


def test_refusals_cost_no_question_to_the_database_in_an_ordinary_room() -> None:
    async def main() -> None:
        store = MemoryStore()
        actor = await opened(store)
        for number in range(10):
            with pytest.raises(Refusal, match="has changed since"):
                await actor.do(move(f"m{number}", 0, "c8", 0), "ana")
        assert store.lookups == 0

    asyncio.run(main())


@contextlib.asynccontextmanager
async def stores(url: str, count: int) -> AsyncIterator[list[Store]]:
    """Several processes' ways to one database."""
    opened = [Store(url) for _ in range(count)]
    await migrate(opened[0].engine)
    try:
        yield opened
    finally:
        for store in opened:
            await store.close()


def test_again_after_a_restart(tmp_path: Path) -> None:
    async def main() -> None:
        async with stores(f"sqlite:///{tmp_path / 'x.db'}", 2) as (before, after):
            actor = await opened(before)
            version = actor.room.version
            commands: list[m.RoomCommand] = [move("m", 0, "c8", version), say("s")]
            assert await send_all(actor, *commands) == [version + 1, version + 2]
            restarted = await again(after, actor.room.id)
            alone = [await restarted.do(command, "ana") for command in commands]
            assert alone == [version + 1, version + 2], "with nothing beside it that could not be written"
            assert await send_all(restarted, *commands, say("t")) == [version + 1, version + 2, version + 3]
            assert len(await after.read_log(actor.room.id)) == version + 3

    asyncio.run(main())


def test_again_after_a_restart_and_long_ago(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor_module, "MAX_ANSWERED", 0)

    async def main() -> None:
        async with stores(f"sqlite:///{tmp_path / 'x.db'}", 2) as (before, after):
            actor = await opened(before)
            version = actor.room.version
            commands: list[m.RoomCommand] = [
                move("m", 0, "c8", version),
                say("s"),
                *(say(f"n{number}") for number in range(10)),
            ]
            versions = await send_all(actor, *commands)
            restarted = await again(after, actor.room.id)
            assert [await restarted.do(command, "ana") for command in commands] == versions
            assert await send_all(restarted, *commands) == versions == list(range(version + 1, version + 13))
            assert len(await after.read_log(actor.room.id)) == version + 12

    asyncio.run(main())


def check_two_processes(url: str, commands: int) -> None:
    """Everything is sent to both at the same moment, again and again: each thing happens once."""

    async def main() -> None:
        async with stores(url, 2) as (left, right):
            actors = [await opened(left)]
            actors.append(await again(right, actors[0].room.id))
            version = actors[0].room.version
            room = actors[0].room.id
            for turn, (seat, cell) in enumerate(((0, "c8"), (1, "n8"), (0, "h2"), (1, "h14"))):
                # Somebody has seen the newest table before they move, on whichever process.
                now = max(actor.room.version for actor in actors)
                batch: list[m.RoomCommand] = [move(f"m{turn}", seat, cell, now)]
                batch += [say(f"s{turn}-{number}") for number in range(commands)]
                both = await asyncio.gather(*(send_all(actor, *batch) for actor in actors))
                assert both[0] == both[1]
                assert all(isinstance(answer, int) for answer in both[0]), both[0]
                await asyncio.gather(*(actor.catch_up() for actor in actors))
            log = await left.read_log(room)
            assert len(log) == version + 4 * (commands + 1)
            done = [entry.command for entry in log if entry.command is not None]
            assert len(done) == len(set(done))
            assert [entry.version for entry in log] == list(range(1, len(log) + 1))
            for actor in actors:
                assert actor.room.version == len(log)
                assert actor.room.talk == actors[0].room.talk

    asyncio.run(main())


def test_the_same_through_two_processes_at_once_on_postgresql(postgres_url: str) -> None:
    check_two_processes(postgres_url, 8)


def test_the_same_through_two_processes_at_once_on_sqlite(tmp_path: Path) -> None:
    check_two_processes(f"sqlite:///{tmp_path / 'x.db'}", 4)


# -- what goes wrong --------------------------------------------------------------------------------------------------


class Failing(MemoryStore):
    """A database that fails when a test says so."""

    broken = unreadable = False

    async def append(self, batch: Batch) -> None:
        if self.broken:
            raise OSError("no space left on device")
        await super().append(batch)

    async def find_command(self, room: str, person: str | None, command: str) -> int | None:
        if self.unreadable:
            raise OSError("input/output error")
        return await super().find_command(room, person, command)

    async def read_log(self, room: str, after: int = 0) -> list[Entry]:
        if self.unreadable:
            raise OSError("input/output error")
        return await super().read_log(room, after)


def test_nobody_is_told_that_it_was_not_done_while_that_is_unknown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(actor_module, "MAX_ANSWERED", 0)

    async def main() -> None:
        store = Failing()
        actor = await opened(store)
        version = actor.room.version
        old = move("m", 0, "c8", version)
        await send_all(actor, old, *(say(f"n{number}") for number in range(10)))
        store.unreadable = True
        with pytest.raises(Refusal, match="try again") as refused:
            await actor.do(old, "ana")
        assert (refused.value.reason, refused.value.retry_after) == ("busy", 1)
        store.unreadable = False
        assert await actor.do(old, "ana") == version + 1

    asyncio.run(main())


def test_a_failed_write_is_told_to_all_who_wait_and_the_room_goes_on() -> None:
    async def main() -> None:
        store = Failing()
        actor = await opened(store)
        version, store.broken = actor.room.version, True
        assert told(await send_all(actor, say("a"), say("b"))) == ["busy", "busy"]
        assert (actor.failed, actor.room.version) == (False, version)
        store.broken = False
        assert await send_all(actor, say("a"), say("b")) == [version + 1, version + 2]

    asyncio.run(main())


def test_nobody_is_refused_because_of_what_was_not_written() -> None:
    """Bo was on the way to the seat that Cy wanted: when that fails, it is open to both."""

    async def main() -> None:
        store = Failing()
        actor = await opened(store, m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="open")]))
        store.broken = True
        answers = await asyncio.gather(
            actor.do(m.Sit(type="sit", id="s", seat=1, name="Bo"), "bo"),
            actor.do(m.Sit(type="sit", id="s", seat=1, name="Cy"), "cy"),
            return_exceptions=True,
        )
        assert told(list(answers)) == ["busy", "busy"]
        store.broken = False
        await actor.do(m.Sit(type="sit", id="s", seat=1, name="Cy"), "cy")
        assert actor.room.seating[1].name == "Cy"

    asyncio.run(main())


def test_who_was_refused_in_a_batch_that_came_second_is_asked_again() -> None:
    """Another process was first: its move makes good what was not possible here a moment ago."""

    async def main() -> None:
        store = MemoryStore()
        here = await opened(store)
        elsewhere = await again(store, here.room.id)
        version = here.room.version
        assert await elsewhere.do(move("m", 0, "c8", version), "ana") == version + 1
        assert await send_all(here, say("s"), move("n", 1, "n8", version + 1)) == [version + 2, version + 3]

    asyncio.run(main())


def test_answers_come_in_the_order_of_the_commands() -> None:
    async def main() -> None:
        actor = await opened(MemoryStore())
        answers: list[Any] = []
        version = actor.room.version
        for command in (say("a"), move("b", 0, "c8", 0), say("c"), say("a")):
            actor.send(command, "ana", answers.append)
        await actor.finish()
        assert told(answers) == [version + 1, "stale", version + 2, version + 1]

    asyncio.run(main())


@pytest.mark.parametrize("broken", ["results", "summary"])
def test_a_mistake_of_ours_is_answered_and_the_room_goes_on(
    broken: str, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def mistake(*arguments: Any) -> Any:
        raise ZeroDivisionError

    async def main() -> None:
        store = MemoryStore()
        actor = await opened(store)
        version = actor.room.version
        with monkeypatch.context() as patch:
            patch.setattr(actor_module, broken, mistake)
            async with asyncio.timeout(20):
                assert told(await send_all(actor, say("a"), say("b"))) == ["broken", "broken"]
        assert (actor.room.version, len(store.logs[actor.room.id])) == (version, version)
        assert await send_all(actor, say("a"), say("b")) == [version + 1, version + 2]

    asyncio.run(main())
    assert "ZeroDivisionError" in caplog.text


def test_where_the_log_cannot_be_read_either_the_room_is_closed() -> None:
    async def main() -> None:
        store = Failing()
        actor = await opened(store)
        failures: list[None] = []
        actor.on_failure = lambda: failures.append(None)
        version, store.broken, store.unreadable = actor.room.version, True, True
        answers = await send_all(actor, say("a"), say("b"))
        assert told(answers) == ["busy", "busy"]
        assert (failures, actor.failed, actor.room.version) == ([None], True, version)
        store.broken = store.unreadable = False
        assert told(await send_all(actor, say("a"))) == ["busy"], "it is not known what the disk has: open it anew"
        await settle()
        assert not actor.busy

    asyncio.run(main())


# -- beside the loop --------------------------------------------------------------------------------------------------


def test_what_is_a_lot_for_a_crowd_is_done_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """To begin a game, the first one too, to close its rounds, and to count who has which place in the end."""
    did: dict[str, set[bool]] = {}
    counted: list[bool] = []

    def handle(room: Room, command: Any, *rest: Any, usual: Any = Room.handle) -> Any:
        did.setdefault(type(command).__name__, set()).add(is_beside_loop())
        return usual(room, command, *rest)

    def count(before: Room, after: Room, usual: Any = results) -> Any:
        if rows := usual(before, after):
            counted.append(is_beside_loop())
        return rows

    def is_beside_loop() -> bool:
        return threading.current_thread() is not threading.main_thread()

    async def main() -> None:
        for_crowds = next(game.id for game in GAMES.values() if game.crowd)
        actor = await opened(MemoryStore(), m.NewRoom(game=for_crowds, seats=[], crowd=True))
        monkeypatch.setattr(Room, "handle", handle)
        monkeypatch.setattr(actor_module, "results", count)
        people = [f"guest {number}" for number in range(MAX_LISTED_SEATS + 1)]
        for person in people:
            await actor.do(m.Sit(type="sit", id="sit", name=person), person)
        await actor.do(m.Start(type="start", id="start"), "ana")
        await actor.do(say("hello"), "ana")
        rounds = 0
        while actor.room.playing:
            rounds += 1
            await actor.do(m.CloseRound(type="close", id=f"close-{rounds}"), "ana")
        assert did == {"Sit": {False}, "Start": {True}, "Say": {False}, "CloseRound": {True}}
        assert counted == [True]

    asyncio.run(main())
