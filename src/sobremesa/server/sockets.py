"""The socket of a room, and the same by long polling where sockets are blocked."""

import asyncio
import contextlib
import json
import re
import time
from collections.abc import Mapping
from typing import Any

from fastapi import WebSocket, WebSocketDisconnect
from pydantic import TypeAdapter, ValidationError

from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.server.attendance import Visitor
from sobremesa.server.database import is_away
from sobremesa.server.house import House, refused
from sobremesa.server.hub import OpenRoom
from sobremesa.server.public_seats import Taking

READ: TypeAdapter[m.ClientMessage] = TypeAdapter(m.ClientMessage)
JOIN_WITHIN = 10.0
"""Seconds after which a socket that has not joined is closed, whatever else it says."""
SEND_WITHIN = 30.0
"""Seconds after which a client that does not take a message is given up."""
BACK_OFF = 0.1
"""Seconds for which a socket that says too much is not read."""
MAX_UNANSWERED = 20
"""Commands of one socket that may wait for their answers."""
_ID = re.compile("[A-Za-z0-9_-]{1,64}")


class Listener:
    """A client that is told what happens, through a queue that must not grow without end."""

    def __init__(self, visitor: Visitor, max_behind: int) -> None:
        self.visitor = visitor
        self.person = visitor.person
        self.queue: asyncio.Queue[str | None] = asyncio.Queue()
        self._max_behind = max_behind

    def tell(self, text: str) -> None:
        """Hands a message over, as JSON; who reads too slowly is sent away, and comes back to a snapshot."""
        if self.queue.qsize() < self._max_behind:
            self.queue.put_nowait(text)
        elif self.queue.qsize() == self._max_behind:
            self.dismiss("slow", 1)

    def say(self, message: m.Message) -> None:
        """Hands a message over."""
        self.tell(message.model_dump_json())

    def dismiss(self, reason: str, retry_after: float) -> None:
        """Says goodbye and ends the conversation."""
        goodbye = m.Goodbye.model_validate({"reason": reason, "retry_after": retry_after})
        self.queue.put_nowait(goodbye.model_dump_json())
        self.end()

    def end(self) -> None:
        """Ends the conversation when everything that was handed over is told."""
        self.queue.put_nowait(None)


async def serve_socket(house: House, socket: WebSocket, room: str, visitor: Visitor, mark: str | None) -> None:
    """One conversation, from join to goodbye."""
    await socket.accept()
    listener = Listener(visitor, house.settings.limits.behind)
    conversation = Conversation(house, socket, listener, room, mark)
    writer = asyncio.create_task(_write(socket, listener))
    reader = asyncio.create_task(conversation.read())
    try:
        await asyncio.wait([writer, reader], return_when=asyncio.FIRST_COMPLETED)
    finally:
        conversation.leave()
        for task in (reader, writer):
            task.cancel()
            with contextlib.suppress(asyncio.CancelledError, Exception):
                await task
        with contextlib.suppress(Exception):
            # A client that has stopped reading does not read this either.
            async with asyncio.timeout(5):
                await socket.close(1001)


async def _write(socket: WebSocket, listener: Listener) -> None:
    while (text := await listener.queue.get()) is not None:
        async with asyncio.timeout(SEND_WITHIN):
            await socket.send_text(text)


