"""Players of Isis & Osiris that play every promising move out many times, and count the end out exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, log2
from random import Random
from typing import TYPE_CHECKING, Any

from sobremesa.core.errors import InvalidSetup
from sobremesa.core.state import View
from sobremesa.engines.evaluator import chance, chances
from sobremesa.engines.expectimax import TimeUp
from sobremesa.engines.isis_osiris.endgame import Endgame, can_solve
from sobremesa.engines.isis_osiris.memory import recall
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import USUAL, Budget, Candidate, Player, Stop, Thought, never
from sobremesa.games.isis_osiris.moves import TURN
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.isis_osiris.view import IsisOsirisView

if TYPE_CHECKING:
    from sobremesa.engines.isis_osiris.playouts import Batch, Floats

MARGIN = 0.02
"""What a point of margin counts beside a win while the end is far."""
LARGEST = 2048
"""So many games are played side by side at most."""


@dataclass(frozen=True)
class Skill:
    """How well a player of Isis & Osiris plays."""

    playouts: int
    noise: float = 0.0
    """How far its opinion of a move is off, in chances to win."""
    span: float | None = None
    """How long it remembers a tile that lies face down, in pieces placed since; None for ever."""
    exact: bool = False
    """Whether it counts the end out."""
    seconds: float = 1.5


class PlayoutPlayer(Player):
    """Compares moves by playing them out: all of them a little, the better half more, and so on."""

    def __init__(self, name: str, random: Random, skill: Skill) -> None:
        self.name = name
        self._random = random
        self._skill = skill

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = USUAL, stop: Stop = never
    ) -> Thought:
        assert isinstance(view, IsisOsirisView)
        skill = self._skill
        limit = Limit(budget, stop, skill.playouts, skill.seconds)
        state = recall(view, past, budget.seed, skill.span)  # type: ignore[arg-type]
        if skill.exact and can_solve(state, budget.seconds or skill.seconds):
            try:
                return self._count_out(state, limit)
            except TimeUp:
                limit = Limit(Budget(seconds=0.2), stop, skill.playouts)
        return self._play_out(state, budget, limit)

    def _count_out(self, state: IsisOsirisState, limit: Limit) -> Thought:
        endgame = Endgame(state, limit.hurried)
        found, seat = endgame.moves(), state.turn
        ranked = sorted(found.moves.items(), key=lambda item: -item[1][seat])
        best, values = ranked[0][0], chances(ranked[0][1])
        candidates = tuple(Candidate(move, chance(worth[seat])) for move, worth in ranked)
        return Thought(
            best, candidates, "chance", values, values, found.depth, endgame.positions, limit.seconds, exact=True
        )

    def _play_out(self, state: IsisOsirisState, budget: Budget, limit: Limit) -> Thought:
        try:
            import numpy as np

            from sobremesa.engines.isis_osiris import playouts
        except ImportError:
            raise InvalidSetup("this player needs more packages: pip install 'sobremesa[engines]'") from None
        moves = list(state.legal_moves())
        seat, seats = state.turn, state.seats
        random = np.random.default_rng(self._random.getrandbits(63))
        starts = playouts.batch_of([state.play(move) for move in moves])
        turning = np.array([move == TURN for move in moves])
        noise = playouts.Noise(random)
        count = np.zeros(len(moves))
        shares, margins = np.zeros((len(moves), seats)), np.zeros(len(moves))
        field = np.arange(len(moves))
        rounds = max(1, ceil(log2(len(moves))))
        planned = limit.simulations or self._skill.playouts
        kept = next((at for at, move in enumerate(moves) if str(move) == budget.consider), None)
        while True:
            each = max(1, planned // (rounds * len(field)))
            for low in range(0, each, max(1, LARGEST // len(field))):
                if limit.over() and count.all():
                    break
                size = min(each - low, max(1, LARGEST // len(field)))
                orders = playouts.orders_of(state, size, random)
                games = _started(starts, field, orders, turning)
                scores = playouts.play_out(state.table, games, noise, playouts.HABITS[seats])
                won, ahead = _judged(scores.reshape(len(field), size, seats), seat)
                count[field] += size
                shares[field] += won
                margins[field] += ahead
                limit.done += size * len(field)
            worth = shares[:, seat] / np.maximum(count, 1) + MARGIN * margins / np.maximum(count, 1)
            order = np.lexsort((worth, count))[::-1]
            if len(field) <= 2 or (limit.over() and count.all()):
                break
            half = field[np.argsort(-worth[field], kind="stable")][: (len(field) + 1) // 2]
            field = half if kept is None or kept in half else np.append(half, kept)
            if kept is not None and len(field) <= 3:
                break
        best = int(order[0])
        if self._skill.noise:
            blurred = worth + self._skill.noise * np.array([self._random.gauss() for _ in moves])
            best = int(blurred.argmax())
        values = shares / np.maximum(count, 1)[:, None]
        top = tuple(float(v) for v in values[order[0]])
        ranked = [Candidate(moves[at], float(values[at, seat]), int(count[at])) for at in order]
        return Thought(
            moves[best], tuple(ranked), "chance", top, top, depth=1, simulations=limit.done, seconds=limit.seconds
        )


def _started(starts: "Batch", field: Any, orders: "Floats", turning: Any) -> "Batch":
    """Every move of the field with every order of the tiles to come, move by move."""
    import numpy as np

    size = len(orders)
    games = starts.take(np.repeat(field, size))
    games.order = np.tile(orders, (len(field), 1))
    turned = np.repeat(turning[field], size)
    games.pending = np.where(turned, games.order[:, 0], games.pending).astype(np.float32)
    games.drawn = turned.astype(np.int64)
    return games


def _judged(scores: "Floats", seat: int) -> tuple["Floats", "Floats"]:
    """Parts of first places by seat, and the seat's margin, added up over games: [moves, games, seats]."""
    import numpy as np

    best = scores.max(2, keepdims=True)
    first = scores == best
    won = (first / first.sum(2, keepdims=True)).sum(1)
    others = np.delete(scores, seat, axis=2).max(2)
    return won, (scores[:, :, seat] - others).sum(1)
