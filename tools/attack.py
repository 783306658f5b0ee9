"""Attacks a server of our own on this machine, as a stranger, a player or somebody's page would, and says what held.

``python tools/attack.py`` starts ``sobremesa serve`` with its usual limits on a free port of the loopback interface,
and tries what is in ``TRIED`` with requests, sockets and bytes of its own: nothing of the house's client, tests or
rules is used. It prints what was tried, what was answered, and whether the house held; it ends with 1 if anything
broke, or if anything could not be tried. It reads the server's database and log, to know what nobody must be told.
``--short`` leaves out what needs minutes; ``tests/server/test_attack.py`` drives that against a house as it is, and
against one whose defences were taken out.
"""

import argparse
import asyncio
import base64
import contextlib
import itertools
import json
import re
import secrets
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, cast

import httpx
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed, InvalidHandshake

Json = dict[str, Any]
COOKIE = "sobremesa_person"
UNFINISHED = "not tried to its end"
LONGER = 8.0
"""Seconds beyond a timeout of the server's within which a connection has to be closed."""
MAX_WAIT_SECONDS = 60.0
"""Seconds for any answer: what hangs for longer was not held."""
HUNGRY = [{"kind": "engine", "player": "champion"}, {"kind": "engine", "player": "champion"}]


class Finding(NamedTuple):
    """What was tried, what the house answered, and whether it held."""

    tried: str
    answered: str
    held: bool


class Received(NamedTuple):
    """Something that was said to somebody."""

    to: str
    text: str


class Forgetful(httpx.Cookies):
    """Keeps nothing: people keep their cookies themselves."""

    def extract_cookies(self, response: httpx.Response) -> None:
        """Leaves them where they are."""


@dataclass
class House:
    """The server that is attacked, and everything that it said."""

    address: str
    database: Path
    log: Path
    head: float
    """Seconds that it is said to wait for a request's head."""
    body: float
    """The same for a body."""
    short: bool
    received: list[Received] = field(default_factory=list)
    people: list["Somebody"] = field(default_factory=list)
    http: httpx.AsyncClient = field(init=False)
    _networks: Any = field(default_factory=itertools.count)

    def __post_init__(self) -> None:
        limits = httpx.Limits(max_connections=100, max_keepalive_connections=20, keepalive_expiry=2)
        self.http = httpx.AsyncClient(base_url=self.address, timeout=MAX_WAIT_SECONDS, trust_env=False, limits=limits)
        self.http._cookies = Forgetful()

    @property
    def port(self) -> int:
        """Where it listens."""
        return int(self.address.rpartition(":")[2])

    def network(self) -> str:
        """The address of a network that has not come yet; the server believes a proxy on this machine."""
        number = next(self._networks)
        return f"198.18.{number // 250}.{number % 250 + 1}"

    def somebody(self, name: str = "", network: str | None = None, token: str | None = None) -> "Somebody":
        """A new person, in a network of their own unless it is named."""
        here = Somebody(self, name or f"somebody {len(self.people)}", network or self.network(), token)
        self.people.append(here)
        return here

    def rows(self, query: str, *values: Any) -> list[Any]:
        """What the database holds, as its operator reads it."""
        with contextlib.closing(sqlite3.connect(f"file:{self.database}?mode=ro", uri=True)) as connection:
            return connection.execute(query, values).fetchall()

    def version(self, room: str) -> int:
        """How long the log of a room is."""
        return int(self.rows("select max(version) from events where room = ?", room)[0][0])


class Somebody:
    """Who asks: a cookie, kept by hand, and a network."""

    def __init__(self, house: House, name: str, network: str, token: str | None) -> None:
        self.house, self.name, self.network, self.token = house, name, network, token
        self._ids = itertools.count()

    def headers(self, **more: str) -> dict[str, str]:
        """What each request brings along."""
        cookie = {"Cookie": f"{COOKIE}={self.token}"} if self.token else {}
        return (
            {"X-Forwarded-For": self.network} | cookie | {name.replace("_", "-"): value for name, value in more.items()}
        )

    async def ask(self, method: str, path: str, json: Any = None, /, **headers: str) -> httpx.Response:
        """A request; a new cookie is kept."""
        return await self.send(method, path, {"json": json} if json is not None else {}, **headers)

    async def send(self, method: str, path: str, what: dict[str, Any], /, **headers: str) -> httpx.Response:
        """A request with any body."""
        answer = await self.house.http.request(method, path, headers=self.headers(**headers), **what)
        cookie = re.match(rf"(?:__Host-)?{COOKIE}=([^;]*)", answer.headers.get("set-cookie", ""))
        if cookie:
            self.token = cookie[1].strip('"') or None
        self.house.received.append(Received(self.name, answer.text))
        return answer

    async def arrive(self) -> "Somebody":
        """Gets a cookie."""
        await self.ask("GET", "/api/me")
        return self

    async def open(self, game: str, *seats: str, **setup: Any) -> str:
        """A new room."""
        plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
        answer = await self.ask("POST", "/api/rooms", {"game": game, "seats": plans} | setup)
        if answer.status_code != 201:
            raise RuntimeError(f"no room: {answer.status_code} {answer.text}")
        return str(answer.json()["room"])

    async def do(self, room: str, type: str, /, **fields: Any) -> httpx.Response:
        """A command."""
        return await self.ask(
            "POST", f"/api/rooms/{room}/commands", {"type": type, "id": f"c{next(self._ids)}"} | fields
        )

    async def look(self, room: str) -> Json:
        """Where a room stands."""
        return cast(Json, (await self.ask("GET", f"/api/rooms/{room}")).json())

    @contextlib.asynccontextmanager
    async def talk(self, room: str, **headers: str) -> AsyncIterator[ClientConnection]:
        """A socket."""
        address = f"{self.house.address.replace('http', 'ws')}/api/rooms/{room}/socket"
        named = self.headers(**headers)
        async with connect(address, additional_headers=named, compression=None, proxy=None) as opened:
            yield opened

    async def hear(self, opened: ClientConnection, type: str = "") -> Json:
        """The next message, or the next of a kind."""
        while True:
            text = str(await asyncio.wait_for(opened.recv(), MAX_WAIT_SECONDS))
            self.house.received.append(Received(self.name, text))
            message: Json = json.loads(text)
            if message["type"] in (type or message["type"], "goodbye"):
                return message

    async def knock(self, room: str, **headers: str) -> str:
        """What becomes of a socket: ``joined``, or why not."""
        try:
            async with self.talk(room, **headers) as opened:
                await opened.send('{"type":"join"}')
                heard = await self.hear(opened)
                return "joined" if heard["type"] == "update" else str(heard["type"])
        except InvalidHandshake as error:
            return f"refused ({type(error).__name__})"
        except ConnectionClosed as error:
            return f"closed {error.rcvd.code if error.rcvd else ''}"


