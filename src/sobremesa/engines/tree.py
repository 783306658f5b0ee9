"""Tree search guided by an evaluator: PUCT inside, chance nodes, values for every seat, leaves in batches.

At the root the budget is dealt out by sequential halving, as in Gumbel search with the noise left out: the moves with
the best priors are looked at equally often, then the better half of them, and so on.
"""

from collections.abc import Callable
from dataclasses import dataclass
from math import ceil, log, log2, sqrt
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.engines.evaluator import Evaluate, Evaluation, Values, mover, outcome_of
from sobremesa.engines.limit import Limit

EXPLORE = 1.25
UNSEEN = 0.1
"""How much worse than its parent a move is taken to be before anybody has looked at it."""

TRUST = 50
"""How much a value counts beside the logarithm of a prior before there are any visits."""


@dataclass(frozen=True)
class Shape:
    """How a search spends its budget."""

    considered: int = 16
    """So many moves are looked at from the root."""
    batch: int = 1
    """So many leaves are judged at a time."""
    narrow: int = 64
    """Inside the tree only the moves with the best priors are looked at, so many."""


WIDE = Shape()


class Node:
    """A position of the tree. Edges that nobody has walked yet have no node."""

    __slots__ = ("children", "moves", "priors", "seat", "state", "total", "visits", "waiting")

    def __init__(self, state: State[Any]) -> None:
        self.state = state
        self.seat = -1
        self.moves: list[Any] = []
        self.priors: list[float] = []
        self.children: dict[Any, Node] = {}
        self.visits = 0
        self.waiting = 0
        """Walks that have passed here and are not judged yet."""
        self.total = [0.0] * state.seats

    def value(self, seat: int) -> float:
        """The mean so far; walks that are not judged yet count as lost."""
        return self.total[seat] / (self.visits + self.waiting)


@dataclass
class Found:
    """What a search found at its root."""

    root: Node
    simulations: int
    depth: int
    order: list[Any]
    """The moves that were looked at, the best first."""


def search(
    game: Game,
    state: State[Any],
    evaluate: Evaluate,
    limit: Limit,
    random: Random,
    shape: Shape = WIDE,
    consider: Callable[[Any], bool] = lambda move: False,
) -> Found:
    """Looks for the best move of a position that waits for a seat, until the limit is reached."""
    root = Node(state)
    _open(root, evaluate([state])[0], state.count_moves(mover(state)))
    everybody = [at for at, move in enumerate(root.moves) if at < shape.considered or consider(move)]
    rounds = max(1, ceil(log2(len(everybody))))
    planned = limit.simulations  # without a number to deal out, a round goes twice over the moves that are in it
    running, deepest = everybody, 0
    while True:
        each = max(1, planned // (rounds * len(running))) if planned else 2
        walks = running * each
        for low in range(0, len(walks), shape.batch):
            if limit.over() and root.visits:
                return _found(root, limit, deepest)
            starts = walks[low : low + min(shape.batch, limit.left)]
            deepest = max(deepest, _walk(game, root, starts, evaluate, random, shape))
            limit.done += len(starts)
        if len(running) > 2:
            running = _better_half(root, running)
        else:
            running = _ranked(root)[:2] if planned else everybody


def _open(node: Node, evaluation: Evaluation, narrow: int) -> None:
    """Gives a node its moves, those with the best priors first."""
    state = node.state
    node.seat = mover(state)
    moves = list(state.legal_moves(node.seat))
    if evaluation.priors is None:
        node.moves, node.priors = moves, [1 / len(moves)] * len(moves)
        return
    priors = evaluation.priors
    kept = sorted(range(len(moves)), key=lambda at: -priors[at])[:narrow]
    mass = sum(priors[at] for at in kept) or 1.0
    node.moves = [moves[at] for at in kept]
    node.priors = [priors[at] / mass for at in kept]


def _walk(game: Game, root: Node, starts: list[int], evaluate: Evaluate, random: Random, shape: Shape) -> int:
    """Walks down from some of the root's moves, judges all leaves together, and carries their values up."""
    leaves: list[tuple[list[Node], Values | None]] = []
    for start in starts:
        path, node = [root], root
        choice: int | None = start
        while True:
            state = node.state
            if state.over:
                leaves.append((path, outcome_of(game, state)))
                break
            if (chance := state.chance) is not None:
                step = chance.draw(random)
                if step not in node.children:
                    node.children[step] = Node(state.happen(step))
            elif not node.moves:
                leaves.append((path, None))
                break
            else:
                at = _select(node) if choice is None else choice
                step, choice = node.moves[at], None
                if step not in node.children:
                    node.children[step] = Node(state.play(step, node.seat))
            node = node.children[step]
            path.append(node)
        for node in path:
            node.waiting += 1
    judged = [path[-1] for path, values in leaves if values is None]
    evaluations = iter(evaluate([node.state for node in judged]) if judged else [])
    for path, values in leaves:
        if values is None:
            evaluation = next(evaluations)
            values = evaluation.values
            if not path[-1].moves:
                _open(path[-1], evaluation, shape.narrow)
        for node in path:
            node.waiting -= 1
            node.visits += 1
            for seat, value in enumerate(values):
                node.total[seat] += value
    return max(len(path) - 1 for path, _ in leaves)


def _select(node: Node) -> int:
    seat = node.seat
    visits = node.visits + node.waiting
    wide = EXPLORE * sqrt(max(1, visits)) * (1 + log((visits + 20_000) / 20_000))
    unseen = max(0.0, node.total[seat] / max(1, node.visits) - UNSEEN)
    best, at = -1e9, 0
    for index, (move, prior) in enumerate(zip(node.moves, node.priors, strict=True)):
        child = node.children.get(move)
        if child is None or not child.visits + child.waiting:
            score = unseen + wide * prior
        else:
            score = child.value(seat) + wide * prior / (1 + child.visits + child.waiting)
        if score > best:
            best, at = score, index
    return at


def _ranked(root: Node) -> list[int]:
    """The root's moves that were looked at, the most promising first.

    The prior has a say as long as there are few visits; and a value counts for less the fewer visits it comes from.
    """
    seen = [at for at, move in enumerate(root.moves) if move in root.children and root.children[move].visits]
    trust = TRUST + max((root.children[root.moves[at]].visits for at in seen), default=0)

    def worth(at: int) -> float:
        child = root.children[root.moves[at]]
        value = child.total[root.seat] / child.visits - 0.5 / sqrt(child.visits)
        return trust * value + log(root.priors[at] + 1e-9)

    return sorted(seen, key=worth, reverse=True)


def _better_half(root: Node, running: list[int]) -> list[int]:
    ranked = [at for at in _ranked(root) if at in running]
    return ranked[: (len(ranked) + 1) // 2]


def _found(root: Node, limit: Limit, depth: int) -> Found:
    return Found(root, limit.done, depth, [root.moves[at] for at in _ranked(root)])
