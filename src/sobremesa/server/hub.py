"""The rooms that are open in this process: finds them, opens them, lets them go."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable, Coroutine, Iterable
from typing import Any, Protocol

from sobremesa.engines import players_of
from sobremesa.engines.levels import player_names
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.events import Entry, Moved
from sobremesa.rooms.names import reserved
from sobremesa.rooms.room import Resources, Room
from sobremesa.server.actor import Publication, RoomActor, Subscriber
from sobremesa.server.attendance import Attendance, Visitor
from sobremesa.server.audience import Audience, Watcher
from sobremesa.server.clock import Clock
from sobremesa.server.database import is_away
from sobremesa.server.engine_players import EngineHouse, EnginePlayers, NoLease
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.limits import ThinkingTime, unlimited_thinking
from sobremesa.server.room_clocks import DrawClock, MoveClock, ReadyClock
from sobremesa.server.storage import MAX_ENTRIES_ON_LOOP, Conflict, Store

log = logging.getLogger("sobremesa.hub")

REWRITTEN = -1
"""In place of a version: the log itself was changed."""


class Bus(Protocol):
    """Tells other processes that a room has changed, and says whose engines play there."""

    def announce(self, room: str, version: int) -> None: ...

    async def may_think(self, room: str) -> bool: ...


class OpenRoom:
    """A room in memory: the actor, and who is subscribed to it."""

    def __init__(self, actor: RoomActor, engines: EngineHouse) -> None:
        self.actor = actor
        self.audience = Audience(actor.room, engines.clock, engines.keep)
        self.attendance = Attendance(engines.clock)
        self.engines = EnginePlayers(actor, engines, self.attendance)
        self.clocks = (
            MoveClock(actor, engines.clock),
            ReadyClock(actor, engines.clock),
            DrawClock(actor, engines.clock),
        )
        self._clock = engines.clock
        self.touched = self._clock.monotonic()
        self._visitors: dict[Watcher, Visitor] = {}
        self.rewritten = 0
        """How often the log had been rewritten when it was read."""
        self.on_visit: Callable[[str], None] = lambda person: None
        """Hears of each person who comes to the table."""
        actor.subscribers += [self.audience.publish, self.engines.publish]
        actor.subscribers += [clock.publish for clock in self.clocks]
        if isinstance(engines.lease, NoLease):  # else others may be here by way of another process
            actor.here = lambda: self.audience.people

    @property
    def room(self) -> Room:
        """The room as it is on disk."""
        return self.actor.room

    @property
    def idle(self) -> bool:
        """Whether nobody would miss the room in memory."""
        return not (len(self.audience) or self.actor.busy or self.engines.busy)

    def join(self, watcher: Watcher, visitor: Visitor, known: int | None = None) -> None:
        """Lets somebody watch. The computer players wake up, if it is their turn."""
        if watcher not in self._visitors:
            self._visitors[watcher] = visitor
            self.attendance.come(visitor)
            self.on_visit(visitor.person)
        self.audience.join(watcher, known)
        self.engines.look()

    def leave(self, watcher: Watcher) -> None:
        """Somebody watches no more."""
        self.audience.leave(watcher)
        if (visitor := self._visitors.pop(watcher, None)) is not None:
            self.attendance.go(visitor)
        self.touched = self._clock.monotonic()

    def visit(self, visitor: Visitor) -> None:
        """Somebody has asked something, and may wait for what happens."""
        self.attendance.see(visitor)
        self.on_visit(visitor.person)
        self.engines.look()

    def wake(self) -> None:
        """Looks what there is to do, when the room comes into memory."""
        self.engines.look()
        for clock in self.clocks:
            clock.look(self.room)

    def stop(self) -> None:
        """Stops clocks and engines of this room."""
        self.engines.stop()
        for clock in self.clocks:
            clock.stop()


CODE_LETTERS = "ABCDEFGHJKMNPQRSTUVWXYZ"
"""Letters that are not taken for one another, nor for digits."""
CODE_LENGTH = 6
"""Letters of a code."""
CODE_TRIES = 8
"""How often a code is drawn until there is one that no room has."""


def room_code() -> str:
    """The id of a crowd's room: short enough to be read from a wall and typed."""
    return "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))


def _new_id(setup: m.NewRoom) -> str:
    return room_code() if setup.crowd else secrets.token_urlsafe(9)


