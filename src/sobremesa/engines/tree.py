"""Monte Carlo tree search (MCTS) guided by an evaluator: PUCT, chance nodes, values for every seat, leaves in batches.

At the root the budget is dealt out in one of two ways. By sequential halving, as in Gumbel search with the noise left
out: the moves with the best priors are looked at equally often, then the better half of them, and so on. Or by PUCT as
everywhere else, which stops as soon as no other move can overtake the best one.

Several threads can walk one tree. They walk it one at a time, and evaluate their leaves side by side: an evaluator that
lets go of the interpreter's lock, as a network does, keeps as many cores busy. Virtual loss keeps them apart: a walk
whose leaf is not evaluated yet counts as lost, so that the next ones go elsewhere.
"""

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from math import ceil, log, log2, sqrt
from random import Random
from threading import Condition
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.engines.evaluator import Evaluate, Evaluation, Indexable, Values, mover, outcome_of
from sobremesa.engines.limit import UNLIMITED, Limit

C_PUCT = 1.25
FPU_REDUCTION = 0.1
C_VISIT = 50
"""How much a value weighs beside the logarithm of a prior before there are any visits."""
REQUIRED_MOVE_INTERVAL = 16
"""Where PUCT chooses, a move that must be considered has at least one walk in this many."""
MINUS_INFINITY = float("-inf")


@dataclass(frozen=True)
class SearchSettings:
    """How a search spends its budget."""

    considered: int = 16
    """How many moves the root looks at, where the budget is dealt out by sequential halving."""
    batch: int = 1
    """How many leaves are evaluated at a time."""
    max_children: int = 64
    """How many moves a node inside the tree looks at, those with the best priors."""
    halving: bool = True
    """Whether the root deals the budget out by sequential halving; else by PUCT."""
    c_puct: float = C_PUCT
    """The exploration constant of PUCT: how much priors weigh beside values."""
    fpu_reduction: float = FPU_REDUCTION
    """First-play urgency: how much less than its parent a move is taken to be worth before its first visit."""


DEFAULT_SEARCH = SearchSettings()


class Node:
    """A position of the tree. Moves that nobody has walked yet have no node: those with the best priors come first."""

    __slots__ = (
        "final",
        "kids",
        "moves",
        "next",
        "outcomes",
        "prior",
        "priors",
        "seat",
        "state",
        "total",
        "visits",
        "walks",
    )

    def __init__(self, state: State[Any], prior: float = 1.0) -> None:
        self.state = state
        self.prior = prior
        self.seat = -1
        """Who moves; -1 as long as the position is not evaluated."""
        self.moves: Indexable = ()
        self.priors: Indexable = ()
        self.kids: list[Node] = []
        """The nodes after the first moves, as far as they were walked."""
        self.next = MINUS_INFINITY
        """The prior of the first move without a node."""
        self.outcomes: dict[int, Node] | None = None
        """The nodes after what chance brought, at a chance node."""
        self.final: Values | None = None
        """What the game is worth, if it is over."""
        self.walks = 0
        """All walks that have passed here: visits and virtual losses."""
        self.visits = 0
        """The walks whose leaves are evaluated."""
        self.total = [0.0] * state.seats
        """The sum of their values, by seat."""

    @property
    def virtual_losses(self) -> int:
        """The walks that have passed here and whose leaves are not evaluated yet."""
        return self.walks - self.visits

    @property
    def children(self) -> dict[Any, "Node"]:
        """The nodes that were walked, by moves or by what chance brought."""
        return self.outcomes or {self.moves[at]: kid for at, kid in enumerate(self.kids)}

    def open(self, moves: Indexable, priors: Indexable) -> None:
        """Gives a node its moves, those with the best priors first."""
        self.seat, self.moves, self.priors = mover(self.state), moves, priors
        self.next = float(priors[0])

    def grow(self) -> None:
        """A node for the first move that has none."""
        at = len(self.kids)
        self.kids.append(Node(self.state.play(self.moves[at], self.seat), self.next))
        self.next = float(self.priors[at + 1]) if at + 1 < len(self.priors) else MINUS_INFINITY

    def find(self, state: State[Any], max_depth: int) -> "Node | None":
        """The node of a position, ``max_depth`` moves below this one or fewer."""
        level = [self]
        for _ in range(max_depth + 1):
            for node in level:
                if node.state == state:
                    return node
            level = [kid for node in level for kid in node.kids]
        return None


