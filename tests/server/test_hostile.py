"""Hostile clients: each hears clearly what was wrong, or is shown the door, and nobody else notices anything."""

import asyncio
import base64
import contextlib
import itertools
import json
import os
import socket
import struct
import time
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from random import Random
from typing import Any, Self

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.typing import Origin

from server.serving import Server, impatient, serving
from server.spies import Person, SpyGuest, desk
from sobremesa.rooms import messages
from sobremesa.server.client import Guest, Visit

TEXT, BINARY, CONTINUED, CLOSE, PING, PONG = 1, 2, 0, 8, 9, 10
ABNORMAL = 1006
_addresses = itertools.count(1)


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("hostile")
    with serving(f"sqlite:///{folder / 'hostile.db'}", folder, program=impatient(stalled=3)) as server:
        yield server
        assert "Traceback" not in server.log, "whatever happened above, nothing broke"


def address() -> str:
    """Another address for every bad client, as a proxy would tell it; else they would use up the good ones' share."""
    number = next(_addresses)
    return f"203.0.{number >> 8}.{number & 255}"


def memory(server: Server) -> int:
    """Megabytes that the server's process holds."""
    assert server.process is not None
    status = Path(f"/proc/{server.process.pid}/status").read_text()
    return int(status.split("VmRSS:")[1].split()[0]) // 1024


async def sockets_open(server: Server) -> int:
    number = next(_addresses)
    own = f"127.0.{number >> 8}.{number & 255}"  # figures are for this machine alone
    async with httpx.AsyncClient() as http:
        figures = (await http.get(f"{server.address}/metrics", headers={"X-Forwarded-For": own})).text
    return int(float(figures.split("\nsobremesa_sockets ")[1].split()[0]))


async def arrived(server: Server) -> Guest:
    return await Guest(server.address).arrive()


async def full_room(server: Server) -> tuple[str, Guest, Guest]:
    """A game of two that is being played."""
    ana, bo = await arrived(server), await arrived(server)
    room = await ana.open_room("isis-osiris", ["me", "open"], name="Ana")
    async with bo.enter(room) as visit:
        await visit.do("sit", name="Bo")
    return room, ana, bo


def frame(kind: int, data: bytes, end: bool = True, mask: bool = True, length: int | None = None) -> bytes:
    """What goes over the wire; the mask is zeros, which is one."""
    size = len(data) if length is None else length
    head = bytes([kind | (0x80 if end else 0)])
    flag = 0x80 if mask else 0
    if size < 126:
        head += bytes([flag | size])
    elif size < 1 << 16:
        head += struct.pack("!BH", flag | 126, size)
    else:
        head += struct.pack("!BQ", flag | 127, size)
    return head + (bytes(4) if mask else b"") + data


def handshake(room: str, token: str | None) -> bytes:
    """How a socket begins."""
    key = base64.b64encode(os.urandom(16)).decode()
    return (
        f"GET /api/rooms/{room}/socket HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
        f"Sec-WebSocket-Key: {key}\r\nSec-WebSocket-Version: 13\r\n"
        f"X-Forwarded-For: {address()}\r\nAuthorization: Bearer {token}\r\n\r\n"
    ).encode()


