"""Expectimax for Isis & Osiris with a judgement made by hand: a yardstick that owes nothing to the network.

It takes the tiles that lie face down for what it remembers (a determinisation), looks some placements ahead, and takes
the mean over every tile that may be turned over. Everybody is taken to want to be as far ahead of the best other seat
as they can. Each placement is first looked at alone; only the best few are looked at deeper.
"""

from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import View
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, Player, Stop, Thought, never
from sobremesa.games.isis_osiris.engine.memory import recall
from sobremesa.games.isis_osiris.moves import TURN, Move
from sobremesa.games.isis_osiris.state import FACE_DOWN, IsisOsirisState

OPEN_CELL_WORTH = 0.25
"""What a free cell beside a stone is worth to its owner, who may lay a plus there."""
BREADTH = 6
"""How many placements are looked at deeper, at each decision."""
Totals = tuple[float, ...]
"""What each seat will have, as far as it can be seen."""


class ExpectimaxPlayer(Player):
    """Looks ``depth`` placements ahead: with one, at its own alone."""

    def __init__(self, name: str, game: Game, random: Random, depth: int) -> None:
        self.name = name
        self._random = random
        self._depth = depth

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        limit = Limit(budget, stop)
        state = recall(view, past, budget.seed)  # type: ignore[arg-type]
        found = [(ahead(totals, state.turn), move) for move, totals in looked_at(state, self._depth)]
        best = max(value for value, _ in found)
        move = self._random.choice([move for value, move in found if value == best])
        return Thought(move, depth=self._depth, simulations=len(found), seconds=limit.seconds)


def judged(state: IsisOsirisState) -> Totals:
    """The totals as they stand (I7), and what the free cells beside each seat's stones may bring."""
    tiles, free, neighbours = state.tiles, state.free, state.setup.edition.neighbours
    totals = []
    for stones in state.stones:
        total = 0.0
        while stones:
            low = stones & -stones
            for beside in neighbours[low.bit_length() - 1]:
                total += OPEN_CELL_WORTH if free >> beside & 1 else tiles[beside]
            stones ^= low
        totals.append(total)
    return tuple(totals)


def ahead(totals: Totals, seat: int) -> float:
    """By how much a seat is ahead of the best of the others."""
    return totals[seat] - max(total for other, total in enumerate(totals) if other != seat)


def looked_at(state: IsisOsirisState, depth: int) -> Iterator[tuple[Move, Totals]]:
    """What each move is worth; of the placements only the best, if they are to be looked at deeper."""
    seat, turning = state.turn, False
    placed = []
    for move in state.legal_moves():
        if move == TURN:
            turning = True
        else:
            after = state.play(move)
            placed.append((judged(after), move, after))
    placed.sort(key=lambda each: -ahead(each[0], seat))
    for totals, move, after in placed[: BREADTH if depth > 1 else None]:
        yield move, totals if depth == 1 else worth(after, depth - 1)
    if turning:
        yield TURN, worth(state.play(TURN), depth)


def worth(state: IsisOsirisState, depth: int) -> Totals:
    """What a position is worth to each seat if everybody does their best for so many placements."""
    if state.over or not depth:
        return judged(state)
    if state.turned == FACE_DOWN:
        assert state.chance is not None
        total = sum(state.chance.weights)
        means = [0.0] * state.seats
        for value, weight in zip(state.chance.outcomes, state.chance.weights, strict=True):
            for seat, each in enumerate(worth(state.happen(value), depth)):
                means[seat] += weight / total * each
        return tuple(means)
    return max((totals for _, totals in looked_at(state, depth)), key=lambda totals: ahead(totals, state.turn))
