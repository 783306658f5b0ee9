"""``sobremesa arena``: computer players against each other."""

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from sobremesa.cli.bench import machine, progress
from sobremesa.cli.play import read_names
from sobremesa.cli.terminal import Terminal
from sobremesa.core.game import Game, Value
from sobremesa.engines import arena
from sobremesa.engines.arena import Mean
from sobremesa.engines.contest import Contest, contest, table_size
from sobremesa.engines.registry import check_player
from sobremesa.games import GAMES, find_game
from sobremesa.table.files import save


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "arena",
        parents=[common],
        help="let computer players play against each other, and count",
        epilog="example: sobremesa arena isis-osiris --seats champion,club --games 100",
    )
    parser.add_argument("game", choices=tuple(GAMES), metavar="GAME", help=" / ".join(GAMES))
    parser.add_argument(
        "--seats",
        required=True,
        metavar="NAMES",
        help="who plays, with commas; a name may come twice. uct-200 etc. too",
    )
    parser.add_argument(
        "--table", type=int, metavar="N", help="how many sit at a table (default: all that are named, or 2 of many)"
    )
    parser.add_argument("--games", type=int, default=100, metavar="N", help="at least so many games (%(default)s)")
    parser.add_argument("--seed", default="1", metavar="TEXT", help="the same seed gives the same deals (%(default)s)")
    add_where(parser)
    parser.add_argument(
        "--option",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="how the table is set: --option edition=pocket",
    )
    parser.add_argument("--json", action="store_true", help="print everything as JSON")
    parser.add_argument("--records", type=Path, metavar="FOLDER", help="keep the record of every game")
    parser.set_defaults(run=_run)


def add_where(parser: argparse.ArgumentParser) -> None:
    """Adds what says where games are played."""
    group = parser.add_mutually_exclusive_group()
    group.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at the same time (%(default)s)")
    group.add_argument(
        "--ray",
        nargs="?",
        const="",
        metavar="ADDRESS",
        help="play on a Ray cluster: the one at this address, or else the one that Ray finds by itself",
    )


def where(chosen: argparse.Namespace) -> str:
    """The same in words, for the line that says what was measured."""
    if chosen.ray is not None:
        return f"Ray {chosen.ray}".strip()
    return "one used" if chosen.jobs <= 1 else f"{chosen.jobs} used"


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    game = find_game(chosen.game)
    names = read_names(chosen.seats)
    for name in names:
        check_player(name, game)
    size = table_size(game, names, chosen.table)
    options = _read_options(chosen.option, game)
    game.set_table(options | {"seats": size})
    todo = arena.fixtures(game.id, names, chosen.games, chosen.seed, options, size)
    report = progress(len(todo)) if sys.stderr.isatty() else lambda number: None
    done = arena.play_all(todo, chosen.jobs, report, ray=chosen.ray)
    if chosen.records:
        for number, played in enumerate(done, start=1):
            save(played.record, chosen.records / f"{game.id}-{number:04}.json")
    found = contest(game, done, names, size)
    about = machine(where(chosen)) | {"memory": _memory()}
    if chosen.json:
        terminal.show(json.dumps(_as_json(chosen, found, about)))
    else:
        terminal.show(f"{game.name} · {len(done)} · " + " · ".join(about.values()))
        terminal.show("\n" + found.table(terminal.words))
        for first, other, difference in found.differences():
            terminal.show(f"{first} – {other}: {difference:+.2f}")
    return 0


def _memory() -> str:
    """The most that this process took, or one of those that it started, with all players in it."""
    try:
        import resource
    except ImportError:
        return "? MB"
    most = max(resource.getrusage(who).ru_maxrss for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return f"{most / (1e6 if sys.platform == 'darwin' else 1e3):.0f} MB"


def _read_options(texts: list[str], game: Game) -> dict[str, Value]:
    options: dict[str, Value] = {}
    kinds = {option.name: type(option.default) for option in game.options}
    for text in texts:
        name, _, value = text.partition("=")
        kind = kinds.get(name, str)
        if kind is bool:
            options[name] = value in ("on", "true", "yes", "1")
        else:
            options[name] = int(value) if kind is int and value.isdigit() else value
    return options


def _as_json(chosen: argparse.Namespace, found: Contest, about: dict[str, str]) -> dict[str, Any]:
    result, rated = found.result, found.ratings

    def mean(value: Mean) -> dict[str, float | None]:
        return {"mean": value.mean, "sure": value.half_width if value.half_width == value.half_width else None}

    return {
        "game": chosen.game,
        "seats": chosen.seats,
        "options": chosen.option,
        "seed": chosen.seed,
        "games": len(found.played),
        "machine": about,
        "players": [
            {
                "name": row.name,
                "games": row.games,
                "points": mean(row.points),
                "fair": row.fair,
                "score": mean(row.score),
                "elo": mean(rated[row.name]) if row.name in rated else None,
                "seconds": row.seconds,
                "slowest": row.slowest,
            }
            for row in result.rows
        ],
        "duels": {f"{one} {two}": mean(value) for (one, two), value in result.duels.items()},
        "differences": {f"{one} {two}": mean(value) for (one, two), value in result.differences.items()},
    }
