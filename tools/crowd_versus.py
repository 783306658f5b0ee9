"""The same load on the servers of two checkouts, by turns: how long it takes, and how long everybody else waits.

    git worktree add ../before 210930f
    python tools/crowd_versus.py ../before
    python tools/crowd_versus.py ../before crowd --players 10000 --rounds 6 --turns 1

``crowd``: everybody writes at once. ``broadcast``: nobody writes, the clock ends the rounds, and each end is told to
everybody. ``games``: many rooms with two players each. ``idle``: what a room takes in memory. ``stored``: how long a
start takes. All of them speak as much of the server's language as has been the same since version 0.1.0. In the first
three, somebody who has nothing to do with it asks for ``/healthz`` fifty times a second:
that wait is what everybody else feels.
"""

import argparse
import asyncio
import http.client
import json
import platform
import resource
import statistics
import tempfile
import threading
import time
import urllib.request
from collections.abc import Callable, Coroutine
from functools import partial
from pathlib import Path
from typing import Any

from load import CrowdFigures, CrowdMember, Server, load_games, load_idle, load_stored, rounds_in, tokens
from sobremesa.server.client import Guest, Visit

PING_EVERY = 0.02
"""Seconds between two requests of somebody else."""


class Timekeeper(CrowdMember):
    """A member who notes when each round was told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.over_at: dict[int, float] = {}
        """When a number of rounds was first told to be over."""

    def _hear(self, message: bytes) -> None:
        if (rounds := rounds_in(message)) is not None:
            self.over_at.setdefault(rounds, time.monotonic())
        super()._hear(message)


class Bystander:
    """Somebody else, who asks the server something simple again and again."""

    def __init__(self, address: str) -> None:
        host, port = address.removeprefix("http://").split(":")
        self._connection = http.client.HTTPConnection(host, int(port), timeout=300)
        self._stop = threading.Event()
        self.waits: list[float] = []
        self._thread = threading.Thread(target=self._ask, daemon=True)

    def __enter__(self) -> "Bystander":
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        self._stop.set()
        self._thread.join()
        self._connection.close()

    def figures(self) -> dict[str, float]:
        """How long they had to wait."""
        waits = sorted(self.waits)
        return {
            "bystander_median_ms": round(statistics.median(waits), 1),
            "bystander_p99_ms": round(waits[int(len(waits) * 0.99)], 1),
        }

    def _ask(self) -> None:
        while not self.waits or not self._stop.wait(PING_EVERY):
            began = time.perf_counter()
            self._connection.request("GET", "/healthz")
            self._connection.getresponse().read()
            self.waits.append(1000 * (time.perf_counter() - began))


class PlainVisit(Visit):
    """A conversation that takes of updates what has been the same since version 0.1.0."""

    async def _hear(self, message: dict[str, Any]) -> None:
        if message["type"] != "update":
            await super()._hear(message)
            return
        async with self._changed:
            room = message.get("room") or message["table"]
            self.update = {"version": message["version"], "legal": message["legal"], "room": room}
            self._changed.notify_all()


class PlainGuest(Guest):
    """Somebody whose conversations are plain, and whose requests have no more in them than every version takes."""

    async def call(self, method: str, path: str, body: Any = None) -> Any:
        """An HTTP request."""
        if isinstance(body, dict) and path == "/api/rooms":
            body = {name: value for name, value in body.items() if name != "id"}
        return await super().call(method, path, body)

    def enter(self, room: str) -> Visit:
        """A conversation about a room, as an async context manager."""
        return PlainVisit(self, room)


def call(address: str, token: str, path: str, body: object) -> Any:
    """An HTTP request of the host."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.loads(answer.read())


