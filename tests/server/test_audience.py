"""Everybody who watches: told the same text where they may know the same, each step once, and nobody waits for them."""

import asyncio
import itertools
import json
from collections.abc import Coroutine
from random import Random
from typing import Any

import pytest

from server.clocks import FakeClock, MemoryStore, settle
from server.spies import Person, Story
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import TimeUp
from sobremesa.rooms.events import Entry, Moved
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.server.actor import RoomActor
from sobremesa.server.attendance import Visitor
from sobremesa.server.audience import MAX_INSTANT_WATCHERS, THROTTLE_PER_WATCHER, Audience
from sobremesa.server.slices import MAX_SLICE, MAX_WAKES, Slices
from sobremesa.server.sockets import Listener
from sobremesa.table.sitting import Sitting

Json = dict[str, Any]


@pytest.fixture(autouse=True)
def one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is counted beside the loop is counted at once: the clock of these tests knows nothing of threads."""

    async def at_once(work: Any, *arguments: Any) -> Any:
        return work(*arguments)

    monkeypatch.setattr("sobremesa.server.audience.asyncio.to_thread", at_once)


class Watcher:
    """Keeps what it was told."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.texts: list[str] = []

    @property
    def updates(self) -> list[Json]:
        return [json.loads(text) for text in self.texts]

    @property
    def steps(self) -> list[Json]:
        """All steps after the snapshot."""
        snapshot, *news = self.updates
        assert snapshot["reset"]
        assert not any(update["reset"] for update in news)
        versions = [update["version"] for update in self.updates]
        assert versions == sorted(set(versions))
        return [step for update in news for step in update["steps"]]

    def tell(self, text: str) -> None:
        self.texts.append(text)

    def dismiss(self, reason: str, retry_after: float) -> None:
        self.texts.append(json.dumps({"type": "goodbye", "reason": reason}))


