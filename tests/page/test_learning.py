"""Learning on the page: the rules, the lessons, and positions to try things out."""

import re
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.conftest import Arrive, Troubles
from sobremesa import parse_position

GAMES = {"callisto": "Callisto", "isis-osiris": "Isis & Osiris", "knister": "Knister"}
LESSONS = Path(__file__).resolve().parents[2] / "src/sobremesa/games"
FOUR_FREE = "knister seats=1 starter=0 roll=9 sheets=.5.84B6A64..9847696465A89"


@pytest.mark.parametrize("game", GAMES)
def test_lessons_stand_on_real_positions(game: str) -> None:
    source = (LESSONS / game.replace("-", "_") / "page/lesson.ts").read_text(encoding="utf-8")
    start = re.search(r'const START = "(.*)"', source)
    assert start
    positions = re.findall(r'\bfrom:\s*[`"]([^`"]+)[`"]', source)
    assert len(positions) >= 8
    for position in positions:
        text = position.replace("${START}", start[1])
        assert parse_position(text).position() == text


def step(page: Page) -> int:
    """Which step of the lesson is shown."""
    found = re.search(r"step (\d+) of", page.locator(".progress").inner_text())
    assert found
    return int(found[1])


@pytest.mark.parametrize(
    ("screen", "scheme"), [pytest.param("desktop", "light", marks=pytest.mark.at_length), ("phone", "dark")]
)
@pytest.mark.parametrize("game", GAMES)
def test_a_lesson_from_start_to_end(arrive: Arrive, game: str, screen: str, scheme: Any) -> None:
    page = arrive(f"/learn/{game}", screen=screen, scheme=scheme)
    expect(page.get_by_role("progressbar")).to_be_visible()
    access.check(page)
    play_now = page.get_by_role("button", name="Play a game now")
    for number in range(1, 20):
        assert step(page) == number
        show = page.get_by_role("button", name="Show me")
        if show.is_visible():
            show.click()
            expect(page.locator(".answer.good")).to_be_visible()
        if play_now.is_visible():
            break
        page.get_by_role("button", name="Next").click()
        expect(page.locator(".progress")).to_contain_text(f"step {number + 1} of")
        expect(page.get_by_role("heading", level=1)).to_be_focused()
    access.check(page)
    play_now.click()
    page.wait_for_url("**/r/*")
    expect(page.locator(f'.room[data-game="{game}"]')).to_be_visible()


def test_a_wrong_move_is_explained_and_taken_back(arrive: Arrive) -> None:
    page = arrive("/learn/knister")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".task")).to_contain_text("four lines")
    page.locator('[data-cell="b2"]').click()
    expect(page.get_by_role("alert")).to_contain_text("That one lies on fewer lines.")
    expect(page.locator('[data-cell="b2"]')).to_have_attribute("aria-label", re.compile("free"))
    page.locator('[data-cell="c3"]').click()
    expect(page.locator(".answer.good")).to_contain_text("The very middle")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".task")).to_contain_text("any cell")


def test_a_lesson_goes_on_from_ones_own_move(arrive: Arrive) -> None:
    """The tile is laid beside the stone where the learner has put it, not where the example would."""
    page = arrive("/learn/isis-osiris", motion=False)
    page.locator("[aria-keyshortcuts=S]").click()
    page.locator('[role=grid] [data-cell="0"]').click()
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
        show = page.get_by_role("button", name="Show me")
        show.click()
        expect(page.locator(".answer.good")).to_be_visible()
    laid = page.locator('[role=grid] [data-cell="1"], [role=grid] [data-cell="6"]')
    expect(laid.and_(page.get_by_label(re.compile("face down")))).to_have_count(1)


EVERYDAY = {("callisto", "en"), ("callisto", "nl"), ("isis-osiris", "es"), ("knister", "fr")}
"""Each game and each language once; ``make soak`` looks at all of them."""


@pytest.mark.parametrize(
    ("game", "language"),
    [
        pytest.param(game, language, marks=() if (game, language) in EVERYDAY else pytest.mark.at_length)
        for game in GAMES
        for language in ("en", "es", "fr", "nl")
    ],
)
def test_the_rules(arrive: Arrive, game: str, language: str) -> None:
    page = arrive(f"/rules/{game}", language=language, screen="phone" if language == "es" else "desktop")
    expect(page.get_by_role("heading", level=1)).to_have_text(GAMES[game])
    links = page.locator(".contents a")
    assert links.count() >= 6
    drawing = page.locator(".hero svg").first.bounding_box()
    assert drawing
    assert drawing["y"] + drawing["height"] < 500, "the first screen has a drawing"
    links.nth(3).click()
    heading = page.locator("article h2").nth(3)
    expect(heading).to_be_focused()
    expect(heading).to_have_text(links.nth(3).inner_text())
    access.check(page)


def test_the_worked_example_of_knister_is_on_the_page(arrive: Arrive) -> None:
    page = arrive("/rules/knister", screen="phone")
    tim = page.get_by_role("table").filter(has=page.get_by_role("columnheader", name="a", exact=True))
    expect(tim.get_by_role("row").nth(2)).to_have_text(re.compile(r"7\s*8\s*8\s*8\s*7\s*8"))
    expect(tim.locator("strong")).to_have_count(9)
    expect(page.locator("article")).to_contain_text("19 + 12 + 6 + 16 = 53 points.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"


def test_a_position_that_somebody_has_shared(arrive: Arrive) -> None:
    page = arrive(f"/position/knister?p={quote(FOUR_FREE)}", screen="phone")
    cell = page.locator('[data-cell="a1"]')
    expect(cell).to_have_attribute("aria-label", re.compile("free"))
    access.check(page)
    for _ in range(2):
        cell.tap()
    expect(cell).to_have_attribute("aria-label", re.compile("9"))
    page.get_by_role("button", name="Take back").click()
    expect(cell).to_have_attribute("aria-label", re.compile("free"))


def test_lines_light_up_when_a_number_completes_them(arrive: Arrive) -> None:
    page = arrive(f"/position/knister?p={quote(FOUR_FREE)}", motion=True)
    expect(page.locator('[data-cell="a1"]')).to_be_visible()
    expect(page.locator(".margin rect.lit")).to_have_count(0)
    page.locator('[data-cell="a1"]').click()
    expect(page.locator(".cell.fresh")).to_have_attribute("data-cell", "a1")
    expect(page.locator(".margin rect.lit")).to_have_count(1)  # the diagonal
    expect(page.locator(".margin rect.lit")).to_have_count(0)


def test_a_link_that_holds_no_position(arrive: Arrive, troubles: Troubles) -> None:
    troubles.allow("status of 422")
    page = arrive("/position/callisto?p=nonsense")
    expect(page.get_by_role("heading", name="This position cannot be shown")).to_be_visible()
    expect(page.get_by_text("no position of callisto")).to_be_visible()
    page.get_by_role("link", name="Begin from the start").click()
    expect(page.get_by_role("heading", name="Callisto: Player 1’s turn")).to_be_visible()