Attempt = Callable[[House], AsyncIterator[Finding]]
TRIED: dict[str, Attempt] = {}
"""All attacks by name, in their order."""


def attack(tried: Attempt) -> Attempt:
    """An attack of the list."""
    TRIED[tried.__name__.replace("_", " ")] = tried
    return tried


def statuses(answers: Iterable[httpx.Response]) -> str:
    """Which statuses there were, and how often."""
    codes = sorted(answer.status_code for answer in answers)
    return ", ".join(f"{len(list(same))} × {code}" for code, same in itertools.groupby(codes))


def refused(answers: Sequence[httpx.Response]) -> bool:
    """Whether each was refused, for a reason and not by a mistake."""
    return bool(answers) and all(400 <= answer.status_code < 500 for answer in answers)


async def table_of_two(house: House, game: str = "callisto", **setup: Any) -> tuple[Somebody, Somebody, str]:
    """Two people who play."""
    ana, bo = await house.somebody("ana").arrive(), await house.somebody("bo").arrive()
    room = await ana.open(game, "me", "open", name="Ana", **setup)
    answer = await bo.do(room, "sit", name="Bo")
    if answer.status_code != 200:
        raise RuntimeError(answer.text)
    return ana, bo, room


# -- somebody else's seat ---------------------------------------------------------------------------------------------


@attack
async def anothers_seat(house: House) -> AsyncIterator[Finding]:
    """A stranger and the opponent act for somebody."""
    ana, bo, room = await table_of_two(house)
    stranger = await house.somebody("stranger").arrive()
    here = await ana.look(room)
    seat = int(next(iter(here["legal"]), 1))
    owner, other = (ana, bo) if "0" in here["legal"] else (bo, ana)
    seat = int(next(iter((await owner.look(room))["legal"])))
    move = (await owner.look(room))["legal"][str(seat)][0]
    before = house.version(room)
    nobody: list[httpx.Response] = []
    for thief in (stranger, other):
        version = (await thief.look(room))["version"]
        nobody += [
            await thief.do(room, "move", seat=seat, version=version, move=move),
            await thief.do(room, "resign", seat=seat),
            await thief.do(room, "entropy", seat=seat, words="mine"),
            await thief.do(room, "check", seat=seat, move=move),
            await thief.do(room, "hint", seat=seat),
            await thief.do(room, "sit", seat=seat, name="Cy"),
            await thief.do(room, "engine", seat=seat, player="champion"),
        ]
    nobody += [
        await bo.do(room, "leave", seat=0),
        await stranger.do(room, "leave", seat=0),
        await stranger.do(room, "say", text="hello"),
        await stranger.do(room, "offer", what="stop"),
        *[await thief.do(room, "manage", public=True) for thief in (stranger, bo)],
        *[await thief.do(room, "close") for thief in (stranger, bo)],
        *[await thief.do(room, "pause", on=True) for thief in (stranger, bo)],
    ]
    held = refused(nobody) and house.version(room) == before
    yield Finding(
        "moves, gives up, leaves, asks and talks in another's seat; manages another's room", statuses(nobody), held
    )

    now = (await owner.look(room))["version"]
    wrong = [
        await other.do(room, "move", seat=1 - seat, version=now, move=move),
        await owner.do(room, "move", seat=seat, version=now - 1, move=move),
        await owner.do(room, "move", seat=seat, version=now + 5, move=move),
        await owner.do(room, "move", seat=seat, version=now, move="zz99"),
        await owner.do(room, "move", seat=7, version=now, move=move),
    ]
    yield Finding(
        "moves out of turn, for a version that is over or to come, and impossible ones",
        statuses(wrong),
        refused(wrong) and house.version(room) == before,
    )


@attack
async def idempotency_keys(house: House) -> AsyncIterator[Finding]:
    """The same id again: at once, later, with something else in it, from somebody else."""
    ana, bo, room = await table_of_two(house)
    seat = 0 if "0" in (await ana.look(room))["legal"] else 1
    owner, other = (ana, bo) if seat == 0 else (bo, ana)
    here = await owner.look(room)
    legal, before = here["legal"][str(seat)], house.version(room)
    command = {"type": "move", "id": "one", "seat": seat, "version": here["version"], "move": legal[0]}
    path = f"/api/rooms/{room}/commands"
    same = await asyncio.gather(*(owner.ask("POST", path, command) for _ in range(20)))
    same += [await owner.ask("POST", path, command | {"move": legal[1]})]
    done = house.rows("select version from events where room = ? and command = 'one'", room)
    moved = house.rows("select count(*) from events where room = ? and version > ? and kind = 'moved'", room, before)
    yield Finding(
        "one move with one id, 20 times at once and once with another move",
        f"{statuses(same)}; in the log {len(done)}, moved {moved[0][0]}",
        len(done) == 1 and moved[0][0] == 1 and {answer.status_code for answer in same} == {200},
    )

    theirs = await other.ask("POST", path, {"type": "say", "id": "one", "text": "the same id"})
    heard = house.rows("select count(*) from events where room = ? and command = 'one'", room)[0][0]
    yield Finding("another person's id", f"{theirs.status_code}, {heard} in the log", heard == 2)

    setup = {"id": "mine", "game": "callisto", "seats": [{"kind": "me"}, {"kind": "open"}]}
    opened = [await ana.ask("POST", "/api/rooms", setup) for _ in range(3)]
    stolen = await bo.ask("POST", "/api/rooms", setup)
    rooms = {answer.json()["room"] for answer in opened}
    held = len(rooms) == 1 and stolen.json()["room"] not in rooms
    yield Finding("opens a room three times with one id, and another person with theirs", f"{len(rooms)} room", held)


