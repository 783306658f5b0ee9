"""Between the network and uvicorn, for clients without manners: flow control and timeouts.

A ``Wire`` is the protocol that the event loop talks to. It holds the protocol that uvicorn made, hands it what comes
from the network, and shows it a ``Valve`` in the place of the transport. Both sides speak ``asyncio.Protocol`` and
``asyncio.Transport``, which are documented; nothing here knows what uvicorn looks like inside (docs/decisions/0010).
"""

import asyncio
import logging
from typing import Any, cast

from sobremesa.server.framing import Frames, Requests
from sobremesa.server.settings import Timeouts

log = logging.getLogger("sobremesa.wire")

MAX_BYTES_A_TURN = 4 * 1024
"""Bytes that are taken from one client before the others have their turn."""
MAX_BURST_BYTES = 256 * 1024
"""Bytes that a socket may send at once; what is more waits in the client's own pipe."""
MAX_BYTES_A_SECOND = 32 * 1024
"""Bytes that a socket may send each second after that."""
MAX_UNREAD_BYTES = 16 * 1024
"""Bytes that a client is heard for while it does not read: every answer, every pong would pile up here."""
MAX_PIECES = 1000
"""Frames that one message may come in; empty ones would cost the sender nothing, and could come for ever."""
LINGER_SECONDS = 1.0
"""Seconds in which a client can read why it is sent away, while what it still sends is ignored."""
TOO_LATE = b"HTTP/1.1 408 Request Timeout\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"
TOO_MANY_PIECES = b"\x88\x02\x03\xf0"
"""A frame that closes with the code 1008, against the rules of the house."""


class Wire(asyncio.Protocol):
    """Hands on what comes in small portions, at a bounded rate, and closes on whoever keeps it waiting."""

    def __init__(self, protocol: asyncio.Protocol, timeouts: Timeouts) -> None:
        self._protocol = protocol
        self._timeouts = timeouts
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport
        self._lost = False
        # What comes in.
        self._held = bytearray()
        self._next: asyncio.Handle | None = None
        self._wanted = True
        """Whether the protocol wants to read."""
        self._reading = True
        """Whether the network is read from."""
        self._credit = float(MAX_BURST_BYTES)
        self._credited = self._loop.time()
        self._requests = Requests()
        self._frames: Frames | None = None
        """None until the client's request has become a socket."""
        self._answered = False
        """Whether anything was said since the head of the last request."""
        self._deadline: asyncio.TimerHandle | None = None
        self._due: tuple[int, str | None] = (0, None)
        """The request that something is owed of, and what: its head, its body, or an answer."""
        # What goes out.
        self._written = 0
        self._writable = True
        self._unread = 0
        self._closing = False
        self._parting: asyncio.TimerHandle | None = None
        self._watching: asyncio.TimerHandle | None = None

    # -- what the event loop says -------------------------------------------------------------------------------------

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Begins; from now on a request is expected."""
        self._transport = cast(asyncio.Transport, transport)
        self._protocol.connection_made(Valve(self))
        self._mind_the_time()

    def data_received(self, data: bytes) -> None:
        """Holds what came, and hands on the first portion."""
        if not self._closing:
            self._held += data
            if self._next is None:
                self._hand_on()

    def eof_received(self) -> bool | None:
        """Passes it on, after all that came before."""
        return None if self._closing else self._protocol.eof_received()

    def pause_writing(self) -> None:
        """The client reads more slowly than it is told."""
        self._writable = False
        self._unread = 0
        self._protocol.pause_writing()
        self._watch()

    def resume_writing(self) -> None:
        """It has caught up."""
        self._writable = True
        self._protocol.resume_writing()
        self.go_on()

    def connection_lost(self, exc: Exception | None) -> None:
        """Forgets everything."""
        if self._lost:
            return
        self._lost = self._closing = True
        self._held.clear()
        for timer in (self._next, self._deadline, self._parting, self._watching):
            if timer is not None:
                timer.cancel()
        self._protocol.connection_lost(exc)

    # -- reading ------------------------------------------------------------------------------------------------------

    def want(self, wanted: bool) -> None:
        """The protocol wants to read, or not."""
        self._wanted = wanted
        self.go_on()

    def upgrade(self, protocol: asyncio.Protocol) -> None:
        """A request has become a socket, and another protocol takes over. It still has to be answered in time."""
        self._protocol = protocol
        self._frames = Frames()
        self._answered = False
        self._mind_the_time()

    def go_on(self) -> None:
        """Hands on what is held, soon."""
        if self._held and self._next is None:
            self._next = self._loop.call_soon(self._hand_on)
        else:
            self._steer()

    def _ready(self) -> bool:
        """Whether the protocol can be told more: it wants it, and what it says finds a reader."""
        if self._frames is not None and not self._answered:
            return False  # Frames before the handshake is through would not be understood.
        return self._wanted and not self._closing and (self._writable or self._unread < MAX_UNREAD_BYTES)

    def _hand_on(self) -> None:
        self._next = None
        if self._held and self._ready():
            portion = bytes(self._held[:MAX_BYTES_A_TURN])
            if self._frames is None:
                # Not beyond the end of a head: after it there may be frames, which are not for this protocol.
                heads = self._requests.heads
                portion = portion[: self._requests.feed(portion)]
                self._answered = self._answered and self._requests.heads == heads
                wait = 0.0
            else:
                wait = self._wait_for(len(portion))
            if wait:
                self._next = self._loop.call_later(wait, self._hand_on)
            else:
                del self._held[: len(portion)]
                self._tell(portion)
                if self._held and self._next is None:
                    self._next = self._loop.call_soon(self._hand_on)
        self._steer()

    def _wait_for(self, size: int) -> float:
        """Seconds until a socket may send so many bytes more; takes them from its share if that is now."""
        now = self._loop.time()
        self._credit = min(MAX_BURST_BYTES, self._credit + (now - self._credited) * MAX_BYTES_A_SECOND)
        self._credited = now
        if self._credit < size:
            return max(0.001, (size - self._credit) / MAX_BYTES_A_SECOND)
        self._credit -= size
        return 0

    def _tell(self, portion: bytes) -> None:
        if not self._writable:
            self._unread += len(portion)
        if self._frames is None:
            self._mind_the_time()
        elif not self._frames.feed(portion, MAX_PIECES):
            self.write(TOO_MANY_PIECES)
            self.close()
            return
        try:
            self._protocol.data_received(portion)
        except Exception:
            log.exception("a connection broke")
            self._transport.abort()

    def _steer(self) -> None:
        """Reads from the network while there is use for it; after the last word everything is read and ignored."""
        reading = self._closing or (not self._held and self._ready())
        if reading != self._reading and not self._lost and not self._transport.is_closing():
            self._reading = reading
            self._transport.resume_reading() if reading else self._transport.pause_reading()

    # -- time ---------------------------------------------------------------------------------------------------------

    def _mind_the_time(self) -> None:
        """Sets the alarm for what the client owes, if that is something else than a moment ago."""
        if self._frames is not None:
            due: tuple[int, str | None] = (0, None if self._answered else "answer")
        else:
            due = (self._requests.number, self._requests.owed)
        if due != self._due:
            self._due = due
            if self._deadline is not None:
                self._deadline.cancel()
                self._deadline = None
            if due[1] is not None:
                self._set_alarm()

    def _set_alarm(self) -> None:
        seconds = self._timeouts.body if self._due[1] == "body" else self._timeouts.head
        self._deadline = self._loop.call_later(seconds, self._late)

    def _late(self) -> None:
        if self._frames is None and not self._reading:
            self._set_alarm()  # It is this side that does not listen.
            return
        if self._requests.begun and not self._answered:
            self.write(TOO_LATE)
        self.close()

    def _watch(self) -> None:
        """Looks, after a while, whether the client has taken anything of what waits for it."""
        if self._watching is None and not self._lost:
            taken = self._written - self._transport.get_write_buffer_size()
            self._watching = self._loop.call_later(self._timeouts.stalled, self._look, taken)

    def _look(self, taken: int) -> None:
        self._watching = None
        waiting = self._transport.get_write_buffer_size()
        if waiting and self._written - waiting == taken:
            self._transport.abort()  # Who reads nothing does not read a farewell either.
        elif waiting and (self._closing or not self._writable):
            self._watch()

    # -- writing ------------------------------------------------------------------------------------------------------

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Sends, unless the last word was said."""
        if self._closing:
            return
        self._written += len(data)
        self._transport.write(data)
        if not self._answered:
            self._answered = True
            if self._frames is not None:
                self._mind_the_time()
                self.go_on()

    def close(self) -> None:
        """Ends. Where a client may still be sending, it is given a moment to read why.

        To close at once would be a reset, which takes the last words away that it has not read yet.
        """
        if self._closing:
            return
        self._closing = True
        self._held.clear()
        if self._deadline is not None:
            self._deadline.cancel()
        midway = self._frames is not None or (self._requests.begun and self._requests.owed is not None)
        if midway and self._transport.can_write_eof() and not self._transport.is_closing():
            self._transport.write_eof()
            self._steer()
            self._parting = self._loop.call_later(LINGER_SECONDS, self._transport.close)
        else:
            self._transport.close()
        self._watch()

    def part(self) -> None:
        """The server stops: where the last word was said, the protocol is not asked to say another one."""
        if self._closing and not self._lost:
            self._transport.close()
            self.connection_lost(None)


