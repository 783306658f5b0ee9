"""``sobremesa gtp``: Callisto for programs that talk, such as Pentobi's match tool."""

import argparse
import os
import sys
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.engines.levels import LEVELS
from sobremesa.games.callisto.engine.engine_set import make_player
from sobremesa.games.callisto.engine.gtp import GTP_GAMES, Engine, Settings

MAX_LINE_BYTES = 4096
"""Longer lines are cut off: the protocol has none."""


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "gtp",
        parents=[common],
        help="play Callisto with programs that speak the Go Text Protocol, as Pentobi's engine does",
        epilog="example: sobremesa gtp --game callisto_2 --level 8 --time 2 --threads 2",
    )
    parser.add_argument("--game", choices=tuple(GTP_GAMES), default="callisto_2", help="the table (%(default)s)")
    levels = ", ".join(f"{number} {id}" for id, number in LEVELS.items())
    parser.add_argument("--level", type=int, choices=range(1, len(LEVELS) + 1), default=len(LEVELS), help=levels)
    parser.add_argument(
        "--time", type=float, default=0.0, metavar="S", help="seconds a move, at most (as the level says)"
    )
    parser.add_argument(
        "--threads", type=int, default=min(2, os.cpu_count() or 1), metavar="N", help="cores (%(default)s)"
    )
    parser.add_argument("--seed", type=int, metavar="N", help="the same seed gives the same random choices")
    parser.add_argument("--weights", type=Path, metavar="FILE", help="another network than the one of the house")
    parser.add_argument(
        "--changes",
        default="",
        metavar="SETTINGS",
        help="what differs from the level's skill, to try it out: 'simulations=200 c_puct=0.5'",
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    if chosen.weights is not None:
        chosen.weights.open("rb").close()
    settings = Settings(level=chosen.level, time=max(0.0, chosen.time), threads=max(1, chosen.threads))
    make = partial(make_player, file=chosen.weights, changes=chosen.changes)
    engine = Engine(GTP_GAMES[chosen.game], make, settings, Random(chosen.seed))
    try:
        talk(engine)
    except KeyboardInterrupt:
        return 130
    return 0


def talk(engine: Engine) -> None:
    """Reads commands and answers them, until there are no more."""
    while engine.open and (line := sys.stdin.buffer.readline(MAX_LINE_BYTES)):
        while not line.endswith(b"\n") and (more := sys.stdin.buffer.readline(MAX_LINE_BYTES)):
            line = line[:MAX_LINE_BYTES] + more[-1:]
        sys.stdout.buffer.write(engine.answer(line.decode(errors="replace")).encode(errors="replace"))
        sys.stdout.buffer.flush()