# -- somebody else's name, cookie or device ---------------------------------------------------------------------------


def forgeries(token: str, person: str) -> list[str]:
    """Cookies that are not the victim's, and not ours."""
    raw, _, signature = token.partition(".")
    bare = base64.urlsafe_b64decode(raw)
    other = base64.urlsafe_b64encode(bytes([bare[0] ^ 1]) + bare[1:]).decode()
    flipped = [token[:at] + ("A" if token[at] != "A" else "B") + token[at + 1 :] for at in range(0, len(signature), 5)]
    return [
        *(f"{raw}.{signature[:-1]}", f"{raw}.", raw, f"{raw}.{'A' * len(signature)}", f"{raw}{signature}"),
        *(f".{signature}", f"{other}.{signature}", person, f"{person}.{signature}", f"{raw}.{signature}.{signature}"),
        *(f"{raw}=.{signature}", f"{raw}.{signature}=", token.swapcase(), token[::-1], f"{token}\x00", "null", "0"),
        *[one for one in flipped if one != token],
    ]


@attack
async def forged_cookies(house: House) -> AsyncIterator[Finding]:
    """Who guesses or changes a cookie."""
    ana = await house.somebody("ana").arrive()
    room = await ana.open("callisto", "me", "open", name="Ana")
    person = str(house.rows("select host from rooms where id = ?", room)[0][0])
    assert ana.token is not None
    tries = forgeries(ana.token, person)
    won = []
    for forged in tries:
        thief = house.somebody("thief")
        for kind in ("Cookie", "Authorization"):
            value = f"{COOKIE}={forged}" if kind == "Cookie" else f"Bearer {forged}"
            with contextlib.suppress(httpx.HTTPError, ValueError):  # what no client sends
                answer = await house.somebody("thief").ask("GET", "/api/me", **{kind: value})
                if answer.status_code == 200 and room in answer.text:
                    won.append(forged)
        thief.token = forged if forged.isprintable() else None
        try:
            async with thief.talk(room) as opened:
                await opened.send('{"type":"join"}')
                if (await thief.hear(opened, "update")).get("room", {}).get("host"):
                    won.append(forged)
        except (InvalidHandshake, ConnectionClosed):
            pass
    yield Finding(
        f"{len(tries)} forged cookies, as a cookie, as a bearer token and at a socket", f"{len(won)} passed", not won
    )
    chosen = base64.urlsafe_b64encode(bytes(24)).decode() + "." + "A" * 24
    fixed = house.somebody("fixed", token=chosen)
    await fixed.ask("GET", "/api/me")
    yield Finding("has somebody come with a cookie that the attacker chose", "another was given", fixed.token != chosen)


@attack
async def ended_tokens(house: House) -> AsyncIterator[Finding]:
    """A stolen cookie, after its owner has renewed it; codes for a second device; deletion."""
    ana = await house.somebody("ana").arrive()
    room = await ana.open("callisto", "me", "open", name="Ana")
    thief = house.somebody("thief", token=ana.token)
    async with thief.talk(room) as opened:
        await opened.send('{"type":"join"}')
        await thief.hear(opened, "update")
        await ana.ask("POST", "/api/me/renew", {})
        stolen, before = thief.token, house.version(room)
        await opened.send('{"type":"say","id":"late","text":"still here"}')
        try:
            said = (await thief.hear(opened))["type"]
        except ConnectionClosed:
            said = "closed"
        held = said in ("goodbye", "closed") and house.version(room) == before
        yield Finding("goes on talking at an open socket with a renewed cookie", said, held)
    answers = [await thief.ask("GET", "/api/me")]
    thief.token = stolen
    knocked = await thief.knock(room)
    thief.token = stolen
    answers.append(await thief.do(room, "leave", seat=0))
    held = room not in answers[0].text and answers[1].status_code == 403 and knocked.startswith(("closed", "refused"))
    yield Finding("comes back with it", f"{statuses(answers)}; socket {knocked}", held)

    code = (await ana.ask("POST", "/api/me/devices")).json()["path"].partition("=")[2]
    guesses = [secrets.token_urlsafe(16), code[:-1], code.swapcase(), "", "%", code + "=", f"{code}' or '1'='1"]
    tries = [await house.somebody("thief").ask("POST", "/api/me/devices/claim", {"code": one}) for one in guesses]
    tablet = house.somebody("tablet")
    claimed = await tablet.ask("POST", "/api/me/devices/claim", {"code": code})
    twice = await house.somebody("thief").ask("POST", "/api/me/devices/claim", {"code": code})
    yield Finding(
        "guesses the code of a second device, and uses one twice",
        statuses([*tries, twice]),
        refused([*tries, twice]) and claimed.status_code == 204,
    )
    old = [ana.token, tablet.token]
    await ana.ask("DELETE", "/api/me")
    after = [await house.somebody("thief", token=token).ask("GET", "/api/me") for token in old]
    yield Finding(
        "comes with the cookies of somebody who was forgotten",
        "nobody's rooms" if all(room not in answer.text for answer in after) else "their rooms",
        all(room not in answer.text for answer in after),
    )


