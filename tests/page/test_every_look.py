"""Axe on every screen, in all looks, on desktop and phone."""

import pytest

from page import access
from page.conftest import Arrive
from stage import open_room, play, send_command

LOOKS = [("light", "safe"), ("dark", "safe"), ("contrast", "safe"), ("light", "box")]
SIZES = [(1440, 900), (390, 844)]


@pytest.mark.at_length
def test_every_screen_in_every_look(arrive: Arrive) -> None:
    page = arrive("/")
    paths = ["/", "/lobby", "/me", "/settings", "/nowhere", "/daily", "/openings/callisto"]
    for game in ("callisto", "isis-osiris", "knister"):
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
        for width, height in SIZES:
            page.set_viewport_size({"width": width, "height": height})
            for theme, palette in LOOKS:
                look = {"theme": theme, "palette": palette}
                page.evaluate("look => Object.assign(document.documentElement.dataset, look)", look)
                page.wait_for_timeout(180)  # colours change softly
                access.check(page)
