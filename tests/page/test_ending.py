"""The end of a game: counted first, told afterwards, with a reason where points alone do not decide."""

import re

from playwright.sync_api import expect

from chromium import SCREENS
from page import access
from page.conftest import Arrive
from page.test_layout import hidden
from stage import look, open_room, play, send_command

WINS = re.compile("wins?\\b|share")


def test_the_headline_waits_for_the_count(arrive: Arrive) -> None:
    page = arrive(motion=True)
    room = open_room(page, "knister", "me", "greedy", name="Ana")
    play(page, room, 24)
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    update = look(page, room)
    ((seat, legal),) = update["legal"].items()
    send_command(page, room, "move", seat=int(seat), version=update["version"], move=legal[0])
    expect(page.get_by_role("button", name="Skip the counting")).to_be_visible()
    assert not WINS.search(headline.inner_text())
    assert not page.locator(".ending").count()
    page.get_by_role("button", name="Skip the counting").click()
    expect(headline).to_contain_text(WINS)


def test_in_callisto_the_headline_waits_for_the_last_tile(arrive: Arrive) -> None:
    page = arrive(motion=True)
    room = open_room(page, "callisto", "me", "me", name="Ana", options={"edition": "pocket"})
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    play(page, room)
    expect(page.get_by_role("heading", name="Counting what is left")).to_be_visible()
    assert not WINS.search(headline.inner_text())
    page.get_by_role("button", name="Skip", exact=True).click()
    expect(headline).to_contain_text(WINS)


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


def test_what_comes_next_is_at_hand_by_name(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    room = open_room(page, "callisto", "me", "greedy", name="Ana", options={"edition": "pocket"})
    play(page, room)
    page.goto(f"/r/{room}")
    ending = page.get_by_role("region", name="The end")
    for name in ("Play again, Greedy starts", "Review", "Rules"):
        expect(ending.get_by_text(name, exact=True)).to_be_visible()
    for screen in ("tiny", "phone", "landscape", "tablet", "desktop"):
        page.set_viewport_size(SCREENS[screen]["viewport"])
        page.wait_for_timeout(60)  # the layout settles
        assert not hidden(page, ".status .ending :is(h1, button, a)", 4), screen
