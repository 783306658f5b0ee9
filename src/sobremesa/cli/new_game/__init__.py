"""``sobremesa new-game``: a package with a game of one's own, which plays and passes its tests from the start."""

import argparse
import re
from importlib.resources import files
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.games import GAMES

FILES = {
    "pyproject.toml": "pyproject.toml.txt",
    "README.md": "README.md.txt",
    "src/@MODULE@/__init__.py": "init.py.txt",
    "src/@MODULE@/state.py": "state.py.txt",
    "src/@MODULE@/view.py": "view.py.txt",
    "src/@MODULE@/locales/en.json": "words.json.txt",
    "src/@MODULE@/rules/en.md": "rules.md.txt",
    "tests/test_@SHORT@.py": "test.py.txt",
}
"""The files of the package, and what they are made of."""


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "new-game",
        parents=[common],
        help="write a package with a game of your own, to change",
        epilog="example: sobremesa new-game four-winds && pip install --editable ./sobremesa-four-winds",
    )
    parser.add_argument("name", help="its id: lower-case letters, digits and hyphens")
    parser.add_argument("--to", type=Path, metavar="FOLDER", help="where to (default: sobremesa-NAME, here)")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    folder = write_package(chosen.name, chosen.to or Path(f"sobremesa-{chosen.name}"))
    shown = folder if folder.is_absolute() else f"./{folder}"  # else pip would look for a package of that name
    terminal.say("cli.the-game-is-in-try", folder=shown)
    return 0


def write_package(id: str, folder: Path) -> Path:
    """Writes all files; what is there already is not touched."""
    if not re.fullmatch(r"[a-z][a-z0-9]*(-[a-z0-9]+)*", id):
        raise SobremesaError("cli.error.a-game-is-named-like-four-winds")
    if id in GAMES:
        raise SobremesaError("cli.error.there-is-a-game-already", game=id)
    if folder.exists() and any(folder.iterdir()):
        raise SobremesaError("cli.error.is-there-already-and-not-empty", folder=folder)
    short = id.replace("-", "_")
    words = {
        "@ID@": id,
        "@SHORT@": short,
        "@MODULE@": f"sobremesa_{short}",
        "@NAME@": id.replace("-", " ").title(),
        "@PREFIX@": id[0].upper(),
        "@prefix@": id[0],
    }

    def filled(text: str) -> str:
        for mark, word in words.items():
            text = text.replace(mark, word)
        return text

    for path, source in FILES.items():
        target = folder / filled(path)
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(filled((files(__name__) / source).read_text(encoding="utf-8")), encoding="utf-8")
    return folder
