"""The end of a game: counted first, told afterwards, with a reason where points alone do not decide."""

import re

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive
from stage import open_room, play

WINS = re.compile("wins?\\b|share")


def test_the_headline_waits_for_the_last_tile(arrive: Arrive) -> None:
    page = arrive(motion=True)
    room = open_room(page, "callisto", "me", "me", name="Ana", options={"edition": "pocket"})
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    play(page, room)
    expect(page.get_by_role("heading", name="Counting what is left")).to_be_visible()
    assert not WINS.search(headline.inner_text())
    told = page.locator(".seats .score, .place, li.first")
    expect(told).to_have_count(0)
    expect(page.get_by_role("button", name="Play again")).to_have_count(0)
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(headline).to_contain_text(WINS)
    expect(told).not_to_have_count(0)
    expect(page.get_by_role("button", name="Play again")).to_have_count(1)


def test_equal_points_are_explained(arrive: Arrive) -> None:
    """Games with random moves until two end alike: who started later ranks higher (C10), and it says so."""
    page = arrive(screen="phone")
    for seed in (12, *range(60)):  # with today's rules the first is such a game
        room = open_room(page, "callisto", "me", "me", name="Ana", options={"edition": "pocket"})
        result = play(page, room, seed=seed)["room"]["result"]
        if result["scores"]["0"] == result["scores"]["1"]:
            break
    else:
        raise AssertionError("no two ended alike")
    page.goto(f"/r/{room}")
    ending = page.get_by_role("region", name="The end")
    expect(ending).to_contain_text(f"{result['scores']['0']} each: whoever started later ranks higher (rule C10).")
    access.check(page)
    page.get_by_role("button", name="Seats, talk and more").click()
    expect(page.get_by_role("columnheader", name="Penalty points")).to_be_visible()
