"""The rooms that are open in this process: commands in, updates out, engines and clocks in between.

A room takes its commands in rounds: all that have come in are applied together and written together; when they
are on disk their senders hear so, everybody sees the new state, and the next round begins. So nobody ever sees
what is not on disk, and a crowd that writes at once costs a few transactions, not thousands.
"""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

from sobremesa.core.errors import SobremesaError
from sobremesa.core.state import View
from sobremesa.engines import SCHOOLS, Budget
from sobremesa.engines.registry import past_of
from sobremesa.server import messages as m
from sobremesa.server.limits import Rate
from sobremesa.server.listing import about
from sobremesa.server.room import Draft, Event, Refusal, Room
from sobremesa.server.storage import Batch, Conflict, Store
from sobremesa.server.thinking import ThinkingRoom
from sobremesa.server.updates import build_update

log = logging.getLogger("sobremesa.hub")

CROWD = 40
"""With more watchers than this, progress within a round is told a few times a second, not at every move."""
CALM = 0.0015
"""Seconds between two such updates, for each watcher: telling a thousand takes a while itself."""
AGAIN = 2.0
"""Seconds after which an engine tries again, if it failed or another process's engines had the room."""
REWRITTEN = -1
"""In place of a version: the log itself was changed."""
Decide = Callable[[Room], list[Draft]]


class Watcher(Protocol):
    """Somebody who is told what happens in a room."""

    person: str
    version: int | None
    """The last version that they have, if any."""

    def tell(self, message: m.Update) -> None:
        """Hands a message over, without waiting."""

    def dismiss(self, reason: str, again: float) -> None:
        """Says goodbye."""


class Bus(Protocol):
    """Tells other processes that a room has changed."""

    async def announce(self, room: str, version: int) -> None: ...

    async def may_think(self, room: str) -> bool: ...


@dataclass
class _Request:
    decide: Decide
    done: "asyncio.Future[int]"


