"""Tells people on their devices what waits for them at a table, if they look at none for a while.

What is to be told is written down (``pushes``) with the time when it is due, so that it outlives the process; when it
is due, of several processes the one that claims the row tells it, once: a message may be lost, and is never doubled.
What is told is made then, from what is so then. Nothing is ever told of what lies on the table.
"""

import asyncio
import hashlib
import json
import logging
import math
from collections import Counter
from collections.abc import Callable
from typing import Any

from sqlalchemy import delete, select, update

from sobremesa.core.language import Language
from sobremesa.rooms.notices import Notice, deciding_people, is_news, is_slow, notices, still_holds, warning_at
from sobremesa.rooms.room import Room
from sobremesa.server.actor import Publication
from sobremesa.server.clock import Clock
from sobremesa.server.database import is_away, pushes
from sobremesa.server.devices import Devices
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.limits import TokenBuckets
from sobremesa.server.presence import Presence
from sobremesa.server.storage import Store
from sobremesa.server.web_push import Outcome, PushServices, Subscription, VapidKey, encrypt

log = logging.getLogger("sobremesa.notifier")

LOOK_EVERY = 5.0
"""Seconds between two looks at what is due."""
SEEN_EVERY = 20.0
"""Seconds between two notes of who looks now."""
MAX_AT_ONCE = 50
"""Messages that one look sends."""
RETRY_AFTER = 120.0
MAX_TRIES = 4
"""How often a message is sent again that no service could take, and after how many seconds at least."""
KEEP_FOR = 86_400.0
"""Seconds for which a push service keeps a message for a device that is off."""
NEWS = "news"
TIME = "time"
"""The topics of a room: what happened last, and that time runs out."""
MAX_NAMES = 3
"""Names that a message tells."""


