"""Every sentence of the page has its translations, and nothing is translated that the page does not say."""

import json
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
WEB = ROOT / "web" / "src"
TEXT = r'"((?:[^"\\]|\\.)*)"'
SENTENCES = (
    re.compile(rf"\b(?:t|later)\(\s*{TEXT}"),
    re.compile(rf"\bcount\(\s*[^\"]*?,\s*{TEXT},\s*{TEXT}"),
    re.compile(rf'\bt\([^"()]*?\?\s*{TEXT}\s*:\s*{TEXT}'),
)
UNSAID = re.compile(r"\b(?:t|count)\(\s*[`'+]")


def sources() -> list[Path]:
    folders = [WEB, *(ROOT / "src/sobremesa/games").glob("*/page")]
    return [path for folder in folders for path in folder.rglob("*") if path.suffix in (".ts", ".svelte")]


def sentences() -> set[str]:
    found = set()
    for path in sources():
        text = path.read_text(encoding="utf-8")
        for pattern in SENTENCES:
            for match in pattern.finditer(text):
                found |= {json.loads(f'"{sentence}"') for sentence in match.groups()}
    return found


def catalogue(code: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((WEB / "words" / f"{code}.json").read_text(encoding="utf-8"))
    return found


def holes(sentence: str) -> list[str]:
    return sorted(re.findall(r"\{\w+\}", sentence))


def test_sentences_are_written_so_that_they_can_be_found() -> None:
    assert len(sentences()) > 200
    hidden = [str(path.name) for path in sources() if UNSAID.search(path.read_text(encoding="utf-8"))]
    assert not hidden, "sentences stand in double quotes"


@pytest.mark.parametrize("code", ["es", "fr", "nl"])
def test_every_sentence_is_translated(code: str) -> None:
    said, known = sentences(), catalogue(code)
    assert not said - known.keys(), "not translated"
    assert not known.keys() - said, "translated, but never said"


@pytest.mark.parametrize("code", ["es", "fr", "nl"])
def test_translations_keep_the_holes(code: str) -> None:
    wrong = {english: text for english, text in catalogue(code).items() if holes(english) != holes(text)}
    assert not wrong


@pytest.mark.parametrize("code", ["es", "fr", "nl"])
def test_catalogues_are_in_order(code: str) -> None:
    assert list(catalogue(code)) == sorted(catalogue(code))


@pytest.mark.parametrize(
    "concept",
    [
        "commitment scheme",
        "exponential backoff",
        "heartbeat",
        "hysteresis",
        "idempotency key",
        "jitter",
        "live region",
        "long polling",
        "optimistic update",
        "rejection sampling",
        "snapshot",
        "throttled",
    ],
)
def test_a_known_concept_is_named_where_the_page_implements_it(concept: str) -> None:
    assert any(concept in " ".join(path.read_text(encoding="utf-8").lower().split()) for path in sources())
