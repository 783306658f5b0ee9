"""The server is killed again and again while many games are played: nothing that was acknowledged is lost.

``make soak`` does it at length: twenty times while a hundred games are played.
"""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest

from server.bots import Ledger, meet
from server.serving import Server, serving
from sobremesa.rooms.events import Entry, Moved
from sobremesa.server.client import Guest
from sobremesa.server.storage import Store
from sobremesa.table import loads, verify

pytest_plugins = ["server.postgres"]


class Ordeal(NamedTuple):
    """What a server has to go through."""

    games: int
    kills: int


@pytest.fixture
def ordeal(request: pytest.FixtureRequest) -> Ordeal:
    return Ordeal(100, 20) if request.config.getoption("--at-length") else Ordeal(12, 4)


async def kill_again_and_again(server: Server, random: Random, done: asyncio.Event, enough: int) -> int:
    kills = 0
    while kills < enough and not done.is_set():
        await asyncio.sleep(random.uniform(0.2, 1.0))
        await asyncio.to_thread(server.kill)
        kills += 1
        await asyncio.to_thread(server.start)
    return kills


async def play_through_crashes(server: Server, ordeal: Ordeal) -> tuple[Ledger, list[str], int]:
    ledger, done = Ledger(), asyncio.Event()
    kinds: list[tuple[str, dict[str, Any]]] = [
        ("callisto", {"options": {"edition": "pocket"}}),
        ("isis-osiris", {}),
        ("isis-osiris", {"options": {"variant": "common"}}),
        ("knister", {}),
    ]
    parties = [
        await meet(server.address, game, 2, **setup)
        for game, setup in (kinds[n % len(kinds)] for n in range(ordeal.games))
    ]

    async def all_games() -> list[str]:
        try:
            return list(await asyncio.gather(*(p.play(n, ledger, pause=0.3) for n, p in enumerate(parties))))
        finally:
            done.set()

    playing = asyncio.create_task(all_games())
    killing = asyncio.create_task(kill_again_and_again(server, Random(1), done, ordeal.kills))
    return ledger, await playing, await killing


async def read_log(database: str, rooms: list[str]) -> dict[tuple[str, int], Entry]:
    store = Store(database)
    try:
        return {(room, entry.version): entry for room in rooms for entry in await store.read_log(room)}
    finally:
        await store.close()


def check_after_crashes(database: str, folder: Path, ordeal: Ordeal) -> None:
    with serving(database, folder, "--no-limits") as server:
        ledger, rooms, kills = asyncio.run(play_through_crashes(server, ordeal))
        assert kills == ordeal.kills
        log = asyncio.run(read_log(database, rooms))
        for room, seat, move, version in ledger.moves:
            event = log[room, version].event
            assert isinstance(event, Moved)
            assert (event.seat, event.move) == (seat, move), "acknowledged, and in the log"
        by_command = [(room, entry.person, entry.command) for (room, _), entry in log.items() if entry.command]
        assert len(by_command) == len(set(by_command)), "nothing was done twice"
        for room in rooms:
            versions = sorted(version for other, version in log if other == room)
            assert versions == list(range(1, len(versions) + 1))
            record = asyncio.run(Guest(server.address).call("GET", f"/api/rooms/{room}/games/1/record"))
            verdict = verify(loads(json.dumps(record)))
            assert verdict.final.over
        assert len(rooms) == ordeal.games
        assert len(ledger.moves) > ordeal.games * 30
        assert "Traceback" not in server.log


def test_on_sqlite(tmp_path: Path, ordeal: Ordeal) -> None:
    check_after_crashes(f"sqlite:///{tmp_path / 'crash.db'}", tmp_path, ordeal)


@pytest.mark.at_length
def test_on_postgresql(tmp_path: Path, postgres_url: str, ordeal: Ordeal) -> None:
    check_after_crashes(postgres_url, tmp_path, ordeal)
