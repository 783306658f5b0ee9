"""Series (C11) on the page."""

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive
from page.test_games import open_room

ME, COMPUTER = {"kind": "me"}, {"kind": "engine", "player": "greedy"}


def test_c11_a_series_is_not_too_short_and_says_when_it_is_uneven(arrive: Arrive) -> None:
    page = arrive("/new/callisto", screen="phone")
    page.get_by_role("button", name="One more seat").click()
    series = page.get_by_label("Series")
    assert series.locator("option").all_inner_texts()[:4] == ["1 game", "3 games", "4 games", "5 games"]
    uneven = page.get_by_text("With 4 games some start once more than others.")
    series.select_option("4")
    expect(uneven).to_contain_text("Only with a multiple of 3 does everybody start equally often.")
    expect(uneven.get_by_role("link", name="C11")).to_have_attribute("href", "/rules/callisto#C11")
    access.check(page)
    series.select_option("6")
    expect(page.get_by_text("some start once more")).to_have_count(0)
    page.set_viewport_size({"width": 1280, "height": 800})
    page.goto(open_room(page, "callisto", [ME, COMPUTER, COMPUTER], games=4))
    expect(uneven).to_be_visible()
