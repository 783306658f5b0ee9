"""The clock of a real server's machine is set, while it runs and while it does not."""

import asyncio
import time
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.serving import Server
from server.wall_clock import WallClock, wall_clock
from sobremesa.server.client import Guest, Visit

LONG, SHORT = 600, 5
"""Seconds for a decision, at a table where nobody's time is to run out and at one where it does."""
JUMPS = (86_400, -90_000)


def ready(server: Server) -> None:
    """Whoever watches has the server look at its machine's clock."""
    httpx.get(server.address + "/readyz", timeout=30)


def left(update: dict[str, Any]) -> float:
    """Seconds for the running decision, as a page shows them."""
    return float(update["room"]["deadline"] - update["room"]["now"])


def test_a_clock_that_is_set_while_the_server_runs_neither_flags_nor_gifts(tmp_path: Path) -> None:
    clock = wall_clock(tmp_path / "clock")
    server = Server(f"sqlite:///{tmp_path / 'house.db'}", tmp_path, "--no-limits", program=clock.program)

    async def jump(visit: Visit, seconds: float, times: int) -> None:
        """At one table time runs out meanwhile, at the other one somebody decides."""
        began = time.monotonic()
        short = await visit.guest.open_room("callisto", ["me", "me"], clock=SHORT)
        clock.set(seconds)
        while server.log.count("the machine's clock was moved") < times:
            await asyncio.to_thread(ready, server)
            await asyncio.sleep(0.1)
        before, here = left(visit.update), await visit.guest.call("GET", f"/api/rooms/{visit.room}")
        assert 0 < left(here) <= before
        assert here["version"] == visit.update["version"]
        [(seat, moves)] = here["legal"].items()
        await visit.move(int(seat), moves[0])
        assert LONG - 60 < left(visit.update) <= LONG
        assert not visit.update["room"]["missed"]
        async with visit.guest.enter(short) as other:
            await other.wait_until(lambda update: bool(update["room"]["missed"]))
        assert time.monotonic() - began >= SHORT

    async def main() -> None:
        guest = Guest(server.address)
        room = await guest.open_room("callisto", ["me", "me"], clock=LONG)
        async with asyncio.timeout(240), guest.enter(room) as visit:
            for times, seconds in enumerate(JUMPS, start=1):
                await jump(visit, seconds, times)

    server.start()
    try:
        asyncio.run(main())
    finally:
        server.kill()


@pytest.mark.at_length
def test_a_server_that_started_with_its_clock_a_day_ahead(tmp_path: Path) -> None:
    """It tells the secret of a day that is not over. When its clock is right again, that day counts no more."""
    noon = 43_200 - time.time() % 86_400
    clock = wall_clock(tmp_path / "clock")
    server = Server(f"sqlite:///{tmp_path / 'house.db'}", tmp_path, "--no-limits", program=clock.program)
    with httpx.Client(timeout=30) as http:
        begun = _daily(server, clock, noon, http)
        today = begun["date"]
        assert begun["league"] == "fun"
        server.kill()

        _daily(server, clock, noon + 86_400, http)
        assert http.get(f"{server.address}/api/daily/{today}/proof").json()["commitment"] == begun["commitment"]
        server.kill()

        again = _daily(server, clock, noon, http)
        assert (again["date"], again["league"]) == (today, "late")
        move = {"name": "Ana", "date": today, "round": 0, "cell": "a1"}
        assert http.post(f"{server.address}/api/daily", json=move).json()["league"] == "late"
        assert "were told before that day was over" in server.log
        server.kill()


def _daily(server: Server, clock: WallClock, ahead: float, http: httpx.Client) -> dict[str, Any]:
    """Where the day stands after a start with the clock so far ahead."""
    clock.set(ahead)
    server.start()
    told: dict[str, Any] = http.get(f"{server.address}/api/daily").json()
    return told
