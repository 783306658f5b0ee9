"""What one needs is in sight: tables and lessons fit the screen, upright and on its side."""

import pytest
from playwright.sync_api import Page, expect

from chromium import SCREENS
from page.conftest import Arrive
from stage import open_room, play

HANDHELD = ("tiny", "phone", "landscape", "tablet")
GAMES = ("callisto", "isis-osiris", "knister")

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
    page.wait_for_timeout(60)  # the layout settles
    # What Knister has below its sheet, the ranking and the score table, may be scrolled to.
    wanted = "section.table :is([role=grid], button, label):not(.below *, .beside *)"
    assert not hidden(page, wanted), screen
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), screen


@pytest.mark.parametrize("game", GAMES)
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


def test_a_lesson_on_a_phone_speaks_of_no_keys(arrive: Arrive) -> None:
    page = arrive("/learn/callisto", screen="phone")
    for number in range(2, 5):
        page.get_by_role("button", name="Skip").tap()
        expect(page.locator(".progress")).to_contain_text(f"step {number} of")
    expect(page.locator(".words")).to_contain_text("turned and flipped")
    expect(page.locator(".words")).not_to_contain_text("keys R and F")


@pytest.mark.parametrize("game", GAMES)
def test_a_table_fits_the_screen(arrive: Arrive, game: str) -> None:
    page = arrive(screen="phone")
    room = open_room(page, game, "me", "greedy", name="Ana")
    play(page, room, 3)
    page.goto(f"/r/{room}")
    expect(page.get_by_role("grid")).to_be_visible()
    for screen in HANDHELD:
        check_fits(page, screen)


def test_on_a_small_phone_the_board_uses_the_room_there_is(arrive: Arrive) -> None:
    page = arrive(screen="tiny")
    room = open_room(page, "callisto", "me", "greedy", name="Ana")
    page.goto(f"/r/{room}")
    page.get_by_role("complementary", name="The aim").get_by_role("button").tap()
    box = page.get_by_role("grid").bounding_box()
    assert box
    assert min(box["width"], box["height"]) > 250


_RIMS = """() => {
  const canvas = new OffscreenCanvas(1, 1).getContext("2d", { willReadFrequently: true })
  const light = (colour) => {
    canvas.fillStyle = colour
    canvas.fillRect(0, 0, 1, 1)
    const [r, g, b] = [...canvas.getImageData(0, 0, 1, 1).data].slice(0, 3).map((byte) => {
      const share = byte / 255
      return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
    })
    return 0.2126 * r + 0.7152 * g + 0.0722 * b
  }
  const style = (one, what) => light(getComputedStyle(one)[what])
  const ratio = (a, b) => (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05)
  const grounds = [".cell:not(.centre)", ".cell.centre"].map((of) => style(document.querySelector(of), "fill"))
  const found = { centre: ratio(...grounds) }
  for (const seat of [0, 1, 2, 3]) {
    const rims = [...document.querySelectorAll(`.board .piece.seat-${seat} .rim`)].slice(0, 2)
    for (const [place, ground] of grounds.entries())
      found[`${seat} on ${["free cells", "the centre"][place]}`] =
        Math.max(...rims.map((rim) => ratio(style(rim, "stroke"), ground)))
  }
  return found
}"""


def test_pieces_stand_out_from_the_board_in_every_look(arrive: Arrive) -> None:
    """3:1 by luminance for a line around each piece, and between the centre and free cells (WCAG 1.4.11)."""
    page = arrive()
    room = open_room(page, "callisto", "me", "me", "me", "me", name="Ana")
    play(page, room, 16)
    page.goto(f"/r/{room}")
    expect(page.locator(".board .piece.seat-3 .rim").first).to_be_visible()
    for theme in ("light", "dark", "contrast"):
        for palette in ("safe", "box"):
            page.evaluate(
                "([theme, palette]) => Object.assign(document.documentElement.dataset, { theme, palette })",
                [theme, palette],
            )
            found = page.evaluate(_RIMS)
            assert len(found) == 9, found
            assert not {what: ratio for what, ratio in found.items() if ratio < 3}, (theme, palette)


@pytest.mark.parametrize("game", GAMES)
def test_a_table_is_set_up_without_scrolling(arrive: Arrive, game: str) -> None:
    page = arrive(f"/new/{game}")
    expect(page.get_by_role("combobox", name="Seat 2", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 1440, "height": 900})
    assert not hidden(page, "form :is(select, .main)", 6)
