"""``sobremesa rules``: a game's rules, to read."""

import argparse
import pydoc
import re
import sys
from typing import Any

from sobremesa.cli.terminal import Terminal
from sobremesa.core.language import rules_page
from sobremesa.games import GAMES, find_game


def add_to(commands: Any, common: argparse.ArgumentParser) -> None:
    """Adds the command."""
    parser = commands.add_parser(
        "rules", parents=[common], help="read the rules of a game", epilog="example: sobremesa rules knister --lang es"
    )
    parser.add_argument("game", choices=tuple(GAMES), metavar="GAME", help=", ".join(GAMES))
    parser.set_defaults(run=_run)


def _run(chosen: argparse.Namespace, terminal: Terminal) -> int:
    text = rules_text(chosen.game, terminal)
    if sys.stdout.isatty() and sys.stdin.isatty():
        pydoc.pager(text)
    else:
        terminal.show(text)
    return 0


def rules_text(game: str, terminal: Terminal) -> str:
    """The rules for a terminal: Markdown, with emphasis in place of its marks where colours are on."""
    text = rules_page(find_game(game).package, terminal.language.code).rstrip()
    if terminal.colour:
        text = re.sub(r"^#+ (.*)$", "\x1b[1;33m\\1\x1b[0m", text, flags=re.MULTILINE)
        text = re.sub(r"\*\*(.+?)\*\*", "\x1b[1m\\1\x1b[0m", text)
        text = re.sub(r"(?<!\*)\*([^*\n]+)\*(?!\*)", "\x1b[3m\\1\x1b[0m", text)
    return text
