"""What can go wrong, said so that a person knows what to do now."""

from typing import Any


class SobremesaError(ValueError):
    """The root of every error that a caller's input can cause.

    ``text`` is an English sentence with ``{named}`` gaps, also the key of its translations;
    ``values`` fill the gaps.
    """

    def __init__(self, text: str, /, **values: object) -> None:
        super().__init__(text, values)
        self.text = text
        self.values = values

    def __str__(self) -> str:
        return self.text.format(**self.values)

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

    def __init__(self, rule: str, text: str, /, **values: object) -> None:
        super().__init__(text, **values)
        self.rule = rule

    def __str__(self) -> str:
        return f"{self.rule}: {super().__str__()}"


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
    error = kind.__new__(kind, state["text"], state["values"])
    error.__dict__.update(state)
    return error
