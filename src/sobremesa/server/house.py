"""Everything that a running server holds: the database, the hub, people's tokens, the clocks in the background."""

import asyncio
import contextlib
import logging
import secrets
import time
from collections.abc import AsyncIterator, Callable
from functools import cache
from typing import TYPE_CHECKING

from sobremesa.core.errors import IllegalMove, InvalidMove, SobremesaError
from sobremesa.core.language import Language
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import LeaveAll
from sobremesa.rooms.errors import Overloaded, Reason, Refusal
from sobremesa.rooms.finding import find
from sobremesa.server.attendance import Visitor
from sobremesa.server.clock import Clock
from sobremesa.server.database import is_away
from sobremesa.server.devices import Devices
from sobremesa.server.engine_pool import EnginePool, TooBusy
from sobremesa.server.guestbook import Guestbook
from sobremesa.server.hub import CODE_LENGTH, CODE_LETTERS, CODE_TRIES, Hub, OpenRoom
from sobremesa.server.limits import ConnectionLimits, ThinkingTime, TokenBuckets
from sobremesa.server.metrics import Metrics
from sobremesa.server.migrate import migrate
from sobremesa.server.notifier import Notifier
from sobremesa.server.parts import Service, part_of
from sobremesa.server.people import PersonTokens
from sobremesa.server.presence import PRESENCE_SECONDS, Presence
from sobremesa.server.public_seats import PublicSeats, Taking
from sobremesa.server.rating import rate_games
from sobremesa.server.settings import Settings
from sobremesa.server.storage import Store, forget_person, is_room_id
from sobremesa.server.study import Study
from sobremesa.server.web_push import PushServices

if TYPE_CHECKING:
    from sobremesa.server.bus import RedisBus

log = logging.getLogger("sobremesa.house")
PROBE_EVERY = 0.05
"""Seconds between two looks at how late the event loop is."""
LOOK_EVERY = 3.0
"""Seconds between two looks at what other processes may have written without our hearing of it."""
EMPTY_FOR = 86_400.0
"""Seconds after which a room is removed in which nobody ever took a seat."""
UNPLAYED_FOR = 30 * 86_400.0
"""Seconds after which a room is removed in which people took seats, and nobody ever made a move."""
READY_FOR = 2.0
"""Seconds for which the answer to "are you ready?" is not looked for again."""
CHECK_WITHIN = 3.0
"""Seconds that the database may take to show that it can be written."""


def _bus(url: str) -> "RedisBus":
    from sobremesa.server.bus import RedisBus  # a quarter of a second of everybody's start, for the few that need it

    return RedisBus(url)


