"""The plain yardstick: UCT (MCTS by UCB1) with random playouts, which knows nothing of a game but its rules."""

from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from math import log, sqrt
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.playout import playout
from sobremesa.core.result import SOLO_POINTS
from sobremesa.core.state import State, View
from sobremesa.engines.evaluator import chance, chances, mover, outcome_of
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Candidate, Player, Stop, Thought, never

EXPLORATION = 0.7


class _Node:
    __slots__ = ("children", "seat", "total", "untried", "visits")

    def __init__(self, state: State[Any], random: Random, seat: int | None = None) -> None:
        waiting = not state.over and state.chance is None
        self.seat = -1 if not waiting else seat if seat is not None and seat in state.deciding else mover(state)
        self.untried = list(state.legal_moves(self.seat)) if self.seat >= 0 else []
        random.shuffle(self.untried)
        self.children: dict[Any, _Node] = {}
        self.visits = 0
        self.total = [0.0] * state.seats


class UctPlayer(Player):
    """Plays out a number of random games from a position, more of them where it goes well."""

    def __init__(
        self,
        game: Game,
        random: Random,
        recall: Callable[..., State[Any]],
        simulations: int,
        seconds: float | None = None,
        worlds: int = 1,
    ) -> None:
        """The simulations are spread over several ``worlds``: states that look alike to the seat (determinisations)."""
        self.name = f"uct-{simulations}"
        self._game = game
        self._random = random
        self._recall = recall
        self._simulations = simulations
        self._seconds = seconds
        self._worlds = worlds

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        moves = view.decisions()
        limit = Limit(budget, stop, self._simulations, self._seconds)
        states = [self._recall(view, past, f"{budget.seed}{world or ''}") for world in range(self._worlds)]
        # Where several decide together, this seat goes first in its own mind.
        roots = [_Node(state, self._random, view.seat) for state in states]
        state, seat = states[0], roots[0].seat
        while not limit.over():
            world = limit.done % self._worlds
            self._simulate(roots[world], states[world])
            limit.done += 1
        visits, totals = Counter[Any](), defaultdict[Any, float](float)
        for root in roots:
            for move, child in root.children.items():
                visits[move] += child.visits
                totals[move] += child.total[seat]
        alone = state.seats == 1
        means = [(move, totals[move] / n, n) for move, n in visits.most_common()]
        candidates = tuple(Candidate(m, SOLO_POINTS * mean if alone else chance(mean), n) for m, mean, n in means)
        values = [sum(each) / max(1, limit.done) for each in zip(*(root.total for root in roots), strict=True)]
        return Thought(
            candidates[0].move if candidates else self._random.choice(moves),
            candidates,
            "points" if alone else "chance",
            (SOLO_POINTS * values[0],) if alone else chances(values),
            () if alone else chances(values),
            simulations=limit.done,
            seconds=limit.seconds,
        )

    def _simulate(self, root: _Node, state: State[Any]) -> None:
        node, path, random = root, [root], self._random
        while True:
            if state.over:
                break
            if (dice := state.chance) is not None:
                step = dice.draw(random)
                state = state.happen(step)
            elif node.untried:
                step = node.untried.pop()
                state = state.play(step, node.seat)
            else:
                step = _most_promising(node)
                state = state.play(step, node.seat)
            new = step not in node.children
            if new:
                node.children[step] = _Node(state, random)
            node = node.children[step]
            path.append(node)
            if new and state.chance is None:
                break
        values = outcome_of(self._game, playout(state, random))
        for node in path:
            node.visits += 1
            for seat, value in enumerate(values):
                node.total[seat] += value


def _most_promising(node: _Node) -> Any:
    wide, seat = EXPLORATION * sqrt(log(node.visits)), node.seat
    return max(
        node.children,
        key=lambda move: (child := node.children[move]).total[seat] / child.visits + wide / sqrt(child.visits),
    )
