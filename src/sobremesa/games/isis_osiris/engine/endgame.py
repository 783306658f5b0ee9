"""The end of Isis & Osiris, counted out exactly: every stone, every tile, every value that it may show.

Everybody is taken to want the most for themselves (max^n); among equal moves the first in the list counts. A position
is known by what lies on the cells that were free at the start: the scores, the pieces left and the tiles unseen follow
from that, and whose turn it is.
"""

from collections.abc import Callable
from math import factorial

from sobremesa.engines.evaluator import MARGIN_TIEBREAK, Values
from sobremesa.engines.solution import Solution, TimeUp
from sobremesa.games.isis_osiris.moves import TURN, Move
from sobremesa.games.isis_osiris.state import FACE_DOWN, NOTHING, IsisOsirisState

MAX_FREE_CELLS = 6
"""With this many free cells or fewer the end is counted out in well under a second."""
POSITIONS_PER_SECOND = 50_000
"""The positions that are looked at in a second, at least."""


def positions(state: IsisOsirisState) -> float:
    """How many ways there are to fill none, some or all of the free cells: no fewer than will be looked at."""
    free = state.free.bit_count()
    ways = [1 / factorial(empty) for empty in range(free + 1)]
    for pieces in (*state.stones_left, *state.unseen):
        ways = [
            sum(ways[size - laid] / factorial(laid) for laid in range(min(pieces, size) + 1))
            for size in range(free + 1)
        ]
    return ways[free] * factorial(free)


def can_solve(state: IsisOsirisState, seconds: float) -> bool:
    """Whether the position is near enough to the end to be counted out in so many seconds."""
    return state.free.bit_count() <= MAX_FREE_CELLS or positions(state) <= POSITIONS_PER_SECOND * seconds


class Endgame:
    """Looks at one position and what can come of it."""

    def __init__(self, state: IsisOsirisState, stop: Callable[[], bool]) -> None:
        self._state = state
        self._stop = stop
        setup = state.setup
        self._seats = setup.seats
        self._stock_of = setup.stock_of
        self._values = setup.values
        self._cells = [cell for cell in range(setup.edition.size) if state.free >> cell & 1]
        index = {cell: at for at, cell in enumerate(self._cells)}
        neighbours = setup.edition.neighbours
        self._beside = [[index[n] for n in neighbours[cell] if n in index] for cell in self._cells]
        self._worth = [state.worth(cell) for cell in self._cells]
        self._near = [
            [sum(stones >> n & 1 for n in neighbours[cell]) for cell in self._cells] for stones in state.stones
        ]
        self._digits = self._seats + len(self._values) + 1
        self._power = [self._digits**at for at in range(len(self._cells))]
        self._stones = list(state.stones_left)
        self._stocks = list(state.stocks)
        self._unseen = list(state.unseen)
        self._scores = list(state.scores())
        self._memo: dict[int, Values] = {}
        self._ends: dict[tuple[int, ...], Values] = {}
        self.positions = 0

    def moves(self) -> Solution:
        """The exact values of every legal move; raises TimeUp if it is stopped."""
        state = self._state
        seat, free = state.turn, _each(list(range(len(self._cells))))
        moves, found = state.setup.moves, {}
        if state.turned not in (NOTHING, FACE_DOWN):
            at = self._values.index(state.turned)
            placed: dict[Move, Values] = {}
            for where, rest in free:
                placed[moves.tiles[self._cells[where]]] = self._lay(where, at, rest, 0, self._next(seat))
            return Solution(placed, len(free), exact=True)
        if self._stones[seat]:
            for where, rest in free:
                found[moves.stones[self._cells[where]]] = self._place(where, rest, 0, seat)
        if self._stocks[self._stock_of[seat]]:
            found[TURN] = self._turn(free, 0, seat)
        return Solution(found, len(free), exact=True)

    def _solve(self, cells: list[int], key: int, seat: int) -> Values:
        """The values of a position that was not looked at before."""
        if not cells:
            return self._end(tuple(self._scores))
        self.positions += 1
        if not self.positions & 255 and self._stop():
            raise TimeUp
        free = _each(cells)
        best: Values | None = None
        if self._stones[seat]:
            for where, rest in free:
                values = self._place(where, rest, key, seat)
                if best is None or values[seat] > best[seat]:
                    best = values
        if self._stocks[self._stock_of[seat]]:
            values = self._turn(free, key, seat)
            if best is None or values[seat] > best[seat]:
                best = values
        assert best is not None
        self._memo[key * self._seats + seat] = best
        return best

    def _place(self, where: int, rest: list[int], key: int, seat: int) -> Values:
        """The values after a stone."""
        scores, near, worth = self._scores, self._near[seat], self._worth[where]
        self._stones[seat] -= 1
        after, follows = key + (seat + 1) * self._power[where], self._next(seat)
        values = self._memo.get(after * self._seats + follows)
        if values is None:
            scores[seat] += worth
            for other in self._beside[where]:
                near[other] += 1
            values = self._solve(rest, after, follows)
            for other in self._beside[where]:
                near[other] -= 1
            scores[seat] -= worth
        self._stones[seat] += 1
        return values

    def _turn(self, free: list[tuple[int, list[int]]], key: int, seat: int) -> Values:
        """The values of turning a tile over: for each that it may be, it is laid as well as can be."""
        unseen, stock = self._unseen, self._stock_of[seat]
        total = sum(unseen)
        self._stocks[stock] -= 1
        follows = self._next(seat)
        mean = [0.0] * self._seats
        for at, count in enumerate(unseen):
            if count:
                unseen[at] -= 1
                best: Values | None = None
                for where, rest in free:
                    values = self._lay(where, at, rest, key, follows)
                    if best is None or values[seat] > best[seat]:
                        best = values
                unseen[at] += 1
                assert best is not None
                for other, value in enumerate(best):
                    mean[other] += count / total * value
        self._stocks[stock] += 1
        return tuple(mean)

    def _lay(self, where: int, at: int, rest: list[int], key: int, follows: int) -> Values:
        """The values after a tile of the at-th value, if this seat follows."""
        value, scores, worth = self._values[at], self._scores, self._worth
        if not rest:
            return self._end(
                tuple([score + value * near[where] for score, near in zip(scores, self._near, strict=True)])
            )
        after = key + (self._seats + 1 + at) * self._power[where]
        values = self._memo.get(after * self._seats + follows)
        if values is None:
            kept = scores[:]
            for other, near in enumerate(self._near):
                scores[other] += value * near[where]
            for cell in self._beside[where]:
                worth[cell] += value
            values = self._solve(rest, after, follows)
            for cell in self._beside[where]:
                worth[cell] -= value
            scores[:] = kept
        return values

    def _next(self, seat: int) -> int:
        for step in range(1, self._seats + 1):
            other = (seat + step) % self._seats
            if self._stones[other] or self._stocks[self._stock_of[other]]:
                return other
        return seat

    def _end(self, scores: tuple[int, ...]) -> Values:
        """What final scores are worth (I8)."""
        found = self._ends.get(scores)
        if found is None:
            best = max(scores)
            share = 1 / scores.count(best)
            found = self._ends[scores] = tuple(
                (share if score == best else 0.0) + MARGIN_TIEBREAK * (score - max(scores[:seat] + scores[seat + 1 :]))
                for seat, score in enumerate(scores)
            )
        return found


def _each(cells: list[int]) -> list[tuple[int, list[int]]]:
    """Each cell with the others."""
    return [(cell, cells[:at] + cells[at + 1 :]) for at, cell in enumerate(cells)]