class Notifier:
    """Hears of all that happens in rooms, and sends."""

    def __init__(
        self,
        store: Store,
        hub: Hub,
        devices: Devices,
        presence: Presence,
        services: PushServices,
        speak: Callable[[str], Language],
        *,
        away_for: float,
        contact: str,
        budget: TokenBuckets,
    ) -> None:
        self._store = store
        self._hub = hub
        self._devices = devices
        self._presence = presence
        self._services = services
        self._speak = speak
        self._away_for = away_for
        self._contact = contact
        self._budget = budget
        self._key: VapidKey | None = None
        self._noted_at = -math.inf
        self._waiting: dict[tuple[str, str], Notice] = {}
        """By room and person: what is written down once the person looks away."""
        self.sent: Counter[str] = Counter()
        """How many messages had which outcome."""

    @property
    def _clock(self) -> Clock:
        return self._hub.clock

    async def key(self) -> VapidKey:
        """The key of this house."""
        if self._key is None:
            self._key = VapidKey(await self._store.key("vapid", VapidKey.new_secret()))
        return self._key

    def publish(self, publication: Publication) -> None:
        """Something has happened in a room: subscribes to an actor."""
        if publication.written_here and is_slow(publication.room):
            found = notices(publication.before, publication.room, publication.entries)
            if found or publication.room.since > publication.before.version:
                self._hub.keep(self._note(publication.room, found))

    def visited(self, opened: OpenRoom, person: str) -> None:
        """Somebody has come to a table: what happened there they see by themselves."""
        if is_slow(opened.room):
            self._hub.keep(self._seen(opened.room.id, person))

    async def run(self) -> None:
        """Looks now and then, for ever."""
        while True:
            await self._clock.sleep(min(LOOK_EVERY, self._away_for))
            try:
                await self.look()
            except Exception as error:
                log.warning("nobody could be told", exc_info=None if is_away(error) else error)

    async def look(self) -> None:
        """Notes who is here, and tells what is due."""
        here = self._presence.everybody()
        if here and self._clock.monotonic() - self._noted_at >= min(SEEN_EVERY, self._away_for / 2):
            self._noted_at = self._clock.monotonic()
            await self._devices.note_seen(here)
        for (room, person), notice in list(self._waiting.items()):
            if person not in self._presence:
                del self._waiting[room, person]
                await self._write(room, notice)
        due = pushes.c.due_at <= self._clock.time()
        async with self._store.reading() as connection:
            query = select(pushes).where(due).order_by(pushes.c.due_at).limit(MAX_AT_ONCE)
            rows = (await connection.execute(query)).all()
        await asyncio.gather(*(self._tell(row) for row in rows))

    async def try_out(self, person: str, endpoint: str) -> Outcome:
        """Sends a message to one device of a person, for them to see that it comes."""
        for device in await self._devices.of(person):
            if device.endpoint == endpoint and self._budget.allows(person):
                language = self._speak(device.language)
                message = {
                    "title": "Sobremesa",
                    "body": language.say("server.messages-arrive-here"),
                    "path": "/settings",
                    "tag": "try",
                    "language": device.language,
                }
                return await self._send(device, message, 600)
        return Outcome("refused")

    # -- what is to be told ---------------------------------------------------------------------------------------

    async def _note(self, room: Room, found: list[Notice]) -> None:
        try:
            for notice in found:
                if not await self._devices.has_any(notice.person):
                    continue
                if notice.person in self._presence:
                    # Who looks at this very table sees it; who looks elsewhere, or has to decide, may look away.
                    opened = self._hub.rooms.get(room.id)
                    there = opened is not None and any(who.person == notice.person for who in opened.attendance)
                    if not there or notice.kind in ("turn", "offer"):
                        self._waiting[room.id, notice.person] = notice
                else:
                    await self._write(room.id, notice, room)
            if (at := warning_at(room)) is not None:
                for person in deciding_people(room):
                    if await self._devices.has_any(person):
                        await self._put(room.id, TIME, Notice(person, "turn", room.since), at)
        except Exception as error:
            log.warning("a message could not be noted", exc_info=None if is_away(error) else error)

    async def _write(self, id: str, notice: Notice, room: Room | None = None) -> None:
        """Writes down what is to be told, unless it is no news."""
        if room is None:
            if (opened := await self._hub.get(id)) is None:
                return
            room = opened.room
        if not still_holds(room, notice):
            return
        mine = (pushes.c.room == id) & (pushes.c.person == notice.person) & (pushes.c.topic == NEWS)
        async with self._store.reading() as connection:
            old = (await connection.execute(select(pushes).where(mine))).one_or_none()
        if old is None or is_news(room, Notice(old.person, old.kind, old.version), notice):
            await self._put(id, NEWS, notice, self._clock.time() + self._away_for)

    async def _put(self, room: str, topic: str, notice: Notice, due_at: float) -> None:
        row: dict[str, Any] = {"room": room, "person": notice.person, "topic": topic, "kind": notice.kind}
        row |= {"version": notice.version, "due_at": due_at, "tries": 0}
        await self._store.put(pushes, ["room", "person", "topic"], row)

    async def _seen(self, room: str, person: str) -> None:
        waiting = self._waiting.get((room, person))
        if waiting is not None and waiting.kind not in ("turn", "offer"):
            del self._waiting[room, person]
        try:
            if await self._devices.has_any(person):
                mine = (pushes.c.room == room) & (pushes.c.person == person) & (pushes.c.topic == NEWS)
                async with self._store.writing() as connection:
                    await connection.execute(delete(pushes).where(mine, pushes.c.kind.not_in(["turn", "offer"])))
        except Exception as error:
            log.warning("what somebody has seen could not be noted", exc_info=None if is_away(error) else error)

    # -- telling it -----------------------------------------------------------------------------------------------

    async def _tell(self, row: Any) -> None:
        """Tells what is due, if it is so, its person is away, and no other process does it."""
        devices = await self._devices.of(row.person)
        last = max((device.seen_at for device in devices), default=0.0)
        notice = Notice(row.person, row.kind, row.version)
        opened = await self._hub.get(row.room) if devices else None
        if opened is None or not still_holds(opened.room, notice):
            await self._claim(row, None)
            return
        now = self._clock.time()
        if row.person in self._presence or last > now - self._away_for:
            await self._claim(row, max(now, last) + self._away_for)
            return
        if not await self._claim(row, None):
            return
        if not self._budget.allows(row.person):
            self.sent["withheld"] += 1
            return
        keep_for = KEEP_FOR
        if (deadline := opened.room.deadline) is not None and row.kind == "turn":
            keep_for = min(keep_for, max(60.0, deadline - now))
        outcomes = [
            await self._send(
                device, message_for(opened.room, notice, row.topic, self._speak(device.language), now), keep_for
            )
            for device in devices
        ]
        if outcomes and all(outcome.kind == "later" for outcome in outcomes) and row.tries < MAX_TRIES:
            wait = max(RETRY_AFTER * 2**row.tries, *(outcome.retry_after for outcome in outcomes))
            mine = _key(row) & (pushes.c.version == row.version) & pushes.c.due_at.is_(None)
            async with self._store.writing() as connection:
                again = update(pushes).where(mine).values(due_at=self._clock.time() + wait, tries=row.tries + 1)
                await connection.execute(again)

    async def _claim(self, row: Any, due_at: float | None) -> bool:
        """Puts a message off, or takes it upon this process; says whether it was still there."""
        async with self._store.writing() as connection:
            mine = _key(row) & (pushes.c.due_at == row.due_at) & (pushes.c.version == row.version)
            done = await connection.execute(update(pushes).where(mine).values(due_at=due_at))
            return done.rowcount > 0

    async def _send(self, device: Any, message: dict[str, str], keep_for: float) -> Outcome:
        key = await self.key()
        to = Subscription(device.endpoint, device.p256dh, device.auth)
        headers = {
            "Authorization": key.authorization(to.endpoint, self._contact, self._clock.time()),
            "Content-Encoding": "aes128gcm",
            "Content-Type": "application/octet-stream",
            "TTL": str(int(keep_for)),
            "Urgency": "normal",
            # Of two messages about one table that wait for a device, the newer one comes; which table is not said.
            "Topic": hashlib.sha256(f"{to.auth} {message['tag']}".encode()).hexdigest()[:32],
        }
        body = encrypt(json.dumps(message, ensure_ascii=False).encode(), to)
        outcome = await self._services.post(to.endpoint, headers, body)
        self.sent[outcome.kind] += 1
        if outcome.kind == "sent":
            if device.failures:
                await self._devices.note_sent(device.id)
        else:
            if outcome.kind == "refused":
                log.warning("a push service refused a message with status %d", outcome.status)
            await self._devices.note_failure(device.id, gone=outcome.kind == "gone")
        return outcome


