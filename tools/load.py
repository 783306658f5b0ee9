"""Puts load on a server of this machine and tells how it bears it. Loopback only, bounded in count and time.

    python tools/load.py games --sockets 1000 --rooms 300 --every 2 --seconds 30
    python tools/load.py crowd --players 2000
    python tools/load.py idle --rooms 500
    python tools/load.py stored --rooms 10000

Each starts a server of its own on a temporary SQLite database (``--database`` for another one), and prints a
line of Markdown for docs/benchmarks.md.
"""

import argparse
import asyncio
import contextlib
import gc
import json
import os
import platform
import resource
import signal
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from sobremesa.server.client import Guest, Refused, Visit


class Server:
    """``sobremesa serve`` in a process of its own."""

    def __init__(self, database: str, log: Path) -> None:
        command = [sys.executable, "-m", "sobremesa", "serve", "--database", database, "--port", "0", "--no-limits"]
        self._log = log.open("w")
        began = time.monotonic()
        self.process = subprocess.Popen(
            [*command, "--pause", "0"],
            stdout=subprocess.PIPE,
            stderr=self._log,
            text=True,
            env=os.environ | {"LC_ALL": "C.UTF-8"},
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


async def arrive(address: str, count: int) -> list[Guest]:
    """So many guests with tokens."""
    return list(await asyncio.gather(*(Guest(address).arrive() for _ in range(count))))


async def load_games(address: str, sockets: int, rooms: int, every: float, seconds: float) -> dict[str, Any]:
    """Open rooms with two players and some watchers each; a move every so many seconds in each."""
    guests = await arrive(address, sockets)
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
                            await visits[seat].move(seat, random.choice(legal))
                            latencies.append(time.perf_counter() - began)
                        break
                else:
                    if not visits[0].update["table"]["playing"]:
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


def _to_write(rounds: int, update: dict[str, Any]) -> bool:
    return bool(update["legal"]) and update["views"][0]["rounds"] == rounds


def _rounds_done(rounds: int, update: dict[str, Any]) -> bool:
    return bool(update["views"]) and update["views"][0]["rounds"] >= rounds


def _may_move(seat: int, update: dict[str, Any]) -> bool:
    return str(seat) in update["legal"]


async def load_crowd(address: str, players: int) -> dict[str, Any]:
    """One room of Knister with so many players, all 25 rounds."""
    host, *guests = await arrive(address, players + 1)
    room = await host.open_room("knister", [], crowd=True, name="Host")
    acknowledged = 0
    rounds: list[float] = []
    async with contextlib.AsyncExitStack() as stack:
        gate = asyncio.Semaphore(50)

        async def enter(guest: Guest) -> Visit:
            async with gate:
                visit = await stack.enter_async_context(guest.enter(room))
                await visit.do("sit", name="Player")
                return visit

        began = time.monotonic()
        visits = list(await asyncio.gather(*(enter(guest) for guest in guests)))
        joined = time.monotonic() - began
        async with host.enter(room) as desk:
            await desk.do("start")

            async def play(visit: Visit, number: int) -> None:
                nonlocal acknowledged
                random = Random(number)
                for round_ in range(25):
                    update = await visit.wait_until(partial(_to_write, round_), 300)
                    ((seat, legal),) = update["legal"].items()
                    await visit.do("move", seat=int(seat), move=random.choice(legal), version=update["version"])
                    acknowledged += 1

            async def watch() -> None:
                last = time.monotonic()
                for round_ in range(1, 26):
                    await desk.wait_until(partial(_rounds_done, round_), 300)
                    rounds.append(time.monotonic() - last)
                    last = time.monotonic()

            await asyncio.gather(watch(), *(play(visit, number) for number, visit in enumerate(visits)))
            final = await desk.wait_until(lambda u: not u["table"]["playing"], 60)
        record = await host.call("GET", f"/api/rooms/{room}/games/1/record")
    written = sum(len(event.split(" ")) for event in record["events"] if not event.startswith("~"))
    return {
        "players": players,
        "joined_in_s": round(joined, 1),
        "acknowledged": acknowledged,
        "written": written,
        "lost": acknowledged - written,
        "median_round_s": round(statistics.median(rounds), 2),
        "slowest_round_s": round(max(rounds), 2),
        "top": final["views"][0]["standings"][0]["points"],
    }


async def load_idle(running: Server, rooms: int) -> dict[str, Any]:
    """Memory of rooms in which a game stands still."""
    guest = await Guest(running.address).arrive()

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


async def fill(address: str, rooms: int) -> None:
    """Stores so many rooms."""
    guests = await arrive(address, 20)

    async def some(guest: Guest, count: int) -> None:
        for _ in range(count):
            await guest.open_room("knister", ["me"])

    await asyncio.gather(*(some(guest, rooms // 20) for guest in guests))


def load_stored(rooms: int, database: str | None) -> dict[str, Any]:
    """How long a start takes with so many rooms stored, and the first look into one of them."""
    with tempfile.TemporaryDirectory() as folder:
        url = database or f"sqlite:///{folder}/load.db"
        first = Server(url, Path(folder) / "log")
        asyncio.run(fill(first.address, rooms))
        first.stop()
        second = Server(url, Path(folder) / "log")
        try:
            guest = Guest(second.address)
            asyncio.run(guest.arrive())
            return {"rooms": rooms, "start_s": round(second.started_in, 2)}
        finally:
            second.stop()


def main() -> None:
    """Runs one measurement."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=("games", "crowd", "idle", "stored"))
    parser.add_argument("--sockets", type=int, default=1000)
    parser.add_argument("--rooms", type=int)
    parser.add_argument("--every", type=float, default=2.0)
    parser.add_argument("--seconds", type=float, default=30.0)
    parser.add_argument("--players", type=int, default=2000)
    parser.add_argument("--database", help="default: a temporary SQLite file")
    chosen = parser.parse_args()
    gc.set_threshold(100_000, 50, 100)  # pauses of this program must not count as the server's
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
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
                figures = asyncio.run(load_crowd(running.address, chosen.players))
            else:
                figures = asyncio.run(load_idle(running, chosen.rooms or 500))
            figures["server_cpu_s"] = round(running.cpu(), 1)
    machine = f"{platform.machine()}, {os.cpu_count()} cores shared with the load, Python {platform.python_version()}"
    print(json.dumps(figures | {"machine": machine, "date": time.strftime("%Y-%m-%d")}))


if __name__ == "__main__":
    main()
