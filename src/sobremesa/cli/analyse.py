"""``sobremesa analyse``: a finished game looked over by the strongest player."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sobremesa.cli.bench import progress
from sobremesa.cli.files import read_game
from sobremesa.cli.terminal import Terminal
from sobremesa.engines.player import Budget
from sobremesa.engines.registry import check_player
from sobremesa.engines.review import Review, compare, moments, review
from sobremesa.table.record import Record

BARS = "▁▂▃▄▅▆▇█"


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "analyse",
        parents=[common],
        help="look a game over: what each move gave away, and how the chances went",
        epilog="example: sobremesa analyse game.json",
    )
    parser.add_argument("record", type=Path, metavar="RECORD", help="a record, or a .blksgf file")
    parser.add_argument("--player", default="champion", metavar="NAME", help="whose opinion (%(default)s)")
    parser.add_argument("--seconds", type=float, default=0.7, metavar="S", help="for each move (%(default)s)")
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    record = read_game(chosen.record)
    check_player(chosen.player, record.game_played)
    decided = moments(record)
    report = progress(len(decided)) if sys.stderr.isatty() else lambda number: None
    thoughts = []
    for _, thought in review(record, chosen.player, Budget(seconds=chosen.seconds)):
        thoughts.append(thought)
        report(len(thoughts))
    found = compare(record, decided, thoughts)
    if chosen.json:
        terminal.show(json.dumps(_as_json(record, found)))
    else:
        _show(record, found, terminal)
    return 0


def _show(record: Record, found: Review, terminal: Terminal) -> None:
    names = record.names or tuple(map(str, range(record.final().seats)))

    def formatted(value: float) -> str:
        return f"{value:.1f}" if found.measure == "points" else f"{value:.0%}"

    for move in found.moves:
        better = [str(c.move) for c in move.best[:3] if str(c.move) != move.move] if move.lost > 0 else []
        mark = "=" if move.exact else "~"
        line = f"{move.event:>3}. {names[move.seat]}: {move.move}  {mark} {formatted(move.value)}"
        if better:
            lost = f"{formatted(move.lost)}  " + terminal.words("better: {moves}", moves=" ".join(better))
            line += f"  −{lost}"
        terminal.show(line)
    terminal.show("")
    for seat, name in enumerate(names):
        terminal.say("{name} gave away {lost} in all.", name=name, lost=formatted(found.lost(seat)))
    for seat, name in enumerate(names):
        curve = [p.chances[seat] for p in found.curve if len(p.chances) > seat]
        if curve:
            terminal.show(f"{name:>12} " + "".join(BARS[min(7, max(0, int(8 * chance)))] for chance in curve))


def _as_json(record: Record, found: Review) -> dict[str, Any]:
    return {
        "game": record.game,
        "measure": found.measure,
        "moves": [
            {
                "event": move.event,
                "seat": move.seat,
                "move": move.move,
                "value": move.value,
                "lost": move.lost,
                "best": [{"move": str(c.move), "value": c.value, "visits": c.visits} for c in move.best],
                "exact": move.exact,
            }
            for move in found.moves
        ],
        "curve": [
            {"event": point.event, "chances": list(point.chances), "points": list(point.points)}
            for point in found.curve
        ],
    }
