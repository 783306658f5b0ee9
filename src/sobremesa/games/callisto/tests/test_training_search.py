"""Search on the device, against the same search written plainly for one game at a time."""

import math
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from sobremesa.games.callisto.training.search import (
    C_SCALE,
    C_VISIT,
    MASKED_LOGIT,
    Evaluation,
    SearchResult,
    SearchSettings,
    schedule,
    search,
    top_k,
)

STATES, MOVES, SEATS, GAMES = 211, 7, 3, 96
SETTINGS = SearchSettings(simulations=20, considered=5, max_children=MOVES)
VALUE_WEIGHTS = (0.7, 0.3)
_CHANCE = np.random.default_rng(3)
LEGAL = _CHANCE.random((STATES, MOVES)) < 0.6
LEGAL[np.arange(STATES), _CHANCE.integers(MOVES, size=STATES)] = True
PRIORS = np.where(LEGAL, _CHANCE.normal(0, 1.5, (STATES, MOVES)), -np.inf)
PRIORS = np.where(LEGAL, PRIORS - np.log(np.exp(PRIORS).sum(1, keepdims=True)), MASKED_LOGIT).astype(np.float32)
VALUES = _CHANCE.uniform(-1, 1, (STATES, SEATS, 2)).astype(np.float32)
TURN = _CHANCE.integers(SEATS, size=STATES).astype(np.int32)
OVER = _CHANCE.random(STATES) < 0.2
"""A game without sense, where anybody may be the next to move."""


def evaluate(state: Array) -> Evaluation:
    return Evaluation(*(jnp.asarray(table)[state] for table in (PRIORS, VALUES, TURN, OVER)))


def step(state: Any, move: Any) -> Any:
    return (state * 5 + move * 17 + 1) % STATES


class Node:
    """A position that a search has come to."""

    def __init__(self, state: int) -> None:
        self.state, self.turn = state, int(TURN[state])
        self.visits, self.total = 1, VALUES[state].astype(float)
        self.children: dict[int, Node] = {}

    def wish(self, values: Any) -> float:
        """What values are worth to the one who moves here."""
        return float(values[self.turn] @ np.array(VALUE_WEIGHTS))

    def logits(self) -> NDArray[np.float64]:
        """Every move's value on a common scale; of those without a visit, an estimate."""
        priors = np.exp(PRIORS[self.state].astype(float))
        values = {move: self.wish(child.total / child.visits) for move, child in self.children.items()}
        visits = sum(child.visits for child in self.children.values())
        estimate = self.wish(VALUES[self.state])
        if values:
            mean = sum(priors[move] * value for move, value in values.items()) / sum(priors[move] for move in values)
            estimate = (estimate + visits * mean) / (1 + visits)
        every = np.array([values.get(move, estimate) for move in range(MOVES)])
        low, high = min(every.min(), estimate), max(every.max(), estimate)
        most = max((child.visits for child in self.children.values()), default=0)
        return np.asarray(C_SCALE * (C_VISIT + most) * (every - low) / max(high - low, 1e-8))

    def improved(self) -> NDArray[np.float64]:
        """The policy with the values."""
        shares = np.exp(PRIORS[self.state] + self.logits())
        return np.asarray(shares / shares.sum())

    def visited(self) -> NDArray[np.float64]:
        return np.array([self.children[move].visits if move in self.children else 0 for move in range(MOVES)], float)

    def due(self) -> int:
        """The move that has had too few visits."""
        visits = self.visited()
        return int((self.improved() - visits / (1 + visits.sum())).argmax())


def simulate(root: Node, move: int) -> None:
    path, node = [root], root
    while move in node.children and not OVER[node.children[move].state]:
        node = node.children[move]
        path.append(node)
        move = node.due()
    if move in node.children:
        path.append(node.children[move])
    else:
        node.children[move] = Node(step(node.state, move))
    values = VALUES[node.children[move].state]
    for passed in path:
        passed.visits += 1
        passed.total = passed.total + values