class House:
    """Opens, works, and closes."""

    def __init__(self, settings: Settings, clock: Clock | None = None) -> None:
        self.settings = settings
        self.clock = clock or Clock()
        self.store = Store(settings.database)
        self.pool = EnginePool(settings.workers)
        self.bus = _bus(settings.redis) if settings.redis else None
        limits = settings.limits

        def buckets(per_second: float, burst: int) -> TokenBuckets:
            return TokenBuckets(per_second, burst, self.clock.monotonic)

        engine_time = ThinkingTime(
            network=buckets(limits.thinking_of_network, limits.thinking_of_network_burst),
            person=buckets(limits.thinking, limits.thinking_burst),
            room=buckets(limits.thinking, limits.thinking_burst),
        )
        self.hub = Hub(self.store, self.pool, self.bus, settings.pause, engine_time, self.clock)
        self.study = Study(self.hub)
        self.guestbook = Guestbook(self.store, self.clock)
        self.parts: dict[str, Service] = {id: part_of(game).make(self) for id, game in GAMES.items() if game.server}
        self.requests = buckets(limits.requests, limits.requests_burst)
        self.new_rooms = buckets(limits.rooms_of_network_an_hour / 3600, limits.rooms_of_network_an_hour)
        seats = buckets(limits.public_seats_of_network, limits.public_seats_of_network_burst)
        self.public_seats = PublicSeats(self.store, self.clock, seats)
        self.commands = buckets(limits.commands, limits.commands_burst)
        self.connections = ConnectionLimits(limits.sockets, limits.sockets_of_network)
        self.presence = Presence(self.clock, min(PRESENCE_SECONDS, settings.away_for))
        self.devices = Devices(self.store, self.clock, limits.devices)
        self.push_services = PushServices(settings.push_services)
        self.new_devices = buckets(limits.new_devices_an_hour / 3600, limits.new_devices_an_hour)
        self.notifier = Notifier(
            self.store,
            self.hub,
            self.devices,
            self.presence,
            self.push_services,
            language,
            away_for=settings.away_for,
            # Services want to know whom to ask about a sender; some refuse those that do not say.
            contact=f"https://{settings.hosts[0] if settings.hosts else 'localhost'}",
            budget=buckets(limits.pushes_an_hour / 3600, limits.pushes_an_hour),
        )
        self.metrics = Metrics(self)
        self.tokens: PersonTokens
        self._tasks: list[asyncio.Task[None]] = []
        self._rating = asyncio.Lock()
        self._expired = {False: 0.0, True: 0.0}
        """Up to when rooms were looked at, by whether somebody took a seat."""
        self._checking = asyncio.Lock()
        self._checked_at = -READY_FOR
        self._unwell: tuple[str, ...] = ()

    async def open(self) -> None:
        """Gets ready."""
        if await migrate(self.store.engine) is None:
            log.info("a new house: nobody is known here yet")
        self.store.hold_on_to_file()
        self.tokens = PersonTokens(await self.store.key("guestbook", secrets.token_bytes(32)))
        self.hub.ended.append(self._rate)
        self.hub.subscribers.append(self.notifier.publish)
        self.hub.visited = self.notifier.visited
        self._tasks.append(asyncio.create_task(self.notifier.run()))
        self._tasks += [asyncio.create_task(self._tidy()), asyncio.create_task(self._probe())]
        if self.bus is not None:
            await self.bus.open(self.hub.changed_elsewhere, self._look_everywhere)
            self._tasks.append(asyncio.create_task(self._look_around()))
        await self._rate()

    async def close(self) -> None:
        """Finishes what was begun."""
        await self.hub.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.bus is not None:
            await self.bus.close()
        await self.pool.close()
        await self.hub.finish()
        await self.store.close()

    async def _rate(self) -> None:
        async with self._rating:
            await rate_games(self.store)

    async def _probe(self) -> None:
        """Measures how long the event loop is held, by being due every now and then."""
        while True:
            due = time.perf_counter() + PROBE_EVERY
            await asyncio.sleep(PROBE_EVERY)
            self.metrics.loop_lag(max(0.0, time.perf_counter() - due))

    async def _look_everywhere(self) -> None:
        """We hear the others again: what they said before is found in the database."""
        with contextlib.suppress(Exception):  # if it cannot be read now, the next look will find it
            await self.hub.look_at_rooms(everywhere=True)

    async def _look_around(self) -> None:
        while True:
            await self.clock.sleep(LOOK_EVERY)
            try:
                await self.hub.look_at_rooms()
            except Exception as error:
                log.warning("the database cannot be read (%s)", type(error).__name__)

    async def unwell(self) -> tuple[str, ...]:
        """What is not as it should be, of the database, the disk, Redis, and the listener to the other processes."""
        if self.hub.closing:
            return ("closing",)
        async with self._checking:
            if self.clock.monotonic() - self._checked_at >= READY_FOR:
                self._unwell = tuple([name async for name in self._find_unwell()])
                self._checked_at = self.clock.monotonic()
        return self._unwell

    async def _find_unwell(self) -> AsyncIterator[str]:
        self.clock.compare()
        try:
            async with asyncio.timeout(CHECK_WITHIN):
                await self.store.check_writing()
        except Exception as error:
            log.warning("the database cannot be written (%s)", type(error).__name__)
            yield "database"
        if not self.store.check_space():
            yield "disk"
        if self.bus is not None:
            if not await self.bus.check():
                yield "redis"
            if not self.bus.listening:
                yield "listener"

    async def _tidy(self) -> None:
        while True:
            await self.clock.sleep(min(30, self.settings.idle))
            self.clock.compare()
            self.hub.evict_idle(self.settings.idle)
            for id, service in self.parts.items():
                try:
                    await service.tidy()
                except Exception as error:
                    log.warning("%s: its service failed", id, exc_info=None if is_away(error) else error)
            with contextlib.suppress(Exception):
                await self.expire_rooms()

    async def expire_rooms(self) -> int:
        """Removes some of the rooms that nobody ever played in; how many."""
        removed = 0
        for seated, age in ((False, EMPTY_FOR), (True, UNPLAYED_FOR)):
            before = self.clock.time() - age
            self._expired[seated], count = await self.store.expire(
                self._expired[seated], before, seated=seated, spare=self.hub.rooms
            )
            removed += count
        if removed:
            log.info("removed %d rooms that nobody played in", removed)
        return removed

    async def open_room(self, setup: m.NewRoom, person: str, network: str, command: str | None = None) -> OpenRoom:
        """A new room, if neither the person nor their network has opened too many, and there is space for one.

        With an idempotency key the room's id follows from it: who asks twice gets the same room.
        """
        limits = self.settings.limits
        id = None
        for attempt in range(CODE_TRIES if command is not None else 0):
            id = self.tokens.room_id(person, f"{command}", attempt, CODE_LETTERS * setup.crowd, CODE_LENGTH)
            if (there := await self.hub.get(id)) is None:
                break
            if there.room.host == person:
                return there
            id = None  # somebody else's
        if len(self.hub.rooms) >= limits.open_rooms and not self.hub.evict_idle(0):
            raise Overloaded("busy", "server.error.there-are-too-many-tables-now", retry_after=30)
        if await self.store.count_rooms(
            person, self.clock.time() - 3600
        ) >= limits.rooms_an_hour or not self.new_rooms.allows(network):
            raise Refusal("busy", "server.error.you-have-opened-many-rooms", retry_after=60)
        taking = await self.public_seats.check_room(setup, Visitor(person, network))
        try:
            return await self.hub.create(setup, person, id, command)
        finally:
            self.public_seats.written(person, taking)

    async def room(self, id: str) -> OpenRoom:
        """The room with this id."""
        opened = await self.hub.get(id) if is_room_id(id) else None
        if opened is None:
            raise Refusal("unknown", "server.error.there-is-no-such-room")
        return opened

    async def visit(self, id: str, person: str, network: str) -> OpenRoom:
        """The room with this id, for somebody who is there by that."""
        opened = await self.room(id)
        self.presence.see(person)
        opened.visit(Visitor(person, network))
        return opened

    async def forget(self, person: str) -> None:
        """Removes everything of a person: they leave their seats, then their name and traces are taken out.

        Twice: what they did meanwhile, and was on its way to the disk, has come there in the end.
        """
        await self._forget(person)
        await self._forget(person)

    async def _forget(self, person: str) -> None:
        rooms = [str(row["id"]) for row in await self.store.rooms_of(person, limit=100_000)]
        for id in rooms:
            await self._leave(id, person)
        for service in self.parts.values():
            await service.forget(person)
        rewritten = await forget_person(self.store, person)
        await self.guestbook.end_all(person)
        self.devices.forget(person)
        for id in rewritten.union(rooms):
            await self.hub.reload_everywhere(id)

    async def _leave(self, id: str, person: str) -> None:
        """Has somebody who is being forgotten leave their seats in a room.

        Where nobody can do anything any more, because its game was removed or its log cannot be replayed, they are
        forgotten without that.
        """
        try:
            opened = await self.room(id)
        except Exception as error:
            if is_away(error):
                raise
            why = type(error).__name__
            log.warning("somebody is forgotten in a room that cannot be opened (%s)", why, extra={"room": id})
            return
        if opened.room.seats_of(person):
            try:
                await opened.actor.do(LeaveAll(), person)
            except Refusal as error:
                # Else they have left by themselves meanwhile, or the game itself breaks.
                if error.reason not in (Reason.STALE, Reason.BROKEN):
                    raise

    def check_rate(self, person: str) -> None:
        """Raises if a person sends commands too fast."""
        if not self.commands.allows(person):
            raise Refusal("busy", "server.error.slow-down-a-little", retry_after=1)

    async def check_command(self, opened: OpenRoom, command: m.RoomCommand, visitor: Visitor) -> Taking | None:
        """Raises if a command would take a public seat too many; one that was done is only answered again."""
        if opened.actor.has_done(command, visitor.person):
            return None
        return await self.public_seats.check_command(opened.room, command, visitor)

    async def do(self, opened: OpenRoom, command: m.AnyCommand, visitor: Visitor, language: str) -> m.Answer:
        """Does a command in a room, or answers a question, within the person's limits."""
        if isinstance(command, m.Question):
            return await self.answer(opened, command, visitor, language)
        self.check_rate(visitor.person)
        taking = await self.check_command(opened, command, visitor)
        try:
            return m.Accepted(id=command.id, version=await opened.actor.do(command, visitor.person))
        finally:
            self.public_seats.written(visitor.person, taking)

    async def answer(self, opened: OpenRoom, question: m.Question, visitor: Visitor, language: str) -> m.Answer:
        """Answers what changes nothing; what makes a computer work, within the person's limits."""
        person = visitor.person
        if not isinstance(question, m.Check):
            self.check_rate(person)
        match question:
            case m.Check():
                seat, move = question.seat, question.move
                return checked(question.id, language, lambda: opened.room.check_move(seat, move, person))
            case m.AskHint():
                return await self.study.hint(opened, question, visitor)
            case m.Hurry():
                if not opened.room.seats_of(person):
                    raise Refusal("forbidden", "server.error.only-people-at-the-table-can-hurry-a-computer")
                opened.engines.hurry()
                return m.Accepted(id=question.id, version=opened.room.version)
            case m.Find():
                return find(opened.room, question, person, opened.audience.people)


