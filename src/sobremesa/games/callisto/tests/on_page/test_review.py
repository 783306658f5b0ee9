"""A real game looked over by the server."""

import re

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive
from page.test_replays import slider
from stage import open_room, play


def test_a_review_shows_what_would_have_been_better(arrive: Arrive) -> None:
    """A real game with random moves, looked over by the server: its verdicts are on the page, and on the board."""
    page = arrive()
    room = open_room(page, "callisto", "me", "me", name="Ana", options={"edition": "pocket"})
    play(page, room)
    page.goto(f"/r/{room}/games/1")
    page.get_by_role("button", name="Review this game").click()
    expect(page.get_by_role("img", name="Chances of winning, move by move")).to_be_visible(timeout=120_000)
    review = page.request.get(f"/api/rooms/{room}/games/1/review").json()
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    events = [each["event"] for each in review["moves"]]
    assert review["player"] == "champion"
    assert events == list(range(1, moves.count()))
    wrong = max(review["moves"], key=lambda each: each["lost"])
    assert wrong["lost"] > 0.1, "who plays at random gives something away"
    page.locator(".worst button").first.click()
    expect(slider(page)).to_have_value(str(wrong["event"]))
    expect(page.locator(".decision .verdict")).to_contain_text(re.compile("[Mm]istake"))
    expect(page.locator("path.hint:not(.under)")).to_have_count(1)
    access.check(page)
