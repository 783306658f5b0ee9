"""Games on disk: records, and what other formats a game brings."""

from importlib import import_module
from os import PathLike
from pathlib import Path

from sobremesa.core.errors import InvalidRecord
from sobremesa.games import GAMES
from sobremesa.table.record import MAX_RECORD_BYTES, Record, loads


def formats() -> dict[str, str]:
    """The formats besides records, by a file name's ending: modules with ``loads`` and ``dumps``."""
    return {ending: module for game in GAMES.values() for ending, module in game.file_formats.items()}


def load(path: str | PathLike[str], limit: int = MAX_RECORD_BYTES) -> Record:
    """A game from a file, in whichever format its name says; ``verify`` checks what it says."""
    path = Path(path)
    with path.open("rb") as file:
        data = file.read(limit + 1)
    if len(data) > limit:
        raise InvalidRecord("table.error.the-file-is-too-large-for-a-record", limit=limit)
    if (module := formats().get(path.suffix.lower())) is None:
        return loads(data, limit)
    record: Record = import_module(module).loads(data)
    return record


def save(record: Record, path: str | PathLike[str]) -> None:
    """Writes a game in the format that the file's name asks for, whole or not at all."""
    path = Path(path)
    if (module := formats().get(path.suffix.lower())) is None:
        text = record.dumps()
    elif path.suffix.lower() not in record.game_played.file_formats:
        raise InvalidRecord(
            "table.error.a-game-of-cannot-be-written-as", game=record.game_played.name, ending=path.suffix.lower()
        )
    else:
        text = import_module(module).dumps(record)
    path.parent.mkdir(parents=True, exist_ok=True)
    unfinished = path.with_name(f".{path.name}.part")
    unfinished.write_text(text, encoding="utf-8")
    unfinished.replace(path)