@dataclass
class SearchResult:
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
    settings: SearchSettings = DEFAULT_SEARCH,
    consider: Callable[[Any], bool] = lambda move: False,
    *,
    finish: Callable[[State[Any]], Values] | None = None,
    known: Node | None = None,
    threads: int = 1,
) -> SearchResult:
    """Looks for the best move of a position that waits for a seat, until the limit is reached.

    ``finish`` says what a finished game is worth, if not ``outcome``; ``known`` is what an earlier search knows of the
    position already.
    """
    root, wanted = (
        (known, 0) if known is not None and known.seat >= 0 else _make_root(state, evaluate, settings, consider)
    )
    chosen: _SequentialHalving | _Puct = (
        _SequentialHalving(root, limit, settings, wanted) if settings.halving else _Puct(root, limit, wanted)
    )
    walker = _Walker(root, chosen, evaluate, finish or partial(outcome_of, game), limit, random, settings)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(walker.work) for _ in range(threads)]:
                done.result()
    else:
        walker.work()
    return SearchResult(root, limit.done, walker.depth, [root.moves[at] for at in chosen.ranked()])


def _make_root(
    state: State[Any], evaluate: Evaluate, settings: SearchSettings, consider: Callable[[Any], bool]
) -> tuple[Node, int]:
    """A root with all its moves, and how many of them must be looked at: these come right after the best ones."""
    root, (evaluation,) = Node(state), evaluate([state])
    moves, priors = _sorted(state, evaluation)
    pairs = [(moves[at], float(priors[at])) for at in range(len(moves))]
    first = settings.considered if settings.halving else 0
    wanted = [pair for pair in pairs[first:] if consider(pair[0])]
    if evaluation.moves is not None and not any(consider(move) for move, _ in pairs):
        wanted = [(move, pairs[-1][1]) for move in state.legal_moves(mover(state)) if consider(move)]
    pairs = pairs[:first] + wanted + [pair for pair in pairs[first:] if pair not in wanted]
    root.open([move for move, _ in pairs], [prior for _, prior in pairs])
    return root, len(wanted)


def _sorted(state: State[Any], evaluation: Evaluation, max_children: int | None = None) -> tuple[Indexable, Indexable]:
    """The moves that have a prior, and their priors, the best first."""
    if evaluation.moves is not None:
        assert evaluation.priors is not None
        return evaluation.moves, evaluation.priors
    moves = list(state.legal_moves(mover(state)))
    if evaluation.priors is None:
        return moves, [1 / len(moves)] * len(moves)
    priors = evaluation.priors
    kept = sorted(range(len(moves)), key=lambda at: -priors[at])[:max_children]
    mass = sum(priors[at] for at in kept) or 1.0
    return [moves[at] for at in kept], [priors[at] / mass for at in kept]


