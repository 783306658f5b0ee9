"""Callisto for computers, without a network so far: whose ground is it, and how much of it can be filled?"""

from collections.abc import Sequence
from functools import partial
from math import exp
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.engines.evaluator import Evaluation
from sobremesa.engines.player import GreedyPlayer, Player
from sobremesa.engines.school import Maker, School
from sobremesa.engines.searching import Strength, TreePlayer
from sobremesa.engines.tree import Shape
from sobremesa.games.callisto.judge import judge
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.view import CallistoView

STEPS = 7
"""So far people can expect to grow."""
FILLED = 0.62
"""The part of one's own ground that ends up under one's tiles."""
SHARED = 0.25
"""The same for ground that somebody else reaches as soon."""
SWING = 5.0
"""A lead of so many squares makes the chances about 73 to 27."""
SHARPNESS = 0.5
"""How much a point of the judge's opinion favours a move."""


def recall(view: CallistoView, past: Sequence[CallistoView], seed: str) -> CallistoState:
    """Nothing is hidden in Callisto."""
    return view.state


def penalties(state: CallistoState) -> list[float]:
    """The penalty that each seat may expect: what does not fit on the ground that it reaches first."""
    table, seats = state.board, state.seats
    free = table.cells
    for side in state.sides:
        free &= ~side.cells
    fronts = [side.cells for side in state.sides]
    owned, shared = [0] * seats, [0] * seats
    order = [(state.turn + k) % seats for k in range(seats)] if not state.over else list(range(seats))
    for _ in range(STEPS):
        reached = [0 if state.is_out(seat) else table.beside(fronts[seat]) & free for seat in range(seats)]
        taken = both = 0
        for seat in order:
            both |= taken & reached[seat]
            taken |= reached[seat]
        if not taken:
            break
        for seat in order:
            owned[seat] |= reached[seat] & ~both
            shared[seat] |= reached[seat] & both
        free &= ~taken
        fronts = reached
    expected = []
    for seat in range(seats):
        left = state.penalty(seat)
        ground = FILLED * owned[seat].bit_count() + SHARED * shared[seat].bit_count()
        expected.append(left - left * (1 - exp(-ground / max(left, 1))) if left else 0.0)
    return expected


def evaluate(states: Sequence[State[Any]]) -> list[Evaluation]:
    """Priors from the beginner's eye, values from the ground that everybody can hope for."""
    found = []
    for state in states:
        assert isinstance(state, CallistoState)
        seat = state.turn
        opinions = judge(CallistoView(seat, state), state.legal_moves())
        best = max(opinions)
        weights = [exp(SHARPNESS * (opinion - best)) for opinion in opinions]
        mass = sum(weights)
        strengths = [exp(-penalty / SWING) for penalty in penalties(state)]
        total = sum(strengths)
        found.append(Evaluation([w / mass for w in weights], tuple(s / total for s in strengths)))
    return found


def _greedy(noise: float, sight: int | None, name: str) -> Maker:
    def make(game: Game, random: Random) -> Player:
        player = GreedyPlayer(game, random, noise, sight)
        player.name = name
        return player

    return make


def _tree(strength: Strength, name: str) -> Maker:
    return partial(_make_tree, name, strength)


def _make_tree(name: str, strength: Strength, game: Game, random: Random) -> Player:
    return TreePlayer(name, game, random, recall, evaluate, strength)


_WIDE = Shape(considered=24, narrow=24)

SCHOOL = School(
    recall,
    {
        "child": _greedy(8.0, 8, "child"),
        "beginner": _greedy(5.0, 20, "beginner"),
        "casual": _greedy(3.0, 80, "casual"),
        "regular": _greedy(1.0, None, "regular"),
        "club": _tree(Strength(50, noise=0.01, shape=Shape(12, narrow=12)), "club"),
        "expert": _tree(Strength(120, noise=0.005, shape=Shape(16, narrow=16)), "expert"),
        "master": _tree(Strength(400, noise=0.005, shape=_WIDE), "master"),
        "champion": _tree(Strength(1500, noise=0.005, shape=_WIDE), "champion"),
    },
)
