"""A game as the rest of the house knows it: it declares, the surroundings read."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pkgutil import resolve_name
from random import Random
from typing import Any, Generic, Literal, TypeVar

from sobremesa.core.catalogues import bring_words
from sobremesa.core.drawing import HOUSE_PALETTE, Palette
from sobremesa.core.errors import InvalidSetup, brief
from sobremesa.core.state import State
from sobremesa.core.words import Words

Value = int | str | bool
S = TypeVar("S", bound=State[Any])
"""A game's states."""


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
    label: str = ""
    """The id of what people call it; empty for what is not asked in a form of its own."""
    labels: tuple[str, ...] = ()
    """The ids of what people call each choice; empty where the choices speak for themselves."""
    changes: Literal["rules", "views"] = "rules"
    """Whether it changes the game, or only what seats are shown of it; then the last choice shows the most."""
    samples: tuple[int, ...] = ()
    """Some numbers of a range, for tests and measurements."""

    def check(self, value: object) -> Value:
        """The value itself, if it may be chosen."""
        if type(value) is type(self.default):
            if isinstance(value, int) and not self.choices:
                if self.least <= value and (self.most is None or value <= self.most):
                    return value
            elif value in self.choices:
                return value
        if isinstance(value, str) and not isinstance(self.default, str):
            raise InvalidSetup(
                "core.error.cannot-be-the-text",
                option=self.name,
                value=brief(value),
                choices=self.described(),
            )
        raise InvalidSetup(
            "core.error.cannot-be",
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
class Urn:
    """What chance draws from in a game, so that anybody can check a record's draws without knowing its rules."""

    weights: Mapping[int, int]
    """The outcomes that are possible at first, and how many tickets each has."""
    replaced: bool
    """Whether what was drawn goes back, as with dice."""
    after: str
    """A regular expression: chance speaks right after an event of the record that matches it, or at the start of the
    game if it matches the empty text."""


def _first_move(view: Any) -> Any:
    return view.legal_moves()[0]


def _empty_box() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, kw_only=True, eq=False)
class Game:
    """One game of the house. Its options always include ``seats`` and ``starter``."""

    id: str
    """Lower-case letters, digits and hyphens; the first word of its positions."""
    name: str
    version: int
    """Counts up when a rule changes, so that old records stay readable."""
    package: str
    """Where the game's texts lie: ``locales``, where ids begin with the game's, and ``rules`` as Markdown."""

    # What it says of itself.
    designer: str
    credit: str = ""
    """Whom else to thank: a publisher and a year."""
    aim: str
    """The id of a sentence that says what it is about."""
    minutes: int
    """How long a game takes."""
    age: int
    """From how many years on it is fun."""
    rule_prefix: str
    """The letter before the numbers of its rules."""
    rule_count: int
    words: Words

    # How it is played.
    options: tuple[Option, ...]
    begin: Callable[..., State[Any]]
    """Makes the first state from checked options; ``start`` checks them."""
    parse_position: Callable[[str], State[Any]]
    low_wins: bool = False
    """Whether the lowest score wins."""
    series_rule: str | None = None
    """The number of the rule that wants at least as many games in a series as there are players; None where any number
    of games makes a series."""
    crowd: bool = False
    """Whether any number of people can play one game, all of them deciding together."""
    urn: Callable[[Mapping[str, Any]], Urn] | None = None
    """What chance draws from at a table with these options; None where nothing is left to chance."""
    forced: Callable[[Any], Any] = _first_move
    """The move that is made for a seat whose time is up, from its view: a rule that can be said in one sentence."""
    forced_rule: str | None = None
    """The number of the rule by which everybody has to move, if they can miss a round that others play; else None."""

    ladder: Mapping[str, int] = field(default_factory=dict)
    """How strong the levels of its computer players are, in points of Elo, as an arena has measured it."""

    # For whoever shows it.
    plain: type = dict
    """The form of a view as plain data, a TypedDict."""
    box: Callable[[], Mapping[str, Any]] = _empty_box
    """What is in the box, as plain data: pieces, boards, tables of points, for whoever draws them."""
    palette: Palette = field(default_factory=lambda: HOUSE_PALETTE)
    """The colours of its seats, if it has its own."""
    hides: Callable[[str], bool] = lambda move: False
    """Whether a move hides what was open before. Such a move is never taken back: it would be shown once more. Its
    notation must not name what it hides: each seat's last move is told to whoever comes in."""
    reveal: Callable[[Any], State[Any]] | None = None
    """The same position, from its state, at a table that shows everything that was ever shown (``open_options``): what
    a seat with a perfect memory knows. Only for games where views forget."""
    scores_so_far: Callable[[Any], tuple[int, ...]] | None = None
    """The scores of a game that is given up, from its state; None if nobody has any before the end."""

    # For computers.
    heuristic: Callable[[Any, Sequence[Any]], Sequence[float]] | None = None
    """How good each move of a seat's view looks, one move ahead: the greedy player's evaluation."""
    features: Callable[[Any], Sequence[float]] | None = None
    """A seat's view as numbers of about -1 to 1, as many in every view of a table: what learning agents observe.
    Without it they observe the view as plain data, laid out in a row."""
    hidden: bool = False
    """Whether seats do not see everything, so that ``sample`` has to guess."""
    sample: Callable[[Any, Random], State[Any]] | None = None
    """A state that looks like this view to its seat, the unseen drawn at random. Without it nobody can search."""
    engines: str = ""
    """Where its own computer players are, as ``module:name`` of an ``EngineSet``; empty for the usual ones."""
    batch: str = ""
    """Where its rules in JAX are, as ``module:name`` of a function that takes the options; empty if there are none."""
    training: str = ""
    """Where the training of its network is, as ``module:name`` of a function that takes arguments; empty if none."""
    commands: tuple[str, ...] = ()
    """Modules with commands of its own for the terminal, each with a function ``add_to``."""
    protocols: Mapping[str, str] = field(default_factory=dict)
    """What else programs may speak that sit down in a room (``sobremesa seat --protocol``): classes, by name."""
    file_formats: Mapping[str, str] = field(default_factory=dict)
    """Other formats for its records, by a file name's ending: where ``loads`` and ``dumps`` are."""
    server: str = ""
    """Where its own part of the server is, as ``module:name`` of a ``server.parts.Part``; empty if there is none."""
    page: str = ""
    """Its own part of the page: ``page`` if it is built into the house's, else a compiled ES module among the package's
    files (``page/table.js``); empty for a game that is shown by the picture that its views draw."""

    screens: tuple[str, ...] = ()
    """Addresses of screens of its own on the page."""

    # For tests and measurements.
    all_moves: Callable[[State[Any]], Sequence[Any]] | None = None
    """Every move that there is at a table, legal or not, in the fixed order."""
    max_steps: Callable[[Mapping[str, Any]], int] | None = None
    """The most moves and outcomes of chance that a game can have at a table with these options."""
    tables: Mapping[str, Mapping[str, Value]] = field(default_factory=dict)
    """Tables worth testing and measuring, by name; empty for all that its options allow."""

    def __post_init__(self) -> None:
        bring_words(self.id, self.package)

    @property
    def has_chance(self) -> bool:
        """Whether dice or a shuffle decide anything."""
        return self.urn is not None

    @property
    def seats(self) -> Option:
        """How many can play."""
        return next(option for option in self.options if option.name == "seats")

    def forgetful(self, options: Mapping[str, Any]) -> bool:
        """Whether people have to remember what they saw at a table with these options."""
        return any(o.changes == "views" and options[o.name] != o.choices[-1] for o in self.options)

    def open_options(self, options: Mapping[str, Any]) -> dict[str, Any]:
        """The options of the same table with everything shown that can be."""
        return dict(options) | {o.name: o.choices[-1] for o in self.options if o.changes == "views"}

    def load(self, part: str) -> Any:
        """A part of the game that is imported only when somebody needs it: ``engines``, ``batch`` and the like."""
        return resolve_name(getattr(self, part))

    def kinds(self) -> dict[str, Mapping[str, Value]]:
        """Every kind of table that is tested and measured, by name, with its options."""
        if self.tables:
            return dict(self.tables)
        asked = [option for option in self.options if option.name != "starter"]
        ways = product(*(option.choices or option.samples or (option.default,) for option in asked))
        names = [option.name for option in asked]
        return {"-".join(map(str, way)): dict(zip(names, way, strict=True)) for way in ways}

    def start(self, **options: Value) -> State[Any]:
        """A new game; options that are left out take their defaults."""
        return self.begin(**self.set_table(options))

    def set_table(self, chosen: Mapping[str, object]) -> dict[str, Value]:
        """All options with their values, checked."""
        known = {option.name for option in self.options}
        for name in chosen:
            if name not in known:
                raise InvalidSetup(
                    "core.error.has-no-option",
                    game=self.name,
                    option=brief(name),
                    options=", ".join(sorted(known)),
                )
        options = {o.name: o.check(chosen.get(o.name, o.default)) for o in self.options}
        if int(options["starter"]) >= int(options["seats"]):
            raise InvalidSetup(
                "core.error.seat-cannot-start",
                starter=brief(options["starter"]),
                last=int(options["seats"]) - 1,
            )
        return options


@dataclass(frozen=True, kw_only=True, eq=False)
class TypedGame(Game, Generic[S]):
    """A game whose type says what its states are: a type checker knows what ``start`` returns, and its moves."""

    begin: Callable[..., S]
    parse_position: Callable[[str], S]

    def start(self, **options: Value) -> S:
        """A new game; options that are left out take their defaults."""
        return self.begin(**self.set_table(options))
