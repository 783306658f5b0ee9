"""``sobremesa bench``: how fast the rules are on this machine."""

import argparse
import json
import os
import platform
import statistics
import sys
from collections.abc import Callable
from datetime import date
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

from sobremesa import __version__
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game, Value
from sobremesa.core.playout import playout, random_play
from sobremesa.core.state import State
from sobremesa.games import GAMES

_REPEATS = 5
Kind = tuple[str, str, dict[str, Value]]


class Row(NamedTuple):
    """One line of the table. Rates are medians over the repeats, with the slowest and the fastest."""

    kind: str
    playouts: float
    slowest: float
    fastest: float
    moves: float


def kinds() -> list[Kind]:
    """Every kind of table that is measured; what only changes the views costs nothing."""
    return [
        (f"{game.id} {name.replace('-', ' ')}", game.id, dict(options))
        for game in GAMES.values()
        for name, options in game.kinds().items()
        if not any(o.changes == "views" and options.get(o.name) == o.choices[-1] for o in game.options)
    ]


def measure(start: State[Any], seconds: float) -> tuple[list[float], float]:
    """Playouts a second, for each repeat, and moves a second over all."""
    random = Random(1)
    rates, moves, spent = [], 0, 0.0
    playout(start, random)
    for _ in range(_REPEATS):
        playouts, began = 0, perf_counter()
        while (elapsed := perf_counter() - began) < seconds / _REPEATS:
            moves += sum([seat is not None for seat, _ in random_play(start, random)])
            playouts += 1
        rates.append(playouts / elapsed)
        spent += elapsed
    return rates, moves / spent


def measure_crowd(game: Game, seats: int) -> float:
    """Microseconds for one move in a crowd of that many seats, over one full round."""
    random = Random(1)
    times = []
    for _ in range(_REPEATS):
        state = game.start(seats=seats)
        while state.chance is not None:
            state = state.happen(state.chance.draw(random))
        moves = [state.random_move(random, seat) for seat in range(seats)]
        began = perf_counter()
        for seat, move in enumerate(moves):
            state = state.play(move, seat)
        times.append((perf_counter() - began) / seats * 1e6)
    return statistics.median(times)


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "bench",
        parents=[common],
        help="measure the rules: random playouts and moves a second",
        epilog="example: sobremesa bench --seconds 5 --only callisto",
    )
    parser.add_argument("--seconds", type=float, default=2.0, help="how long to measure each line (%(default)s)")
    parser.add_argument("--only", default="", metavar="TEXT", help="only lines that contain this text")
    parser.add_argument("--json", action="store_true", help="print the figures as JSON")
    parser.add_argument(
        "--batch", action="store_true", help="measure the rules in JAX instead, on every device that it finds"
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    if chosen.batch:
        return _run_batch(chosen, terminal)
    chosen_kinds = [kind for kind in kinds() if chosen.only in kind[0]]
    report = progress(len(chosen_kinds)) if sys.stderr.isatty() else lambda done: None
    rows = []
    for done, (kind, game, options) in enumerate(chosen_kinds):
        report(done)
        rates, moves = measure(GAMES[game].start(**options), chosen.seconds)
        rows.append(Row(kind, statistics.median(rates), min(rates), max(rates), moves))
    crowds = {
        id: {seats: measure_crowd(game, seats) for seats in (2, 100, 10_000)}
        for id, game in GAMES.items()
        if game.crowd and chosen.only in id
    }
    report(len(chosen_kinds))
    if chosen.json:
        terminal.show(json.dumps(machine() | {"rows": [row._asdict() for row in rows], "crowd_move_us": crowds}))
        return 0
    terminal.show(" · ".join(f"{value}" for value in machine().values()))
    terminal.show("| kind | playouts/s | slowest to fastest | moves/s |\n|---|---:|---:|---:|")
    for row in rows:
        terminal.show(
            f"| {row.kind} | {row.playouts:,.0f} | {row.slowest:,.0f} to {row.fastest:,.0f} | {row.moves:,.0f} |"
        )
    for id, times in crowds.items():
        terminal.show(f"\n| seats of {GAMES[id].name} | microseconds a move |\n|---:|---:|")
        for seats, microseconds in times.items():
            terminal.show(f"| {seats:,} | {microseconds:.1f} |")
    return 0


def _run_batch(chosen: argparse.Namespace, terminal: Terminal) -> int:
    try:
        import jax
    except ImportError:
        raise SobremesaError("cli.error.the-rules-for-thousands-of-games-need-jax") from None
    from sobremesa.batch.speed import devices, measure
    from sobremesa.batch.tables import rules_for

    measured = [kind for kind in kinds() if chosen.only in kind[0] and GAMES[kind[1]].batch]
    todo = [(kind, device) for kind in measured for device in devices()]
    report = progress(len(todo)) if sys.stderr.isatty() else lambda done: None
    rows = []
    for done, ((kind, game, options), device) in enumerate(todo):
        report(done)
        rows.append({"kind": kind} | measure(rules_for(game, **options), device, chosen.seconds)._asdict())
    report(len(todo))
    about = machine("all used") | {"jax": f"jax {jax.__version__}"}
    if chosen.json:
        terminal.show(json.dumps(about | {"rows": rows}))
        return 0
    terminal.show(" · ".join(about.values()))
    terminal.show("| kind | device | games | a step compiles in | moves/s | masks/s | observations/s |")
    terminal.show("|---|---|---:|---:|---:|---:|---:|")
    for row in rows:
        figures = " | ".join(f"{row[name]:,.0f}" for name in ("moves", "masks", "observations"))
        terminal.show(f"| {row['kind']} | {row['device']} | {row['games']:,} | {row['compile']:.1f} s | {figures} |")
    return 0


def machine(cores: str = "one used") -> dict[str, str]:
    """What the figures were measured on, and when."""
    processor = platform.processor() or platform.machine()
    try:
        with open("/proc/cpuinfo") as info:
            processor = next(
                (line.split(":", 1)[1].strip() for line in info if line.startswith("model name")), processor
            )
    except OSError:
        pass
    return {
        "date": date.today().isoformat(),
        "sobremesa": f"sobremesa {__version__}",
        "python": f"{platform.python_implementation()} {platform.python_version()}",
        "machine": f"{processor}, {os.cpu_count()} cores, {cores}",
    }


def progress(total: int) -> Callable[[int], None]:
    """Draws a bar on standard error whenever it is called with how much is done."""

    def show(done: int) -> None:
        bar = "█" * (30 * done // max(total, 1))
        print(f"\r{bar:░<30} {done}/{total}", end="\n" if done == total else "", file=sys.stderr, flush=True)

    return show
