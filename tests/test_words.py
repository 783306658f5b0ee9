"""Every sentence for people stands in a catalogue under its id, in every language, with the same gaps; none is idle."""

import ast
import json
import re
import shutil
import subprocess
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from sobremesa import GAMES
from sobremesa.core.catalogues import say
from sobremesa.core.errors import InvalidRecord, SobremesaError
from sobremesa.core.language import LANGUAGES
from sobremesa.core.message_format import Choice, Message, format_message, gaps, parse_message

ROOT = Path(__file__).parents[1]
SOURCE = ROOT / "src/sobremesa"
WEB = ROOT / "web/src"
OWN = [game for game in GAMES.values() if game.package.startswith("sobremesa.")]
FOLDERS = (
    {folder.parent.name: folder for folder in sorted(SOURCE.glob("*/locales"))}
    | {game.id: SOURCE.joinpath(*game.package.split(".")[1:], "locales") for game in OWN}
    | {"page": WEB / "words"}
)
"""The catalogues of the house, by the name with which their ids begin."""
ID = re.compile(rf"(?:{'|'.join(FOLDERS)})(?:\.[a-z0-9-]+)+")
SPOKEN = {"say", "ask", "words"}
"""Methods whose first argument is the id of a sentence."""
OTHER_ERRORS = ("SobremesaError", "NothingToDecide", "Refusal", "Overloaded")
NOT_FIRST = ("IllegalMove", "Refusal", "Overloaded")
"""Errors whose second argument is the id."""


class Said(NamedTuple):
    """A sentence in a program: its id, where, and what fills its gaps; None where that cannot be seen."""

    id: str
    where: str
    values: frozenset[str] | None


@cache
def messages(name: str, code: str) -> dict[str, str]:
    found: dict[str, str] = json.loads((FOLDERS[name] / f"{code}.json").read_text(encoding="utf-8"))
    return found


def everything(code: str) -> dict[str, str]:
    return {id: text for name in FOLDERS for id, text in messages(name, code).items()}


def is_error(name: str) -> bool:
    return name.startswith(("Invalid", "Illegal", "Ambiguous")) or name in OTHER_ERRORS


def python_files() -> list[Path]:
    """All but tests, and what is for who trains and measures networks, in English."""
    apart = {"tests", "tools", "training", "batch"}
    return [path for path in SOURCE.rglob("*.py") if not apart & set(path.relative_to(SOURCE).parts)]