@dataclass(eq=False)
class LiveRoom:
    """A room in memory, with those who watch it."""

    hub: "Hub"
    room: Room
    watchers: set[Watcher] = field(default_factory=set)
    touched: float = field(default_factory=time.monotonic)
    _requests: list[_Request] = field(default_factory=list)
    _writing: bool = False
    """The room is ahead of the disk: nobody may see it now."""
    _lost: bool = False
    """The disk failed, and the room could not be read again: it is of no more use."""
    _joining: list[tuple[Watcher, bool]] = field(default_factory=list)
    _worker: "asyncio.Task[None] | None" = None
    _thinking: "dict[tuple[int, str], asyncio.Task[None]]" = field(default_factory=dict)
    """By seat and player."""
    _retry: asyncio.TimerHandle | None = None
    _alarm: asyncio.TimerHandle | None = None
    _calm: asyncio.TimerHandle | None = None
    _shown: object = None

    # -- commands in ----------------------------------------------------------------------------------------------

    async def do(self, command: m.AnyCommand, person: str) -> int:
        """Does a person's command; returns the version at which it is on disk."""

        def decide(room: Room) -> list[Draft]:
            drafts = room.decide(command, person)
            first = drafts[0]
            return [Draft(first.kind, first.data | {"id": command.id}, first.person, first.secret), *drafts[1:]]

        if not self._writing and (version := self.room.answered(command, person)) is not None:
            return version
        return await self.request(decide, lambda room: room.answered(command, person))

    async def request(self, decide: Decide, answered: Callable[[Room], int | None] = lambda room: None) -> int:
        """Has something decided in the next round."""

        def once(room: Room) -> list[Draft]:
            return [] if answered(room) is not None else decide(room)

        if self._lost:
            raise Refusal("busy", "it could not be written down; try again")
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()
        self._requests.append(_Request(once, done))
        self.touched = time.monotonic()
        self._go_on()
        version = await done
        return answered(self.room) or version

    def _go_on(self) -> None:
        if self._worker is None or self._worker.done():
            self._worker = self.hub.keep(self._work())

    async def _work(self) -> None:
        while self._requests:
            requests, self._requests = self._requests, []
            self._writing = True
            events: list[Event] = []
            secrets: dict[int, bytes] = {}
            answers: list[tuple[_Request, int]] = []
            results_before = len(self.room.results)
            for request in requests:
                try:
                    drafts = request.decide(self.room)
                except SobremesaError as error:
                    _fail(request.done, error)
                    continue
                except Exception:
                    log.exception("a command broke", extra={"room": self.room.id})
                    _fail(request.done, Refusal("broken", "something went wrong here; the room is unharmed"))
                    continue
                try:
                    for draft in drafts:
                        self._take(draft, events, secrets)
                    answers.append((request, self.room.version))
                    self._follow_up(events, secrets)
                except Exception:
                    log.exception("an event broke the room", extra={"room": self.room.id})
                    _fail(request.done, Refusal("broken", "something went wrong here; the room is unharmed"))
                    events, answers = [], []
                    await self._start_over([other for other in requests if not other.done.done()])
                    break
            if not events:
                for request, version in answers:
                    _succeed(request.done, version)
                self._written()
                continue
            try:
                await self.hub.store.append(
                    Batch(self.room.id, events, secrets, self._summary(), self._results(results_before))
                )
            except Conflict:
                await self._start_over([request for request, _ in answers])
                continue
            except Exception:
                log.exception("the database refused a write", extra={"room": self.room.id})
                for request, _ in answers:
                    _fail(request.done, Refusal("busy", "it could not be written down; try again"))
                await self._start_over([])
                continue
            for request, version in answers:
                _succeed(request.done, version)
            self.hub.count(events)
            self.show()
            self._written()
            await self.hub.bus_announce(self.room.id, self.room.version)
            if len(self.room.results) > results_before:
                self.hub.games_ended()

    def _take(self, draft: Draft, events: list[Event], secrets: dict[int, bytes]) -> None:
        event = Event(self.room.version + 1, draft.kind, draft.data, time.time(), draft.person)
        self.room.apply(event, draft.secret)
        events.append(event)
        if draft.secret is not None:
            secrets[event.version] = draft.secret

    def _follow_up(self, events: list[Event], secrets: dict[int, bytes]) -> None:
        while True:
            drafts = [draft] if (draft := self.room.follow_up()) is not None else self.room.moves_of_the_gone()
            if not drafts:
                return
            for draft in drafts:
                self._take(draft, events, secrets)

    def _summary(self) -> dict[str, Any]:
        room = self.room
        return {
            "id": room.id,
            "game": room.game.id,
            "host": room.host,
            "public": room.public,
            "playing": room.playing,
            "seated": sum(chair.kind in ("person", "engine") for chair in room.chairs),
            "open": sum(chair.kind in ("open", "gone") for chair in room.chairs),
            "about": about(room),
            "created_at": room.changed_at,
            "changed_at": room.changed_at,
        }

    def _results(self, before: int) -> list[dict[str, Any]]:
        """A row for each seat of a game that has just ended."""
        room = self.room
        if len(room.results) == before:
            return []
        result = room.results[-1]
        return [
            {
                "room": room.id,
                "number": room.number,
                "seat": seat,
                "game": room.game.id,
                "person": chair.person if chair.kind == "person" else None,
                "player": chair.name if chair.kind == "engine" else None,
                "score": result.scores[seat],
                "place": result.places[seat],
                "at": room.changed_at,
                "rated": False,
            }
            for seat, chair in enumerate(room.chairs)
        ]

    async def _start_over(self, requests: list[_Request]) -> None:
        """Another process was first, or the disk failed: forget what was not written, and try again from there."""
        try:
            room = await self.hub.load(self.room.id)
        except Exception:
            log.exception("the database cannot be read", extra={"room": self.room.id})
            room = None
        if room is None:
            self._give_up(requests + self._requests)
            return
        self.room = room
        self._requests = requests + self._requests
        self.show()
        self._written()

    def _give_up(self, requests: list[_Request]) -> None:
        """There is nothing to go on from: everybody has to come back, to what the database has then."""
        self._lost = True
        self._requests = []
        for request in requests:
            _fail(request.done, Refusal("busy", "it could not be written down; try again"))
        self.hub.drop(self.room.id)
        for watcher, _ in self._joining:
            watcher.dismiss("changed", 0.5)

    def _written(self) -> None:
        """The room is what the disk has: whoever came in meanwhile may look now."""
        self._writing = False
        joining, self._joining = self._joining, []
        for watcher, only_news in joining:
            self.welcome(watcher, only_news)

    async def catch_up(self, version: int) -> None:
        """Another process has written to the room: takes that in, when this one is not writing itself."""
        while version > self.room.version:
            if self._worker is not None and not self._worker.done():
                await asyncio.wait([self._worker])
                continue
            room, known = self.room, self.room.version
            events, promised = await self.hub.store.read_events(room.id, known)
            if not events:
                return
            if (room, known) == (self.room, self.room.version) and not self._writing:
                for event in events:
                    room.apply(event, promised.get(event.version))
                self.show()

    async def refresh(self) -> None:
        """Looks whether another process has written something that it did not live to announce."""
        if not self._writing:
            await self.catch_up(self.room.version + 1)

    # -- updates out ----------------------------------------------------------------------------------------------

    def show(self) -> None:
        """Tells all watchers where the room stands, wakes the engines, sets the clock."""
        if len(self.watchers) <= CROWD or self._shown != self._moment:
            self._tell_all()
        elif self._calm is None:
            self._calm = asyncio.get_running_loop().call_later(CALM * len(self.watchers), self._tell_calmly)
        self._wake_engines()
        self._set_alarm()

    def _tell_calmly(self) -> None:
        self._calm = None
        if not self._writing:  # else there is more to show in a moment
            self._tell_all()

    def _tell_all(self) -> None:
        if self._calm is not None:
            self._calm.cancel()
            self._calm = None
        self._shown = self._moment
        here = self.here()
        for watcher in list(self.watchers):
            self.tell(watcher, here)

    @property
    def _moment(self) -> tuple[int, bool]:
        """What must be told at once when it changes: a new decision to take, a game begun or ended."""
        return self.room.since, self.room.playing

    def welcome(self, watcher: Watcher, only_news: bool = False) -> None:
        """Lets somebody watch, and tells them where the room stands, unless they know and want only news."""
        if self._writing:
            self._joining.append((watcher, only_news))
            return
        self.watchers.add(watcher)
        if not (only_news and watcher.version == self.room.version):
            self.tell(watcher)

    def farewell(self, watcher: Watcher) -> None:
        """Somebody watches no more."""
        self.watchers.discard(watcher)
        self._joining = [entry for entry in self._joining if entry[0] is not watcher]
        self.touched = time.monotonic()

    def tell(self, watcher: Watcher, here: set[str] | None = None) -> None:
        """Tells one watcher what they do not know yet."""
        watcher.tell(build_update(self.room, watcher.person, watcher.version, here or self.here()))
        watcher.version = self.room.version

    def here(self) -> set[str]:
        """The people who are connected."""
        return {watcher.person for watcher in self.watchers}

    # -- engines and clocks ---------------------------------------------------------------------------------------

    def _wake_engines(self) -> None:
        if self.hub.closing:
            return
        for who in self.room.engines_to_move():
            if who not in self._thinking:
                self._thinking[who] = self.hub.keep(self._think(*who))

    def past(self, seat: int) -> tuple[View[Any], ...]:
        """What the seat saw earlier in this game, as far as its player needs it."""
        sitting = self.room.sitting
        if sitting is None or not SCHOOLS[sitting.game.id].remembers:
            return ()
        return past_of(sitting.game, list(sitting.record(reveal=False).states())[:-1], seat)

    async def _think(self, seat: int, player: str) -> None:
        try:
            host = self.room.host or ""
            while not (self.hub.engine_time.allows(host, 0) and await self.hub.bus_may_think(self.room.id)):
                # The host's rooms have had their share of thinking for now; or another process's engines play here:
                # should it die, its lease runs out, and it is up to us.
                await asyncio.sleep(AGAIN)
                if (seat, player) not in self.room.engines_to_move():
                    return
            room, since = self.room, self.room.since
            sitting = room.sitting
            assert sitting is not None
            if (seat, player) not in room.engines_to_move():
                return
            # People want to see a tile that was turned over, and a move before the next.
            await asyncio.sleep(self.hub.pause * (2 if sitting.can_undo is None and room.game.has_chance else 1))
            began = time.monotonic()
            text = await self.hub.thinking.choose(
                room.id,
                room.game.id,
                player,
                sitting.state.view(seat),
                past=self.past(seat),
                budget=Budget(seed=f"{room.id} {room.number} {seat}"),
            )
            self.hub.engine_time.charge(host, time.monotonic() - began)

            def decide(room: Room) -> list[Draft]:
                if room.since != since or (seat, player) not in room.engines_to_move():
                    return []
                return [room.move_draft(seat, text)]

            self._thinking.pop((seat, player), None)
            await self.request(decide)
            self._wake_engines()  # in case the move came too late to be made
        except SobremesaError:
            log.warning("an engine's move was refused", extra={"room": self.room.id})
        except Exception:
            log.exception("an engine failed", extra={"room": self.room.id})
            self._retry = asyncio.get_running_loop().call_later(AGAIN, self._wake_engines)
        finally:
            if self._thinking.get((seat, player)) is asyncio.current_task():
                del self._thinking[seat, player]

    def _set_alarm(self) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
            self._alarm = None
        if (deadline := self.room.deadline) is not None and not self.hub.closing:
            # A clock that ran out while nobody was there starts anew when the room is opened again.
            left = max(deadline - time.time(), 0) or min(self.room.setup.clock, 10)
            self._alarm = asyncio.get_running_loop().call_later(left, self._ring, self.room.since)

    def _ring(self, since: int) -> None:
        self.hub.keep(self.request(lambda room: room.time_out() if room.since == since else []))

    def stop(self) -> None:
        """Stops clocks and engines of this room."""
        for timer in (self._alarm, self._calm, self._retry):
            if timer is not None:
                timer.cancel()
        for task in list(self._thinking.values()):
            task.cancel()
        self.hub.thinking.cancel(self.room.id)

    @property
    def idle(self) -> bool:
        """Whether nobody would miss the room in memory."""
        busy = (
            self.watchers or self._requests or self._thinking or (self._worker is not None and not self._worker.done())
        )
        return not busy


