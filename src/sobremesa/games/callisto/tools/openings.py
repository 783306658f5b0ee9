"""What a pillar of the opening is worth on each cell, as the champion of Callisto evaluates it.

    python openings.py                           all tables: data for the page, a picture for the docs
    python openings.py --tables pocket-2 --simulations 64 8

The champion looks at the position after the pillar, so many simulations long, and says what chance to win is left to
whoever has placed it. Every cell on which a pillar may stand is asked about; cells that are alike, because the position
looks the same from another side of the table, once. Then the line goes on: the best first pillars are placed, the next
seat's are evaluated after each of them, and so on along the best answers until everybody's first two stand (C2).

The same weights on the same machine say the same again. All tables together take about nine minutes on one core.
"""

import argparse
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, partial
from hashlib import sha256
from importlib.resources import files
from itertools import product
from multiprocessing import get_context
from pathlib import Path
from random import Random
from typing import Any

from sobremesa.core.cells import cell_name
from sobremesa.core.drawing import INK, LINEN, MUTED, SEATS, Markup, at, circle, group, label, path, picture
from sobremesa.engines import Budget
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.board import Board, bits, find_board
from sobremesa.games.callisto.editions import EDITIONS
from sobremesa.games.callisto.engine.engine_set import SKILLS
from sobremesa.games.callisto.engine.network import OWN_NETWORKS
from sobremesa.games.callisto.engine.player import NetworkPlayer

ROOT = Path(__file__).resolve().parents[5]
DATA = Path(__file__).resolve().parents[1] / "page/openings"
PICTURE = ROOT / "docs/engines/callisto-openings.svg"
TABLES = {f"{edition}-{seats}": (edition, seats) for edition in EDITIONS for seats in EDITIONS[edition].boards}
PILLARS = 2
"""How many pillars everybody places first (C2)."""
SIMULATIONS = (256, 16, 8)
"""The simulations for each cell of the first map, of those after one pillar, and of all others."""
MAX_FIRST_PILLARS = 3
"""How many of the best first pillars are followed."""
SIDE_LINE_PILLARS = 4
"""All but the best first pillar are followed until this many pillars stand."""
SEED = 1
MAX_SEARCH_SECONDS = 3600.0
"""The seconds that one search may take: far more than it needs, since simulations are counted, not time."""

PositionValue = Callable[[CallistoState, int], float]
"""Finds, with a number of simulations, what a position is worth to whoever moved last."""


@dataclass(frozen=True)
class Opening:
    """What each cell is worth to the seat that places a pillar now, and how it goes on after the best ones."""

    simulations: int
    values: dict[str, float]
    replies: "dict[str, Opening]"


def champion(weights: Path | None = None) -> PositionValue:
    """The champion's evaluation, perhaps with another network."""
    skill = replace(SKILLS["champion"], exact=False, reuse_tree=False)  # the end is far away

    def value_of(state: CallistoState, simulations: int) -> float:
        player = NetworkPlayer("champion", GAME, Random(SEED), skill, weights)
        thought = player.think(state.view(state.turn), budget=Budget(MAX_SEARCH_SECONDS, simulations))
        return thought.chances[(state.turn - 1) % state.seats]

    return value_of


@cache
def sides(board: Board) -> list[dict[int, int]]:
    """The ways to look at a board from another side of the table, or in a mirror, that show the same board.

    Each says for every cell which cell it becomes.
    """
    last, found = board.width - 1, []
    for turns, mirrored in product(range(4), (False, True)):
        seen = {}
        for cell in bits(board.cells):
            x, y = board.xy(cell)
            x = last - x if mirrored else x
            for _ in range(turns):
                x, y = y, last - x
            seen[cell] = y * board.stride + x
        if all(_moved(seen, cells) == cells for cells in (board.cells, board.centre)):
            found.append(seen)
    return found


def _moved(seen: Mapping[int, int], cells: int) -> int:
    """What a set of cells becomes; cells that lie outside become others outside."""
    return sum(1 << seen.get(cell, cell) for cell in bits(cells))


def alike(state: CallistoState) -> Iterator[list[int]]:
    """The cells on which a pillar may stand now; those together that are alike, the first of them first."""
    same = [seen for seen in sides(state.board) if all(_moved(seen, side.cells) == side.cells for side in state.sides)]
    left = {cell for move in state.legal_moves() for cell in bits(move.cells)}
    while left:
        together = sorted({seen[min(left)] for seen in same})
        left -= set(together)
        yield together


