"""Looks ahead in Isis & Osiris with the network as evaluator: PUCT over placements, leaves in batches.

A node is a position before a tile is turned over. One pass of the network says what every piece is worth on every cell,
so each edge, a piece on a cell, has a value before anybody has walked it, which counts as a visit. Which tile is turned
over is drawn.
"""

from __future__ import annotations

from dataclasses import dataclass
from random import Random

import numpy as np
from numpy.typing import NDArray

from sobremesa.engines.limit import Limit
from sobremesa.games.isis_osiris.engine.features import Floats
from sobremesa.games.isis_osiris.engine.network import Network
from sobremesa.games.isis_osiris.moves import TURN, Move
from sobremesa.games.isis_osiris.state import NOTHING, IsisOsirisState

Vector = NDArray[np.float64]

MARGIN_WEIGHT = 0.0025
"""The value of a point of margin beside a win."""
STONE = 0
"""The first of the pieces; the tiles follow in the order of their values."""


@dataclass(frozen=True)
class SearchSettings:
    """How a search spends its budget."""

    c_puct: float = 0.4
    """The exploration constant of PUCT: how much priors weigh beside values."""
    prior_temperature: float = 0.03
    """The softmax temperature that makes priors of values: worth this much less, a prior is e times smaller."""
    batch: int = 8
    """How many leaves are evaluated at a time."""


DEFAULT_SEARCH = SearchSettings()


class Node:
    """A position, what the network says of it, and what was found behind it."""

    def __init__(self, state: IsisOsirisState, win: Floats, margin: Floats, settings: SearchSettings) -> None:
        self.state, self.seat, self.settings = state, state.turn, settings
        self.cells = [cell for cell in range(len(state.tiles)) if state.free >> cell & 1]
        slots = [(seat - self.seat) % state.seats for seat in range(state.seats)]
        known = (win[self.cells] + MARGIN_WEIGHT * margin[self.cells])[..., slots]
        self.total: Vector = known.swapaxes(0, 1).astype(float)
        """The sum of the values found, by piece, cell and seat."""
        self.visits: Vector = np.ones(self.total.shape[:2])
        self.children: dict[tuple[int, int], Node | Vector] = {}
        """The node after each edge, by piece and the place of its cell; of a finished game, what it is worth."""
        self.shown = 0 if state.turned == NOTHING else 1 + state.setup.values.index(state.turned)
        """The piece that must be placed; 0 while there is a choice."""
        self.stones = not self.shown and state.stones_left[self.seat] > 0
        self.tiles = bool(self.shown) or state.tiles_left(self.seat) > 0
        unseen = np.array(state.unseen, float)
        if self.shown:
            unseen[self.shown - 1] += 1
        self.odds = unseen / max(1.0, unseen.sum())
        mine = self.total[..., self.seat]
        best = self.total[np.arange(len(mine)), mine.argmax(1)]
        self.turning: Vector = self.odds @ best[1:]
        """The sum of the values found behind turning a tile over, by seat."""
        self.turns = 1.0
        """The visits of turning a tile over."""
        prefers_stone = self.stones and (not self.tiles or best[STONE, self.seat] > self.turning[self.seat])
        self.value: Vector = best[STONE] if prefers_stone else self.turning.copy()
        """What the network says of the position, by seat."""
        self._priors = _softmax(mine / settings.prior_temperature)
        self._choice = _softmax(np.append(mine[STONE], self.turning[self.seat]) / settings.prior_temperature)
        """The priors of a stone on every cell, and of turning a tile over."""

    def choose(self, random: Random) -> tuple[int, int]:
        """The edge to walk: a piece, and the place of its cell among the free ones."""
        if self.stones and self.tiles:
            means = np.append(
                self.total[STONE, :, self.seat] / self.visits[STONE], self.turning[self.seat] / self.turns
            )
            at = _puct(means, np.append(self.visits[STONE], self.turns), self._choice, self.settings.c_puct)
            if at < len(self.cells):
                return STONE, at
        if self.tiles:
            piece = self.shown or 1 + random.choices(range(len(self.odds)), self.odds)[0]
        else:
            piece = STONE
        visits = self.visits[piece]
        means = self.total[piece, :, self.seat] / visits
        return piece, _puct(means, visits, self._priors[piece], self.settings.c_puct)

    def visit(self, piece: int, at: int) -> None:
        """Counts a walk along an edge. Virtual loss: it is worth nothing until it is evaluated."""
        self.visits[piece, at] += 1
        self.turns += piece != STONE

    def add_value(self, piece: int, at: int, value: Vector) -> None:
        """Adds the value that was found at the end of such a walk."""
        self.total[piece, at] += value
        if piece != STONE:
            self.turning += value

    def play(self, piece: int, at: int) -> IsisOsirisState:
        """The position after a piece was placed."""
        state, cell, moves = self.state, self.cells[at], self.state.setup.moves
        if piece == STONE:
            return state.play(moves.stones[cell])
        if not self.shown:
            state = state.play(TURN).happen(state.setup.values[piece - 1])
        return state.play(moves.tiles[cell])


