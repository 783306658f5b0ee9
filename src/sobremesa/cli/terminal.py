"""The terminal as a place to talk: saying things in a language, asking, and complaining kindly."""

import os
import sys

from sobremesa.core.errors import SobremesaError
from sobremesa.core.language import Language

"""Where the sentences come from."""
_UNBREAKABLE = "\u00a0\u202f"
"""Spaces that French puts before a colon; Python takes them for unprintable."""


class Leave(Exception):
    """The person has left the keyboard."""


class Terminal:
    """Where one person, or several taking turns, sit at a keyboard."""

    def __init__(self, language: str, colour: str = "auto") -> None:
        self.language = Language(language)
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        auto = sys.stdout.isatty() and "NO_COLOR" not in os.environ and os.environ.get("TERM") != "dumb"
        self.colour = colour == "always" or (colour == "auto" and auto)

    def words(self, text: str, /, **values: object) -> str:
        """A sentence in the language of the table."""
        return self.language.say(text, **values)

    def say(self, text: str, /, **values: object) -> None:
        """Prints a sentence."""
        print(self.words(text, **values), flush=True)

    def show(self, text: str) -> None:
        """Prints something that needs no translation."""
        print(text, flush=True)

    def ask(self, text: str, /, **values: object) -> str:
        """Asks a question; raises Leave when there is nobody to answer."""
        try:
            return input(self.words(text, **values) + " ").strip()
        except (EOFError, KeyboardInterrupt):
            print()
            raise Leave from None

    def clear(self) -> None:
        """Wipes the screen and what has scrolled off it, if this is a screen."""
        if sys.stdout.isatty():
            print("\x1b[H\x1b[2J\x1b[3J", end="", flush=True)

    def complain(self, error: SobremesaError) -> None:
        """Says what was wrong. What came from a file must not command the terminal, so it is made printable."""
        text = self.language.explain(error)
        print(
            "".join(c if c.isprintable() or c in _UNBREAKABLE else repr(c)[1:-1] for c in text),
            file=sys.stderr,
            flush=True,
        )