def explore(
    state: CallistoState, value_of: PositionValue, simulations: Sequence[int] = SIMULATIONS, main: bool = True
) -> Opening | None:
    """The map of a position and those after it; None where nobody places a first or second pillar any more."""
    standing = sum(side.pillars.bit_count() for side in state.sides)
    if state.sides[state.turn].pillars.bit_count() == PILLARS or (not main and standing == SIDE_LINE_PILLARS):
        return None
    budget = simulations[min(standing, len(simulations) - 1)]
    groups = list(alike(state))
    place = state.board.pillars
    found = {together[0]: value_of(state.play(place[together[0]]), budget) for together in groups}
    best = sorted(found, key=lambda cell: -found[cell])[: 1 if standing else MAX_FIRST_PILLARS]
    replies = {}
    for cell in best:
        after = explore(state.play(place[cell]), value_of, simulations, main and cell == best[0])
        if after is not None:
            replies[_name(state.board, cell)] = after
    values = {_name(state.board, cell): found[together[0]] for together in groups for cell in together}
    return Opening(budget, values, replies)


def _name(board: Board, cell: int) -> str:
    return cell_name(*board.xy(cell))


def written(table: str, opening: Opening, weights: str) -> dict[str, Any]:
    """An opening as the page reads it, and who has evaluated it.

    Values are chances in thousandths, in the order of the cells; a dot where no pillar may stand.
    """
    edition, seats = TABLES[table]
    cells = sorted(opening.values, key=lambda cell: (int(cell[1:]), cell[0]))
    skill = SKILLS["champion"]
    made = {
        "player": "champion",
        "weights": weights,
        "margin": skill.margin,
        "considered": skill.settings.considered,
        "explore": skill.settings.c_puct,
        "seed": SEED,
        "date": date.today().isoformat(),
    }
    return {
        "game": GAME.name,
        "edition": edition,
        "seats": seats,
        "made": made,
        "cells": " ".join(cells),
        "opening": _written(opening, cells),
    }


def _written(opening: Opening, cells: Sequence[str]) -> dict[str, Any]:
    values = (f"{1000 * opening.values[cell]:.0f}" if cell in opening.values else "." for cell in cells)
    replies = {cell: _written(reply, cells) for cell, reply in opening.replies.items()}
    return {"simulations": opening.simulations, "values": " ".join(values), "replies": replies}


@cache
def fingerprint(table: str, weights: Path | None = None) -> str:
    """A hash of these weights, or of those of the house for a table, as they are when they are loaded."""
    own = OWN_NETWORKS.get(TABLES[table])
    file = weights or files("sobremesa.games.callisto.engine") / (own.file if own else "weights.onnx")
    return sha256(file.read_bytes()).hexdigest()[:12]


def write(simulations: Sequence[int], weights: Path | None, folder: Path, table: str) -> str:
    """Evaluates the openings of a table, writes them into the folder, and returns the main line."""
    known_by = fingerprint(table, weights)
    opening = explore(CallistoState.begin(*TABLES[table], 0), champion(weights), simulations)
    assert opening is not None
    data = written(table, opening, known_by)
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{table}.json").write_text(json.dumps(data, indent=2) + "\n", encoding="utf-8")
    return f"{table}: " + ", ".join(f"{cell} {value / 10:.1f}%" for cell, value in main_line(data))


def ranked(cells: str, values: str) -> list[tuple[str, int]]:
    """The cells of a map and what they are worth, the best first."""
    known = [(cell, int(value)) for cell, value in zip(cells.split(), values.split(), strict=True) if value != "."]
    return sorted(known, key=lambda item: -item[1])


def main_line(data: Mapping[str, Any]) -> Iterator[tuple[str, int]]:
    """The best pillar of each turn, and what it is worth to whoever places it; the best of the replies comes first."""
    opening = data["opening"]
    while opening is not None:
        best = ranked(data["cells"], opening["values"])
        cell = next(iter(opening["replies"]), best[0][0])
        yield cell, dict(best)[cell]
        opening = opening["replies"].get(cell)


WIDTH, GAP, TITLE = 1000, 24, 40
COLUMNS = len(EDITIONS)
SIDE = (WIDTH - GAP * (COLUMNS + 1)) / COLUMNS
RAMP = ("#1C2340", "#4B2A6B", "#93356F", "#D8574A", "#F6A04D", "#FFE59A")
"""From cells that are worth least to those that are worth most: each is lighter than the one before."""
NOWHERE = "#D8D1C2"
"""No pillar may stand there."""
DIM = 0.18
"""On colours that are darker than this, white can be read; on others black."""


def shade(warmth: float) -> str:
    """A colour of the ramp, from 0 to 1."""
    along = warmth * (len(RAMP) - 1)
    step = min(int(along), len(RAMP) - 2)
    cold, warm = (bytes.fromhex(colour[1:]) for colour in RAMP[step : step + 2])
    mixed = (round(low + (high - low) * (along - step)) for low, high in zip(cold, warm, strict=True))
    return "#" + bytes(mixed).hex().upper()


