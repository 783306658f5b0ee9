"""The opening explorer: from the start page to a map, a pillar placed, the answer, and back."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.conftest import Arrive

DATA = Path(__file__).resolve().parents[2] / "page/openings"


def data(table: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / f"{table}.json").read_text(encoding="utf-8"))
    return found


def values(told: dict[str, Any], opening: dict[str, Any]) -> dict[str, str]:
    """What the map says of each cell, as the page writes it in English."""
    pairs = zip(told["cells"].split(), opening["values"].split(), strict=True)
    return {cell: f"{int(value) / 10:.1f}%" for cell, value in pairs if value != "."}


def cell(page: Page, name: str) -> Any:
    return page.locator(f'[role=grid] [data-cell="{name}"]')


def choose(page: Page, edition: str, seats: int) -> None:
    page.get_by_label("Edition").select_option(edition)
    page.get_by_label("Players").select_option(str(seats))
    expect(page.locator(".openings")).to_have_attribute("data-table", f"{edition}-{seats}")


def mirrored(name: str, width: int) -> str:
    """The same cell, left and right exchanged."""
    return chr(ord("a") + width - 1 - (ord(name[0]) - ord("a"))) + name[1:]


@pytest.mark.parametrize("screen", ["phone", "desktop"])
def test_from_the_start_page_to_an_answer_and_back(arrive: Arrive, screen: str) -> None:
    page = arrive("/", screen=screen)
    page.get_by_role("link", name="Rules: Callisto").click()
    page.get_by_role("link", name="Openings").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Callisto: openings")
    choose(page, "pocket", 3)
    told = data("pocket-3")
    first = next(iter(told["opening"]["replies"]))
    answers = values(told, told["opening"]["replies"][first])
    for name, value in values(told, told["opening"]).items():
        expect(cell(page, name)).to_have_attribute("aria-label", re.compile(rf"^{name}: {value}(;|$)"))
    access.check(page)

    expect(page.get_by_role("heading", level=2)).to_have_text("Player 1’s first pillar")
    cell(page, first).click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Player 2’s first pillar")
    expect(cell(page, first)).to_have_attribute("aria-label", f"{first}: Pillar of Player 1")
    for name, value in answers.items():
        expect(cell(page, name)).to_have_attribute("aria-label", re.compile(rf"^{name}: {value}(;|$)"))
    access.check(page)

    page.get_by_role("button", name="Take back").click()
    expect(page.get_by_role("heading", level=2)).to_have_text("Player 1’s first pillar")
    expect(cell(page, first)).to_have_attribute("aria-label", re.compile("the line goes on"))
    expect(page.get_by_role("button", name="Take back")).to_be_disabled()
    page.get_by_role("button", name=re.compile(rf"^{first} ")).press("Enter")
    expect(page.get_by_role("heading", name="Player 2’s first pillar")).to_be_focused()


def test_a_cell_that_is_alike_leads_to_the_same_line(arrive: Arrive) -> None:
    """What stands to the left in the data stands to the right on the page."""
    page = arrive("/openings/callisto")
    expect(page.locator(".openings")).to_have_attribute("data-table", "classic-2")
    told = data("classic-2")
    first = next(iter(told["opening"]["replies"]))
    other = mirrored(first, 16)
    opening = told["opening"]["replies"][first]
    cell(page, other).click()
    expect(cell(page, other)).to_have_attribute("aria-label", f"{other}: Pillar of Player 1")
    labels = page.locator("[role=gridcell]").evaluate_all(
        "all => Object.fromEntries(all.map(one => [one.dataset.cell, one.getAttribute('aria-label')]))"
    )
    shown = sorted(re.sub(r"^\w+: |;.*", "", text) for text in labels.values() if "%" in text)
    assert shown == sorted(values(told, opening).values())
    (answer,) = opening["replies"]
    (goes_on,) = {text.split(": ")[1].split(";")[0] for text in labels.values() if "goes on" in text}
    assert goes_on == values(told, opening)[answer]


def test_a_line_is_played_by_keys_to_its_end(arrive: Arrive) -> None:
    page = arrive("/openings/callisto")
    choose(page, "pocket", 2)
    told, seats = data("pocket-2"), 2
    grid, status = page.get_by_role("grid"), page.get_by_role("heading", level=2)
    for number in range(2 * seats - 1):
        expect(status).to_contain_text(f"Player {number % seats + 1}’s {('first', 'second')[number // seats]} pillar")
        grid.locator("[tabindex='0']").focus()
        page.keyboard.press("Enter")
    expect(page.get_by_text("The line ends here.")).to_be_visible()
    expect(page.get_by_role("gridcell", name=re.compile("Pillar of"))).to_have_count(2 * seats - 1)
    expect(page.get_by_test_id("announcements")).to_contain_text("Player 2’s second pillar. The best cell is worth")
    page.get_by_role("button", name="To the beginning").click()
    expect(page.get_by_role("gridcell", name=re.compile("Pillar of"))).to_have_count(0)
    plain = [name for name in values(told, told["opening"]) if name[1:] == "1" and name not in "a1 j1"]
    cell(page, plain[0]).focus()
    page.keyboard.press("ArrowRight")
    expect(cell(page, plain[1])).to_be_focused()


def test_a_cell_without_an_answer_tells_its_worth(arrive: Arrive) -> None:
    page = arrive("/openings/callisto", screen="phone", language="fr")
    expect(page.get_by_role("heading", level=1)).to_have_text("Callisto : ouvertures")
    told = data("classic-2")
    least = min(told["opening"]["values"].split(), key=int)
    name = told["cells"].split()[told["opening"]["values"].split().index(least)]
    cell(page, name).tap()
    look = page.get_by_test_id("look")
    expect(look).to_contain_text(name)
    expect(look).to_contain_text(f"{int(least) / 10:.1f}".replace(".", ","))
