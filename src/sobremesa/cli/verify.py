"""``sobremesa verify``: is a record true?"""

import argparse
import json
from pathlib import Path
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.table.files import load
from sobremesa.table.record import MAX_RECORD_BYTES, Record
from sobremesa.table.verify import Verdict, verify


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "verify",
        parents=[common],
        help="check a game's record: every move, the result, and that chance was fair",
        epilog="example: sobremesa verify game.json",
    )
    parser.add_argument("files", type=Path, nargs="+", metavar="FILE")
    parser.add_argument(
        "--limit", type=int, default=MAX_RECORD_BYTES, metavar="BYTES", help="refuse larger files (%(default)s)"
    )
    parser.add_argument("--json", action="store_true", help="print the findings as JSON, a line for each file")
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    wrong = 0
    for path in chosen.files:
        try:
            record = load(path, chosen.limit)
            verdict = verify(record)
        except SobremesaError as error:
            wrong += 1
            if chosen.json:
                terminal.show(json.dumps({"file": str(path), "true": False, "error": str(error)}))
            else:
                terminal.complain(SobremesaError("{file}: {error}", file=path, error=error))
            continue
        if chosen.json:
            terminal.show(json.dumps({"file": str(path), "true": True} | _findings(record, verdict)))
        else:
            _report(path, record, verdict, terminal)
    return 1 if wrong else 0


def _findings(record: Record, verdict: Verdict) -> dict[str, Any]:
    result = record.result
    return {
        "game": record.game,
        "seats": verdict.final.seats,
        "moves": verdict.moves,
        "rolls": verdict.rolls,
        "over": verdict.final.over,
        "scores": result and list(result.scores),
        "places": result and list(result.places),
        "fair": verdict.fair,
        "proof": verdict.version,
        "took_part": list(verdict.bound),
        "void": verdict.voids,
        "unopened": verdict.unopened,
    }


def _report(path: Path, record: Record, verdict: Verdict, terminal: Terminal) -> None:
    terminal.say(
        "cli.seats-moves-all-legal",
        file=path,
        game=record.game_played.name,
        seats=verdict.final.seats,
        moves=verdict.moves,
    )
    if record.result:
        scores = " ".join(map(str, record.result.scores[:20])) + (" …" if verdict.final.seats > 20 else "")
        terminal.say("cli.the-result-is-right", scores=scores)
    else:
        terminal.say("cli.the-game-is-not-over")
    if verdict.fair:
        _report_chance(verdict, terminal)
    elif verdict.rolls:
        terminal.say("cli.whether-chance-was-fair-cannot-be")


def _report_chance(verdict: Verdict, terminal: Terminal) -> None:
    """What the proof shows, and no more than that."""
    terminal.say("cli.chance-kept-to-the-promise", rolls=verdict.rolls)
    if verdict.bound:
        shown = ", ".join(str(seat + 1) for seat in verdict.bound[:20]) + (" …" if len(verdict.bound) > 20 else "")
        terminal.say(
            "cli.seats-that-took-part",
            seats=shown,
        )
    else:
        terminal.say(
            "cli.no-seat-took-part",
            version=verdict.version,
        )
    if verdict.voids:
        terminal.say(
            "cli.promises-became-void",
            voids=verdict.voids,
        )
    if verdict.unopened:
        terminal.say("cli.seats-did-not-open", count=verdict.unopened)
