"""Players against each other, fairly: every seat order equally often, and the same chance for all orders.

A *deal* is one seed of chance. All seat orders of the same players are played on each deal, so that luck cancels out
and small differences show. What is counted is the mean over deals, with the interval that deals spread it by.
"""

import pickle
import sys
import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field
from itertools import combinations, permutations
from math import isnan, sqrt
from multiprocessing import get_context
from random import Random
from statistics import fmean, stdev
from typing import Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.game import Value
from sobremesa.core.state import View
from sobremesa.engines.cluster import on_ray
from sobremesa.engines.engine_set import Maker
from sobremesa.engines.player import Budget
from sobremesa.engines.registry import engine_set, find_player
from sobremesa.games import find_game
from sobremesa.table.fair import FairChance
from sobremesa.table.record import Record
from sobremesa.table.sitting import Sitting

Entrants = Mapping[str, str | Maker]
"""Who plays, by the name in the table: the name of a player of the house, or whatever makes a player of one's own."""
NOBODY_ELSE: Entrants = {}
"""All names in a table are names of players of the house."""
Z_95 = 1.96
"""The standard errors to each side of a mean that make its 95% confidence interval."""


@dataclass(frozen=True)
class Fixture:
    """A game that is to be played: who sits where, and which deal."""

    game: str
    options: dict[str, Value]
    names: tuple[str, ...]
    deal: int
    seed: str


@dataclass(frozen=True)
class Played:
    """How a fixture ended, and how long each seat thought."""

    fixture: Fixture
    scores: tuple[int, ...]
    shares: tuple[float, ...]
    """Each seat's part of the first place."""
    places: tuple[int, ...]
    seconds: tuple[float, ...]
    """How long each seat thought in all."""
    slowest: tuple[float, ...]
    """The seconds of the longest move of each seat."""
    moves: tuple[int, ...]
    """How many moves each seat made."""
    record: Record


def play(fixture: Fixture, entrants: Entrants = NOBODY_ELSE) -> Played:
    """Plays a game. Names that are not among the entrants are those of players of the house."""
    game = find_game(fixture.game)
    chance = FairChance.from_seed(f"{fixture.seed} {fixture.deal}")
    options = fixture.options | {"seats": len(fixture.names)}
    sitting = Sitting.start(game, options, chance, fixture.names)
    seats = range(len(fixture.names))
    players = []
    for seat, name in enumerate(fixture.names):
        entrant = entrants.get(name, name)
        random = Random(f"{fixture.seed} {fixture.deal} {fixture.names} {seat}")
        players.append(find_player(entrant, game, random) if isinstance(entrant, str) else entrant(game, random))
    remembers = engine_set(game).remembers
    pasts: list[list[View[Any]]] = [[] for _ in seats]
    seconds, slowest, moves = [0.0 for _ in seats], [0.0 for _ in seats], [0 for _ in seats]
    while not sitting.state.over:
        state = sitting.state
        views = [state.view(seat) for seat in seats] if remembers else []
        if state.chance is not None:
            sitting = sitting.roll()
        else:
            for seat in state.deciding:
                view = views[seat] if remembers else state.view(seat)
                budget = Budget(seed=f"{fixture.seed} {fixture.deal} {seat}")
                began = time.perf_counter()
                move = players[seat].think(view, pasts[seat], budget).move
                took = time.perf_counter() - began
                seconds[seat] += took
                slowest[seat] = max(slowest[seat], took)
                moves[seat] += 1
                sitting = sitting.play(move, seat)
        for seat, view in enumerate(views):
            pasts[seat].append(view)
    result = sitting.state.result()
    assert result is not None
    shares = tuple((place == 1) / len(result.winners) for place in result.places)
    return Played(
        fixture, result.scores, shares, result.places, tuple(seconds), tuple(slowest), tuple(moves), sitting.record()
    )


