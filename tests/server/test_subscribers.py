"""The clock of a room and its computer players, who send commands as anybody does; time is moved by hand."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from server.clocks import FakeClock, MemoryStore, settle
from sobremesa.core.errors import InvalidMove
from sobremesa.rooms import messages as m
from sobremesa.rooms.events import Entry, Moved
from sobremesa.server.attendance import ATTENDANCE_SECONDS, Visitor
from sobremesa.server.clock import Clock
from sobremesa.server.engine_players import RETRY_AFTER
from sobremesa.server.engine_pool import Account, EnginePool, ThinkingFailed, TooBusy
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.limits import ThinkingTime, TokenBuckets, unlimited_thinking
from sobremesa.server.room_clocks import GRACE_SECONDS
from sobremesa.server.storage import Batch

PAUSE = 0.6


class Thinker(EnginePool):
    """Computer players that think as long as a test says, by its clock, and make the first legal move."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(1, clock=clock.monotonic)
        self.seconds = 0.0
        self.asked: list[tuple[float, str, int]] = []
        """When which player was asked, for which seat."""
        self.cancelled: list[str] = []
        self.hurried: list[str] = []
        self.failures: list[Exception] = []
        """What happens instead of the next moves."""
        self._time = clock

    async def choose(self, room: str, game: str, player: str, view: Any, *more: Any, **options: Any) -> str:
        self.asked.append((self._time.monotonic(), player, view.seat))
        await self._time.sleep(self.seconds)
        self.spent(options["account"], room, self.seconds)
        if self.failures:
            raise self.failures.pop(0)
        return str(view.legal_moves()[0])

    def cancel(self, room: str) -> None:
        self.cancelled.append(room)

    def hurry(self, room: str) -> None:
        self.hurried.append(room)


class Lease:
    """Another process's engines have the room until a test says otherwise."""

    ours = False
    asked = 0

    def announce(self, room: str, version: int) -> None:
        pass

    async def may_think(self, room: str) -> bool:
        self.asked += 1
        return self.ours


class FailingStore(MemoryStore):
    """A database that fails as often as a test says."""

    failures = 0
    fails_after_writing = False

    async def append(self, batch: Batch) -> None:
        if not self.failures:
            return await super().append(batch)
        self.failures -= 1
        if self.fails_after_writing:
            await super().append(batch)
        raise OSError("no space left on device")


ANA = Visitor("ana", "192.0.2.1")


class Onlooker:
    """A page that is open."""

    def __init__(self, visitor: Visitor) -> None:
        self.person = visitor.person

    def tell(self, text: str) -> None:
        pass

    def dismiss(self, reason: str, retry_after: float) -> None:
        pass


class Scene:
    """A hub whose time stands still."""

    def __init__(self, bus: Lease | None = None, thinking: ThinkingTime | None = None) -> None:
        self.clock = FakeClock()
        self.store = FailingStore()
        self.pool = Thinker(self.clock)
        self.hub = Hub(self.store, self.pool, bus, PAUSE, thinking, self.clock)
        self._number = 0

    async def open(self, game: str, *seats: str, **setup: Any) -> OpenRoom:
        """A room of Ana's; seats are ``me``, ``open``, or a computer player."""
        plans = [{"kind": s} if s in ("me", "open") else {"kind": "engine", "player": s} for s in seats]
        opened = await self.hub.create(m.NewRoom.model_validate({"game": game, "seats": plans} | setup), "ana")
        self.watch(opened)
        return opened

    def watch(self, opened: OpenRoom, visitor: Visitor = ANA) -> Onlooker:
        """Somebody comes to watch."""
        watcher = Onlooker(visitor)
        opened.join(watcher, visitor)
        return watcher

    async def move(self, room: OpenRoom, seat: int, move: str) -> int:
        self._number += 1
        version = room.room.version
        return await room.actor.do(
            m.Move(type="move", id=f"m{self._number}", seat=seat, version=version, move=move), "ana"
        )

    def moves(self, room: OpenRoom) -> list[Entry]:
        return [entry for entry in self.store.logs[room.room.id] if isinstance(entry.event, Moved)]


