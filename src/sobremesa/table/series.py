"""Several games in a row: the starter rotates, the scores are added up.

A game whose rules have something to say about series names that rule in ``Game.series_rule``.
"""

from dataclasses import dataclass, replace

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game, Value
from sobremesa.core.result import Result, places


@dataclass(frozen=True)
class Series:
    """A series of games with the same seats; immutable, ``add`` makes the next."""

    game: Game
    options: dict[str, Value]
    """How the table is set for the first game; its starter starts that one."""
    games: int
    results: tuple[Result, ...] = ()

    def __post_init__(self) -> None:
        seats = int(self.game.set_table(self.options)["seats"])
        if self.games < 1:
            raise InvalidSetup("table.error.a-series-has-at-least-one-game")
        if self.game.series_rule is not None and self.games < seats:
            raise InvalidSetup(
                "table.error.a-series-of-has-at-least-as-many",
                rule=self.game.series_rule,
                game=self.game.name,
                seats=seats,
            )

    @property
    def seats(self) -> int:
        """How many seats the table has."""
        return int(self.game.set_table(self.options)["seats"])

    @property
    def uneven(self) -> bool:
        """Whether some seats start once more than others, in a game with a rule about that.

        Only multiples of the number of seats let everybody start equally often.
        """
        return self.game.series_rule is not None and self.games % self.seats > 0

    @property
    def over(self) -> bool:
        """Whether all games have been played."""
        return len(self.results) == self.games

    def options_of(self, number: int) -> dict[str, Value]:
        """The options of a game of the series, counted from 0: the next seat starts each time."""
        options = self.game.set_table(self.options)
        return options | {"starter": (int(options["starter"]) + number) % self.seats}

    @property
    def next_options(self) -> dict[str, Value]:
        """The options of the next game."""
        if self.over:
            raise InvalidSetup("table.error.the-series-is-over")
        return self.options_of(len(self.results))

    def add(self, result: Result) -> "Series":
        """The series with one more game played."""
        if self.over:
            raise InvalidSetup("table.error.the-series-is-over")
        if len(result.scores) != self.seats:
            raise InvalidSetup("table.error.the-result-is-of-a-table-with-seats", seats=len(result.scores))
        return replace(self, results=(*self.results, result))

    @property
    def standing(self) -> Result:
        """The sums so far, and the places; equal sums share the place."""
        sums = tuple(sum(result.scores[seat] for result in self.results) for seat in range(self.seats))
        return Result(sums, places([total if self.game.low_wins else -total for total in sums]))
