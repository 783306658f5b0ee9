"""A finished game looked over: what each move gave away against the best, and how the chances went."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from html import escape
from random import Random
from typing import Any

from sobremesa.core.state import View
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Measure, Thought
from sobremesa.engines.registry import find_player, past_of
from sobremesa.table.record import Record


@dataclass(frozen=True)
class Moment:
    """A decision of a game: what a seat saw, what it had seen before, and what it did."""

    event: int
    """Counted from 1."""
    seat: int
    view: View[Any]
    past: tuple[View[Any], ...]
    move: str


@dataclass(frozen=True)
class Reviewed:
    """A move beside the best there was."""

    event: int
    seat: int
    move: str
    value: float
    lost: float
    points_lost: float | None
    """The points that it gave away until the end, as far as the player knows."""
    best: tuple[Candidate, ...]
    exact: bool


@dataclass(frozen=True)
class Point:
    """Where the game stood after an event: chances to win and expected scores by seat, as far as they are known."""

    event: int
    chances: tuple[float, ...]
    points: tuple[float, ...]


@dataclass(frozen=True)
class Review:
    """A game, move by move."""

    measure: Measure
    moves: tuple[Reviewed, ...]
    curve: tuple[Point, ...]

    def lost(self, seat: int) -> float:
        """What the seat gave away in all."""
        return sum(move.lost for move in self.moves if move.seat == seat)

    def to_dict(self) -> dict[str, list[Any]]:
        """The moves as a column for each figure, as ``pandas.DataFrame`` takes it."""
        return {
            "event": [move.event for move in self.moves],
            "seat": [move.seat for move in self.moves],
            "move": [move.move for move in self.moves],
            "value": [move.value for move in self.moves],
            "lost": [move.lost for move in self.moves],
            "best": [str(move.best[0].move) if move.best else move.move for move in self.moves],
        }

    def _lines(self) -> Iterator[tuple[str, ...]]:
        form = "{:.1f}" if self.measure == "points" else "{:.1%}"
        for move in self.moves:
            better = str(move.best[0].move) if move.best and move.lost > 0 else ""
            lost = form.format(-move.lost) if move.lost > 0 else ""
            yield str(move.event), str(move.seat), move.move, form.format(move.value), lost, better

    def __str__(self) -> str:
        return "\n".join("{:>4} {:>2} {:8} {:>7} {:>7} {}".format(*line).rstrip() for line in self._lines())

    def _repr_html_(self) -> str:
        heads = "".join(f"<th>{head}</th>" for head in ("event", "seat", "move", "value", "lost", "best"))
        rows = "".join("<tr>" + "".join(f"<td>{escape(c)}</td>" for c in line) + "</tr>" for line in self._lines())
        return f"<table><thead><tr>{heads}</tr></thead><tbody>{rows}</tbody></table>"


def moments(record: Record, seats: Sequence[int] | None = None) -> list[Moment]:
    """The decisions of a game in order; of these seats, or of all."""
    game = record.game_played
    states = list(record.states())
    found = []
    for number, (state, event) in enumerate(zip(states, record.events, strict=False), start=1):
        if state.chance is not None:
            continue
        for seat, move in zip(state.deciding, event.split(" "), strict=True):
            if move != "-" and (seats is None or seat in seats):
                past = past_of(game, states[: number - 1], seat)
                found.append(Moment(number, seat, state.view(seat), past, move))
    return found


def compare(record: Record, decided: Sequence[Moment], thoughts: Sequence[Thought], shown: int = 5) -> Review:
    """Puts what the players thought beside what was played."""
    moves = []
    for moment, thought in zip(decided, thoughts, strict=True):
        value = next((c.value for c in thought.candidates if str(c.move) == moment.move), None)
        # The player's own choice, not the highest number: what was hardly looked at may look better than it is.
        best = thought.candidates[0].value if thought.candidates else 0.0
        if value is None:  # a player that compares nothing has nothing to say against the move
            value = best
        lost = max(0.0, best - value)
        points = lost if thought.measure == "points" else _points_lost(thought, moment.move)
        shown_best = thought.candidates[:shown]
        moves.append(Reviewed(moment.event, moment.seat, moment.move, value, lost, points, shown_best, thought.exact))
    measure = thoughts[0].measure if thoughts else "chance"
    return Review(measure, tuple(moves), tuple(_curve(record, decided, thoughts, moves)))


def _points_lost(thought: Thought, played: str) -> float | None:
    """How much further behind the best move's margin the played one's is."""
    margins = {str(candidate.move): candidate.margin for candidate in thought.candidates}
    own, best = margins.get(played), thought.candidates[0].margin if thought.candidates else None
    return None if own is None or best is None else max(0.0, best - own)


def _curve(
    record: Record, decided: Sequence[Moment], thoughts: Sequence[Thought], moves: Sequence[Reviewed]
) -> Iterator[Point]:
    """Before each decision as the thinker saw it; after it, where points are counted; and the end as it was."""
    at = 0
    while at < len(decided):
        event = decided[at].event
        last = at
        while last < len(decided) and decided[last].event == event:
            last += 1
        together = thoughts[at:last]
        counted = together[0].measure == "points"
        known = _by_seat(decided[at:last], [max(c.value for c in t.candidates) for t in together] if counted else [])
        yield Point(event - 1, together[0].chances, known if counted else ())
        if counted:
            yield Point(event, (), _by_seat(decided[at:last], [move.value for move in moves[at:last]]))
        at = last
    if record.result is not None:
        result = record.result
        winners = len(result.winners)
        chances = tuple(float(place == 1) / winners for place in result.places) if len(result.places) > 1 else ()
        scores = tuple(map(float, result.scores))
        yield Point(len(record.events), chances, scores if thoughts and thoughts[0].measure == "points" else ())


def _by_seat(decided: Sequence[Moment], values: Sequence[float]) -> tuple[float, ...]:
    """Values in the order of the seats that were reviewed."""
    return tuple(value for _, value in sorted(zip((m.seat for m in decided), values, strict=False)))


def review(
    record: Record, player: str, budget: Budget = DEFAULT_BUDGET, seats: Sequence[int] | None = None
) -> Iterator[tuple[Moment, Thought]]:
    """Thinks about every decision of a game, of these seats or of all, one after the other."""
    game = record.game_played
    for moment in moments(record, seats):
        thinker = find_player(player, game, Random(moment.event))
        own = Budget(budget.seconds, budget.simulations, "review", moment.move)
        yield moment, thinker.think(moment.view, moment.past, own)
