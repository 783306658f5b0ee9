"""A package is uninstalled: who played its game is at home in the house nevertheless, and can leave it."""

import os
from pathlib import Path

import pytest

from server.serving import PROGRAM, Server
from sobremesa.games import GAMES
from sobremesa.server.client import Guest


def test_who_played_a_game_that_is_gone_finds_the_rest_and_may_be_forgotten(
    visited: dict[str, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = Server(f"sqlite:///{tmp_path / 'house.db'}", tmp_path, "--no-limits", program=PROGRAM)
    monkeypatch.setitem(os.environ, "PYTHONPATH", visited["PYTHONPATH"])
    server.start()
    ana = Guest(server.address)
    ana._call("GET", "/api/me", None)
    guest = next(game["id"] for game in ana._call("GET", "/api/games", None) if game["id"] not in GAMES)
    seats = [{"kind": "me"}, {"kind": "engine", "player": "random"}]
    opened = [ana._call("POST", "/api/rooms", {"game": guest, "seats": seats})["room"] for _ in range(2)]
    ana._call("POST", f"/api/rooms/{opened[0]}/commands", {"type": "resign", "id": "r", "seat": 0})
    assert server.stop() == 0

    monkeypatch.delitem(os.environ, "PYTHONPATH")
    server.start()
    try:
        told = ana._call("GET", "/api/me", None)
        assert told["statistics"]["games"] == []
        assert {room["id"] for room in told["rooms"]} == set(opened)
        ana._call("DELETE", "/api/me", None)
        assert ana._call("GET", "/api/me/export", None)["events"] == []
    finally:
        server.stop()
    assert "Traceback" not in server.log, server.log
