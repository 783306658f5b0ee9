"""The end of a game: what comes next is at hand."""

import re

from playwright.sync_api import expect

from chromium import SCREENS
from kinds import ONE_OF_EACH
from page.conftest import Arrive
from page.hands import settled
from page.test_layout import hidden
from stage import open_room, play


def test_what_comes_next_is_at_hand_by_name(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    room = open_room(page, ONE_OF_EACH[0].game.id, "me", "greedy", name="Ana")
    result = play(page, room)["room"]["result"]
    assert result["places"] == {"0": 2, "1": 1}, "at random nobody beats it"
    page.goto(f"/r/{room}")
    ending = page.get_by_role("region", name="The end")
    expect(ending).to_contain_text(re.compile(r"Well played\. Another one\?|So close"))
    for name in ("Play again, Greedy starts", "Review", "Rules"):
        expect(ending.get_by_text(name, exact=True)).to_be_visible()
    for screen in ("tiny", "phone", "landscape", "tablet", "desktop"):
        page.set_viewport_size(SCREENS[screen]["viewport"])
        settled(page)
        assert not hidden(page, ".status .ending :is(h1, button, a)", 4), screen
