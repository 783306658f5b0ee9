"""Everything that a running server holds: the database, the hub, the guest book, the clocks in the background."""

import asyncio
import contextlib
import logging
import secrets
import time
from functools import cache
from typing import TYPE_CHECKING

from sobremesa.core.errors import IllegalMove, SobremesaError
from sobremesa.core.language import Language
from sobremesa.games import SPEAKING
from sobremesa.server import messages as m
from sobremesa.server.daily import Daily
from sobremesa.server.hub import Hub, LiveRoom
from sobremesa.server.limits import Doors, Rate
from sobremesa.server.metrics import Metrics
from sobremesa.server.migrate import migrate
from sobremesa.server.people import Guestbook
from sobremesa.server.room import Draft, Refusal
from sobremesa.server.settings import Settings
from sobremesa.server.statistics import rate_games
from sobremesa.server.storage import Store, forget_person
from sobremesa.server.study import Study
from sobremesa.server.thinking import ThinkingRoom, TooBusy

if TYPE_CHECKING:
    from sobremesa.server.bus import RedisBus

log = logging.getLogger("sobremesa.house")
PACKAGES = (*SPEAKING, "sobremesa.table", "sobremesa.engines", "sobremesa.server")


def _bus(url: str) -> "RedisBus":
    from sobremesa.server.bus import RedisBus  # a quarter of a second of everybody's start, for the few that need it

    return RedisBus(url)


class House:
    """Opens, works, and closes."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.store = Store(settings.database)
        self.thinking = ThinkingRoom(settings.workers)
        self.bus = _bus(settings.redis) if settings.redis else None
        limits = settings.limits
        engine_time = Rate(limits.thinking, limits.thinking_burst)
        self.hub = Hub(self.store, self.thinking, self.bus, settings.pause, engine_time)
        self.daily = Daily(self.store, self.thinking)
        self.study = Study(self.hub)
        self.requests = Rate(limits.requests, limits.requests_burst)
        self.commands = Rate(limits.commands, limits.commands_burst)
        self.doors = Doors(limits.sockets, limits.sockets_of_address)
        self.metrics = Metrics(self)
        self.guestbook: Guestbook
        self._tasks: list[asyncio.Task[None]] = []
        self._rating = asyncio.Lock()

    async def open(self) -> None:
        """Gets ready."""
        await migrate(self.store.engine)
        self.guestbook = Guestbook(await self.store.key("guestbook", secrets.token_bytes(32)))
        self.hub.ended.append(self._rate)
        self._tasks.append(asyncio.create_task(self._tidy()))
        if self.bus is not None:
            await self.bus.open(self.hub.changed_elsewhere)
        await self._rate()

    async def close(self) -> None:
        """Finishes what was begun."""
        await self.hub.close()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        if self.bus is not None:
            await self.bus.close()
        await self.thinking.close()
        await self.hub.finish()
        await self.store.close()

    async def _rate(self) -> None:
        async with self._rating:
            await rate_games(self.store)

    async def _tidy(self) -> None:
        while True:
            await asyncio.sleep(min(30, self.settings.idle))
            self.hub.let_go(self.settings.idle)
            with contextlib.suppress(Exception):
                await self.daily.promise_ahead()

    async def open_room(self, setup: m.NewRoom, person: str) -> LiveRoom:
        """A new room, if the person has not opened too many."""
        limit = self.settings.limits.rooms_an_hour
        if await self.store.count_rooms(person, time.time() - 3600) >= limit:
            raise Refusal("busy", "you have opened many rooms: wait a while")
        return await self.hub.create(setup, person)

    async def room(self, id: str) -> LiveRoom:
        """The room with this id."""
        live = await self.hub.get(id) if len(id) <= 40 and id.isascii() and id.isprintable() else None
        if live is None:
            raise Refusal("unknown", "there is no such room")
        return live

    async def forget(self, person: str) -> None:
        """Removes everything of a person: they leave their seats, then their name and traces are taken out."""
        rooms = [str(row["id"]) for row in await self.store.rooms_of(person, limit=100_000)]
        for id in rooms:
            live = await self.room(id)
            await live.request(lambda room: [Draft("left", {"seat": seat}, person) for seat in room.seats_of(person)])
        await forget_person(self.store, person)
        for id in rooms:
            await self.hub.reload_everywhere(id)

    async def do(self, live: LiveRoom, command: m.AnyCommand, person: str) -> m.Accepted:
        """Does a command in a room, within the person's limits."""
        if not self.commands.allows(person):
            raise Refusal("busy", "slow down a little")
        return m.Accepted(id=command.id, version=await live.do(command, person))


@cache
def language(code: str) -> Language:
    """A language with all sentences that the server says."""
    return Language(code, PACKAGES)


def refused(error: Exception, code: str, id: str | None = None, version: int | None = None) -> m.Refused:
    """What a client hears of an error: never more than a sentence in its language."""
    if isinstance(error, TooBusy):
        error = Refusal("busy", "all computer players are busy: try again soon")
    if not isinstance(error, SobremesaError):
        log.error("an unexpected error was told to a client", exc_info=error)
        error = Refusal("broken", "something went wrong here; the room is unharmed")
    reason = (
        error.reason if isinstance(error, Refusal) else "illegal" if isinstance(error, IllegalMove) else "malformed"
    )
    rule = error.rule if isinstance(error, IllegalMove) else None
    # What a client sent may be quoted in it; half a surrogate pair could not be sent back.
    text = language(code).explain(error)[:500].encode("utf-8", "replace").decode()
    return m.Refused(id=id, reason=reason, text=text, rule=rule, version=version)