CONFUSABLE = (
    *(
        "champion",
        "Chаmpion",
        "Ｃｈａｍｐｉｏｎ",
        "Champ1on",
        "Charnpion",
        "ᴄʜᴀᴍᴘɪᴏɴ",
        "C.h.a.m.p.i.o.n",
        "Сһіld",
        "Admin",
    ),
    *(
        "4dmin",
        "H0st",
        "Sobremesa",
        "\u3164",
        "\u2800",
        "A\u115fna",
        "Z" + "\u0301" * 9,
        "A\u202ena",
        "A\u200bna",
        "\x07",
    ),
    *("Anа", "a" * 500, "", " ", "Ana\nBo"),
)


@attack
async def confusable_names(house: House) -> AsyncIterator[Finding]:
    """Names that are a computer player's, look like somebody else's, or like nothing."""
    ana = await house.somebody("ana").arrive()
    room = await ana.open("callisto", "me", "open", name="Alba")
    answers = []
    for name in CONFUSABLE:
        bo = await house.somebody("bo").arrive()
        plan = {"game": "callisto", "seats": [{"kind": "me"}, {"kind": "open"}], "name": name}
        answers += [
            await bo.do(room, "sit", name=name),
            await bo.ask("PUT", "/api/me", {"name": name}),
            await bo.ask("POST", "/api/rooms", plan),
            await bo.ask("POST", "/api/daily", {"name": name, "round": 0, "cell": "a1"}),
        ]
    for name in ("ALBA", "Ａlba", "Аlbа"):
        answers.append(await (await house.somebody("bo").arrive()).do(room, "sit", name=name))
    yield Finding(f"{len(CONFUSABLE) + 3} names, wherever one says one's own", statuses(answers), refused(answers))


# -- the doors --------------------------------------------------------------------------------------------------------


@attack
async def hosts_and_origins(house: House) -> AsyncIterator[Finding]:
    """A page of somebody else's: by a name pointed at us, from another origin, by a form."""
    ana = await house.somebody("ana").arrive()
    room = await ana.open("callisto", "me", "open", name="Ana")
    hosts = ("evil.example", f"evil.example:{house.port}", "127.0.0.1.evil.example", "localhost.evil.example", "a.b")
    paths = ("/", "/api/me", f"/api/rooms/{room}", "/api/daily", "/readyz", "/favicon.ico")
    answers = [await ana.ask("GET", path, Host=host) for host in hosts for path in paths]
    answers += [await ana.ask("POST", "/api/me/renew", {}, Host=host) for host in hosts]
    knocked = {await ana.knock(room, Host=host, Origin=f"http://{host}") for host in hosts}
    held = all(answer.status_code == 421 and room not in answer.text for answer in answers)
    yield Finding(
        "asks by another name (DNS rebinding)",
        f"{statuses(answers)}; sockets {knocked}",
        held and "joined" not in knocked,
    )

    own = f"127.0.0.1:{house.port}"
    origins = (
        *("null", "http://evil.example", f"http://{own}.evil.example", f"https://{own}", f"http://{own}@evil.example"),
        *(
            "http://127.0.0.1",
            f"http://localhost:{house.port}",
            "file://",
            f"http://127.0.0.1:{house.port + 1}",
            "http://[",
        ),
    )
    token, before = ana.token, house.version(room)
    answers, knocked = [], set()
    for origin in origins:
        answers += [
            await ana.ask(
                "POST", f"/api/rooms/{room}/commands", {"type": "leave", "id": "a", "seat": 0}, Origin=origin
            ),
            await ana.ask("PUT", "/api/me", {"name": "Eva"}, Origin=origin),
            await ana.ask("DELETE", "/api/me", Origin=origin),
        ]
        knocked.add(await ana.knock(room, Origin=origin))
    held = {answer.status_code for answer in answers} == {403} and house.version(room) == before and ana.token == token
    yield Finding(
        f"acts from {len(origins)} other origins, with the cookie",
        f"{statuses(answers)}; sockets {knocked}",
        held and "joined" not in knocked,
    )

    text = json.dumps({"type": "leave", "id": "a", "seat": 0})
    forms = [
        await ana.send("POST", f"/api/rooms/{room}/commands", {"content": body}, Content_Type=kind)
        for kind, body in (
            ("text/plain", text),
            ("application/x-www-form-urlencoded", text),
            ("multipart/form-data; boundary=x", f"--x\r\n\r\n{text}\r\n--x--"),
            ("", text),
        )
    ]
    yield Finding("sends a command as a form does", statuses(forms), refused(forms) and house.version(room) == before)
    shown = await ana.ask("GET", "/", Origin="http://evil.example")
    named = [name for name in shown.headers if name.startswith("access-control")]
    policy = shown.headers.get("content-security-policy", "")
    strict = "frame-ancestors 'none'" in policy and "unsafe" not in policy
    yield Finding("reads or frames the page from elsewhere", f"headers {named}", not named and strict)


async def raw(house: House, sent: bytes, within: float = MAX_WAIT_SECONDS) -> bytes:
    """What comes back for some bytes, until the server closes, or nothing more comes for a moment."""
    reader, writer = await asyncio.open_connection("127.0.0.1", house.port)
    got = bytearray()
    try:
        writer.write(sent)
        with contextlib.suppress(OSError):
            await writer.drain()
        with contextlib.suppress(OSError, TimeoutError):
            while piece := await asyncio.wait_for(reader.read(65536), 1.5 if got else within):
                got += piece
    finally:
        writer.close()
    return bytes(got)