def ink_on(colour: str) -> str:
    """What can be read on a colour: its luminance decides."""
    parts = (part / 255 for part in bytes.fromhex(colour[1:]))
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return "#FFFFFF" if 0.2126 * red + 0.7152 * green + 0.0722 * blue < DIM else "#000000"


def draw(tables: Sequence[Mapping[str, Any]]) -> str:
    """The maps of the first pillar as one picture: a column for each edition, a row for each number of seats."""
    height, panels = GAP, []
    for row in range(0, len(tables), COLUMNS):
        for column, data in enumerate(tables[row : row + COLUMNS]):
            panels.append(group(_panel(data), transform=at(GAP + column * (SIDE + GAP), height)))
        height += round(TITLE + SIDE + GAP)
    lines = (f"{_title(data)}: {' '.join(cell for cell, _ in main_line(data))}" for data in tables)
    return picture(WIDTH, height, "Callisto · openings", "; ".join(lines), *panels)


def _title(data: Mapping[str, Any]) -> str:
    return f"{data['edition']}, {data['seats']} seats"


def _panel(data: Mapping[str, Any]) -> Markup:
    """One map with the main line on it. The figure of cells that are alike stands on one of them."""
    board, best = find_board(data["edition"], data["seats"]), ranked(data["cells"], data["opening"]["values"])
    worth, (_, high), (_, low) = dict(best), best[0], best[-1]
    unit = SIDE / board.width
    squares: dict[str, str] = {}
    figures = []
    for cell in bits(board.cells):
        value = worth.get(_name(board, cell))
        colour = NOWHERE if value is None else shade((value - low) / (high - low or 1))
        x, y = _middle(board, cell, unit)
        squares[colour] = squares.get(colour, "") + _square(x, y, unit * 0.94)
        if value is not None and cell == max(seen[cell] for seen in sides(board)):
            figures.append(label(x, y, f"{value / 10:.1f}", unit * 0.34, fill=ink_on(colour), font_weight=600))
    return group(
        label(0, 14, _title(data), 20, "start", font_weight=700, fill=INK),
        label(SIDE, 14, f"{low / 10:.1f}% to {high / 10:.1f}%", 15, "end", fill=MUTED),
        group(
            *(path(line, fill=colour) for colour, line in squares.items()),
            *figures,
            *_pillars(data, board, unit),
            transform=at(0, TITLE),
        ),
    )


def _pillars(data: Mapping[str, Any], board: Board, unit: float) -> Iterator[Markup]:
    """The main line's, numbered, in the seats' colours."""
    cells = {_name(board, cell): cell for cell in bits(board.cells)}
    for number, (name, _) in enumerate(main_line(data)):
        x, y = _middle(board, cells[name], unit)
        colour = SEATS[number % data["seats"]]
        yield circle(x, y, unit * 0.44, fill=colour.fill, stroke=LINEN, stroke_width=1.6)
        yield label(x, y, str(number + 1), unit * 0.56, fill=colour.text, font_weight=700)


def _square(x: float, y: float, side: float) -> str:
    return f"M{x - side / 2:.1f} {y - side / 2:.1f}h{side:.1f}v{side:.1f}h-{side:.1f}z"


def _middle(board: Board, cell: int, unit: float) -> tuple[float, float]:
    x, y = board.xy(cell)
    return (x + 0.5) * unit, (board.height - y - 0.5) * unit


def main() -> None:
    """Evaluates and draws."""
    parser = argparse.ArgumentParser(
        description=__doc__.split("\n")[0], formatter_class=argparse.RawDescriptionHelpFormatter, epilog=__doc__
    )
    parser.add_argument(
        "--tables",
        nargs="*",
        default=list(TABLES),
        metavar="TABLE",
        help=f"those to evaluate anew ({' '.join(TABLES)}); none of them only draws the picture",
    )
    parser.add_argument(
        "--simulations",
        nargs="+",
        type=int,
        default=SIMULATIONS,
        metavar="N",
        help="for each cell of the first map, of those after one pillar, and so on; the last for all others "
        f"({' '.join(map(str, SIMULATIONS))})",
    )
    parser.add_argument("--weights", type=Path, metavar="FILE", help="the network, if not the one of the house")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes at the same time (%(default)s)")
    chosen = parser.parse_args()
    if unknown := set(chosen.tables) - set(TABLES):
        parser.error(f"no such table: {' '.join(sorted(unknown))}")
    task = partial(write, chosen.simulations, chosen.weights, DATA)
    with ProcessPoolExecutor(chosen.jobs, mp_context=get_context("spawn")) as pool:
        for line in pool.map(task, chosen.tables):
            print(line, flush=True)
    tables = [json.loads((DATA / f"{edition}-{seats}.json").read_text()) for seats in (2, 3, 4) for edition in EDITIONS]
    PICTURE.write_text(draw(tables), encoding="utf-8")


if __name__ == "__main__":
    main()