class Hub:
    """All rooms that are open in this process."""

    def __init__(
        self,
        store: Store,
        thinking: ThinkingRoom,
        bus: Bus | None = None,
        pause: float = 0.6,
        engine_time: Rate | None = None,
    ) -> None:
        self.store = store
        self.thinking = thinking
        self.bus = bus
        self.pause = pause
        self.engine_time = engine_time or Rate(1e9, 10**9)
        """Seconds that computer players may think for each host."""
        self.closing = False
        self.rooms: dict[str, LiveRoom] = {}
        self.moves = 0
        self.ended: list[Callable[[], Awaitable[None]]] = []
        """What is to be done whenever a game has ended."""
        self._loading: dict[str, asyncio.Task[Room | None]] = {}
        self._tasks: set[asyncio.Task[Any]] = set()

    def keep(self, work: Any) -> "asyncio.Task[Any]":
        """Starts a task and holds on to it."""
        task: asyncio.Task[Any] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def create(self, setup: m.NewRoom, person: str) -> LiveRoom:
        """Opens a new room."""
        drafts = Room.create(setup, person)
        live = LiveRoom(self, Room(secrets.token_urlsafe(9)))
        await live.request(lambda room: drafts)
        self.rooms[live.room.id] = live
        return live

    async def get(self, id: str) -> LiveRoom | None:
        """A room, from memory or from the database."""
        if (live := self.rooms.get(id)) is not None:
            live.touched = time.monotonic()
            if self.bus is not None:
                await live.refresh()
            if self.rooms.get(id) is live:
                return live
        if id not in self._loading:
            self._loading[id] = asyncio.create_task(self.load(id))
        try:
            room = await self._loading[id]
        finally:
            self._loading.pop(id, None)
        if room is None:
            return None
        if (live := self.rooms.get(id)) is None:
            self.rooms[id] = live = LiveRoom(self, room)
            live.show()
        if self.bus is not None:
            await live.refresh()  # it may have changed while it was read
        return live

    async def load(self, id: str) -> Room | None:
        """Replays a room's log."""
        events, promised = await self.store.read_events(id)
        if not events:
            return None

        def replay() -> Room:
            room = Room(id)
            for event in events:
                room.apply(event, promised.get(event.version))
            return room

        return await asyncio.to_thread(replay) if len(events) > 500 else replay()

    def count(self, events: list[Event]) -> None:
        """Counts moves, for the metrics."""
        self.moves += sum(event.kind == "moved" for event in events)

    def games_ended(self) -> None:
        """Starts what is to be done when a game has ended."""
        for work in self.ended:
            self.keep(work())

    async def bus_announce(self, room: str, version: int) -> None:
        """Tells the other processes, if there are any."""
        if self.bus is not None:
            with contextlib.suppress(OSError):
                await self.bus.announce(room, version)

    async def bus_may_think(self, room: str) -> bool:
        """Whether it is this process whose engines play in the room."""
        return self.bus is None or await self.bus.may_think(room)

    async def reload_everywhere(self, room: str) -> None:
        """A room's log was rewritten: nobody may go on with what is in memory."""
        self.drop(room)
        await self.bus_announce(room, REWRITTEN)

    async def changed_elsewhere(self, room: str, version: int) -> None:
        """Another process has written to a room."""
        if version == REWRITTEN:
            self.drop(room)
        elif (live := self.rooms.get(room)) is not None:
            self.keep(live.catch_up(version))

    def drop(self, id: str) -> None:
        """Drops a room from memory; whoever watches it comes back to what the database has."""
        if (live := self.rooms.pop(id, None)) is not None:
            live.stop()
            for watcher in list(live.watchers):
                watcher.dismiss("changed", 0.5)

    def let_go(self, idle_for: float) -> int:
        """Drops rooms from memory that nobody has touched for so many seconds; returns how many."""
        limit = time.monotonic() - idle_for
        old = [id for id, live in self.rooms.items() if live.touched < limit and live.idle]
        for id in old:
            self.rooms.pop(id).stop()
        return len(old)

    async def close(self, again: float = 1.0) -> None:
        """Tells everybody to come back later, and finishes what is being written."""
        self.closing = True
        for live in self.rooms.values():
            live.stop()
            for watcher in list(live.watchers):
                watcher.dismiss("restart", again)
        workers = [live._worker for live in self.rooms.values() if live._worker is not None and not live._worker.done()]
        if workers:
            await asyncio.wait(workers, timeout=10)

    async def finish(self) -> None:
        """Waits for what goes on in the background, once nobody thinks any more."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


def _succeed(done: "asyncio.Future[int]", version: int) -> None:
    if not done.done():
        done.set_result(version)


def _fail(done: "asyncio.Future[int]", error: Exception) -> None:
    if not done.done():
        done.set_exception(error)