def request(path: str, *headers: str, method: str = "GET", body: str = "") -> bytes:
    """A request, byte for byte."""
    lines = [f"{method} {path} HTTP/1.1", "Host: 127.0.0.1", "X-Forwarded-For: 198.51.100.9", *headers]
    return ("\r\n".join(lines) + "\r\n\r\n" + body).encode()


@attack
async def paths(house: House) -> AsyncIterator[Finding]:
    """Files that lie beside those that are handed out."""
    up = ("../", "..%2f", "%2e%2e/", "..%5c", "....//", "%252e%252e/", "..;/", "%c0%ae%c0%ae/", "..%00/")
    files = ("etc/passwd", "house.py", f"{house.database}".lstrip("/"))
    begins = ("/", "/assets/", "/games/callisto/", "/api/games/", "/r/")
    tried = [
        f"{begin}{step * times}{file}" for begin in begins for step in up for file in files for times in (1, 2, 12)
    ]
    tried += ["//etc/passwd", "/assets//etc/passwd", "/.git/config", "/api/../../etc/passwd", f"/{house.database}"]
    won = []
    for some in (tried[at : at + 40] for at in range(0, len(tried), 40)):
        network = house.network()
        for answer, path in zip(
            await asyncio.gather(
                *(raw(house, request(path, f"X-Forwarded-For: {network}", "Connection: close")) for path in some)
            ),
            some,
            strict=True,
        ):
            if re.search(rb"root:|SQLite format|\nimport |\[core\]", answer) or not answer.startswith(b"HTTP/1.1"):
                won.append(path)
    yield Finding(f"{len(tried)} paths that climb out", f"{len(won)} led somewhere {won[:3]}", not won)


@attack
async def too_much(house: House) -> AsyncIterator[Finding]:
    """Bodies, headers and messages without end, and requests that can be read in two ways."""
    ana = await house.somebody("ana").arrive()
    room = await ana.open("callisto", "me", "open", name="Ana")
    before = house.version(room)
    big = json.dumps({"type": "say", "id": "a", "text": "x" * 70_000})
    deep = "[" * 60_000

    async def endless() -> AsyncIterator[bytes]:
        for _ in range(64):
            yield b" " * 16_384

    path = f"/api/rooms/{room}/commands"
    answers = [
        await ana.send("POST", path, {"content": big}, Content_Type="application/json"),
        await ana.send("POST", path, {"content": deep}, Content_Type="application/json"),
        await ana.send("POST", path, {"content": endless()}, Content_Type="application/json"),
        await ana.ask("POST", path, {"type": "say", "id": "a" * 70, "text": "x"}),
        await ana.send(
            "POST", path, {"content": b'{"type":"say","id":"a","text":"\xff"}'}, Content_Type="application/json"
        ),
        await ana.ask("GET", "/api/me", X_Long="x" * 20_000),
        await ana.ask("GET", f"/api/me?{'x' * 20_000}"),
    ]
    yield Finding(
        "bodies and headers that are too long, too deep, or no text",
        statuses(answers),
        refused(answers) and house.version(room) == before,
    )

    closed = []
    for message in (big, deep, b"\x00" * 1000, "x" * 2_000_000):
        try:
            async with ana.talk(room) as opened:
                await opened.send('{"type":"join"}')
                await ana.hear(opened, "update")
                await opened.send(message)
                closed.append((await ana.hear(opened))["type"])
        except ConnectionClosed as error:
            closed.append(f"closed {error.rcvd.code if error.rcvd else ''}")
    held = all(one.startswith(("refused", "closed")) for one in closed) and house.version(room) == before
    yield Finding("the same at a socket", ", ".join(closed), held)

    setup = json.dumps({"game": "callisto", "seats": [{"kind": "me"}, {"kind": "open"}]})
    hidden = request(
        "/api/rooms", "Content-Type: application/json", f"Content-Length: {len(setup)}", method="POST", body=setup
    ).decode()
    count = "select count(*) from rooms"
    rooms = house.rows(count)[0][0]
    twice = [
        request("/healthz", "Content-Length: 0", f"Content-Length: {len(hidden)}", method="POST", body=hidden),
        request(
            "/healthz",
            f"Content-Length: {len(hidden)}",
            "Transfer-Encoding: chunked",
            method="POST",
            body="0\r\n\r\n" + hidden,
        ),
        request(
            "/healthz", "Transfer-Encoding: xchunked", f"Content-Length: {len(hidden)}", method="POST", body=hidden
        ),
        request(
            "/healthz", "Transfer-Encoding : chunked", f"Content-Length: {len(hidden)}", method="POST", body=hidden
        ),
        request("/healthz", f"Content-Length: +{len(hidden)}", method="POST", body=hidden),
    ]
    said = [await raw(house, one) for one in twice]
    first = [answer.split(b"\r\n", 1)[0].decode(errors="replace")[9:] for answer in said]
    opened_rooms = house.rows(count)[0][0] - rooms
    yield Finding(
        "hides a request in another one (smuggling)", f"{', '.join(first)}; rooms {opened_rooms}", opened_rooms == 0
    )


@attack
async def half_requests(house: House) -> AsyncIterator[Finding]:
    """Connections that never finish what they begin; somebody else is served meanwhile."""
    many = 40 if house.short else 1200
    head, body = request("/api/me")[:-4], request("/api/rooms", "Content-Length: 900", method="POST", body="{")
    drip = request("/api/me")[:-4] + b"\r\nX: "
    writers = []
    for number in range(many):
        writers.append((await asyncio.open_connection("127.0.0.1", house.port), number % 3))
        writers[-1][0][1].write((head, body, drip)[number % 3])
    began = time.monotonic()
    honest = await house.somebody("honest").ask("GET", "/api/me")
    waited = time.monotonic() - began

    async def drips() -> None:
        while True:
            for (_, writer), kind in writers:
                if kind == 2 and not writer.transport.is_closing():
                    writer.write(b"x")
            await asyncio.sleep(0.3)

    dripping = asyncio.create_task(drips())
    ends = [asyncio.create_task(_ends(reader)) for (reader, _), _ in writers]
    done, left = await asyncio.wait(ends, timeout=max(house.head, house.body) + LONGER)
    dripping.cancel()
    for one in left:
        one.cancel()
    for (_, writer), _ in writers:
        writer.close()
    yield Finding(
        f"{many} requests that are never finished, a third of them a byte at a time",
        f"{len(done)} closed; somebody else was answered after {waited:.2f} s",
        not left and honest.status_code == 200,
    )


