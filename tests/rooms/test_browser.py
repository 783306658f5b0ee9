"""Rooms run in a browser's Python: whole games, by the code that the server runs, with nothing compiled by us."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROGRAM = """
import json, random, sys
from sobremesa.rooms import Room, messages as m
from sobremesa.rooms.room import Resources
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table import loads, verify
from sobremesa.games import GAMES

outcome = {"python": sys.platform, "games": {}, "numpy": "numpy" in sys.modules}
for game in GAMES:
    dice = random.Random(1)
    seats = [m.SeatPlan(kind="me"), m.SeatPlan(kind="me", name="Bo")]
    room = Room.create("browser", m.NewRoom(game=game, seats=seats), "ana", 0.0, Resources()).successor
    steps = 0
    while room.playing:
        seat = next(iter(room.sitting.state.deciding))
        move = str(dice.choice(room.sitting.state.legal_moves(seat)))
        command = m.Move(type="move", id=f"m{room.version}", seat=seat, version=room.version, move=move)
        transition = room.handle(command, "ana", float(room.version))
        steps += len(transition.steps)
        room = transition.successor
        assert json.loads(UpdateBuilder(room, {"ana"}, 0.0).snapshot("ana"))["version"] == room.version
    record = room.record()
    verdict = verify(loads(record.dumps()))
    over = room.result is not None
    outcome["games"][game] = {"moves": verdict.moves, "fair": verdict.fair, "steps": steps, "over": over}
json.dumps(outcome)
"""


def test_whole_games_are_played_in_pyodide() -> None:
    sys.path.insert(0, str(ROOT / "tools"))
    from web import find_node

    found = find_node()
    missing = [path for path in ("build/browser", "web/node_modules/pyodide") if not (ROOT / path).exists()]
    if found is None or missing:
        pytest.fail(f"`make test` brings what is missing: {missing or 'Node'}")
    done = subprocess.run(
        [found[0], ROOT / "tests/rooms/browser.mjs", ROOT, PROGRAM], capture_output=True, text=True, timeout=300
    )
    assert done.returncode == 0, done.stderr[-2000:]
    outcome = json.loads(done.stdout.splitlines()[-1])
    assert outcome["python"] == "emscripten"
    assert not outcome["numpy"]
    assert set(outcome["games"]) == {"callisto", "isis-osiris", "knister"}
    for game in outcome["games"].values():
        assert game["over"]
        assert game["steps"] >= game["moves"] > 20
        assert game["fair"] is not False
