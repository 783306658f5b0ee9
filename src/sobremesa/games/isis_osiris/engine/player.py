"""Players of Isis & Osiris that ask the network, look ahead with it, and count the end out exactly."""

from collections.abc import Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import View
from sobremesa.engines.evaluator import chance, chances
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Player, Stop, Thought, never
from sobremesa.engines.runtime import missing_packages
from sobremesa.engines.solution import TimeUp
from sobremesa.engines.uct import UctPlayer
from sobremesa.games.isis_osiris.editions import EDITIONS
from sobremesa.games.isis_osiris.engine.endgame import Endgame, can_solve
from sobremesa.games.isis_osiris.engine.memory import recall
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.isis_osiris.view import IsisOsirisView

FALLBACK_PLAYOUTS = 2000
"""The playouts of UCT for a move on a board that the network does not know."""


@dataclass(frozen=True)
class Skill:
    """How well a player of Isis & Osiris plays."""

    simulations: int = 0
    """How many positions it looks at ahead; with none, it takes the network's word."""
    noise: float = 0.0
    """The standard deviation of the noise on a move's value, in chances to win."""
    memory_span: float | None = None
    """How long it remembers a tile that lies face down, in pieces placed since; None for ever."""
    exact: bool = False
    """Whether it counts the end out."""
    seconds: float = 1.5


class NetworkPlayer(Player):
    """Places what the network values most, after looking ahead."""

    def __init__(self, name: str, game: Game, random: Random, skill: Skill) -> None:
        self.name = name
        self._random = random
        self._skill = skill
        self._fallback = UctPlayer(game, random, recall, FALLBACK_PLAYOUTS)

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        view.decisions()
        assert isinstance(view, IsisOsirisView)
        skill = self._skill
        limit = Limit(budget, stop, skill.simulations, skill.seconds)
        state = recall(view, past, budget.seed, skill.memory_span)  # type: ignore[arg-type]
        if skill.exact and can_solve(state, budget.seconds or skill.seconds):
            try:
                return self._count_out(state, limit)
            except TimeUp:
                limit = Limit(Budget(seconds=0.2), stop, skill.simulations)
        if view.edition not in EDITIONS:
            return self._fallback.think(view, past, budget, stop)
        return self._look_ahead(state, limit, budget.consider)

    def _count_out(self, state: IsisOsirisState, limit: Limit) -> Thought:
        endgame = Endgame(state, limit.hurried)
        found, seat = endgame.moves(), state.turn
        ranked = sorted(found.moves.items(), key=lambda item: -item[1][seat])
        best, values = ranked[0][0], chances(ranked[0][1])
        candidates = tuple(Candidate(move, chance(worth[seat])) for move, worth in ranked)
        return Thought(
            best, candidates, "chance", values, values, found.depth, endgame.positions, limit.seconds, exact=True
        )

    def _look_ahead(self, state: IsisOsirisState, limit: Limit, consider: str | None) -> Thought:
        try:
            from sobremesa.games.isis_osiris.engine.network import network
            from sobremesa.games.isis_osiris.engine.search import Search
        except ImportError:
            raise missing_packages() from None
        search = Search(state, network(), self._random)
        margins = {} if consider is None else search.margins()
        search.run(limit)
        found, seat = search.ranked(), state.turn
        ranked = [
            Candidate(move, chance(float(values[seat])), visits, margins.get(str(move)))
            for move, values, visits in found
        ]
        best = ranked[0]
        if noise := self._skill.noise:
            best = max(ranked, key=lambda candidate: candidate.value + noise * self._random.gauss())
        values = chances([float(value) for value in found[0][1]])
        return Thought(best.move, tuple(ranked), "chance", values, values, search.depth, limit.done, limit.seconds)
