"""Puts load on a server of this machine and tells how it bears it. Loopback only, bounded in count and time.

    python tools/load.py games --sockets 1000 --rooms 300 --every 2 --seconds 30
    python tools/load.py crowd --players 10000 --seal
    python tools/load.py broadcast --players 10000
    python tools/load.py idle --rooms 500
    python tools/load.py stored --rooms 10000

Each starts a server of its own on a temporary SQLite database (``--database`` for another one), and prints a
line of Markdown for docs/benchmarks.md.
"""

import argparse
import asyncio
import base64
import contextlib
import gc
import http.client
import json
import os
import platform
import re
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from sobremesa.server.client import Guest, Refused, Visit
from sobremesa.table.commitments import Opening, hash_of, seal_of

MAX_LAG_MS = 10
"""How late the event loop may be while a crowd is told (99th percentile)."""


class Server:
    """``sobremesa serve`` in a process of its own, from this checkout or from another one."""

    def __init__(self, database: str, log: Path, tree: Path | None = None) -> None:
        command = [sys.executable, "-m", "sobremesa", "serve", "--database", database, "--port", "0", "--no-limits"]
        self._log = log.open("w")
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "--pause", "0"],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | {"LC_ALL": "C.UTF-8"} | ({"PYTHONPATH": str(tree / "src")} if tree else {}),
        )
        assert self.process.stdout is not None
        self.address = self.process.stdout.readline().split()[-1]
        self.started_in = time.monotonic() - began
        if not self.address.startswith("http://127.0.0.1:"):
            sys.exit("the server did not start: " + log.read_text()[-2000:])

    def memory(self) -> int:
        """Bytes in real memory that are the server's own."""
        text = Path(f"/proc/{self.process.pid}/smaps_rollup").read_text()
        return sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Private"))

    def cpu(self) -> float:
        """Seconds of processor time so far."""
        fields = Path(f"/proc/{self.process.pid}/stat").read_text().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def stop(self) -> None:
        """Ends it, as an operator would."""
        self.process.send_signal(signal.SIGTERM)
        self.process.wait(30)
        assert self.process.stdout is not None
        self.process.stdout.close()
        self._log.close()


@contextlib.contextmanager
def server(database: str | None) -> Iterator[Server]:
    """A server for the length of a measurement."""
    with tempfile.TemporaryDirectory() as folder:
        running = Server(database or f"sqlite:///{folder}/load.db", Path(folder) / "log")
        try:
            yield running
        finally:
            running.stop()


async def arrive(address: str, count: int, kind: type[Guest] = Guest) -> list[Guest]:
    """Makes a number of guests with tokens."""
    return list(await asyncio.gather(*(kind(address).arrive() for _ in range(count))))


async def load_games(
    address: str, sockets: int, rooms: int, every: float, seconds: float, kind: type[Guest] = Guest
) -> dict[str, Any]:
    """Open rooms with two players and some watchers each; a move every so many seconds in each."""
    guests = await arrive(address, sockets, kind)
    random = Random(1)
    latencies: list[float] = []
    stop = asyncio.Event()
    async with contextlib.AsyncExitStack() as stack:
        tables: list[list[Visit]] = []
        for number in range(rooms):
            members = guests[number::rooms]
            game = ("callisto", "isis-osiris", "knister")[number % 3]
            room = await members[0].open_room(game, ["me", "open"])
            visits = await asyncio.gather(*(stack.enter_async_context(guest.enter(room)) for guest in members))
            await visits[1].do("sit", name="Bo", seat=1)
            tables.append(visits)

        async def play(visits: list[Visit]) -> None:
            await asyncio.sleep(random.random() * every)
            due = time.monotonic()
            while not stop.is_set():
                for seat in (0, 1):
                    legal = visits[seat].update["legal"].get(str(seat))
                    if legal:
                        began = time.perf_counter()
                        with contextlib.suppress(Refused):
                            version = visits[seat].update["version"]
                            await visits[seat].ask("move", seat=seat, move=random.choice(legal), version=version)
                            latencies.append(time.perf_counter() - began)
                        break
                else:
                    if not visits[0].update["room"]["playing"]:
                        await visits[0].do("start")
                due += every
                await asyncio.sleep(max(0, due - time.monotonic()))

        playing = [asyncio.create_task(play(visits)) for visits in tables]
        await asyncio.sleep(seconds)
        stop.set()
        await asyncio.gather(*playing)
        reconnects = sum(visit.reconnects for visits in tables for visit in visits)
    latencies.sort()
    return {
        "sockets": sockets,
        "rooms": rooms,
        "moves": len(latencies),
        "moves_per_second": round(len(latencies) / seconds, 1),
        "median_ms": round(statistics.median(latencies) * 1000, 1),
        "p99_ms": round(latencies[int(len(latencies) * 0.99)] * 1000, 1),
        "worst_ms": round(latencies[-1] * 1000, 1),
        "reconnects": reconnects,
    }


