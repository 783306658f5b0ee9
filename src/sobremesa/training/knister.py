"""Teaches the network for Knister by playing: ``python -m sobremesa.training.knister --minutes 9 --out FOLDER``.

Every sweep plays thousands of solitary games with the average of the recent weights, all on the device, and learns from
them in a few updates. What a placement is said to be worth moves towards the lambda-return of the game that followed,
where the next roll is not sampled but averaged over: the network knows all eleven.

FOLDER receives ``checkpoint.npz`` (weights and their average) and ``moments.npz`` (the optimiser's), every minute and
at the end; ``curve.csv`` and ``curve.png``; ``result.json``. A run that was stopped goes on with ``--resume``, on the
same schedule; one that had finished starts a new, usually shorter and lower one.
"""

import argparse
import csv
import json
import math
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array, lax

from sobremesa.training import checkpoint
from sobremesa.training import knister_network as network
from sobremesa.training.knister_games import DECISIONS, Games, evaluate, play
from sobremesa.training.knister_network import Size, Weights

wait: Callable[[Any], Any] = jax.block_until_ready
"""Returns what it is given, once the device has computed it."""


class Learner(NamedTuple):
    """Everything that learning changes."""

    weights: Weights
    average: Weights
    moments: optax.OptState
    updates: Array
    """How many there were, [] of int32."""


class Pace(NamedTuple):
    """What changes in the course of a run, each [] of float32."""

    rate: Array | float
    """The learning rate."""
    curiosity: Array | float
    """How often a placement is random."""
    trust: Array | float
    """Lambda: how far targets look ahead along the game that was played."""


OPTIMISER = optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam(b2=0.99), optax.add_decayed_weights(1e-4))


def start(key: Array, size: Size) -> Learner:
    """A learner that knows single lines only."""
    weights = network.init(key, size)
    return Learner(weights, jax.tree.map(jnp.copy, weights), OPTIMISER.init(weights), jnp.zeros((), jnp.int32))


def targets(games: Games, exact: Array, trust: Array | float) -> Array:
    """The lambda-return of every placement, [T, N]. It does not look past a random placement."""

    def back(later: Array, now: tuple[Array, Array]) -> tuple[Array, Array]:
        value, curious = now
        blend = jnp.where(curious, value, (1 - trust) * value + trust * later)
        return blend, blend

    _, returns = lax.scan(back, exact, (games.values[1:], games.curious[1:]), reverse=True)
    return jnp.concatenate([returns, exact[None]])


def loss(
    weights: Weights, sheets: Array, rolls: Array, cells: Array, goals: Array, totals: Array, dtype: Any
) -> tuple[Array, Array]:
    """How far from the goals [N], and of the mean alone, in square points."""
    found, told = network.quality_of(weights, sheets, cells, rolls, dtype)
    mean = jnp.square(found - goals).mean()
    total = mean / network.UNIT**2
    if "spread" in weights:  # it listens only: what it learns changes nothing else
        logits = network.spread(weights, lax.stop_gradient(told).astype(jnp.float32))[jnp.arange(len(rolls)), rolls]
        bins = network.bin_of(totals - lax.stop_gradient(found), logits.shape[-1])
        total += 0.01 * optax.softmax_cross_entropy_with_integer_labels(logits, bins).mean()
    return total, mean


@partial(jax.jit, static_argnames=("batch", "parts", "dtype"), donate_argnames="learner")
def sweep(
    learner: Learner, key: Array, pace: Pace, *, batch: int, parts: int, dtype: Any
) -> tuple[Learner, dict[str, Array]]:
    """Plays a batch of games and learns from it in so many updates."""
    for_games, for_order = jax.random.split(key)
    games, exact, totals = play(learner.average, for_games, batch, pace.curiosity, dtype)
    goals = targets(games, exact, pace.trust)
    order = jax.random.permutation(for_order, DECISIONS * batch)
    use = order[: len(order) // parts * parts].reshape(parts, -1)
    lessons = (games.sheets, games.rolls, games.cells, goals, jnp.broadcast_to(totals, goals.shape))
    flat = [part.reshape(-1, *part.shape[2:]) for part in lessons]

    def update(learner: Learner, use: Array) -> tuple[Learner, Array]:
        slope, error = jax.grad(loss, has_aux=True)(learner.weights, *(part[use] for part in flat), dtype)
        change, moments = OPTIMISER.update(slope, learner.moments, learner.weights)
        weights = jax.tree.map(lambda old, by: old - pace.rate * by, learner.weights, change)
        keep = jnp.minimum(0.995, (1 + learner.updates) / (10 + learner.updates))
        average = jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, learner.average, weights)
        return Learner(weights, average, moments, learner.updates + 1), error

    learner, errors = lax.scan(update, learner, use)
    return learner, {"mean": exact.mean(), "error": errors.mean()}