@contextlib.asynccontextmanager
async def scene(bus: Lease | None = None, thinking: ThinkingTime | None = None) -> AsyncIterator[Scene]:
    here = Scene(bus, thinking)
    try:
        yield here
    finally:
        for opened in here.hub.rooms.values():
            opened.stop()
        await here.hub.finish()


# -- the clock --------------------------------------------------------------------------------------------------------


def test_when_the_time_is_up_the_stated_move_is_made_and_not_before() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("knister", "me", "me", clock=60)
            began = here.clock.time()
            assert room.room.deadline == began + 60
            await here.move(room, 0, "c3")
            await here.clock.advance(59.9)
            assert len(here.moves(room)) == 1
            await here.clock.advance(0.1)
            forced = here.moves(room)[1]
            assert (forced.event.seat, forced.event.move) == (1, "a5"), "the first free cell from the top left"  # type: ignore[union-attr]
            assert (forced.person, forced.at) == (None, began + 60)
            assert room.room.deadline == began + 120, "and the next round has a time of its own"
            await here.clock.advance(60)
            assert len(here.moves(room)) == 4, "nobody has written"

    asyncio.run(main())


def test_a_move_sets_the_clock_anew_and_talk_does_not() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "me", clock=30)
            await here.clock.advance(20)
            await room.actor.do(m.Say(type="say", id="s", text="let me think"), "ana")
            assert room.room.deadline == here.clock.time() + 10
            await here.clock.advance(9)
            await here.move(room, 0, "c8")
            assert here.clock.pending == [30]
            await here.clock.advance(29)
            assert len(here.moves(room)) == 1
            await here.clock.advance(1)
            assert [entry.event.seat for entry in here.moves(room)] == [0, 1]  # type: ignore[union-attr]

    asyncio.run(main())


def test_a_game_with_a_clock_ends_by_itself_and_then_no_clock_runs() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("knister", "me", clock=10)
            await here.clock.advance(10 * 24)
            assert room.room.playing
            await here.clock.advance(10)
            assert (room.room.playing, len(here.moves(room))) == (False, 25)
            assert room.room.deadline is None
            assert here.clock.pending == []

    asyncio.run(main())


@pytest.mark.parametrize(("clock", "away", "left"), [(60, 20, 40), (60, 500, GRACE_SECONDS), (4, 500, 4)])
def test_a_clock_that_ran_out_while_nobody_had_the_room_open(clock: int, away: float, left: float) -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "me", clock=clock)
            here.hub.drop(room.room.id)
            await here.clock.advance(away)
            assert here.moves(room) == []
            again = await here.hub.get(room.room.id)
            assert again is not None
            assert here.clock.pending == [left]
            await here.clock.advance(left)
            assert len(here.moves(room)) == 1

    asyncio.run(main())


def test_a_room_that_is_let_go_or_closed_rings_no_more() -> None:
    async def main() -> None:
        async with scene() as here:
            one = await here.open("callisto", "me", "me", clock=500)
            two = await here.open("callisto", "me", "me", clock=500)
            (one_watcher,), (two_watcher,) = one._visitors, two._visitors
            await here.clock.advance(100)
            assert here.hub.evict_idle(99) == 0, "somebody is there"
            for room, watcher in ((one, one_watcher), (two, two_watcher)):
                room.leave(watcher)
            await here.clock.advance(100)
            assert here.hub.evict_idle(101) == 0
            assert here.hub.evict_idle(99) == 2
            again = await here.hub.get(two.room.id)
            assert again is not None
            await here.hub.close()
            await here.clock.advance(1000)
            assert here.moves(one) == here.moves(two) == []
            assert here.clock.pending == []

    asyncio.run(main())


def test_a_move_at_the_last_moment_counts_and_the_bell_for_it_does_nothing() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "me", clock=30)
            moving = asyncio.create_task(here.move(room, 0, "c8"))
            await asyncio.sleep(0)  # it is in the mailbox
            room.clocks[0]._ring()
            assert await moving == room.room.version
            await settle()
            assert [entry.person for entry in here.moves(room)] == ["ana"]

    asyncio.run(main())


def test_a_page_that_does_not_come_to_seal_is_waited_for_ten_seconds() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("knister", "me", "me", seals=True)
            assert not room.room.playing
            await here.clock.advance(9)
            assert not room.room.playing
            await here.clock.advance(1)
            assert room.room.playing

    asyncio.run(main())


