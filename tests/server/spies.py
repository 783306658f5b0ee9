"""Spies: everything that the server says to somebody, kept word for word; and rooms that differ in secrets only."""

import asyncio
import base64
import contextlib
import itertools
import json
import re
import urllib.error
import urllib.request
from collections.abc import AsyncIterator, Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Self

import httpx
from fastapi import FastAPI

from sobremesa.games.isis_osiris.editions import EDITIONS
from sobremesa.server import messages as m
from sobremesa.server.app import create_app
from sobremesa.server.client import Guest, Refused, Visit
from sobremesa.server.house import House
from sobremesa.server.hub import LiveRoom
from sobremesa.server.people import COOKIE, Guestbook
from sobremesa.server.room import Draft, Event, Room
from sobremesa.server.settings import NO_LIMITS, Limits, Settings
from sobremesa.server.storage import Batch

BOOK = Guestbook(bytes(32))
PATIENCE = 20.0
"""Seconds to wait for an answer before a test gives up."""


class Heard(NamedTuple):
    """Something that the server said: to whom, by which way, and the words."""

    to: str
    where: str
    text: str


# -- what must not be said --------------------------------------------------------------------------------------------


def needles(secret: bytes) -> set[str]:
    """Pieces of a secret, short enough to find one that was cut, in every way that it could be written."""
    ways = {secret.hex(), repr(secret)[2:-1]}
    for start in range(3):
        ways.add(base64.b64encode(secret[start:])[:-4].decode())
        ways.add(base64.urlsafe_b64encode(secret[start:])[:-4].decode())
    pieces = {way[at : at + 12] for way in ways for at in range(0, len(way) - 11, 12)}
    return pieces | {",".join(map(str, secret[:6])), ", ".join(map(str, secret[:6])), str(int.from_bytes(secret))}


def betrayals(heard: Sequence[Heard], secrets: Iterable[bytes], words: Iterable[str] = ()) -> list[Heard]:
    """What contains a piece of a secret, or one of the words. Where a secret is told rightly, it is cut out first."""
    pieces = {piece.lower() for secret in secrets for piece in needles(secret)} | {word.lower() for word in words}
    texts = [without_told_secrets(one).lower() for one in heard]
    everything = "\n".join(texts)
    found = [piece for piece in pieces if piece in everything]
    return [one for one, text in zip(heard, texts, strict=True) if any(piece in text for piece in found)]


_END = re.compile(r'("kind": ?"ended"[^{}]*?"text": ?)"[0-9a-f]{64}"')
_PROOF = re.compile(r'("secret": ?)"[0-9a-f]{64}"')


def without_told_secrets(one: Heard) -> str:
    """The words without the secrets of games that are over: in the event of the end, in records, in replays."""
    proven = one.where.partition("?")[0].endswith(("record", "replay"))
    return (_PROOF if proven else _END).sub(r"\1null", one.text)


# -- a server without a network ---------------------------------------------------------------------------------------


class Socket:
    """A socket of the application itself, with nothing in between."""

    def __init__(self, app: FastAPI, room: str, token: str | None, headers: Sequence[tuple[str, str]] = ()) -> None:
        self._app = app
        named = [("host", "here"), *headers]
        if token is not None:
            named.append(("authorization", f"Bearer {token}"))
        path = f"/api/rooms/{room}/socket"
        self._scope = {
            "type": "websocket",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "http_version": "1.1",
            "scheme": "ws",
            "path": path,
            "raw_path": path.encode(),
            "root_path": "",
            "query_string": b"",
            "headers": [(name.encode(), value.encode()) for name, value in named],
            "client": ("127.0.0.1", 1),
            "server": ("here", 80),
            "subprotocols": [],
            "state": {},
            "extensions": {},
        }
        self._inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._outbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self._task: asyncio.Task[None] | None = None
        self.reads = asyncio.Event()
        """Whether this end reads: clear it to play a slow reader."""
        self.reads.set()
        self.closed: int | None = None

    async def __aenter__(self) -> Self:
        self._inbox.put_nowait({"type": "websocket.connect"})
        self._task = asyncio.create_task(self._app(self._scope, self._inbox.get, self._send))
        answer = await asyncio.wait_for(self._outbox.get(), PATIENCE)
        if answer["type"] == "websocket.close":
            self.closed = answer.get("code", 1000)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._task is not None
        self.reads.set()
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self._task, PATIENCE)

    async def _send(self, message: Any) -> None:
        await self.reads.wait()
        self._outbox.put_nowait(message)

    @property
    def served(self) -> bool:
        """Whether the application still spends anything on this socket."""
        return self._task is not None and not self._task.done()

    def say(self, **message: Any) -> None:
        self._inbox.put_nowait({"type": "websocket.receive", "text": json.dumps(message)})

    async def hear(self) -> str:
        """The next message."""
        message = await asyncio.wait_for(self._outbox.get(), PATIENCE)
        if message["type"] == "websocket.close":
            self.closed = message.get("code", 1000)
            raise EOFError
        return str(message["text"])

    async def hear_until(self, version: int) -> list[str]:
        """All messages up to the update that brings a version."""
        heard = [await self.hear()]
        while (last := json.loads(heard[-1]))["type"] != "update" or last["version"] < version:
            heard.append(await self.hear())
        return heard


