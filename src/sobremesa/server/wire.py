"""Uvicorn's socket, for clients without manners: one that floods is heard slowly, one that never listens is cut off."""

import asyncio
from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol
from websockets.frames import Frame

PORTION = 4 * 1024
"""Bytes that are read from one client before the others have their turn."""
BURST = 256 * 1024
PER_SECOND = 32 * 1024
"""Bytes that a client may send at once, and each second after that; what is more waits in its own pipe."""
PARTING = 1.0
"""Seconds in which a client can read why it is sent away."""


class Wire(WebSocketsSansIOProtocol):
    """A socket that reads a little at a time. Thousands of tiny frames fit into what a network hands over at once."""

    def __init__(self, *arguments: Any, **settings: Any) -> None:
        super().__init__(*arguments, **settings)
        self._held = bytearray()
        self._credit = float(BURST)
        self._credited = self.loop.time()
        self._next: asyncio.TimerHandle | None = None
        self._deaf = False

    def data_received(self, data: bytes) -> None:
        """Holds what came, and takes the first portion in."""
        if self._deaf:
            return
        self._held += data
        if self._next is None:
            self._take_in()

    async def receive(self) -> Any:
        """The next message. Where more is held, nothing new is read."""
        message = await super().receive()
        if self._held:
            self.transport.pause_reading()
            self._go_on(0)
        return message

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets what was held."""
        self._held.clear()
        super().connection_lost(exc)

    def _take_in(self) -> None:
        self._next = None
        if self._held and not self.read_paused and not self.transport.is_closing():
            now = self.loop.time()
            self._credit = min(BURST, self._credit + (now - self._credited) * PER_SECOND)
            self._credited = now
            portion = bytes(self._held[:PORTION])
            if self._credit >= len(portion):
                self._credit -= len(portion)
                del self._held[:PORTION]
                super().data_received(portion)
                self._go_on(0)
            else:
                self._go_on((len(portion) - self._credit) / PER_SECOND)
        if self._held:
            self.transport.pause_reading()
        elif not self.read_paused and not self.transport.is_closing():
            self.transport.resume_reading()

    def _go_on(self, after: float) -> None:
        if self._held and self._next is None and not self.read_paused:
            self._next = self.loop.call_later(after, self._take_in)

    def handle_ping(self) -> None:
        """Answers, unless the client reads no answers: they would pile up here."""
        if self.writable.is_set():
            super().handle_ping()
        else:
            self.conn.data_to_send()

    def handle_cont(self, event: Frame) -> None:
        """Takes a fragment in; empty ones could come for ever."""
        if event.data or event.fin:
            super().handle_cont(event)

    def send_receive_event_to_app(self) -> None:
        """Closes on text that is none, without a word in the log."""
        if self.curr_msg_data_type == "text":
            try:
                b"".join(self.frames).decode()
            except UnicodeDecodeError:
                self.frames = []
                self.conn.send_close(1007)
                self.handle_parser_exception()
                return
        super().send_receive_event_to_app()

    def handle_parser_exception(self) -> None:
        """Says what was wrong. The rest is read and ignored for a moment, or the client would not see why it ends."""
        self._deaf = True
        self._held.clear()
        if (reason := self.conn.close_sent) is None:  # before the handshake was through
            self.queue.put_nowait({"type": "websocket.disconnect", "code": 1002})
            self.transport.abort()
            return
        self.queue.put_nowait({"type": "websocket.disconnect", "code": reason.code, "reason": reason.reason})
        self.transport.write(b"".join(self.conn.data_to_send()))
        self.close_sent = True
        self.read_paused = False
        self.transport.resume_reading()
        self.close_timer = self.loop.call_later(PARTING, self.transport.close)

    def keepalive_timeout(self) -> None:
        """Gives up; who has stopped reading does not read the farewell either."""
        super().keepalive_timeout()
        if not self.writable.is_set():
            self.transport.abort()
