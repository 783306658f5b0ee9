"""Teaches the network for Isis & Osiris by playing: ``sobremesa train isis-osiris --minutes 9 --out FOLDER``.

Every sweep plays thousands of games at tables of every kind with the average of the recent weights, all on the device,
and learns from them in a few updates. What a placement is said to be worth to everybody moves towards the lambda-return
of the game that followed, where everybody does what is best for himself, and the next tile is not sampled but averaged
over: the network knows all eight values.

What FOLDER receives is said in `sobremesa.training.run`.
"""

import argparse
from functools import partial
from pathlib import Path
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array, lax

from sobremesa.games.isis_osiris.engine.features import CELLS, Positions, features, rotated
from sobremesa.games.isis_osiris.training import network
from sobremesa.games.isis_osiris.training.games import KINDS, Games, evaluate, play
from sobremesa.games.isis_osiris.training.network import Size, Weights
from sobremesa.training import run
from sobremesa.training.run import Learner, Pace, improved, shuffled

DECISIONS = CELLS - 1
"""The placements that there is something to learn of; the last one is exact."""


def targets(games: Games, td_lambda: Array | float) -> Array:
    """The lambda-return of every placement but the last, by seat, [T - 1, N, 2, 4].

    It does not look past a random placement, nor past the last choice, which is valued exactly.
    """

    def back(later: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        value, explored = now
        blend = jnp.where(explored[:, None, None], value, (1 - td_lambda) * value + td_lambda * later)
        return blend, blend

    exact = games.values[-1]
    _, returns = lax.scan(back, exact, (games.values[1:-1], games.explored[1:-1]), reverse=True)
    return jnp.concatenate([returns, exact[None]])


def loss(
    weights: Weights, at: Positions, pieces: Array, cells: Array, goals: Array, dtype: Any
) -> tuple[Array, tuple[Array, Array]]:
    """The loss against targets [N, 2, 4], and its parts: of shares as cross-entropy, of margins in square points."""
    logits, margins = network.quality_of(weights, *features(at, jnp), cells, pieces, dtype)
    wins, ahead = rotated(goals, at.turn, at.seats, jnp).swapaxes(0, 1)
    surprise = -(wins * jax.nn.log_softmax(logits)).sum(-1).mean()
    off = (jnp.square(margins - ahead).sum(-1) / at.seats).mean()
    return surprise + off, (surprise, network.POINTS_UNIT**2 * off)


@partial(jax.jit, static_argnames=("batch", "parts", "dtype"), donate_argnames="learner")
def sweep(
    learner: Learner, key: Array, pace: Pace, gumbel_scale: float, *, batch: int, parts: int, dtype: Any
) -> tuple[Learner, dict[str, Array]]:
    """Plays a batch of games and learns from it in ``parts`` updates, each with a minibatch of its placements."""
    for_games, for_order = jax.random.split(key)
    games, _ = play(learner.average, for_games, batch, pace.epsilon, gumbel_scale, dtype)
    inputs = (games.positions, games.pieces, games.cells)
    flat = jax.tree.map(lambda part: part[:DECISIONS].reshape(-1, *part.shape[2:]), inputs)
    goals = targets(games, pace.td_lambda).reshape(-1, *games.values.shape[2:])

    def update(learner: Learner, use: Array) -> tuple[Learner, tuple[Array, Array]]:
        own = jax.tree.map(lambda part: part[use], (*flat, goals))
        gradient, parts = jax.grad(loss, has_aux=True)(learner.weights, *own, dtype)
        return improved(learner, gradient, pace.rate), parts

    learner, (surprise, error) = lax.scan(update, learner, shuffled(for_order, DECISIONS * batch, parts))
    return learner, {"surprise": surprise.mean(), "error": error.mean()}


class Run(run.Run):
    """A run that teaches Isis & Osiris."""

    game = "isis-osiris"
    figures = ("share",)
    label = "share of wins against the totals as they stand, two seats"

    def __init__(self, options: argparse.Namespace) -> None:
        size = Size(options.channels, options.hidden, options.rounds)
        key = jax.random.key(options.seed)
        super().__init__(options, size, network.init(key, size))
        self.untaught = network.init(key, size)
        """Knows nothing but the totals as they stand."""

    def learn(self, learner: Learner, key: Array, pace: Pace) -> tuple[Learner, dict[str, Array]]:
        given = self.options
        answer: tuple[Learner, dict[str, Array]] = sweep(
            learner, key, pace, given.temperature, batch=given.batch, parts=given.updates, dtype=self.dtype
        )
        return answer

    def extra_figures(self) -> dict[str, float]:
        return {"share": self._against(self.untaught, 0.0, 0, self.options.table)["share"]}

    def _against(self, others: Weights, random: float, kind: int, games: int) -> dict[str, float]:
        given = self.options
        return evaluate(self.learner.average, others, random, kind, games, given.table, given.seed + 2, self.dtype)

    def evaluate(self) -> dict[str, Any]:
        opponents = {"random": (self.untaught, 1.0), "totals": (self.untaught, 0.0)}
        if self.options.against:
            opponents["against"] = (run.average(self.options.against, Size, network.init), 0.0)
        result: dict[str, Any] = {}
        for name, (others, random) in opponents.items():
            result[name] = {}
            for kind, (variant, seats) in enumerate(KINDS):
                found = self._against(others, random, kind, self.options.games)
                result[name][f"{variant} {seats}"] = found
                run.show(f"{name}, {variant} {seats}", found)
        return result


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = run.parser("sobremesa.games.isis_osiris.training.run", __doc__)
    parser.set_defaults(batch=8192, channels=96, hidden=192, rounds=6, trust=(0.95, 0.85), games=6144)
    add = parser.add_argument
    add("--temperature", type=float, default=0.01, help="how far from the best a choice may be early in a game")
    add("--against", type=Path, help="a checkpoint.npz to play against at the end")
    add("--table", type=int, default=1536, help="games of an evaluation at a time")
    tiny = {
        "channels": 16,
        "hidden": 32,
        "rounds": 2,
        "batch": 128,
        "games": 192,
        "table": 96,
        "updates": 4,
        "every": 2,
    }
    return run.chosen(parser, arguments, tiny)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """One whole run; returns what is also written into result.json."""
    return Run(options(arguments)).whole()


if __name__ == "__main__":
    main()