@dataclass
class Desk:
    """A house in this process, its application, and somebody who asks."""

    house: House
    app: FastAPI
    http: httpx.AsyncClient

    async def get(self, path: str, token: str | None = None) -> str:
        """Status, headers and body of an answer, as one text."""
        headers = {"authorization": f"Bearer {token}"} if token else {}
        answer = await self.http.get(path, headers=headers)
        told = sorted((name, value) for name, value in answer.headers.items() if name != "content-length")
        return f"{answer.status_code} {told} {answer.text}"

    def socket(self, room: str, token: str | None, *headers: tuple[str, str]) -> Socket:
        return Socket(self.app, room, token, headers)


@contextlib.asynccontextmanager
async def desk(folder: Path, limits: Limits = NO_LIMITS, **settings: Any) -> AsyncIterator[Desk]:
    """A house with its database in a folder; people's tokens are good in all of them."""
    database = f"sqlite:///{folder / 'house.db'}"
    app = create_app(Settings(database, limits=limits, pause=0, workers=1, **settings))
    house: House = app.state.house
    await house.open()
    house.guestbook = BOOK
    # Errors are to be seen as a client sees them, not raised into the test.
    transport = httpx.ASGITransport(app, raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
        try:
            yield Desk(house, app, http)
        finally:
            await house.close()


# -- the same room with other secrets ---------------------------------------------------------------------------------


@dataclass
class Person:
    """Somebody whose token is good at every desk."""

    number: int
    token: str = field(init=False)
    id: str = field(init=False)

    def __post_init__(self) -> None:
        self.token = BOOK._signed(bytes([self.number]) * 24)
        id = BOOK.person(self.token)
        assert id is not None
        self.id = id


Line = tuple[Event, bytes | None]
"""An event, and the secret that is stored beside it if it is a promise."""


class Story:
    """A room's log, written without a server: random people play a random game."""

    def __init__(self, random: Random, people: Sequence[Person], **setup: Any) -> None:
        self.room = Room("story")
        self.log: list[Line] = []
        self.moments: list[int] = []
        """How long the log was whenever the room waited for somebody: what is written together is read together."""
        self._random = random
        self._people = people
        self._ids = itertools.count()
        self.crowd = len(people) > 12
        kinds = ["me"] + ["open"] * (len(people) - 1)
        plans = [] if self.crowd else [m.SeatPlan(kind=kind) for kind in kinds]  # type: ignore[arg-type]
        self._take(Room.create(m.NewRoom(**setup, seats=plans, crowd=self.crowd, name="P0"), people[0].id))
        for number, person in enumerate(people):
            if number or self.crowd:
                self._do(m.Sit(type="sit", id=self._id, name=f"P{number}", words=f"w{number}"), person)
        if self.crowd:
            self._do(m.Start(type="start", id=self._id), people[0])

    @property
    def _id(self) -> str:
        return f"c{next(self._ids)}"

    def _do(self, command: m.AnyCommand, person: Person) -> None:
        drafts = self.room.decide(command, person.id)
        first = drafts[0]
        self._take([Draft(first.kind, first.data | {"id": command.id}, first.person, first.secret), *drafts[1:]])

    def _take(self, drafts: list[Draft]) -> None:
        while drafts:
            for draft in drafts:
                event = Event(self.room.version + 1, draft.kind, draft.data, 1000.5 + self.room.version, draft.person)
                self.room.apply(event, draft.secret)
                self.log.append((event, draft.secret))
            follow = self.room.follow_up()
            drafts = [] if follow is None else [follow]
        self.moments.append(len(self.log))

    def play_out(self) -> Self:
        """The game to its end."""
        while self.room.playing:
            assert self.room.sitting is not None
            state = self.room.sitting.state
            seat = self._random.choice(list(state.deciding))
            move = str(self._random.choice(state.legal_moves(seat)))
            command = m.Move(type="move", id=self._id, seat=seat, version=self.room.version, move=move)
            self._do(command, self._people[seat])
        return self


def replayed(id: str, log: Sequence[Line]) -> Room:
    """The room that a log adds up to."""
    room = Room(id)
    for event, secret in log:
        room.apply(event, secret)
    return room


def with_other_secrets(log: Sequence[Line], seat: int | None, random: Random) -> list[Line]:
    """A log that a seat (or a spectator) cannot tell from this one: other values under the tiles that lie face down
    without a memory aid, others' numbers of the running round elsewhere, other chance to come."""
    room = replayed("twin", log)
    twin = list(log)
    if room.secret is not None:
        at = max(index for index, (event, _) in enumerate(log) if event.kind == "promised")
        twin[at] = (log[at][0], random.randbytes(32))
    if not room.playing or room.sitting is None:
        return twin
    begun = max(index for index, (event, _) in enumerate(log) if event.kind == "begun")
    rolls = [index for index in range(begun, len(log)) if log[index][0].kind == "rolled"]
    if room.game.id == "isis-osiris" and not room.sitting.state.options["memory_aid"]:
        if rolls and rolls[-1] == max(i for i, (e, _) in enumerate(log) if e.kind in ("rolled", "moved")):
            lies_open = [log[rolls.pop()][0].data["outcome"]]
        else:
            lies_open = []
        stock = [value for value, count in EDITIONS["standard"].tiles.items() for _ in range(count)]
        for value in lies_open:
            stock.remove(value)
        random.shuffle(stock)
        for index, value in zip(rolls, stock, strict=False):
            twin[index] = (_changed(log[index][0], outcome=value), None)
    if room.game.id == "knister" and rolls:
        for index in range(rolls[-1], len(log)):
            event = log[index][0]
            if event.kind == "moved" and event.data["seat"] != seat:
                before = replayed("twin", twin[:index]).sitting
                assert before is not None
                move = str(random.choice(before.state.legal_moves(event.data["seat"])))
                twin[index] = (_changed(event, move=move), None)
    return twin


def _changed(event: Event, **data: Any) -> Event:
    return Event(event.version, event.kind, event.data | data, event.at, event.person)


async def store_log(house: House, id: str, log: Sequence[Line]) -> None:
    """Puts a room into a house's database, as if it had been played there."""
    room = replayed(id, log)
    secrets = {event.version: secret for event, secret in log if secret is not None}
    summary = LiveRoom(house.hub, room)._summary()
    await house.store.append(Batch(id, [event for event, _ in log], secrets, summary))


# -- spies at a real server -------------------------------------------------------------------------------------------


class SpyGuest(Guest):
    """A guest who writes down every answer, headers included."""

    def __init__(self, address: str, name: str, heard: list[Heard], headers: dict[str, str] | None = None) -> None:
        super().__init__(address)
        self.name = name
        self.heard = heard
        self.headers = headers or {}

    @property
    def _authorization(self) -> dict[str, str]:
        return super()._authorization | self.headers

    def _call(self, method: str, path: str, body: object) -> Any:
        data = None if body is None else json.dumps(body).encode()
        headers = {"Content-Type": "application/json"} | self._authorization
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        where = path.split("/")[-1].split("?")[0] or path
        try:
            with urllib.request.urlopen(request, timeout=30) as response:
                text = response.read().decode()
                told = dict(response.headers)
        except urllib.error.HTTPError as error:
            with error:
                text, told = error.read().decode(), dict(error.headers)
            self.heard.append(Heard(self.name, where, f"{text}"))
            raise Refused(json.loads(text)) from None
        name, _, value = told.pop("set-cookie", "").partition(";")[0].partition("=")
        if name == COOKIE:
            self.token = value
        self.heard += [Heard(self.name, where, text), Heard(self.name, f"{where} headers", json.dumps(told))]
        return json.loads(text) if text.startswith(("{", "[")) else text or None

    def enter(self, room: str) -> "SpyVisit":
        return SpyVisit(self, room)


class SpyVisit(Visit):
    """A visit of which every message is written down."""

    guest: SpyGuest

    async def _hear(self, message: dict[str, Any]) -> None:
        self.guest.heard.append(Heard(self.guest.name, "socket", json.dumps(message)))
        await super()._hear(message)
