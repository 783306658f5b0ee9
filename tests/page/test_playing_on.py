"""From a moment of a game, or a shared board, one plays on: against the computer or a friend, and comes back."""

import re

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive
from page.test_games import sit_down
from page.test_replays import finished
from stage import look, play


def test_playing_on_from_a_replay_and_the_way_back(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    page.goto(f"{finished(page, 'callisto')}/games/1?step=10")
    page.get_by_role("link", name="Try moves").tap()
    page.get_by_role("button", name="Play on").tap()
    choice = page.get_by_role("dialog", name="Play on from here")
    expect(choice).to_contain_text("It counts for nobody.")
    access.check(page)
    choice.get_by_label("Against").select_option("greedy")
    choice.get_by_role("button", name="Play against the computer").tap()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your turn")
    pieces = page.locator('[role=gridcell][aria-label*=" of "]')
    expect(pieces.first).to_be_visible()
    expect(page.get_by_text("Played on from a position")).to_be_visible()
    access.check(page)
    room = page.url.rpartition("/")[2]
    assert look(page, room)["room"]["origin"]["moment"]["step"] == 10
    play(page, room)
    page.goto(f"/r/{room}/games/1")
    expect(page.get_by_role("slider", name="Moment of the game")).to_be_visible()
    page.goto(f"/r/{room}")
    page.get_by_role("link", name="Back to the game").tap()
    expect(page.get_by_role("slider", name="Moment of the game")).to_have_value("10")
    page.goto("/me")
    expect(page.get_by_text("1 of 2 won")).to_be_visible()  # both seats of the game, and nothing of what was played on


def test_playing_on_from_a_shared_board_with_a_friend(arrive: Arrive) -> None:
    ana = arrive()
    ana.goto(f"{finished(ana, 'knister')}/games/1?step=9")
    ana.get_by_role("link", name="Try moves").click()
    ana.get_by_role("button", name="Play on").click()
    ana.get_by_role("dialog").get_by_role("button", name="Invite a friend").click()
    who = ana.get_by_role("dialog", name="Who invites?")
    access.check(ana)
    who.get_by_label("Your name").fill("Ana")
    who.get_by_role("button", name="Invite a friend").click()
    expect(ana.get_by_role("img", name="QR code")).to_be_visible()
    bo = arrive(ana.url, screen="phone")
    expect(bo.get_by_role("heading", name="Ana invites you to ")).to_be_visible()
    expect(bo.get_by_text("Played on from a position")).to_be_visible()
    sit_down(bo, "Bo")
    for page in (ana, bo):
        expect(page.get_by_text(re.compile("Round [3-6] of 25"))).to_be_visible()