def test_a_clock_that_rings_while_nothing_can_be_written_rings_again() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("knister", "me", "me", clock=60)
            here.store.failures = 2
            await here.clock.advance(60)
            assert here.moves(room) == []
            assert here.clock.pending == [GRACE_SECONDS]
            await here.clock.advance(GRACE_SECONDS)
            assert (here.store.failures, here.moves(room)) == (0, [])
            await here.clock.advance(GRACE_SECONDS)
            assert len(here.moves(room)) == 2
            assert here.clock.pending == [60], "and the next round has its own time"

    asyncio.run(main())


def test_a_clock_whose_write_was_said_to_fail_but_did_not_goes_on_from_there() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("knister", "me", "me", clock=60)
            here.store.failures, here.store.fails_after_writing = 1, True
            await here.clock.advance(60)
            assert len(here.moves(room)) == 2
            assert here.clock.pending == [60]

    asyncio.run(main())


# -- computer players -------------------------------------------------------------------------------------------------


def test_a_computer_moves_after_a_pause() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(PAUSE - 0.1)
            assert here.pool.asked == []
            await here.clock.advance(0.1)
            assert [(player, seat) for _, player, seat in here.pool.asked] == [("greedy", 0)]
            [moved] = here.moves(room)
            assert (moved.person, moved.command) == (None, None)
            await here.clock.advance(100)
            assert len(here.moves(room)) == 1, "it is not its turn"
            assert not room.engines.busy

    asyncio.run(main())


def test_a_tile_that_was_turned_over_is_looked_at_for_longer() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("isis-osiris", "me", "greedy")
            await here.move(room, 0, "Sc3")
            await settle()
            assert here.clock.slept == [PAUSE]
            turned = await here.open("isis-osiris", "me", "me")
            await here.move(turned, 0, "T")
            await turned.actor.do(m.Leave(type="leave", id="l", seat=0), "ana")
            await turned.actor.do(m.PutEngine(type="engine", id="e", seat=0, player="greedy"), "ana")
            await settle()
            assert here.clock.slept == [PAUSE, 2 * PAUSE]

    asyncio.run(main())


def test_computers_that_decide_together_think_at_the_same_time() -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.seconds = 5
            room = await here.open("knister", "me", "greedy", "random")
            await here.clock.advance(20)
            assert sorted(seat for _, _, seat in here.pool.asked) == [1, 2]
            assert len({at for at, _, _ in here.pool.asked}) == 1
            assert len(here.moves(room)) == 2
            await here.move(room, 0, "c3")
            await here.clock.advance(20)
            assert len(here.moves(room)) == 5

    asyncio.run(main())


