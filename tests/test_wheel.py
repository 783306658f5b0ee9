"""The built wheel, installed on its own: what a user gets."""

import os
import pty
import re
import select
import subprocess
import sys
import tarfile
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of programs of an environment that holds the wheel and nothing else."""
    folder = tmp_path_factory.mktemp("environment")
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin/python"
    install = [
        sys.executable,
        "-m",
        "uv",
        "pip",
        "install",
        "--quiet",
        "--offline",
        "--python",
        str(python),
        str(wheel),
    ]
    subprocess.run(install, check=True)
    return folder / "bin"


SIT_DOWN = """
import fcntl, os, signal, sys, termios
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
signal.signal(signal.SIGINT, signal.SIG_DFL)
os.execv(sys.argv[1], sys.argv[1:])
"""
"""Takes the terminal over, so that Ctrl-C arrives even where whoever runs the tests ignores it, then runs a program."""


def run(program: Path, *arguments: str, home: Path, typed: str = "") -> subprocess.CompletedProcess[str]:
    """Away from the repository, where no other program is to be found, nor Node."""
    environment = {"HOME": str(home), "PATH": str(program.parent), "LC_ALL": "C.UTF-8"}
    return subprocess.run(
        [program, *arguments], input=typed, capture_output=True, text=True, env=environment, cwd=home, timeout=120
    )


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_it_plays_and_verifies(installed: Path, tmp_path: Path, game: str) -> None:
    played = run(installed / "sobremesa", "play", game, "--players", "greedy,random", home=tmp_path)
    assert played.returncode == 0, played.stderr
    record = tmp_path / ".local/share/sobremesa/finished-game.json"
    verified = run(installed / "sobremesa", "verify", str(record), home=tmp_path)
    assert verified.returncode == 0, verified.stderr


@pytest.mark.parametrize("code", ["en", "es", "fr", "nl"])
def test_it_brings_its_rules_and_languages(installed: Path, tmp_path: Path, code: str) -> None:
    assert run(installed / "sobremesa", "rules", "knister", "--lang", code, home=tmp_path).stdout.startswith(
        "# Knister"
    )
    left = run(installed / "sobremesa", "play", "callisto", "--lang", code, home=tmp_path, typed="h8\n")
    assert left.returncode == 130
    assert "C4: " in left.stderr


def test_its_name_alone_sits_down_in_the_terminal(installed: Path, tmp_path: Path) -> None:
    """Without the server's packages there is no page; ``pipx install`` of the wheel plays all the same."""
    asked = run(installed / "sobremesa", home=tmp_path, typed="1\ngreedy,random\n")
    assert asked.returncode == 0, asked.stderr
    assert "sobremesa[server]" in asked.stdout
    assert "1  " in asked.stdout


def test_the_wheel_says_that_it_is_typed_and_carries_its_licence(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    assert "sobremesa/py.typed" in names
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert not [name for name in names if "__pycache__" in name or name.startswith("tests")]


def test_the_wheel_brings_the_page(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as packed:
        names = {name.removeprefix("sobremesa/server/page/") for name in packed.namelist()}
        index = packed.read("sobremesa/server/page/index.html").decode()
    parts = re.findall(r'(?:src|href)="/([^"]+)"', index)
    assert any(part.endswith(".js") for part in parts)
    assert set(parts) <= names
    assert {"worker.js", "index.html.br", "index.html.gz"} <= names


def test_the_source_archive_holds_the_house_and_nothing_that_was_made(tmp_path: Path) -> None:
    build = [sys.executable, "-m", "build", "--sdist", "--no-isolation", "--outdir", str(tmp_path), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (archive,) = tmp_path.glob("*.tar.gz")
    with tarfile.open(archive) as packed:
        names = {name.partition("/")[2] for name in packed.getnames() if not packed.getmember(name).isdir()}
    known = ["git", "ls-files", "--cached", "--others", "--exclude-standard"]
    if (ROOT / ".git").exists():
        tracked = subprocess.run(known, cwd=ROOT, check=True, capture_output=True, text=True).stdout.splitlines()
        assert names == {"PKG-INFO"} | {name for name in tracked if not name.startswith("checkpoints/")}
    assert {"tools/web.py", "web/package.json", "web/package-lock.json", "web/.npmrc", "web/index.html"} <= names
    assert {"docs/schema/messages.ts", "src/sobremesa/games/knister/rules/en.md", "CHANGELOG.md"} <= names


def test_at_a_real_terminal(installed: Path, tmp_path: Path) -> None:
    """Colours, a drawing that fits 80 columns, and Ctrl-C keeps the game."""
    terminal, inside = pty.openpty()
    environment = {"HOME": str(tmp_path), "PATH": os.environ["PATH"], "TERM": "xterm-256color", "LC_ALL": "C.UTF-8"}
    command = [str(installed / "sobremesa"), "play", "callisto", "--players", "Ana,greedy"]
    child = subprocess.Popen(
        [sys.executable, "-c", SIT_DOWN, *command],
        stdin=inside,
        stdout=inside,
        stderr=inside,
        env=environment,
        cwd=tmp_path,
        start_new_session=True,
    )
    os.close(inside)
    seen = expect(terminal, b"your move")
    assert b"\x1b[" in seen, "colours are on"
    lines = re.sub(r"\x1b\[[0-9;]*m", "", seen.decode()).splitlines()
    assert max(map(len, lines)) <= 80
    os.write(terminal, b"c8\n")
    expect(terminal, b"Press Enter to go on")
    # Python misses a signal that comes while a question is just being put; a person presses the keys again, too.
    expect(terminal, b"sobremesa resume", typing=b"\x03")
    assert child.wait(timeout=30) == 130
    os.close(terminal)
    assert (tmp_path / ".local/share/sobremesa/last-game.json").exists()


def expect(terminal: int, wanted: bytes, typing: bytes = b"") -> bytes:
    """Reads from the terminal until the text appears; types again when nothing happens."""
    seen = b""
    deadline = time.monotonic() + 60
    os.write(terminal, typing)
    while wanted not in seen:
        assert time.monotonic() < deadline, seen.decode(errors="replace")[-2000:]
        if select.select([terminal], [], [], 3)[0]:
            seen += os.read(terminal, 65536)
        else:
            os.write(terminal, typing)
    return seen
