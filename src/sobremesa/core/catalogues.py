"""Catalogues of sentences.

Every sentence has an id, which begins with the name of its catalogue: ``core.error.some-mistake`` stands in that of
the core, those of a game begin with the game's id. A catalogue is a folder ``locales`` with a file for each language:
messages of ICU MessageFormat by id. English has to be there; what another language lacks is said in English.
"""

import json
import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from sobremesa.core.message_format import InvalidMessage, format_message

_ID = re.compile(r"[a-z0-9-]+(\.[a-z0-9-]+)+")
_packages: dict[str, str] = {}


def bring_words(name: str, package: str) -> None:
    """Says in which package the catalogue with this name lies; those of the house's layers are found without."""
    _packages[name] = package


def say(id: str, values: Mapping[str, object], code: str) -> str:
    """The sentence with this id in a language; what stands in no catalogue is said as it is."""
    for language in (code, "en"):
        if (message := catalogue_of(id, language).get(id)) is not None:
            return format_message(message, values, language)
    try:
        return format_message(id, values, "en")
    except InvalidMessage:
        return id


def has_sentence(id: str) -> bool:
    """Whether a catalogue has this id."""
    return id in catalogue_of(id, "en")


def catalogue_of(id: str, code: str) -> Mapping[str, str]:
    """The catalogue in which this id would stand."""
    if not _ID.fullmatch(id):
        return {}
    name = id.partition(".")[0]
    return catalogue(_packages.get(name, f"sobremesa.{name}"), code)


@cache
def catalogue(package: str, code: str) -> Mapping[str, str]:
    """A package's messages in one language, by id; empty if it has none."""
    try:
        file = files(package).joinpath("locales", f"{code}.json")
    except ModuleNotFoundError:
        return {}
    if not file.is_file():
        return {}
    messages: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return messages