@pytest.mark.parametrize("failure", [TooBusy("later"), RuntimeError("a mistake of ours")])
def test_a_computer_that_cannot_be_asked_is_asked_again(failure: Exception, caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.failures = [failure, failure]
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(PAUSE)
            assert (len(here.pool.asked), here.moves(room)) == (1, [])
            await here.clock.advance(RETRY_AFTER - 0.1)
            assert len(here.pool.asked) == 1
            await here.clock.advance(2 * (RETRY_AFTER + PAUSE))
            assert len(here.pool.asked) == 3
            assert len(here.moves(room)) == 1

    asyncio.run(main())
    assert caplog.text.count("an engine could not be asked") == 2


@pytest.mark.parametrize("failure", [ThinkingFailed("no idea"), InvalidMove("“x9” is no move")])
def test_for_a_computer_that_finds_no_move_one_is_made_and_the_room_says_so(failure: Exception) -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.failures = [failure]
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(PAUSE)
            assert len(here.pool.asked) == len(here.moves(room)) == 1
            assert [line.kind for line in room.room.talk][-1] == "engine_failed"
            assert room.room.sitting is not None
            assert room.room.sitting.state.deciding == {1}, "the game goes on"

    asyncio.run(main())


def test_another_process_plays_until_its_lease_runs_out() -> None:
    async def main() -> None:
        lease = Lease()
        async with scene(lease) as here:
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(10 * RETRY_AFTER)
            assert here.pool.asked == []
            assert lease.asked > 5
            lease.ours = True
            await here.clock.advance(RETRY_AFTER + PAUSE)
            assert len(here.moves(room)) == 1

    asyncio.run(main())


def test_what_the_other_process_has_decided_is_not_thought_about_here() -> None:
    async def main() -> None:
        lease = Lease()
        async with scene(lease) as here:
            room = await here.open("callisto", "greedy", "me")
            elsewhere = Hub(here.store, here.pool, None, PAUSE, clock=here.clock)
            theirs = await elsewhere.get(room.room.id)
            assert theirs is not None
            theirs.visit(ANA)
            await here.clock.advance(PAUSE)
            assert len(here.moves(room)) == 1
            await here.hub.changed_elsewhere(room.room.id, theirs.room.version)
            await settle()
            assert room.room.version == theirs.room.version
            lease.ours = True
            await here.clock.advance(10 * RETRY_AFTER)
            assert len(here.pool.asked) == 1
            theirs.stop()
            await elsewhere.finish()

    asyncio.run(main())


@pytest.mark.parametrize("which", ["network", "person", "room"])
def test_who_has_used_up_the_thinking_time_waits_for_more(which: str) -> None:
    async def main() -> None:
        share = unlimited_thinking()
        setattr(share, f"_{which}", TokenBuckets(0.5, 10, clock=lambda: here.clock.monotonic()))
        async with scene(thinking=share) as here:
            here.pool.seconds = 20
            room = await here.open("callisto", "greedy", "greedy")
            await here.clock.advance(PAUSE + 20)
            assert len(here.moves(room)) == 1, "ten seconds more than there were"
            await here.clock.advance(15)
            assert len(here.pool.asked) == 1, "the next one has to wait until they are made up for"
            await here.clock.advance(15)
            assert len(here.pool.asked) == 2

    asyncio.run(main())


def test_a_computer_that_is_replaced_while_it_thinks() -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.seconds = 10
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(5)
            await room.actor.do(m.Leave(type="leave", id="l", seat=0), "ana")
            await room.actor.do(m.PutEngine(type="engine", id="e", seat=0, player="random"), "ana")
            await here.clock.advance(7)
            assert here.moves(room) == [], "what the first one thought is not played"
            await here.clock.advance(10)
            assert [player for _, player, _ in here.pool.asked] == ["greedy", "random"]
            assert len(here.moves(room)) == 1

    asyncio.run(main())


def test_a_computer_whose_time_is_up_is_not_moved_for_by_the_clock() -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.seconds = 100
            room = await here.open("callisto", "greedy", "me", clock=5)
            await here.clock.advance(50)
            assert here.moves(room) == []
            await here.clock.advance(60)
            assert len(here.moves(room)) >= 1

    asyncio.run(main())


def test_a_room_that_stops_has_nobody_think_any_more() -> None:
    async def main() -> None:
        async with scene() as here:
            here.pool.seconds = 10
            room = await here.open("callisto", "greedy", "me")
            await here.clock.advance(5)
            assert room.engines.busy
            assert not room.idle
            room.engines.hurry()
            assert here.pool.hurried == [room.room.id]
            room.stop()
            await settle()
            assert here.pool.cancelled == [room.room.id]
            assert not room.engines.busy
            await here.clock.advance(100)
            assert here.moves(room) == []
            room.engines.look()
            assert not room.engines.busy

    asyncio.run(main())


def test_a_room_that_comes_into_memory_wakes_its_computers() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "greedy", "me")
            here.hub.drop(room.room.id)
            await here.clock.advance(100)
            assert here.moves(room) == []
            again = await here.hub.get(room.room.id)
            assert again is not None
            await here.clock.advance(100)
            assert here.moves(room) == [], "nobody is there"
            again.visit(ANA)
            await here.clock.advance(PAUSE)
            assert len(here.moves(room)) == 1
            assert json.loads(again.audience.snapshot("ana"))["legal"]["1"]

    asyncio.run(main())


# -- nobody is there --------------------------------------------------------------------------------------------------