def said_in_python(path: Path) -> Iterator[Said]:
    """The sentences that a module says or raises: the literal ones."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if not isinstance(node, ast.Call):
            continue
        name = node.func.id if isinstance(node.func, ast.Name) else getattr(node.func, "attr", "")
        if isinstance(node.func, ast.Name) and is_error(name):
            arguments = node.args[1:2] if name in NOT_FIRST else node.args[:1]
        elif isinstance(node.func, ast.Attribute) and name in SPOKEN:
            arguments = node.args[:1]
        else:
            continue
        values = frozenset(k.arg for k in node.keywords if k.arg) if all(k.arg for k in node.keywords) else None
        where = f"{path.relative_to(ROOT)}:{node.lineno}"
        for argument in arguments:
            for part in (argument.body, argument.orelse) if isinstance(argument, ast.IfExp) else (argument,):
                if isinstance(part, ast.Constant) and isinstance(part.value, str):
                    yield Said(part.value, where, values)


def page_files() -> list[Path]:
    folders = [WEB, *SOURCE.glob("games/*/page")]
    found = (path for folder in folders for path in folder.rglob("*"))
    return [p for p in found if p.suffix in (".ts", ".svelte") and "tests" not in p.relative_to(ROOT).parts]


def said_on_the_page(path: Path) -> Iterator[Said]:
    """The calls of ``t`` with a literal id, and the keys of the object beside it."""
    text = path.read_text(encoding="utf-8")
    for call in re.finditer(r'\bt\(\s*"([^"]*)"\s*(,\s*\{)?', text):
        line = text.count("\n", 0, call.start()) + 1
        beside = keys_of(text, call.end()) if call[2] else frozenset() if text[call.end()] == ")" else None
        yield Said(call[1], f"{path.relative_to(ROOT)}:{line}", beside)


def keys_of(text: str, at: int) -> frozenset[str] | None:
    """The keys of the object literal that begins there; None if it takes in another one."""
    depth, part, parts = 1, "", []
    while depth:
        char = text[at]
        depth += (char in "{([") - (char in "})]")
        if (char == "," and depth == 1) or not depth:
            parts.append(part.strip())
            part = ""
        else:
            part += char
        at += 1
    keys = [re.match(r"(\w+)\s*(?::|$)", part) for part in parts if part]
    return frozenset(key[1] for key in keys if key) if all(keys) else None


def said() -> list[Said]:
    return [
        *(one for path in python_files() for one in said_in_python(path)),
        *(one for path in page_files() for one in said_on_the_page(path)),
    ]


def test_what_is_said_stands_in_a_catalogue() -> None:
    known = everything("en")
    assert len(known) > 1000
    unknown = [f"{one.where}: {one.id}" for one in said() if one.id not in known and re.sub(r"\{\w+\}|\W", "", one.id)]
    assert not unknown, "put it into locales/*.json, or web/src/words/*.json, under an id"


def test_what_is_said_fills_the_gaps() -> None:
    known = everything("en")
    wrong = [
        f"{one.where}: {one.id} needs {missing}"
        for one in said()
        if one.id in known
        and one.values is not None
        and (missing := sorted(gaps(parse_message(known[one.id])).keys() - one.values - {"name"}))
    ]
    assert not wrong


def test_no_sentence_is_left_over() -> None:
    quoted: set[str] = set()
    for path in [*python_files(), *page_files()]:
        quoted |= set(re.findall(rf'["\'`]({ID.pattern})(?:["\'`]|\.[{{$])', path.read_text(encoding="utf-8")))
    families = {id for id in quoted if id not in everything("en")}
    """Ids that are put together: “engines.level” stands for all that begin with it."""
    idle = [id for id in everything("en") if id not in quoted and id.rpartition(".")[0] not in families]
    assert not idle, "nobody says it any more"


@pytest.mark.parametrize("name", FOLDERS)
def test_every_catalogue_has_all_languages_with_the_same_gaps(name: str) -> None:
    english = messages(name, "en")
    assert all(ID.fullmatch(id) and id.startswith(f"{name}.") for id in english), (
        "an id begins with its catalogue's name"
    )
    for code in LANGUAGES:
        known = messages(name, code)
        assert list(known) == sorted(english), f"{code}: the same ids, in order"
        for id, text in known.items():
            assert text.strip(), id
            assert gaps(parse_message(text)) == gaps(parse_message(english[id])), f"{code}: {id}"


def test_sentences_on_the_page_are_written_so_that_they_can_be_found() -> None:
    unseen = re.compile(r"\bt\(\s*[`'+]")
    assert not [path.name for path in page_files() if unseen.search(path.read_text(encoding="utf-8"))], (
        "in double quotes"
    )


def test_french_is_one_voice_with_its_own_spaces_and_apostrophes() -> None:
    odd = re.compile(r"\b[Vv](ous|otre)\b|\w'\w|\u00a0|«[^\u202f]|[^\u202f(][;!?»]|[^\u202f]:(?= |$)")
    assert not [f"{id}: {text}" for id, text in everything("fr").items() if odd.search(text)]


def test_an_error_inside_an_error_is_translated_too() -> None:
    inner = SobremesaError("core.error.there-is-no-seat-at-this-table", seat=7)
    outer = InvalidRecord("seat {seat}: {error}", seat=1, error=inner)
    assert str(outer) == "seat 1: there is no seat 7 at this table"
    assert inner.in_language("es") in outer.in_language("es")
    assert inner.in_language("es") != str(inner)


def test_what_stands_in_no_catalogue_is_said_as_it_is() -> None:
    assert say("there is {no} such sentence", {"no": "NO"}, "nl") == "there is NO such sentence"
    assert say("core.no-such-id", {}, "nl") == "core.no-such-id"


def values_of(message: Message) -> Iterator[dict[str, object]]:
    """Values that reach every branch of a message, and numbers at which languages differ."""
    names = gaps(message)
    words = sorted({key for part in message if isinstance(part, Choice) and not part.plural for key in part.ways})
    for number in (0, 1, 2, 7, 21, 999, 1000, 9999, 10_000, 1_000_000, 1_234_567):
        for word in words or ["Ana"]:
            yield {name: number if kind == "plural" else word for name, kind in names.items()}


@pytest.mark.skipif(not (ROOT / "web/node_modules/@messageformat").exists(), reason="the page's packages are not here")
def test_the_terminal_and_the_page_say_the_same() -> None:
    """Our own formatter against the library that compiles the page's catalogues: every message, many values."""
    cases = [
        (code, text, values)
        for code in LANGUAGES
        for text in (*everything(code).values(), *QUOTED)
        for values in values_of(parse_message(text))
    ]
    node = shutil.which("node")
    assert node, "the page is built with it"
    run = [node, str(ROOT / "web/tests/say.mjs")]
    done = subprocess.run(run, input=json.dumps(cases), capture_output=True, text=True, encoding="utf-8", check=True)
    theirs = json.loads(done.stdout)
    ours = [format_message(text, values, code) for code, text, values in cases]
    wrong = [(case, our, their) for case, our, their in zip(cases, ours, theirs, strict=True) if our != their]
    assert not wrong[:5]
    assert len(cases) > 10_000


QUOTED = (
    "it's {name}'s",
    "a brace: '{'name'}' and ''{name}''",
    "{count, plural, =0 {none} one {# '#' of {name}} other {{count} of #}}",
    "{who, select, you {You win} other {{who} wins {count, plural, one {#} other {##}}}}",
)
"""Messages that try what the catalogues hardly use."""


def test_a_known_concept_is_named_where_the_page_implements_it() -> None:
    concepts = """commitment scheme, exponential backoff, heartbeat, hysteresis, idempotency key, jitter, live region,
        long polling, optimistic update, rejection sampling, snapshot, throttled"""
    texts = [" ".join(path.read_text(encoding="utf-8").lower().split()) for path in page_files()]
    for concept in re.split(r",\s*", concepts):
        assert any(concept in text for text in texts), concept