async def _ends(reader: asyncio.StreamReader) -> None:
    with contextlib.suppress(OSError):
        while await reader.read(4096):
            pass


# -- more than one's share --------------------------------------------------------------------------------------------


@attack
async def bursts(house: House) -> AsyncIterator[Finding]:
    """Rooms, requests and sockets without end, from one network with a new cookie each time."""
    many = 320 if house.short else 1500
    plan = {"game": "callisto", "seats": HUNGRY}
    for name, networks in (
        ("one address", [house.network()] * many),
        ("one /64 of IPv6", [f"2001:db8:7:7::{number + 1:x}" for number in range(many)]),
    ):
        before, began = house.rows("select count(*) from rooms")[0][0], time.monotonic()
        limit = asyncio.Semaphore(20)

        async def one(network: str, limit: asyncio.Semaphore = limit) -> httpx.Response:
            async with limit:
                return await house.somebody("robot", network).ask("POST", "/api/rooms", plan)

        answers = await asyncio.gather(*map(one, networks))
        opened = house.rows("select count(*) from rooms")[0][0] - before
        busy = [answer for answer in answers if answer.status_code in (429, 503)]
        allowed = 301 + (time.monotonic() - began) / 12
        held = opened <= allowed and bool(busy) and all("retry-after" in answer.headers for answer in busy)
        yield Finding(f"{many} rooms with champions from {name}", f"{opened} opened; {statuses(answers)}", held)

    honest = await house.somebody("honest").arrive()
    room = await honest.open("callisto", "me", "champion", name="Ana")
    try:
        async with asyncio.timeout(MAX_WAIT_SECONDS):
            versions = await meet_a_champion(honest, room)
    except TimeoutError:
        versions = []
    yield Finding("meanwhile somebody else plays a champion", f"it has moved {len(versions)} times", len(versions) == 2)

    ana = await house.somebody("ana").arrive()
    mine = [await ana.ask("POST", "/api/rooms", plan, X_Forwarded_For=house.network()) for _ in range(130)]
    opened = sum(answer.status_code == 201 for answer in mine)
    yield Finding("130 rooms of one person, from 130 networks", f"{opened} opened", opened <= 120)

    async with contextlib.AsyncExitStack() as stack:
        joined = 0
        for _ in range(60):
            with contextlib.suppress(InvalidHandshake, ConnectionClosed):
                one_more = await stack.enter_async_context(ana.talk(room, X_Forwarded_For=house.network()))
                await one_more.send('{"type":"join"}')
                await ana.hear(one_more, "update")
                joined += 1
    yield Finding("60 sockets of one person", f"{joined} joined", joined <= 50)


async def meet_a_champion(somebody: Somebody, room: str) -> list[int]:
    """Plays two moves; the versions at which the champion had answered."""
    versions: list[int] = []
    async with somebody.talk(room) as opened:
        await opened.send('{"type":"join"}')
        while True:
            here = await somebody.hear(opened, "update")
            if "0" not in here["legal"]:
                continue
            if here["version"] > 4 and len(versions) < 2:
                versions.append(here["version"])
            if len(versions) == 2:
                return versions
            sent = {"type": "move", "id": f"m{here['version']}", "seat": 0, "version": here["version"]}
            await opened.send(json.dumps(sent | {"move": here["legal"]["0"][0]}))


@attack
async def public_seats(house: House) -> AsyncIterator[Finding]:
    """All open seats of the house, by one person, and by one network with many cookies."""

    async def hosts(count: int) -> list[str]:
        return [
            await (await house.somebody("host").arrive()).open("callisto", "me", "open", name="Ana", public=True)
            for _ in range(count)
        ]

    def taken(rooms: list[str], by: str = "Eva") -> int:
        logs = [house.rows("select data from events where room = ? and kind = 'seated'", room) for room in rooms]
        return sum(any(f'"{by}"' in data for (data,) in log) for log in logs)

    tables = await hosts(6)
    eva = await house.somebody("eva").arrive()
    await asyncio.gather(*(eva.do(room, "sit", name="Eva") for room in tables))
    await asyncio.gather(*(say_at_socket(eva, room, {"type": "sit", "id": "s", "name": "Eva"}) for room in tables))
    hosted = [
        await eva.ask("POST", "/api/rooms", {"game": "knister", "seats": seats, "public": True, "name": "Eva"})
        for seats in (
            [{"kind": "me"}, {"kind": "open"}],
            [{"kind": "me"}, {"kind": "open"}, {"kind": "engine"}],
        )
    ]
    private = await eva.open("callisto", "me", "open", name="Eva")
    hosted.append(await eva.do(private, "manage", public=True))
    won = taken(tables) + sum(answer.status_code < 300 for answer in hosted)
    yield Finding("one person sits down at six public tables, opens two and makes one public", f"{won} seats", won == 1)

    tables, network = await hosts(20), house.network()
    crowd = [await house.somebody("robot", network).arrive() for _ in tables]
    await asyncio.gather(*(robot.do(room, "sit", name="Eva") for robot, room in zip(crowd, tables, strict=True)))
    won = taken(tables)
    yield Finding("20 cookies of one network sit down at 20 public tables at once", f"{won} seats", won <= 4)