def pace_at(progress: float, options: argparse.Namespace) -> Pace:
    """The pace when a share of a run, 0 to 1, is over: the rate warms up and then falls along half a cosine."""
    rate = options.final + (options.lr - options.final) * (1 + math.cos(math.pi * min(progress, 1))) / 2
    warm = min(1, 0.02 + progress / 0.02)
    first, last = options.trust
    curiosity = options.curiosity * max(0, 1 - progress / 0.8)
    return Pace(*map(jnp.float32, (rate * warm, curiosity, first + (last - first) * progress)))


class Run:
    """One run: its options, its learner, its curve, and where they are kept."""

    def __init__(self, options: argparse.Namespace):
        self.options = options
        self.out: Path = options.out
        self.size = Size(options.channels, options.hidden, options.rounds, options.bins)
        self.dtype = jnp.bfloat16 if jax.default_backend() == "gpu" else jnp.float32
        self.learner = start(jax.random.key(options.seed), self.size)
        self.sweeps = 0
        self.games = 0
        self.first = 0
        """The sweep with which the schedule began."""
        self.seconds = 0.0
        """How much of the schedule's time is over."""
        self.curve: list[dict[str, float]] = []
        if options.resume:
            self._resume(options.resume)

    @property
    def progress(self) -> float:
        """How much of the schedule is over, 0 to 1."""
        if self.options.sweeps:
            return (self.sweeps - self.first) / int(self.options.sweeps)
        return self.seconds / (60 * float(self.options.minutes))

    def _resume(self, path: Path) -> None:
        about = checkpoint.about(path)
        learner = self.learner
        fresh = "spread" if self.size.bins and not about["size"]["bins"] else None
        kept = checkpoint.load(path, {"weights": learner.weights, "average": learner.average}, fresh)
        moments = learner.moments
        beside = path.with_name("moments.npz")
        if beside.exists() and checkpoint.about(beside)["sweeps"] == about["sweeps"]:
            moments = checkpoint.load(beside, moments, fresh)
        else:
            print(f"{beside} is missing or of another moment: the optimiser starts afresh", flush=True)
        self.learner = jax.device_put(Learner(**kept, moments=moments, updates=jnp.int32(about["updates"])))
        self.sweeps, self.curve, self.first = about["sweeps"], about["curve"], about["sweeps"]
        self.games = about["games"]
        if about["progress"] < 1:
            self.first, self.seconds = about["first"], about["seconds"]

    def save(self) -> None:
        """Writes the checkpoint and the curve."""
        options = {name: str(value) if isinstance(value, Path) else value for name, value in vars(self.options).items()}
        about = {
            "size": self.size._asdict(),
            "options": options,
            "device": jax.devices()[0].device_kind,
            "sweeps": self.sweeps,
            "games": self.games,
            "updates": int(self.learner.updates),
            "first": self.first,
            "seconds": self.seconds,
            "progress": self.progress,
            "curve": self.curve,
        }
        kept = {"weights": self.learner.weights, "average": self.learner.average}
        checkpoint.save(self.out / "moments.npz", self.learner.moments, {"sweeps": self.sweeps})
        checkpoint.save(self.out / "checkpoint.npz", kept, about)
        if self.curve:
            with (self.out / "curve.csv").open("w", newline="") as file:
                table = csv.DictWriter(file, list(self.curve[0]))
                table.writeheader()
                table.writerows(self.curve)

    def sweep(self) -> dict[str, Array]:
        """One sweep at the present pace; returns before the device is done."""
        options = self.options
        told: dict[str, Array]
        self.learner, told = sweep(
            self.learner,
            jax.random.fold_in(jax.random.key(options.seed + 1), self.sweeps),
            pace_at(self.progress, options),
            batch=options.batch,
            parts=options.updates,
            dtype=self.dtype,
        )
        self.sweeps += 1
        self.games += options.batch
        return told

    def train(self) -> None:
        """Sweeps until the schedule is over, or the time for a stop has come. Compiling does not count."""
        told = [wait(self.sweep())]
        began = spoke = saved = time.monotonic()
        before, stop = self.seconds, 60 * (self.options.stop or math.inf)
        while self.progress < 1 and self.seconds - before < stop:
            told.append(self.sweep())
            wait(told[-2])
            now = time.monotonic()
            self.seconds = before + now - began
            if now - spoke > self.options.every:
                self._report(told, now - spoke)
                told, spoke = told[-1:], now
            if now - saved > 60:
                self.save()
                saved = time.monotonic()
        self._report(told, time.monotonic() - spoke)
        self.save()

    def _report(self, told: list[dict[str, Array]], seconds: float) -> None:
        mean, error = (float(np.mean([one[name] for one in told])) for name in ("mean", "error"))
        games, batch = self.games, self.options.batch
        spent = (self.curve[-1]["seconds"] if self.curve else 0) + seconds
        self.curve.append(
            {"seconds": round(spent, 1), "games": games, "mean": round(mean, 3), "error": round(error, 4)}
        )
        speed = (len(told) - 1) * batch / max(seconds, 1e-9)
        print(
            f"{self.progress:6.1%} {spent:6.0f} s {games / 1e6:7.2f} M games {speed:8,.0f} games/s"
            f"  mean {mean:6.2f}  error {error:7.3f}",
            flush=True,
        )


