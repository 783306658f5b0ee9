"""Every sentence for people exists in every language, with the same gaps."""

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path
from string import Formatter

import pytest

import sobremesa
from sobremesa import GAMES
from sobremesa.cli import keyboard
from sobremesa.core.errors import IllegalMove, InvalidRecord
from sobremesa.core.language import LANGUAGES, Language, catalogue, rules_page
from sobremesa.engines import contest
from sobremesa.games import translated_packages

SOURCE = Path(sobremesa.__file__).parent
PACKAGES = (
    *translated_packages(),
    "sobremesa.table",
    "sobremesa.engines",
    "sobremesa.notebook",
    "sobremesa.cli",
    "sobremesa.rooms",
    "sobremesa.server",
)
SPOKEN = {"say", "ask", "words"}
"""Methods whose first argument is a sentence."""
OTHER_ERRORS = ("SobremesaError", "NothingToDecide", "Refusal", "Overloaded")
FOREIGN = [code for code in LANGUAGES if code != "en"]
RULES = {id: game.rule_count for id, game in GAMES.items()}


def is_error(name: str) -> bool:
    return name.startswith(("Invalid", "Illegal", "Ambiguous")) or name in OTHER_ERRORS


def sentences_in(file: Path) -> Iterator[str]:
    """The literal sentences that a module says or raises."""
    for node in ast.walk(ast.parse(file.read_text())):
        if not isinstance(node, ast.Call):
            continue
        if isinstance(node.func, ast.Name) and is_error(node.func.id):
            arguments = node.args[1:2] if node.func.id in ("IllegalMove", "Refusal", "Overloaded") else node.args[:1]
        elif isinstance(node.func, ast.Attribute) and node.func.attr in SPOKEN:
            arguments = node.args[:1]
        else:
            continue
        yield from (a.value for a in arguments if isinstance(a, ast.Constant) and isinstance(a.value, str))


def sentences(package: str) -> set[str]:
    folder = SOURCE.joinpath(*package.split(".")[1:])
    files = list(folder.glob("*.py") if package.startswith("sobremesa.games") else folder.rglob("*.py"))
    files += [*folder.glob("server/*.py"), *folder.glob("cli/blksgf.py"), *folder.glob("cli/referee.py")]
    found = {sentence for file in files for sentence in sentences_in(file)}
    if package == "sobremesa.cli":
        found |= set(keyboard.HELP)
    if package == "sobremesa.engines":
        found |= set(contest.HEADS)
    for game in GAMES.values():
        if game.package == package:
            found |= {*game.words.help, *sentences_of(game.id), game.aim}
            found |= {text for option in game.options for text in (option.label, *option.labels) if text}
    return {sentence for sentence in found if any(c.isalpha() for c in Formatter().vformat(sentence, (), Blank()))}


class Blank(dict[str, str]):
    """Fills every gap with nothing."""

    def __missing__(self, key: str) -> str:
        return ""


def sentences_of(game: str) -> Iterator[str]:
    """The sentences about moves and outcomes of one game."""
    words = GAMES[game].words
    state = GAMES[game].start()
    for _ in range(12):
        if state.chance is not None:
            yield words.describe_chance(state.chance.outcomes[0])[0]
            state = state.happen(state.chance.outcomes[0])
            continue
        moves = state.legal_moves()
        yield from {words.describe(move)[0] for move in moves}
        state = state.play(moves[-1])


def gaps(sentence: str) -> list[str]:
    return sorted({field for _, field, _, _ in Formatter().parse(sentence) if field is not None})


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("code", FOREIGN)
def test_every_sentence_is_translated_and_none_is_left_over(package: str, code: str) -> None:
    known = catalogue(package, code)
    missing = sorted(sentences(package) - set(known))
    assert not missing, "add to locales: " + json.dumps(missing, indent=0, ensure_ascii=False)
    assert not sorted(set(known) - sentences(package)), "no longer said"


@pytest.mark.parametrize("package", PACKAGES)
@pytest.mark.parametrize("code", FOREIGN)
def test_translations_have_the_same_gaps(package: str, code: str) -> None:
    for english, translated in catalogue(package, code).items():
        assert gaps(english) == gaps(translated), english
        assert translated.strip(), english


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_rules_page_tells_every_rule(game: str, code: str) -> None:
    page = rules_page(GAMES[game].package, code)
    letter = game[0].upper()
    for number in range(1, RULES[game] + 1):
        assert f"{letter}{number}" in page.replace(")", " ").replace("(", " ").replace(",", " ").split(), number
    headings = [line for line in page.splitlines() if line.startswith("#")]
    english = [line for line in rules_page(GAMES[game].package, "en").splitlines() if line.startswith("#")]
    assert [h.count("#") for h in headings] == [h.count("#") for h in english]


DECIDED = {
    "en": "## What we decided",
    "es": "## Lo que hemos decidido",
    "fr": "## Ce que nous avons décidé",
    "nl": "## Wat wij hebben besloten",
}


@pytest.mark.parametrize("game", GAMES)
def test_the_rules_page_tells_what_we_decided_of_the_same_rules_in_every_language(game: str) -> None:
    decided = {}
    for code in LANGUAGES:
        _, heading, rest = rules_page(GAMES[game].package, code).partition(DECIDED[code] + "\n")
        assert heading, code
        part = rest.partition("\n## ")[0]
        decided[code] = [re.findall(r"\(([CIK]\d+)\)", point) for point in part.split("\n- ")[1:]]
    assert len(decided["en"]) >= 4
    assert all(points == decided["en"] for points in decided.values())
    told = {rule for point in decided["en"] for rule in point}
    assert told >= {"callisto": {"C7", "C11"}, "isis-osiris": {"I5", "I9"}, "knister": {"K2", "K3"}}[game]


@pytest.mark.parametrize("code", LANGUAGES)
@pytest.mark.parametrize("game", GAMES)
def test_the_sums_on_the_rules_pages_are_right(game: str, code: str) -> None:
    page = rules_page(GAMES[game].package, code).replace("−", "-").replace("×", "*")
    sums = re.findall(r"([+-]?\d+(?: [-+*] \d+)+)\s=\s([+-]?\d+)", page)
    assert sums, "every page has an example"
    for sum, total in sums:
        assert eval(sum) == int(total), sum


def test_french_is_one_voice_with_its_own_spaces_and_apostrophes() -> None:
    page = json.loads((Path(__file__).parents[1] / "web/src/words/fr.json").read_text(encoding="utf-8"))
    said = [text for package in PACKAGES for text in catalogue(package, "fr").values()]
    said += [line for game in GAMES.values() for line in rules_page(game.package, "fr").splitlines()]
    odd = re.compile(r"\b[Vv](ous|otre)\b|\w'\w|\u00a0|«[^\u202f]|[^\u202f(][;!?»]|[^\u202f]:(?= |$)")
    assert not [text for text in (*said, *page.values()) if odd.search(text)]


def test_an_error_inside_an_error_is_translated_too() -> None:
    inner = IllegalMove("C3", "the tile touches nothing of yours")
    outer = InvalidRecord("seat {seat}: {error}", seat=1, error=inner)
    spanish = Language("es", PACKAGES)
    assert str(outer) == "seat 1: C3: the tile touches nothing of yours"
    assert spanish.explain(inner) in spanish.explain(outer)
    assert spanish.explain(inner) != str(inner)
