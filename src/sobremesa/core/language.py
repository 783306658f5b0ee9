"""What people read, in their language. English sentences are the keys of the catalogues."""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files

from sobremesa.core.errors import IllegalMove, SobremesaError

LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "nl": "Nederlands"}


class Language:
    """One language with the catalogues (``locales/es.json``) of some packages."""

    def __init__(self, code: str, packages: Sequence[str]) -> None:
        if code not in LANGUAGES:
            raise SobremesaError(
                "there is no language “{code}”: there are {codes}", code=code, codes=", ".join(LANGUAGES)
            )
        self.code = code
        self._sentences: dict[str, str] = {}
        for package in packages if code != "en" else ():
            self._sentences |= catalogue(package, code)

    def say(self, text: str, /, **values: object) -> str:
        """The English sentence in this language, with its ``{named}`` gaps filled."""
        return self._sentences.get(text, text).format(**values)

    def explain(self, error: SobremesaError) -> str:
        """The sentence of an error, in this language."""
        values = {key: self.explain(v) if isinstance(v, SobremesaError) else v for key, v in error.values.items()}
        text = self.say(error.text, **values)
        return f"{error.rule}: {text}" if isinstance(error, IllegalMove) else text


@cache
def catalogue(package: str, code: str) -> dict[str, str]:
    """A package's translations into one language."""
    file = files(package).joinpath("locales", f"{code}.json")
    if not file.is_file():  # a game of another package may speak English alone
        return {}
    sentences: dict[str, str] = json.loads(file.read_text(encoding="utf-8"))
    return sentences


def rules_page(package: str, code: str) -> str:
    """A game's rules as Markdown, in English if there is no page in that language."""
    pages = files(package).joinpath("rules")
    page = pages.joinpath(f"{code}.md")
    return (page if page.is_file() else pages.joinpath("en.md")).read_text(encoding="utf-8")
