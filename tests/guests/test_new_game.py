"""``sobremesa new-game`` writes a package that passes its own tests at once, and ``sobremesa levels`` grades it."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from guests.conftest import Run
from server.serving import PROGRAM

INSTALL = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, str]]:
    """A new package, installed, and the environment of who finds it."""
    folder = tmp_path_factory.mktemp("new")
    package, target = folder / "sobremesa-four-winds", folder / "installed"
    subprocess.run([*PROGRAM, "new-game", "four-winds"], cwd=folder, check=True, capture_output=True)
    more = ["--no-build-isolation", "--target", str(target), str(package)]
    subprocess.run([*INSTALL, *more], check=True, capture_output=True)
    return package, os.environ | {"PYTHONPATH": str(target), "LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(folder)}


def test_its_own_tests_pass(written: tuple[Path, dict[str, str]]) -> None:
    package, environment = written
    run = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", "--rootdir", str(package), "tests"]
    done = subprocess.run(run, cwd=package, env=environment, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stdout
    assert "3 passed" in done.stdout


def test_it_is_played_and_its_levels_are_chosen(written: tuple[Path, dict[str, str]], tmp_path: Path) -> None:
    _, environment = written

    def sobremesa(*arguments: str) -> str:
        command = [*PROGRAM, *arguments]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
        return done.stdout

    assert "The game is over" in sobremesa("play", "four-winds", "--players", "child,random", "--seed", "1")
    grading = sobremesa("levels", "four-winds", "--games", "40", "--most", "250", "--write")
    levels = json.loads(grading[grading.index("{") : grading.index("}") + 1])
    file = Path(environment["PYTHONPATH"]) / "sobremesa_four_winds/levels.json"
    assert json.loads(file.read_text())["levels"] == levels
    assert list(levels) == ["child", "beginner", "casual", "regular", "club", "expert", "master", "champion"]
    strengths = list(levels.values())
    assert len(set(strengths)) == 8
    sobremesa("arena", "four-winds", "--seats", "child,champion", "--games", "2")


@pytest.mark.parametrize(
    ("name", "why"), [("Four Winds", "a game is named like"), ("x-", "a game is named like"), ("reversi", "already")]
)
def test_names_that_cannot_be(sobremesa: Run, name: str, why: str) -> None:
    done = sobremesa("new-game", name)
    assert done.returncode
    assert why in done.stderr
