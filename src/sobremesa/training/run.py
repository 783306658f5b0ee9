"""A run of training, whatever the game: what learns, at which pace, and the files that a run can go on from.

The folder of a run receives ``checkpoint.npz`` (weights and their average) and ``moments.npz`` (the optimiser's), every
minute and at the end; ``curve.csv`` and ``curve.png``; ``result.json``. A run that was stopped goes on with
``--resume``, on the same schedule; one that had finished starts a new, usually shorter and lower one, and with
``--anew`` one that was stopped does so, too.
"""

import argparse
import csv
import json
import math
import time
from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from pathlib import Path
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
import optax
from jax import Array

from sobremesa.core.errors import SobremesaError
from sobremesa.training import checkpoint
from sobremesa.training.layers import Weights

wait: Callable[[Any], Any] = jax.block_until_ready
"""Returns what it is given, once the device has computed it."""


class Learner(NamedTuple):
    """Everything that learning changes."""

    weights: Weights
    average: Weights
    """The exponential moving average (EMA) of the weights."""
    moments: optax.OptState
    """The state of the optimiser."""
    updates: Array
    """How many updates there were, [] of int32."""


class Pace(NamedTuple):
    """What changes in the course of a run, each [] of float32."""

    rate: Array | float
    """The learning rate."""
    epsilon: Array | float
    """How often a placement is random (epsilon-greedy exploration)."""
    td_lambda: Array | float
    """The lambda of lambda-returns: how far targets look ahead along the game that was played."""


OPTIMISER = optax.chain(optax.clip_by_global_norm(1.0), optax.scale_by_adam(b2=0.99), optax.add_decayed_weights(1e-4))


def start(weights: Weights, optimiser: optax.GradientTransformation = OPTIMISER) -> Learner:
    """A learner with these weights, which has not learnt anything yet."""
    return Learner(weights, jax.tree.map(jnp.copy, weights), optimiser.init(weights), jnp.zeros((), jnp.int32))


def improved(
    learner: Learner,
    gradient: Weights,
    rate: Array | float,
    optimiser: optax.GradientTransformation = OPTIMISER,
    max_decay: float = 0.995,
) -> Learner:
    """The learner after an update against the gradient; the moving average keeps at most ``max_decay`` of itself."""
    change, moments = optimiser.update(gradient, learner.moments, learner.weights)
    weights = jax.tree.map(lambda old, by: old - rate * by, learner.weights, change)
    keep = jnp.minimum(max_decay, (1 + learner.updates) / (10 + learner.updates))
    average = jax.tree.map(lambda old, new: keep * old + (1 - keep) * new, learner.average, weights)
    return Learner(weights, average, moments, learner.updates + 1)