class Wild:
    """A client that speaks the protocol by hand, well or badly."""

    def __init__(self, server: Server, room: str, token: str | None, buffer: int = 0, polite: bool = True) -> None:
        self._port = int(server.address.rpartition(":")[2])
        self._polite = polite
        self._room = room
        self._token = token
        self._buffer = buffer

    async def __aenter__(self) -> Self:
        self.socket = socket.socket()
        if self._buffer:
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, self._buffer)
        self.socket.setblocking(False)
        await asyncio.get_running_loop().sock_connect(self.socket, ("127.0.0.1", self._port))
        self._reader, self._writer = await asyncio.open_connection(sock=self.socket, limit=4096)
        self._writer.write(handshake(self._room, self._token))
        async with asyncio.timeout(60):
            answer = await self._reader.readuntil(b"\r\n\r\n")
        assert b" 101 " in answer, answer
        return self

    async def __aexit__(self, *error: object) -> None:
        self._writer.close()
        with contextlib.suppress(OSError):
            await self._writer.wait_closed()

    def send(self, kind: int, data: bytes, *, end: bool = True, mask: bool = True, length: int | None = None) -> None:
        """A frame, right or wrong."""
        self._writer.write(frame(kind, data, end, mask, length))

    def say(self, **message: Any) -> None:
        self.send(TEXT, json.dumps(message).encode())

    async def hear(self) -> dict[str, Any]:
        """The next message; raises EOFError with the code when the server closes."""
        # Not wait_for: before Python 3.12 it loses a cancellation that comes together with what it waits for.
        while True:
            async with asyncio.timeout(60):
                first, second = await self._reader.readexactly(2)
                size = second & 127
                if size == 126:
                    size = int.from_bytes(await self._reader.readexactly(2))
                elif size == 127:
                    size = int.from_bytes(await self._reader.readexactly(8))
                data = await self._reader.readexactly(size)
            if first & 15 == PING and self._polite:
                self.send(PONG, data)
            if first & 15 == CLOSE:
                raise EOFError(int.from_bytes(data[:2]))
            if first & 15 == TEXT:
                message: dict[str, Any] = json.loads(data)
                return message

    async def closed_with(self) -> int:
        """The code with which the server closes, after whatever else it says."""
        try:
            while True:
                await self.hear()
        except EOFError as end:
            return int(end.args[0])
        except ConnectionResetError:
            return ABNORMAL  # what it said last was lost on the way

    def vanish(self) -> None:
        """Breaks the connection without a word."""
        with contextlib.suppress(OSError):  # unless the server was first
            self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._writer.transport.abort()


@contextlib.asynccontextmanager
async def observed(server: Server, room: str) -> AsyncIterator[list[str]]:
    """Whatever somebody else in the room hears meanwhile."""
    guest, heard = await arrived(server), list[str]()
    async with connect(_socket(server, room), additional_headers=guest._authorization) as looking:
        await looking.send('{"type": "join"}')
        await looking.recv()

        async def listen() -> None:
            async for message in looking:
                heard.append(str(message))

        task = asyncio.create_task(listen())
        yield heard
        task.cancel()


def _socket(server: Server, room: str) -> str:
    return server.address.replace("http", "ws", 1) + f"/api/rooms/{room}/socket"


def check_clear(answer: dict[str, Any], *reasons: str) -> None:
    assert answer["type"] == "refused", answer
    assert answer["reason"] in (reasons or ("malformed",)), answer
    assert 0 < len(answer["text"]) <= 500
    assert not any(word in answer["text"] for word in ("Traceback", 'File "', "Error(", "pydantic", "sqlalchemy"))


MALFORMED = [
    "", " ", "null", "true", "0", "[]", '"join"', "{}", "{", "}", "{'type': 'join'}", '{"type"}', '{"type":}',
    '{"type": null}', '{"type": 7}', '{"type": ["join"]}', '{"type": "dance"}', '{"type": "join", "type": 3}',
    '{"type": "join", "extra": 1}', '{"type": "join", "version": "3"}', '{"type": "join", "version": -1}',
    '{"type": "join", "version": 1.5}', '{"type": "join", "version": true}', '{"type": "join", "version": NaN}',
    '{"type": "join", "version": Infinity}', '{"type": "join", "version": 1e999}',
    '{"type": "join", "version": 99999999999999999999}', '{"type": "join", "version": ' + "9" * 5000 + "}",
    '{"type": "join", "language": "xx"}', '{"type": "join", "language": {}}',
    '{"type": "ping", "id": "\\ud800"}', '{"type": "say", "id": "a", "text": "\\ud800"}', '{"\\ud800": "\\udfff"}',
    '{"type": "dance", "id": "\\ud800"}', '{"type": "dance", "id": "' + "i" * 9000 + '"}', '{"id": "\\u0000"}',
    '{"type": "say", "id": "a", "text": "\\u0000"}', '{"type": "say", "id": "a", "text": "two\\nlines"}',
    '{"type": "say", "id": "a", "text": ""}', '{"type": "say", "id": "a", "text": "' + "x" * 60_000 + '"}',
    '{"type": "say", "id": "", "text": "x"}', '{"type": "say", "id": "no spaces", "text": "x"}',
    '{"type": "say", "text": "no id"}', '{"type": "say", "id": 5, "text": "x"}',
    '{"type": "move", "id": "a", "seat": 0, "version": 1, "move": 5}', '{"type": "move", "id": "a", "seat": 0}',
    '{"type": "move", "id": "a", "seat": -1, "version": 1, "move": "c3"}',
    '{"type": "move", "id": "a", "seat": 1e400, "version": 1, "move": "c3"}',
    '{"type": "move", "id": "a", "seat": 99999, "version": 1, "move": "c3"}',
    '{"type": "move", "id": "a", "seat": 0, "version": 1, "move": "' + "c" * 61 + '"}',
    '{"type": "leave", "id": "a", "seat": 7}', '{"type": "engine", "id": "a", "seat": 70, "player": "x"}',
    "[" * 60_000, '{"a":' * 10_000, '{"type": "join", "version": ' + "[" * 50_000 + "}",
    "\ufeff{}", "\x00", "\U0001f600" * 9000,
]  # fmt: skip