def _may_move(seat: int, update: dict[str, Any]) -> bool:
    return str(seat) in update["legal"]


def rounds_in(message: bytes) -> int | None:
    """How many rounds are over in the newest view that a message holds."""
    found = re.findall(rb'"rounds":(\d+)', message)
    return int(found[-1]) if found else None


class CrowdMember(asyncio.Protocol):
    """A player of a crowd with as little of a WebSocket client as will do, so that the server is what is measured.

    It takes a seat, writes each roll into the next cell of a random order as soon as it is told of it, and counts what
    is acknowledged.
    """

    def __init__(
        self, path: str, token: str, number: int, figures: "CrowdFigures", silent: bool, seals: bool = False
    ) -> None:
        self._silent = silent
        self._seals = seals
        self._done: set[str] = set()
        """What it has sealed and opened."""
        self._opening = Opening(os.urandom(16).hex())
        self._path, self._token, self._number, self._figures = path, token, number, figures
        self._cells = [f"{column}{row}" for column in "abcde" for row in "12345"]
        Random(number).shuffle(self._cells)
        self._buffer = b""
        self._open = False
        self._written = 0
        self._seat = -1
        self._transport: Any = None

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        key = base64.b64encode(os.urandom(16)).decode()
        lines = (
            f"GET {self._path} HTTP/1.1",
            "Host: 127.0.0.1",
            "Upgrade: websocket",
            "Connection: Upgrade",
            f"Sec-WebSocket-Key: {key}",
            "Sec-WebSocket-Version: 13",
            f"Authorization: Bearer {self._token}",
        )
        transport.write("".join(f"{line}\r\n" for line in (*lines, "")).encode())

    def data_received(self, data: bytes) -> None:
        self._buffer += data
        if not self._open:
            head, end, rest = self._buffer.partition(b"\r\n\r\n")
            if not end:
                return
            if b" 101 " not in head.split(b"\r\n")[0]:
                raise RuntimeError(head.decode())
            self._open, self._buffer = True, rest
            self.say(type="join")
            self.say(type="sit", id="sit", name="Player", **({"seals": True} if self._seals else {}))
        while (frame := self._frame()) is not None:
            kind, payload = frame
            if kind == 9:
                self._send(10, payload)
            elif kind == 1:
                self._hear(payload)

    def _frame(self) -> tuple[int, bytes] | None:
        """The next whole frame that has come; the server sends every message as one."""
        buffer = self._buffer
        if len(buffer) < 2:
            return None
        length, start = buffer[1] & 127, 2
        if length > 125:
            start = 4 if length == 126 else 10
            if len(buffer) < start:
                return None
            length = int.from_bytes(buffer[2:start], "big")
        if len(buffer) < start + length:
            return None
        self._buffer = buffer[start + length :]
        return buffer[0] & 15, buffer[start : start + length]

    def _hear(self, message: bytes) -> None:
        figures = self._figures
        if message.startswith(b'{"type":"update"'):
            version = re.match(rb'{"type":"update","version":(\d+)', message)
            rounds = rounds_in(message)
            figures.updates += 1
            if self._seals and len(self._done) < 2:
                self._take_part(json.loads(message)["room"])
            if self._silent:
                return
            if version and rounds == self._written and b'"legal":{}' not in message:
                if self._seat < 0:
                    self._seat = int(next(iter(json.loads(message)["legal"])))
                cell = self._cells[self._written]
                self._written += 1
                id = f"move-{self._written}"
                self.say(type="move", id=id, seat=self._seat, version=int(version[1]), move=cell)
        elif message.startswith(b'{"type":"accepted"'):
            if b'"id":"sit"' in message:
                figures.seated += 1
            elif b'"id":"seal"' in message or b'"id":"open"' in message:
                figures.took_part += 1
            else:
                figures.acknowledged += 1
        elif not message.startswith(b'{"type":"pong"'):
            figures.trouble.append(message.decode()[:200])

    def _take_part(self, room: dict[str, Any]) -> None:
        """Seals, and opens once the game is called."""
        seat = next((int(seat) for seat, info in room["seats"].items() if info["yours"]), None)
        promise = room["promises"][-1]
        if seat is None or room["playing"]:
            return
        if promise["call"] is None and not self._done:
            self._done.add("seal")
            seal = seal_of(hash_of(promise["context"]), promise["commitment"], seat, self._opening)
            self.say(type="seal", id="seal", seat=seat, promise=promise["commitment"], seal=seal)
        elif promise["call"] is not None and "open" not in self._done:
            self._done.add("open")
            self.say(type="open", id="open", seat=seat, call=promise["call"], nonce=self._opening.nonce)

    def say(self, **message: Any) -> None:
        """Sends a message."""
        self._send(1, json.dumps(message).encode())

    def _send(self, kind: int, payload: bytes) -> None:
        """Sends a frame, masked with nothing: the mask is there, it is all zeros."""
        length = len(payload)
        head = (
            bytes([128 | kind, 128 | length]) if length < 126 else bytes([128 | kind, 254]) + length.to_bytes(2, "big")
        )
        self._transport.write(head + bytes(4) + payload)

    def close(self) -> None:
        """Goes home."""
        self._transport.close()


