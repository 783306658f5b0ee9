"""Builds the documentation, without a network: ``python tools/docs_site.py [FOLDER]``, ``make docs``.

The pages of ``docs`` are put together with what is made by the program (a page for each game, the list of decisions,
the changelog), and Sphinx makes a site of them. A link that leads nowhere is an error.
"""

import argparse
import inspect
import re
import shutil
import sys
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from sphinx.cmd.build import build_main

from sobremesa import GAMES
from sobremesa.core.game import Game
from sobremesa.core.language import rules_page
from sobremesa.envs.encoding import Encoding

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
HEADING = re.compile(r"^(#+) ", re.M)
LEFT_OUT = re.compile(r"\[([^\]]+)\]\((?:\.\./)*(?:schema|examples|[^/)]+-games|[^/)]+\.csv)[^)]*\)")
"""A link to something in the repository that is not on the site."""


def cell(text: object) -> str:
    """Something in a table of Markdown."""
    return str(text).replace("|", "\\|").replace("\n", " ")


def table(head: list[str], rows: list[list[object]]) -> str:
    """A table of Markdown."""
    lines: list[list[object]] = [[*head], ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(cell(text) for text in line)} |" for line in lines) + "\n"


def options(game: Game) -> str:
    """What is agreed when the table is set."""
    rows: list[list[object]] = [
        [f"`{o.name}`", o.label or "", o.described(), f"`{o.default}`", "views only" if o.changes == "views" else ""]
        for o in game.options
    ]
    return table(["option", "for people", "values", "usual", "changes"], rows)


def sizes(game: Game) -> str:
    """How large each kind of table is: seats, steps, and what agents and networks are given."""
    rows: list[list[object]] = []
    for name, chosen in game.kinds().items():
        encoding = Encoding(game, dict(chosen))
        steps = game.max_steps(game.set_table(chosen)) if game.max_steps else "-"
        rows.append(
            [f"`{name}`", encoding.seats, steps, encoding.actions, encoding.observation_size, observation(game, chosen)]
        )
    return table(["table", "seats", "at most so many steps", "actions", "numbers of an observation", "in JAX"], rows)


def for_agents(game: Game) -> str:
    """What learning agents do and see, by ``sobremesa.envs``."""
    state = game.start()
    moves = list(game.all_moves(state)) if game.all_moves else []
    some = " ".join(f"`{move}`" for move in (*moves[:3], "...", *moves[-2:]) if moves).replace("`...`", "...")
    about = inspect.getdoc(inspect.getmodule(game.features)) if game.features else None
    seen = about.partition("\n\n")[2] if about else "The view as plain data, laid out in a row."
    names: list[list[object]] = [
        ["PettingZoo", f'`sobremesa.envs.zoo.aec("{game.id}")`'],
        ["Gymnasium", f'`gymnasium.make("sobremesa.envs.gym:sobremesa/{game.id}-v{game.version}")`'],
        ["OpenSpiel", f'`pyspiel.load_game("sobremesa_{game.id.replace("-", "_")}")`'],
    ]
    if game.batch:
        names.append(["JAX", f'`sobremesa.batch.env.make("{game.id}")`'])
    return "\n".join(
        [
            table(["", "by name"], names),
            "### Actions\n",
            f"The number of a move in `Game.all_moves`; at the usual table {len(moves)} of them: {some}.\n",
            "### Observations\n",
            f"{seen}\n",
            "### Sizes\n",
            sizes(game),
        ]
    )


def versions(game: Game) -> str:
    """The versions of a game's rules, as ``docs/games.md`` tells them."""
    text = (DOCS / "games.md").read_text(encoding="utf-8")
    part = re.search(rf"^## {re.escape(game.name)}\n(.*?)(?=^## |\Z)", text, re.M | re.S)
    found = re.findall(r"^Version (\d+): (.*)$", part[1] if part else "", re.M)
    return table(["version", "what is new"], [[number, what] for number, what in found])


