"""Every screen there is, as the pictures of ``make screenshots`` show it: axe finds nothing, and nothing runs over."""

import re
from typing import Literal

import pytest
from playwright.sync_api import expect

import screenshots
from chromium import SCREENS
from page import access
from page.conftest import Arrive, Troubles
from page.hands import Hand, until
from stage import open_room

LOOKS: tuple[tuple[str, Literal["dark", "light"]], ...] = (("phone", "dark"), ("desktop", "light"))
ELSEWHERE = re.compile(f"{screenshots.GUEST}|learn-|rules-|.*-(pocket|four|alone)-(begins|replay)")
"""Lessons, rules and the guest have tests of their own; these tables begin and are replayed like others of a game."""
SELDOM = re.compile(r".*-(begins|replay)$|.*-(pocket|four|alone)|.*-answered$|new-(isis|knister)")
"""Like another screen but for a few lines, and seen at length: by this test, and in all looks by test_every_look.py."""
NAMES = [
    pytest.param(name, marks=pytest.mark.at_length if SELDOM.match(name) else ())
    for name in screenshots.PICTURES
    if not ELSEWHERE.match(name)
]


@pytest.mark.parametrize("name", NAMES)
def test_a_screen(arrive: Arrive, troubles: Troubles, name: str) -> None:
    if name == "nowhere":
        troubles.allow(r"status of 404")
    page = arrive(screen="phone", scheme="dark")
    screenshots.PICTURES[name](page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    for screen, scheme in LOOKS:
        page.set_viewport_size(SCREENS[screen]["viewport"])
        page.emulate_media(color_scheme=scheme)
        expect(page.locator("html")).to_have_attribute("data-theme", scheme)
        access.check(page)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"


@pytest.mark.parametrize("name", ["start", "callisto", "isis-osiris", "knister", "settings", "invitation"])
def test_fingers_find_what_they_touch(arrive: Arrive, name: str) -> None:
    page = arrive(screen="small")
    screenshots.PICTURES[name](page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")
    sizes = page.locator("main button:visible, main select:visible, main .button:visible").evaluate_all(
        "all => all.map(one => [one.textContent.trim() || one.getAttribute('aria-label'),"
        " one.getBoundingClientRect().width, one.getBoundingClientRect().height])"
    )
    small = [size for size in sizes if min(size[1:]) < 43.5]
    assert sizes
    assert not small


@pytest.mark.at_length
@pytest.mark.parametrize("name", ["start", "new-isis-osiris", "settings", "callisto", "isis-osiris-over", "knister"])
def test_longer_words_fit_a_small_phone(arrive: Arrive, name: str) -> None:
    page = arrive(screen="small")
    screenshots.PICTURES[name](page)
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    page.wait_for_load_state("networkidle")  # a screen that is still loading keeps its own settings once more
    for language in ("es", "fr", "nl"):
        page.evaluate("language => localStorage.setItem('sobremesa', JSON.stringify({ language }))", language)
        page.reload()
        expect(page.locator("html")).to_have_attribute("lang", language)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        page.wait_for_load_state("networkidle")
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"{language} runs over the edge"


def test_settings_count_at_once_and_stay(arrive: Arrive) -> None:
    page = arrive("/settings")
    root = page.locator("html")
    page.get_by_label("Language").select_option("fr")
    expect(root).to_have_attribute("lang", "fr")
    expect(page.get_by_role("heading", level=1)).to_have_text("Réglages")
    page.locator("input[value=contrast]").check()
    expect(root).to_have_attribute("data-theme", "contrast")
    access.check(page)
    page.locator("input[value=box]").check()
    expect(root).to_have_attribute("data-palette", "box")
    page.reload()
    expect(root).to_have_attribute("lang", "fr")
    expect(root).to_have_attribute("data-theme", "contrast")
    expect(root).to_have_attribute("data-palette", "box")


def test_where_sockets_are_blocked_the_page_asks_instead(arrive: Arrive) -> None:
    page = arrive("/")
    page.add_init_script(
        "window.WebSocket = class { static OPEN = 1; static CONNECTING = 0; readyState = 3;"
        " constructor() { setTimeout(() => this.onclose?.(), 10) } close() {} send() {} }"
    )
    page.goto(f"/r/{open_room(page, 'knister', 'me', 'greedy', name='Ana')}")
    expect(page.get_by_role("grid")).to_be_visible()
    hand = Hand(page)
    for _ in range(3):
        until(page, hand.play)
    assert hand.moves == 3


def test_a_hint_is_shown_on_the_table(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"/r/{open_room(page, 'knister', 'me', 'greedy', name='Ana')}")
    page.get_by_role("button", name="Hint").click()
    expect(page.get_by_role("gridcell", name=re.compile("suggested"))).to_have_count(1)
