"""What one needs is in sight: tables and lessons fit the screen, upright and on its side."""

import pytest
from playwright.sync_api import Page, expect

from chromium import SCREENS
from kinds import OWN_GAMES
from page.conftest import Arrive
from page.hands import settled
from stage import open_room, play

HANDHELD = ("tiny", "phone", "landscape", "tablet")

_HIDDEN = """([inside, least]) => {
  const all = [...document.querySelectorAll(inside)].filter((one) => one.checkVisibility())
  const bad = all.flatMap((one) => {
    const box = one.getBoundingClientRect()
    const [x, y] = [box.x + box.width / 2, box.y + box.height / 2]
    const out = box.left < -0.5 || box.top < -0.5 || box.right > innerWidth + 0.5 || box.bottom > innerHeight + 0.5
    const top = document.elementFromPoint(x, y)
    const covered = !out && top !== one && !one.contains(top) && !top?.contains(one)
    const name = one.getAttribute('aria-label') ?? one.textContent.trim().slice(0, 30)
    return out || covered ? [`${name}: ${out ? 'outside' : 'covered by ' + top?.className} ${JSON.stringify(box)}`] : []
  })
  return all.length < least ? [`only ${all.length} of ${inside}`] : bad
}"""


def hidden(page: Page, inside: str, least: int = 1) -> list[str]:
    """What cannot be seen or touched of what a selector finds, without scrolling."""
    found: list[str] = page.evaluate(_HIDDEN, [inside, least])
    return found


def check_fits(page: Page, screen: str) -> None:
    """The board, the buttons and the prompt of a table are all in sight."""
    page.set_viewport_size(SCREENS[screen]["viewport"])
    settled(page)
    # What lies below a board, a ranking or a table of points, may be scrolled to.
    wanted = "section.table :is([role=grid], button, label):not(.below *, .beside *)"
    assert not hidden(page, wanted), screen
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen


@pytest.mark.parametrize("game", OWN_GAMES)
def test_a_lesson_shows_what_it_asks_for(arrive: Arrive, game: str) -> None:
    page = arrive(f"/learn/{game}", screen="phone")
    progress = page.locator(".progress")
    for number in range(1, 5):
        expect(progress).to_contain_text(f"step {number} of")
        for screen in HANDHELD:
            check_fits(page, screen)
            assert not hidden(page, ".words .text, .deed p, .deed button", 3), (screen, number)
            assert page.locator(".words .text").evaluate(
                "({ clientHeight, scrollHeight }) => clientHeight >= Math.min(scrollHeight, 2 * 21)"  # two lines
            )
        page.get_by_role("button", name="Skip").click()


@pytest.mark.parametrize("game", OWN_GAMES)
def test_a_table_fits_the_screen(arrive: Arrive, game: str) -> None:
    page = arrive(screen="phone")
    room = open_room(page, game, "me", "greedy", name="Ana")
    play(page, room, 3)
    page.goto(f"/r/{room}")
    expect(page.get_by_role("grid")).to_be_visible()
    for screen in HANDHELD:
        check_fits(page, screen)


@pytest.mark.parametrize("game", OWN_GAMES)
def test_a_table_is_set_up_without_scrolling(arrive: Arrive, game: str) -> None:
    page = arrive(f"/new/{game}")
    expect(page.get_by_role("combobox", name="Seat 2", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    assert not hidden(page, "form :is(select, .main)", 6)
