"""The network for Callisto, run by ONNX Runtime, and what it says as a judgement of positions."""

from collections.abc import Sequence
from functools import cache
from math import tanh
from pathlib import Path
from typing import Any

import numpy as np

from sobremesa.core.state import State
from sobremesa.engines.callisto.features import Floats, canvas
from sobremesa.engines.evaluator import HAIR, Evaluation, Values
from sobremesa.engines.runtime import session
from sobremesa.games.callisto.state import CallistoState

SWING = 10.0
"""A margin of so many squares is most of it."""
KEPT = 64
"""So many moves of a position are worth a look."""


class Network:
    """Policies, chances and margins. Several threads may ask at the same time; each thinks on its own core."""

    def __init__(self, file: Path | None = None) -> None:
        """From the weights that come with the package, or from another file."""
        self._session = session("callisto", file)

    def __call__(self, planes: Floats, table: Floats) -> tuple[Floats, Floats, Floats]:
        """Logits of placements [N, 39 * side * side], shares of first place [N, 4] and margins [N, 4] by slot."""
        policy, win, margin = self._session.run(["policy", "win", "margin"], {"planes": planes, "table": table})
        return policy.reshape(len(policy), -1), win, margin


class Judge:
    """What a network says, as a search wants to hear it: the best moves, and what each seat may hope for."""

    def __init__(self, network: Network, margin: float, blur: "Blur | None" = None, doubt: float = 1.0) -> None:
        """Margin says how much squares count beside a win; whoever has a blurred eye misjudges what it hears.

        The logits of moves are divided by the doubt: the more, the more even the priors.
        """
        self._network = network
        self._margin = margin
        self._blur = blur
        self._doubt = np.float32(doubt)

    def __call__(self, states: Sequence[State[Any]]) -> list[Evaluation]:
        """Judges positions at tables of one kind."""
        positions: list[CallistoState] = states  # type: ignore[assignment]
        drawn, blur = canvas(positions[0].board), self._blur
        policy, win, margin = self._network(*drawn.observe(positions))
        policy = policy / self._doubt
        if blur is not None:
            win = blur.win(win)
        worth = (win + self._margin / 2 * np.tanh(margin / SWING) + HAIR * margin).tolist()
        found = []
        for state, logits, by_slot in zip(positions, policy, worth, strict=True):
            moves, priors = drawn.priors(state, logits, KEPT, None if blur is None else blur.logits)
            turn, seats = state.turn, state.seats
            found.append(Evaluation(priors, tuple(by_slot[(seat - turn) % seats] for seat in range(seats)), moves))
        return found

    def finish(self, state: State[Any]) -> Values:
        """What a finished game is worth, on the same scale (C9, C10)."""
        result = state.result()
        assert result is not None
        values = []
        for seat, (penalty, place) in enumerate(zip(result.scores, result.places, strict=True)):
            ahead = min(result.scores[:seat] + result.scores[seat + 1 :]) - penalty
            values.append((place == 1) + self._margin / 2 * tanh(ahead / SWING) + HAIR * ahead)
        return tuple(values)


class Blur:
    """A blurred eye: chances are off, and other moves come to mind than the best ones."""

    def __init__(self, noise: float, lots: float, seed: int) -> None:
        """Noise is how far chances are off; with lots of 1, moves come to mind as often as their priors say."""
        self._noise = noise
        self._lots = lots
        self._random = np.random.default_rng(seed)

    def win(self, chances: Floats) -> Floats:
        """Chances, misjudged."""
        return chances + np.float32(self._noise) * self._random.standard_normal(chances.shape, np.float32)

    def logits(self, logits: Floats) -> Floats:
        """Logits to which Gumbel's noise is added: the order of moves is drawn by lot."""
        return np.asarray(logits + self._lots * self._random.gumbel(size=logits.shape), np.float32)


@cache
def network(file: Path | None = None) -> Network:
    """The network, loaded on first use."""
    return Network(file)
