"""A game as the rest of the house knows it: a name, a version, and how its table is set."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sobremesa.core.errors import InvalidSetup, brief
from sobremesa.core.state import State
from sobremesa.core.words import Words

Value = int | str | bool


@dataclass(frozen=True)
class Option:
    """One thing that is agreed when the table is set."""

    name: str
    default: Value
    choices: tuple[Value, ...] = ()
    """What may be chosen; empty for a range of numbers."""
    least: int = 0
    most: int | None = None
    """The largest number of a range; None for a range that is open upwards."""

    def check(self, value: object) -> Value:
        """The value itself, if it may be chosen."""
        if type(value) is type(self.default):
            if isinstance(value, int) and not self.choices:
                if self.least <= value and (self.most is None or value <= self.most):
                    return value
            elif value in self.choices:
                return value
        raise InvalidSetup(
            "{option} cannot be {value}: choose {choices}",
            option=self.name,
            value=brief(value),
            choices=self.described(),
        )

    def described(self) -> str:
        """What may be chosen, in words."""
        if self.choices:
            return " / ".join(map(str, self.choices))
        return f"{self.least}-{'∞' if self.most is None else self.most}"


@dataclass(frozen=True)
class Game:
    """One game of the house. Its options always include ``seats`` and ``starter``."""

    id: str
    name: str
    designer: str
    version: int
    """Counts up when a rule changes, so that old records stay readable."""
    options: tuple[Option, ...]
    low_wins: bool
    """Whether the lowest score wins."""
    even_starts: bool
    """Whether in a series everybody has to start equally often (C11)."""
    has_chance: bool
    """Whether dice or a shuffle decide anything."""
    begin: Callable[..., State[Any]]
    """Makes the first state from checked options; ``start`` checks them."""
    parse_position: Callable[[str], State[Any]]
    heuristic: Callable[[Any, Sequence[Any]], Sequence[float]]
    """The greedy player's evaluation: how good each move of a seat's view looks, one move ahead."""
    forced: Callable[[Any], Any]
    """The move that is made for a seat whose time is up, from its view: a rule that can be said in one sentence."""
    words: Words
    plain: type
    """The form of a view as plain data, a TypedDict."""
    box: Callable[[], Mapping[str, Any]]
    """What is in the box, as plain data: pieces, boards, tables of points, for whoever draws them."""
    package: str
    """Where the game's texts lie."""
    hides: Callable[[str], bool] = lambda move: False
    """Whether a move hides what was open before. Such a move is never taken back: it would be shown once more."""
    scores_so_far: Callable[[Any], tuple[int, ...]] | None = None
    """The scores of a game that is given up, from its state; None if nobody has any before the end."""

    def start(self, **options: Value) -> State[Any]:
        """A new game; options that are left out take their defaults."""
        return self.begin(**self.set_table(options))

    def set_table(self, chosen: Mapping[str, object]) -> dict[str, Value]:
        """All options with their values, checked."""
        known = {option.name for option in self.options}
        for name in chosen:
            if name not in known:
                raise InvalidSetup(
                    "{game} has no option “{option}”: there are {options}",
                    game=self.name,
                    option=brief(name),
                    options=", ".join(sorted(known)),
                )
        options = {o.name: o.check(chosen.get(o.name, o.default)) for o in self.options}
        if int(options["starter"]) >= int(options["seats"]):
            raise InvalidSetup(
                "seat {starter} cannot start: the seats are 0 to {last}",
                starter=brief(options["starter"]),
                last=int(options["seats"]) - 1,
            )
        return options
