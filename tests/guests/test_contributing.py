"""The walk through a new game in CONTRIBUTING.md: every command of it, as it stands there."""

import re
import shlex
import subprocess
import sys
from pathlib import Path

from guests.conftest import ROOT
from server.serving import PROGRAM


def test_every_command_of_the_walk_works(tmp_path: Path) -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    walk = re.search(r"## How to add a game.*?```sh\n(.*?)```", text, re.DOTALL)
    assert walk
    installed = tmp_path / "installed"
    environment = {"PYTHONPATH": str(installed), "PATH": "/usr/bin:/bin", "LC_ALL": "C.UTF-8", "HOME": str(tmp_path)}
    for line in walk[1].splitlines():
        name, *words = shlex.split(line)
        if name == "pip":
            # Beside the house, not into it; an editable installation would be there for everybody.
            package = words[-1]
            quiet = ["install", "--quiet", "--disable-pip-version-check", "--no-deps", "--no-build-isolation"]
            command = [sys.executable, "-m", "pip", *quiet, "--target", str(installed), package]
        else:
            command = [*PROGRAM, *words] if name == "sobremesa" else [sys.executable, "-m", name, *words]
        done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
