"""Callisto judged without a network: whose ground is it, and how much of it can be filled?"""

from collections.abc import Sequence
from math import exp
from typing import Any

from sobremesa.core.state import State
from sobremesa.engines.evaluator import Evaluation
from sobremesa.games.callisto.judge import judge
from sobremesa.games.callisto.state import CallistoState
from sobremesa.games.callisto.view import CallistoView

STEPS = 7
"""So far people can expect to grow."""
GROUND = 0.3
"""What a cell of one's own ground saves in penalty, as a line fitted to games of ``greedy`` has it."""
TEMPO = 1.5
"""What it saves to have the move."""
SWING = 3.0
"""A lead of so many squares makes the chances about 73 to 27."""
SHARPNESS = 0.5
"""How much a point of the judge's opinion favours a move."""


def penalties(state: CallistoState) -> list[float]:
    """The penalty that each seat may expect: what it still has in hand, less what its own ground has room for.

    Ground that somebody else reaches as soon is worth nothing.
    """
    table, seats = state.board, state.seats
    free = table.cells
    for side in state.sides:
        free &= ~side.cells
    fronts = [side.cells for side in state.sides]
    owned = [0] * seats
    for _ in range(STEPS):
        reached = [0 if state.is_out(seat) else table.beside(fronts[seat]) & free for seat in range(seats)]
        taken = both = 0
        for cells in reached:
            both |= taken & cells
            taken |= cells
        if not taken:
            break
        for seat in range(seats):
            owned[seat] |= reached[seat] & ~both
        free &= ~taken
        fronts = reached
    return [
        max(0.0, state.penalty(seat) - GROUND * owned[seat].bit_count()) - TEMPO * (seat == state.turn)
        for seat in range(seats)
    ]


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
