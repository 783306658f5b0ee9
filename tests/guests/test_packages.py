"""``pip install sobremesa-reversi``, and the game is on the table, in the terminal and in files."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from guests.conftest import ROOT, Run
from sobremesa.engines.usual_set import BY_HEURISTIC, BY_SEARCH, LEVELS_FILE

GUESTS = ("reversi", "duel")
MAX_LINES = 350
"""Lines of the example package: the rules, a drawing, words, and what it declares."""


def test_its_own_tests_pass(visited: dict[str, str]) -> None:
    tests = ROOT / "examples/sobremesa-reversi/tests"
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(tests), str(tests)]
    done = subprocess.run(run, capture_output=True, text=True, env=visited, timeout=120)
    assert done.returncode == 0, done.stdout


@pytest.mark.parametrize("game", GUESTS)
def test_it_keeps_the_contract(visited: dict[str, str], game: str) -> None:
    program = (
        f"from sobremesa import GAMES; from sobremesa.table.conformance import check_game; check_game(GAMES[{game!r}])"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=visited, timeout=120)
    assert done.returncode == 0, done.stderr


def test_it_holds_what_holds_for_every_game(visited: dict[str, str]) -> None:
    """The house's own property tests, at the tables of the guests: bounds and lists of moves are those they declare."""
    run = [sys.executable, "-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-k", " or ".join(GUESTS)]
    properties = ROOT / "tests/games/test_properties.py"
    done = subprocess.run([*run, str(properties)], capture_output=True, text=True, env=visited, timeout=300)
    assert done.returncode == 0, done.stdout
    passed = re.search(r"(\d+) passed", done.stdout)
    assert passed
    assert int(passed[1]) >= 20 * len(GUESTS)


@pytest.mark.parametrize("arguments", [("reversi",), ("duel", "--together")], ids=GUESTS)
def test_it_is_in_the_fields_interfaces_and_keeps_their_checks(
    visited: dict[str, str], arguments: tuple[str, ...]
) -> None:
    program = [sys.executable, str(ROOT / "tests/guests/interfaces.py"), *arguments]
    done = subprocess.run(program, capture_output=True, text=True, env=visited, timeout=120)
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("game", GUESTS)
def test_a_game_in_the_terminal_leaves_a_record_that_verifies(sobremesa: Run, tmp_path: Path, game: str) -> None:
    done = sobremesa("play", game, "--players", "random,random", "--seed", "x")
    assert done.returncode == 0, done.stderr
    record = tmp_path / "sobremesa/finished-game.json"
    assert json.loads(record.read_text())["game"] == game
    verified = sobremesa("verify", str(record))
    assert verified.returncode == 0, verified.stderr
    assert "all legal" in verified.stdout
    assert ("proof version" in verified.stdout) == (game == "duel")
    shown = sobremesa("show", str(record), "--svg", "end.svg")
    assert shown.returncode == 0, shown.stderr
    assert (tmp_path / "end.svg").read_text().startswith("<svg")


@pytest.mark.parametrize("game", GUESTS)
def test_its_rules_are_read_and_it_is_in_the_menu(sobremesa: Run, game: str) -> None:
    assert sobremesa("rules", game).stdout.startswith(f"# {game.title()}")
    assert sobremesa("rules", game, "--lang", "es").stdout.startswith(f"# {game.title()}"), (
        "in English, for want of better"
    )
    assert game in sobremesa("play", "--help").stdout


@pytest.mark.parametrize("game", GUESTS)
def test_its_levels_play_in_the_arena(sobremesa: Run, game: str) -> None:
    done = sobremesa("arena", game, "--seats", "child,club", "--games", "4", "--json", "--seed", "1")
    assert done.returncode == 0, done.stderr
    told = json.loads(done.stdout)
    assert {"child", "club"} <= set(json.dumps(told).replace('"', " ").split())


LADDER = """
from random import Random
from sobremesa import GAMES
from sobremesa.engines.player import Budget
from sobremesa.engines.registry import find_player
from sobremesa.engines.usual_set import strengths_of

game, won = GAMES["reversi"], 0
print(strengths_of(game))
for number in range(6):
    strong = number % 2
    players = {
        strong: find_player("champion", game, Random(f"strong {number}")),
        1 - strong: find_player("child", game, Random(f"weak {number}")),
    }
    state = game.start()
    while not state.over:
        (seat,) = state.deciding
        budget = Budget(simulations=24, seconds=600, seed=f"{number}")
        state = state.play(players[seat].think(state.view(seat), (), budget).move)
    won += state.result().winners == (strong,)
print(won)
"""
"""Six games in which the champion has a hundredth of its simulations, so that the time it would have does not count."""


@pytest.mark.at_length
def test_the_champion_of_a_guest_beats_its_child_and_nobody_measured_means_the_usual_strengths(
    visited: dict[str, str],
) -> None:
    done = subprocess.run([sys.executable, "-c", LADDER], capture_output=True, text=True, env=visited, timeout=300)
    assert done.returncode == 0, done.stderr
    strengths, won = done.stdout.splitlines()
    assert not (ROOT / "examples/sobremesa-reversi/src/sobremesa_reversi" / LEVELS_FILE).exists()
    assert strengths == str(BY_HEURISTIC | BY_SEARCH)
    assert int(won) >= 5


def test_a_guest_that_stumbles_does_not_bring_the_house_down(installed: Path, tmp_path: Path) -> None:
    about = tmp_path / "sobremesa_broken-1.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: sobremesa-broken\nVersion: 1\n")
    (about / "entry_points.txt").write_text("[sobremesa.games]\nbroken = sobremesa_broken:GAME\n")
    program = "import sobremesa; print(list(sobremesa.GAMES))"
    environment = {"PYTHONPATH": f"{installed}:{tmp_path}"}
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=environment, timeout=60)
    assert "'reversi'" in done.stdout
    assert "the game “broken” of sobremesa_broken:GAME is left out" in done.stderr


def test_to_list_games_imports_no_engine(visited: dict[str, str]) -> None:
    heavy = "[name for name in sys.modules if 'engine' in name or name == 'numpy']"
    program = f"import sobremesa, sys; list(sobremesa.GAMES.values()); print({heavy})"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, env=visited, timeout=60)
    assert done.stdout == "[]\n", done.stderr


def test_the_example_is_as_small_as_the_documents_say() -> None:
    package = ROOT / "examples/sobremesa-reversi"
    files = [
        package / "pyproject.toml",
        *(package / "src").rglob("*.py"),
        *(package / "src").rglob("*.md"),
        *(package / "src").rglob("*.json"),
    ]
    lines = sum(len(file.read_text().splitlines()) for file in files)
    assert lines < MAX_LINES
    assert f"under {MAX_LINES} lines" in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert f"{len(files)} files with {lines} lines" in (ROOT / "README.md").read_text(encoding="utf-8")
    assert not [file for file in package.rglob("*") if file.suffix in (".ts", ".js", ".svelte")]
