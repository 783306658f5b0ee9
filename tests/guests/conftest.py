"""Games that come in packages of their own, installed beside the house and not into it."""

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from page.conftest import arrive, browser, troubles  # noqa: F401
from server.serving import PROGRAM, Server, serving

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = (ROOT / "examples/sobremesa-reversi", ROOT / "tests/guests/duel", ROOT / "tests/guests/painted")
collect_ignore = ["duel", "painted"]
"""Packages, not tests."""
Run = Callable[..., "subprocess.CompletedProcess[str]"]


@pytest.fixture(scope="package")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder that the packages are installed into, as pip installs them from their sources."""
    folder = tmp_path_factory.mktemp("guests")
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps"]
    more = ["--no-build-isolation", "--target", str(folder), *map(str, PACKAGES)]
    subprocess.run([*install, *more], check=True, capture_output=True)
    return folder


@pytest.fixture(scope="package")
def visited(installed: Path) -> Iterator[dict[str, str]]:
    """The environment of a program that finds them."""
    usual = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = str(installed)
    yield dict(os.environ)
    if usual is None:
        del os.environ["PYTHONPATH"]
    else:
        os.environ["PYTHONPATH"] = usual


@pytest.fixture
def sobremesa(visited: dict[str, str], tmp_path: Path) -> Run:
    """Runs a command as somebody would type it."""

    def run(*arguments: str) -> "subprocess.CompletedProcess[str]":
        environment = visited | {"LC_ALL": "C.UTF-8", "XDG_DATA_HOME": str(tmp_path)}
        command = [*PROGRAM, *arguments]
        return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=tmp_path, timeout=120)

    return run


@pytest.fixture(scope="package")
def server(visited: dict[str, str], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with serving(f"sqlite:///{folder / 'house.db'}", folder, "--no-limits", program=PROGRAM) as server:
        yield server
    assert "Traceback" not in server.log, server.log
