"""The wire between the network and uvicorn: what it holds back, whom it hears slowly, and on whom it closes."""

import ast
import asyncio
import contextlib
import re
import socket
from collections.abc import AsyncIterator, Callable, Iterator
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobremesa.server.wire
from server.clocks import FakeClock, FakeTimer, settle
from server.serving import Server, impatient, serving
from server.test_hostile import CLOSE, CONTINUED, PING, TEXT, Wild, arrived, frame, full_room, handshake, memory
from sobremesa.server.framing import MAX_HEAD_BYTES, Frames, Requests
from sobremesa.server.settings import Timeouts
from sobremesa.server.wire import (
    MAX_BURST_BYTES,
    MAX_BYTES_A_SECOND,
    MAX_BYTES_A_TURN,
    MAX_PIECES,
    MAX_UNREAD_BYTES,
    TOO_LATE,
    TOO_MANY_PIECES,
    Wire,
)

PATIENT = Timeouts(head=600, body=600, stalled=600)
QUICK = 0.05
"""Seconds for what a test waits to see end."""

# -- where things begin and end ---------------------------------------------------------------------------------------


def feed_all(requests: Requests, data: bytes) -> None:
    while data:
        taken = requests.feed(data)
        assert 0 < taken <= len(data)
        data = data[taken:]


def chunked(parts: list[bytes]) -> bytes:
    return b"".join(b"%X;x=y\r\n%s\r\n" % (len(part), part) for part in parts if part) + b"0\r\nA: b\r\n\r\n"


_BODIES = st.one_of(
    st.just(("", b"")),
    st.just(("Content-Length: 0\r\n", b"")),
    st.binary(min_size=1, max_size=60).map(lambda body: (f"content-LENGTH:  {len(body)} \r\n", body)),
    st.lists(st.binary(max_size=20), max_size=4).map(lambda parts: ("Transfer-Encoding: chunked\r\n", chunked(parts))),
)
_REQUESTS = st.tuples(st.sampled_from(["GET / HTTP/1.1\r\n", "POST /x?a=b HTTP/1.1\r\nHost: x\r\n"]), _BODIES).map(
    lambda drawn: ((drawn[0] + drawn[1][0] + "\r\n").encode(), drawn[1][1])
)


@given(st.lists(_REQUESTS, min_size=1, max_size=4), st.lists(st.integers(1, 200), max_size=40))
def test_what_is_owed_at_every_cut(whole: list[tuple[bytes, bytes]], cuts: list[int]) -> None:
    stream = b"".join(head + body for head, body in whole)
    ends_of_heads, ends = list[int](), list[int]()
    for head, body in whole:
        begin = ends[-1] if ends else 0
        ends_of_heads.append(begin + len(head))
        ends.append(begin + len(head) + len(body))
    requests, at = Requests(), 0
    assert (requests.owed, requests.begun) == ("head", False)
    for cut in [*accumulate(cuts), len(stream)]:
        feed_all(requests, stream[at : min(cut, len(stream))])
        at = max(at, min(cut, len(stream)))
        begun = sum(begin < at for begin in [0, *ends[:-1]])
        assert requests.number == max(1, begun)
        assert requests.heads == sum(end <= at for end in ends_of_heads)
        expected = None if at in ends else "head" if at < ends_of_heads[begun - 1] else "body"
        assert requests.owed == expected
    assert requests.owed is None


def test_a_head_is_handed_on_without_what_follows_it() -> None:
    requests = Requests()
    head = b"GET / HTTP/1.1\r\nUpgrade: websocket\r\n\r\n"
    assert requests.feed(head + b"\x81\x80abcd") == len(head)
    requests = Requests()
    assert requests.feed(head[:-2]) == len(head) - 2
    assert requests.feed(head[-2:] + b"\x81") == 2


@pytest.mark.parametrize(
    "nonsense",
    [
        b"POST / HTTP/1.1\r\nContent-Length: 5, 5\r\n\r\nhello",
        b"POST / HTTP/1.1\r\nContent-Length: -1\r\n\r\n",
        b"POST / HTTP/1.1\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n\r\n\r\n",
        b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n" + b"1" * MAX_HEAD_BYTES + b"\r\n",
        b"\x16\x03\x01" + bytes(2 * MAX_HEAD_BYTES),
        bytes(2 * MAX_HEAD_BYTES) + b"\r\n\r\n" * 5,
    ],
)
def test_what_makes_no_sense_is_owed_for_ever(nonsense: bytes) -> None:
    requests = Requests()
    for at in range(0, len(nonsense), MAX_BYTES_A_TURN):
        feed_all(requests, nonsense[at : at + MAX_BYTES_A_TURN])
    feed_all(requests, b"GET / HTTP/1.1\r\n\r\n" * 3)
    assert requests.owed is not None
    assert len(requests._text) <= MAX_HEAD_BYTES + MAX_BYTES_A_TURN, "and not kept"