async def say_at_socket(somebody: Somebody, room: str, message: Json) -> str:
    """One message at a socket; what became of it."""
    async with somebody.talk(room) as opened:
        await opened.send('{"type":"join"}')
        await somebody.hear(opened, "update")
        await opened.send(json.dumps(message))
        return str((await somebody.hear(opened))["type"])


# -- what is hidden ---------------------------------------------------------------------------------------------------


@attack
async def hidden_values(house: House) -> AsyncIterator[Finding]:
    """Tiles that lie face down, asked for by everybody in every way, in a game without a memory aid."""
    ana, bo, room = await table_of_two(house, "isis-osiris", options={"memory_aid": False})
    random, shown, early, down = Random(3), 0, [], 0
    for number in range(400):
        seats = {"0": ana, "1": bo}
        updates = {seat: await one.look(room) for seat, one in seats.items()}
        stranger = await house.somebody("stranger").look(room)
        for update in (*updates.values(), stranger):
            for view in [view for step in update["steps"] for view in step["views"] if update["room"]["playing"]]:
                down += view["cells"].count("?")
                shown = max(shown, sum(bool(re.fullmatch(r"[+-]?\d", cell)) for cell in view["cells"]))
        if number % 8 == 0 and updates["0"]["room"]["playing"]:
            base = f"/api/rooms/{room}/games/1"
            early += [
                await bo.ask("GET", f"{base}/{what}") for what in ("record", "replay", "replay?memory=1", "review")
            ]
        turn = next((seat for seat in seats if updates[seat]["legal"]), None)
        if turn is None:
            break
        legal = updates[turn]["legal"][turn]
        version = updates[turn]["version"]
        await seats[turn].do(room, "move", seat=int(turn), version=version, move=random.choice(legal))
    held = not shown and down > 0 and refused(early)
    yield Finding(
        "reads face-down tiles in views of players and latecomers, and the record before the end",
        f"{shown} of {down} values told; {statuses(early)}",
        held,
    )
    after = await bo.ask("GET", f"/api/rooms/{room}/games/1/record")
    yield Finding("(the record after the end)", f"{after.status_code}", after.status_code == 200)


@attack
async def numbers_of_an_open_round(house: House) -> AsyncIterator[Finding]:
    """Where others have written, before everybody has; and the next roll."""
    ana, bo, room = await table_of_two(house, "knister")
    leaks = []
    for number in range(8):
        mine = await ana.look(room)
        before = (await bo.look(room))["steps"][0]["views"][0]["standings"][0]["sheet"]
        move = mine["legal"]["0"][number % 3]
        await ana.do(room, "move", seat=0, version=mine["version"], move=move)
        for who in (bo, house.somebody("stranger")):
            update = await who.look(room)
            view = update["steps"][-1]["views"][0]
            if view["standings"][0]["sheet"] != before or any(
                step["move"] for step in update["steps"] if step["seat"] == 0
            ):
                leaks.append(who.name)
        theirs = await bo.look(room)
        again = await ana.do(room, "move", seat=0, version=theirs["version"], move=mine["legal"]["0"][-1])
        if again.status_code == 200:
            leaks.append("wrote twice")
        await bo.do(room, "move", seat=1, version=theirs["version"], move=theirs["legal"]["1"][0])
    yield Finding("reads another's number in an open round, and writes one's own twice", f"{leaks}", not leaks)


@attack
async def the_daily_game(house: House) -> AsyncIterator[Finding]:
    """Today's rolls before one has written, tomorrow's, a second try, others' sheets."""
    ana = await house.somebody("ana").arrive()
    today = (await ana.ask("GET", "/api/daily")).json()["date"]
    tomorrow = time.strftime("%Y-%m-%d", time.gmtime(time.time() + 86_400))
    answers = [await ana.ask("GET", f"/api/daily/{today}/{what}") for what in ("proof", "review")]
    answers += [await ana.ask("GET", f"/api/daily/{tomorrow}/{what}") for what in ("proof", "review", "ranking")]
    answers += [await ana.ask("GET", f"/api/daily?date={tomorrow}")]
    answers += [
        await ana.ask("POST", "/api/daily", {"name": "Ana", "round": round, "cell": "a1"} | more)
        for round, more in ((1, {}), (24, {}), (-1, {}), (0, {"date": tomorrow}), (0, {"cell": "z9"}))
    ]
    yield Finding(
        "asks for the secret, the rolls and the review of today and tomorrow", statuses(answers), refused(answers)
    )

    await ana.ask("POST", "/api/daily", {"name": "Ana", "round": 0, "cell": "a1"})
    again = [
        await ana.ask("POST", "/api/daily", {"name": "Ana", "round": 0, "cell": "b2"}),
        await ana.ask("POST", "/api/daily", {"name": "Ana", "round": 1, "cell": "a1"}),
    ]
    token = ana.token
    await ana.ask("DELETE", "/api/me")
    back = house.somebody("ana again", token=token)
    begun = (await back.ask("GET", "/api/daily")).json()["league"]
    yield Finding(
        "writes a number again, and comes back after deletion",
        f"{statuses(again)}; then {begun}",
        refused(again) and begun == "fun" and back.token != token,
    )


