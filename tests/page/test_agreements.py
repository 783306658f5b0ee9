"""What people at a table agree on: taking back, stopping, playing again; and giving up."""

import re

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.conftest import Arrive
from page.test_games import sit_down
from stage import look, open_room, play, send_command


def in_the_menu(page: Page, name: str) -> None:
    """Presses a button of "This table"."""
    page.get_by_text("This table", exact=True).click()
    page.get_by_role("button", name=name).click()
    page.get_by_role("dialog").get_by_role("button", name=name).click()


@pytest.mark.parametrize("screen", ["tiny", "desktop"])
def test_against_a_computer_a_move_is_taken_back_with_one_tap(arrive: Arrive, screen: str) -> None:
    page = arrive(screen=screen)
    room = open_room(page, "callisto", "me", "greedy", name="Ana")
    page.goto(f"/r/{room}")
    back = page.get_by_role("button", name="Take back")
    expect(page.get_by_role("grid")).to_be_visible()
    expect(back).to_have_count(0)
    send_command(page, room, "move", seat=0, version=look(page, room)["version"], move="e5")
    play(page, room, 0)  # the computer's answer
    pieces = page.locator('[role=gridcell][aria-label*=" of "]')
    expect(pieces).to_have_count(2)
    back.click()
    expect(pieces).to_have_count(0)
    expect(page.get_by_role("heading", level=1)).to_contain_text("Your turn")
    expect(back).to_have_count(0)
    page.reload()
    expect(page.get_by_test_id("message")).to_have_text("Place a pillar.")


def two(arrive: Arrive, game: str = "callisto") -> tuple[Page, Page, str]:
    ana = arrive()
    room = open_room(ana, game, "me", "open", name="Ana")
    ana.goto(f"/r/{room}")
    bo = arrive(ana.url, screen="phone")
    sit_down(bo, "Bo")
    expect(bo.get_by_role("grid")).to_be_visible()
    return ana, bo, room


def test_people_are_asked_before_a_move_is_taken_back(arrive: Arrive) -> None:
    ana, bo, room = two(arrive)
    send_command(ana, room, "move", seat=0, version=look(ana, room)["version"], move="e5")
    ana.get_by_role("button", name="Take back").click()
    expect(ana.get_by_text("Waiting for Bo to agree.")).to_be_visible()
    expect(bo.get_by_text("Ana would like to take the last move back.")).to_be_visible()
    access.check(bo)
    bo.get_by_role("button", name="No, thanks").tap()
    expect(ana.get_by_text("Waiting for Bo to agree.")).to_have_count(0)
    ana.get_by_role("button", name="Take back").click()
    bo.get_by_role("button", name="Agreed").tap()
    expect(ana.get_by_role("heading", level=1)).to_contain_text("Your turn")
    expect(bo.locator('[data-cell="e5"]')).to_have_attribute("aria-label", "e5: free")


def test_giving_up_and_playing_again_by_agreement(arrive: Arrive) -> None:
    """Nobody's result is taken away by somebody else's tap."""
    ana, bo, room = two(arrive)
    in_the_menu(ana, "Give up")
    for page, headline in ((ana, "Bo wins"), (bo, "You win!")):
        expect(page.get_by_role("heading", level=1)).to_contain_text(headline)
    expect(bo.get_by_role("region", name="The end")).to_contain_text("Ana has resigned.")
    bo.get_by_role("button", name=re.compile("Play again")).tap()
    expect(bo.get_by_text("Waiting until Ana would like to play again, too.")).to_be_visible()
    expect(ana.get_by_role("heading", level=1)).to_contain_text("Bo wins")
    assert look(ana, room)["room"]["number"] == 1
    ana.get_by_role("button", name="Agreed").click()
    expect(bo.get_by_role("heading", level=1)).to_contain_text("Your turn")
    assert look(ana, room)["room"]["number"] == 2


def test_a_game_is_stopped_when_all_agree(arrive: Arrive) -> None:
    ana, bo, _ = two(arrive, "knister")
    in_the_menu(ana, "Stop the game")
    expect(bo.get_by_text("Ana would like to stop here, without a result.")).to_be_visible()
    bo.get_by_role("button", name="Agreed").tap()
    for page in (ana, bo):
        expect(page.get_by_role("heading", level=1)).to_contain_text("The game was stopped")
    expect(ana.get_by_role("button", name="Play again")).to_be_visible()
    ana.get_by_role("link", name="Replay", exact=True).click()
    expect(ana.get_by_role("heading", level=1)).to_be_visible()


def test_a_stone_of_isis_and_osiris_is_taken_back(arrive: Arrive) -> None:
    page = arrive()
    room = open_room(page, "isis-osiris", "me", "me", name="Ana")
    page.goto(f"/r/{room}")
    cell = page.locator('[role=grid] [data-cell="14"]')
    expect(cell).to_have_attribute("aria-label", re.compile("free"))
    page.locator("[aria-keyshortcuts=S]").click()
    cell.click()
    expect(cell).not_to_have_attribute("aria-label", re.compile("free"))
    page.get_by_role("button", name="Take back").click()
    expect(cell).to_have_attribute("aria-label", re.compile("free"))
    page.locator("[aria-keyshortcuts=T]").click()
    expect(page.get_by_role("button", name="Take back")).to_have_count(0)  # chance has spoken


def test_among_three_a_computer_goes_on_for_who_gives_up(arrive: Arrive) -> None:
    ana = arrive("/")
    room = open_room(ana, "callisto", "me", "open", "greedy", name="Ana")
    bo = arrive(f"/r/{room}", screen="phone")
    sit_down(bo, "Bo")
    expect(bo.get_by_role("grid")).to_be_visible()
    bo.get_by_role("button", name="Seats, talk and more").tap()
    bo.get_by_text("This table", exact=True).tap()
    bo.get_by_role("button", name="Give up").tap()
    expect(bo.get_by_text("a computer goes on in your seat")).to_be_visible()
    bo.get_by_role("dialog").get_by_role("button", name="Give up").tap()
    seats = ana.get_by_role("list", name="Seats")
    ana.goto(f"/r/{room}")
    expect(seats).to_contain_text("Casual player")
    assert look(ana, room)["room"]["playing"]