@dataclass
class CrowdFigures:
    """What all members of a crowd have heard."""

    seated: int = 0
    updates: int = 0
    acknowledged: int = 0
    took_part: int = 0
    """Seals and openings that were acknowledged."""
    trouble: list[str] = field(default_factory=list)


def tokens(address: str, count: int) -> list[str]:
    """So many people's tokens, over a few connections that are kept."""

    def some(number: int) -> list[str]:
        host, port = address.removeprefix("http://").split(":")
        connection = http.client.HTTPConnection(host, int(port), timeout=60)
        found = []
        for _ in range(number):
            connection.request("GET", "/api/me")
            answer = connection.getresponse()
            answer.read()
            found.append(str(answer.headers["Set-Cookie"]).partition(";")[0].partition("=")[2])
        connection.close()
        return found

    with ThreadPoolExecutor(8) as pool:
        return [token for part in pool.map(some, [len(range(k, count, 8)) for k in range(8)]) for token in part]


def metrics(address: str) -> str:
    """The server's figures for Prometheus."""
    with urllib.request.urlopen(f"{address}/metrics", timeout=60) as answer:
        return str(answer.read().decode())


def _rounds_done(rounds: int, visit: Visit, update: dict[str, Any]) -> bool:
    return bool(visit.views) and visit.views[0]["rounds"] >= rounds


@contextlib.asynccontextmanager
async def crowd(host: Guest, room: str, players: int, silent: bool, seals: bool = False) -> AsyncIterator[CrowdFigures]:
    """So many players who have taken their seats; silent ones never write."""
    figures = CrowdFigures()
    members: list[CrowdMember] = []
    people = await asyncio.to_thread(tokens, host.address, players)
    where = (host.address.removeprefix("http://").split(":")[0], int(host.address.rsplit(":", 1)[1]))
    for number, token in enumerate(people):
        make = partial(CrowdMember, f"/api/rooms/{room}/socket", token, number, figures, silent, seals)
        members.append((await asyncio.get_running_loop().create_connection(make, *where))[1])
        while number + 1 - figures.seated > 100:
            await asyncio.sleep(0.005)
    while figures.seated < players:
        await asyncio.sleep(0.05)
    try:
        yield figures
    finally:
        for member in members:
            member.close()


