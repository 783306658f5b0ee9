"""What can go wrong, said so that a person knows what to do now."""

from typing import Any

from sobremesa.core.catalogues import say


class SobremesaError(ValueError):
    """The root of every error that a caller's input can cause.

    ``id`` is that of a sentence in a catalogue, ``values`` fill its gaps; an error may be the value of another one.
    """

    def __init__(self, id: str, /, **values: object) -> None:
        super().__init__(id, values)
        self.id = id
        self.values = values

    def in_language(self, code: str) -> str:
        """The sentence in the language with this code."""
        values = {key: v.in_language(code) if isinstance(v, SobremesaError) else v for key, v in self.values.items()}
        return say(self.id, values, code)

    def __str__(self) -> str:
        return self.in_language("en")

    def __reduce__(self) -> tuple[Any, ...]:
        return _again, (type(self), self.__dict__)


class InvalidSetup(SobremesaError):
    """A table that cannot be laid: too many seats, an unknown edition or option."""


class InvalidMove(SobremesaError):
    """A text that names no move of this game."""


class AmbiguousMove(InvalidMove):
    """A short text that names several legal moves."""


class IllegalMove(SobremesaError):
    """A move, or an outcome of chance, that the rules forbid here; ``rule`` is the rule's number."""

    def __init__(self, rule: str, id: str, /, **values: object) -> None:
        super().__init__(id, **values)
        self.rule = rule

    def in_language(self, code: str) -> str:
        return f"{self.rule}: {super().in_language(code)}"


class NothingToDecide(SobremesaError):
    """Somebody is asked for a move where there is none to make: it is another's turn, chance's, or the game is over."""


class InvalidPosition(SobremesaError):
    """A text that is no position of this game."""


class InvalidRecord(SobremesaError):
    """A record, or a game file of another program, that cannot be read or does not replay."""


def brief(value: object, max_length: int = 40) -> str:
    """What somebody gave, short enough to repeat; numbers that are too long to write are not."""
    try:
        return str(value)[:max_length]
    except ValueError:
        return "…"


def _again(kind: type[SobremesaError], state: dict[str, Any]) -> SobremesaError:
    """An error that has travelled between processes."""
    error = kind.__new__(kind, state["id"], state["values"])
    error.__dict__.update(state)
    return error
