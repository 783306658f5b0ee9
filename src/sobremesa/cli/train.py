"""``sobremesa train``: teaches a network by letting it play."""

import argparse
from importlib.util import find_spec
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.games import GAMES


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "train",
        parents=[common],
        help="teach a network by letting it play",
        epilog="example: sobremesa train knister --minutes 9 --out run1 (and sobremesa train knister --help)",
    )
    parser.add_argument("game", choices=[id for id, game in GAMES.items() if game.training])
    parser.add_argument(
        "arguments", nargs=argparse.REMAINDER, metavar="ARGUMENTS", help="what the game's training takes"
    )
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    if not all(map(find_spec, ("jax", "optax"))):
        raise SobremesaError("cli.error.teaching-a-network-needs-jax")
    GAMES[chosen.game].load("training")(chosen.arguments)
    return 0
