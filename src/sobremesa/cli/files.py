"""``sobremesa convert``: a game from one format to another; and where games are kept."""

import argparse
import os
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.table.files import formats, load, save


def data_folder() -> Path:
    """Where this program keeps what it should not forget."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "sobremesa"


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds ``sobremesa convert``."""
    parser = commands.add_parser(
        "convert",
        parents=[common],
        help="turn a record into another program's format, or back",
        epilog="example: sobremesa convert game.json game.blksgf",
    )
    parser.add_argument("source", type=Path, metavar="FROM")
    parser.add_argument(
        "target", type=Path, metavar="TO", help="its ending says the format: " + ", ".join([".json", *formats()])
    )
    parser.set_defaults(run=_convert)


def _convert(chosen: argparse.Namespace, terminal: Terminal) -> int:
    save(load(chosen.source), chosen.target)
    return 0
