"""A turn on the page: what was tapped before it, a cell that is chosen first, what is heard of it; and the last one."""

import re

from playwright.sync_api import expect

from page.conftest import Arrive
from stage import look, open_room, play, send_command

WINS = re.compile("wins?\\b|share")


def test_a_turn_begins_afresh_and_a_chosen_cell_waits_for_its_tile(arrive: Arrive) -> None:
    ana, bo = arrive(), arrive("/")
    room = open_room(ana, "isis-osiris", "me", "open", name="Ana", options={"starter": 1})
    send_command(bo, room, "sit", name="Bo")
    ana.goto(f"/r/{room}")
    cell, prompt = ana.get_by_label("c3, free"), ana.locator(".prompt")
    cell.click()
    trouble = ana.get_by_role("alert").filter(has_text="Bo’s turn.")
    expect(trouble).to_be_visible()
    send_command(bo, room, "move", seat=1, version=look(bo, room)["version"], move="Sa1")
    expect(ana.get_by_role("heading", level=1)).to_contain_text("Your turn")
    expect(prompt).to_have_text("A stone or a tile?")
    expect(trouble).to_have_count(0)

    cell.click()
    expect(prompt).to_have_text("What goes on c3?")
    ana.get_by_role("button", name="Turn over a tile").click()
    expect(prompt).to_have_text("Choose c3 again or another free cell. It will lie there face down.")
    expect(cell).to_have_attribute("aria-selected", "true")
    cell.click()
    expect(ana.get_by_test_id("announcements")).to_contain_text("the tile face down on c3")
    expect(ana.get_by_label(re.compile("^c3, tile"))).to_have_attribute("aria-selected", "false")


def test_the_headline_waits_for_the_count(arrive: Arrive) -> None:
    page = arrive(motion=True)
    room = open_room(page, "isis-osiris", "me", "me", name="Ana")
    while look(page, room)["steps"][-1]["views"][0]["cells"].count(".") > 1:
        play(page, room, 1)
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("turn")
    play(page, room)
    show = page.get_by_role("button", name="Show the result")
    expect(show).to_be_visible()
    assert not WINS.search(headline.inner_text())
    scores = page.locator(".seats .score").filter(has_text=re.compile(r"\d"))
    expect(scores).to_have_count(0)
    expect(page.get_by_role("button", name="Play again")).to_have_count(0)
    show.click()
    expect(headline).to_contain_text(WINS)
    expect(scores).to_have_count(2)
    expect(page.get_by_role("button", name="Play again")).to_have_count(1)
