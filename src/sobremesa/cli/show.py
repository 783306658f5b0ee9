"""``sobremesa show``: a position or a game, drawn."""

import argparse
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import InvalidRecord
from sobremesa.core.state import State
from sobremesa.games import GAMES, parse_position
from sobremesa.table.files import load


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "show",
        parents=[common],
        help="draw a game or a position",
        epilog="example: sobremesa show game.json --after 12 --svg board.svg",
    )
    parser.add_argument("what", metavar="FILE|POSITION", help="a record, a .blksgf file, or a position as text")
    parser.add_argument("--after", type=int, metavar="N", help="after so many events of the record (default: all)")
    parser.add_argument("--seat", type=int, help="as this seat sees it, counted from 0 (default: a spectator)")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="write a picture")
    parser.add_argument("--position", action="store_true", help="print the position as text")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    state = _find(chosen.what, chosen.after)
    view = state.view(chosen.seat)
    if chosen.svg:
        chosen.svg.write_text(view.svg(), encoding="utf-8")
    if chosen.position:
        terminal.show(state.position())
    if not chosen.svg and not chosen.position:
        terminal.show(view.text(terminal.colour))
    return 0


def _find(what: str, after: int | None) -> State[Any]:
    if what.partition(" ")[0] in GAMES:
        return parse_position(what)
    states = list(load(Path(what)).states())
    if after is None:
        return states[-1]
    if not 0 <= after < len(states):
        raise InvalidRecord("cli.error.the-record-has-events", events=len(states) - 1)
    return states[after]
