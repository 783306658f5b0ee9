"""ICU MessageFormat, as much of it as the catalogues use: gaps, ``plural`` and ``select``.

The page compiles the same messages with a library (@messageformat/core); this layer has the standard library alone.
A test formats every message of every catalogue with both.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache


class InvalidMessage(ValueError):
    """A text that is no message: braces that do not match, a gap without a name, a choice without ``other``."""


@dataclass(frozen=True)
class Gap:
    """``{name}``: a value as it is."""

    name: str


@dataclass(frozen=True)
class Number:
    """``#`` inside a plural: the number, written as the language writes it."""

    name: str


@dataclass(frozen=True)
class Choice:
    """``{name, plural, …}`` or ``{name, select, …}``: one of several messages, by a number or by a word."""

    name: str
    plural: bool
    ways: "Mapping[str, Message]"


Message = tuple[str | Gap | Number | Choice, ...]

_SPACE = r"[ \t\n]*"
_HEAD = re.compile(rf"{_SPACE}(\w+){_SPACE}(?:,{_SPACE}(plural|select){_SPACE},)?")
_WAY = re.compile(rf"{_SPACE}(=\d+|[\w-]+){_SPACE}\{{")
_END = re.compile(rf"{_SPACE}\}}")
_THOUSANDS = {"en": ",", "es": ".", "fr": "\u202f", "nl": "."}
_LEAST_GROUPED = {"es": 10_000}
"""Spanish writes 1234, but 12.345."""


def format_message(text: str, values: Mapping[str, object], language: str) -> str:
    """The message with its gaps filled; a gap that has no value stays to be seen.

    >>> format_message("{count, plural, one {# tile} other {# tiles}} for {name}", {"count": 2, "name": "Ana"}, "en")
    '2 tiles for Ana'
    """
    return "".join(_said(parse_message(text), values, language))


def gaps(message: Message) -> dict[str, str]:
    """The names of a message's gaps, and for each whether it is a ``value``, a ``plural`` or a ``select``."""
    found: dict[str, str] = {}
    for part in message:
        if isinstance(part, Choice):
            found[part.name] = "plural" if part.plural else "select"
            for way in part.ways.values():
                found = gaps(way) | found
        elif isinstance(part, Gap):
            found.setdefault(part.name, "value")
    return found


def plural_category(number: float, language: str) -> str:
    """The cardinal plural category (CLDR): French says “0 point”, full millions are ``many`` in French and Spanish."""
    whole = number == int(number)
    if language in ("es", "fr") and whole and number and number % 1_000_000 == 0:
        return "many"
    single = 0 <= number < 2 if language == "fr" else number == 1
    return "one" if single else "other"


@lru_cache(maxsize=4096)
def parse_message(text: str) -> Message:
    """The parts of a message."""
    message, end = _parse(text, 0, None)
    if end != len(text):
        raise InvalidMessage(f"a closing brace too many at {end}: {text}")
    return message


def _said(message: Message, values: Mapping[str, object], language: str) -> Iterator[str]:
    for part in message:
        if isinstance(part, str):
            yield part
        elif part.name not in values:
            yield f"{{{part.name}}}"
        elif isinstance(part, Gap):
            yield str(values[part.name])
        elif isinstance(part, Number):
            yield _written(values[part.name], language)
        else:
            yield from _said(_way(part, values[part.name], language), values, language)


def _way(choice: Choice, value: object, language: str) -> Message:
    keys = [str(value)]
    if choice.plural:
        number = float(str(value))
        keys = [f"={number:g}", plural_category(number, language)]
    return next((choice.ways[key] for key in keys if key in choice.ways), choice.ways["other"])


def _written(value: object, language: str) -> str:
    number = int(str(value))
    grouped = abs(number) >= _LEAST_GROUPED.get(language, 1000)
    return f"{number:{',' if grouped else ''}}".replace(",", _THOUSANDS[language])


def _parse(text: str, at: int, plural: str | None) -> tuple[Message, int]:
    """A message from there on, to the brace that closes it or to the end; ``plural`` is what ``#`` stands for."""
    parts: list[str | Gap | Number | Choice] = []
    said = ""
    while at < len(text) and text[at] != "}":
        char, after = text[at], text[at + 1 : at + 2]
        if char == "'" and after == "'":
            said, at = said + "'", at + 2
        elif char == "'" and after and (after in "{}" or (after == "#" and plural)):
            end = text.find("'", at + 2)
            end = len(text) if end < 0 else end
            said, at = said + text[at + 1 : end], end + 1
        elif char == "{" or (char == "#" and plural):
            parts += [said] if said else []
            said = ""
            part, at = _gap(text, at + 1, plural) if char == "{" else (Number(plural or ""), at + 1)
            parts.append(part)
        else:
            said, at = said + char, at + 1
    return (*parts, *([said] if said else [])), at


def _gap(text: str, at: int, plural: str | None) -> tuple[Gap | Choice, int]:
    head = _HEAD.match(text, at)
    if not head:
        raise InvalidMessage(f"a gap without a name at {at}: {text}")
    name, kind = head.groups()
    at = head.end()
    ways: dict[str, Message] = {}
    while kind and (way := _WAY.match(text, at)):
        ways[way[1]], at = _parse(text, way.end(), name if kind == "plural" else plural)
        at += 1
    end = _END.match(text, at)
    if not end or (kind and "other" not in ways):
        raise InvalidMessage(f"a gap that does not end, or a choice without “other”, at {at}: {text}")
    return (Choice(name, kind == "plural", ways) if kind else Gap(name)), end.end()
