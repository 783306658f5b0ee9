"""Several processes as one server: Redis tells them when a room has changed, and which one's engines play there.

Nothing depends on Redis but how soon others hear: what it loses is found in the database, at every subscription and
every few seconds. So nobody ever waits for it.
"""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable
from typing import Any

from redis.asyncio import Redis
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

log = logging.getLogger("sobremesa.bus")
CHANNEL = "sobremesa:changed"
LEASE_SECONDS = 5
"""Seconds for which one process's engines play in a room, after each move; then any other may."""
ANSWER_WITHIN = 0.2
"""Seconds that a command to Redis may take: nothing is held up longer by a Redis that hangs."""
HEARD_WITHIN = 2.0
"""Seconds after Redis is back within which everybody hears of what was missed: what follows is chosen for that."""
OPEN_FOR = 1.0
"""Seconds for which Redis is left alone after it has failed."""
PING_EVERY = 0.7
"""Seconds of silence after which the listener asks whether Redis is still there; it has as long to answer."""
RETRY_AFTER = 0.3
"""Seconds after which the listener tries again."""
MAX_PENDING = 10_000
"""Announcements that wait for Redis to come back; what is more is found in the database by the others."""
AWAY = (RedisError, OSError, TimeoutError)
"""What is raised when Redis does not do its part."""


class CircuitBreaker:
    """Spares everybody the waiting for something that has just failed: a circuit breaker."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._until = 0.0
        self.closed = True
        """Whether the last attempt went well."""

    def allows(self) -> bool:
        """Whether it is worth an attempt: it went well last time, or that is a while ago."""
        return self.closed or self._clock() >= self._until

    def note(self, well: bool) -> None:
        """Takes in how an attempt went."""
        if self.closed and not well:
            log.warning("Redis does not answer; others hear of moves later")
        self.closed = well
        self._until = self._clock() + OPEN_FOR


class RedisBus:
    """Announces changes to the other processes, and hears theirs."""

    def __init__(self, url: str) -> None:
        once: Any = Retry(NoBackoff(), 0)
        self._redis = Redis.from_url(
            url, retry=once, socket_timeout=ANSWER_WITHIN, socket_connect_timeout=ANSWER_WITHIN
        )
        self._hearing = Redis.from_url(url, retry=once, socket_timeout=None, socket_connect_timeout=PING_EVERY)
        self._me = secrets.token_hex(8)
        self._tasks: list[asyncio.Task[None]] = []
        self._pending: dict[tuple[str, bool], int] = {}
        """Versions to be announced, by room, and whether the log was rewritten, which nothing else would tell."""
        self._something = asyncio.Event()
        self._circuit = CircuitBreaker(lambda: asyncio.get_running_loop().time())
        self.listening = False
        """Whether what others announce arrives here."""

    async def open(
        self, changed: Callable[[str, int], Awaitable[None]], subscribed: Callable[[], Awaitable[None]]
    ) -> None:
        """Starts listening. ``subscribed`` is called each time that something may have been missed before."""
        # The first connection may take longer than those to a Redis that is known to be there.
        async with asyncio.timeout(10):
            await self._hearing.ping()
        ready = asyncio.Event()
        self._tasks = [
            asyncio.create_task(self._listen(changed, subscribed, ready)),
            asyncio.create_task(self._publish()),
        ]
        await asyncio.wait_for(ready.wait(), 10)

    async def close(self) -> None:
        """Says what is still to be said, if that is quick, and stops listening."""
        if self._pending and self._circuit.allows():
            with contextlib.suppress(*AWAY):
                await self._say_pending()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)
        for redis in (self._redis, self._hearing):
            with contextlib.suppress(*AWAY):
                await redis.aclose()

    def announce(self, room: str, version: int) -> None:
        """Has the others told that a room has a new version, as soon as Redis can; does not wait for that."""
        rewritten = version < 0
        if not rewritten and len(self._pending) >= MAX_PENDING:
            return
        self._pending[room, rewritten] = version
        self._something.set()

    async def check(self) -> bool:
        """Asks Redis whether it is there."""
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                await self._redis.ping()
        except AWAY:
            self._circuit.note(False)
        else:
            self._circuit.note(True)
        return self._circuit.closed

    async def may_think(self, room: str) -> bool:
        """Whether this process's engines play in the room; the lease is renewed by asking. Without Redis, they do."""
        key = f"sobremesa:thinks:{room}"
        if not self._circuit.allows():
            return True
        try:
            async with asyncio.timeout(ANSWER_WITHIN):
                ours = bool(await self._redis.set(key, self._me, nx=True, ex=LEASE_SECONDS))
                if not ours and await self._redis.get(key) == self._me.encode():
                    ours = bool(await self._redis.expire(key, LEASE_SECONDS))
        except AWAY:
            self._circuit.note(False)
            return True
        self._circuit.note(True)
        return ours

    async def _publish(self) -> None:
        """Announces what has gathered, one after the other; while Redis is away it gathers."""
        while True:
            await self._something.wait()
            if not self._circuit.allows():
                await asyncio.sleep(OPEN_FOR / 4)
                continue
            try:
                await self._say_pending()
            except AWAY:
                self._circuit.note(False)
            except Exception:
                log.exception("an announcement broke")
                await asyncio.sleep(OPEN_FOR)

    async def _say_pending(self) -> None:
        while self._pending:
            (room, rewritten), version = next(iter(self._pending.items()))
            async with asyncio.timeout(ANSWER_WITHIN):
                await self._redis.publish(CHANNEL, f"{self._me} {room} {version}")
            self._circuit.note(True)
            if self._pending.get((room, rewritten)) == version:  # else there is something newer to say
                del self._pending[room, rewritten]
        self._something.clear()

    async def _listen(
        self,
        changed: Callable[[str, int], Awaitable[None]],
        subscribed: Callable[[], Awaitable[None]],
        ready: asyncio.Event,
    ) -> None:
        while True:
            try:
                await self._hear(changed, subscribed, ready)
            except AWAY as error:
                if self.listening:
                    log.warning("Redis is away (%s); trying again", type(error).__name__)
            except Exception:
                log.exception("listening to the other processes broke; trying again")
            self.listening = False
            await asyncio.sleep(RETRY_AFTER)

    async def _hear(
        self,
        changed: Callable[[str, int], Awaitable[None]],
        subscribed: Callable[[], Awaitable[None]],
        ready: asyncio.Event,
    ) -> None:
        async with self._hearing.pubsub() as pubsub:
            async with asyncio.timeout(2 * PING_EVERY):
                await pubsub.subscribe(CHANNEL)
            asked = False
            while True:
                message = await pubsub.get_message(timeout=PING_EVERY)
                if message is None:
                    if asked:
                        raise TimeoutError
                    asked = True
                    async with asyncio.timeout(PING_EVERY):
                        await pubsub.ping()
                    continue
                asked = False
                if message["type"] == "subscribe":
                    # Also when the library has reconnected by itself: whatever was said meanwhile is lost.
                    self.listening = True
                    await subscribed()
                    ready.set()
                elif message["type"] == "message":
                    await self._take(message["data"], changed)

    async def _take(self, data: bytes, changed: Callable[[str, int], Awaitable[None]]) -> None:
        """Takes one announcement in; what nobody understands, of a newer version perhaps, harms nobody."""
        try:
            sender, room, version = data.decode().split(" ")
            if sender != self._me:
                await changed(room, int(version))
        except Exception as error:
            log.warning("an announcement could not be read (%s)", type(error).__name__)