@attack
async def what_operators_see(house: House) -> AsyncIterator[Finding]:
    """Figures and addresses of the inside."""
    eva = await house.somebody("eva").arrive()
    answers = [
        await eva.ask("GET", path) for path in ("/metrics", "/metrics?x", "/metrics/", "/docs", "/redoc", "/debug")
    ]
    inner = [answer for answer in answers if re.search("sobremesa_rooms|process_cpu|swagger", answer.text)]
    yield Finding("figures and documentation of the inside, by way of a proxy", statuses(answers), not inner)

    keys = {"p256dh": "B" + "A" * 86, "auth": "A" * 22, "language": "en"}
    listening = socket.create_server(("127.0.0.1", 0))
    port = listening.getsockname()[1]
    inside = (
        *(f"http://127.0.0.1:{port}/", f"https://127.0.0.1:{port}/", f"http://localhost:{port}/x", "http://[::1]:1/xx"),
        *(
            "http://169.254.169.254/latest",
            f"https://fcm.googleapis.com@127.0.0.1:{port}/",
            "https://fcm.googleapis.com:22/",
        ),
        *("https://fcm.googleapis.com.evil.example/", "file:///etc/passwd", f"http://2130706433:{port}/"),
    )
    answers = [await eva.ask("PUT", "/api/me/devices/push", {"endpoint": one} | keys) for one in inside]
    tries = [await eva.ask("POST", "/api/me/devices/push/try", {"endpoint": one}) for one in inside]
    sent = [answer for answer in tries if answer.json().get("outcome") in ("sent", "later")]
    listening.settimeout(0)
    try:
        listening.accept()
        asked = True
    except (BlockingIOError, TimeoutError):
        asked = False
    listening.close()
    yield Finding(
        "has the server send requests to its own network (SSRF by push addresses)",
        f"{statuses(answers)}; {'it asked' if asked else 'it asked nobody'}",
        refused(answers) and not sent and not asked,
    )


def pieces(secret: bytes) -> set[str]:
    """A secret in the ways that it could be written, in parts."""
    ways = {secret.hex(), repr(secret)[2:-1], ",".join(map(str, secret)), ", ".join(map(str, secret))}
    for start in range(3):
        ways |= {base64.b64encode(secret[start:]).decode(), base64.urlsafe_b64encode(secret[start:]).decode()}
    return {way[at : at + 14].lower() for way in ways for at in range(2, len(way) - 16, 14)}


@attack
async def everything_received(house: House) -> AsyncIterator[Finding]:
    """Searches all that anybody was told, and the log, for secrets and for others' cookies. It comes last."""
    over = {room for (room,) in house.rows("select room from events where kind = 'ended'")}
    hidden = [row[0] for row in house.rows("select secret, room from promises") if row[1] not in over]
    hidden += [row[0] for row in house.rows("select secret from dailies")] + [
        row[0] for row in house.rows("select value from keys")
    ]
    needles = set().union(*(pieces(bytes(secret)) for secret in hidden))
    texts = "\n".join(one.text for one in house.received).lower()
    log = house.log.read_text().lower()
    found = [piece for piece in needles if piece in texts or piece in log]
    yield Finding(
        f"searches {len(house.received)} texts and the log for {len(hidden)} secrets",
        f"{len(found)} found",
        not found and bool(hidden),
    )
    tokens = {half: one.name for one in house.people if one.token for half in one.token.split(".") if len(half) > 20}
    others = [token for token in tokens if token.lower() in texts or token.lower() in log]
    yield Finding(f"and for {len(tokens)} cookies", f"{len(others)} found", not others)
    broken = re.findall(r"traceback", log)
    yield Finding("mistakes of the server's in its log", f"{len(broken)}", not broken)


# -- one run ----------------------------------------------------------------------------------------------------------


@contextlib.contextmanager
def house_of(program: Sequence[str], folder: Path, short: bool, head: float, body: float) -> Any:
    """A server of our own for the length of an attack."""
    database, log = folder / "attacked.db", folder / "attacked.log"
    command = [
        *program,
        "serve",
        "--database",
        f"sqlite:///{database}",
        "--port",
        "0",
        "--pause",
        "0",
        "--log-level",
        "debug",
    ]
    with log.open("w") as file:
        server = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True)
    try:
        assert server.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", server.stdout.readline())
        if not found:
            raise RuntimeError(f"the server did not start: {log.read_text()[-2000:]}")
        yield House(found[0], database, log, head, body, short)
        if server.poll() is not None:
            raise RuntimeError(f"the server has died: {log.read_text()[-2000:]}")
    finally:
        server.terminate()
        with contextlib.suppress(subprocess.TimeoutExpired):
            server.wait(20)
        server.kill()
        server.wait()
        if server.stdout is not None:
            server.stdout.close()


async def run(house: House, names: Sequence[str] = ()) -> dict[str, list[Finding]]:
    """Tries everything, or what is named. What could not be tried to its end has not held."""
    found: dict[str, list[Finding]] = {}
    for name, tried in TRIED.items():
        if names and name not in names:
            continue
        findings = found[name] = []
        try:
            async with asyncio.timeout(10 * MAX_WAIT_SECONDS):
                async for finding in tried(house):
                    findings.append(finding)  # noqa: PERF401 (what was found before an error counts)
        except Exception as error:
            findings.append(Finding(f"{name}: {UNFINISHED}", f"{type(error).__name__}: {error}"[:300], False))
    await house.http.aclose()
    return found


def table(findings: Sequence[Finding]) -> str:
    """The findings, a line each."""
    width = max(len(one.tried) for one in findings)
    return "\n".join(f"{'held  ' if one.held else 'BROKEN'}  {one.tried:<{width}}  {one.answered}" for one in findings)


def main() -> int:
    """Attacks as the command line says."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--short", action="store_true", help="fewer connections and rooms")
    parser.add_argument(
        "--only", action="append", default=[], choices=list(TRIED), metavar="NAME", help=", ".join(TRIED)
    )
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sobremesa-attack-") as folder:
        program = [sys.executable, "-m", "sobremesa"]
        with house_of(program, Path(folder), chosen.short, head=10, body=30) as house:
            found = asyncio.run(run(house, chosen.only))
    findings = [finding for group in found.values() for finding in group]
    print(table(findings))
    broken = sum(not one.held for one in findings)
    print(f"{len(findings)} tried, {broken} broken")
    return bool(broken)


if __name__ == "__main__":
    sys.exit(main())
