"""Learning on the page: the rules, the lessons, and positions to try things out."""

import re
from importlib.resources import files
from itertools import cycle
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kinds import OWN_GAMES
from page import access
from page.conftest import Arrive, Troubles
from page.hands import list_keys
from sobremesa import parse_position

LANGUAGES = ("en", "es", "fr", "nl")


@pytest.mark.parametrize("game", OWN_GAMES)
def test_lessons_stand_on_real_positions(game: str) -> None:
    source = Path(str(files(OWN_GAMES[game].package)), "page/lesson.ts").read_text(encoding="utf-8")
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
@pytest.mark.parametrize("game", OWN_GAMES)
def test_a_lesson_from_start_to_end(arrive: Arrive, game: str, screen: str, scheme: Any) -> None:
    page = arrive(f"/learn/{game}", screen=screen, scheme=scheme)
    expect(page.get_by_role("progressbar")).to_be_visible()
    access.check(page)
    play_now = page.get_by_role("button", name="Play a game now")
    for number in range(1, 20):
        assert step(page) == number
        show = page.get_by_role("button", name="Show me")
        if show.is_visible():
            if number == 1:
                list_keys(page, "Enter")
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


EVERYDAY = set(zip(cycle(OWN_GAMES), LANGUAGES, strict=False))
"""Each game and each language once; ``make soak`` looks at all of them."""


@pytest.mark.parametrize(
    ("game", "language"),
    [
        pytest.param(game, language, marks=() if (game, language) in EVERYDAY else pytest.mark.at_length)
        for game in OWN_GAMES
        for language in LANGUAGES
    ],
)
def test_the_rules(arrive: Arrive, game: str, language: str) -> None:
    page = arrive(f"/rules/{game}", language=language, screen="phone" if language == "es" else "desktop")
    expect(page.get_by_role("heading", level=1)).to_have_text(OWN_GAMES[game].name)
    links = page.locator(".contents a")
    assert links.count() >= 6
    drawing = page.locator(".hero svg").first.bounding_box()
    assert drawing
    assert drawing["y"] + drawing["height"] < 500, "the first screen has a drawing"
    assert len(page.locator(".hero p").inner_text()) > 60, "and the aim, which is more than the card says"
    links.nth(3).click()
    heading = page.locator("article h2").nth(3)
    expect(heading).to_be_focused()
    expect(heading).to_have_text(links.nth(3).inner_text())
    access.check(page)


def test_a_link_that_holds_no_position(arrive: Arrive, troubles: Troubles) -> None:
    troubles.allow("status of 422")
    game = next(iter(OWN_GAMES.values()))
    page = arrive(f"/position/{game.id}?p=nonsense")
    expect(page.get_by_role("heading", name="This position cannot be shown")).to_be_visible()
    expect(page.get_by_text(f"no position of {game.id}")).to_be_visible()
    page.get_by_role("link", name="Begin from the start").click()
    expect(page.get_by_role("heading", name=f"{game.name}: Player 1’s turn")).to_be_visible()