class _SequentialHalving:
    """Sequential halving: deals the budget out at the root equally, then again to the better half, and so on."""

    def __init__(self, root: Node, limit: Limit, settings: SearchSettings, wanted: int) -> None:
        self._root = root
        self._limit = limit
        self._running = list(range(min(len(root.moves), settings.considered + wanted)))
        self._rounds = max(1, ceil(log2(len(self._running))))
        self._round = 1

    @property
    def left(self) -> int:
        """Walks until the round ends, where they are counted."""
        planned = self._limit.simulations
        if planned is None:
            return UNLIMITED
        return max(ceil(planned * self._round / self._rounds) - self._limit.done, self._unseen(), 1)

    def settled(self) -> bool:
        """Nothing is before the limit is reached; where a round has ended, the next one begins."""
        if self._limit.progress * self._rounds >= self._round and not self._unseen():
            self._round += 1
            ranked = [at for at in self.ranked() if at in self._running]
            self._running = ranked[: max(2, (len(ranked) + 1) // 2)]
        return False

    def _unseen(self) -> int:
        """How many of the moves that are in the round nobody has walked yet."""
        kids = len(self._root.kids)
        return sum(at >= kids for at in self._running)

    def start(self) -> int:
        """Which move to walk now."""
        kids = self._root.kids
        return min(self._running, key=lambda at: kids[at].walks if at < len(kids) else 0)

    def ranked(self) -> list[int]:
        """The root's moves that were looked at, the most promising first.

        The prior has a say as long as there are few visits; and a value counts for less the fewer visits it comes from.
        """
        seat, kids = self._root.seat, self._root.kids
        seen = [at for at, kid in enumerate(kids) if kid.visits]
        weight = C_VISIT + max((kids[at].visits for at in seen), default=0)

        def worth(at: int) -> float:
            kid = kids[at]
            value = kid.total[seat] / kid.visits - 0.5 / sqrt(kid.visits)
            return weight * value + log(kid.prior + 1e-9)

        return sorted(seen, key=worth, reverse=True)


class _Puct:
    """Leaves the choice to PUCT at the root, too; the move with the most visits is the best."""

    left = UNLIMITED

    def __init__(self, root: Node, limit: Limit, wanted: int) -> None:
        self._root = root
        self._limit = limit
        self._wanted = wanted

    def settled(self) -> bool:
        """Whether no other move can overtake the best one any more."""
        root = self._root
        if self._wanted:
            return False
        if len(root.moves) == 1:
            return True
        best, second, *_ = sorted((0, 0, *(kid.visits for kid in root.kids)), reverse=True)
        return best - second > self._limit.expected + root.virtual_losses

    def start(self) -> int | None:
        """Which move to walk now; None if PUCT is to choose."""
        kids = self._root.kids
        for at in range(self._wanted):
            if at == len(kids) or kids[at].walks * REQUIRED_MOVE_INTERVAL < self._root.walks:
                return at
        return None

    def ranked(self) -> list[int]:
        """The root's moves that were looked at, the most visited first."""
        seat, kids = self._root.seat, self._root.kids
        seen = [at for at, kid in enumerate(kids) if kid.visits]
        return sorted(seen, key=lambda at: (-kids[at].visits, -kids[at].total[seat] / kids[at].visits))


Path = list[Node]


class _Walker:
    """Walks a tree from its root, again and again, for as many threads as call ``work``."""

    def __init__(
        self,
        root: Node,
        chosen: _SequentialHalving | _Puct,
        evaluate: Evaluate,
        finish: Callable[[State[Any]], Values],
        limit: Limit,
        random: Random,
        settings: SearchSettings,
    ) -> None:
        self._root = root
        self._chosen = chosen
        self._evaluate = evaluate
        self._finish = finish
        self._limit = limit
        self._random = random
        self._settings = settings
        self._tree = Condition()
        """Held by whoever walks or changes the tree; not while leaves are evaluated."""
        self._seen = any(kid.visits for kid in root.kids)
        """Whether any move was looked at."""
        self._failed = False
        self.depth = 0

    def work(self) -> None:
        """Walks, evaluates and backpropagates until the limit is reached."""
        try:
            self._work()
        except BaseException:
            self._failed = True  # what this thread was to evaluate will never be: nobody must wait for it
            raise

    def _work(self) -> None:
        for paths in self._batches():
            evaluations = self._evaluate([path[-1].state for path in paths])
            with self._tree:
                for path, evaluation in zip(paths, evaluations, strict=True):
                    leaf = path[-1]
                    leaf.open(*_sorted(leaf.state, evaluation, self._settings.max_children))
                    _backpropagate(path, evaluation.values)
                self._seen = True
                self._tree.notify_all()

    def _batches(self) -> Iterator[list[Path]]:
        while True:
            with self._tree:
                if self._failed or (self._seen and (self._limit.over() or self._chosen.settled())):
                    return
                paths, ended = self._gather()
                if not paths and not ended:  # all that is worth evaluating is with another thread
                    self._tree.wait(0.1)
            if paths:
                yield paths

    def _gather(self) -> tuple[list[Path], int]:
        """Walks to leaves that are to be evaluated together, and how many walks came to the end of the game.

        Where another walk waits for the same evaluation there is nothing to do; the walk stays a virtual loss until
        the batch is full, so that the others go elsewhere.
        """
        limit, ended = self._limit, 0
        most = min(self._settings.batch, max(1, limit.left), self._chosen.left)
        paths: list[Path] = []
        missed: list[Path] = []
        while len(paths) + ended < most and len(missed) < most:
            path = self._walk()
            for node in path:
                node.walks += 1
            leaf = path[-1]
            if leaf.final is not None:
                _backpropagate(path, leaf.final)
                self._seen = True
                ended += 1
            elif leaf.walks > 1 + leaf.visits:
                missed.append(path)
            else:
                paths.append(path)
        limit.done += len(paths) + ended
        for path in missed:
            for node in path:
                node.walks -= 1
        return paths, ended

    def _walk(self) -> Path:
        node = self._root
        path = [node]
        at = self._chosen.start()
        while True:
            if node.seat >= 0:
                if at is None:
                    at = _select(node, self._settings)
                if at == len(node.kids):
                    node.grow()
                node, at = node.kids[at], None
            elif node.state.over:
                if node.final is None:
                    node.final = self._finish(node.state)
                break
            elif (chance := node.state.chance) is not None:
                outcomes = node.outcomes = node.outcomes or {}
                outcome = chance.draw(self._random)
                if outcome not in outcomes:
                    outcomes[outcome] = Node(node.state.happen(outcome))
                node = outcomes[outcome]
            else:
                break
            path.append(node)
        self.depth = max(self.depth, len(path) - 1)
        return path


def _backpropagate(path: Path, values: Values) -> None:
    """Adds what a leaf is worth to all nodes up to the root."""
    for node in path:
        node.visits += 1
        total = node.total
        for seat, value in enumerate(values):
            total[seat] += value


def _select(node: Node, settings: SearchSettings) -> int:
    """The move to walk by PUCT. Virtual loss: walks that are not evaluated yet count as lost."""
    seat, walks = node.seat, node.walks or 1
    wide = settings.c_puct * sqrt(walks) * (1 + log((walks + 20_000) / 20_000))
    best, at, index = MINUS_INFINITY, 0, 0
    for kid in node.kids:
        walks = kid.walks
        score = kid.total[seat] / walks + wide * kid.prior / (1 + walks)
        if score > best:
            best, at = score, index
        index += 1
    unseen = max(0.0, node.total[seat] / (node.visits or 1) - settings.fpu_reduction)
    return index if unseen + wide * node.next > best else at