def checked(id: str, language: str, attempt: Callable[[], m.After | None]) -> m.Checked:
    """Whether the rules let an attempt through; anything else that is wrong with it is an error as ever."""
    try:
        after = attempt()
    except (IllegalMove, InvalidMove) as error:
        why = refused(error, language)
        return m.Checked(id=id, legal=False, text=why.text, rule=why.rule)
    return m.Checked(id=id, legal=True, text=None, rule=None, after=after)


@cache
def language(code: str) -> Language:
    """A language with all sentences that the server says."""
    return Language(code)


def explained(error: Exception) -> SobremesaError:
    """An error that a client may be told of, in place of one that it may not."""
    if isinstance(error, SobremesaError):
        return error
    if isinstance(error, TooBusy):
        return Overloaded("busy", "server.error.all-computer-players-are-busy", retry_after=2)
    if is_away(error):
        log.warning("the database is away (%s)", type(error).__name__)
        return Overloaded("busy", "server.error.the-database-is-away", retry_after=2)
    log.error("an unexpected error was told to a client", exc_info=error)
    return Refusal("broken", "server.error.something-went-wrong-here")


def refused(error: Exception, code: str, id: str | None = None, version: int | None = None) -> m.Refused:
    """What a client hears of an error: never more than a sentence in its language."""
    error = explained(error)
    reason, rule, retry_after = Reason.MALFORMED, None, None
    if isinstance(error, Refusal):
        reason, retry_after = error.reason, error.retry_after
    elif isinstance(error, IllegalMove):
        reason, rule = Reason.ILLEGAL, error.rule
    # What a client sent may be quoted in it; half a surrogate pair could not be sent back.
    text = language(code).explain(error)[:500].encode("utf-8", "replace").decode()
    return m.Refused(id=id, reason=reason, text=text, rule=rule, version=version, retry_after=retry_after)
