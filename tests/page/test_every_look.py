"""Axe on every screen, in all looks, on desktop and phone."""

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.conftest import Arrive, Troubles
from page.hands import settled
from sobremesa import GAMES
from stage import open_room, play, send_command

LOOKS = [("light", "safe"), ("dark", "safe"), ("contrast", "safe"), ("light", "box")]
PHONE = (390, 844)
SIZES = [(1440, 900), PHONE]


@pytest.mark.at_length
def test_every_screen_in_every_look(arrive: Arrive, troubles: Troubles) -> None:
    troubles.allow("status of 404")  # nowhere
    page = arrive("/")
    paths = ["/", "/lobby", "/me", "/settings", "/nowhere", "/daily", "/openings/callisto"]
    for game in GAMES:
        begun, over = (open_room(page, game, "me", "greedy", name="Ana") for _ in range(2))
        play(page, begun, 4)
        play(page, over)
        paths += [f"/rules/{game}", f"/new/{game}", f"/learn/{game}"]
        paths += [f"/r/{begun}", f"/r/{over}", f"/r/{over}/games/1?step=8"]
    waiting = open_room(page, "callisto", "me", "open", name="Ana")
    gathering, paused = (open_room(page, "knister", crowd=True, name="Ana", clock=600) for _ in range(2))
    send_command(page, paused, "sit", name="Ana")
    send_command(page, paused, "start")
    send_command(page, paused, "pause", on=True)
    paths += [f"/r/{waiting}", *(f"/r/{room}{end}" for room in (gathering, paused) for end in ("", "/screen"))]
    page.goto(next(path for path in paths if "step=8" in path))
    board = page.get_by_role("link", name="Try moves").get_attribute("href")
    assert board
    for path in (*paths, board):
        page.goto(path)
        page.get_by_role("heading", level=1).first.wait_for()
        check_looks(page)


@pytest.mark.at_length
def test_what_opens_on_a_screen_in_every_look(arrive: Arrive) -> None:
    """Past days, tables of four, an opened review, an invitation, and the host's dialog of it."""
    page, guest = arrive("/"), arrive("/")
    page.goto("/daily/archive")
    page.get_by_role("heading", level=1).wait_for()
    check_looks(page)
    today = page.request.get("/api/daily").json()["date"]
    page.goto(f"/daily/{today}")
    check_looks(page)
    page.get_by_label("Your name in the ranking").fill("Ana")
    page.get_by_role("button", name="Roll the dice").click()
    expect(page.get_by_role("grid")).to_be_visible()
    check_looks(page)

    for game in GAMES:
        room = open_room(page, game, "me", "greedy", "greedy", "greedy", name="Ana")
        play(page, room, 5)
        page.goto(f"/r/{room}")
        expect(page.get_by_role("grid").first).to_be_visible()
        check_looks(page)

    game = next(iter(GAMES))
    over = open_room(page, game, "me", "me", name="Ana", options={"edition": "pocket"})
    play(page, over)
    page.goto(f"/r/{over}/games/1?review")
    expect(page.get_by_role("img", name="Chances of winning, move by move")).to_be_visible(timeout=120_000)
    page.locator(".worst button").first.click()
    expect(page.locator(".decision .verdict")).to_be_visible()
    check_looks(page)

    waiting = open_room(page, game, "me", "open", name="Ana", clock=3 * 86400, options={"edition": "pocket"})
    guest.goto(f"/r/{waiting}")
    expect(guest.get_by_role("heading", name="Ana invites you to ")).to_be_visible()
    check_looks(guest)

    room = open_room(page, game, "me", "me", name="Ana")
    page.goto(f"/r/{room}")
    page.get_by_text("This table", exact=True).click()
    page.get_by_role("button", name="Invite").last.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    check_looks(page)


@pytest.mark.at_length
def test_every_dialog_at_a_table_in_every_look(arrive: Arrive) -> None:
    """The keys, giving up, stopping, leaving, what is around the table, and who invites."""
    page, guest = arrive("/"), arrive("/")
    game = next(iter(GAMES.values()))
    room = open_room(page, game.id, "me", "open", name="Ana")
    send_command(guest, room, "sit", name="Bo")
    page.goto(f"/r/{room}")
    page.get_by_text("This table", exact=True).click()
    for button, title in (
        ("Keys (?)", "Keys"),
        ("Give up", "Give up?"),
        ("Stop the game", "Stop the game?"),
        ("Leave the table", "Leave the table?"),
    ):
        page.get_by_role("button", name=button).click()
        check_dialog(page, title)
    page.set_viewport_size({"width": PHONE[0], "height": PHONE[1]})
    page.get_by_role("button", name="Seats, talk and more").click()
    check_dialog(page, game.name, PHONE)
    guest.get_by_role("button", name=f"Invite a friend to {game.name}").click()
    check_dialog(guest, "Who invites?")


def check_dialog(page: Page, title: str, size: tuple[int, int] = SIZES[0]) -> None:
    """Asks axe about a dialog that has opened, in all looks, and closes it."""
    expect(page.get_by_role("dialog", name=title)).to_be_visible()
    check_looks(page, [size], "dialog")
    page.keyboard.press("Escape")
    expect(page.get_by_role("dialog")).to_have_count(0)


def check_looks(page: Page, sizes: list[tuple[int, int]] = SIZES, part: str = "html") -> None:
    """Asks axe about what is shown, or a part of it, at all sizes and in all looks."""
    for width, height in sizes:
        page.set_viewport_size({"width": width, "height": height})
        for theme, palette in LOOKS:
            look = {"theme": theme, "palette": palette}
            page.evaluate("look => Object.assign(document.documentElement.dataset, look)", look)
            settled(page)
            access.check(page, part)
    width, height = SIZES[0]
    page.set_viewport_size({"width": width, "height": height})
