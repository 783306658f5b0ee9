"""The contract that every game keeps: states, and what a seat sees of them."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any, Generic, Protocol, Self, TypeVar

from sobremesa.core.chance import Chance
from sobremesa.core.errors import InvalidSetup, NothingToDecide, brief
from sobremesa.core.result import Result
from sobremesa.core.seats import Seats


class Move(Protocol):
    """What the moves of every game have in common: they are immutable, and ``str(move)`` is the notation."""

    def __hash__(self) -> int: ...

    def __str__(self) -> str: ...


M = TypeVar("M", bound=Move)
"""A game's moves."""


class View(ABC, Generic[M]):
    """What a seat, or a spectator (``seat`` is None), may know of a state; a comparable value.

    This is the only way that a state leaves the rules for a screen, a bot or a socket.
    """

    __slots__ = ()

    seat: int | None

    @abstractmethod
    def legal_moves(self) -> Sequence[M]:
        """The moves of this seat now, in their fixed order; none if it has nothing to decide."""

    @abstractmethod
    def as_dict(self) -> Mapping[str, Any]:
        """Everything in it as plain data, ready for JSON; its form is ``Game.plain``.

        It has at least ``game`` (the id), ``seat``, ``options``, and ``deciding``: the seats that have to decide now,
        as far as this seat may know. ``points``, a number for each seat, are shown beside the names if they are there.
        """

    def decisions(self) -> Sequence[M]:
        """The moves of this seat now; raises NothingToDecide if there are none."""
        if self.seat is None:
            raise NothingToDecide("core.a-spectator-has-nothing-to-decide")
        moves = self.legal_moves()
        if not moves:
            raise NothingToDecide("core.seat-has-nothing-to-decide-now", seat=self.seat)
        return moves

    def named_seats(self) -> Sequence[int]:
        """In a crowd, where nobody is told of all seats: those that this view names, in a ranking for example."""
        return ()

    @abstractmethod
    def text(self, colour: bool = False) -> str:
        """A drawing in characters, for a terminal."""

    @abstractmethod
    def svg(self, last: M | None = None) -> str:
        """A drawing as an SVG document; the last move, if it is given and visible here, is marked."""

    def __str__(self) -> str:
        """What the seat sees, in characters."""
        return self.text()

    def _repr_svg_(self) -> str:
        return self.svg()


class State(ABC, Generic[M]):
    """A position: an immutable, hashable value. Whatever happens makes a new one.

    A state waits for some seats (``deciding``), or for ``chance``, or for nobody: it is over.
    There is no clock and no randomness inside; somebody outside picks what chance brings.
    """

    __slots__ = ()

    @property
    @abstractmethod
    def seats(self) -> int:
        """How many seats the table has."""

    @property
    @abstractmethod
    def options(self) -> dict[str, Any]:
        """How the table was set, as the options that ``Game.start`` takes."""

    @property
    @abstractmethod
    def deciding(self) -> Seats:
        """The seats that have to decide now."""

    @property
    @abstractmethod
    def chance(self) -> Chance | None:
        """What chance can bring, if it is chance that the game waits for."""

    @property
    def roller(self) -> int | None:
        """The seat that has to let chance happen by its own hand, if any: who rolls the dice."""
        return None

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return not self.deciding and self.chance is None

    def decider(self, seat: int | None = None) -> int:
        """The seat, if it has to decide now; without one, the only seat that has to. Raises NothingToDecide."""
        waiting = self.deciding
        if seat is not None:
            if seat not in waiting:
                raise NothingToDecide("core.seat-has-nothing-to-decide-now", seat=brief(seat))
            return seat
        if not waiting:
            raise NothingToDecide("core.nobody-has-anything-to-decide-now")
        if len(waiting) > 1:
            raise NothingToDecide("core.several-seats-decide-now")
        return next(iter(waiting))

    @abstractmethod
    def legal_moves(self, seat: int | None = None) -> Sequence[M]:
        """The seat's legal moves in their fixed order; none if it has nothing to decide.

        Here and below, the seat may be left out when only one has to decide.
        """

    @abstractmethod
    def count_moves(self, seat: int | None = None) -> int:
        """How many legal moves the seat has, without listing them."""

    def random_move(self, random: Random, seat: int | None = None) -> M:
        """One of the seat's legal moves, each equally likely."""
        moves = self.legal_moves(seat)
        return moves[int(random.random() * len(moves))]

    @abstractmethod
    def play(self, move: M | str, seat: int | None = None) -> Self:
        """The state after the seat's move; raises IllegalMove, naming the rule, if it may not.

        A text is read by ``parse_move``, and raises InvalidMove if it names no move.
        """

    @abstractmethod
    def happen(self, outcome: int) -> Self:
        """The state after chance brought this outcome; raises IllegalMove if it cannot."""

    @abstractmethod
    def parse_move(self, text: str, seat: int | None = None) -> M:
        """The move that a text names: the notation of ``str(move)``, or a short form of it."""

    @abstractmethod
    def result(self) -> Result | None:
        """Scores and places, once the game is over."""

    @abstractmethod
    def view(self, seat: int | None) -> View[M]:
        """What the seat may know; ``None`` asks for a spectator."""

    def check_seat(self, seat: int | None) -> None:
        """Raises if there is no such seat at this table; a spectator is welcome."""
        if seat is not None and not 0 <= seat < self.seats:
            raise InvalidSetup("core.error.there-is-no-seat-at-this-table", seat=brief(seat))

    @abstractmethod
    def position(self) -> str:
        """The state as one line of text, which ``Game.parse_position`` reads back."""

    def __str__(self) -> str:
        """The board in characters, as a spectator sees it."""
        return self.view(None).text()

    def _repr_svg_(self) -> str:
        return self.view(None).svg()
