"""Teaches the network for Knister by playing: ``sobremesa train knister --minutes 9 --out FOLDER``.

Every sweep plays thousands of solitary games with the average of the recent weights, all on the device, and learns from
them in a few updates. What a placement is said to be worth moves towards the lambda-return of the game that followed,
where the next roll is not sampled but averaged over: the network knows all eleven.

What FOLDER receives is said in `sobremesa.training.run`.
"""

import argparse
from collections.abc import Collection
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import optax
from jax import Array, lax

from sobremesa.games.knister.training import network
from sobremesa.games.knister.training.games import DECISIONS, Games, evaluate, play
from sobremesa.games.knister.training.network import Size, Weights
from sobremesa.training import run
from sobremesa.training.run import Learner, Pace, improved, shuffled


def targets(games: Games, exact: Array, td_lambda: Array | float) -> Array:
    """The lambda-return of every placement, [T, N]. It does not look past a random placement."""

    def back(later: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        value, explored = now
        blend = jnp.where(explored, value, (1 - td_lambda) * value + td_lambda * later)
        return blend, blend

    _, returns = lax.scan(back, exact, (games.values[1:], games.explored[1:]), reverse=True)
    return jnp.concatenate([returns, exact[None]])


def loss(
    weights: Weights, sheets: Array, rolls: Array, cells: Array, goals: Array, totals: Array, dtype: Any
) -> tuple[Array, Array]:
    """The loss against targets [N], and that of the mean alone, in square points."""
    found, hidden = network.quality_of(weights, sheets, cells, rolls, dtype)
    mean = jnp.square(found - goals).mean()
    total = mean / network.POINTS_UNIT**2
    if "spread" in weights:  # its gradient is stopped: what it learns changes nothing else
        logits = network.spread(weights, lax.stop_gradient(hidden).astype(jnp.float32))[jnp.arange(len(rolls)), rolls]
        bins = network.bin_of(totals - lax.stop_gradient(found), logits.shape[-1])
        total += 0.01 * optax.softmax_cross_entropy_with_integer_labels(logits, bins).mean()
    return total, mean


@partial(jax.jit, static_argnames=("batch", "parts", "dtype"), donate_argnames="learner")
def sweep(
    learner: Learner, key: Array, pace: Pace, *, batch: int, parts: int, dtype: Any
) -> tuple[Learner, dict[str, Array]]:
    """Plays a batch of games and learns from it in ``parts`` updates, each with a minibatch of its placements."""
    for_games, for_order = jax.random.split(key)
    games, exact, totals = play(learner.average, for_games, batch, pace.epsilon, dtype)
    goals = targets(games, exact, pace.td_lambda)
    inputs = (games.sheets, games.rolls, games.cells, goals, jnp.broadcast_to(totals, goals.shape))
    flat = [part.reshape(-1, *part.shape[2:]) for part in inputs]

    def update(learner: Learner, use: Array) -> tuple[Learner, Array]:
        gradient, error = jax.grad(loss, has_aux=True)(learner.weights, *(part[use] for part in flat), dtype)
        return improved(learner, gradient, pace.rate), error

    learner, errors = lax.scan(update, learner, shuffled(for_order, DECISIONS * batch, parts))
    return learner, {"mean": exact.mean(), "error": errors.mean()}


class Run(run.Run):
    """A run that teaches Knister."""

    game = "knister"
    figures = ("mean",)
    label = "mean points of the games it learns from"

    def __init__(self, options: argparse.Namespace) -> None:
        size = Size(options.channels, options.hidden, options.rounds, options.bins)
        super().__init__(options, size, network.init(jax.random.key(options.seed), size))

    def fresh(self, about: dict[str, Any]) -> Collection[str]:
        return ("['spread']",) if self.size.bins and not about["size"]["bins"] else ()

    def learn(self, learner: Learner, key: Array, pace: Pace) -> tuple[Learner, dict[str, Array]]:
        batch, parts = self.options.batch, self.options.updates
        answer: tuple[Learner, dict[str, Array]] = sweep(learner, key, pace, batch=batch, parts=parts, dtype=self.dtype)
        return answer

    def evaluate(self) -> dict[str, Any]:
        result: dict[str, Any] = {}
        for name, games in (("network", self.options.games), ("looking_ahead", self.options.looking)):
            if games:
                batch, looking = min(self.options.batch, games), name != "network"
                result[name] = evaluate(
                    self.learner.average, games, batch, self.options.seed + 2, self.dtype, looking=looking
                )
                run.show(name, result[name])
        return result


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = run.parser("sobremesa.games.knister.training.run", __doc__)
    parser.set_defaults(batch=4096, channels=128, hidden=256, rounds=4, trust=(0.75, 0.4), games=100_000)
    add = parser.add_argument
    add("--bins", type=int, default=0, help="also learn how totals spread about the mean, in so many bins")
    add("--looking", type=int, default=0, help="games of a second evaluation, looking ahead by one placement")
    tiny = {"channels": 16, "hidden": 16, "rounds": 2, "batch": 256, "games": 1024, "updates": 4, "every": 2}
    return run.chosen(parser, arguments, tiny)


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """One whole run; returns what is also written into result.json."""
    return Run(options(arguments)).whole()


if __name__ == "__main__":
    main()
