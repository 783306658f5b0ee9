"""``sobremesa analyse``: a position or a game looked over by the strongest player."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sobremesa.cli.bench import progress
from sobremesa.cli.terminal import Terminal
from sobremesa.core.state import State
from sobremesa.engines.analysis import SECONDS_OF_A_POSITION, SECONDS_OF_A_REVIEW, Analysis, analyse, game_of
from sobremesa.engines.player import Budget
from sobremesa.engines.registry import check_player
from sobremesa.engines.review import Review, compare, moments, review
from sobremesa.games import GAMES, parse_position
from sobremesa.table.files import load
from sobremesa.table.record import Record

BARS = "▁▂▃▄▅▆▇█"
MAX_CANDIDATES = 12
"""The moves of a position that are listed, the best first."""


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "analyse",
        parents=[common],
        help="look a game over: what each move gave away; or a position: what to do there",
        epilog="example: sobremesa analyse game.json",
    )
    parser.add_argument("what", metavar="FILE|POSITION", help="a record, a .blksgf file, or a position as text")
    parser.add_argument("--player", default="champion", metavar="NAME", help="whose opinion (%(default)s)")
    parser.add_argument(
        "--seat", type=int, metavar="N", help="whose moves, counted from 0 (default: all; in a position who decides)"
    )
    parser.add_argument(
        "--seconds",
        type=float,
        metavar="S",
        help=f"how long at most: for each move of a game ({SECONDS_OF_A_REVIEW}),"
        f" for a position ({SECONDS_OF_A_POSITION})",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    if chosen.what.partition(" ")[0] in GAMES:
        _look_at(parse_position(chosen.what), chosen, terminal)
    else:
        _look_over(load(Path(chosen.what)), chosen, terminal)
    return 0


def _look_at(state: State[Any], chosen: argparse.Namespace, terminal: Terminal) -> None:
    check_player(chosen.player, game_of(state))
    found = analyse(state, chosen.seat, seconds=chosen.seconds, player=chosen.player)
    if chosen.json:
        terminal.show(json.dumps(_position_as_json(state, found)))
        return
    terminal.show(found.view.text(terminal.colour) + "\n")
    if found.assumed:
        terminal.say("cli.as-if-seat-remembered-everything-that-was", seat=found.seat)
    formatted = "{:.1f}" if found.measure == "points" else "{:.0%}"
    for candidate in found.candidates[:MAX_CANDIDATES]:
        terminal.show(f"{candidate.move!s:>8}  {'=' if found.exact else '~'} {formatted.format(candidate.value)}")
    if not found.candidates:
        terminal.show(str(found.move))


def _position_as_json(state: State[Any], found: Analysis[Any]) -> dict[str, Any]:
    return {
        "game": game_of(state).id,
        "position": state.position(),
        "seat": found.seat,
        "player": found.player,
        "assumed": found.assumed,
        "measure": found.measure,
        "move": str(found.move),
        "moves": [{"move": str(c.move), "value": c.value, "visits": c.visits} for c in found.candidates],
        "chances": list(found.chances),
        "exact": found.exact,
    }


def _look_over(record: Record, chosen: argparse.Namespace, terminal: Terminal) -> None:
    check_player(chosen.player, record.game_played)
    seats = None if chosen.seat is None else (chosen.seat,)
    decided = moments(record, seats)
    report = progress(len(decided)) if sys.stderr.isatty() else lambda number: None
    thoughts = []
    seconds = SECONDS_OF_A_REVIEW if chosen.seconds is None else chosen.seconds
    for _, thought in review(record, chosen.player, Budget(seconds=seconds), seats):
        thoughts.append(thought)
        report(len(thoughts))
    found = compare(record, decided, thoughts)
    if chosen.json:
        terminal.show(json.dumps(_as_json(record, found)))
    else:
        _show(record, found, terminal)


def _show(record: Record, found: Review, terminal: Terminal) -> None:
    names = record.names or tuple(map(str, range(record.final().seats)))

    def formatted(value: float) -> str:
        return f"{value:.1f}" if found.measure == "points" else f"{value:.0%}"

    for move in found.moves:
        better = [str(c.move) for c in move.best[:3] if str(c.move) != move.move] if move.lost > 0 else []
        mark = "=" if move.exact else "~"
        line = f"{move.event:>3}. {names[move.seat]}: {move.move}  {mark} {formatted(move.value)}"
        if better:
            lost = f"{formatted(move.lost)}  " + terminal.words("cli.better-moves", moves=" ".join(better))
            line += f"  −{lost}"
        terminal.show(line)
    terminal.show("")
    for seat, name in enumerate(names):
        terminal.say("cli.gave-away-in-all", name=name, lost=formatted(found.lost(seat)))
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
