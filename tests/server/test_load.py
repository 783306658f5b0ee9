"""The programs that put load on a server work, small: what they measure is for docs/benchmarks.md."""

import json
import runpy
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def run(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    def run(tool: str, *arguments: str) -> list[dict[str, Any]]:
        monkeypatch.syspath_prepend(str(ROOT / "tools"))
        runpy.run_path(str(ROOT / "tools" / tool))["main"](list(arguments))
        sys.modules.pop("load", None)
        return [json.loads(line) for line in capsys.readouterr().out.splitlines()]

    return run


def versus(run: Any, *measures: str) -> None:
    small = ["--players", "6", "--rounds", "2", "--sockets", "4", "--rooms", "2", "--every", "0.05", "--seconds", "0.5"]
    lines = run(
        "crowd_versus.py", str(ROOT), *measures, *small, "--idle-rooms", "4", "--stored-rooms", "20", "--turns", "1"
    )
    assert [(line["what"], line["server"]) for line in lines] == [
        (what, server) for what in measures for server in ("other", "this")
    ]
    for line in lines:
        assert line.get("moves", 1) > 0
        assert line.get("updates", 12) >= 12


@pytest.mark.at_length
def test_crowds_of_two_checkouts_are_measured_by_turns(run: Any) -> None:
    versus(run, "crowd")


@pytest.mark.at_length
def test_all_else_of_two_checkouts_is_measured_by_turns(run: Any) -> None:
    versus(run, "broadcast", "games", "idle", "stored")


def test_of_a_crowd_nothing_is_lost(run: Any) -> None:
    [line] = run("load.py", "crowd", "--players", "8", "--seal")
    assert (line["acknowledged"], line["written"], line["lost"], line["refused"]) == (200, 200, 0, [])
    assert (line["took_part"], line["opened"]) == (8, 8)
