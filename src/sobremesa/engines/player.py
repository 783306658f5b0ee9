"""What a player is: given a view and a budget, it chooses a move, says why, and stops when it is asked to."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from statistics import pstdev
from time import perf_counter
from typing import Any, Literal

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game
from sobremesa.core.state import View

Stop = Callable[[], bool]
"""Asked now and then while a player thinks; once it says yes, the player moves."""
Measure = Literal["chance", "points"]
"""What a player's values are: chances to win, from 0 to 1, or expected final points."""


def never() -> bool:
    """Nobody is in a hurry."""
    return False


@dataclass(frozen=True, slots=True)
class Budget:
    """How much a player may think; what is left out is as its level says."""

    seconds: float | None = None
    simulations: int | None = None
    seed: str = ""
    """The seed of this seat in this game: what a player forgets follows from it, and stays forgotten."""
    consider: str | None = None
    """A move, in notation, that must be among the candidates with a value of its own: for reviews."""
    threads: int = 1
    """How many cores the player may use, if it can use several."""

    def __post_init__(self) -> None:
        if self.seconds is not None and not self.seconds >= 0:  # nor nan
            raise InvalidSetup("engines.error.nobody-thinks-for-so-long", seconds=self.seconds)


DEFAULT_BUDGET = Budget()
"""The player thinks as much as its level says."""


@dataclass(frozen=True, slots=True)
class Candidate:
    """A move that was considered, and what it is worth to who makes it."""

    move: Any
    value: float
    visits: int = 0
    margin: float | None = None
    """The points that the seat can expect to end ahead with: for reviews, from players that can tell."""


@dataclass(frozen=True, slots=True)
class Thought:
    """What a player chose, and why."""

    move: Any
    candidates: tuple[Candidate, ...] = ()
    """The best first; empty for players that do not compare."""
    measure: Measure = "chance"
    values: tuple[float, ...] = ()
    """What the position is worth to each seat, if the player knows."""
    chances: tuple[float, ...] = ()
    """Each seat's chance to win, shared first places counted in parts; they add up to 1."""
    depth: int = 0
    simulations: int = 0
    seconds: float = 0.0
    exact: bool = False
    """Whether the values are the game's own, not an estimate."""

    def rows(self, most: int = 8) -> list[tuple[str, str]]:
        """The best moves and what they are worth, in writing; the chosen one alone if none were compared."""
        form = "{:.1f}" if self.measure == "points" else "{:.1%}"
        rows = [(str(candidate.move), form.format(candidate.value)) for candidate in self.candidates[:most]]
        return rows or [(str(self.move), "")]

    def html(self, caption: str) -> str:
        """The same as a table of HTML."""
        rows = "".join(f"<tr><td>{escape(move)}</td><td>{value}</td></tr>" for move, value in self.rows())
        return f"<table><caption>{escape(caption)}</caption><tbody>{rows}</tbody></table>"

    def _about(self) -> str:
        return f"{self.move}, exact" if self.exact else str(self.move)

    def __str__(self) -> str:
        return "\n".join([self._about(), *(f"  {move:8} {value:>7}".rstrip() for move, value in self.rows())])

    def _repr_html_(self) -> str:
        return self.html(self._about())


class Player(ABC):
    """Somebody who can choose a move when it is their turn to decide.

    A player of one's own says how it thinks; it is made anew for every game, with a random source that makes the game
    repeatable:

        class First(Player):
            def think(self, view, past=(), budget=DEFAULT_BUDGET, stop=never):
                return Thought(view.decisions()[0])
    """

    name: str = ""
    """What it is called; where it is given a name in an arena, that one."""

    def __init__(self, game: Game, random: Random) -> None:
        self.game = game
        self.random = random

    def ready(self) -> None:  # noqa: B027
        """Loads what it will need, so that its first move takes no longer than the others."""

    @abstractmethod
    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        """Chooses one of ``view.decisions()``, which raises NothingToDecide where there are none.

        The past holds the views that this seat had before, in order.
        """

    def choose(self, view: View[Any], past: Sequence[View[Any]] = ()) -> Any:
        """The move alone."""
        return self.think(view, past).move


class RandomPlayer(Player):
    """Plays anything that is legal."""

    name = "random"

    def __init__(self, game: Game, random: Random) -> None:
        self._random = random

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        return Thought(self._random.choice(view.decisions()))


class GreedyPlayer(Player):
    """Plays what looks best one move ahead; equals by lot. With noise it looks less closely."""

    name = "greedy"

    def __init__(
        self,
        game: Game,
        random: Random,
        noise: float = 0.0,
        considered: int | None = None,
        relative_noise: float = 0.0,
    ) -> None:
        """Noise is in the heuristic's own units; relative noise in standard deviations of the values before it.

        At most ``considered`` moves, drawn at random, are looked at.
        """
        if game.heuristic is None:
            raise InvalidSetup("engines.error.has-no-heuristic-so-nobody-plays-by-it", game=game.name)
        self._heuristic = game.heuristic
        self._random = random
        self._noise = noise
        self._relative_noise = relative_noise
        self._considered = considered

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        began = perf_counter()
        moves = list(view.decisions())
        if self._considered is not None and len(moves) > self._considered:
            moves = self._random.sample(moves, self._considered)
        values = self._heuristic(view, moves)
        noise = self._noise + (self._relative_noise * pstdev(values) if self._relative_noise else 0.0)
        if noise:
            values = [value + noise * self._random.gauss() for value in values]
        best = max(values)
        move = self._random.choice([move for move, value in zip(moves, values, strict=True) if value == best])
        return Thought(move, depth=1, simulations=len(moves), seconds=perf_counter() - began)
