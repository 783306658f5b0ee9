"""By finger and by mouse: what is tapped, dragged, turned and drawn nearer is where one means it."""

import base64
import re
from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import CDPSession, Page, expect

from page.conftest import Arrive
from page.hands import settled
from stage import look, open_room, play

Spot = tuple[float, float]


class Fingers:
    """Fingers on the screen, as the browser itself gets them."""

    def __init__(self, page: Page) -> None:
        self.session: CDPSession = page.context.new_cdp_session(page)

    def _send(self, kind: str, *spots: Spot) -> None:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(spots)]
        self.session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})

    @contextmanager
    def down(self, *spots: Spot) -> Iterator["Fingers"]:
        self._send("touchStart", *spots)
        yield self
        self._send("touchEnd")

    def move(self, *spots: Spot) -> None:
        self._send("touchMove", *spots)

    def drag(self, start: Spot, end: Spot) -> None:
        """One finger goes from here to there in ten steps."""
        with self.down(start):
            for step in range(1, 11):
                self.move(tuple(a + (b - a) * step / 10 for a, b in zip(start, end, strict=True)))  # type: ignore[arg-type]


def middle(page: Page, selector: str) -> Spot:
    box = page.locator(selector).bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def cell(page: Page, name: str) -> Spot:
    return middle(page, f'[role=grid] [data-cell="{name}"]')


def at_a_table(arrive: Arrive, moves: int = 0, screen: str = "phone") -> tuple[Page, str]:
    page = arrive(screen=screen)
    room = open_room(page, "callisto", "me", "greedy", name="Ana")
    play(page, room, moves)
    page.goto(f"/r/{room}")
    expect(page.get_by_test_id("message")).to_be_visible()
    return page, room


def test_tapping_the_pillar_that_is_in_hand_keeps_it(arrive: Arrive) -> None:
    page, room = at_a_table(arrive)
    page.locator('[data-piece="P"]').tap()
    expect(page.get_by_test_id("message")).to_have_text("Place a pillar.")
    page.locator('[data-piece="X"]').tap()
    expect(page.get_by_test_id("message")).to_have_text("First your two pillars, then the tiles.")
    page.touchscreen.tap(*cell(page, "e5"))
    expect(page.get_by_test_id("ghost")).to_have_attribute("data-fits", "true")
    page.get_by_role("button", name="Place", exact=True).tap()
    expect(page.locator('[role=grid] [data-cell="e5"]')).to_have_attribute("aria-label", "e5: Pillar of Ana")
    assert len(look(page, room)["room"]["seats"]) == 2


def test_a_dragged_tile_rests_under_the_finger_and_waits(arrive: Arrive) -> None:
    page, room = at_a_table(arrive)
    version = look(page, room)["version"]
    fingers, ghost = Fingers(page), page.get_by_test_id("ghost")
    fingers.drag(middle(page, '[data-piece="P"]'), cell(page, "i12"))
    expect(ghost).to_have_attribute("data-move", "i12")
    place = page.get_by_role("button", name="Place", exact=True)
    expect(place).to_be_enabled()
    assert look(page, room)["version"] == version
    # From anywhere on the board it moves as the finger does, and no further.
    x, y = cell(page, "h4")
    right, up = cell(page, "j6")
    fingers.drag((x, y), (right, up))
    expect(ghost).to_have_attribute("data-move", "k14")
    page.get_by_role("button", name="Down").tap()
    expect(ghost).to_have_attribute("data-move", "k13")
    place.tap()
    expect(page.locator('[role=grid] [data-cell="k13"]')).to_have_attribute("aria-label", "k13: Pillar of Ana")


def test_who_likes_has_a_dragged_tile_placed_at_once(arrive: Arrive) -> None:
    page, _ = at_a_table(arrive)
    table = page.url
    page.goto("/settings")
    page.get_by_label("Callisto: a dragged tile is placed at once").check()
    page.goto(table)
    expect(page.get_by_test_id("message")).to_be_visible()
    Fingers(page).drag(middle(page, '[data-piece="P"]'), cell(page, "i12"))
    expect(page.locator('[role=grid] [data-cell="i12"]')).to_have_attribute("aria-label", "i12: Pillar of Ana")


def test_two_fingers_draw_the_board_nearer_and_not_the_page(arrive: Arrive) -> None:
    page, _ = at_a_table(arrive, moves=2)
    corner = page.locator('[role=grid] [data-cell="h8"]')
    before = corner.bounding_box()
    assert before
    x, y = cell(page, "h8")
    with Fingers(page).down((x - 20, y), (x + 20, y)) as fingers:
        for spread in range(25, 65, 5):
            fingers.move((x - spread, y), (x + spread, y))
    after = corner.bounding_box()
    assert after
    assert after["width"] > 2.5 * before["width"]
    assert page.evaluate("visualViewport.scale") == 1
    page.locator('[data-piece="2"]').tap()
    page.touchscreen.tap(*cell(page, "h8"))
    expect(page.get_by_test_id("ghost")).to_be_visible()
    page.get_by_role("button", name="The whole board").tap()
    assert corner.bounding_box() == before