async def say_all(server: Server, room: str, token: str, messages: list[str], join: bool) -> list[dict[str, Any]]:
    """One answer to each message; who does not join is sent away after a while, and comes again."""
    answers: list[dict[str, Any]] = []
    while True:
        async with Wild(server, room, token) as wild:
            try:
                if join:
                    wild.say(type="join")
                    await wild.hear()
                for message in messages[len(answers) :]:
                    wild.send(TEXT, message.encode())
                    answers.append(await wild.hear())
                wild.say(type="ping")
                assert (await wild.hear())["type"] == "pong", "the conversation goes on"
                return answers
            except EOFError:
                assert not join


def test_every_bad_message_gets_a_clear_answer(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        assert eve.token is not None
        async with observed(server, room) as heard:
            before = (await eve.call("GET", f"/api/rooms/{room}"))["version"]
            for join in (True, False):
                for message, answer in zip(
                    MALFORMED, await say_all(server, room, eve.token, MALFORMED, join), strict=True
                ):
                    check_clear(answer, "malformed", "forbidden", *([] if join else ["early"]))
                    assert answer["id"] in (None, "a"), message
            assert (await eve.call("GET", f"/api/rooms/{room}"))["version"] == before
            assert heard == [], "to its sender only"

    asyncio.run(main())


JUNK: list[Any] = [
    None, True, False, 0, -1, 1, 3, 2**31, 2**63, 2**64, -(2**70), 0.5, 1e308, -0.0, "", "0", "join", "a" * 70, "c3",
    "T", "Sc3", "\x00", "é", "\u202e", "\ud83d", "²", "٣", "a1" * 30, [], [[]], {}, {"type": "join"}, [None] * 50,
    {"a": {"b": {}}},
]  # fmt: skip
COMMANDS: list[dict[str, Any]] = [
    {"type": "join", "language": "es"},
    {"type": "ping"},
    {"type": "sit", "id": "a", "name": "Eve", "seat": 1, "words": "mine"},
    {"type": "leave", "id": "a", "seat": 0},
    {"type": "engine", "id": "a", "seat": 0, "player": "greedy"},
    {"type": "entropy", "id": "a", "seat": 0, "words": "x"},
    {"type": "check", "id": "a", "seat": 0, "move": "Sc3"},
    {"type": "hint", "id": "a", "seat": 0},
    {"type": "hurry", "id": "a"},
    {"type": "start", "id": "a"},
    {"type": "move", "id": "a", "seat": 0, "version": 7, "move": "Sc3"},
    {"type": "say", "id": "a", "text": "hello"},
    {"type": "phrase", "id": "a", "phrase": "hello"},
    {"type": "manage", "id": "a", "public": True, "chat": False},
]


def mutated(random: Random) -> str:
    """A message with something wrong in it, or several things."""
    message = dict(random.choice(COMMANDS))
    for _ in range(random.randint(1, 3)):
        match random.randrange(4):
            case 0:
                message.pop(random.choice(list(message)), None) if message else None
            case 1:
                message[random.choice(["extra", "", "seat", "id", "type", "é"])] = random.choice(JUNK)
            case _:
                message[random.choice([*message, "type"])] = random.choice(JUNK)
    text = json.dumps(message)
    if random.random() < 0.2:
        at = random.randrange(len(text))
        text = text[:at] + random.choice(["", '"', "{", "\\", "\\u", "\x1f", "9" * 400]) + text[at + 1 :]
    return text


def test_a_fuzzer_at_the_socket(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        assert eve.token is not None
        before = (await eve.call("GET", f"/api/rooms/{room}"))["version"]
        kinds: set[str] = set()
        for seed in range(5):
            random = Random(seed)
            messages = [mutated(random) for _ in range(150)]
            for answer in await say_all(server, room, eve.token, messages, join=bool(seed % 2)):
                kinds.add(answer["reason"] if answer["type"] == "refused" else answer["type"])
                if answer["type"] == "refused":
                    check_clear(answer, "malformed", "forbidden", "early", "late", "taken", "stale", "full", "illegal")
        assert kinds >= {"malformed", "forbidden", "early", "update"}
        assert (await eve.call("GET", f"/api/rooms/{room}"))["version"] == before

    asyncio.run(main())


def test_refusals_are_in_the_clients_language(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        texts = set()
        for language in ("en", "es", "fr", "nl"):
            async with Wild(server, room, eve.token) as wild:
                wild.say(type="join", language=language)
                assert (await wild.hear())["type"] == "update"
                wild.say(type="leave", id="a", seat=0)
                answer = await wild.hear()
                check_clear(answer, "forbidden")
                texts.add(answer["text"])
        assert len(texts) == 4

    asyncio.run(main())


def test_bytes_and_fragments(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        async with Wild(server, room, eve.token) as wild:
            wild.send(BINARY, b'{"type": "ping"}')
            check_clear(await wild.hear())
            wild.send(TEXT, b'{"type"', end=False)
            wild.send(PING, b"in between")
            for _ in range(500):
                wild.send(CONTINUED, b"", end=False)
            wild.send(CONTINUED, b': "ping"}')
            assert (await wild.hear())["type"] == "pong", "a message in pieces is a message"
            wild.send(TEXT, b'{"type": "', end=False)
            for byte in b"joi":
                wild.send(CONTINUED, bytes([byte]), end=False)
            wild.send(CONTINUED, b'n"}')
            assert (await wild.hear())["type"] == "update"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("a message of 70 kB", 1009),
        ("pieces of 70 kB in all", 1009),
        ("a length of an exabyte", 1009),
        ("text that is none", 1007),
        ("a frame without a mask", 1002),
        ("a kind of frame that is none", 1002),
        ("bits that mean nothing", 1002),
        ("a ping that is too long", 1002),
        ("an end without a beginning", 1002),
    ],
)
def test_what_is_no_message_at_all_closes_the_socket(server: Server, name: str, code: int) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        async with observed(server, room) as heard, Wild(server, room, eve.token) as wild:
            wild.say(type="join")
            await wild.hear()
            match name:
                case "a message of 70 kB":
                    wild.send(TEXT, b" " * 70_000)
                case "pieces of 70 kB in all":
                    wild.send(TEXT, b" " * 10_000, end=False)
                    for _ in range(6):
                        wild.send(CONTINUED, b" " * 10_000, end=False)
                case "a length of an exabyte":
                    wild.send(TEXT, b"{}", length=1 << 60)
                case "text that is none":
                    wild.send(TEXT, b'{"type": "\xff\xfe\xed\xa0\x80"}')
                case "a frame without a mask":
                    wild.send(TEXT, b"{}", mask=False)
                case "a kind of frame that is none":
                    wild.send(7, b"{}")
                case "bits that mean nothing":
                    wild.send(TEXT | 0x70, b"{}")
                case "a ping that is too long":
                    wild.send(PING, b" " * 126)
                case "an end without a beginning":
                    wild.send(CONTINUED, b"{}")
            assert await wild.closed_with() == code
            assert heard == []

    asyncio.run(main())


def test_who_may_open_a_socket(server: Server) -> None:
    async def main() -> None:
        room, ana, bo = await full_room(server)
        url = _socket(server, room)
        token = ana.token
        assert token is not None
        assert bo.token is not None
        own = server.address
        # Our own page, or a program; and the door says no before a word is spoken.
        for origin in (None, own):
            async with connect(url, origin=Origin(origin) if origin else None, additional_headers=ana._authorization):
                pass
        origins = [
            "http://evil.example",
            "null",
            "http://[",
            "https://127.0.0.1",
            own + ".evil.example",
            "http://",
            "%",
        ]
        for wrong in [*origins, f"http://{own.removeprefix('http://')}@evil.example", "file://", "http://127.0.0.1:1"]:
            with pytest.raises(InvalidStatus) as refused:
                await connect(url, origin=Origin(wrong), additional_headers=ana._authorization)
            assert refused.value.response.status_code == 403, wrong
        raw, signature = token.split(".")
        forged = [
            "", ".", "x", raw, f"{raw}.", f"{raw}.{'A' * 24}", f"{raw}.{signature[:-1]}", f"{raw}.{signature}=",
            f"{raw}.{bo.token.split('.')[1]}", f"{bo.token.split('.')[0]}.{signature}", f"{raw[:-1]}.{signature}",
            token.swapcase(), token + token, "a" * 5000, "é.ü", "!!!!.!!!!", f"{raw}..{signature}", f" {token} x",
            base64.urlsafe_b64encode(bytes(24)).decode() + "." + base64.urlsafe_b64encode(bytes(18)).decode(),
        ]  # fmt: skip
        for wrong in forged:
            for headers in ({"Authorization": f"Bearer {wrong}"}, {"Cookie": f"sobremesa_person={wrong}"}):
                with pytest.raises(InvalidStatus) as refused:
                    await connect(url, additional_headers=headers)
                assert refused.value.response.status_code == 403, wrong
        with pytest.raises(InvalidStatus):
            await connect(url)
        with pytest.raises(InvalidStatus):
            await connect(f"{url}?token={token}"), "a token in an address is no token"

    asyncio.run(main())


def test_rooms_that_are_not_there(server: Server) -> None:
    async def main() -> None:
        eve = await arrived(server)
        for room in ("nowhere", "%00", "%F0%9F%98%80", "a" * 41, "a" * 5000, "'--"):
            async with Wild(server, room, eve.token) as wild:
                wild.say(type="join")
                check_clear(await wild.hear(), "unknown")
                assert (await wild.hear())["type"] == "goodbye"
                assert await wild.closed_with() == 1001

    asyncio.run(main())


def test_join_first_and_as_often_as_you_like(server: Server) -> None:
    async def main() -> None:
        room, *_ = await full_room(server)
        eve = await arrived(server)
        async with Wild(server, room, eve.token) as wild:
            wild.say(type="say", id="a", text="hello")
            check_clear(await wild.hear(), "early")
            for language in ("en", "es", "en"):
                wild.say(type="join", language=language)
                answer = await wild.hear()
                assert (answer["type"], answer["reset"]) == ("update", True)
            wild.say(type="join", version=3)  # as pages of version 0.1.0 do
            answer = await wild.hear()
            assert (answer["type"], answer["reset"]) == ("update", True)
        async with Wild(server, room, eve.token) as silent:
            assert await silent.closed_with() == 1001, "who never joins has to go"

    asyncio.run(main())


# -- and meanwhile, others play ---------------------------------------------------------------------------------------


class Evening:
    """Honest people who play while others misbehave. Each of their moves must be done, and soon."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.waits: list[float] = []
        self.games = 0
        self.done = asyncio.Event()

    async def _play(self, visit: Visit, seat: int, random: Random) -> None:
        seen = -1
        while True:
            update = await visit.newer_than(seen)
            seen = update["version"]
            if update["room"]["over"]:
                return
            if legal := update["legal"].get(str(seat)):
                await asyncio.sleep(0.12)
                began = time.monotonic()
                async with asyncio.timeout(30):
                    await visit.do("move", seat=seat, move=random.choice(legal), version=seen)
                self.waits.append(time.monotonic() - began)

    async def _play_on(self, visit: Visit, seat: int, ends: bool) -> None:
        """Game after game; who ``ends`` it stops when the hostile ones are through.

        A refusal or a lost connection fails the test.
        """
        number = 1
        while True:
            await visit.wait_until(lambda update, number=number: update["room"]["number"] == number)  # type: ignore[misc]
            await self._play(visit, seat, Random(number))
            if ends and self.done.is_set():
                break
            number += 1
            await visit.do("start")  # the next game begins when everybody at the table has said so
        self.games += number
        assert visit.reconnects == 0, "nobody was thrown out"

    async def two_in_a_room_of_their_own(self) -> None:
        ana, bo = Guest(self.server.address), Guest(self.server.address)
        room = await ana.open_room("knister", ["me", "open"])
        async with ana.enter(room) as one, bo.enter(room) as two:
            await two.do("sit", name="Bo")
            starting = asyncio.create_task(self._play_on(one, 0, True))
            playing = asyncio.create_task(self._play_on(two, 1, False))
            await starting
            playing.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await playing

    async def one_among_the_hostile(self, room: asyncio.Future[str]) -> None:
        cy = Guest(self.server.address)
        room.set_result(await cy.open_room("isis-osiris", ["me", "random"], public=True))
        async with cy.enter(room.result()) as visit:
            await self._play_on(visit, 0, True)


FLOODS = {
    "messages": frame(TEXT, b"{}") * 8000,
    "moves": frame(TEXT, b'{"type":"move","id":"a","seat":0,"move":"T","version":7}') * 1000,
    "pings": frame(PING, b"x" * 100) * 1000,
    "nothing": frame(TEXT, b"{", end=False) + frame(CONTINUED, b"", end=False) * 8000,
    "large": frame(TEXT, b"[" * 60_000) * 3,
}


def flood(server: Server, room: str, token: str, what: bytes) -> int:
    """As much as the network takes, without reading an answer; returns how many bytes that was."""
    host, port = server.address.removeprefix("http://").split(":")
    sent = 0
    with socket.create_connection((host, int(port)), timeout=2) as wire, contextlib.suppress(OSError):
        wire.sendall(handshake(room, token) + frame(TEXT, b'{"type":"join"}'))
        until = time.monotonic() + 4
        while time.monotonic() < until and sent < 20_000_000:
            sent += wire.send(what)
    return sent


async def flood_and_read(server: Server, room: str, token: str) -> None:
    """A flood whose sender listens hears that it is too much."""
    async with Wild(server, room, token) as wild:
        wild.say(type="join")
        for _ in range(2000):
            wild.say(type="ping")
        reasons = set()
        with contextlib.suppress(ConnectionResetError):  # it may be sent away before it has read all
            while "busy" not in reasons:
                answer = await wild.hear()
                reasons.add(answer.get("reason", answer["type"]))
        assert "pong" in reasons


async def come_and_go(server: Server, room: str, token: str, random: Random) -> None:
    """Sockets that are opened and dropped at once, with a word or without one."""
    for _ in range(40):
        async with Wild(server, room, token) as wild:
            if random.random() < 0.7:
                wild.say(type="join")
            if random.random() < 0.5:
                await asyncio.sleep(random.random() * 0.02)
            if random.random() < 0.5:
                wild.send(TEXT, b'{"type"', end=random.random() < 0.5)
            if random.random() < 0.7:
                wild.vanish()


async def half_open(server: Server, room: str, token: str) -> None:
    """Peers that are gone without anybody having been told: no pong comes, and they are let go."""
    async with contextlib.AsyncExitStack() as stack:
        gone = [await stack.enter_async_context(Wild(server, room, token, polite=False)) for _ in range(5)]
        for wild in gone:
            wild.say(type="join")
        codes = await asyncio.gather(*(wild.closed_with() for wild in gone))
        assert set(codes) <= {1011, ABNORMAL}


def test_nobody_else_is_disturbed(server: Server, request: pytest.FixtureRequest) -> None:
    async def main() -> None:
        evening = Evening(server)
        place: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        playing = asyncio.gather(evening.two_in_a_room_of_their_own(), evening.one_among_the_hostile(place))
        room = await place
        hostile = [await arrived(server) for _ in range(16)]
        tokens = [guest.token for guest in hostile if guest.token]
        before = memory(server)
        await asyncio.gather(
            *(
                asyncio.to_thread(flood, server, room, token, what)
                for what, token in zip(FLOODS.values(), tokens, strict=False)
            ),
            flood_and_read(server, room, tokens[5]),
            *(come_and_go(server, room, token, Random(token)) for token in tokens[6:14]),
            half_open(server, room, tokens[14]),
            say_all(server, room, tokens[15], MALFORMED, join=False),
        )
        grown = memory(server) - before
        evening.done.set()
        await asyncio.wait_for(playing, 90)
        assert evening.games >= 2, "whole games"
        assert len(evening.waits) > 60
        if request.config.getoption("--at-length"):  # on a machine that has nothing else to do
            assert max(evening.waits) < 2
            assert sorted(evening.waits)[len(evening.waits) // 2] < 0.2
        assert grown < 60, f"{grown} MB more than before"
        await gone_again(server)

    asyncio.run(main())


async def gone_again(server: Server) -> None:
    """Nothing is left of all those sockets, and the server answers as before."""
    async with asyncio.timeout(60):
        while await sockets_open(server):
            await asyncio.sleep(0.1)
    assert server.process is not None
    assert server.process.poll() is None
    assert (await Guest(server.address).call("GET", "/api/games"))[0]["id"]


def test_who_does_not_read_is_sent_away(server: Server) -> None:
    async def main() -> None:
        host = await arrived(server)
        room = await host.open_room("knister", [], crowd=True)
        headers = [{"X-Forwarded-For": address()} for _ in range(12)]
        talkers = [await SpyGuest(server.address, "", [], of).arrive() for of in headers]
        before = memory(server)
        async with contextlib.AsyncExitStack() as stack:
            slow = [await stack.enter_async_context(Wild(server, room, host.token, buffer=2048)) for _ in range(20)]
            for wild in slow:
                wild.say(type="join")
            visits = [await stack.enter_async_context(guest.enter(room)) for guest in talkers]
            assert await sockets_open(server) == 20 + 12

            async def talk(visit: Visit) -> None:
                await visit.do("sit", name="Talker")
                for _ in range(38):
                    await visit.do("say", text="bla " * 49)

            await asyncio.gather(*(talk(visit) for visit in visits))
            assert memory(server) - before < 120
            async with asyncio.timeout(60):  # no pong comes from them
                while await sockets_open(server) > 12:
                    await asyncio.sleep(0.1)
        await gone_again(server)

    asyncio.run(main())


def test_a_slow_reader_gets_the_backlog_and_a_goodbye(tmp_path: Path) -> None:
    async def main() -> None:
        ana, eve = Person(1), Person(2)
        async with desk(tmp_path) as here:
            setup = messages.NewRoom(game="knister", seats=[messages.SeatPlan(kind="me")], wait=True)
            opened = await here.house.hub.create(setup, ana.id)
            async with here.socket(opened.room.id, eve.token) as slow, here.socket(opened.room.id, ana.token) as busy:
                slow.say(type="join")
                busy.say(type="join")
                await busy.hear()
                first = json.loads(await slow.hear())["version"]
                slow.reads.clear()
                behind = here.house.settings.limits.behind
                for number in range(2 * behind):
                    busy.say(type="say", id=f"s{number}", text="bla")
                    await busy.hear_until(first + number + 1)
                assert len(opened.audience) <= 2
                slow.reads.set()
                told = [json.loads(await slow.hear()) for _ in range(behind + 2)]
                assert [message["version"] for message in told[:-1]] == list(range(first + 1, first + behind + 2))
                assert told[-1] == {"type": "goodbye", "reason": "slow", "retry_after": 1.0}
                with pytest.raises(EOFError):
                    await slow.hear()
                assert slow.closed == 1001

    asyncio.run(main())


def test_even_the_log_keeps_quiet_about_them(server: Server) -> None:
    """Runs last: all of the above has left no traceback and no error, only ordinary lines."""
    assert "Traceback" not in server.log
    assert '"level": "error"' not in server.log
    assert ConnectionClosed.__name__ not in server.log
