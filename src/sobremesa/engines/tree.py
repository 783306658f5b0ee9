"""Tree search guided by an evaluator: PUCT inside, chance nodes, values for every seat, leaves in batches.

At the root the budget is dealt out in one of two ways. By sequential halving, as in Gumbel search with the noise left
out: the moves with the best priors are looked at equally often, then the better half of them, and so on. Or by PUCT as
everywhere else, which stops as soon as no other move can overtake the best one.

Several threads can walk one tree. They walk it one at a time, and judge their leaves side by side: an evaluator that
lets go of the interpreter's lock, as a network does, keeps as many cores busy.
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
from sobremesa.engines.evaluator import Evaluate, Evaluation, Row, Values, mover, outcome_of
from sobremesa.engines.limit import Limit

EXPLORE = 1.25
UNSEEN = 0.1
TRUST = 50
"""How much a value counts beside the logarithm of a prior before there are any visits."""
CONSIDERED = 16
"""Where PUCT chooses, a move that must be considered has one walk in so many."""
NEVER = float("-inf")
_MANY = 1 << 60


@dataclass(frozen=True)
class Shape:
    """How a search spends its budget."""

    considered: int = 16
    """So many moves are looked at from the root, where the budget is dealt out by halving."""
    batch: int = 1
    """So many leaves are judged at a time."""
    narrow: int = 64
    """Inside the tree only the moves with the best priors are looked at, so many."""
    halving: bool = True
    """Whether the root deals the budget out by halving; else by PUCT."""
    explore: float = EXPLORE
    """How much priors count beside values."""
    unseen: float = UNSEEN
    """How much worse than its parent a move is taken to be before anybody has looked at it."""


WIDE = Shape()


class Node:
    """A position of the tree. Moves that nobody has walked yet have no node: those with the best priors come first."""

    __slots__ = (
        "drawn",
        "final",
        "kids",
        "moves",
        "next",
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
        """Who moves; nobody yet as long as the position is not judged."""
        self.moves: Row = ()
        self.priors: Row = ()
        self.kids: list[Node] = []
        """After the first moves, as far as they were walked."""
        self.next = NEVER
        """The prior of the first move without a node."""
        self.drawn: dict[int, Node] | None = None
        """After what chance brought."""
        self.final: Values | None = None
        """What the game is worth, if it is over."""
        self.walks = 0
        """All walks that have passed here, those that are not judged yet among them."""
        self.visits = 0
        self.total = [0.0] * state.seats

    @property
    def waiting(self) -> int:
        """Walks that have passed here and are not judged yet."""
        return self.walks - self.visits

    @property
    def children(self) -> dict[Any, "Node"]:
        """What was walked, by moves or by what chance brought."""
        return self.drawn or {self.moves[at]: kid for at, kid in enumerate(self.kids)}

    def open(self, moves: Row, priors: Row) -> None:
        """Gives a node its moves, those with the best priors first."""
        self.seat, self.moves, self.priors = mover(self.state), moves, priors
        self.next = float(priors[0])

    def grow(self) -> None:
        """A node for the first move that has none."""
        at = len(self.kids)
        self.kids.append(Node(self.state.play(self.moves[at], self.seat), self.next))
        self.next = float(self.priors[at + 1]) if at + 1 < len(self.priors) else NEVER

    def find(self, state: State[Any], deep: int) -> "Node | None":
        """The node of a position, so many moves below this one or fewer."""
        level = [self]
        for _ in range(deep + 1):
            for node in level:
                if node.state == state:
                    return node
            level = [kid for node in level for kid in node.kids]
        return None


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
    *,
    finish: Callable[[State[Any]], Values] | None = None,
    known: Node | None = None,
    threads: int = 1,
) -> Found:
    """Looks for the best move of a position that waits for a seat, until the limit is reached.

    ``finish`` says what a finished game is worth, if not ``outcome``; ``known`` is what an earlier search knows of the
    position already.
    """
    root, wanted = (known, 0) if known is not None and known.seat >= 0 else _planted(state, evaluate, shape, consider)
    chosen: _Halving | _Puct = _Halving(root, limit, shape, wanted) if shape.halving else _Puct(root, limit, wanted)
    walker = _Walker(root, chosen, evaluate, finish or partial(outcome_of, game), limit, random, shape)
    if threads > 1:
        with ThreadPoolExecutor(threads) as pool:
            for done in [pool.submit(walker.work) for _ in range(threads)]:
                done.result()
    else:
        walker.work()
    return Found(root, limit.done, walker.depth, [root.moves[at] for at in chosen.ranked()])


def _planted(state: State[Any], evaluate: Evaluate, shape: Shape, consider: Callable[[Any], bool]) -> tuple[Node, int]:
    """A root with all its moves, and how many of them must be looked at: these come right after the best ones."""
    root, (evaluation,) = Node(state), evaluate([state])
    moves, priors = _sorted(state, evaluation)
    pairs = [(moves[at], float(priors[at])) for at in range(len(moves))]
    first = shape.considered if shape.halving else 0
    wanted = [pair for pair in pairs[first:] if consider(pair[0])]
    if evaluation.moves is not None and not any(consider(move) for move, _ in pairs):
        wanted = [(move, pairs[-1][1]) for move in state.legal_moves(mover(state)) if consider(move)]
    pairs = pairs[:first] + wanted + [pair for pair in pairs[first:] if pair not in wanted]
    root.open([move for move, _ in pairs], [prior for _, prior in pairs])
    return root, len(wanted)


def _sorted(state: State[Any], evaluation: Evaluation, narrow: int | None = None) -> tuple[Row, Row]:
    """The moves that were judged, and their priors, the best first."""
    if evaluation.moves is not None:
        assert evaluation.priors is not None
        return evaluation.moves, evaluation.priors
    moves = list(state.legal_moves(mover(state)))
    if evaluation.priors is None:
        return moves, [1 / len(moves)] * len(moves)
    priors = evaluation.priors
    kept = sorted(range(len(moves)), key=lambda at: -priors[at])[:narrow]
    mass = sum(priors[at] for at in kept) or 1.0
    return [moves[at] for at in kept], [priors[at] / mass for at in kept]


class _Halving:
    """Deals the budget out at the root: equally, then again to the better half, and so on."""

    def __init__(self, root: Node, limit: Limit, shape: Shape, wanted: int) -> None:
        self._root = root
        self._limit = limit
        self._running = list(range(min(len(root.moves), shape.considered + wanted)))
        self._rounds = max(1, ceil(log2(len(self._running))))
        self._round = 1

    @property
    def left(self) -> int:
        """Walks until the round ends, where they are counted."""
        planned = self._limit.simulations
        if planned is None:
            return _MANY
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
        trust = TRUST + max((kids[at].visits for at in seen), default=0)

        def worth(at: int) -> float:
            kid = kids[at]
            value = kid.total[seat] / kid.visits - 0.5 / sqrt(kid.visits)
            return trust * value + log(kid.prior + 1e-9)

        return sorted(seen, key=worth, reverse=True)


class _Puct:
    """Leaves the choice to PUCT at the root, too; the move with the most visits is the best."""

    left = _MANY

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
        return best - second > self._limit.expected + root.waiting

    def start(self) -> int | None:
        """Which move to walk now; None if PUCT is to choose."""
        kids = self._root.kids
        for at in range(self._wanted):
            if at == len(kids) or kids[at].walks * CONSIDERED < self._root.walks:
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
        chosen: _Halving | _Puct,
        evaluate: Evaluate,
        finish: Callable[[State[Any]], Values],
        limit: Limit,
        random: Random,
        shape: Shape,
    ) -> None:
        self._root = root
        self._chosen = chosen
        self._evaluate = evaluate
        self._finish = finish
        self._limit = limit
        self._random = random
        self._shape = shape
        self._tree = Condition()
        """Held by whoever walks or changes the tree; not while leaves are judged."""
        self._seen = any(kid.visits for kid in root.kids)
        """Whether any move was looked at."""
        self._failed = False
        self.depth = 0

    def work(self) -> None:
        """Walks, judges and carries up until the limit is reached."""
        try:
            self._work()
        except BaseException:
            self._failed = True  # what this thread was to judge will never be: nobody must wait for it
            raise

    def _work(self) -> None:
        for paths in self._batches():
            evaluations = self._evaluate([path[-1].state for path in paths])
            with self._tree:
                for path, evaluation in zip(paths, evaluations, strict=True):
                    leaf = path[-1]
                    leaf.open(*_sorted(leaf.state, evaluation, self._shape.narrow))
                    _carry(path, evaluation.values)
                self._seen = True
                self._tree.notify_all()

    def _batches(self) -> Iterator[list[Path]]:
        while True:
            with self._tree:
                if self._failed or (self._seen and (self._limit.over() or self._chosen.settled())):
                    return
                paths, ended = self._gather()
                if not paths and not ended:  # all that is worth judging is with another thread
                    self._tree.wait(0.1)
            if paths:
                yield paths

    def _gather(self) -> tuple[list[Path], int]:
        """Walks to leaves that are to be judged together, and how many walks came to the end of the game.

        Where somebody else waits for a judgement there is nothing to do; the walk counts as lost until the others are
        there, so that they go elsewhere.
        """
        limit, ended = self._limit, 0
        most = min(self._shape.batch, max(1, limit.left), self._chosen.left)
        paths: list[Path] = []
        missed: list[Path] = []
        while len(paths) + ended < most and len(missed) < most:
            path = self._walk()
            for node in path:
                node.walks += 1
            leaf = path[-1]
            if leaf.final is not None:
                _carry(path, leaf.final)
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
                    at = _select(node, self._shape)
                if at == len(node.kids):
                    node.grow()
                node, at = node.kids[at], None
            elif node.state.over:
                if node.final is None:
                    node.final = self._finish(node.state)
                break
            elif (chance := node.state.chance) is not None:
                drawn = node.drawn = node.drawn or {}
                outcome = chance.draw(self._random)
                if outcome not in drawn:
                    drawn[outcome] = Node(node.state.happen(outcome))
                node = drawn[outcome]
            else:
                break
            path.append(node)
        self.depth = max(self.depth, len(path) - 1)
        return path


def _carry(path: Path, values: Values) -> None:
    """Carries what a leaf is worth up to the root."""
    for node in path:
        node.visits += 1
        total = node.total
        for seat, value in enumerate(values):
            total[seat] += value


def _select(node: Node, shape: Shape) -> int:
    """The most promising move; walks that are not judged yet count as lost."""
    seat, walks = node.seat, node.walks or 1
    wide = shape.explore * sqrt(walks) * (1 + log((walks + 20_000) / 20_000))
    best, at, index = NEVER, 0, 0
    for kid in node.kids:
        walks = kid.walks
        score = kid.total[seat] / walks + wide * kid.prior / (1 + walks)
        if score > best:
            best, at = score, index
        index += 1
    unseen = max(0.0, node.total[seat] / (node.visits or 1) - shape.unseen)
    return index if unseen + wide * node.next > best else at
