"""A player that searches a tree with an evaluator at the leaves."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State, View
from sobremesa.engines.evaluator import Evaluate, Values, chance, chances
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Player, Stop, Thought, never
from sobremesa.engines.tree import DEFAULT_SEARCH, Node, SearchSettings, search

MAX_VISIT_RATIO = 8
"""With PUCT, a move that has this many times fewer visits than the best is never played, however large the noise."""


@dataclass(frozen=True)
class Strength:
    """How well a searching player plays."""

    simulations: int
    seconds: float = 1.6
    noise: float = 0.0
    """The standard deviation of the noise on a move's value, in chances to win."""
    settings: SearchSettings = DEFAULT_SEARCH
    reuse_tree: bool = False
    """Whether the tree of its last move is kept for the next (subtree reuse)."""


class TreePlayer(Player):
    """Searches, then plays the move of the highest value, perhaps with noise."""

    def __init__(
        self,
        name: str,
        game: Game,
        random: Random,
        recall: Callable[[Any, Sequence[Any], str], State[Any]],
        evaluate: Evaluate,
        strength: Strength,
        finish: Callable[[State[Any]], Values] | None = None,
    ) -> None:
        """``finish`` says what a finished game is worth, on the evaluator's scale, if not ``outcome``."""
        self.name = name
        self._game = game
        self._random = random
        self._recall = recall
        self._evaluate = evaluate
        self._strength = strength
        self._finish = finish
        self._last: Node | None = None
        """The position that it thought about last."""

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        view.decisions()
        limit = Limit(budget, stop, self._strength.simulations, self._strength.seconds)
        return self._search(self._recall(view, past, budget.seed), budget, limit)

    def _search(self, state: State[Any], budget: Budget, limit: Limit) -> Thought:
        found = search(
            self._game,
            state,
            self._evaluate,
            limit,
            self._random,
            self._strength.settings,
            lambda move: str(move) == budget.consider,
            finish=self._finish,
            known=self._known(state, budget),
            threads=budget.threads,
        )
        root = found.root
        self._last = root if self._strength.reuse_tree else None
        children = root.children
        seen = [(move, children[move]) for move in found.order]
        ranked = [Candidate(move, chance(child.total[root.seat] / child.visits), child.visits) for move, child in seen]
        best = ranked[0]
        if noise := self._strength.noise:
            fewest = 0 if self._strength.settings.halving else best.visits / MAX_VISIT_RATIO
            known = [candidate for candidate in ranked if candidate.visits >= fewest]
            best = max(known, key=lambda candidate: candidate.value + noise * self._random.gauss())
        # The position is worth what its best move is worth, not the mean of all that was tried.
        top = seen[0][1]
        values = chances([total / top.visits for total in top.total])
        return Thought(
            best.move, tuple(ranked), "chance", values, values, found.depth, found.simulations, limit.seconds
        )

    def _known(self, state: State[Any], budget: Budget) -> Node | None:
        """What it knows of a position from the last search: everybody may have moved since."""
        return None if self._last is None or budget.consider is not None else self._last.find(state, state.seats)