async def load_broadcast(running: Server, players: int) -> dict[str, Any]:
    """How long the event loop is held while so many players are told, each with a view of their own.

    Nobody writes: the clock ends eight rounds, and each end is told to everybody.
    """
    host = await Guest(running.address).arrive()
    clock = max(2, players // 1500)
    room = await host.open_room("knister", [], crowd=True, name="Host", clock=clock)
    async with crowd(host, room, players, silent=True) as figures, host.enter(room) as desk:
        before = await asyncio.to_thread(metrics, running.address)
        so_far, cpu = figures.updates, running.cpu()
        await desk.do("start")
        await desk.wait_until(partial(_rounds_done, 8, desk), 300)
        lag = Lag.between(before, await asyncio.to_thread(metrics, running.address))
        updates = figures.updates - so_far
        cost = {"updates": updates, "server_cpu_ms_an_update": round((running.cpu() - cpu) / updates * 1000, 3)}
    return {"players": players} | cost | lag.figures()


async def load_crowd(running: Server, players: int, seals: bool = False) -> dict[str, Any]:
    """One room of Knister with so many players, all 25 rounds, everybody writing at once."""
    address = running.address
    host = await Guest(address).arrive()
    room = await host.open_room("knister", [], crowd=True, name="Host")
    rounds: list[float] = []
    began = time.monotonic()
    async with crowd(host, room, players, False, seals) as figures, host.enter(room) as desk:
        joined = time.monotonic() - began
        while seals and figures.took_part < players:
            await asyncio.sleep(0.05)
        last = time.monotonic()
        await desk.do("start")
        await desk.wait_until(lambda update: update["room"]["playing"], 300)
        begun = time.monotonic() - last
        before = await asyncio.to_thread(metrics, address)
        cpu = running.cpu()
        last = time.monotonic()
        for round_ in range(1, 26):
            await desk.wait_until(partial(_rounds_done, round_, desk), 300)
            rounds.append(time.monotonic() - last)
            last = time.monotonic()
        await desk.wait_until(lambda update: not update["room"]["playing"], 300)
        lag = Lag.between(before, await asyncio.to_thread(metrics, address))
        top = desk.views[0]["standings"][0]["points"]
        while figures.acknowledged < 25 * players and not figures.trouble:
            await asyncio.sleep(0.05)
    record = await host.call("GET", f"/api/rooms/{room}/games/1/record")
    written = sum(len(event.split(" ")) for event in record["events"] if not event.startswith("~"))
    return {
        "players": players,
        "joined_in_s": round(joined, 1),
        "begun_in_s": round(begun, 2),
        "took_part": len(record["fair"]["seals"]),
        "opened": sum("nonce" in seal for seal in record["fair"]["seals"].values()),
        "acknowledged": figures.acknowledged,
        "written": written,
        "lost": figures.acknowledged - written,
        "refused": figures.trouble[:3],
        "median_round_s": round(statistics.median(rounds), 2),
        "slowest_round_s": round(max(rounds), 2),
        "server_cpu_a_round_s": round((running.cpu() - cpu) / 25, 2),
        "top": top,
    } | lag.figures()


@dataclass
class Lag:
    """How late the server's event loop was, as its probe has measured."""

    counts: list[tuple[float, float]]
    """Upper bounds in seconds, and how many probes were at most so late."""

    @classmethod
    def between(cls, before: str, after: str) -> "Lag":
        """From two pages of metrics."""
        pattern = re.compile(r'^sobremesa_loop_lag_seconds_bucket{le="([^"]+)"} (\S+)', re.M)
        first = dict(pattern.findall(before))
        return cls([(float(bound), float(count) - float(first[bound])) for bound, count in pattern.findall(after)])

    def at_most(self, share: float) -> float:
        """The bound in milliseconds that a share of the probes kept."""
        total = self.counts[-1][1]
        return next(bound for bound, count in self.counts if count >= share * total) * 1000

    def figures(self) -> dict[str, Any]:
        """For people."""
        return {
            "loop_lag_p50_ms": self.at_most(0.5),
            "loop_lag_p99_ms": self.at_most(0.99),
            "probes": self.counts[-1][1],
        }


async def load_idle(running: Server, rooms: int, kind: type[Guest] = Guest) -> dict[str, Any]:
    """Memory of rooms in which a game stands still."""
    guest = await kind(running.address).arrive()

    async def open_some(count: int) -> None:
        for _ in range(count):
            room = await guest.open_room("callisto", ["me", "me"])
            async with guest.enter(room) as visit:
                for seat in (0, 1, 0, 1, 0, 1):
                    await visit.wait_until(partial(_may_move, seat))
                    await visit.move(seat, visit.update["legal"][str(seat)][0])

    await open_some(50)
    before = running.memory()
    await open_some(rooms)
    return {"rooms": rooms, "kB_per_idle_room": round((running.memory() - before) / rooms / 1024, 1)}


async def fill(address: str, rooms: int, kind: type[Guest] = Guest) -> None:
    """Stores so many rooms."""
    guests = await arrive(address, 20, kind)

    async def some(guest: Guest, count: int) -> None:
        for _ in range(count):
            await guest.open_room("knister", ["me"])

    await asyncio.gather(*(some(guest, rooms // 20) for guest in guests))


def load_stored(
    rooms: int, database: str | None, tree: Path | None = None, kind: type[Guest] = Guest
) -> dict[str, Any]:
    """How long a start takes with so many rooms stored, and the first look into one of them."""
    with tempfile.TemporaryDirectory() as folder:
        url = database or f"sqlite:///{folder}/load.db"
        first = Server(url, Path(folder) / "log", tree)
        asyncio.run(fill(first.address, rooms, kind))
        first.stop()
        second = Server(url, Path(folder) / "log", tree)
        try:
            asyncio.run(kind(second.address).arrive())
            return {"rooms": rooms, "start_s": round(second.started_in, 2)}
        finally:
            second.stop()


def main(arguments: list[str] | None = None) -> None:
    """Runs one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("games", "crowd", "broadcast", "idle", "stored"))
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--rooms", type=int)
    parser.add_argument("--every", type=float, default=2.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--players", type=int, default=10_000)
    parser.add_argument("--seal", action="store_true", help="the crowd takes part in fair chance")
    parser.add_argument("--database", help="default: a temporary SQLite file")
    chosen = parser.parse_args(arguments)
    gc.set_threshold(100_000, 50, 100)  # pauses of this program must not count as the server's
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    too_late = False
    if chosen.what == "stored":
        figures = load_stored(chosen.rooms or 10_000, chosen.database)
    else:
        with server(chosen.database) as running:
            if chosen.what == "games":
                figures = asyncio.run(
                    load_games(
                        running.address, chosen.sockets, chosen.rooms or 300, chosen.every, min(chosen.seconds, 300)
                    )
                )
            elif chosen.what == "crowd":
                figures = asyncio.run(load_crowd(running, chosen.players, chosen.seal))
            elif chosen.what == "broadcast":
                figures = asyncio.run(load_broadcast(running, chosen.players))
                too_late = figures["loop_lag_p99_ms"] > MAX_LAG_MS
            else:
                figures = asyncio.run(load_idle(running, chosen.rooms or 500))
            figures["server_cpu_s"] = round(running.cpu(), 1)
    machine = f"{platform.machine()}, {os.cpu_count()} cores shared with the load, Python {platform.python_version()}"
    print(json.dumps(figures | {"machine": machine, "date": time.strftime("%Y-%m-%d")}))
    if too_late:
        sys.exit(f"the event loop was held for more than {MAX_LAG_MS} ms (p99)")


if __name__ == "__main__":
    main()
