"""The end of a game: counted first, told afterwards."""

import re

from playwright.sync_api import expect

from page.conftest import Arrive
from stage import look, open_room, play, send_command

WINS = re.compile("wins?\\b|share")


def test_the_headline_waits_for_the_count(arrive: Arrive) -> None:
    page = arrive(motion=True)
    room = open_room(page, "knister", "me", "greedy", name="Ana")
    play(page, room, 24)
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    counts = page.locator("details", has_text="What counts")
    expect(counts).to_have_attribute("open", "")  # in one's first game
    update = look(page, room)
    ((seat, legal),) = update["legal"].items()
    send_command(page, room, "move", seat=int(seat), version=update["version"], move=legal[0])
    expect(page.get_by_role("button", name="Skip the counting")).to_be_visible()
    assert not WINS.search(headline.inner_text())
    assert not page.locator(".ending").count()
    for told in (".standings .place", ".standings .points", ".seats .score"):
        expect(page.locator(told).filter(has_text=re.compile(r"\d"))).to_have_count(0)
    expect(page.locator(".standings .first")).to_have_count(0)
    expect(page.get_by_role("button", name="Play again")).to_have_count(0)
    page.get_by_role("button", name="Skip the counting").click()
    expect(headline).to_contain_text(WINS)
    for told in (".standings .place", ".standings .points", ".seats .score"):
        expect(page.locator(told).filter(has_text=re.compile(r"\d"))).to_have_count(2)
    expect(page.locator(".standings .first")).to_have_count(1)
    expect(page.get_by_role("button", name="Play again")).to_have_count(1)
    page.reload()
    expect(counts).not_to_have_attribute("open", "")
