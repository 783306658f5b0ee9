"""Bots play on several processes while a seeded schedule of faults goes on; ``history.py`` checks what they saw."""

import asyncio
import base64
import contextlib
import hashlib
import itertools
import json
import logging
import os
import resource
import signal
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import httpx
from redis.asyncio import Redis as RedisClient
from redis.exceptions import RedisError
from sqlalchemy import func, not_, select
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import WebSocketException

from server.history import History, Operation, check, check_record, check_standing
from server.proxy import Proxy
from server.redis_server import Redis, own_redis
from server.serving import Server
from server.wall_clock import WallClock
from sobremesa.rooms.binding import OPEN_WITHIN
from sobremesa.rooms.events import Entry
from sobremesa.server.bus import CHANNEL
from sobremesa.server.database import ratings, results
from sobremesa.server.people import COOKIE
from sobremesa.server.storage import Store
from sobremesa.table import loads, verify
from sobremesa.table.commitments import Opening, hash_of, seal_of

log = logging.getLogger("faults")
Json = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """A kind of table that the bots play at."""

    game: str
    people: int
    engines: int = 0
    clock: int = 0
    public: bool = False
    """In the list; with a clock such a table is rated, and everybody is asked whether they are ready."""
    seals: tuple[int, ...] = ()
    """The seats whose bots seal words of their own and open them."""
    deaths: int = 0
    """How often the last of these dies when it is to open; with the second time it has lost its seat."""

    @property
    def rated(self) -> bool:
        """Whether its games count."""
        return self.public and self.clock > 0

    @property
    def setup(self) -> Json:
        """What is asked for when the room is opened."""
        seats: list[Json] = [{"kind": "me"}, *[{"kind": "open"}] * (self.people - 1)]
        seats += [{"kind": "engine", "player": "random"}] * self.engines
        options = {"edition": "pocket"} if self.game == "callisto" else {}
        told: Json = {"id": "open", "game": self.game, "options": options, "seats": seats}
        return told | {"clock": self.clock, "public": self.public, "seals": 0 in self.seals}


KINDS = [
    Kind("callisto", 2),
    Kind("isis-osiris", 2, seals=(0, 1)),
    Kind("knister", 3, clock=12, public=True, seals=(0, 1, 2)),
    Kind("knister", 2, engines=1, seals=(0, 1), deaths=1),
    Kind("knister", 3),
    Kind("callisto", 1, engines=1),
    Kind("isis-osiris", 2, clock=8, seals=(1,)),
    Kind("isis-osiris", 2, clock=12, public=True, seals=(0, 1), deaths=1),
    Kind("knister", 2, seals=(0, 1), deaths=2),
    Kind("callisto", 2, clock=12, public=True),
    Kind("isis-osiris", 2),
    Kind("knister", 2, public=True, seals=(0, 1), deaths=2),
]
LOST = (OSError, WebSocketException, TimeoutError, EOFError, httpx.HTTPError)
"""What a client meets when a server is not there."""


class Cluster:
    """Servers, and what stands between them and their database and Redis."""

    def __init__(self, folder: Path, database: str, processes: int, *, clocks: bool = False) -> None:
        self.database = database
        self.sqlite = database.startswith("sqlite")
        self.servers: list[Server] = []
        self.to_database: list[Proxy] = []
        self.to_redis: list[Proxy] = []
        self.redis: Redis | None = None
        self._folder = folder
        self._processes = 1 if self.sqlite else processes
        self.clocks = [WallClock(folder / f"clock{number}") for number in range(self._processes)] if clocks else []
        """The servers' wall clocks, if they may be moved."""
        self._stack = AsyncExitStack()

    async def __aenter__(self) -> "Cluster":
        if not self.sqlite:
            self.redis = self._stack.enter_context(own_redis(self._folder))
        for number in range(self._processes):
            arguments, database = ["--no-limits"], self.database
            if self.redis is not None:
                for proxies, target in ((self.to_database, self.database), (self.to_redis, self.redis.url)):
                    proxy = Proxy(target)
                    await proxy.open()
                    proxies.append(proxy)
                database = self.to_database[number].url
                arguments += ["--redis", self.to_redis[number].url]
            folder = self._folder / f"server{number}"
            folder.mkdir()
            program = self.clocks[number].program if self.clocks else None
            self.servers.append(Server(database, folder, *arguments, program=program))
        await asyncio.gather(*(asyncio.to_thread(server.start) for server in self.servers))
        return self

    async def __aexit__(self, *error: object) -> None:
        for server in self.servers:
            if server.process is not None and server.process.poll() is None:
                with contextlib.suppress(ProcessLookupError):
                    os.kill(server.process.pid, signal.SIGCONT)
                await asyncio.to_thread(server.kill)
        for proxy in self.to_database + self.to_redis:
            await proxy.close()
        await self._stack.aclose()

    def keep(self, history: History, entries: list[Entry]) -> None:
        """Writes down all that is known of a room, for whoever looks into it later."""
        told = [repr(one) for one in (*entries, *history.operations, *history.seen)]
        (self._folder / f"{history.room}.txt").write_text("\n".join(told))

    def heal(self) -> None:
        """Ends all partitions."""
        for proxy in self.to_database + self.to_redis:
            proxy.heal()


