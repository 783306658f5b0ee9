"""Outside its own folder nothing knows a game by name: a fourth one is one more folder, or somebody else's package.

What is about one game alone is tested in its folder. The other tests need games to play with, and some name them:
``tests/data/names.json`` has each of these files and how often it does at most. A file that is not in it names none;
whoever makes one neutral lowers its number.
"""

import io
import json
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

from sobremesa import GAMES

ROOT = Path(__file__).resolve().parents[1]
OWN = [game for game in GAMES.values() if game.package.startswith("sobremesa.games.")]
GUESTS = {
    path.name.removeprefix("sobremesa-")
    for folder in ("examples", "tests/guests")
    for path in (ROOT / folder).iterdir()
    if (path / "pyproject.toml").exists()
}
"""The ids of the games that come in packages of their own, here to be tried."""
NAMED = re.compile(
    "|".join(
        [
            *(word for game in OWN for word in sorted({game.id, game.id.replace("-", "_"), re.escape(game.name)})),
            *(rf"\b(?:sobremesa_)?{id}\b" for id in sorted(GUESTS)),
        ]
    ),
    re.I,
)
OPTIONS = re.compile(
    r"(?<![\w-])(" + "|".join({o.name for game in OWN for o in game.options} - {"seats", "starter"}) + r")(?![\w-])"
)
"""What is chosen when a table of one game is set: the page reads it from what the game declares."""
THINGS = re.compile(r"\b(dice|die|tiles?|stones?|sheets?|pillars?)\b", re.IGNORECASE)
"""What lies on the table of one game and not of another."""
FOLDERS = {game.package.rpartition(".")[2] for game in OWN}
LAYERS = sorted(path.parent.name for path in (ROOT / "src/sobremesa").glob("*/locales"))
BY_NAME = {
    "tools/at_the_table.py": "photographs the house's own games",
    "tools/attack.py": "attacks with the house's own games",
    "tools/attack_engines.py": "attacks with the house's own games",
    "tools/load.py": "measures the house's own games",
    "tools/crowd_versus.py": "measures the house's own games",
    "tools/page_speed.py": "measures the house's own games",
    "tools/screenshots.py": "photographs the house's own games, and a guest",
    "web/index.html": "prose: what the house is about",
    "src/sobremesa/server/migrations/versions/r0001_first_tables.py": "prose of a revision that is never changed",
}
"""Files of the house that may name games, and why."""
PLAYED_WITH: dict[str, int] = json.loads((ROOT / "tests/data/names.json").read_text(encoding="utf-8"))
"""Files of tests that may name games as what they play with, and how often at most."""


def files() -> Iterator[Path]:
    for folder in ("src/sobremesa", "web/src", "web/public", "web/worker", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT).parts
            own = inside[:3] == ("src", "sobremesa", "games") and len(inside) > 4 and inside[3] in FOLDERS
            built = inside[:4] == ("src", "sobremesa", "server", "page")
            if path.suffix in (".py", ".ts", ".svelte", ".css", ".html", ".webmanifest") and not own and not built:
                yield path


def code(path: Path) -> str:
    """A file without its comments, docstrings and the examples of its commands: what it does, not what it says."""
    text = path.read_text(encoding="utf-8")
    if path.suffix != ".py":
        return re.sub(r"/\*.*?\*/|<!--.*?-->|//[^\n]*", "", text, flags=re.DOTALL)
    kept = []
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        prose = token.type == tokenize.COMMENT or (
            token.type == tokenize.STRING and token.string.startswith(('"""', 'r"""'))
        )
        example = token.type == tokenize.STRING and "example:" in token.string
        if not prose and not example:
            kept.append(token.string)
    return "\n".join(kept)


@pytest.mark.parametrize("path", list(files()), ids=lambda path: str(path.relative_to(ROOT)))
def test_no_file_names_a_game_outside_its_folder(path: Path) -> None:
    found = NAMED.findall(code(path))
    if str(path.relative_to(ROOT)) in BY_NAME:
        return
    assert not found, f"{sorted(set(found))}: a game declares, the surroundings read"


def shared_tests() -> Iterator[Path]:
    """Tests that are no game's own, but for the guests themselves and for what was recorded."""
    for folder in ("tests", "web/tests"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT).parts
            guest = inside[:2] == ("tests", "guests") and len(inside) > 3
            if path.suffix in (".py", ".ts", ".mjs", ".js", ".css", ".html") and not guest:
                yield path


def test_tests_name_games_only_where_they_play_with_them_and_not_more_often_than_they_did() -> None:
    found = {str(path.relative_to(ROOT)): len(NAMED.findall(code(path))) for path in shared_tests()}
    more = {path: count for path, count in found.items() if count > PLAYED_WITH.get(path, 0)}
    assert not more, "what is about one game belongs to its folder; what is not can be asked of every game"
    assert not {path for path in PLAYED_WITH if not found.get(path)}, "these name no game any more: take them out"


@pytest.mark.parametrize("path", sorted((ROOT / "web/src").rglob("*.svelte")), ids=lambda path: path.name)
def test_the_page_knows_no_option_of_one_game(path: Path) -> None:
    script = "".join(re.findall(r"<script.*?</script>", code(path), flags=re.DOTALL))
    assert not OPTIONS.findall(script)


@pytest.mark.parametrize("folder", ["web/src/words", *(f"src/sobremesa/{layer}/locales" for layer in LAYERS)])
def test_shared_sentences_speak_of_no_game_s_things(folder: str) -> None:
    said = json.loads((ROOT / folder / "en.json").read_text(encoding="utf-8"))
    assert not {id: text for id, text in said.items() if THINGS.search(text)}


def test_the_exceptions_are_there() -> None:
    assert all((ROOT / path).exists() for path in BY_NAME)
