"""A small client for programs: bots, load tests, experiments.

It keeps a command until it is answered, and sends it again after a lost connection; ids make that harmless.
"""

import asyncio
import contextlib
import itertools
import json
import secrets
import urllib.error
import urllib.request
from collections.abc import Callable
from typing import Any, Self

from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from sobremesa.server.people import COOKIE, HOST_COOKIE
from sobremesa.table.commitments import Opening, hash_of, seal_of


class Refused(Exception):
    """The server said no."""

    def __init__(self, message: dict[str, Any]) -> None:
        super().__init__(f"{message['reason']}: {message['text']}")
        self.reason: str = message["reason"]
        self.text: str = message["text"]
        self.rule: str | None = message.get("rule")


class Guest:
    """Somebody at a server; the token is who they are."""

    def __init__(self, address: str, token: str | None = None) -> None:
        self.address = address.rstrip("/")
        self.token = token

    async def call(self, method: str, path: str, body: object = None) -> Any:
        """An HTTP request; the first one brings a token along."""
        return await asyncio.to_thread(self._call, method, path, body)

    def _call(self, method: str, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | self._authorization
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                if cookie := response.headers.get("Set-Cookie"):
                    name, _, value = cookie.partition(";")[0].partition("=")
                    self.token = value if name in (COOKIE, HOST_COOKIE) else self.token
                text = response.read()
        except urllib.error.HTTPError as error:
            with error:
                raise Refused(json.loads(error.read())) from None
        return json.loads(text) if text else None

    @property
    def _authorization(self) -> dict[str, str]:
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    async def arrive(self) -> Self:
        """Gets a token, if there is none yet."""
        if self.token is None:
            await self.call("GET", "/api/me")
        return self

    async def open_room(self, game: str, seats: list[str], **setup: Any) -> str:
        """Opens a room; seats are ``me``, ``open`` or the name of a computer player."""
        plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
        await self.arrive()  # who asks again for the same room has to be the same person
        asked = {"id": secrets.token_hex(8), "game": game, "seats": plans} | setup
        return str((await self.call("POST", "/api/rooms", asked))["room"])

    def enter(self, room: str) -> "Visit":
        """A conversation about a room, as an async context manager."""
        return Visit(self, room)


def _waiting(room: dict[str, Any]) -> list[int]:
    """The seats that are to open now."""
    drawing = room["drawing"]
    return list(drawing["waiting"]) if drawing is not None and drawing["stage"] == "opening" else []


class Visit:
    """A socket that comes back by itself, with the latest update at hand."""

    def __init__(self, guest: Guest, room: str) -> None:
        self.guest = guest
        self.room = room
        self.update: dict[str, Any] = {}
        """The latest update."""
        self.steps: list[dict[str, Any]] = []
        """What has happened at the table since this conversation began, oldest first."""
        self.reconnects = 0
        self._seats: list[str] | None = None
        self._changed = asyncio.Condition()
        self._waiting: dict[str, tuple[dict[str, Any], asyncio.Future[dict[str, Any]]]] = {}
        self._ids = itertools.count()
        self._prefix = secrets.token_hex(4)
        self._socket: ClientConnection | None = None
        self._task: asyncio.Task[None] | None = None

    async def __aenter__(self) -> Self:
        await self.guest.arrive()
        self._task = asyncio.create_task(self._talk())
        await self.wait_until(bool, timeout=300)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._task is not None
        self._task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await self._task

    @property
    def views(self) -> list[dict[str, Any]]:
        """The table as one's own seats see it now, else as a spectator does; empty before the first game."""
        return list(self.steps[-1]["views"]) if self.steps else []

    async def wait_until(self, test: Callable[[dict[str, Any]], bool], timeout: float = 60) -> dict[str, Any]:
        """The first update that passes the test."""
        async with asyncio.timeout(timeout), self._changed:
            await self._changed.wait_for(lambda: test(self.update))
            return self.update

    async def newer_than(self, version: int, timeout: float = 300) -> dict[str, Any]:
        """The next update after a version."""
        return await self.wait_until(lambda update: update["version"] > version, timeout)

    async def do(self, type: str, **fields: Any) -> int:
        """Has a command done; returns the version at which it is on disk, once the update that shows it has come."""
        version = int((await self.ask(type, **fields))["version"])
        await self.wait_until(lambda update: update["version"] >= version)
        return version

    async def ask(self, type: str, **fields: Any) -> dict[str, Any]:
        """Sends a command or a question; returns the answer, which comes before the update that shows what was done."""
        id = f"{self._prefix}-{next(self._ids)}"
        message = {"type": type, "id": id} | fields
        answer: asyncio.Future[dict[str, Any]] = asyncio.get_running_loop().create_future()
        self._waiting[id] = (message, answer)
        await self._send(message)
        try:
            message = await answer
        finally:
            del self._waiting[id]
        if message["type"] == "refused":
            raise Refused(message)
        return message

    async def move(self, seat: int, move: str) -> int:
        """Makes a move in answer to the latest update."""
        return await self.do("move", seat=seat, move=move, version=self.update["version"])

    async def take_part(self) -> None:
        """Seals random words for one's own seats, and opens them once the game is called: returns when it has begun.

        Sit down with ``seals=True``, so that one is waited for. A bot that does neither plays as well.
        """
        drawn: dict[tuple[str, str], Opening] = {}
        while not self.update["room"]["playing"]:
            seen = self.update["version"]
            for seat in self._seats or ():
                await self._seal_or_open(self.update["room"], seat, drawn)
            if self.update["version"] == seen:
                await self.newer_than(seen)

    async def _seal_or_open(self, room: dict[str, Any], seat: str, drawn: dict[tuple[str, str], Opening]) -> None:
        promise = room["promises"][-1]
        commitment, context = promise["commitment"], promise["context"]
        opening = drawn.get((commitment, seat))
        try:
            if promise["call"] is None and opening is None and context is not None:
                opening = drawn[commitment, seat] = Opening(secrets.token_hex(16))
                seal = seal_of(hash_of(context), commitment, int(seat), opening)
                await self.do("seal", seat=int(seat), promise=commitment, seal=seal)
            elif promise["call"] is not None and opening is not None and int(seat) in _waiting(room):
                await self.do("open", seat=int(seat), call=promise["call"], nonce=opening.nonce)
        except Refused as refused:
            if refused.reason not in ("stale", "late"):  # an update tells what holds now
                raise

    async def _send(self, message: dict[str, Any]) -> None:
        if self._socket is not None:
            with contextlib.suppress(WebSocketException, OSError):
                await self._socket.send(json.dumps(message))

    async def _talk(self) -> None:
        address = self.guest.address.replace("http", "ws", 1) + f"/api/rooms/{self.room}/socket"
        delay = 0.05
        while True:
            try:
                async with connect(
                    address, additional_headers=self.guest._authorization, compression=None, max_size=None
                ) as socket:
                    await socket.send(json.dumps({"type": "join"}))
                    self._socket = socket
                    for message, _ in list(self._waiting.values()):
                        await self._send(message)
                    async for text in socket:
                        delay = 0.05
                        await self._hear(json.loads(text))
            except (WebSocketException, OSError, TimeoutError, EOFError):
                pass
            self._socket = None
            self.reconnects += 1
            await asyncio.sleep(delay)
            delay = min(delay * 2, 0.8)

    async def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] == "update":
            async with self._changed:
                if message["reset"]:
                    self.steps = []
                self.steps += message["steps"]
                seats = [seat for seat, info in message["room"]["seats"].items() if info["yours"]]
                if self._seats is not None and seats != self._seats and not message["steps"]:
                    # Who sits down at a game that is being played sees it from the new seat by joining again.
                    await self._send({"type": "join"})
                self._seats = seats
                self.update = message
                self._changed.notify_all()
        elif (waiting := self._waiting.get(message.get("id") or "")) is not None and not waiting[1].done():
            waiting[1].set_result(message)