class Valve(asyncio.Transport):
    """What a protocol behind a wire sees of the network: a transport like any other."""

    def __init__(self, wire: Wire) -> None:
        super().__init__()
        self._wire = wire
        self._transport = wire._transport
        self._protocol: asyncio.BaseProtocol = wire._protocol

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """What is known of the connection."""
        return self._transport.get_extra_info(name, default)

    def is_closing(self) -> bool:
        """Whether the last word was said."""
        return self._wire._closing or self._transport.is_closing()

    def close(self) -> None:
        """Says no more."""
        self._wire.close()

    def abort(self) -> None:
        """Breaks off."""
        self._transport.abort()

    def set_protocol(self, protocol: asyncio.BaseProtocol) -> None:
        """Another protocol takes over, as after a handshake."""
        self._protocol = protocol
        self._wire.upgrade(cast(asyncio.Protocol, protocol))

    def get_protocol(self) -> asyncio.BaseProtocol:
        """Who is behind the wire."""
        return self._protocol

    def is_reading(self) -> bool:
        """Whether anything more can come."""
        return self._wire._wanted and not self.is_closing()

    def pause_reading(self) -> None:
        """Wants nothing for now."""
        self._wire.want(False)

    def resume_reading(self) -> None:
        """Wants more."""
        self._wire.want(True)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Sends."""
        self._wire.write(data)

    def can_write_eof(self) -> bool:
        """Whether one side can end before the other."""
        return self._transport.can_write_eof()

    def write_eof(self) -> None:
        """Ends this side."""
        self._transport.write_eof()

    def get_write_buffer_size(self) -> int:
        """Bytes that the client has not taken yet."""
        return self._transport.get_write_buffer_size()

    def get_write_buffer_limits(self) -> tuple[int, int]:
        """When a writer is asked to wait, and when to go on."""
        return self._transport.get_write_buffer_limits()

    def set_write_buffer_limits(self, high: int | None = None, low: int | None = None) -> None:
        """Changes that."""
        self._transport.set_write_buffer_limits(high, low)