def fixtures(
    game: str, names: Sequence[str], games: int, seed: str, options: dict[str, Value], at_a_table: int
) -> list[Fixture]:
    """All games to be played: every choice of ``at_a_table`` names, in every order, on as many deals as that takes."""
    groups = sorted(set(combinations(names, at_a_table)), key=lambda group: [names.index(name) for name in group])
    orders = [order for group in groups for order in sorted(set(permutations(group)))]
    deals = max(1, -(-games // len(orders)))
    return [Fixture(game, options, order, deal, seed) for deal in range(deals) for order in orders]


def play_all(
    todo: Sequence[Fixture],
    jobs: int = 1,
    report: Callable[[int], None] = lambda done: None,
    entrants: Entrants = NOBODY_ELSE,
    ray: str | None = None,
) -> list[Played]:
    """Plays all fixtures, in a number of processes or on a Ray cluster; reports how many are done after each.

    ``ray`` is the cluster's address: empty for the one that Ray finds by itself, None for no cluster.
    """
    done: dict[int, Played] = {}
    for number, played in _played(todo, jobs, entrants, ray):
        done[number] = played
        report(len(done))
    return [done[number] for number in range(len(todo))]


def _played(todo: Sequence[Fixture], jobs: int, entrants: Entrants, ray: str | None) -> Iterator[tuple[int, Played]]:
    if ray is not None:
        yield from on_ray(ray, _play_there, _packed(entrants), todo)
        return
    if jobs <= 1:
        yield from enumerate(play(fixture, entrants) for fixture in todo)
        return
    own = (_packed(entrants),)
    with ProcessPoolExecutor(jobs, get_context("spawn"), initializer=_receive, initargs=own) as pool:
        yield from enumerate(pool.map(_play_here, todo))


_entrants: Entrants = {}
"""Who plays in this process, of a number of processes."""


def _receive(packed: bytes) -> None:
    global _entrants
    _entrants = pickle.loads(packed)


def _play_here(fixture: Fixture) -> Played:
    return play(fixture, _entrants)


def _play_there(packed: bytes, fixture: Fixture) -> Played:
    return play(fixture, pickle.loads(packed))


def _packed(entrants: Entrants) -> bytes:
    """Players of one's own, ready to travel: what is written in a notebook needs cloudpickle for that."""
    try:
        from cloudpickle import dumps
    except ImportError:
        dumps = pickle.dumps
        at_prompt = not hasattr(sys.modules["__main__"], "__file__")
        lost = [name for name, who in entrants.items() if at_prompt and getattr(who, "__module__", "") == "__main__"]
        if lost:
            raise _cannot_travel(lost[0]) from None
    for name, who in entrants.items():
        try:
            dumps(who)
        except Exception:
            raise _cannot_travel(name) from None
    packed: bytes = dumps(dict(entrants))
    return packed


def _cannot_travel(name: str) -> InvalidSetup:
    return InvalidSetup(
        "engines.error.cannot-go-to-another-process",
        name=name,
    )


@dataclass(frozen=True)
class Mean:
    """A mean and its 95% confidence interval."""

    mean: float
    half_width: float
    """How far the interval reaches to each side; not a number if nobody can say."""

    @classmethod
    def of(cls, samples: Sequence[float]) -> "Mean":
        """From independent samples; one alone has no interval."""
        half_width = Z_95 * stdev(samples) / sqrt(len(samples)) if len(samples) > 1 else float("nan")
        return cls(fmean(samples), half_width)

    def __str__(self) -> str:
        return format(self)

    def __format__(self, form: str) -> str:
        """Both in the same form, such as ".1%"; the mean alone where there is no interval."""
        form = form or ".2f"
        mean = format(self.mean, form)
        return mean if isnan(self.half_width) else f"{mean} ± {format(self.half_width, form.lstrip('+'))}"


@dataclass
class Row:
    """How one player did."""

    name: str
    games: int
    points: Mean
    """The part of first places that the player took."""
    fair: float
    """The part of first places that an equal among equals would take."""
    score: Mean
    seconds: float
    """The mean time of a move."""
    slowest: float
    """The seconds of the longest move."""


@dataclass
class ArenaResult:
    """How everybody did."""

    rows: list[Row]
    duels: dict[tuple[str, str], Mean] = field(default_factory=dict)
    """For two names, how often the first came before the second (level counts half)."""
    differences: dict[tuple[str, str], Mean] = field(default_factory=dict)
    """For two names, how many points of score the first had more, on the same deal."""


def tally(done: Sequence[Played]) -> ArenaResult:
    """Adds it all up, deal by deal."""
    points: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    scores: dict[str, dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    ahead: dict[tuple[str, str], dict[int, list[float]]] = defaultdict(lambda: defaultdict(list))
    seconds: dict[str, list[float]] = defaultdict(list)
    slowest: dict[str, float] = defaultdict(float)
    moves: dict[str, int] = defaultdict(int)
    chairs: dict[str, float] = defaultdict(float)
    for game in done:
        fixture = game.fixture
        for seat, name in enumerate(fixture.names):
            points[name][fixture.deal].append(game.shares[seat])
            scores[name][fixture.deal].append(game.scores[seat])
            seconds[name].append(game.seconds[seat])
            slowest[name] = max(slowest[name], game.slowest[seat])
            moves[name] += game.moves[seat]
            chairs[name] += 1 / len(fixture.names)
            for other, rival in enumerate(fixture.names):
                if rival != name:
                    mine, theirs = game.places[seat], game.places[other]
                    ahead[name, rival][fixture.deal].append((mine < theirs) + (mine == theirs) / 2)
    rows = [
        Row(
            name,
            len(seconds[name]),
            Mean.of([fmean(deal) for deal in points[name].values()]),
            chairs[name] / len(seconds[name]),
            Mean.of([fmean(deal) for deal in scores[name].values()]),
            sum(seconds[name]) / max(1, moves[name]),
            slowest[name],
        )
        for name in points
    ]
    duels = {pair: Mean.of([fmean(deal) for deal in deals.values()]) for pair, deals in ahead.items()}
    differences = {
        (one, two): Mean.of([fmean(scores[one][deal]) - fmean(scores[two][deal]) for deal in common])
        for one, two in permutations(scores, 2)
        if (common := [deal for deal in scores[one] if deal in scores[two]])
    }
    return ArenaResult(sorted(rows, key=lambda row: -row.points.mean), duels, differences)