def _softmax(x: Vector) -> Vector:
    e = np.exp(x - x.max(-1, keepdims=True))
    return np.asarray(e / e.sum(-1, keepdims=True))


def _puct(means: Vector, visits: Vector, priors: Vector, c_puct: float) -> int:
    walked = visits.sum() - len(visits) + 1
    return int((means + c_puct * np.sqrt(walked) * priors / visits).argmax())


def finished(state: IsisOsirisState) -> Vector:
    """What a full board is worth to each seat, on the network's scale."""
    scores = np.array(state.scores(), float)
    first = scores == scores.max()
    ahead = (scores - scores.mean()) * len(scores) / (len(scores) - 1)
    return np.asarray(first / first.sum() + MARGIN_WEIGHT * ahead)


class Search:
    """Looks ahead from one position that waits for a seat."""

    def __init__(
        self, state: IsisOsirisState, network: Network, random: Random, settings: SearchSettings = DEFAULT_SEARCH
    ) -> None:
        self._network, self._random, self._settings = network, random, settings
        self.root = self._nodes([state])[0]
        self.depth = 1

    def _nodes(self, states: list[IsisOsirisState]) -> list[Node]:
        found = self._network.quality(states)
        return [Node(state, win, margin, self._settings) for state, win, margin in zip(states, *found, strict=True)]

    def margins(self) -> dict[str, float]:
        """The points that whoever decides is expected to end ahead with, by move, as the network says."""
        root = self.root
        moves = root.state.setup.moves
        margin = self._network.quality([root.state]).margin[0][root.cells][..., 0].astype(float)
        laid = margin[:, root.shown] if root.shown else margin[:, STONE]
        named = moves.tiles if root.shown else moves.stones
        found = {str(named[cell]): float(ahead) for cell, ahead in zip(root.cells, laid, strict=True)}
        # Whoever turns a tile over lays it where it is worth most.
        return found if root.shown else found | {str(TURN): float(root.odds @ margin[:, 1:].max(0))}

    def run(self, limit: Limit) -> None:
        """Walks until the limit is reached."""
        while not limit.over():
            count = min(self._settings.batch, limit.left)
            self._walk(count)
            limit.done += count

    def _walk(self, count: int) -> None:
        """Walks down ``count`` times, evaluates all leaves together, and backpropagates their values."""
        paths, leaves = [], {}
        for _ in range(count):
            path = self._descend()
            node, piece, at = edge = path[-1]
            if (piece, at) not in node.children and edge not in leaves:
                state = node.play(piece, at)
                if state.over:
                    node.children[piece, at] = finished(state)
                else:
                    leaves[edge] = state
            paths.append(path)
        if leaves:
            for (node, piece, at), leaf in zip(leaves, self._nodes(list(leaves.values())), strict=True):
                node.children[piece, at] = leaf
        for path in paths:
            node, piece, at = path[-1]
            end = node.children[piece, at]
            value = end.value if isinstance(end, Node) else end
            for node, piece, at in path:
                node.add_value(piece, at, value)
            self.depth = max(self.depth, len(path))

    def _descend(self) -> list[tuple[Node, int, int]]:
        """The edges from the root to one that leads nowhere yet, or to the end of a game."""
        path: list[tuple[Node, int, int]] = []
        node: Node | Vector | None = self.root
        while isinstance(node, Node):
            piece, at = node.choose(self._random)
            node.visit(piece, at)
            path.append((node, piece, at))
            node = node.children.get((piece, at))
        return path

    def ranked(self) -> list[tuple[Move, Vector, int]]:
        """The root's moves, the best first: what they are worth to each seat, and how often they were walked."""
        root = self.root
        on_board = root.state.setup.moves
        found: list[tuple[Move, Vector, float]] = []
        if root.stones or root.shown:
            moves = on_board.tiles if root.shown else on_board.stones
            for cell, total, visits in zip(root.cells, root.total[root.shown], root.visits[root.shown], strict=True):
                found.append((moves[cell], total / visits, visits))
        if root.tiles and not root.shown:
            found.append((TURN, root.turning / root.turns, root.turns))
        found.sort(key=lambda one: (one[2], one[1][root.seat]), reverse=True)
        return [(move, value, int(visits) - 1) for move, value, visits in found]
