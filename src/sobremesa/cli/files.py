"""Games on disk: records, and ``.blksgf`` files of Callisto. ``sobremesa convert`` turns one into the other."""

import argparse
import os
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import InvalidRecord
from sobremesa.games import callisto
from sobremesa.games.callisto import sgf
from sobremesa.table.record import MAX_RECORD_BYTES, Record, loads

SGF = ".blksgf"


def data_folder() -> Path:
    """Where this program keeps what it should not forget."""
    base = os.environ.get("XDG_DATA_HOME") or Path.home() / ".local" / "share"
    return Path(base) / "sobremesa"


def read_game(path: Path, limit: int = MAX_RECORD_BYTES) -> Record:
    """A game from a file, whichever of the two formats it is in."""
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InvalidRecord("the file is too large for a record: more than {limit} bytes", limit=limit)
    if path.suffix.lower() != SGF:
        return loads(data, limit)
    try:
        game = sgf.loads(data.decode())
    except UnicodeDecodeError:
        raise InvalidRecord("this is no SGF file: it is not in UTF-8") from None
    state = callisto.CallistoState.begin("classic", game.seats, starter=0)
    options = state.options
    for move in game.moves:
        state = state.play(move)
    return Record(
        game=callisto.GAME.id,
        rules=callisto.GAME.version,
        options=options,
        events=tuple(map(str, game.moves)),
        names=game.names,
        result=state.result(),
    )


def write_game(record: Record, path: Path) -> None:
    """Writes a game in the format that the file's name asks for, whole or not at all."""
    if path.suffix.lower() == SGF:
        if record.game != callisto.GAME.id:
            raise InvalidRecord("only games of Callisto can be written as .blksgf")
        moves = tuple(state.parse_move(event) for state, event in zip(record.states(), record.events, strict=False))
        start = next(record.states())
        assert isinstance(start, callisto.CallistoState)
        text = sgf.dumps(start, moves, record.names)
    else:
        text = record.dumps()
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds ``sobremesa convert``."""
    parser = commands.add_parser(
        "convert",
        parents=[common],
        help="turn a record of Callisto into a file for Pentobi, or back",
        epilog="example: sobremesa convert game.json game.blksgf",
    )
    parser.add_argument("source", type=Path, metavar="FROM")
    parser.add_argument("target", type=Path, metavar="TO", help="its ending says the format: .json or .blksgf")
    parser.set_defaults(run=_convert)


def _convert(chosen: argparse.Namespace, terminal: Terminal) -> int:
    write_game(read_game(chosen.source), chosen.target)
    return 0
