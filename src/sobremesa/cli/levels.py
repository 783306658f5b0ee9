"""``sobremesa levels``: measures the usual computer players of a game, and spreads eight levels evenly over them."""

import argparse
import json
import sys
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any

from sobremesa.cli.arena import add_where, where
from sobremesa.cli.bench import machine, progress
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game
from sobremesa.engines import arena, elo
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.usual_set import LEVELS_FILE, strength_name, strength_of_name
from sobremesa.games import GAMES, find_game

NOISES = (8.0, 4.0, 2.0, 1.0, 0.5, 0.2, 0.0)
"""The candidates that look one move ahead: their noise, in standard deviations."""
SIMULATIONS = (2, 4, 8, 16, 30, 60, 120, 250, 500, 1000, 2500)
"""The candidates that search."""


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "levels",
        parents=[common],
        help="measure the computer players of a game without engines of its own, and choose eight at even steps",
        epilog="example: sobremesa levels reversi --games 300 --jobs 2 --write",
    )
    usual = [id for id, game in GAMES.items() if not game.engines]
    parser.add_argument("game", choices=usual, metavar="GAME", help=", ".join(usual) or "no game needs it")
    parser.add_argument("--games", type=int, default=200, metavar="N", help="games in all (%(default)s)")
    add_where(parser)
    parser.add_argument("--seed", default="levels", metavar="TEXT", help="the same seed gives the same deals")
    parser.add_argument("--most", type=int, default=2500, metavar="N", help="the most simulations tried (%(default)s)")
    parser.add_argument("--write", action="store_true", help=f"write them into the package's {LEVELS_FILE}")
    parser.set_defaults(run=_run)


def candidates(game: Game, most: int) -> list[str]:
    """The names of the players that are tried, the weakest first as far as one knows beforehand."""
    looking = [strength_name(noise) for noise in NOISES] if game.heuristic is not None else []
    searching = [strength_name(count) for count in SIMULATIONS if count <= most] if game.sample is not None else []
    return looking + searching


def spread(rated: dict[str, float]) -> dict[str, float]:
    """Eight players at even steps of strength, from the weakest to the strongest: what each level is made of."""
    names = sorted(rated, key=rated.__getitem__)
    low, high = rated[names[0]], rated[names[-1]]
    chosen: list[str] = []
    for index in range(len(LEVELS)):
        wanted = low + (high - low) * index / (len(LEVELS) - 1)
        later = len(LEVELS) - 1 - index
        # So many must be left for the levels above, and none may come twice.
        free = [n for n in names[: len(names) - later] if not chosen or names.index(n) > names.index(chosen[-1])]
        chosen.append(min(free, key=lambda name: abs(rated[name] - wanted)))
    found = zip(LEVELS, map(strength_of_name, chosen), strict=True)
    return {level: strength for level, strength in found if strength is not None}


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    game = find_game(chosen.game)
    names = candidates(game, chosen.most)
    if len(names) < len(LEVELS):
        raise SobremesaError("cli.error.has-too-few-computer-players-for-eight-levels", game=game.name)
    report = progress if sys.stderr.isatty() else lambda total: lambda done: None
    # Neighbours play each other: that tells most about the steps between them.
    todo = [
        fixture
        for pair in [*pairwise(names), *zip(names, names[3:], strict=False)]
        for fixture in arena.fixtures(game.id, pair, max(2, chosen.games // (2 * len(names))), chosen.seed, {}, 2)
    ]
    done = arena.play_all(todo, chosen.jobs, report(len(todo)), ray=chosen.ray)
    ratings = elo.ratings(done, names[0])
    rated = {name: mean.mean for name, mean in ratings.items()}
    levels = spread(rated)
    about = machine(where(chosen))
    terminal.show(f"{game.name} · {len(done)} · " + " · ".join(about.values()))
    terminal.show("\n| player | Elo |\n|---|---:|")
    for name in sorted(rated, key=rated.__getitem__):
        terminal.show(f"| {name} | {rated[name]:.0f} ± {ratings[name].half_width:.0f} |")
    terminal.show(json.dumps(levels))
    if chosen.write:
        file = Path(str(files(game.package))) / LEVELS_FILE
        file.write_text(json.dumps({"levels": levels, "measured": about | {"games": len(done)}}, indent=2) + "\n")
        terminal.say("cli.written-into", file=file)
    return 0