def draw(curve: list[dict[str, float]], path: Path) -> None:
    """Draws the learning curve, if Matplotlib is there."""
    try:
        from matplotlib.figure import Figure
    except ImportError:
        return
    figure = Figure(figsize=(8, 4.5), layout="constrained")
    axes = figure.add_subplot()
    axes.plot([row["seconds"] / 60 for row in curve], [row["mean"] for row in curve])
    axes.set(xlabel="minutes of training", ylabel="mean points of the games it learns from", title="Knister")
    axes.grid(alpha=0.3)
    figure.savefig(path, dpi=150)


def options(arguments: list[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m sobremesa.training.knister", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("--out", type=Path, required=True, help="folder for everything that is written")
    add("--minutes", type=float, default=9, help="length of the schedule in minutes, without compiling and evaluating")
    add("--sweeps", type=int, default=0, help="length of the schedule in sweeps instead")
    add("--stop", type=float, default=0, help="stop after so many minutes, for --resume to go on later")
    add("--resume", type=Path, help="a checkpoint.npz to go on from")
    add("--seed", type=int, default=1)
    add("--batch", type=int, default=4096, help="games at a time")
    add("--updates", type=int, default=8, help="updates per sweep")
    add("--lr", type=float, default=2e-3, help="highest learning rate")
    add("--final", type=float, default=1e-5, help="last learning rate")
    add("--curiosity", type=float, default=0.03, help="share of random placements in the beginning")
    add("--trust", type=float, nargs=2, default=(0.75, 0.4), help="lambda in the beginning and at the end")
    add("--channels", type=int, default=128)
    add("--hidden", type=int, default=256)
    add("--rounds", type=int, default=4)
    add("--bins", type=int, default=0, help="also learn how totals spread about the mean, in so many bins")
    add("--games", type=int, default=100_000, help="games of the evaluation at the end")
    add("--looking", type=int, default=0, help="games of a second evaluation, looking ahead by one placement")
    add("--every", type=float, default=20, help="seconds between two lines of output")
    add("--tiny", action="store_true", help="a small network and small batches, to try everything out")
    chosen = parser.parse_args(arguments)
    if chosen.tiny:
        tiny = {"channels": 16, "hidden": 16, "rounds": 2, "batch": 256, "games": 1024, "updates": 4, "every": 2}
        parser.set_defaults(**tiny)
        chosen = parser.parse_args(arguments)
    return chosen


def main(arguments: list[str] | None = None) -> dict[str, Any]:
    """One whole run; returns what is also written into result.json."""
    run = Run(options(arguments))
    count = sum(leaf.size for leaf in jax.tree.leaves(run.learner.weights))
    print(f"{jax.devices()[0].device_kind}, {count:,} weights, jax {jax.__version__}", flush=True)
    began = time.monotonic()
    run.train()
    draw(run.curve, run.out / "curve.png")
    result: dict[str, Any] = {"training_games": run.games, "training_seconds": round(time.monotonic() - began, 1)}
    for name, games in (("network", run.options.games), ("looking_ahead", run.options.looking)):
        if games:
            batch, looking = min(run.options.batch, games), name != "network"
            result[name] = found = evaluate(
                run.learner.average, games, batch, run.options.seed + 2, run.dtype, looking=looking
            )
            print(f"{name}: " + "  ".join(f"{what} {value:.5g}" for what, value in found.items()), flush=True)
    (run.out / "result.json").write_text(json.dumps(result, indent=2) + "\n")
    return result


if __name__ == "__main__":
    main()
