"""The socket of a room, and the same by long polling where sockets are blocked."""

import asyncio
import contextlib
import json
import re
import time

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter, ValidationError

from sobremesa.server import messages as m
from sobremesa.server.house import House, refused
from sobremesa.server.hub import LiveRoom
from sobremesa.server.room import Refusal

READ: TypeAdapter[m.ClientMessage] = TypeAdapter(m.ClientMessage)
JOIN_WITHIN = 10
"""Seconds after which a socket that has not joined is closed."""
CALM = 0.1
"""Seconds for which a socket that says too much is not heard."""
_ID = re.compile("[A-Za-z0-9_-]{1,64}")


class Listener:
    """A client that is told what happens, through a queue that must not grow without end."""

    def __init__(self, person: str, behind: int) -> None:
        self.person = person
        self.version: int | None = None
        self.queue: asyncio.Queue[m.Message | None] = asyncio.Queue()
        self._behind = behind

    def tell(self, message: m.Message) -> None:
        """Hands a message over; who reads too slowly is sent away, and comes back to a snapshot."""
        if self.queue.qsize() < self._behind:
            self.queue.put_nowait(message)
        elif self.queue.qsize() == self._behind:
            self.dismiss("slow", 1)

    def dismiss(self, reason: str, again: float) -> None:
        """Says goodbye and ends the conversation."""
        self.queue.put_nowait(m.Goodbye(reason=reason, again=again))
        self.queue.put_nowait(None)


async def serve_socket(house: House, socket: WebSocket, room: str, person: str, address: str) -> None:
    """One conversation, from join to goodbye."""
    await socket.accept()
    listener = Listener(person, house.settings.limits.behind)
    writer = asyncio.create_task(_write(socket, listener))
    reader = asyncio.create_task(_read(house, socket, listener, room, address))
    try:
        await asyncio.wait([writer, reader], return_when=asyncio.FIRST_COMPLETED)
    finally:
        live = house.hub.rooms.get(room)
        if live is not None:
            live.farewell(listener)
        for task in (reader, writer):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        with contextlib.suppress(Exception):
            # Who has stopped reading does not read this either.
            await asyncio.wait_for(socket.close(1001), 5)


async def _write(socket: WebSocket, listener: Listener) -> None:
    while (message := await listener.queue.get()) is not None:
        await asyncio.wait_for(socket.send_text(message.model_dump_json()), 30)


async def _read(house: House, socket: WebSocket, listener: Listener, id: str, address: str) -> None:
    live: LiveRoom | None = None
    language = "en"
    asking: set[asyncio.Task[None]] = set()
    while True:
        receive = socket.receive_text()
        try:
            text = await (asyncio.wait_for(receive, JOIN_WITHIN) if live is None else receive)
        except (WebSocketDisconnect, TimeoutError):
            return
        except KeyError:  # bytes, not text
            text = ""
        try:
            if not house.requests.allows(address):
                raise Refusal("busy", "slow down a little")
            message = read_message(text, house.settings.limits.body)
            match message:
                case m.Ping():
                    listener.tell(m.Pong(now=time.time()))
                case m.Join():
                    language = message.language
                    live = await house.room(id)
                    listener.version = message.version
                    live.welcome(listener)
                case _ if live is None:
                    raise Refusal("early", "join first")
                case _:
                    if len(asking) > 20:
                        raise Refusal("busy", "slow down a little")
                    task = asyncio.create_task(_do(house, live, message, listener, language))
                    asking.add(task)
                    task.add_done_callback(asking.discard)
        except Exception as error:
            listener.tell(refused(error, language, _id_in(text)))
            if isinstance(error, Refusal) and error.reason == "unknown":
                listener.dismiss("unknown", 60)
            if isinstance(error, Refusal) and error.reason == "busy":
                # Nothing more is read meanwhile: a flood holds up its sender, and nobody else.
                await asyncio.sleep(CALM)
        # Others, and the answers, have their turn between two messages that came together.
        await asyncio.sleep(0 if listener.queue.qsize() < 10 else CALM)


async def _do(house: House, live: LiveRoom, command: m.AnyCommand, listener: Listener, language: str) -> None:
    began = time.perf_counter()
    try:
        listener.tell(await house.do(live, command, listener.person))
        house.metrics.acknowledged(time.perf_counter() - began)
    except Exception as error:
        listener.tell(refused(error, language, command.id, live.room.version))


def read_message(text: str, limit: int) -> m.ClientMessage:
    """A client's message; raises a refusal that says what is wrong with it."""
    if len(text) > limit:
        raise Refusal("malformed", "the message is too long")
    try:
        return READ.validate_json(text)
    except ValidationError as error:
        raise malformed(error) from None


def malformed(error: ValidationError) -> Refusal:
    """What is wrong with a message, in a few words."""
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    where = ".".join(str(part) for part in first["loc"])[:80]
    return Refusal("malformed", "the message is malformed: {where} {what}", where=where, what=str(first["msg"])[:200])


def _id_in(text: str) -> str | None:
    """The id of a message that could not be read otherwise, so that its sender knows which one it was."""
    with contextlib.suppress(ValueError, RecursionError):
        data = json.loads(text[:4096])
        if isinstance(data, dict) and isinstance(data.get("id"), str) and _ID.fullmatch(data["id"]):
            return str(data["id"])
    return None


async def poll(house: House, live: LiveRoom, person: str, version: int | None, wait: float) -> m.Update:
    """The next update after a version, or the present one when the time is up."""
    listener = Listener(person, house.settings.limits.behind)
    listener.version = version
    live.welcome(listener, only_news=wait > 0)
    try:
        try:
            message = await asyncio.wait_for(listener.queue.get(), wait or 10)
        except TimeoutError:
            live.farewell(listener)
            live.welcome(listener)
            message = await asyncio.wait_for(listener.queue.get(), 10)
        if not isinstance(message, m.Update):
            raise Refusal("busy", "the server is about to restart: try again soon")
        return message
    finally:
        live.farewell(listener)