# -- faults -----------------------------------------------------------------------------------------------------------


class Nemesis:
    """Does harm, one thing after another, and makes it good again. The same seed does the same."""

    def __init__(self, cluster: Cluster, seed: int, calm: tuple[float, float], long: tuple[float, float]) -> None:
        self._cluster = cluster
        self._random = Random(seed)
        self._calm = calm
        """Seconds between two faults, from and to."""
        self._long = long
        """Seconds that a fault lasts."""
        self.done: Counter[str] = Counter()

    async def run(self, until: Callable[[], bool]) -> None:
        names = ["kill", "stop", "restart"]
        if self._cluster.sqlite:
            names += ["full_disk"]
        else:
            names += ["cut_database", "hang_database", "cut_redis", "hang_redis", "kill_redis", "stop_redis", "garbage"]
        if self._cluster.clocks:
            names += ["clock_jump"]
        # Each once in a random order, then again: a short run has met as much as it can.
        for name in itertools.chain.from_iterable(iter(lambda: self._random.sample(names, len(names)), None)):
            await asyncio.sleep(self._random.uniform(*self._calm))
            if until():
                return
            number = self._random.randrange(len(self._cluster.servers))
            log.info("%s, of %d", name, number)
            await getattr(self, f"_{name}")(number)
            self.done[name] += 1

    async def _last(self) -> None:
        await asyncio.sleep(self._random.uniform(*self._long))

    async def _kill(self, number: int) -> None:
        server = self._cluster.servers[number]
        await asyncio.to_thread(server.kill)
        await asyncio.to_thread(server.start)

    async def _restart(self, number: int) -> None:
        server = self._cluster.servers[number]
        await asyncio.to_thread(server.stop)
        await asyncio.to_thread(server.start)

    async def _stop(self, number: int) -> None:
        process = self._cluster.servers[number].process
        assert process is not None
        os.kill(process.pid, signal.SIGSTOP)
        try:
            await self._last()
        finally:
            os.kill(process.pid, signal.SIGCONT)

    async def _full_disk(self, number: int) -> None:
        """No file of the server's may grow: to the database that is a disk without space."""
        process = self._cluster.servers[number].process
        assert process is not None
        path = Path(self._cluster.database.removeprefix("sqlite:///"))
        size = max(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
        usual = resource.prlimit(process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(process.pid, resource.RLIMIT_FSIZE, (size, usual[1]))
        try:
            await self._last()
        finally:
            resource.prlimit(process.pid, resource.RLIMIT_FSIZE, usual)

    async def _cut_database(self, number: int) -> None:
        await self._partition(self._cluster.to_database[number], "cut")

    async def _hang_database(self, number: int) -> None:
        await self._partition(self._cluster.to_database[number], "hang")

    async def _cut_redis(self, number: int) -> None:
        await self._partition(self._cluster.to_redis[number], "cut")

    async def _hang_redis(self, number: int) -> None:
        await self._partition(self._cluster.to_redis[number], "hang")

    async def _partition(self, proxy: Proxy, way: str) -> None:
        getattr(proxy, way)()
        try:
            await self._last()
        finally:
            proxy.heal()

    async def _kill_redis(self, number: int) -> None:
        assert self._cluster.redis is not None
        await asyncio.to_thread(self._cluster.redis.kill)
        try:
            await self._last()
        finally:
            await asyncio.to_thread(self._cluster.redis.start)

    async def _stop_redis(self, number: int) -> None:
        assert self._cluster.redis is not None
        self._cluster.redis.signal(signal.SIGSTOP)
        try:
            await self._last()
        finally:
            self._cluster.redis.signal(signal.SIGCONT)

    async def _garbage(self, number: int) -> None:
        assert self._cluster.redis is not None
        voice = RedisClient.from_url(self._cluster.redis.url)
        # Drawn first: the schedule is the same whether or not a busy machine lets us say it.
        said = [self._random.randbytes(self._random.randrange(40)) for _ in range(20)]
        with contextlib.suppress(RedisError):
            for one in said:
                await voice.publish(CHANNEL, one)
        await voice.aclose()

    async def _clock_jump(self, number: int) -> None:
        self._cluster.clocks[number].set(self._random.choice([-86_400, -7200, -60, 60, 3600, 86_400]))
        try:
            await asyncio.sleep(1)  # the library looks at its file every second
            await self._last()
            with contextlib.suppress(*LOST):
                async with httpx.AsyncClient(base_url=self._cluster.servers[number].address, timeout=10) as http:
                    await http.get("/readyz")  # whoever watches has the server look at the machine's clock
        finally:
            self._cluster.clocks[number].set(0)


# -- bots -------------------------------------------------------------------------------------------------------------


class Died(Exception):
    """A bot is gone, with all that it remembered."""


class Bot:
    """Somebody who plays, or looks on, through whichever server answers, and writes everything down."""

    _numbers = itertools.count()

    def __init__(
        self, cluster: Cluster, random: Random, history: History, seat: int | None, kind: Kind, pause: float
    ) -> None:
        self._cluster = cluster
        self._random = random
        self._history = history
        self._seat = seat
        self._pause = pause
        self.seals = seat in kind.seals
        self._deaths = kind.deaths if self.seals and seat == kind.seals[-1] else 0
        self._drawn: dict[str, Opening] = {}
        """What was sealed, by the promise that it is for."""
        self._pending: Operation | None = None
        self._retry_at = 0.0
        self._said = 0
        self.token = ""
        self.person = ""

    async def arrive(self) -> None:
        """Becomes somebody; the id is what the server keeps of a token."""
        while not self.token:
            with contextlib.suppress(*LOST):
                async with self._http() as http:
                    await http.get("/api/me")
                    self.token = (http.cookies.get(COOKIE) or "").strip('"')
        raw = base64.urlsafe_b64decode(self.token.partition(".")[0])
        self.person = hashlib.sha256(b"person" + raw).hexdigest()[:32]

    def _http(self) -> httpx.AsyncClient:
        server = self._random.choice(self._cluster.servers)
        headers = {"Cookie": f"{COOKIE}={self.token}"} if self.token else {}
        return httpx.AsyncClient(base_url=server.address, headers=headers, timeout=10)

    async def ask(self, method: str, path: str, body: Json | None = None) -> Json:
        """An HTTP request, to one server after another until there is an answer that counts."""
        while True:
            with contextlib.suppress(*LOST):
                async with self._http() as http:
                    answer = await http.request(method, path, json=body)
                if answer.status_code < 300:
                    told: Json = answer.json()
                    return told
                if answer.status_code not in (429, 500, 503):
                    raise AssertionError(f"{method} {path}: {answer.status_code} {answer.text}")
            await asyncio.sleep(0.2)

    async def play(self) -> None:
        """Until the game is over."""
        while True:
            server = self._random.choice(self._cluster.servers)
            address = f"{server.address.replace('http', 'ws')}/api/rooms/{self._history.room}/socket"
            headers = {"Cookie": f"{COOKIE}={self.token}"}
            with contextlib.suppress(*LOST):
                async with asyncio.timeout(10):
                    socket = await connect(
                        address, additional_headers=headers, compression=None, max_size=None, close_timeout=1
                    )
                try:
                    if await self._talk(socket):
                        return
                except Died:
                    self._deaths -= 1
                    self._drawn.clear()
                    await socket.close()
                    await asyncio.sleep(self._random.uniform(0.5, 1.5) * OPEN_WITHIN)
                finally:
                    with contextlib.suppress(*LOST):
                        await socket.close()
            await asyncio.sleep(self._random.uniform(0.05, 0.4))

    async def _talk(self, socket: ClientConnection) -> bool:
        """One conversation; whether the game is over."""
        connection, began = next(self._numbers), time.monotonic()
        await socket.send(json.dumps({"type": "join"}))
        if self._pending is not None:
            await self._send(socket, self._pending)
        silent = 0
        leave_at = began + self._random.expovariate(1 / 8)  # and then it goes to another server
        while True:
            try:
                async with asyncio.timeout(1):
                    text = await socket.recv(decode=True)
            except TimeoutError:
                silent += 1
                if silent > 5:
                    return False
                await socket.send(json.dumps({"type": "ping"}))
                if self._pending is not None and time.monotonic() >= self._retry_at:
                    await self._send(socket, self._pending)
                continue
            silent = 0
            message = json.loads(text)
            match message["type"]:
                case "update":
                    self._history.see(self.person, connection, began, time.monotonic(), text)
                    if message["room"]["over"] and self._pending is None:
                        return True
                    await self._act(socket, message)
                case "accepted" | "refused" if self._pending and message["id"] == self._pending.id:
                    self._answered(self._pending, message)
                    if self._pending is None:  # look again: what to do next may have been told already
                        await socket.send(json.dumps({"type": "join"}))
                case "goodbye":
                    return False
            if time.monotonic() > leave_at and self._pending is None:
                return False

    def _answered(self, operation: Operation, message: Json) -> None:
        if message["type"] == "refused" and message["reason"] == "busy":
            self._retry_at = time.monotonic() + 0.3
            return
        operation.end = time.monotonic()
        operation.outcome = "accepted" if message["type"] == "accepted" else message["reason"]
        operation.version = message["version"] if message["type"] == "accepted" else None
        self._pending = None

    async def _act(self, socket: ClientConnection, update: Json) -> None:
        if self._seat is None or self._pending is not None or update["room"]["over"]:
            return
        fields = self._seat_or_draw(self._seat, update["room"])
        legal = update["legal"].get(str(self._seat))
        if fields is not None:
            pass
        elif self._said < 3 and self._random.random() < 0.02:
            self._said += 1
            fields = {"type": "say", "text": f"line {self._said} of {self.person[:6]}"}
        elif legal:
            if self._pause:
                await asyncio.sleep(self._random.uniform(0, self._pause))
            move = self._random.choice(legal)
            fields = {"type": "move", "seat": self._seat, "move": move, "version": update["version"]}
        if fields is not None:
            id = f"b{next(self._numbers)}"
            self._pending = Operation(self.person, id, fields["type"], fields, time.monotonic())
            self._history.operations.append(self._pending)
            await self._send(socket, self._pending)

    def _seat_or_draw(self, seat: int, room: Json) -> Json | None:
        """What there is to do before a game: to sit down again, to be ready, to seal, to open."""
        if room["playing"]:
            return None
        if not room["seats"][str(seat)]["yours"]:
            return {"type": "sit", "name": f"P{seat}", "seat": seat, "seals": self.seals}
        if room["ready"] is not None and seat not in room["ready"]["seats"]:
            return {"type": "ready"}
        promise = room["promises"][-1] if room["promises"] else None
        if not self.seals or promise is None or promise["context"] is None:
            return None
        commitment, opening = promise["commitment"], self._drawn.get(promise["commitment"])
        if promise["call"] is None:
            if opening is not None:
                return None
            opening = self._drawn[commitment] = Opening(self._random.randbytes(16).hex(), f"words of {seat}")
            seal = seal_of(hash_of(promise["context"]), commitment, seat, opening)
            return {"type": "seal", "seat": seat, "promise": commitment, "seal": seal}
        drawing = room["drawing"]
        if opening is None or drawing is None or seat not in drawing["waiting"]:
            return None
        if self._deaths:
            raise Died
        return {"type": "open", "seat": seat, "call": promise["call"], "nonce": opening.nonce, "words": opening.words}

    async def _send(self, socket: ClientConnection, operation: Operation) -> None:
        await socket.send(json.dumps(operation.fields | {"id": operation.id}))


# -- a run ------------------------------------------------------------------------------------------------------------


@dataclass
class Tally:
    """What a run has come to."""

    seed: int
    games: int = 0
    operations: int = 0
    accepted: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    unknown: int = 0
    updates: int = 0
    joins: int = 0
    events: int = 0
    kinds: Counter[str] = field(default_factory=Counter)
    """How often each kind of event is in the logs."""
    bound: int = 0
    """Records whose proof holds a seat's own words."""
    rated: int = 0
    """Results of rated games, one for each seat."""
    faults: Counter[str] = field(default_factory=Counter)
    jumps_noticed: int = 0
    """How often a server wrote that the machine's clock was moved."""
    seconds: float = 0.0
    wrong: list[str] = field(default_factory=list)


async def play_table(cluster: Cluster, kind: Kind, random: Random, tally: Tally, pause: float) -> None:
    """One game from the opening of the room to the check of its record."""
    history = History("")
    bots = [Bot(cluster, random, history, seat, kind, pause) for seat in range(kind.people)]
    onlooker = Bot(cluster, random, history, None, kind, pause)
    for bot in [*bots, onlooker]:
        await bot.arrive()
    history.room = (await bots[0].ask("POST", "/api/rooms", kind.setup))["room"]
    for seat, bot in enumerate(bots):
        history.seats[bot.person] = (seat,)
        if seat:
            sit = {"type": "sit", "id": "sit", "name": f"P{seat}", "seat": seat, "seals": bot.seals}
            await bot.ask("POST", f"/api/rooms/{history.room}/commands", sit)
    await asyncio.gather(*(bot.play() for bot in [*bots, onlooker]))
    record = await bots[0].ask("GET", f"/api/rooms/{history.room}/games/1/record")
    store = Store(cluster.database)
    try:
        entries = await store.read_log(history.room)
        async with store.reading() as connection:
            rows = await connection.execute(select(results).where(results.c.room == history.room))
            standing = {row.seat: (row.person, row.place) for row in rows if row.counts}
    finally:
        await store.close()
    verdict = verify(loads(json.dumps(record)))
    wrong = [*check(history, entries, kind.clock), *check_record(verdict, entries), *check_standing(standing, entries)]
    if sum(entry.event.kind == "created" for entry in entries) != 1:
        wrong.append("the room was opened twice")
    for line in wrong:
        log.error("%s %s: %s", kind.game, history.room, line)
    if wrong:
        cluster.keep(history, entries)
    tally.wrong += [f"{kind.game} {history.room}: {line}" for line in wrong]
    tally.games += 1
    log.info("game %d is over: %s", tally.games, kind.game)
    tally.operations += len(history.operations)
    outcomes = Counter(operation.outcome for operation in history.operations)
    tally.accepted += outcomes.pop("accepted", 0)
    tally.unknown += outcomes.pop("unknown", 0)
    tally.refused += outcomes
    tally.updates += len(history.seen)
    tally.joins += len({(seen.person, seen.connection) for seen in history.seen})
    tally.events += len(entries)
    tally.kinds += Counter(entry.event.kind for entry in entries)
    tally.bound += bool(verdict.bound)
    tally.rated += len(standing)


async def check_ratings(database: str, patience: float) -> list[str]:
    """Whether each rated game has been followed by its people's ratings, once; waits until the servers are done."""
    store = Store(database)
    unrated = select(func.count()).select_from(results).where(results.c.counts, not_(results.c.rated))
    counted = select(results.c.person, results.c.game, func.count()).where(results.c.counts)
    try:
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(patience), store.reading() as connection:
                while (await connection.execute(unrated)).scalar_one():
                    await connection.rollback()
                    await asyncio.sleep(0.2)
        async with store.reading() as connection:
            wanted = set(await connection.execute(counted.group_by(results.c.person, results.c.game)))
            rated = set(await connection.execute(select(ratings.c.person, ratings.c.game, ratings.c.games)))
    finally:
        await store.close()
    if wanted == rated:
        return []
    return [f"{len(wanted - rated)} people's ratings did not follow their games, or more than once"]


async def run(
    cluster: Cluster,
    seed: int,
    seconds: float,
    tables: int,
    *,
    pause: float = 0.15,
    calm: tuple[float, float] = (0.5, 3.0),
    long: tuple[float, float] = (0.5, 4.0),
    patience: float = 180.0,
) -> Tally:
    """Plays for so many seconds, at so many tables at once, then lets all games come to their end without faults."""
    tally, random = Tally(seed), Random(seed)
    began = time.monotonic()
    nemesis = Nemesis(cluster, seed, calm, long)

    def over() -> bool:
        return time.monotonic() - began > seconds

    async def table(number: int) -> None:
        for kind in itertools.cycle(KINDS[number % len(KINDS) :] + KINDS[: number % len(KINDS)]):
            await play_table(cluster, kind, Random(random.random()), tally, pause)
            if over():
                return

    harm = asyncio.create_task(nemesis.run(over))
    playing = [asyncio.create_task(table(number)) for number in range(tables)]
    try:
        await harm
        cluster.heal()
        done, stuck = await asyncio.wait(playing, timeout=patience)
        if stuck:
            tally.wrong.append(f"{len(stuck)} tables did not come to their end")
        for task in done:
            if (error := task.exception()) is not None:
                tally.wrong.append(f"{type(error).__name__}: {error}")
    finally:
        for task in [harm, *playing]:
            task.cancel()
        await asyncio.gather(harm, *playing, return_exceptions=True)
    tally.wrong += await check_ratings(cluster.database, patience)
    for number, server in enumerate(cluster.servers):
        if "Traceback" in server.log:
            trace = server.log[server.log.index("Traceback") :][:4000]
            tally.wrong.append(f"server {number} has a traceback in its log: {trace}")
    tally.jumps_noticed = sum(server.log.count("the machine's clock was moved") for server in cluster.servers)
    tally.faults = nemesis.done
    tally.seconds = time.monotonic() - began
    return tally
