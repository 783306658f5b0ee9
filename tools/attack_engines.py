"""One address opens as many rooms for computer players as it can; somebody else plays on. How long do they wait?

Starts a server of its own on this machine and attacks nothing else. ``python tools/attack_engines.py --rooms 993``
prints how long an honest player's computer took before, during and after the attack, for each kind of it:

- unwatched: two champions at every table, and nobody there;
- watched: the same, and a socket of the attacker's at some of the tables;
- seated: the attacker sits at those tables, and a champion has to move.

With ``--check`` it ends with 1 if a move took more than twice as long during an attack as before it, by the medians of
one run, or if there was no attack to speak of.
"""

import argparse
import asyncio
import contextlib
import json
import statistics
import sys
import tempfile
import time
from collections.abc import AsyncIterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
from websockets.asyncio.client import connect

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from server.serving import Server, serving

ATTACKER, HONEST = "198.51.100.7", "192.0.2.1"
"""Addresses that the server believes because they come by loopback, as from a proxy."""
KINDS = ("unwatched", "watched", "seated")
MAX_TIMES_AS_LONG = 2.0
"""What an honest player has to put up with."""
MIN_ROOM_SHARE = 0.25
"""What share of the rooms that were asked for there has to be for an attack; with the usual limits they are 300."""
MOVES = 6
"""Moves of the honest player that are timed in each part."""


class Honest:
    """Somebody who plays against a champion, and has a watch."""

    def __init__(self, server: Server) -> None:
        self._address = server.address
        self._random = Random(5)

    async def play(self, moves: int) -> list[float]:
        """Seconds that the computer took for each of its answers."""
        async with httpx.AsyncClient(base_url=self._address, headers={"X-Forwarded-For": HONEST}, timeout=120) as http:
            setup = {"game": "callisto", "seats": [{"kind": "me"}, {"kind": "engine", "player": "champion"}]}
            room = (await http.post("/api/rooms", json=setup)).json()["room"]
            headers = {"X-Forwarded-For": HONEST, "Cookie": "; ".join(f"{k}={v}" for k, v in http.cookies.items())}
        took: list[float] = []
        address = f"{self._address.replace('http', 'ws')}/api/rooms/{room}/socket"
        async with connect(address, additional_headers=headers, compression=None) as socket:
            await socket.send(json.dumps({"type": "join"}))
            began = None
            while len(took) < moves:
                message = json.loads(await socket.recv())
                if message["type"] != "update" or "0" not in message["legal"]:
                    continue
                if began is not None:
                    took.append(time.monotonic() - began)
                move = self._random.choice(message["legal"]["0"])
                began = time.monotonic()
                sent = {"type": "move", "id": f"m{len(took)}", "seat": 0, "move": move, "version": message["version"]}
                await socket.send(json.dumps(sent))
        return took


@contextlib.asynccontextmanager
async def attack(server: Server, kind: str, rooms: int, sockets: int) -> AsyncIterator[tuple[int, int]]:
    """Opens the rooms, and sockets at some; how many there were."""
    champion = {"kind": "engine", "player": "champion"}
    seats = [champion, {"kind": "me"}] if kind == "seated" else [champion, champion]
    opened: list[tuple[str, str]] = []
    limit = asyncio.Semaphore(20)

    async def one() -> None:
        async with limit:
            answer = await http.post("/api/rooms", json={"game": "callisto", "seats": seats})
            if answer.status_code == 201:
                cookie = answer.headers["set-cookie"].partition(";")[0]
                opened.append((answer.json()["room"], cookie))

    async def watch(room: str, cookie: str) -> None:
        address = f"{server.address.replace('http', 'ws')}/api/rooms/{room}/socket"
        headers = {"X-Forwarded-For": ATTACKER, "Cookie": cookie}
        with contextlib.suppress(Exception):
            async with connect(address, additional_headers=headers, compression=None) as socket:
                await socket.send(json.dumps({"type": "join"}))
                async for _ in socket:
                    pass

    class Forgetful(httpx.Cookies):
        """Keeps nothing: every request comes from somebody new."""

        def extract_cookies(self, response: Any) -> None:
            pass

    async with httpx.AsyncClient(
        base_url=server.address, headers={"X-Forwarded-For": ATTACKER}, cookies=Forgetful(), timeout=120
    ) as http:
        http._cookies = Forgetful()
        await asyncio.gather(*(one() for _ in range(rooms)))
    watched = opened[:sockets] if kind != "unwatched" else []
    tasks = [asyncio.create_task(watch(*one)) for one in watched]
    await asyncio.sleep(3)
    try:
        yield len(opened), len(watched)
    finally:
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)


def flaws(found: dict[str, Any], asked: int) -> list[str]:
    """What is wrong with what was measured."""
    wrong = []
    if found["rooms"] < MIN_ROOM_SHARE * asked:
        wrong.append(f"{found['kind']}: only {found['rooms']} of {asked} rooms were opened, which is no attack")
    if found["times as long"] > MAX_TIMES_AS_LONG:
        wrong.append(f"{found['kind']}: a move took {found['times as long']} times as long as before")
    return wrong


async def measure(server: Server, kind: str, rooms: int, sockets: int) -> dict[str, Any]:
    """How long the honest player waited, in seconds."""
    honest = Honest(server)
    await honest.play(1)  # the first thought starts a process
    before = await honest.play(MOVES)
    async with attack(server, kind, rooms, sockets) as (opened, watched):
        during = await honest.play(MOVES)
    after = await honest.play(MOVES)
    usual = statistics.median(before)
    return {
        "kind": kind,
        "rooms": opened,
        "sockets": watched,
        "before": round(usual, 2),
        "during": round(statistics.median(during), 2),
        "during, longest": round(max(during), 2),
        "after": round(statistics.median(after), 2),
        "times as long": round(statistics.median(during) / usual, 2),
    }


def main() -> int:
    """Attacks, and prints one line for each kind."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rooms", type=int, default=993, help="rooms to ask for (%(default)s)")
    parser.add_argument("--sockets", type=int, default=300, help="tables with somebody there (%(default)s)")
    parser.add_argument("--limits", action="store_true", help="with the usual limits, which stop most of it before")
    parser.add_argument("--only", choices=KINDS, help="one kind of attack")
    parser.add_argument("--check", action="store_true", help="end with 1 if the honest player waits too long")
    chosen = parser.parse_args()
    wrong: list[str] = []
    for kind in (kind for kind in KINDS if chosen.only in (None, kind)):
        with tempfile.TemporaryDirectory() as folder:
            arguments = ["--pause", "0.6", *([] if chosen.limits else ["--no-limits"])]
            with serving(f"sqlite:///{folder}/attack.db", Path(folder), *arguments) as server:
                found = asyncio.run(measure(server, kind, chosen.rooms, chosen.sockets))
        print(json.dumps(found), flush=True)
        wrong += flaws(found, chosen.rooms) if chosen.check else []
    print("\n".join(wrong), end="\n" * bool(wrong), file=sys.stderr)
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
