"""Outside its own folder nothing knows a game by name: a fourth one is one more folder, or somebody else's package."""

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
NAMED = re.compile(
    "|".join(word for game in OWN for word in {game.id, game.id.replace("-", "_"), re.escape(game.name)}), re.I
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
    "tools/attack.py": "attacks with the house's own games",
    "tools/attack_engines.py": "attacks with the house's own games",
    "tools/load.py": "measures the house's own games",
    "tools/crowd_versus.py": "measures the house's own games",
    "tools/page_speed.py": "measures the house's own games",
    "tools/screenshots.py": "photographs the house's own games",
    "web/index.html": "prose: what the house is about",
    "src/sobremesa/server/migrations/versions/r0001_first_tables.py": "prose of a revision that is never changed",
}
"""Files that may name games, and why."""


def files() -> Iterator[Path]:
    for folder in ("src/sobremesa", "web/src", "web/worker", "tools"):
        for path in sorted((ROOT / folder).rglob("*")):
            inside = path.relative_to(ROOT).parts
            own = inside[:3] == ("src", "sobremesa", "games") and len(inside) > 4 and inside[3] in FOLDERS
            built = inside[:4] == ("src", "sobremesa", "server", "page")
            if path.suffix in (".py", ".ts", ".svelte", ".css", ".html") and not own and not built:
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
