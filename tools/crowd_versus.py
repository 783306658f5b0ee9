"""The same crowd at the servers of two checkouts, by turns: how long a round takes, and how long everybody else waits.

    git worktree add ../before 210930f
    python tools/crowd_versus.py ../before --players 10000 --rounds 6 --turns 1

The crowd speaks as much of the socket's language as has been the same since version 0.1.0. Meanwhile somebody who has
nothing to do with the room asks for ``/healthz`` fifty times a second: that wait is what everybody else feels.
"""

import argparse
import asyncio
import http.client
import json
import platform
import re
import resource
import statistics
import tempfile
import threading
import time
import urllib.request
from functools import partial
from pathlib import Path
from typing import Any

from load import CrowdFigures, CrowdMember, Server, tokens

PING_EVERY = 0.02
"""Seconds between two requests of somebody else."""


class Timekeeper(CrowdMember):
    """A member who notes when each round was told."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self.over_at: dict[int, float] = {}
        """When a number of rounds was first told to be over."""

    def _hear(self, message: bytes) -> None:
        if rounds := re.search(rb'"rounds":(\d+)', message):
            self.over_at.setdefault(int(rounds[1]), time.monotonic())
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

    def _ask(self) -> None:
        while not self._stop.wait(PING_EVERY):
            began = time.perf_counter()
            self._connection.request("GET", "/healthz")
            self._connection.getresponse().read()
            self.waits.append(1000 * (time.perf_counter() - began))


def call(address: str, token: str, path: str, body: object) -> Any:
    """An HTTP request of the host."""
    headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
    request = urllib.request.Request(address + path, json.dumps(body).encode(), headers)
    with urllib.request.urlopen(request, timeout=300) as answer:
        return json.loads(answer.read())


async def measure(running: Server, players: int, rounds: int) -> dict[str, Any]:
    """So many rounds of one crowd."""
    address = running.address
    host, *people = await asyncio.to_thread(tokens, address, players + 1)
    setup = {"game": "knister", "seats": [], "crowd": True}
    room = (await asyncio.to_thread(call, address, host, "/api/rooms", setup))["room"]
    figures = CrowdFigures()
    where = (address.removeprefix("http://").split(":")[0], int(address.rsplit(":", 1)[1]))
    members: list[CrowdMember] = []
    for number, token in enumerate(people):
        kind = CrowdMember if number else Timekeeper
        make = partial(kind, f"/api/rooms/{room}/socket", token, number, figures, False)
        members.append((await asyncio.get_running_loop().create_connection(make, *where))[1])
        while number + 1 - figures.seated > 100:
            await asyncio.sleep(0.005)
    while figures.seated < players:
        await asyncio.sleep(0.05)
    timekeeper = members[0]
    assert isinstance(timekeeper, Timekeeper)
    cpu = running.cpu()
    with Bystander(address) as bystander:
        await asyncio.to_thread(call, address, host, f"/api/rooms/{room}/commands", {"type": "start", "id": "start"})
        while rounds not in timekeeper.over_at:
            await asyncio.sleep(0.02)
    cpu = running.cpu() - cpu
    for member in members:
        member.close()
    took = [timekeeper.over_at[number + 1] - timekeeper.over_at[number] for number in range(rounds)]
    waits = sorted(bystander.waits)
    return {
        "median_round_s": round(statistics.median(took), 2),
        "slowest_round_s": round(max(took), 2),
        "server_cpu_a_round_s": round(cpu / rounds, 2),
        "bystander_median_ms": round(statistics.median(waits), 1),
        "bystander_p99_ms": round(waits[int(len(waits) * 0.99)], 1),
    }


def main() -> None:
    """Measures both, by turns."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("other", type=Path, help="the root of another checkout")
    parser.add_argument("--players", type=int, default=2000)
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--turns", type=int, default=2)
    chosen = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_NOFILE, (min(65536, resource.getrlimit(resource.RLIMIT_NOFILE)[1]),) * 2)
    about = {"players": chosen.players, "python": platform.python_version(), "date": time.strftime("%Y-%m-%d")}
    for _ in range(chosen.turns):
        for name, tree in (("other", chosen.other.resolve()), ("this", None)):
            with tempfile.TemporaryDirectory() as folder:
                running = Server(f"sqlite:///{folder}/crowd.db", Path(folder) / "log", tree)
                try:
                    print(
                        json.dumps(
                            {"server": name} | asyncio.run(measure(running, chosen.players, chosen.rounds)) | about
                        )
                    )
                finally:
                    running.stop()


if __name__ == "__main__":
    main()
