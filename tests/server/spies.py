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
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any, NamedTuple, Self

import httpx
from fastapi import FastAPI

from sobremesa.games.isis_osiris.editions import EDITIONS
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import HouseCommand, TimeUp
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.projections import summary
from sobremesa.rooms.room import Resources, Room
from sobremesa.server.app import create_app
from sobremesa.server.client import Guest, Refused, Visit
from sobremesa.server.clock import Clock
from sobremesa.server.house import House
from sobremesa.server.people import COOKIE, PersonTokens
from sobremesa.server.settings import NO_LIMITS, Limits, Settings
from sobremesa.server.storage import Batch

BOOK = PersonTokens(bytes(32))
MAX_WAIT_SECONDS = 60.0
"""Seconds to wait for an answer before a test gives up."""
BEGAN = 4_000_000_000.5
"""When stories begin, in seconds since 1970: far ahead, so that no room's clock runs out while a slow machine asks."""


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


_PROOF = re.compile(r'("secret": ?)"[0-9a-f]{64}"')


def without_told_secrets(one: Heard) -> str:
    """The words without the secrets of games that are over: in the promises of updates, in records, in replays."""
    if one.where.partition("?")[0].endswith(("record", "replay")):
        return _PROOF.sub(r"\1null", one.text)
    start = one.text.find('{"type"')
    if start < 0 or (message := json.loads(one.text[start:])).get("type") != "update":
        return one.text
    room, text = message["room"], one.text
    over = room["number"] if room["over"] and not room["playing"] else room["number"] - 1
    for promise in room["promises"]:
        if promise["secret"] is not None and promise["game"] <= over:
            told = re.compile(f"""("secret": ?)"{promise["secret"]}\"""")
            text = told.sub(r"\1null", text, count=1)
    return text


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
        answer = await asyncio.wait_for(self._outbox.get(), MAX_WAIT_SECONDS)
        if answer["type"] == "websocket.close":
            self.closed = answer.get("code", 1000)
        return self

    async def __aexit__(self, *error: object) -> None:
        assert self._task is not None
        self.reads.set()
        self._inbox.put_nowait({"type": "websocket.disconnect", "code": 1001})
        await asyncio.wait_for(self._task, MAX_WAIT_SECONDS)

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
        message = await asyncio.wait_for(self._outbox.get(), MAX_WAIT_SECONDS)
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
async def desk(
    folder: Path, limits: Limits = NO_LIMITS, clock: Clock | None = None, **settings: Any
) -> AsyncIterator[Desk]:
    """A house with its database in a folder; people's tokens are good in all of them."""
    database = f"sqlite:///{folder / 'house.db'}"
    app = create_app(Settings(database, limits=limits, pause=0, workers=1, **settings), clock)
    house: House = app.state.house
    await house.open()
    house.tokens = BOOK
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


class Story:
    """A room and its log, written without a server: random people play a random game."""

    def __init__(self, random: Random, people: Sequence[Person], **setup: Any) -> None:
        self.log: list[e.Entry] = []
        self.moments: list[int] = []
        """How long the log was whenever the room waited for somebody: what is written together is read together."""
        self._random = random
        self._ids = itertools.count()
        self.crowd = len(people) > 12
        kinds = ["me"] + ["open"] * (len(people) - 1)
        plans = [] if self.crowd else [m.SeatPlan(kind=kind) for kind in kinds]  # type: ignore[arg-type]
        new = m.NewRoom(**setup, seats=plans, crowd=self.crowd, name="P0")
        resources = Resources(random_bytes=random.randbytes)
        self._take(Room.create("story", new, people[0].id, BEGAN, resources))
        for number, person in enumerate(people):
            if number or self.crowd:
                self.do(m.Sit(type="sit", id=self.id, name=f"P{number}", words=f"w{number}"), person)
        if self.crowd:
            self.do(m.Start(type="start", id=self.id), people[0])
        if self.room.ready is not None:  # at a public table
            for person in people:
                self.do(m.Ready(type="ready", id=self.id), person)

    @property
    def id(self) -> str:
        """An idempotency key."""
        return f"c{next(self._ids)}"

    def do(self, command: m.RoomCommand | HouseCommand, person: Person | None) -> Transition:
        """Has something happen."""
        return self._take(self.room.handle(command, None if person is None else person.id, BEGAN + self.room.version))

    def _take(self, transition: Transition) -> Transition:
        self.room = transition.successor
        self.log += transition.entries
        self.moments.append(len(self.log))
        return transition

    def play(self) -> Transition:
        """A random move of somebody who has to decide; if it is up to people who have left, the clock's."""
        assert self.room.sitting is not None
        state = self.room.sitting.state
        seats = [seat for seat in state.deciding if self.room.seating[seat].person is not None]
        if not seats:
            return self.do(TimeUp(self.room.since), None)
        seat = self._random.choice(seats)
        move = str(self._random.choice(state.legal_moves(seat)))
        command = m.Move(type="move", id=self.id, seat=seat, version=self.room.version, move=move)
        return self._take(self.room.handle(command, self.room.seating[seat].person, BEGAN + self.room.version))

    def play_out(self) -> Self:
        """The game to its end."""
        while self.room.playing:
            self.play()
        return self


def with_other_secrets(log: Sequence[e.Entry], seat: int | None, random: Random) -> list[e.Entry]:
    """A log that a seat (or a spectator) cannot tell from this one: other values under the tiles that lie face down
    without a memory aid, others' numbers of the running round elsewhere, other chance to come."""
    room = Room.replay("twin", log)
    twin = list(log)
    if room.secret is not None:
        at = max(index for index, entry in enumerate(log) if isinstance(entry.event, e.Promised))
        twin[at] = replace(log[at], secret=random.randbytes(32))
    if not room.playing or room.sitting is None:
        return twin
    begun = max(index for index, entry in enumerate(log) if isinstance(entry.event, e.Begun))
    table = {index: entry.event for index, entry in enumerate(log) if isinstance(entry.event, e.Rolled | e.Moved)}
    rolls = {index: event for index, event in table.items() if index > begun and isinstance(event, e.Rolled)}
    if room.game.id == "isis-osiris" and not room.sitting.state.options["memory_aid"]:
        stock = [value for value, count in EDITIONS["standard"].tiles.items() for _ in range(count)]
        if rolls and max(rolls) == max(table):
            stock.remove(rolls.pop(max(rolls)).outcome)  # it lies open
        random.shuffle(stock)
        for index, value in zip(rolls, stock, strict=False):
            twin[index] = replace(log[index], event=e.Rolled(outcome=value))
    if room.game.id == "knister" and rolls:
        for index in range(max(rolls), len(log)):
            moved = log[index].event
            if isinstance(moved, e.Moved) and moved.seat != seat:
                before = Room.replay("twin", twin[:index]).sitting
                assert before is not None
                move = str(random.choice(before.state.legal_moves(moved.seat)))
                twin[index] = replace(log[index], event=moved.model_copy(update={"move": move}))
    return twin


async def store_log(house: House, id: str, log: Sequence[e.Entry]) -> None:
    """Puts a room into a house's database, as if it had been played there."""
    await house.store.append(Batch(id, log, summary(Room.replay(id, log))))


# -- spies at a real server -------------------------------------------------------------------------------------------


_VISITS = itertools.count()


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

    def __init__(self, guest: SpyGuest, room: str) -> None:
        super().__init__(guest, room)
        self._number = next(_VISITS)

    async def _hear(self, message: dict[str, Any]) -> None:
        self.guest.heard.append(Heard(self.guest.name, f"socket {self._number}", json.dumps(message)))
        await super()._hear(message)