class Hall:
    """A room with an audience, and a clock that is moved by hand."""

    def __init__(self, story: Story) -> None:
        self.clock = FakeClock(story.room.since_at)
        self.tasks: list[asyncio.Task[None]] = []
        store = MemoryStore()
        store.logs["story"] = list(story.log)
        self.actor = RoomActor(story.room, store, self.clock)
        self.audience = Audience(story.room, self.clock, self._keep)
        self.actor.subscribers.append(self.audience.publish)
        self._number = 0

    def _keep(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        self.tasks.append(asyncio.ensure_future(work))
        return self.tasks[-1]

    def join(self, *people: str) -> list[Watcher]:
        watchers = [Watcher(person) for person in people]
        for watcher in watchers:
            self.audience.join(watcher)
        return watchers

    async def say(self, person: str, text: str = "hello") -> int:
        self._number += 1
        return await self.actor.do(m.Say(type="say", id=f"t{self._number}", text=text), person)

    async def move(self, seat: int, move: str) -> int:
        room = self.actor.room
        self._number += 1
        command = m.Move(type="move", id=f"m{self._number}", seat=seat, version=room.version, move=move)
        return await self.actor.do(command, room.seating[seat].person)

    async def random_move(self, random: Random) -> int:
        assert self.actor.room.sitting is not None
        state = self.actor.room.sitting.state
        seat = random.choice(sorted(state.deciding))
        return await self.move(seat, str(random.choice(state.legal_moves(seat))))


def people(count: int) -> list[Person]:
    return [Person(number + 1) for number in range(count)]


def hall(seats: int, game: str = "knister", **setup: Any) -> Hall:
    return Hall(Story(Random(1), people(seats), game=game, **setup))


# -- one text for many ------------------------------------------------------------------------------------------------


def test_spectators_share_one_text(monkeypatch: pytest.MonkeyPatch) -> None:
    """Four hundred watchers, one of them with a seat: two updates are built, and serialised, not four hundred."""
    built: list[Any] = []
    build = UpdateBuilder.build

    def counted(self: UpdateBuilder, viewer: Any, *more: Any) -> m.Update:
        built.append(viewer)
        return build(self, viewer, *more)

    async def main() -> None:
        room = hall(2)
        host = people(1)[0].id
        watchers = room.join(host, *(f"guest {number}" for number in range(400)))
        await settle()
        monkeypatch.setattr(UpdateBuilder, "build", counted)
        await room.move(0, "a1")
        await room.clock.advance(2)
        assert sorted(built) == [((), False), ((0,), True)]
        assert len({id(watcher.texts[-1]) for watcher in watchers}) == 2, "the very same text"
        assert {watcher.updates[-1]["version"] for watcher in watchers} == {room.actor.room.version}
        built.clear()
        # Who has seen another version is told something else, and that is all there is to build.
        late = room.join(*(f"late {number}" for number in range(50)))
        assert built == [((), False)]
        assert len({id(watcher.texts[-1]) for watcher in late}) == 1

    asyncio.run(main())


def test_snapshots_are_shared_too() -> None:
    async def main() -> None:
        room = hall(2)
        texts = {id(room.audience.snapshot(f"guest {number}")) for number in range(100)}
        assert len(texts) == 1
        assert room.audience.snapshot(people(1)[0].id) != room.audience.snapshot("guest")

    asyncio.run(main())


# -- every step once --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
@pytest.mark.parametrize("watchers", [3, MAX_INSTANT_WATCHERS + 20])
def test_no_step_is_lost_or_doubled(game: str, watchers: int) -> None:
    """People come and go, talk and play; the clock stands still for long, and many moves are told at once."""

    async def main() -> None:
        random = Random(f"{game} {watchers}")
        room = hall(2, game)
        first = room.actor.room.version
        seated = [person.id for person in people(2)]
        everybody = room.join(*seated, *(f"guest {number}" for number in range(watchers)))
        gone: list[Watcher] = []
        for _ in range(40):
            match random.randrange(8):
                case 0:
                    everybody += room.join(f"late {len(everybody)}")
                case 1 if len(everybody) > 3:
                    gone.append(everybody.pop(random.randrange(2, len(everybody))))
                    room.audience.leave(gone[-1])
                case 2:
                    await room.say(seated[0])
                case 3 | 4:
                    await room.clock.advance(random.choice([0.01, 1]))
                case _:
                    await room.random_move(random)
        await room.clock.advance(2)
        log = (await room.actor._store.read_log("story"))[first:]
        steps = [entry.version for entry in log if entry.event.kind in ("moved", "rolled")]
        talk = [entry.version for entry in log if entry.event.kind == "said"]
        assert len(steps) > 10
        for watcher in everybody:
            since = watcher.updates[0]["version"]
            assert [step["version"] for step in watcher.steps] == [version for version in steps if version > since]
            lines = [line["version"] for update in watcher.updates[1:] for line in update["talk"]]
            assert lines == [version for version in talk if version > since]
            assert watcher.updates[-1]["version"] == room.actor.room.version
        for watcher in gone:
            since, until = watcher.updates[0]["version"], watcher.updates[-1]["version"]
            told = [version for version in steps if since < version <= until]
            assert [step["version"] for step in watcher.steps] == told, "and nothing after they had left"
        for watcher, seat in zip(everybody, (0, 1), strict=False):
            own = [step["move"] for step in watcher.steps if step["seat"] == seat]
            assert None not in own, "one's own moves are told to oneself"
        fresh = room.join(seated[0])[0].updates[-1]
        assert fresh["steps"][0]["views"] == everybody[0].steps[-1]["views"]

    asyncio.run(main())


def check_told_to_a_crowd(watcher: Watcher, seats: tuple[int, ...], log: list[Entry]) -> None:
    """Own moves once each, others' never, rolls, and the table as it is at the end."""
    since = watcher.updates[0]["version"]
    own = [
        (entry.event.seat, entry.event.move)
        for entry in log
        if entry.version > since and isinstance(entry.event, Moved) and entry.event.seat in seats
    ]
    rolls = [entry.version for entry in log if entry.event.kind == "rolled" and entry.version > since]
    told = watcher.steps
    versions = [step["version"] for step in told]
    assert versions == sorted(set(versions))
    assert [(step["seat"], step["move"]) for step in told if step["seat"] is not None] == own, "each once, in order"
    assert all(step["move"] is None for step in told if step["seat"] is None), "others' moves are no steps"
    for step in told:
        assert (step["rolled"] is not None) <= (step["version"] in rolls)
        if step["move"] is not None:
            [view] = step["views"]
            column, row = step["move"]
            assert view["sheet"][5 * (int(row) - 1) + "abcde".index(column)], (
                "it stands on the sheet that is shown with it"
            )
    assert [step["version"] for step in told if step["rolled"] is not None][-1] == rolls[-1]


@pytest.mark.parametrize("patient", [0.0, 0.1, 1.0])
def test_a_crowd_is_told_every_roll_its_own_moves_and_how_far_it_has_come(patient: float) -> None:
    """Whether they are told rarely, now and then, or after every move. Somebody never writes: the clock does."""

    async def main() -> None:
        random = Random(5)
        players = people(MAX_LISTED_SEATS + 4)
        room = Hall(Story(Random(1), players, game="knister", clock=1000))
        watchers = room.join(*(person.id for person in players), "guest")
        for round in range(3):
            while (state := room.actor.room.sitting.state).view(None).as_dict()["rounds"] == round:  # type: ignore[union-attr]
                awake = [seat for seat in state.deciding if seat != 7]
                if awake:
                    seat = random.choice(awake)
                    await room.move(seat, str(random.choice(state.legal_moves(seat))))
                else:
                    await room.actor.do(TimeUp(room.actor.room.since))
                if random.random() < patient:
                    await room.clock.advance(1)
        while not all(task.done() for task in room.tasks):
            await room.clock.advance(1)
        log = await room.actor._store.read_log("story")
        for watcher in watchers:
            seats = room.actor.room.seats_of(watcher.person)
            check_told_to_a_crowd(watcher, seats, log)
            told = watcher.steps
            assert all(len(update["steps"]) <= 2 for update in watcher.updates)
            assert told[-1]["views"][0]["rounds"] == 3, "and everybody sees the table as it is"
            waiting = [step["views"][0]["waiting"] for step in told if step["views"][0]["rounds"] == 0]
            assert waiting == sorted(waiting, reverse=True), "fewer and fewer are waited for"
        assert len({id(watcher.texts[-1]) for watcher in watchers}) > 1
        assert room.audience._moves == {}, "what everybody was told is not kept"

    asyncio.run(main())


def test_a_crowd_that_is_told_rarely_hears_of_all_its_moves_to_the_end() -> None:
    """The clock writes for everybody, and two rounds pass while nobody is told; the last one ends the game."""

    async def main() -> None:
        players = people(MAX_LISTED_SEATS + 20)
        room = Hall(Story(Random(1), players, game="knister", clock=1000))
        watchers = room.join(*(person.id for person in players), "guest")
        while room.actor.room.playing:
            for _ in range(2):
                if room.actor.room.playing:
                    await room.actor.do(TimeUp(room.actor.room.since))
            await settle(200)
        log = await room.actor._store.read_log("story")
        for watcher in watchers:
            check_told_to_a_crowd(watcher, room.actor.room.seats_of(watcher.person), log)
            assert watcher.updates[-1]["room"]["over"]
            if watcher.person != "guest":
                overs = [step for step in watcher.updates[-1]["steps"] if step["views"][0]["over"]]
                assert overs == watcher.updates[-1]["steps"][-len(overs) :]

    asyncio.run(main())


def test_what_all_updates_of_a_crowd_share_is_counted_beside_the_loop(monkeypatch: pytest.MonkeyPatch) -> None:
    """The last moves of all seats too: once for each broadcast, and never while somebody is being told."""
    beside_loop, counted = [False], list[bool]()
    last_entries = vars(Sitting)["_last_entries"]
    count = last_entries.func

    async def beside(work: Any, *arguments: Any) -> Any:
        beside_loop[0] = True
        done = work(*arguments)
        beside_loop[0] = False
        return done

    def spy(sitting: Sitting) -> Any:
        counted.append(beside_loop[0])
        return count(sitting)

    async def main() -> None:
        players = people(MAX_LISTED_SEATS + 4)
        room = Hall(Story(Random(1), players, game="knister", clock=1000))
        room.join(*(person.id for person in players))
        await settle()
        monkeypatch.setattr("sobremesa.server.audience.asyncio.to_thread", beside)
        monkeypatch.setattr(last_entries, "func", spy)
        await room.actor.do(TimeUp(room.actor.room.since))
        await settle(200)
        assert counted == [True]

    asyncio.run(main())


def test_a_slow_reader_gets_everything_up_to_the_goodbye_and_a_snapshot_afterwards() -> None:
    async def main() -> None:
        room = hall(2, next(iter(GAMES)))
        version = room.actor.room.version
        slow = Listener(Visitor("guest", "192.0.2.1"), 5)
        room.audience.join(slow)
        random = Random(3)
        for _ in range(12):
            await room.random_move(random)
            await settle()
        texts = [slow.queue.get_nowait() for _ in range(slow.queue.qsize())]
        assert texts.pop() is None, "nothing comes after the end"
        messages = [json.loads(str(text)) for text in texts]
        assert messages.pop() == {"type": "goodbye", "reason": "slow", "retry_after": 1.0}
        assert [message["version"] for message in messages] == list(range(version, version + 5))
        steps = [step["version"] for message in messages[1:] for step in message["steps"]]
        assert steps == list(range(version + 1, version + 5)), "no gap"
        room.audience.leave(slow)
        again = Listener(Visitor("guest", "192.0.2.1"), 5)
        room.audience.join(again)
        snapshot = json.loads(str(again.queue.get_nowait()))
        assert (snapshot["reset"], snapshot["version"]) == (True, version + 12)
        assert [step["version"] for step in snapshot["steps"]] == [version + 12]

    asyncio.run(main())


# -- when it is told --------------------------------------------------------------------------------------------------


def test_few_are_told_at_once_and_many_now_and_then_but_never_late_when_it_matters() -> None:
    async def main() -> None:
        for watchers in (MAX_INSTANT_WATCHERS, MAX_INSTANT_WATCHERS + 1):
            room = hall(3)
            crowd = room.join(*(f"guest {number}" for number in range(watchers)))
            await room.move(0, "a1")
            await settle()
            at_once = {len(watcher.texts) for watcher in crowd}
            assert at_once == ({2} if watchers <= MAX_INSTANT_WATCHERS else {1})
            await room.clock.advance(THROTTLE_PER_WATCHER * watchers)
            assert {len(watcher.texts) for watcher in crowd} == {2}
            await room.move(1, "a1")
            await room.move(2, "a1")
            await settle()
            assert {watcher.updates[-1]["version"] for watcher in crowd} == {room.actor.room.version}
            assert {watcher.steps[-1]["rolled"] is not None for watcher in crowd} == {True}, "a new roll does not wait"

    asyncio.run(main())


def test_a_snapshot_tells_the_time_at_which_it_is_asked_for() -> None:
    """Pages count down from it."""

    async def main() -> None:
        room = hall(2, clock=60)
        one = json.loads(room.audience.snapshot("guest"))["room"]
        await room.clock.advance(30)
        two = json.loads(room.audience.snapshot("guest"))["room"]
        assert (one["now"] + 30, one["deadline"]) == (two["now"], two["deadline"])
        assert two["now"] == room.clock.time()
        [watcher] = room.join("guest")
        assert watcher.updates[0]["room"]["now"] == room.clock.time()

    asyncio.run(main())


def test_who_is_here_is_told_to_who_comes_next() -> None:
    async def main() -> None:
        room = hall(2)
        ana, bo = (person.id for person in people(2))

        def here() -> list[bool]:
            seats = json.loads(room.audience.snapshot("guest"))["room"]["seats"]
            return [seats[seat]["here"] for seat in "01"]

        assert here() == [False, False]
        one, two = room.join(ana, ana)
        assert here() == [True, False]
        [three] = room.join(bo)
        room.audience.leave(one)
        room.audience.leave(one)
        assert here() == [True, True], "still there with another page"
        room.audience.leave(two)
        room.audience.leave(three)
        assert here() == [False, False]
        assert len(room.audience) == 0

    asyncio.run(main())


def test_an_update_that_breaks_is_nobody_elses(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """One cannot be built, one cannot be taken, and a third cannot even be said goodbye to: the others are told."""
    news = UpdateBuilder.news

    def spoiled(self: UpdateBuilder, person: str, *more: Any) -> str:
        if person == "cursed":
            raise ZeroDivisionError
        return news(self, person, *more)

    monkeypatch.setattr(UpdateBuilder, "news", spoiled)

    class Broken(Watcher):
        def tell(self, text: str) -> None:
            if self.texts:
                raise OSError("gone")
            super().tell(text)

    class Deaf(Broken):
        def dismiss(self, reason: str, retry_after: float) -> None:
            raise OSError("gone")

    async def main() -> None:
        room = hall(2, next(iter(GAMES)))
        [one, cursed] = room.join("one", "cursed")
        broken, deaf = Broken("broken"), Deaf("deaf")
        room.audience.join(broken)
        room.audience.join(deaf)
        [last] = room.join("last")
        for cell, seat in (("c8", 0), ("n8", 1)):
            await room.move(seat, cell)
            await settle()
        assert [len(watcher.steps) for watcher in (one, last)] == [2, 2]
        for watcher in (cursed, broken):
            assert watcher.updates[1] == {"type": "goodbye", "reason": "changed"}
        assert all(task.done() and task.exception() is None for task in room.tasks)

    asyncio.run(main())
    assert {record.room for record in caplog.records if record.message == "an update broke"} == {"story"}  # type: ignore[attr-defined]


# -- nobody is held up ------------------------------------------------------------------------------------------------


def test_others_have_their_turn_while_hundreds_are_told() -> None:
    async def main() -> None:
        room = hall(2, next(iter(GAMES)))
        watchers = room.join(*(f"guest {number}" for number in range(10 * MAX_WAKES)))
        turns: list[int] = []

        async def other() -> None:
            while True:
                turns.append(sum(len(watcher.texts) == 2 for watcher in watchers))
                await asyncio.sleep(0)

        busy = asyncio.create_task(other())
        await room.move(0, "c8")  # the next one's turn: that does not wait
        await settle(100)
        busy.cancel()
        assert turns[-1] == len(watchers)
        jumps = [after - before for before, after in itertools.pairwise(turns)]
        assert max(jumps) <= MAX_WAKES

    asyncio.run(main())


def test_long_work_gives_way_by_time_and_by_how_many_it_has_woken(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr("sobremesa.server.slices.time.perf_counter", lambda: now)

    async def turns(pieces: int, cost: float, wakes: int) -> int:
        """How often others have had their turn during so many pieces of work."""
        nonlocal now
        count = 0

        async def other() -> None:
            nonlocal count
            while True:
                await asyncio.sleep(0)
                count += 1

        task = asyncio.create_task(other())
        await asyncio.sleep(0)
        slices = Slices()
        for _ in range(pieces):
            now += cost
            await slices.give_way(wakes)
        task.cancel()
        return count

    async def main() -> None:
        assert await turns(100, 0.0, 0) == 0, "nothing costs nothing"
        assert await turns(100, MAX_SLICE / 3.9, 0) == pytest.approx(25, abs=2), "every few milliseconds"
        assert await turns(100, 2 * MAX_SLICE, 0) == pytest.approx(100, abs=2), "after each piece that is longer"
        assert await turns(10 * MAX_WAKES, 0.0, 1) == pytest.approx(10, abs=1)

    asyncio.run(main())
