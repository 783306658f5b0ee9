"""Reads the command line and calls what it names."""

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from sobremesa import __version__
from sobremesa.cli import analyse, arena, bench, files, levels, new_game, play, rules, seat, serve, show, train, verify
from sobremesa.cli.terminal import Terminal
from sobremesa.core.errors import SobremesaError
from sobremesa.core.language import LANGUAGES
from sobremesa.games import GAMES

_COMMANDS = (play, rules, verify, files, show, bench, arena, analyse, levels, train, new_game, serve, seat)


def command_line() -> argparse.ArgumentParser:
    """Everything that can be asked for on the command line."""
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--lang", choices=tuple(LANGUAGES), default=argparse.SUPPRESS, help="the language to speak")
    common.add_argument(
        "--colour", choices=("auto", "always", "never"), default=argparse.SUPPRESS, help="colours in the terminal"
    )
    names = ", ".join(game.name for game in GAMES.values())
    parser = argparse.ArgumentParser(
        prog="sobremesa",
        description=f"{names} at one table. Without a command: the server on this machine.",
        parents=[common],
    )
    parser.add_argument("--version", action="version", version=f"sobremesa {__version__}")
    commands = parser.add_subparsers(title="commands", metavar="COMMAND")
    for command in _COMMANDS:
        command.add_to(commands, common)
    for game in GAMES.values():
        for module in game.commands:
            import_module(module).add_to(commands, common)
    parser.set_defaults(run=serve.serve_locally)
    return parser


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs a command; the exit status says whether it went well."""
    chosen = command_line().parse_args(arguments)
    terminal = Terminal(getattr(chosen, "lang", None) or _language(), getattr(chosen, "colour", "auto"))
    try:
        return int(chosen.run(chosen, terminal))
    except SobremesaError as error:
        terminal.complain(error)
        return 1
    except BrokenPipeError:
        return 1
    except OSError as error:
        terminal.complain(SobremesaError("{file}: {reason}", file=error.filename, reason=error.strerror))
        return 1


def _language() -> str:
    """The language of the machine, if we speak it."""
    for variable in ("LC_ALL", "LC_MESSAGES", "LANG"):
        if code := os.environ.get(variable):
            return code[:2] if code[:2] in LANGUAGES else "en"
    return "en"


if __name__ == "__main__":
    sys.exit(main())
