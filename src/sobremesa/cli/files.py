"""Games on disk: records, and what other formats a game brings. ``sobremesa convert`` turns one into the other."""

import argparse
import os
from importlib import import_module
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import InvalidRecord
from sobremesa.games import GAMES
from sobremesa.table.record import MAX_RECORD_BYTES, Record, loads


def formats() -> dict[str, str]:
    """The formats besides records, by a file name's ending: modules with ``loads`` and ``dumps``."""
    return {ending: module for game in GAMES.values() for ending, module in game.file_formats.items()}


def data_folder() -> Path:
    """Where this program keeps what it should not forget."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "sobremesa"


def read_game(path: Path, limit: int = MAX_RECORD_BYTES) -> Record:
    """A game from a file, in whichever format it is."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InvalidRecord("the file is too large for a record: more than {limit} bytes", limit=limit)
    if (module := formats().get(path.suffix.lower())) is None:
        return loads(data, limit)
    record: Record = import_module(module).loads(data)
    return record


def write_game(record: Record, path: Path) -> None:
    """Writes a game in the format that the file's name asks for, whole or not at all."""
    if (module := formats().get(path.suffix.lower())) is None:
        text = record.dumps()
    elif path.suffix.lower() not in record.game_played.file_formats:
        raise InvalidRecord(
            "a game of {game} cannot be written as {ending}", game=record.game_played.name, ending=path.suffix.lower()
        )
    else:
        text = import_module(module).dumps(record)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


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
    write_game(read_game(chosen.source), chosen.target)
    return 0
