"""What one sees of the board and its pieces."""

from playwright.sync_api import expect

from page.conftest import Arrive
from stage import open_room, play


def test_a_lesson_on_a_phone_speaks_of_no_keys(arrive: Arrive) -> None:
    page = arrive("/learn/callisto", screen="phone")
    for number in range(2, 5):
        page.get_by_role("button", name="Skip").tap()
        expect(page.locator(".progress")).to_contain_text(f"step {number} of")
    expect(page.locator(".words")).to_contain_text("turned and flipped")
    expect(page.locator(".words")).not_to_contain_text("keys R and F")


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