_FRAMES = st.lists(
    st.tuples(
        st.sampled_from([TEXT, CONTINUED, PING, CLOSE]), st.sampled_from([0, 1, 125, 126, 70_000]), st.booleans()
    ),
    max_size=12,
)


@given(_FRAMES, st.lists(st.integers(1, 300), max_size=30), st.booleans())
def test_pieces_are_counted_wherever_frames_are_cut(
    drawn: list[tuple[int, int, bool]], cuts: list[int], mask: bool
) -> None:
    stream, pieces, most = b"", 0, 0
    for kind, size, end in drawn:
        stream += frame(kind, bytes(size), end, mask)
        if kind in (TEXT, CONTINUED):
            pieces = 0 if end else pieces + 1
        most = max(most, pieces)
    edges = sorted({0, *(min(cut, len(stream)) for cut in accumulate(cuts)), len(stream)})
    parts = [stream[a:b] for a, b in pairwise(edges)]
    frames = Frames()
    assert all(frames.feed(part, most) for part in parts)
    assert frames.pieces == pieces
    if most:
        frames = Frames()
        assert not all(frames.feed(part, most - 1) for part in parts)


@pytest.fixture
def short_parting(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sobremesa.server.wire, "LINGER_SECONDS", QUICK)


# -- a wire by itself -------------------------------------------------------------------------------------------------


class Pipe(asyncio.Transport):
    """The other end of a wire: what was written to it, and whether it is read from."""

    def __init__(self) -> None:
        super().__init__()
        self.written = b""
        self.waiting = self.takes = 0
        """Bytes that the client has not read, and those that it reads each time when somebody asks."""
        self.reading = True
        self.eof = False
        self.ended: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self.aborted: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    def write(self, data: Any) -> None:
        self.written += bytes(data)

    def get_write_buffer_size(self) -> int:
        self.waiting -= self.takes
        return self.waiting

    def can_write_eof(self) -> bool:
        return True

    def write_eof(self) -> None:
        self.eof = True

    def pause_reading(self) -> None:
        assert self.reading
        self.reading = False

    def resume_reading(self) -> None:
        assert not self.reading
        self.reading = True

    def is_closing(self) -> bool:
        return self.ended.done()

    def close(self) -> None:
        if not self.ended.done():
            self.ended.set_result("closed")

    def abort(self) -> None:
        self.aborted.set_result(None)
        if not self.ended.done():
            self.ended.set_result("aborted")


class Inside(asyncio.Protocol):
    """In the place of uvicorn: writes down what it is told."""

    def __init__(self) -> None:
        self.portions: list[bytes] = []
        self.did: Callable[[bytes], None] = lambda portion: None

    @property
    def got(self) -> bytes:
        return b"".join(self.portions)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        assert isinstance(transport, asyncio.Transport)
        self.transport = transport

    def data_received(self, data: bytes) -> None:
        self.portions.append(data)
        self.did(data)


HEAD = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"


@contextlib.asynccontextmanager
async def wired(timeouts: Timeouts = PATIENT, socket: bool = False) -> AsyncIterator[tuple[Wire, Pipe, Inside]]:
    """A connection that was just made; as a socket it has its handshake behind it."""
    inside, pipe = Inside(), Pipe()
    wire = Wire(inside, timeouts)
    wire.connection_made(pipe)
    if socket:
        wire.data_received(HEAD)
        inside.transport.set_protocol(inside)
        inside.transport.write(b"101")
        await asyncio.sleep(0)
        pipe.written = b""
        inside.portions.clear()
    yield wire, pipe, inside
    wire.connection_lost(None)


async def turns(count: int = 5) -> None:
    for _ in range(count):
        await asyncio.sleep(0)


async def ended(pipe: Pipe) -> str:
    return await asyncio.wait_for(pipe.ended, 30)