_COLOURS = """async ([picture, spots]) => {
  const bytes = Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))
  const bitmap = await createImageBitmap(new Blob([bytes], { type: 'image/png' }))
  const canvas = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  canvas.drawImage(bitmap, 0, 0)
  return spots.map(([x, y]) => [...canvas.getImageData(x, y, 1, 1).data].slice(0, 3))
}"""


def luminance(colour: list[int]) -> float:
    """Relative luminance, as WCAG defines it."""
    linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in (part / 255 for part in colour)]
    return sum(weight * part for weight, part in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def test_the_centre_is_told_from_the_cells_around_it(arrive: Arrive) -> None:
    """Everywhere on the board, whatever light falls on it."""
    page = arrive(screen="phone")
    page.goto(f"/r/{open_room(page, 'callisto', 'me', 'open', name='Ana')}")
    other = arrive(page.url, screen="desktop")
    other.locator("main form input").first.fill("Bo")
    other.locator("main form button.main").click()
    for here in (page, other):
        expect(here.get_by_role("grid")).to_be_visible()
        settled(here)
        boxes = here.evaluate(
            "[...document.querySelectorAll('[role=grid] [data-cell]')].map(cell => {"
            " const box = cell.getBoundingClientRect();"
            " return [box.x + box.width * 0.4, box.y + box.height * 0.4, cell.classList.contains('centre')] })"
        )
        scale = here.evaluate("devicePixelRatio")
        spots = [[x * scale, y * scale] for x, y, _ in boxes]
        picture = base64.b64encode(here.screenshot()).decode()
        canvas = here.context.browser
        assert canvas
        blank = canvas.new_page()
        colours = blank.evaluate(_COLOURS, [picture, spots])
        blank.close()
        light = [luminance(colour) for colour, (_, _, centre) in zip(colours, boxes, strict=True) if not centre]
        dark = [luminance(colour) for colour, (_, _, centre) in zip(colours, boxes, strict=True) if centre]
        assert len(dark) == 24
        assert (min(light) + 0.05) / (max(dark) + 0.05) >= 3


def _drag(page: Page, piece: str, cell: str) -> None:
    """Carries a piece from the tray to a cell with the mouse held down."""
    tile = page.locator(f'[data-piece="{piece}"]').bounding_box()
    target = page.locator(f'[role=grid] [data-cell="{cell}"]').bounding_box()
    assert tile
    assert target
    page.mouse.move(tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] / 2)
    page.mouse.down()
    for step in range(1, 11):
        x = tile["x"] + (target["x"] + target["width"] / 2 - tile["x"]) * step / 10
        y = tile["y"] + (target["y"] + target["height"] / 2 - tile["y"]) * step / 10
        page.mouse.move(x, y)


def test_a_tile_is_dragged_turned_and_told_why_not(arrive: Arrive) -> None:
    page = arrive()
    room = open_room(page, "callisto", "me", "me", name="Ana", options={"edition": "pocket"})
    page.goto(f"/r/{room}")
    expect(page.get_by_role("grid")).to_be_visible()
    ghost, message = page.get_by_test_id("ghost"), page.get_by_test_id("message")
    _drag(page, "P", "e5")
    expect(ghost).to_have_attribute("data-fits", "false")
    expect(message).to_contain_text("frame")
    page.mouse.up()
    page.keyboard.press("Escape")
    for cell in ("a3", "j3", "a8", "j8"):
        _drag(page, "P", cell)
        page.mouse.up()
        page.get_by_role("button", name="Place", exact=True).click()
        expect(page.locator(f'[role=grid] [data-cell="{cell}"]')).to_have_attribute("aria-label", re.compile("Ana"))
    _drag(page, "I", "b3")
    before = ghost.get_attribute("data-move")
    page.keyboard.press("r")
    expect(ghost).not_to_have_attribute("data-move", before or "")
    page.mouse.wheel(0, 100)
    expect(ghost).to_have_attribute("data-move", before or "")
    page.mouse.up()


def test_a_tile_that_was_turned_snaps_as_at_a_fresh_tap(arrive: Arrive) -> None:
    """Tapped onto the board, turned, tapped onto the same cell: it lies as if it had come from the tray turned so."""
    page, room = at_a_table(arrive, moves=4)
    ghost, tile = page.get_by_test_id("ghost"), page.locator('[data-piece="L"]')
    moves = [move.split(",") for move in look(page, room)["legal"]["0"]]
    spots = sorted({name for move in moves if len(move) == 4 for name in move})[::4]

    def lies() -> tuple[str | None, str | None]:
        return ghost.get_attribute("data-move"), ghost.get_attribute("data-fits")

    tapped = []
    for name in spots:
        tile.tap()
        page.touchscreen.tap(*cell(page, name))
        page.get_by_role("button", name="Turn").tap()
        page.touchscreen.tap(*cell(page, name))
        turned = lies()
        tile.tap()  # back into the tray, turned as it is
        expect(ghost).to_have_count(0)
        tile.tap()
        page.touchscreen.tap(*cell(page, name))
        tapped.append((turned, lies()))
        tile.tap()
        expect(ghost).to_have_count(0)
    assert [turned for turned, _ in tapped] == [fresh for _, fresh in tapped]
    assert [fits for _, (_, fits) in tapped].count("true") > 3
