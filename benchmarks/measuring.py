"""Everybody by turns, each for a moment at a time, so that what else the machine does falls on all of them alike.

What is counted is processor time, of all threads together, on one core where the system lets a program choose: what
others do on the machine then matters little, and a library gains nothing by using several cores.
"""

import os
from collections.abc import Callable, Sequence
from importlib.metadata import PackageNotFoundError, version
from math import exp, log
from random import Random
from time import process_time
from typing import Any, NamedTuple

from contenders import Contender
from sobremesa.cli.bench import machine
from sobremesa.engines.arena import Mean

PACKAGES = ("jax", "open_spiel", "pettingzoo", "pgx")
WARM_UPS = 20
"""How often everybody plays before the clock runs: branching is counted meanwhile."""
Row = dict[str, Any]
"""One contender in the file: ``library``, ``game``, ``branching`` (or None), and ``rates``, one for each turn."""


class Rate(NamedTuple):
    """A geometric mean over turns, with its 95% interval."""

    mean: float
    low: float
    high: float


def stay_on_one_core() -> bool:
    """Keeps this process, and what it starts, on one core; says whether that was possible. Before JAX is imported."""
    if not hasattr(os, "sched_setaffinity"):
        return False
    os.sched_setaffinity(0, {max(os.sched_getaffinity(0))})
    return True


def compare(
    chosen: Sequence[Contender], seconds: float, turns: int, report: Callable[[int], None] = lambda done: None
) -> dict[str, Any]:
    """Measures everybody for ``seconds`` in each of so many turns, in another order every time."""
    ready = [contender.prepare() for contender in chosen]
    branching: list[float | None] = []
    for play in ready:
        moves, choices = play()  # What runs for the first time is compiled, imported or cached now.
        for _ in range(WARM_UPS if choices else 0):
            one = play()
            moves, choices = moves + one[0], choices + one[1]
        branching.append(choices / moves if choices else None)
    rates: list[list[float]] = [[] for _ in ready]
    random = Random(1)
    for turn in range(turns):
        report(turn)
        for who in random.sample(range(len(ready)), len(ready)):
            moves, began = 0, process_time()
            while (spent := process_time() - began) < seconds:
                moves += ready[who]()[0]
            rates[who].append(moves / spent)
    report(turns)
    rows = [
        {
            "library": contender.library,
            "game": contender.game,
            "branching": mean,
            "rates": [round(one, 1) for one in own],
        }
        for contender, mean, own in zip(chosen, branching, rates, strict=True)
    ]
    return {"seconds": seconds, "turns": turns, "rows": rows}


def about(one_core: bool) -> list[str]:
    """What the figures were measured on, when, and with which versions."""
    found = list(machine("one used" if one_core else "processor time of all used").values())
    for name in PACKAGES:
        try:
            found.append(f"{name} {version(name)}")
        except PackageNotFoundError:
            continue
    return found


def rate(row: Row) -> Rate:
    """Moves a second."""
    return _exponential([log(one) for one in row["rates"]])


def ratio(one: Row, other: Row) -> Rate:
    """How many times as many moves the first makes: what they did in the same turn is compared."""
    return _exponential([log(a / b) for a, b in zip(one["rates"], other["rates"], strict=True)])


def _exponential(logs: Sequence[float]) -> Rate:
    mean = Mean.of(logs)
    return Rate(exp(mean.mean), exp(mean.mean - mean.half_width), exp(mean.mean + mean.half_width))