def test_computers_sleep_where_nobody_is_and_wake_when_somebody_comes() -> None:
    """The attack: two computers that play against each other, in as many rooms as one likes, with nobody there."""

    async def main() -> None:
        async with scene() as here:
            setup = {"game": "callisto", "seats": [{"kind": "engine", "player": "champion"}] * 2}
            rooms = [await here.hub.create(m.NewRoom.model_validate(setup), f"nobody{n}") for n in range(20)]
            await here.clock.advance(1000)
            assert here.pool.asked == []
            assert here.hub.evict_idle(300) == 20, "and rooms where all sleep leave the memory"
            room = await here.hub.get(rooms[0].room.id)
            assert room is not None
            here.pool.seconds = 4
            watcher = here.watch(room, Visitor("bob", "198.51.100.7"))
            await here.clock.advance(5 * (PAUSE + 4))
            assert len(here.moves(room)) == 5
            room.leave(watcher)
            await here.clock.advance(ATTENDANCE_SECONDS + PAUSE + 4)
            played = len(here.moves(room))
            assert 5 < played <= 6 + ATTENDANCE_SECONDS / (PAUSE + 4), (
                "for a moment they play on: a page may only have been reloaded"
            )
            await here.clock.advance(1000)
            assert len(here.moves(room)) == played
            assert not room.engines.busy
            room.visit(Visitor("bob", "198.51.100.7"))
            await here.clock.advance(PAUSE + 4)
            assert len(here.moves(room)) == played + 1, "whoever asks by HTTP now and then waits as well"

    asyncio.run(main())


def test_the_thinking_is_put_to_the_account_of_who_plays_and_has_had_the_least() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "greedy")
            account = room.attendance.account(room.room, here.pool.shares.tag)
            assert account == Account("192.0.2.1", "ana", at_table=True)
            here.pool.shares.end("192.0.2.1", 100)
            here.watch(room, Visitor("eve", "203.0.113.9"))
            assert room.attendance.account(room.room, here.pool.shares.tag) == account, "not to who only looks on"
            here.watch(room, Visitor("ana", "2001:db8::/64"))
            found = room.attendance.account(room.room, here.pool.shares.tag)
            assert found == Account("2001:db8::/64", "ana", at_table=True)

    asyncio.run(main())


# -- clocks that are set ----------------------------------------------------------------------------------------------


def test_a_wall_clock_that_is_moved_moves_nothing_here(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("WARNING", "sobremesa.clock")
    wall, steady = 1_700_000_000.0, 50.0
    clock = Clock(lambda: wall, lambda: steady)
    steady += 10
    wall += 10
    assert clock.time() == 1_700_000_010
    assert clock.compare() == 0
    for jump in (-7200, 3600, 86_400):
        wall = 1_700_000_010 + jump
        assert clock.time() == 1_700_000_010, "neither flags nor gifts"
        assert str(clock.today()) == "2023-11-14", "and no day begins early"
        assert clock.compare() == clock.compare() == jump
    assert caplog.text.count("the machine's clock was moved") == 3


def test_a_log_that_was_written_when_clocks_were_ahead_gives_no_more_than_a_decision_has() -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "me", clock=60)
            here.hub.drop(room.room.id)
            here.clock._now -= 7200  # the server was started again with its clock set back
            again = await here.hub.get(room.room.id)
            assert again is not None
            assert here.clock.pending == [60]
            told = json.loads(again.audience.snapshot("ana"))["room"]
            assert told["deadline"] - told["now"] == 60

    asyncio.run(main())


@pytest.mark.parametrize("skew", [-7200, 7200])
def test_what_another_process_wrote_has_its_whole_time_whatever_clock_it_has(skew: float) -> None:
    async def main() -> None:
        async with scene() as here:
            room = await here.open("callisto", "me", "me", clock=60)
            other = FakeClock(here.clock.time() + skew)
            elsewhere = Hub(here.store, here.pool, None, PAUSE, clock=other)
            theirs = await elsewhere.get(room.room.id)
            assert theirs is not None
            await theirs.actor.do(
                m.Move(type="move", id="there", seat=0, version=theirs.room.version, move="c8"), "ana"
            )
            await here.hub.changed_elsewhere(room.room.id, theirs.room.version)
            await settle()
            assert here.clock.pending == [60]
            theirs.stop()

    asyncio.run(main())