@pytest.mark.parametrize("as_socket", [False, True])
def test_a_flood_is_taken_in_a_little_at_a_time(as_socket: bool) -> None:
    """A network hands over 256 kB at once: forty thousand frames, and others want their turn in between."""

    async def main() -> None:
        async with wired(socket=as_socket) as (wire, pipe, inside):
            flood = frame(PING, b"") * 40_000
            wire.data_received(flood)
            assert len(inside.got) == MAX_BYTES_A_TURN
            assert not pipe.reading, "more is not asked for"
            await turns(1)
            assert len(inside.got) <= 2 * MAX_BYTES_A_TURN, "everybody has a turn in between"
            while len(inside.got) < len(flood):
                await turns(1)
            assert inside.got == flood
            await turns(2)
            assert pipe.reading

    asyncio.run(main())


class HandSetLoop:
    """The event loop with a clock that a test moves."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self._loop = asyncio.get_running_loop()

    def time(self) -> float:
        return self._clock.monotonic()

    def call_later(self, seconds: float, action: Callable[..., object], *arguments: Any) -> FakeTimer:
        return self._clock.later(seconds, lambda: action(*arguments))

    def __getattr__(self, name: str) -> Any:
        return getattr(self._loop, name)


def test_beyond_a_burst_a_socket_is_heard_slowly() -> None:
    async def main() -> None:
        async with wired(socket=True) as (wire, pipe, inside):
            clock = FakeClock()
            loop: Any = HandSetLoop(clock)
            wire._loop, wire._credited = loop, clock.monotonic()

            async def flood() -> None:
                for _ in range(100):
                    if pipe.reading:
                        wire.data_received(frame(PING, b"") * 20_000)
                    await settle(2)

            await flood()
            assert MAX_BURST_BYTES - MAX_BYTES_A_TURN <= len(inside.got) <= MAX_BURST_BYTES
            for seconds in range(1, 6):
                for _ in range(4):
                    await clock.advance(0.25)
                    await flood()
                heard = len(inside.got) - MAX_BURST_BYTES
                assert (seconds - 1) * MAX_BYTES_A_SECOND <= heard <= seconds * MAX_BYTES_A_SECOND

    asyncio.run(main())


def test_a_proxy_that_brings_many_requests_is_not_slowed_down() -> None:
    async def main() -> None:
        async with wired() as (wire, pipe, inside):
            body = b"x" * 60_000
            whole = b"POST / HTTP/1.1\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)
            for _ in range(20):
                assert pipe.reading
                wire.data_received(whole)
                await turns(len(whole) // MAX_BYTES_A_TURN + 5)
            assert inside.got == 20 * whole

    asyncio.run(main())


def test_nothing_more_is_told_to_who_does_not_want_it() -> None:
    async def main() -> None:
        async with wired(socket=True) as (wire, pipe, inside):
            inside.did = lambda portion: inside.transport.pause_reading()
            wire.data_received(frame(TEXT, b"{}") * 20_000)
            await turns()
            assert len(inside.portions) == 1
            assert not pipe.reading
            assert not inside.transport.is_reading()
            inside.transport.resume_reading()
            await turns()
            assert len(inside.portions) == 2, "as fast as it asks"

    asyncio.run(main())


def test_who_asks_and_does_not_listen_makes_nothing_pile_up() -> None:
    async def main() -> None:
        async with wired(socket=True) as (wire, pipe, inside):
            inside.did = lambda portion: inside.transport.write(b"pong")
            wire.pause_writing()
            wire.data_received(frame(PING, b"x" * 100) * 1000)
            await turns(50)
            assert MAX_UNREAD_BYTES <= len(inside.got) < MAX_UNREAD_BYTES + MAX_BYTES_A_TURN, (
                "a slow reader's next words are heard, no more"
            )
            assert not pipe.reading
            wire.resume_writing()
            await turns(50)
            assert len(inside.got) == 106_000
            assert pipe.reading

    asyncio.run(main())


@pytest.mark.usefixtures("short_parting")
def test_a_message_does_not_come_in_pieces_for_ever() -> None:
    async def main() -> None:
        async with wired(socket=True) as (wire, pipe, inside):
            for _ in range(3):
                whole = frame(TEXT, b"{", end=False) + frame(CONTINUED, b"", end=False) * (MAX_PIECES - 1)
                wire.data_received(whole + frame(CONTINUED, b"}"))
                await turns(10)
            assert not inside.transport.is_closing()
            wire.data_received(frame(TEXT, b"{", end=False) + frame(CONTINUED, b"", end=False) * MAX_PIECES)
            await turns(10)
            assert pipe.written == TOO_MANY_PIECES
            assert pipe.eof
            wire.data_received(frame(TEXT, b"{}"))
            assert not inside.got.endswith(frame(TEXT, b"{}")), "nothing after that"
            inside.transport.write(b"more")
            assert pipe.written == TOO_MANY_PIECES
            assert await ended(pipe) == "closed", "also if it never says goodbye"

    asyncio.run(main())


def test_frames_wait_until_the_handshake_is_through() -> None:
    async def main() -> None:
        async with wired() as (wire, pipe, first):
            second = Inside()
            first.did = lambda portion: first.transport.set_protocol(second)
            early = frame(TEXT, b"{}")
            wire.data_received(HEAD + early)
            await turns()
            assert (first.got, second.got) == (HEAD, b"")
            assert first.transport.get_protocol() is second
            first.transport.write(b"HTTP/1.1 101 ...")
            await turns()
            assert (first.got, second.got) == (HEAD, early)
            assert pipe.reading

    asyncio.run(main())


@pytest.mark.parametrize(
    ("sent", "answer"),
    [
        (b"", b""),
        (b"GE", TOO_LATE),
        (b"GET / HTTP/1.1\r\nHost", TOO_LATE),
        (b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n", TOO_LATE),
        (b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n12345678", TOO_LATE),
        (b"POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n", TOO_LATE),
        (HEAD + b"GET", TOO_LATE),
    ],
)
@pytest.mark.usefixtures("short_parting")
def test_half_requests_are_closed(sent: bytes, answer: bytes) -> None:
    async def main() -> None:
        quick = Timeouts(QUICK, QUICK, stalled=600)
        for step in (len(sent) or 1, 1):
            async with wired(quick) as (wire, pipe, inside):
                for at in range(0, len(sent), step):
                    wire.data_received(sent[at : at + step])
                while not inside.transport.is_closing():
                    await asyncio.sleep(0.01)
                assert pipe.written == answer
                assert await ended(pipe) == "closed"

    asyncio.run(main())


@pytest.mark.usefixtures("short_parting")
def test_who_has_sent_a_whole_request_waits_as_long_as_it_likes() -> None:
    async def main() -> None:
        quick = Timeouts(QUICK, QUICK, stalled=600)
        for whole in (HEAD, b"POST / HTTP/1.1\r\nContent-Length: 9\r\n\r\n123456789"):
            async with wired(quick) as (wire, pipe, inside):
                wire.data_received(whole)
                await turns()
                assert inside.got == whole
                await asyncio.sleep(4 * QUICK)
                assert not inside.transport.is_closing()
                assert wire._deadline is None
        async with wired(quick) as (wire, pipe, inside):
            wire.data_received(HEAD)
            inside.transport.pause_reading()
            wire.data_received(HEAD[:-1])
            await asyncio.sleep(4 * QUICK)
            assert not inside.transport.is_closing(), "it is this side that does not listen"
            inside.transport.resume_reading()
            assert await ended(pipe) == "closed"

    asyncio.run(main())


def test_every_request_has_its_own_time() -> None:
    """Who sends the rest of one body together with the half of the next has all the time for that one."""

    async def main() -> None:
        async with wired() as (wire, _, _inside):
            half = b"POST / HTTP/1.1\r\nContent-Length: 2\r\n\r\n1"
            wire.data_received(half)
            first = wire._deadline
            assert first is not None
            wire.data_received(b"2" + half)
            await turns()
            assert first.cancelled()
            assert wire._deadline is not None
            assert not wire._deadline.cancelled()

    asyncio.run(main())


@pytest.mark.usefixtures("short_parting")
def test_a_handshake_that_nobody_answers_ends() -> None:
    async def main() -> None:
        async with wired(Timeouts(QUICK, 600, 600)) as (wire, pipe, inside):
            wire.data_received(HEAD)
            inside.transport.set_protocol(inside)
            assert await ended(pipe) == "closed"
            assert pipe.written == TOO_LATE

    asyncio.run(main())


@pytest.mark.parametrize("closing", [False, True])
def test_who_reads_nothing_is_cut_off(closing: bool) -> None:
    async def main() -> None:
        async with wired(Timeouts(600, 600, stalled=QUICK)) as (wire, pipe, inside):
            wire.data_received(HEAD)
            inside.transport.write(b"x" * 1000)
            pipe.waiting, pipe.takes = 1000, 100
            inside.transport.close() if closing else wire.pause_writing()
            while pipe.waiting > 300:
                assert not pipe.aborted.done(), "a little now and then is enough"
                await asyncio.sleep(QUICK)
            pipe.takes = 0
            await asyncio.wait_for(pipe.aborted, 30)

    asyncio.run(main())


def test_when_all_is_read_nobody_watches() -> None:
    async def main() -> None:
        async with wired(Timeouts(600, 600, stalled=QUICK)) as (wire, pipe, inside):
            wire.data_received(HEAD)
            inside.transport.write(b"x" * 1000)
            pipe.waiting = 1000
            wire.pause_writing()
            pipe.waiting = 0
            wire.resume_writing()
            while wire._watching is not None:
                await asyncio.sleep(0.01)
            assert not pipe.ended.done()

    asyncio.run(main())


def test_a_protocol_that_breaks_takes_its_connection_with_it(caplog: pytest.LogCaptureFixture) -> None:
    async def main() -> None:
        async with wired() as (wire, pipe, inside):
            inside.did = lambda portion: 1 / 0  # type: ignore[assignment]
            wire.data_received(HEAD)
            assert await ended(pipe) == "aborted"

    asyncio.run(main())
    assert "a connection broke" in caplog.text


# -- before a real server ---------------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("wire")
    with serving(f"sqlite:///{folder / 'wire.db'}", folder, program=impatient(head=2, body=2, stalled=1)) as server:
        yield server
        assert "Traceback" not in server.log
        assert server.stop() == 0


def connected(server: Server, buffer: int = 0) -> socket.socket:
    wire = socket.socket()
    if buffer:
        wire.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer)
    wire.settimeout(60)
    wire.connect(("127.0.0.1", int(server.address.rpartition(":")[2])))
    return wire


def to_the_end(wire: socket.socket) -> bytes:
    """What comes until the server closes; fails after a minute."""
    answer = b""
    while part := wire.recv(1 << 16):
        answer += part
    return answer


UPGRADE = handshake("x", "y").removesuffix(b"\r\n")
"""With too many headers for the library of sockets, which gives up without a word that uvicorn would pass on."""
POST = b"POST /api/rooms HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"


HALVES: list[tuple[bytes, bytes]] = [
    (b"", b""),
    (b"GET /api/ga", b"408"),
    (b"GET /api/games HTTP/1.1\r\nHost: x\r\nX-Long", b"408"),
    (POST + b"Content-Length: 100\r\n\r\n" + b'{"game": ', b"408"),
    (POST + b"Transfer-Encoding: chunked\r\n\r\n5\r\n{    \r\n", b"408"),
    (b"GET /api/games HTTP/1.1\r\nHost: x\r\nContent-Length: 9\r\n\r\n", b"200"),
    (b"GET /api/games HTTP/1.1\r\nHost: x\r\n\r\nGET /api", b"200"),
    (UPGRADE + b"a: b\r\n" * 200 + b"\r\n", b"408"),
]
"""What a client sends before it falls silent, and the status that it hears."""


def test_a_real_server_closes_on_half_a_request(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        wires = []
        for sent, _ in HALVES:
            wires.append(stack.enter_context(connected(server)))
            wires[-1].sendall(sent)
        for (sent, status), wire in zip(HALVES, wires, strict=True):
            answer = to_the_end(wire)
            assert answer[9:12] == status, sent
            assert answer.count(b"HTTP/1.1 ") == bool(status), "one answer, whatever it is"


@pytest.mark.parametrize("begin", [b"GET /", POST + b"Content-Length: 60000\r\n\r\n{"])
def test_who_sends_a_byte_now_and_then_is_not_waited_for(server: Server, begin: bytes) -> None:
    with connected(server) as wire:
        wire.sendall(begin)
        wire.settimeout(0.1)
        answer = b""
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(600):
                try:
                    if not (part := wire.recv(1000)):
                        break
                    answer += part
                except TimeoutError:
                    wire.sendall(b"a")
            else:
                pytest.fail("a minute, and it is still heard")
        assert answer.startswith(b"HTTP/1.1 408")


def test_a_long_poll_is_no_half_request(server: Server) -> None:
    async def main() -> None:
        room, ana, _ = await full_room(server)
        version = (await ana.call("GET", f"/api/rooms/{room}"))["version"]
        async with httpx.AsyncClient(headers=ana._authorization, timeout=60) as http:
            for _ in range(2):
                params = {"version": version, "wait": 4}  # seconds: longer than half a request may take
                answer = await http.get(f"{server.address}/api/rooms/{room}/updates", params=params)
                assert answer.status_code == 200

    asyncio.run(main())


def test_a_socket_may_be_silent_and_send_slowly(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        async with Wild(server, room, eve.token) as wild:
            wild.say(type="join")
            assert (await wild.hear())["type"] == "update"
            with pytest.raises(TimeoutError):
                async with asyncio.timeout(3):
                    await wild.hear()
            ping = frame(TEXT, b'{"type": "ping"}')
            wild._writer.write(ping[:9])
            await asyncio.sleep(1.5)
            wild._writer.write(ping[9:])
            assert (await wild.hear())["type"] == "pong"

    asyncio.run(main())


def test_what_comes_right_after_a_handshake_is_heard(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        with connected(server) as wire:
            wire.sendall(handshake(room, eve.token) + frame(TEXT, b'{"type":"join"}') + frame(TEXT, b'{"type":"ping"}'))
            answer = b""
            while b'"type":"pong"' not in answer:
                part = wire.recv(1 << 16)
                assert part, answer
                answer += part
            assert answer.startswith(b"HTTP/1.1 101")

    asyncio.run(main())


def test_who_never_reads_its_answers_is_cut_off(server: Server) -> None:
    """Requests without end, and not one answer read: the server stops to hear them, and then gives up."""
    before = memory(server)
    with connected(server, buffer=4096) as wire:
        asked = b"GET /api/openapi.json HTTP/1.1\r\nHost: x\r\n\r\n"
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while True:
                wire.sendall(asked * 20)
    assert memory(server) - before < 30


def test_many_half_requests_are_gone_in_the_end(server: Server) -> None:
    with contextlib.ExitStack() as stack:
        wires = [stack.enter_context(connected(server)) for _ in range(300)]
        for wire in wires:
            with contextlib.suppress(OSError):
                wire.sendall(b"GET / HTTP/1.1\r\nHost")
        for wire in wires:
            with contextlib.suppress(ConnectionResetError):
                to_the_end(wire)
    assert httpx.get(server.address + "/healthz").status_code == 200


# -- and uvicorn is left alone ----------------------------------------------------------------------------------------


def test_a_server_stops_in_order_while_a_client_is_still_closing(tmp_path: Path) -> None:
    """It lingers a moment over a socket that its client has closed. That must not end it in the middle."""

    async def main(server: Server) -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        with connected(server) as wire:
            wire.sendall(handshake(room, eve.token) + frame(TEXT, b'{"type":"join"}') + frame(CLOSE, b"\x03\xe8"))
            assert to_the_end(wire).endswith(b"\x88\x02\x03\xe8")
            assert server.stop() == 0

    with serving(f"sqlite:///{tmp_path / 'house.db'}", tmp_path) as server:
        asyncio.run(main(server))
        assert "Traceback" not in server.log


OWN_MODULES = {"server.app", "server.wire", "server.database_lock"}


def test_of_uvicorn_only_what_is_documented_is_used() -> None:
    """Its configuration, its server, and that this is told to stop: no module below it, no attribute besides."""
    used = set()
    for path in Path(sobremesa.server.__file__).parent.rglob("*.py"):
        source = path.read_text()
        for node in ast.walk(ast.parse(source)):
            if isinstance(node, ast.ImportFrom):
                assert not (node.module or "").startswith("uvicorn"), path
            if isinstance(node, ast.Import):
                assert not any(name.name.startswith("uvicorn.") for name in node.names), path
        if "import uvicorn" in source:
            assert path.name == "run.py"
            used = set(re.findall(r"\b(uvicorn\.\w+|server\.(?!sockets)\w+)", source)) - OWN_MODULES
    assert used == {
        "uvicorn.Config",
        "uvicorn.Server",
        "server.serve",
        "server.should_exit",
        "server.force_exit",
        "server.settings",
    }
