"""The network for Callisto, run by ONNX Runtime, as an evaluator of positions."""

from collections.abc import Sequence
from functools import cache, partial
from math import tanh
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from sobremesa.core.state import State
from sobremesa.engines.evaluator import MARGIN_TIEBREAK, Evaluation, Values
from sobremesa.engines.runtime import session
from sobremesa.games.callisto.engine.features import KIND, Floats, canvas, kind_of
from sobremesa.games.callisto.state import CallistoState

MARGIN_SCALE = 10.0
"""The squares of margin at which the value of the margin begins to level off."""
MAX_PRIORS = 64
"""How many moves of a position an evaluation keeps, those with the best priors."""
THIRD_PILLAR_TURN = {("classic", 3): 11}
"""By edition and seats, the turn before which nobody looks at the third pillar as long as a tile fits.

In self-play with three the network has learnt to place it on turn five, and loses with that against other programs.
"""


class OwnNetwork(NamedTuple):
    """A network for some kinds of tables alone."""

    file: str
    policy_temperature: float
    """What its logits are divided by: a network that was taught among many styles is broad, and is made narrower."""


OWN_NETWORKS = dict.fromkeys([("classic", 3), ("classic", 4)], OwnNetwork("classic-crowd.onnx", 0.65))
"""The kinds of tables that have a network of their own, by edition and seats; all others share one."""
BY_TABLE = -1
"""In place of a turn: as THIRD_PILLAR_TURN has it."""


class Network:
    """Policies, chances and margins. Several threads may ask at the same time; each thinks on its own core."""

    def __init__(self, file: Path | None = None) -> None:
        """From the weights that come with the package, or from another file for all kinds of tables."""
        self._session = session(__package__, file)
        own = {} if file else OWN_NETWORKS
        running = {each.file: session(__package__, name=each.file) for each in own.values()}
        self._own = {kind_of(*kind): (running[each.file], each) for kind, each in own.items()}

    def __call__(self, planes: Floats, table: Floats) -> tuple[Floats, Floats, Floats]:
        """Logits of placements [N, 39 * side * side], shares of first place [N, 4] and margins [N, 4] by slot.

        All positions are of one kind of table, which the numbers tell.
        """
        running, own = self._own.get(tuple(table[0, KIND].tolist()), (self._session, None))
        policy, win, margin = running.run(["policy", "win", "margin"], {"planes": planes, "table": table})
        if own is not None:
            policy = policy / np.float32(own.policy_temperature)
        return policy.reshape(len(policy), -1), win, margin


class NetworkEvaluator:
    """Evaluates positions with a network: the best moves with their priors, and a value for each seat."""

    def __init__(
        self,
        network: Network,
        margin: float,
        noise: "EvaluationNoise | None" = None,
        policy_temperature: float = 1.0,
        pillar_turn: int = BY_TABLE,
    ) -> None:
        """The margin says how much squares count beside a win.

        The logits of the policy are divided by the policy temperature: the higher, the more even the priors.
        ``pillar_turn`` is the turn before which nobody looks at the third pillar as long as a tile fits.
        """
        self._network = network
        self._margin = margin
        self._noise = noise
        self._policy_temperature = np.float32(policy_temperature)
        self._pillar_turn = pillar_turn

    def __call__(self, states: Sequence[State[Any]]) -> list[Evaluation]:
        """Evaluates positions at tables of one kind."""
        positions: list[CallistoState] = states  # type: ignore[assignment]
        drawn, noise = canvas(positions[0].board), self._noise
        policy, win, margin = self._network(*drawn.observe(positions))
        policy = policy / self._policy_temperature
        if noise is not None:
            win = noise.win(win, positions[0].seats)
        worth = (win + self._margin / 2 * np.tanh(margin / MARGIN_SCALE) + MARGIN_TIEBREAK * margin).tolist()
        found = []
        for state, logits, by_slot in zip(positions, policy, worth, strict=True):
            only_tiles = keeps_pillar(state, self._pillar_turn)
            turn, seats = state.turn, state.seats
            perturb = None if noise is None else partial(noise.logits, seats=seats)
            moves, priors = drawn.priors(state, logits, MAX_PRIORS, perturb, only_tiles)
            found.append(Evaluation(priors, tuple(by_slot[(seat - turn) % seats] for seat in range(seats)), moves))
        return found

    def margins(self, states: Sequence[CallistoState], seat: int) -> list[float]:
        """The squares that a seat is expected to end ahead with; in a finished game those that it is ahead."""
        waiting = [state for state in states if not state.over]
        found = iter(self._network(*canvas(states[0].board).observe(waiting))[2] if waiting else ())
        margins = []
        for state in states:
            if (result := state.result()) is not None:
                scores = result.scores
                margins.append(float(min(scores[:seat] + scores[seat + 1 :]) - scores[seat]))
            else:
                margins.append(float(next(found)[(seat - state.turn) % state.seats]))
        return margins

    def finish(self, state: State[Any]) -> Values:
        """What a finished game is worth, on the same scale (C9, C10)."""
        result = state.result()
        assert result is not None
        values = []
        for seat, (penalty, place) in enumerate(zip(result.scores, result.places, strict=True)):
            ahead = min(result.scores[:seat] + result.scores[seat + 1 :]) - penalty
            values.append((place == 1) + self._margin / 2 * tanh(ahead / MARGIN_SCALE) + MARGIN_TIEBREAK * ahead)
        return tuple(values)


def keeps_pillar(state: CallistoState, pillar_turn: int = BY_TABLE) -> bool:
    """Whether it is too early for the third pillar of whoever is to decide."""
    board, side = state.board, state.sides[state.turn]
    earliest = THIRD_PILLAR_TURN.get((board.edition.name, board.seats), 0) if pillar_turn == BY_TABLE else pillar_turn
    return bool(earliest) and state.pillars_left(state.turn) == 1 and len(side.placed) + 1 < earliest


class EvaluationNoise:
    """Noise on evaluations, for weaker players: values are off, and other moves than the best have high priors."""

    def __init__(self, noise: float, gumbel_scale: float, seed: int, crowd: float = 1.0) -> None:
        """Noise is the standard deviation of chances; the Gumbel scale multiplies the noise on logits.

        With a Gumbel scale of 1, a move comes first as often as its prior says (the Gumbel-max trick). With more than
        two seats, both are multiplied by ``crowd``.
        """
        self._noise = noise
        self._gumbel_scale = gumbel_scale
        self._crowd = crowd
        self._random = np.random.default_rng(seed)

    def win(self, chances: Floats, seats: int) -> Floats:
        """Chances with their noise."""
        scale = np.float32(self._noise * self._factor(seats))
        return chances + scale * self._random.standard_normal(chances.shape, np.float32)

    def logits(self, logits: Floats, seats: int) -> Floats:
        """Perturbed logits: Gumbel noise is added, so that the order of moves is drawn by lot."""
        scale = self._gumbel_scale * self._factor(seats)
        return np.asarray(logits + scale * self._random.gumbel(size=logits.shape), np.float32)

    def _factor(self, seats: int) -> float:
        return self._crowd if seats > 2 else 1.0


@cache
def network(file: Path | None = None) -> Network:
    """The network, loaded on first use."""
    return Network(file)