def plain_search(state: int, noise: NDArray[np.float32]) -> tuple[int, NDArray[np.float64], NDArray[np.float64]]:
    root = Node(state)
    liked = np.where(LEGAL[state], PRIORS[state] + noise, -np.inf)
    considered = sorted(np.flatnonzero(LEGAL[state]).tolist(), key=lambda move: -liked[move])[: SETTINGS.considered]
    left, done = len(considered), 0
    rounds = math.ceil(math.log2(left)) if left > 1 else 1
    while done < SETTINGS.simulations:
        for _ in range(max(1, SETTINGS.simulations // (rounds * left)) if left > 1 else 1):
            level = sorted(root.visited()[considered], reverse=True)[left - 1] if left > 1 else None
            for _ in range(min(left, SETTINGS.simulations - done)):
                open_ = [m for m in considered if level is None or root.visited()[m] == level]
                simulate(root, max(open_, key=lambda move: liked[move] + root.logits()[move]))
                done += 1
        left = max(2, left // 2) if left > 1 else 1
    most = root.visited().max()
    final = [move for move in considered if root.visited()[move] == most]
    return max(final, key=lambda move: liked[move] + root.logits()[move]), root.improved(), root.total / root.visits


def test_it_finds_what_the_plain_search_finds() -> None:
    states = np.flatnonzero(~OVER)[:GAMES]
    key = jax.random.key(5)
    noise = np.asarray(jax.random.gumbel(key, (len(states), MOVES)))
    program = jax.jit(lambda state, key: search(evaluate, step, state, key, SETTINGS, VALUE_WEIGHTS))
    found: SearchResult = jax.tree.map(np.asarray, program(jnp.asarray(states), key))
    deep = 0
    for game, state in enumerate(states.tolist()):
        move, policy, values = plain_search(state, noise[game])
        assert found.move[game] == move
        np.testing.assert_allclose(found.policy[game], policy, atol=1e-4)
        np.testing.assert_allclose(found.values[game], values, atol=1e-5)
        deep += LEGAL[state].sum() > 1
    assert deep > GAMES / 2


@pytest.mark.parametrize("simulations", [1, 4, 16, 24])
def test_moves_are_visited_in_rounds_that_halve_their_number(simulations: int) -> None:
    table = schedule(12, simulations)
    assert table.shape == (13, simulations)
    assert table[1].tolist() == list(range(simulations))
    for count in range(2, 13):
        visits = [0] * count
        for due in table[count]:
            assert due in visits, "there is always a move with so many visits"
            visits[visits.index(due)] += 1
        assert sum(visits) == simulations
        assert simulations < 2 * count or min(visits) >= 1


@pytest.mark.parametrize("width", [7, 64, 200])
def test_the_best_are_found_in_order(width: int) -> None:
    """Of equal ones the first, as when a row is sorted."""
    rows = np.random.default_rng(1).integers(-20, 20, (30, width)).astype(np.float32)
    rows[rows < -10] = -np.inf
    values, places = top_k(jnp.asarray(rows), 5)
    order = np.argsort(-rows, 1, kind="stable")[:, :5]
    np.testing.assert_array_equal(values, np.take_along_axis(rows, order, 1))
    there = np.isfinite(values)
    assert there.mean() > 0.9
    np.testing.assert_array_equal(np.asarray(places)[there], order[there])


def test_halving_in_full() -> None:
    assert schedule(4, 8)[4].tolist() == [0, 0, 0, 0, 1, 1, 2, 2]
    assert schedule(8, 24)[8].tolist() == [0] * 8 + [1] * 4 + [2] * 4 + [3, 3, 4, 4, 5, 5, 6, 6]


def test_a_finished_game_counts_as_it_is() -> None:
    """A move that ends the game is worth its result, and the mover takes what is best for himself."""
    values = jnp.asarray([[[0.0, 0], [0, 0]], [[-1, 0], [1, 0]], [[1, 0], [-1, 0]]])

    def think(state: Array) -> Evaluation:
        batch = len(state)
        priors = jnp.full((batch, 2), -math.log(2))
        return Evaluation(priors, values[state], jnp.zeros(batch, jnp.int32), state > 0)

    @jax.jit
    def find(state: Array, key: Array) -> SearchResult:
        return search(think, lambda state, move: move + 1, state, key, SearchSettings(16, 2, 2), (1.0, 0))

    found = find(jnp.zeros(4, int), jax.random.key(1))
    assert found.move.tolist() == [1] * 4
    assert (found.policy[:, 1] > 0.9).all()
