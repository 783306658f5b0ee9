"""The walk through a new game in CONTRIBUTING.md: every command of it, as it stands there, and the files it names."""

import re
import shlex
import site
import subprocess
import sys
from pathlib import Path
from venv import EnvBuilder

from guests.conftest import ROOT

EXAMPLE = ROOT / "examples/sobremesa-reversi"


def walk() -> str:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    found = re.search(r"^## How to add a game$(.*?)^## ", text, re.M | re.S)
    assert found
    return found[1]


def environment_of_its_own(folder: Path) -> Path:
    """A virtual environment that has what this one has, and keeps what is installed into it; returns its Python."""
    EnvBuilder(symlinks=True).create(folder)
    (packages,) = folder.glob("lib/python*/site-packages")
    lines = [f"import site; site.addsitedir({path!r})" for path in site.getsitepackages()]
    (packages / "house.pth").write_text("\n".join(lines) + "\n", encoding="utf-8")
    return folder / "bin/python"


def test_every_command_of_the_walk_works(tmp_path: Path) -> None:
    commands = re.search(r"```sh\n(.*?)```", walk(), re.DOTALL)
    assert commands
    python = str(environment_of_its_own(tmp_path / "environment"))
    environment = {"PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
    for line in commands[1].splitlines():
        name, *words = shlex.split(line)
        command = [python, "-m", name, *words]
        if name == "pip":
            # What builds packages is there already; there may be no network.
            command += ["--quiet", "--disable-pip-version-check", "--no-build-isolation"]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
    where = "import sobremesa_four_winds; print(sobremesa_four_winds.__file__)"
    done = subprocess.run([python, "-c", where], env=environment, capture_output=True, text=True, timeout=60)
    assert Path(done.stdout.strip()).is_relative_to(tmp_path / "sobremesa-four-winds"), "it runs where it lies"
    done = subprocess.run([sys.executable, "-c", where], capture_output=True, text=True, timeout=60)
    assert done.returncode, "the house's own environment has nothing of it"


def test_the_steps_name_every_file_of_the_example() -> None:
    named = set(re.findall(r"\*\*`([^`]+)`\*\*", walk()))
    files = [path for part in ("src", "tests") for path in (EXAMPLE / part).rglob("*.*") if path.suffix != ".pyc"]
    assert named == {path.relative_to(EXAMPLE).as_posix() for path in files}