def _key(row: Any) -> Any:
    return (pushes.c.room == row.room) & (pushes.c.person == row.person) & (pushes.c.topic == row.topic)


def message_for(room: Room, notice: Notice, topic: str, language: Language, now: float) -> dict[str, str]:
    """What a device shows: which game, with whom, and what waits. Of the table itself there is nothing in it."""
    names = {chair.name: None for chair in room.seating if chair.kind == "person" and chair.person != notice.person}
    others = ", ".join(_name(name, language) for name in list(names)[:MAX_NAMES])
    table = language.say("server.game-with-names", game=room.game.name, names=others) if others else room.game.name
    title, body = _sentences(room, notice, topic, language, now, table)
    tag = room.id
    return {"title": title, "body": body, "path": f"/r/{room.id}", "tag": tag, "language": language.code}


def _sentences(room: Room, notice: Notice, topic: str, language: Language, now: float, table: str) -> tuple[str, str]:
    speaker = next((line for line in reversed(room.talk) if line.version == notice.version), None)
    name = _name(getattr(speaker, "name", "") or "", language)
    match notice.kind:
        case "turn" if topic == TIME:
            left = _time(max(0.0, (room.deadline or now) - now), language)
            return language.say("server.your-time-runs-out"), language.say(
                "server.table-time-left", table=table, time=left
            )
        case "turn":
            return language.say("server.it-is-your-turn"), table
        case "offer":
            assert room.offer is not None
            name = _name(room.seating[room.offer.seat].name, language)
            match room.offer.what:
                case "again":
                    return language.say("server.would-like-to-play-again", name=name), table
                case "takeback":
                    return language.say("server.would-like-to-take-a-move", name=name), table
                case _:
                    return language.say("server.would-like-to-stop-the-game", name=name), table
        case "over":
            return language.say("server.the-game-is-over"), table
        case "begun":
            return language.say("server.the-game-has-begun"), table
        case "seated":
            return language.say("server.sits-at-your-table", name=name), room.game.name
        case _:
            return language.say("server.has-written-to-you", name=name), table


def _name(name: str, language: Language) -> str:
    return name if name not in ("", "Guest", "Host") else language.say("server.somebody")


def _time(seconds: float, language: Language) -> str:
    hours = round(seconds / 3600)
    if hours >= 48:
        return language.say("server.count-days", count=round(hours / 24))
    if hours >= 2:
        return language.say("server.count-hours", count=hours)
    return language.say("server.count-minutes", count=max(1, round(seconds / 60)))