class Conversation:
    """What one client says on its socket."""

    def __init__(self, house: House, socket: WebSocket, listener: Listener, room: str, mark: str | None) -> None:
        self._house = house
        self._socket = socket
        self._listener = listener
        self._room = room
        self._mark = mark
        self._opened: OpenRoom | None = None
        self._language = "en"
        self._looked_at = True
        """Whether somebody looks at the page, as it says itself."""
        house.presence.come(listener.person)
        self._must_join = house.clock.later(JOIN_WITHIN, self._end_unless_joined)
        self._unanswered = 0
        self._questions: set[asyncio.Task[None]] = set()

    def leave(self) -> None:
        """The client is gone."""
        self._must_join.cancel()
        self._look(False)
        if self._opened is not None:
            self._opened.leave(self._listener)
        for task in self._questions:
            task.cancel()

    async def read(self) -> None:
        """Takes messages until the client is gone."""
        while True:
            try:
                text = await self._socket.receive_text()
            except WebSocketDisconnect:
                return
            except KeyError:  # bytes, not text
                text = ""
            try:
                await self._take(text)
            except Exception as error:
                self._refuse(error, _id_in(text))
                if isinstance(error, Refusal) and error.reason == "unknown":
                    self._listener.dismiss("unknown", 60)
                if isinstance(error, Refusal) and error.reason == "busy":
                    # Nothing more is read meanwhile: a flood holds up its sender, and nobody else.
                    await asyncio.sleep(BACK_OFF)
            # Others, and the answers, have their turn between two messages that came together.
            await asyncio.sleep(0 if self._listener.queue.qsize() < 10 else BACK_OFF)

    async def _take(self, text: str) -> None:
        if not self._house.requests.allows(self._listener.visitor.network):
            raise Refusal("busy", "server.error.slow-down-a-little", retry_after=BACK_OFF)
        if await self._house.guestbook.person(self._mark) != self._listener.person:
            self._listener.dismiss("changed", BACK_OFF)  # the token was ended, here or elsewhere
            return
        message = read_message(text, self._house.settings.limits.body)
        match message:
            case m.Ping():
                self._look(not message.hidden)
                version = None if self._opened is None else self._opened.room.version
                self._listener.say(m.Pong(now=self._house.clock.time(), version=version))
            case m.Join():
                self._language = message.language
                opened = await self._find_room()
                if self._opened is not None and self._opened is not opened:
                    self._opened.leave(self._listener)
                self._opened = opened
                opened.join(self._listener, self._listener.visitor)
            case _ if self._opened is None:
                raise Refusal("early", "server.error.join-first")
            case _ if self._unanswered >= MAX_UNANSWERED:
                raise Refusal("busy", "server.error.slow-down-a-little", retry_after=BACK_OFF)
            case m.Check() | m.AskHint() | m.Hurry() | m.Find():
                self._unanswered += 1
                task = asyncio.create_task(self._answer(self._opened, message))
                self._questions.add(task)
                task.add_done_callback(self._questions.discard)
            case _:
                self._house.check_rate(self._listener.person)
                taking = await self._house.check_command(self._opened, message, self._listener.visitor)
                self._command(self._opened, message, taking)

    def _end_unless_joined(self) -> None:
        if self._opened is None:
            self._listener.end()

    def _look(self, looks: bool) -> None:
        if looks != self._looked_at:
            self._looked_at = looks
            (self._house.presence.come if looks else self._house.presence.go)(self._listener.person)

    async def _find_room(self) -> OpenRoom:
        """The room. If it cannot be read now the client has to come back: what it sends again must not be refused as if
        it had never been done, only because it could not join.
        """
        try:
            return await self._house.room(self._room)
        except Exception as error:
            if is_away(error):
                self._listener.dismiss("changed", 1)
            raise

    def _command(self, opened: OpenRoom, command: m.RoomCommand, taking: Taking | None) -> None:
        """Sends a command to the room. Its answer is handed over before the update that shows what it did."""
        began = time.perf_counter()
        self._unanswered += 1

        def reply(outcome: int | Exception) -> None:
            self._unanswered -= 1
            self._house.public_seats.written(self._listener.person, taking)
            if isinstance(outcome, Exception):
                self._refuse(outcome, command.id)
            else:
                self._listener.say(m.Accepted(id=command.id, version=outcome))
                self._house.metrics.acknowledged(time.perf_counter() - began)

        opened.actor.send(command, self._listener.person, reply)

    async def _answer(self, opened: OpenRoom, question: m.Question) -> None:
        try:
            self._listener.say(await self._house.answer(opened, question, self._listener.visitor, self._language))
        except Exception as error:
            self._refuse(error, question.id)
        finally:
            self._unanswered -= 1

    def _refuse(self, error: Exception, id: str | None) -> None:
        version = self._opened.room.version if self._opened is not None and id is not None else None
        self._listener.say(refused(error, self._language, id, version))


def read_message(text: str, max_length: int) -> m.ClientMessage:
    """A client's message; raises a refusal that says what is wrong with it."""
    if len(text) > max_length:
        raise Refusal("malformed", "server.error.the-message-is-too-long")
    try:
        return READ.validate_json(text)
    except ValidationError as error:
        raise malformed(error.errors(include_url=False, include_context=False, include_input=False)[0]) from None


def malformed(first: Mapping[str, Any]) -> Refusal:
    """What is wrong with a message, in a few words, from the first error that pydantic found."""
    where = ".".join(str(part) for part in first["loc"])[:80]
    return Refusal("malformed", "server.error.the-message-is-malformed", where=where, what=str(first["msg"])[:200])


def _id_in(text: str) -> str | None:
    """The id of a message that could not be read otherwise, so that its sender knows which one it was."""
    with contextlib.suppress(ValueError, RecursionError):
        data = json.loads(text[:4096])
        if isinstance(data, dict) and isinstance(data.get("id"), str) and _ID.fullmatch(data["id"]):
            return str(data["id"])
    return None


async def poll(house: House, opened: OpenRoom, visitor: Visitor, version: int | None, wait: float) -> str:
    """A snapshot as JSON: as soon as the room has another version than the client, or when the time is up."""
    if wait > 0 and version == opened.room.version:
        listener = Listener(visitor, house.settings.limits.behind)
        opened.join(listener, visitor, known=version)
        try:
            async with asyncio.timeout(wait):
                text = await listener.queue.get()
            if text is None or json.loads(text)["type"] == "goodbye":
                raise Refusal("busy", "server.error.the-server-is-about-to-restart", retry_after=1)
        except TimeoutError:
            pass
        finally:
            opened.leave(listener)
    return opened.audience.snapshot(visitor.person, opened.room)
