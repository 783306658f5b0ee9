"""``sobremesa.arena``: players against each other, those of the house and one's own, and how they did as a table."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any

from sobremesa.core.catalogues import say as say_in
from sobremesa.core.drawing import ACCENT, INK, MUTED
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Game, Value
from sobremesa.engines import elo
from sobremesa.engines.arena import ArenaResult, Entrants, Mean, Played, Row, fixtures, play_all, tally
from sobremesa.engines.engine_set import Maker
from sobremesa.engines.registry import check_player
from sobremesa.games import find_game

HEADS = (
    "engines.player",
    "engines.games",
    "engines.elo",
    "engines.first-places",
    "engines.mean-score",
    "engines.a-move",
    "engines.longest-move",
)
"""The columns of the table."""


def _english(id: str) -> str:
    return say_in(id, {}, "en")


@dataclass(frozen=True)
class Contest:
    """How everybody did. Print it, or give ``to_dict()`` to a data frame."""

    game: Game
    seats: int
    """How many sat at a table."""
    played: tuple[Played, ...]
    """Every game, with its record."""
    result: ArenaResult
    ratings: Mapping[str, Mean]
    """Elo with its interval; ``greedy`` or, without it, the last player has 1000. Empty where nobody is comparable."""

    @property
    def rows(self) -> list[Row]:
        """Everybody, the best first."""
        rated = self.ratings
        return sorted(self.result.rows, key=lambda row: -rated[row.name].mean if rated else -row.score.mean)

    def to_dict(self) -> dict[str, list[Any]]:
        """A column for each figure, as ``pandas.DataFrame`` takes it. ``_95`` is how far its 95% interval reaches."""
        found: dict[str, list[Any]] = {}
        for row in self.rows:
            rating = self.ratings.get(row.name)
            figures = {
                "player": row.name,
                "games": row.games,
                "elo": rating and rating.mean,
                "elo_95": rating and rating.half_width,
                "first_places": row.points.mean,
                "first_places_95": row.points.half_width,
                "fair_share": row.fair,
                "score": row.score.mean,
                "score_95": row.score.half_width,
                "seconds": row.seconds,
                "slowest": row.slowest,
            }
            for name, figure in figures.items():
                found.setdefault(name, []).append(figure)
        return found

    def cells(self, say: Callable[[str], str] = _english) -> list[list[str]]:
        """The table as texts, the heads first, each put into words by ``say``."""
        table = [[say(head) for head in HEADS]]
        for row in self.rows:
            elo_text = f"{self.ratings[row.name].mean:.0f}" if self.ratings else ""
            first = f"{row.points:.1%}" if self.seats > 1 else "–"
            times = (f"{1000 * row.seconds:.1f} ms", f"{1000 * row.slowest:.0f} ms")
            table.append([row.name, f"{row.games:,}", elo_text, first, str(row.score), *times])
        return table if self.ratings else [row[:2] + row[3:] for row in table]

    def table(self, say: Callable[[str], str] = _english) -> str:
        """The table in Markdown."""
        heads, *rows = ("| " + " | ".join(row) + " |" for row in self.cells(say))
        return "\n".join([heads, "|---" + "|---:" * (heads.count(" | ")) + "|", *rows])

    def differences(self) -> list[tuple[str, str, Mean]]:
        """How many points of score the first has more than each of the others, on the same deals."""
        found = self.result.differences
        best = self.result.rows[0].name if self.seats > 1 else max(self.result.rows, key=lambda r: r.score.mean).name
        return [(best, row.name, found[best, row.name]) for row in self.result.rows if (best, row.name) in found]

    def __str__(self) -> str:
        return self.table()

    def _repr_html_(self) -> str:
        heads, *rows = self.cells()
        top = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
        body = "".join("<tr>" + "".join(f"<td>{escape(cell)}</td>" for cell in row) + "</tr>" for row in rows)
        caption = f"<caption>{escape(self.game.name)}, {len(self.played)}</caption>"
        return f"<table>{caption}<thead><tr>{top}</tr></thead><tbody>{body}</tbody></table>"

    def plot(self, axes: Any = None) -> Any:
        """First places (alone: mean scores) with their intervals, as a plot; returns matplotlib's axes."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            raise InvalidSetup("engines.error.a-plot-needs-matplotlib") from None
        if axes is None:
            axes = Figure(figsize=(6, 0.5 * len(self.rows) + 1.2), layout="constrained").subplots()
        rows = self.rows[::-1]
        means = [row.points if self.seats > 1 else row.score for row in rows]
        names, middles = [row.name for row in rows], [mean.mean for mean in means]
        axes.barh(names, middles, xerr=[mean.half_width for mean in means], color=ACCENT, ecolor=INK, capsize=3)
        if self.seats > 1:
            axes.axvline(1 / self.seats, color=MUTED, linestyle=":")
        axes.set_xlabel(_english("engines.first-places" if self.seats > 1 else "engines.mean-score"))
        axes.set_title(f"{self.game.name}, {len(self.played)} games")
        return axes


def arena(
    game: str | Game,
    players: Mapping[str, str | Maker] | Sequence[str],
    games: int = 100,
    *,
    jobs: int = 1,
    seed: str | int = 1,
    table: int | None = None,
    options: Mapping[str, Value] | None = None,
    report: Callable[[int], None] = lambda done: None,
    ray: str | None = None,
) -> Contest:
    """Lets players play against each other, every seat order equally often, with the same chance for all orders.

    ``players`` maps the names in the table to players of the house, by name, or to whatever makes a player of your own
    from a game and a random source: a class of yours that derives from ``Player`` is one. At least so many games are
    played as ``games`` says, in ``jobs`` processes; the same ``seed`` gives the same games, however many processes play
    them, as long as no player looks at the clock. At a ``table`` sit all, if the game has room for so many, else two.
    ``options`` are the table's; ``report`` is told after each game how many are done. With ``ray`` the games are spread
    over a Ray cluster instead: its address, or an empty text for the one that Ray finds by itself.
    """
    found = find_game(game) if isinstance(game, str) else game
    entrants: Entrants = players if isinstance(players, Mapping) else {name: name for name in players}
    names = list(players)
    for who in entrants.values():
        if isinstance(who, str):
            check_player(who, found)
    size = table_size(found, names, table)
    chosen = {name: value for name, value in (options or {}).items() if name != "seats"}
    found.set_table(chosen | {"seats": size})
    todo = fixtures(found.id, names, games, str(seed), chosen, size)
    return contest(found, play_all(todo, jobs, report, entrants, ray), names, size)


def table_size(game: Game, names: Sequence[str], table: int | None = None) -> int:
    """How many sit at a table. If nobody says: all, if the game has room for so many, else two, or who there is."""
    choices = game.seats.choices
    size = table or (len(names) if len(names) in choices or not choices else min(2, len(names)))
    if not 1 <= size <= len(names):
        raise InvalidSetup("engines.error.a-table-of-needs-at-least-as-many", size=size)
    return size


def contest(game: Game, played: Sequence[Played], names: Sequence[str], size: int) -> Contest:
    """Games that were played, added up."""
    comparable = len(set(names)) > 1 and size > 1 and len(played) > 1
    anchor = "greedy" if "greedy" in names else names[-1]
    return Contest(game, size, tuple(played), tally(played), elo.ratings(played, anchor) if comparable else {})