def shuffled(key: Array, count: int, parts: int) -> Array:
    """The numbers below a count in random order, in parts of the same size, [parts, ...]: minibatches of an epoch."""
    order = jax.random.permutation(key, count)
    return order[: count // parts * parts].reshape(parts, -1)


def pace_at(progress: float, options: argparse.Namespace) -> Pace:
    """The pace when a share of a run, 0 to 1, is over: the rate warms up and then falls along half a cosine."""
    rate = options.final + (options.lr - options.final) * (1 + math.cos(math.pi * min(progress, 1))) / 2
    warm = min(1, 0.02 + progress / 0.02)
    first, last = options.trust
    epsilon = options.curiosity * max(0, 1 - progress / 0.8)
    return Pace(*map(jnp.float32, (rate * warm, epsilon, first + (last - first) * progress)))


class Run(ABC):
    """One run: its options, its learner, its curve, and where they are kept."""

    game: str
    """The name of the game."""
    figures: tuple[str, ...]
    """The names of the figures that are drawn."""
    label: str
    """The label of the axis on which they are drawn."""
    optimiser: optax.GradientTransformation = OPTIMISER

    def __init__(self, options: argparse.Namespace, size: Any, weights: Weights) -> None:
        """Begins with these weights of a network of that size, or goes on from a file if the options say so."""
        self.options = options
        self.out: Path = options.out
        self.size = size
        self.dtype = jnp.bfloat16 if jax.default_backend() == "gpu" else jnp.float32
        self.learner = start(weights, self.optimiser)
        self.sweeps = 0
        self.games = 0
        self.counted = 0
        """The games when the last line of output was written."""
        self.first = 0
        """The sweep with which the schedule began."""
        self.seconds = 0.0
        """How much of the schedule's time is over."""
        self.curve: list[dict[str, float]] = []
        if options.resume:
            self._resume(options.resume)

    @abstractmethod
    def learn(self, learner: Learner, key: Array, pace: Pace) -> tuple[Learner, dict[str, Array]]:
        """Plays a batch of games and learns from it; returns figures for the curve, too."""

    @abstractmethod
    def evaluate(self) -> dict[str, Any]:
        """How well it plays when all is learnt."""

    def finished(self, figures: dict[str, Array]) -> int:
        """How many games came to their end in a sweep with these figures."""
        return int(self.options.batch)

    def extra_figures(self) -> dict[str, float]:
        """More figures for the curve, taken as often as one is reported."""
        return {}

    def fresh(self, about: dict[str, Any]) -> Collection[str]:
        """The parts of the weights that are missing in a checkpoint, and are to be learnt from the start."""
        return ()

    @property
    def progress(self) -> float:
        """How much of the schedule is over, 0 to 1."""
        if self.options.sweeps:
            return (self.sweeps - self.first) / int(self.options.sweeps)
        return self.seconds / (60 * float(self.options.minutes))

    def _resume(self, path: Path) -> None:
        about = checkpoint.about(path)
        learner = self.learner
        fresh = self.fresh(about)
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
        if about["progress"] < 1 and not self.options.anew:
            self.first, self.seconds = about["first"], about["seconds"]
            if self.progress >= 1:
                raise SobremesaError("the run of {path} has had more already; --anew starts a new schedule", path=path)

    def save(self) -> None:
        """Writes the checkpoint and the curve."""
        options = {name: str(value) if isinstance(value, Path) else value for name, value in vars(self.options).items()}
        about = {
            "game": self.game,
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
                table = csv.DictWriter(file, list(dict.fromkeys(name for row in self.curve for name in row)))
                table.writeheader()
                table.writerows(self.curve)

    def sweep(self) -> dict[str, Array]:
        """One sweep at the present pace; returns before the device is done."""
        key = jax.random.fold_in(jax.random.key(self.options.seed + 1), self.sweeps)
        self.learner, figures = self.learn(self.learner, key, pace_at(self.progress, self.options))
        self.sweeps += 1
        self.games += self.finished(figures)
        return figures

    def train(self) -> None:
        """Sweeps until the schedule is over, or the time for a stop has come. Compiling does not count."""
        by_sweep = [wait(self.sweep())]
        self.extra_figures()
        self.counted = self.games
        began = spoke = saved = time.monotonic()
        before, stop = self.seconds, 60 * (self.options.stop or math.inf)
        while self.progress < 1 and self.seconds - before < stop:
            by_sweep.append(self.sweep())
            wait(by_sweep[-2])
            now = time.monotonic()
            self.seconds = before + now - began
            if now - spoke > self.options.every:
                self._report(by_sweep, now - spoke)
                by_sweep, spoke = by_sweep[-1:], now
            if now - saved > 60:
                self.save()
                saved = time.monotonic()
        self._report(by_sweep, time.monotonic() - spoke)
        self.save()

    def _report(self, by_sweep: list[dict[str, Array]], seconds: float) -> None:
        means = {name: float(np.mean([one[name] for one in by_sweep])) for name in by_sweep[0]}
        figures = means | self.extra_figures()
        games = self.games
        spent = (self.curve[-1]["seconds"] if self.curve else 0) + seconds
        row = {"seconds": round(spent, 1), "games": games}
        self.curve.append(row | {name: round(figure, 4) for name, figure in figures.items()})
        speed = (games - self.counted) / max(seconds, 1e-9)
        self.counted = games
        print(
            f"{self.progress:6.1%} {spent:6.0f} s {games / 1e6:7.2f} M games {speed:8,.0f} games/s"
            + "".join(f"  {name} {figure:7.3f}" for name, figure in figures.items()),
            flush=True,
        )

    def whole(self) -> dict[str, Any]:
        """Trains, draws the curve, and evaluates; returns what is also written into result.json."""
        count = sum(leaf.size for leaf in jax.tree.leaves(self.learner.weights))
        print(f"{jax.devices()[0].device_kind}, {count:,} weights, jax {jax.__version__}", flush=True)
        began = time.monotonic()
        self.train()
        self._draw()
        spent = round(time.monotonic() - began, 1)
        result: dict[str, Any] = {"training_games": self.games, "training_seconds": spent} | self.evaluate()
        (self.out / "result.json").write_text(json.dumps(result, indent=2) + "\n")
        return result

    def _draw(self) -> None:
        """Draws the learning curve, if Matplotlib is there."""
        try:
            from matplotlib.figure import Figure
        except ImportError:
            return
        picture = Figure(figsize=(8, 4.5), layout="constrained")
        axes = picture.add_subplot()
        for name in self.figures:
            rows = [row for row in self.curve if name in row]
            axes.plot([row["seconds"] / 60 for row in rows], [row[name] for row in rows], label=name)
        axes.set(xlabel="minutes of training", ylabel=self.label, title=self.game)
        if len(self.figures) > 1:
            axes.legend()
        axes.grid(alpha=0.3)
        picture.savefig(self.out / "curve.png", dpi=150)


def show(name: str, found: dict[str, float]) -> None:
    """Prints the figures of an evaluation."""
    print(f"{name}: " + "  ".join(f"{what} {value:.5g}" for what, value in found.items()), flush=True)


def parser(module: str, about: str) -> argparse.ArgumentParser:
    """The options that all games share; their modules say how large a network and its batches are."""
    answer = argparse.ArgumentParser(prog=f"python -m {module}", description=about.split("\n")[0])
    add = answer.add_argument
    add("--out", type=Path, required=True, help="folder for everything that is written")
    add("--minutes", type=float, default=9, help="length of the schedule in minutes, without compiling and evaluating")
    add("--sweeps", type=int, default=0, help="length of the schedule in sweeps instead")
    add("--stop", type=float, default=0, help="stop after so many minutes, for --resume to go on later")
    add("--resume", type=Path, help="a checkpoint.npz to go on from")
    add("--anew", action="store_true", help="start a new schedule from there even if the old one is not over")
    add("--seed", type=int, default=1)
    add("--batch", type=int, help="games at a time")
    add("--updates", type=int, default=8, help="updates per sweep")
    add("--lr", type=float, default=2e-3, help="highest learning rate")
    add("--final", type=float, default=1e-5, help="last learning rate")
    add("--curiosity", type=float, default=0.03, help="share of random placements in the beginning")
    add("--trust", type=float, nargs=2, help="lambda in the beginning and at the end")
    add("--channels", type=int)
    add("--hidden", type=int)
    add("--rounds", type=int)
    add("--games", type=int, help="games of the evaluation at the end")
    add("--every", type=float, default=20, help="seconds between two lines of output")
    add("--tiny", action="store_true", help="a small network and small batches, to try everything out")
    return answer


def chosen(parser: argparse.ArgumentParser, arguments: list[str] | None, tiny: dict[str, Any]) -> argparse.Namespace:
    """What the command line says; with --tiny other numbers are usual."""
    options = parser.parse_args(arguments)
    if options.tiny:
        parser.set_defaults(**tiny)
        options = parser.parse_args(arguments)
    return options


def average(path: Path, size: Callable[..., Any], init: Callable[[Array, Any], Weights]) -> Weights:
    """The average of the weights in a checkpoint of a network that has such sizes and begins like this."""
    chosen = size(**checkpoint.about(path)["size"])
    like = jax.eval_shape(lambda: init(jax.random.key(0), chosen))
    found: Weights = checkpoint.load(path, {"average": like})["average"]
    return found
