"""The comparison with other libraries: it measures ours, and the page says what its figures say."""

import json
from math import log
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

import contenders
import measuring
import report
import versus

ROOT = Path(__file__).resolve().parents[1]
GAME = list(contenders.TABLES)[-1]
FIGURES = ROOT / "docs/research/versus.json"


def row(library: str, game: str, rates: list[float], branching: float | None = None) -> measuring.Row:
    return {"library": library, "game": game, "branching": branching, "rates": rates}


def test_our_own_games_are_measured(tmp_path: Path) -> None:
    chosen = [one for one in contenders.contenders() if one.library in (contenders.LIBRARY, contenders.LISTED)]
    found = measuring.compare(chosen, 0.01, 2)
    assert [(one["library"], one["game"]) for one in found["rows"]] == [(one.library, one.game) for one in chosen]
    assert {one["game"] for one in found["rows"]} == set(contenders.TABLES)
    for one in found["rows"]:
        assert len(one["rates"]) == 2
        assert min(one["rates"]) > 0
        if one["library"] == contenders.LISTED:
            assert one["branching"] > 1
    file = tmp_path / "figures.json"
    file.with_suffix(".md").write_text("before\n<!-- figures -->\n\nold\n\n<!-- /figures -->\nafter\n")
    file.write_text(json.dumps({"about": measuring.about(False)} | found))
    versus.main(["show", str(file)])
    text = file.with_suffix(".md").read_text()
    assert text.startswith("before\n<!-- figures -->\n\n")
    assert text.endswith("\n<!-- /figures -->\nafter\n")
    assert "old" not in text
    assert f"| sobremesa | {GAME} |" in text


@pytest.mark.parametrize(
    "contender",
    [one for one in contenders.contenders() if one.game in (GAME, "connect four") and one.library != "PettingZoo"],
    ids=lambda one: f"{one.library}: {one.game}",
)
def test_every_interface_plays_on(contender: contenders.Contender) -> None:
    play = contender.prepare()
    counts = [play(), play()]
    assert all(moves >= 7 for moves, _ in counts)
    counted = contender.library not in (contenders.LIBRARY, contenders.RULES)
    assert all((choices > moves) == counted for moves, choices in counts)


def test_ratios_compare_what_was_done_in_the_same_turn() -> None:
    """A machine that is half as fast in one turn is so for both."""
    one, other = row("a", "x", [100.0, 50.0, 80.0]), row("b", "y", [10.0, 5.0, 8.0])
    assert measuring.ratio(one, other) == pytest.approx((10, 10, 10))
    found = measuring.rate(row("a", "x", [10.0, 1000.0]))
    assert found.mean == pytest.approx(100)
    assert found.low < 10 < 1000 < found.high
    assert log(found.high / found.mean) == pytest.approx(log(found.mean / found.low))


def test_tables_and_a_picture_are_made_of_figures() -> None:
    data: dict[str, Any] = {
        "about": ["2000-01-01", "a machine"],
        "turns": 2,
        "seconds": 0.5,
        "rows": [
            row(contenders.LIBRARY, "ours", [2e5, 2e5]),
            row(contenders.LISTED, "ours", [1e5, 1e5], 13.2),
            row(contenders.PETTING_ZOO, "connect four", [1e4, 1e4], 6.6),
        ],
    }
    text = report.tables(data)
    assert "2000-01-01 · a machine · 2 turns of 0.5 s" in text
    assert "| sobremesa | ours | 13 | 200,000 | 200,000 to 200,000 |" in text
    assert "| `sobremesa` : PettingZoo | connect four (7) |" in text
    assert "| ours (13) | 20.0 (20.0 to 20.0) |" in text
    svg = ElementTree.fromstring(report.drawing(data))
    bars = [float(bar.attrib["width"]) for bar in svg.iter("{http://www.w3.org/2000/svg}rect")][1:]
    assert len(bars) == 3
    assert bars[0] > bars[1] > bars[2]


def test_the_page_says_what_the_figures_say() -> None:
    data = json.loads(FIGURES.read_text(encoding="utf-8"))
    page = FIGURES.with_suffix(".md").read_text(encoding="utf-8")
    found = versus.PAGE_PART.search(page)
    assert found
    assert found[0] == report.tables(data)
    assert FIGURES.with_suffix(".svg").read_text(encoding="utf-8") == report.drawing(data)
    measured = {(one["library"], one["game"]) for one in data["rows"]}
    assert measured == {(one.library, one.game) for one in contenders.contenders()}
    assert {len(one["rates"]) for one in data["rows"]} == {data["turns"]}