class Hub:
    """All rooms that are open in this process."""

    def __init__(
        self,
        store: Store,
        pool: EnginePool,
        bus: Bus | None = None,
        pause: float = 0.6,
        engine_time: ThinkingTime | None = None,
        clock: Clock | None = None,
    ) -> None:
        self.store = store
        self.bus = bus
        self.clock = clock or Clock()
        time = engine_time or unlimited_thinking()
        self.engines = EngineHouse(pool, self.clock, bus or NoLease(), time, pause, self.keep)
        if pool is not None:
            pool.spent = time.charge
        self.resources = Resources(
            {id: players_of(game) for id, game in GAMES.items()}, reserved=reserved(player_names())
        )
        self.closing = False
        self.rooms: dict[str, OpenRoom] = {}
        self.moves = 0
        self.ended: list[Callable[[], Awaitable[None]]] = []
        """What is to be done whenever a game has ended."""
        self.subscribers: list[Subscriber] = []
        """Who hears of everything that happens in any room."""
        self.visited: Callable[[OpenRoom, str], None] = lambda opened, person: None
        """Hears of each person who comes to a table."""
        self._loading: dict[str, asyncio.Task[OpenRoom | None]] = {}
        self._outdated: set[str] = set()
        """The rooms that were dropped while they were being loaded: their logs are read again."""
        self._finishing: set[RoomActor] = set()
        """The actors of dropped rooms that still write what they had taken before."""
        self._tasks: set[asyncio.Task[Any]] = set()

    def keep(self, work: Coroutine[Any, Any, None]) -> "asyncio.Task[None]":
        """Starts a task and holds on to it."""
        task = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def create(
        self, setup: m.NewRoom, person: str, id: str | None = None, command: str | None = None
    ) -> OpenRoom:
        """Opens a new room; if it has been opened already, by the same command, that one."""
        if id is None:
            for _ in range(CODE_TRIES - 1):
                with contextlib.suppress(Conflict):
                    return await self._create(_new_id(setup), setup, person, command)
            return await self._create(_new_id(setup), setup, person, command)
        try:
            return await self._create(id, setup, person, command)
        except Conflict:
            # Somebody was quicker, or it was written and the answer was lost.
            if (found := await self.get(id)) is None or found.room.host != person:
                raise
            return found

    async def _create(self, id: str, setup: m.NewRoom, person: str, command: str | None) -> OpenRoom:
        transition = Room.create(id, setup, person, self.clock.time(), self.resources, command)
        actor = await RoomActor.create(transition, self.store, self.clock)
        opened = self._open(actor)
        self._count(transition.entries)
        opened.wake()
        return opened

    async def get(self, id: str) -> OpenRoom | None:
        """A room, from memory or from the database."""
        if (opened := self.rooms.get(id)) is None:
            if id not in self._loading:
                self._loading[id] = asyncio.create_task(self._load(id))
                self._loading[id].add_done_callback(lambda _: self._loaded(id))
            # Several wait for the same room: that one of them goes away is nothing to the others.
            opened = await asyncio.shield(self._loading[id])
        if opened is not None:
            opened.touched = self.clock.monotonic()
            if self.bus is not None:
                if await opened.actor.is_behind():  # what another process did not live to announce
                    await opened.actor.catch_up()
                if self.rooms.get(id) is not opened:
                    return await self.get(id)  # it was dropped meanwhile
        return opened

    async def _load(self, id: str) -> OpenRoom | None:
        while True:
            self._outdated.discard(id)
            # Before the log is read: what is rewritten meanwhile has another number, and is read again.
            rewritten = 0 if self.bus is None else sum(head.rewritten for head in await self.store.heads([id]))
            entries = await self.store.read_log(id)
            if not entries:
                return None
            if len(entries) > MAX_ENTRIES_ON_LOOP:
                room = await asyncio.to_thread(Room.replay, id, entries, self.resources)
            else:
                room = Room.replay(id, entries, self.resources)
            if id not in self._outdated:
                break
        opened = self._open(RoomActor(room, self.store, self.clock, entries))
        opened.rewritten = rewritten
        opened.wake()
        return opened

    def _loaded(self, id: str) -> None:
        self._loading.pop(id, None)
        self._outdated.discard(id)

    def _open(self, actor: RoomActor) -> OpenRoom:
        opened = self.rooms[actor.room.id] = OpenRoom(actor, self.engines)
        actor.subscribers += [self._publish, *self.subscribers]
        opened.on_visit = lambda person: self.visited(opened, person)
        actor.on_failure = lambda: self.drop(actor.room.id)
        if self.closing:
            opened.stop()
        return opened

    def _publish(self, publication: Publication) -> None:
        """Counts, tells the other processes, and starts what is to be done when a game has ended."""
        if not publication.written_here:
            return
        room = publication.room
        self._count(publication.entries)
        if self.bus is not None:
            self.bus.announce(room.id, room.version)
        if len(room.results) > len(publication.before.results):
            for work in self.ended:
                self.keep(_run(work))

    def _count(self, entries: Iterable[Entry]) -> None:
        self.moves += sum(isinstance(entry.event, Moved) for entry in entries)

    async def reload_everywhere(self, room: str) -> None:
        """A room's log was rewritten: nobody may go on with what is in memory.

        When this returns, what this process was still writing of it is on disk.
        """
        self.drop(room)
        if self.bus is not None:
            self.bus.announce(room, REWRITTEN)
        await asyncio.gather(*(actor.finish() for actor in self._finishing if actor.room.id == room))

    async def changed_elsewhere(self, room: str, version: int) -> None:
        """Another process has written to a room."""
        if version == REWRITTEN:
            self.drop(room)
        elif (opened := self.rooms.get(room)) is not None and version > opened.room.version:
            self.keep(self._catch_up(opened.actor))

    async def look_at_rooms(self, everywhere: bool = False) -> None:
        """Looks whether other processes have written to the rooms that somebody watches, or to all that are open.

        What they announce may be lost, with Redis or with the process that was about to say it.
        """
        ids = [id for id, opened in self.rooms.items() if everywhere or len(opened.audience)]
        for head in await self.store.heads(ids):
            if (opened := self.rooms.get(head.room)) is None:
                continue
            if head.rewritten != opened.rewritten:
                self.drop(head.room)
            elif head.version > opened.room.version:
                self.keep(self._catch_up(opened.actor))

    async def _catch_up(self, actor: RoomActor) -> None:
        try:
            await actor.catch_up()
        except Exception as error:
            # The next look finds it.
            log.warning("what another process wrote cannot be read now", exc_info=None if is_away(error) else error)

    def drop(self, id: str) -> None:
        """Drops a room from memory; whoever watches it comes back to what the database has."""
        if id in self._loading:
            self._outdated.add(id)
        if (opened := self.rooms.pop(id, None)) is not None:
            opened.actor.close()
            opened.stop()
            opened.audience.dismiss("changed", 0.5)
            if opened.actor.busy:
                self._finishing.add(opened.actor)
                self.keep(self._catch_up_after(opened.actor))

    async def _catch_up_after(self, dropped: RoomActor) -> None:
        """What a dropped room was still writing is told to who has opened it again."""
        try:
            await dropped.finish()
        finally:
            self._finishing.discard(dropped)
        if (opened := self.rooms.get(dropped.room.id)) is not None:
            await opened.actor.catch_up()

    def evict_idle(self, idle_for: float) -> int:
        """Drops rooms from memory that nobody has touched for so many seconds; returns how many."""
        limit = self.clock.monotonic() - idle_for
        old = [id for id, opened in self.rooms.items() if opened.touched < limit and opened.idle]
        for id in old:
            opened = self.rooms.pop(id)
            opened.actor.close()
            opened.stop()
        return len(old)

    async def close(self, retry_after: float = 1.0) -> None:
        """Tells everybody to come back later, and finishes what is being written."""
        self.closing = True
        for opened in self.rooms.values():
            opened.stop()
            opened.audience.dismiss("restart", retry_after)
        writing = [opened.actor.finish() for opened in self.rooms.values() if opened.actor.busy]
        if writing:
            with contextlib.suppress(TimeoutError):
                await asyncio.wait_for(asyncio.gather(*writing), 10)

    async def finish(self) -> None:
        """Waits for what goes on in the background, once nobody thinks any more."""
        if self._tasks:
            await asyncio.wait(self._tasks, timeout=5)
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)


async def _run(work: Callable[[], Awaitable[None]]) -> None:
    try:
        await work()
    except Exception as error:
        # The next game that ends does it for this one, too.
        log.warning("a game's end was not followed up", exc_info=None if is_away(error) else error)
