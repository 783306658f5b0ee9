"""Several processes as one server: Redis tells them when a room has changed, and which one's engines play there."""

import asyncio
import contextlib
import logging
import secrets
from collections.abc import Awaitable, Callable

from redis.asyncio import Redis
from redis.exceptions import RedisError

log = logging.getLogger("sobremesa.bus")
CHANNEL = "sobremesa:changed"
LEASE = 5
"""Seconds for which one process's engines play in a room, after each move; then any other may."""


class RedisBus:
    """Announces changes to the other processes, and hears theirs."""

    def __init__(self, url: str) -> None:
        self._redis = Redis.from_url(url)
        self._me = secrets.token_hex(8)
        self._listener: asyncio.Task[None] | None = None

    async def open(self, changed: Callable[[str, int], Awaitable[None]]) -> None:
        """Starts listening."""
        await self._redis.ping()
        ready = asyncio.Event()
        self._listener = asyncio.create_task(self._listen(changed, ready))
        await asyncio.wait_for(ready.wait(), 10)

    async def close(self) -> None:
        """Stops listening."""
        if self._listener is not None:
            self._listener.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._listener
        await self._redis.aclose()

    async def announce(self, room: str, version: int) -> None:
        """Tells that a room has a new version. If Redis is away, others find out at their next command."""
        with contextlib.suppress(RedisError):
            await self._redis.publish(CHANNEL, f"{self._me} {room} {version}")

    async def may_think(self, room: str) -> bool:
        """Whether this process's engines play in the room; the lease is renewed by asking."""
        key = f"sobremesa:thinks:{room}"
        try:
            if await self._redis.set(key, self._me, nx=True, ex=LEASE):
                return True
            if await self._redis.get(key) == self._me.encode():
                await self._redis.expire(key, LEASE)
                return True
        except RedisError:
            return True
        return False

    async def _listen(self, changed: Callable[[str, int], Awaitable[None]], ready: asyncio.Event) -> None:
        while True:
            try:
                async with self._redis.pubsub() as pubsub:
                    await pubsub.subscribe(CHANNEL)
                    ready.set()
                    async for message in pubsub.listen():
                        if message["type"] != "message":
                            continue
                        sender, room, version = message["data"].decode().split(" ")
                        if sender != self._me:
                            await changed(room, int(version))
            except RedisError:
                log.warning("Redis is away; trying again")
                await asyncio.sleep(1)