async def measure_crowd(running: Server, players: int, rounds: int, silent: bool = False) -> dict[str, Any]:
    """So many rounds of one crowd; of silent players the clock ends them."""
    address = running.address
    host, *people = await asyncio.to_thread(tokens, address, players + 1)
    setup = {"game": "knister", "seats": [], "crowd": True, "clock": max(2, players // 1500) if silent else 0}
    room = (await asyncio.to_thread(call, address, host, "/api/rooms", setup))["room"]
    figures = CrowdFigures()
    where = (address.removeprefix("http://").split(":")[0], int(address.rsplit(":", 1)[1]))
    members: list[CrowdMember] = []
    for number, token in enumerate(people):
        kind = CrowdMember if number else Timekeeper
        make = partial(kind, f"/api/rooms/{room}/socket", token, number, figures, silent)
        members.append((await asyncio.get_running_loop().create_connection(make, *where))[1])
        while number + 1 - figures.seated > 100:
            await asyncio.sleep(0.005)
    while figures.seated < players:
        await asyncio.sleep(0.05)
    timekeeper = members[0]
    assert isinstance(timekeeper, Timekeeper)
    cpu, updates = running.cpu(), figures.updates
    with Bystander(address) as bystander:
        await asyncio.to_thread(call, address, host, f"/api/rooms/{room}/commands", {"type": "start", "id": "start"})
        while rounds not in timekeeper.over_at:
            await asyncio.sleep(0.02)
    cpu, updates = running.cpu() - cpu, figures.updates - updates
    for member in members:
        member.close()
    took = [timekeeper.over_at[number + 1] - timekeeper.over_at[number] for number in range(rounds)]
    of_rounds = {
        "median_round_s": round(statistics.median(took), 2),
        "slowest_round_s": round(max(took), 2),
        "server_cpu_a_round_s": round(cpu / rounds, 2),
    }
    of_updates = {"updates": updates, "server_cpu_ms_an_update": round(1000 * cpu / updates, 3)}
    return {"players": players, "rounds": rounds} | (of_updates if silent else of_rounds) | bystander.figures()


async def measure_games(running: Server, sockets: int, rooms: int, every: float, seconds: float) -> dict[str, Any]:
    """Many rooms with two players each."""
    cpu = running.cpu()
    with Bystander(running.address) as bystander:
        figures = await load_games(running.address, sockets, rooms, every, seconds, PlainGuest)
    return figures | {"server_cpu_s": round(running.cpu() - cpu, 2)} | bystander.figures()


def main(arguments: list[str] | None = None) -> None:
    """Measures both, by turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the root of another checkout")
    parser.add_argument("what", nargs="*", help="crowd, broadcast, games, idle, stored; all of them if none is named")
    parser.add_argument("--players", type=int, default=2000, help="of the crowd")
    parser.add_argument("--rounds", type=int, default=6, help="of the crowd")
    parser.add_argument("--sockets", type=int, default=300, help="of the games")
    parser.add_argument("--rooms", type=int, default=100, help="of the games")
    parser.add_argument("--every", type=float, default=1.0, help="seconds between two moves of a game")
    parser.add_argument("--seconds", type=float, default=20.0, help="of games")
    parser.add_argument("--idle-rooms", type=int, default=500)
    parser.add_argument("--stored-rooms", type=int, default=10_000)
    parser.add_argument("--turns", type=int, default=2)
    chosen = parser.parse_args(arguments)
    measures: dict[str, Callable[[Server], Coroutine[Any, Any, dict[str, Any]]]] = {
        "crowd": lambda running: measure_crowd(running, chosen.players, chosen.rounds),
        "broadcast": lambda running: measure_crowd(running, chosen.players, chosen.rounds, silent=True),
        "games": lambda running: measure_games(running, chosen.sockets, chosen.rooms, chosen.every, chosen.seconds),
        "idle": lambda running: load_idle(running, chosen.idle_rooms, PlainGuest),
    }
    names = (*measures, "stored")
    if unknown := set(chosen.what) - set(names):
        parser.error(f"there are {', '.join(names)}; not {', '.join(sorted(unknown))}")
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    about = {"python": platform.python_version(), "date": time.strftime("%Y-%m-%d")}
    for what in chosen.what or names:
        for _ in range(chosen.turns):
            for name, tree in (("other", chosen.other.resolve()), ("this", None)):
                if what == "stored":
                    figures = load_stored(chosen.stored_rooms, None, tree, PlainGuest)
                else:
                    figures = measured(measures[what], tree)
                print(json.dumps({"what": what, "server": name} | figures | about), flush=True)


def measured(measure: Callable[[Server], Coroutine[Any, Any, dict[str, Any]]], tree: Path | None) -> dict[str, Any]:
    """What a measure finds of a checkout's server."""
    with tempfile.TemporaryDirectory() as folder:
        running = Server(f"sqlite:///{folder}/versus.db", Path(folder) / "log", tree)
        try:
            return asyncio.run(measure(running))
        finally:
            running.stop()


if __name__ == "__main__":
    main()
