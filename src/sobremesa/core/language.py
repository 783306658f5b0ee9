"""What people read, in their language."""

from importlib.resources import files

from sobremesa.core.catalogues import say
from sobremesa.core.errors import SobremesaError

LANGUAGES = {"en": "English", "es": "Español", "fr": "Français", "nl": "Nederlands"}


class Language:
    """One language."""

    def __init__(self, code: str) -> None:
        if code not in LANGUAGES:
            raise SobremesaError("core.error.there-is-no-language", code=code, codes=", ".join(LANGUAGES))
        self.code = code

    def say(self, id: str, /, **values: object) -> str:
        """The sentence with this id, with its gaps filled."""
        return say(id, values, self.code)

    def explain(self, error: SobremesaError) -> str:
        """The sentence of an error, in this language."""
        return error.in_language(self.code)


def rules_page(package: str, code: str) -> str:
    """A game's rules as Markdown, in English if there is no page in that language."""
    pages = files(package).joinpath("rules")
    page = pages.joinpath(f"{code}.md")
    return (page if page.is_file() else pages.joinpath("en.md")).read_text(encoding="utf-8")