def observation(game: Game, chosen: Any) -> str:
    """The shapes that a network takes, where the game has rules in JAX."""
    if not game.batch:
        return "-"
    import jax

    from sobremesa.batch.tables import rules_for

    left_out = {"starter"}
    rules = rules_for(game.id, **{name: value for name, value in chosen.items() if name not in left_out})
    shapes = jax.eval_shape(lambda: rules.observe(rules.init(jax.numpy.zeros(1, jax.numpy.int32))))
    return ", ".join(f"`{'x'.join(map(str, leaf.shape[1:]))}`" for leaf in jax.tree.leaves(shapes))


def picture(game: Game) -> str:
    """The game's picture, if its tools draw one."""
    if find_spec(f"{game.package}.tools") is None:
        return ""
    name = next(iter(import_module(f"{game.package}.tools.scenes").SCENES))
    return f"![{game.name}](../pictures/{name}.svg)\n"


def game_page(game: Game) -> str:
    """A page about one game: facts, tables, rules."""
    choices = [int(choice) for choice in game.seats.choices]
    seats = f"{min(choices)}-{max(choices)}" if choices else f"{game.seats.least} or more"
    facts: list[list[object]] = [
        ["by", ", ".join(filter(None, (game.designer, game.credit)))],
        ["players", seats],
        ["minutes", game.minutes],
        ["from", f"{game.age} years"],
        ["rules", f"{game.rule_prefix}1 to {game.rule_prefix}{game.rule_count}, version {game.version}"],
        ["chance", "yes" if game.has_chance else "no"],
        ["hidden information", "yes" if game.hidden else "no"],
        ["wins", "the lowest score" if game.low_wins else "the highest score"],
    ]
    rules = HEADING.sub(r"#\1 ", rules_page(game.package, "en"))
    example = game.start().position()
    return "\n".join(
        [
            f"# {game.name}\n",
            game.aim + "\n",
            picture(game),
            table(["", ""], facts),
            "## Options\n",
            options(game),
            "## For learning agents\n",
            for_agents(game),
            "## Versions\n",
            versions(game),
            f"Id `{game.id}`. A new game as a position: `{example}`.",
            "Notation is specified in [formats](../formats.md), what a view holds in [the games](../games.md).\n",
            rules,
        ]
    )


def gather(source: Path) -> None:
    """Puts everything together that the site is made of."""
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(DOCS, source, ignore=shutil.ignore_patterns("schema", "*.blksgf", "*.csv"))
    entries = []
    for game in GAMES.values():
        (source / "play" / f"{game.id}.md").write_text(game_page(game), encoding="utf-8")
        entries.append(game.id)
    listing = "\n".join(f"- [{GAMES[name].name}]({name}.md): {GAMES[name].aim}" for name in entries)
    toctree = "```{toctree}\n:hidden:\n\n" + "\n".join(entries) + "\n```\n"
    (source / "play" / "games.md").write_text(f"# The games on the table\n\n{listing}\n\n{toctree}", encoding="utf-8")
    decisions = sorted(path.stem for path in (source / "decisions").glob("0*.md"))
    index = "# Decisions\n\nEach was open once; what was chosen, what was rejected, and why.\n\n"
    toctree = "```{toctree}\n:maxdepth: 1\n\n" + "\n".join(decisions) + "\n```\n"
    (source / "decisions" / "index.md").write_text(index + toctree, encoding="utf-8")
    changelog = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8").replace("](docs/", "](")
    (source / "changelog.md").write_text(changelog, encoding="utf-8")
    for page in source.rglob("*.md"):
        text = page.read_text(encoding="utf-8")
        page.write_text(outward(text), encoding="utf-8")


def outward(text: str) -> str:
    """Links to what is in the source but not on the site become names."""
    return LEFT_OUT.sub(r"\1", text)


def build(target: Path) -> int:
    """Builds the site; warnings are errors. The exit status."""
    source = target.with_name(f"{target.name}-source")
    gather(source)
    return build_main(["--quiet", "--fail-on-warning", "--keep-going", "-b", "html", str(source), str(target)])


def main() -> int:
    """Reads the command line."""
    parser = argparse.ArgumentParser(description="Build the documentation.")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "build" / "docs")
    return build(parser.parse_args().folder.resolve())


if __name__ == "__main__":
    sys.exit(main())
