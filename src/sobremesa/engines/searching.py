"""A player that searches a tree with somebody's judgement at the leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.evaluator import Evaluate, chance, chances
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import USUAL, Budget, Candidate, Player, Stop, Thought, never
from sobremesa.engines.tree import WIDE, Shape, search


@dataclass(frozen=True)
class Strength:
    """How well a searching player plays."""

    simulations: int
    seconds: float = 1.6
    noise: float = 0.0
    """How far its opinion of a move is off, in chances to win."""
    shape: Shape = WIDE


class TreePlayer(Player):
    """Searches, then plays the move that it thinks best; its opinions may be blurred."""

    def __init__(
        self,
        name: str,
        game: Game,
        random: Random,
        recall: Callable[[Any, Sequence[Any], str], State[Any]],
        evaluate: Evaluate,
        strength: Strength,
    ) -> None:
        self.name = name
        self._game = game
        self._random = random
        self._recall = recall
        self._evaluate = evaluate
        self._strength = strength

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = USUAL, stop: Stop = never
    ) -> Thought:
        limit = Limit(budget, stop, self._strength.simulations, self._strength.seconds)
        state = self._recall(view, past, budget.seed)
        found = search(
            self._game,
            state,
            self._evaluate,
            limit,
            self._random,
            self._strength.shape,
            lambda move: str(move) == budget.consider,
        )
        root = found.root
        seen = [(move, root.children[move]) for move in found.order]
        ranked = [Candidate(move, chance(child.total[root.seat] / child.visits), child.visits) for move, child in seen]
        best = ranked[0]
        if noise := self._strength.noise:
            best = max(ranked, key=lambda candidate: candidate.value + noise * self._random.gauss())
        # The position is worth what its best move is worth, not the mean of all that was tried.
        top = root.children[ranked[0].move]
        values = chances([total / top.visits for total in top.total])
        return Thought(
            best.move, tuple(ranked), "chance", values, values, found.depth, found.simulations, limit.seconds
        )
