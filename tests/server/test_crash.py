"""The server is killed again and again while many games are played: nothing that was acknowledged is lost.

``make soak`` does it at length: twenty times while a hundred games are played.
"""

import asyncio
import json
from pathlib import Path
from random import Random
from typing import Any, NamedTuple

import pytest
from sqlalchemy import select

from server.bots import Ledger, meet
from server.serving import Server, serving
from sobremesa.server.client import Guest
from sobremesa.server.storage import events, open_engine
from sobremesa.table import loads, verify

pytest_plugins = ["server.postgres"]
pytestmark = pytest.mark.unmeasured


class Ordeal(NamedTuple):
    """What a server has to go through."""

    games: int
    kills: int


@pytest.fixture
def ordeal(request: pytest.FixtureRequest) -> Ordeal:
    return Ordeal(100, 20) if request.config.getoption("--at-length") else Ordeal(24, 6)


async def kill_again_and_again(server: Server, random: Random, done: asyncio.Event, enough: int) -> int:
    kills = 0
    while kills < enough and not done.is_set():
        await asyncio.sleep(random.uniform(0.2, 1.5))
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
            return list(await asyncio.gather(*(p.play(n, ledger, pause=0.5) for n, p in enumerate(parties))))
        finally:
            done.set()

    playing = asyncio.create_task(all_games())
    killing = asyncio.create_task(kill_again_and_again(server, Random(1), done, ordeal.kills))
    return ledger, await playing, await killing


async def read_log(database: str) -> dict[tuple[str, int], tuple[str, dict[str, Any]]]:
    engine = open_engine(database)
    try:
        async with engine.connect() as connection:
            rows = (await connection.execute(select(events))).all()
    finally:
        await engine.dispose()
    return {(row.room, row.version): (row.kind, json.loads(row.data)) for row in rows}


def check_after_crashes(database: str, folder: Path, ordeal: Ordeal) -> None:
    with serving(database, folder, "--no-limits") as server:
        ledger, rooms, kills = asyncio.run(play_through_crashes(server, ordeal))
        assert kills == ordeal.kills
        log = asyncio.run(read_log(database))
        for room, seat, move, version in ledger.moves:
            kind, data = log[room, version]
            assert (kind, data["seat"], data["move"]) == ("moved", seat, move), "acknowledged, and in the log"
        by_id = [(room, data["id"]) for (room, _), (_, data) in log.items() if "id" in data]
        assert len(by_id) == len(set(by_id)), "nothing was done twice"
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


def test_on_postgresql(tmp_path: Path, postgres_url: str, ordeal: Ordeal) -> None:
    check_after_crashes(postgres_url, tmp_path, ordeal)
