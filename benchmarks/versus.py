"""Our games beside those of OpenSpiel, PettingZoo and Pgx: random legal moves a second, by turns, in one run.

python benchmarks/versus.py run --json docs/research/versus.json     # an hour of nobody's time: some ten minutes
python benchmarks/versus.py show docs/research/versus.json           # the table into the page, the plot beside it
"""

import argparse
import json
import re
import sys
from pathlib import Path
from typing import Any

import report
from contenders import contenders
from measuring import about, compare, stay_on_one_core
from sobremesa.cli.bench import progress

PAGE_PART = re.compile(r"(?<=<!-- figures -->\n\n).*?(?=\n<!-- /figures -->)", re.DOTALL)


def run(only: str, seconds: float, turns: int) -> dict[str, Any]:
    """Compares all contenders whose library and game contain a text."""
    chosen = [one for one in contenders() if only.lower() in f"{one.library}: {one.game}".lower()]
    one_core = stay_on_one_core()
    shown = progress(turns) if sys.stderr.isatty() else lambda done: None
    return {"about": about(one_core)} | compare(chosen, seconds, turns, shown)


def show(data: dict[str, Any], file: Path) -> None:
    """Writes the picture beside the file, and the tables into the page beside it that has a place for them."""
    file.with_suffix(".svg").write_text(report.drawing(data), encoding="utf-8")
    page = file.with_suffix(".md")
    text = page.read_text(encoding="utf-8")
    page.write_text(PAGE_PART.sub(lambda _: report.tables(data), text), encoding="utf-8")


def main(arguments: list[str] | None = None) -> None:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(required=True, dest="command")
    running = commands.add_parser("run", help="measure, and write the figures")
    running.add_argument("--json", type=Path, help="the file for the figures (else they are printed as tables)")
    running.add_argument("--seconds", type=float, default=0.4, help="of processor time a turn (%(default)s)")
    running.add_argument("--turns", type=int, default=24, help="how many turns everybody has (%(default)s)")
    running.add_argument("--only", default="", metavar="TEXT", help="only libraries and games that contain this text")
    showing = commands.add_parser("show", help="make the tables and the plot from the figures")
    showing.add_argument("file", type=Path)
    chosen = parser.parse_args(arguments)
    if chosen.command == "show":
        show(json.loads(chosen.file.read_text(encoding="utf-8")), chosen.file)
        return
    data = run(chosen.only, chosen.seconds, chosen.turns)
    if chosen.json:
        chosen.json.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
    else:
        print(report.tables(data), end="")


if __name__ == "__main__":
    main()
