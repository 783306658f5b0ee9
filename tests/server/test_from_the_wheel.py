"""The server as it is shipped: from the built wheel, not from the source tree."""

import asyncio
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from random import Random
from urllib.request import urlopen

import pytest

from server.bots import Ledger, play_room, play_seat
from server.serving import serving
from sobremesa.server.client import Guest
from sobremesa.table import loads, verify


@pytest.fixture(scope="module")
def unpacked(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder that holds what the wheel holds."""
    target = tmp_path_factory.mktemp("installed")
    install = [sys.executable, "-m", "uv", "pip", "install", "-q", "--offline", "--no-deps", "--target", str(target)]
    subprocess.run([*install, str(wheel)], check=True)
    return target


def test_games_with_people_and_engines(unpacked: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PYTHONPATH", str(unpacked))
    monkeypatch.setenv("PATH", str(tmp_path))  # where there is no Node, nor anything else
    where = subprocess.run(
        [sys.executable, "-c", "import sobremesa.server.run as run; print(run.__file__)"],
        capture_output=True,
        text=True,
        check=True,
        cwd=tmp_path,
    )
    assert where.stdout.startswith(str(unpacked)), "the test must not see the source tree"

    async def play(address: str) -> None:
        ledger = Ledger()
        rooms = [await play_room(address, game, 2, 1, ledger) for game in ("callisto", "isis-osiris", "knister")]
        guest = await Guest(address).arrive()
        rooms.append(await guest.open_room("knister", ["me", "greedy", "random"]))
        async with guest.enter(rooms[-1]) as visit:
            await play_seat(visit, 0, Random(1), ledger)
        for room in rooms:
            record = await guest.call("GET", f"/api/rooms/{room}/games/1/record")
            assert verify(loads(json.dumps(record))).final.over

    with serving(f"sqlite:///{tmp_path / 'wheel.db'}", tmp_path) as server:
        asyncio.run(play(server.address))
        page = urlopen(server.address).read().decode()
        parts = re.findall(r'(?:src|href)="(/[^"]+)"', page)
        assert any(part.endswith(".js") for part in parts)
        assert all(urlopen(server.address + part).read() for part in parts), "the page comes from the wheel, too"
        assert server.stop() == 0
    assert "Traceback" not in server.log
    assert os.stat(tmp_path / "wheel.db").st_mode & 0o077 == 0, "the database is nobody else's to read"
