"""A game from another package on the server and on the page, without a line of TypeScript of its own."""

import re
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from chromium import SCREENS
from page import access
from page.conftest import Arrive
from page.hands import until
from page.test_games import open_room, sit_down

TABLE = ".picture"
MAX_MOVES = 40


def look(page: Page) -> Any:
    found = re.search(r"/r/([\w-]+)", page.url)
    assert found, page.url
    return page.request.get(f"/api/rooms/{found[1]}").json()


def shown(page: Page, version: int) -> None:
    page.wait_for_function(
        "version => Number(document.querySelector('.room')?.dataset.version ?? 0) >= version", arg=version
    )


def may_play_else(page: Page, legal: list[str]) -> bool:
    """Whether the first seat has other moves than those."""
    return bool(look(page)["legal"].get("0") != legal)


def play_by_taps(page: Page) -> int:
    """Plays to the end by tapping the picture, then Play; returns how many moves it took."""
    for moves in range(MAX_MOVES):
        while True:
            update = look(page)
            shown(page, update["version"])
            if update["room"]["over"]:
                return moves
            if legal := update["legal"].get("0"):
                break
            page.wait_for_timeout(50)
        move = legal[len(legal) // 2]
        target = page.locator(f'{TABLE} [data-move="{move}"], {TABLE} [data-cell="{move}"]').last
        target.tap() if page.evaluate("matchMedia('(pointer: coarse)').matches") else target.click()
        page.get_by_role("button", name="Play it").click()
        until(page, partial(may_play_else, page, legal))  # others may decide at the same time
        shown(page, look(page)["version"])
    raise AssertionError("it does not end")


def test_the_launcher_has_a_shortcut_to_it(arrive: Arrive) -> None:
    page = arrive("/")
    shortcuts = page.request.get("/manifest.webmanifest").json()["shortcuts"]
    assert {"name": "Reversi", "url": "/new/reversi"} in shortcuts


def test_it_is_on_the_first_screen_and_is_played_by_taps(arrive: Arrive) -> None:
    page = arrive("/", screen="phone")
    expect(page.get_by_role("heading", name="Reversi")).to_be_visible()
    expect(page.get_by_text("Turn the others’ discs over").first).to_be_visible()
    page.get_by_role("button", name="Play now: Reversi").tap()
    expect(page.locator(f"{TABLE} svg")).to_be_visible()
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"
    access.check(page)
    assert play_by_taps(page) > 8
    expect(page.locator(".room")).to_contain_text(re.compile("win", re.IGNORECASE))


def test_what_is_not_possible_is_said_with_its_rule(arrive: Arrive) -> None:
    page = arrive("/")
    page.goto(open_room(page, "reversi", [{"kind": "me"}, {"kind": "engine", "player": "child"}]))
    page.locator(f'{TABLE} [data-move="a1"]').first.click()
    expect(page.locator(".trouble", has_text="R2: that turns no disc over")).to_be_visible()


def test_by_keyboard_from_the_list_of_moves(arrive: Arrive) -> None:
    page = arrive("/")
    page.goto(open_room(page, "reversi", [{"kind": "me"}, {"kind": "me", "name": "Bo"}]))
    move = look(page)["legal"]["0"][1]
    first = page.get_by_role("button", name=move, exact=True)
    first.focus()
    page.keyboard.press("Enter")
    expect(first).to_have_attribute("aria-pressed", "true")
    page.keyboard.press("Enter")
    until(page, lambda: look(page)["steps"][-1]["move"] == move)
    shown(page, look(page)["version"])


def test_dice_and_hidden_cards_replay_and_fair_chance(arrive: Arrive) -> None:
    page = arrive("/", screen="desktop")
    page.goto(open_room(page, "duel", [{"kind": "me"}, {"kind": "engine", "player": "club"}]))
    assert play_by_taps(page) == 3
    room = look(page)["room"]
    page.goto(f"/r/{room['id']}/games/1")
    expect(page.locator(f"{TABLE} svg")).to_be_visible()
    page.get_by_text("Fair chance").first.click()
    page.get_by_role("button", name=re.compile("check", re.IGNORECASE)).first.click()
    expect(page.get_by_text(re.compile("all 3 outcomes|The outcomes follow")).first).to_be_visible()


@pytest.mark.parametrize("game", ["reversi", "duel"])
def test_tables_are_set_up_and_rules_are_read(arrive: Arrive, game: str) -> None:
    page = arrive(f"/new/{game}")
    expect(page.get_by_role("heading", name=f"{game.title()}: set up a table")).to_be_visible()
    seats = page.get_by_role("button", name="One more seat")
    expect(seats).to_have_count(0 if game == "reversi" else 1)
    page.get_by_role("button", name="Open the table").click()
    expect(page.locator(f"{TABLE} svg")).to_be_visible()
    page.goto(f"/rules/{game}")
    expect(page.get_by_role("heading", name=game.title(), exact=True)).to_be_visible()
    access.check(page)


def test_others_do_not_see_a_card_that_lies_face_down(arrive: Arrive) -> None:
    page = arrive("/")
    page.goto(open_room(page, "duel", [{"kind": "me"}, {"kind": "open"}]))
    room = look(page)["room"]["id"]
    other = arrive(f"/r/{room}")
    sat = other.request.post(f"/api/rooms/{room}/commands", data={"type": "sit", "id": "s", "name": "Bo"})
    assert sat.ok, sat.text()
    # The die is cast once everybody's page has opened its share of chance.
    expect(page.locator(f"{TABLE} [data-cell='3']")).to_be_visible()
    update = look(page)
    move = {"type": "move", "id": "m", "seat": 0, "move": "3", "version": update["version"]}
    assert page.request.post(f"/api/rooms/{room}/commands", data=move).ok
    seen = other.request.get(f"/api/rooms/{room}").json()
    (view,) = seen["steps"][-1]["views"]
    assert view["laid"] == [True, False]
    assert view["own"] == ""
    assert seen["steps"][-1]["move"] is None


def test_a_package_brings_a_table_of_its_own_under_the_same_policy(arrive: Arrive) -> None:
    page = arrive("/")
    page.goto(open_room(page, "painted", [{"kind": "me"}, {"kind": "me", "name": "Bo"}]))
    expect(page.locator(".painted")).to_have_text(re.compile("^painted by hand: [a-h][1-8]"))
    (move, *_) = look(page)["legal"]["0"]
    page.get_by_role("button", name="the first one").click()
    page.wait_for_function("() => document.querySelector('.room')")
    until(page, lambda: look(page)["steps"][-1]["move"])
    assert look(page)["steps"][-1]["move"] == move
    for path in (
        "/games/painted/../__init__.py",
        "/games/painted/__init__.py",
        "/games/reversi/table.js",
        "/games/painted/.x.js",
    ):
        assert page.request.get(path).status == 404


LATE = "reversi starter=0 turn=0 cells=O.OOOOOXXOXXXOXXXXXXXXOXO.XOXXOXOOOXOOOOOOOOOOOO...XOOOO.OOO.O.O"
"""Eight free cells are left, and b1 turns discs over."""


def test_hint_series_replay_review_and_fair_chance_at_the_usual_table(arrive: Arrive) -> None:
    """Everything around a table goes by what the game declares: dice and hidden cards, then an open board."""
    page = arrive("/")
    # Who names no computer player gets the first where there is no greedy one: this game has no heuristic.
    page.goto(open_room(page, "duel", [{"kind": "me"}, {"kind": "engine"}], games=2))
    room = page.url
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(f"{TABLE} .marked")).to_have_count(1)
    page.locator(f"{TABLE} [data-cell='2']").hover()
    expect(page.locator(".say")).to_have_text("2")
    expect(page.locator(".ahead")).to_have_count(0)  # where something is hidden nobody looks ahead
    said = page.get_by_test_id("announcements")
    assert play_by_taps(page) == 3
    expect(said).to_contain_text("Child has decided.")
    expect(said).to_contain_text(re.compile(r"the die shows [1-6]", re.IGNORECASE))
    expect(page.get_by_role("table")).to_contain_text("Sum so far")
    page.get_by_role("button", name="Next game").first.click()
    page.wait_for_function("() => document.querySelector('.picture [data-cell]')")
    assert play_by_taps(page) == 3
    expect(page.get_by_role("table")).to_contain_text("game 2 of 2")

    page.goto(f"{room}/games/2?review")
    expect(page.locator(".worst, .now + section .muted").first).to_be_visible()
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    expect(moves.nth(1)).to_contain_text(re.compile("the die shows", re.IGNORECASE))
    moves.nth(2).click()
    expect(page.locator(".decision")).to_have_count(2)  # both decide together
    expect(page.locator(f"{TABLE} svg")).to_be_visible()
    access.check(page)
    page.get_by_role("button", name="Check every outcome").click()
    expect(page.locator("[data-verdict=fair]")).to_contain_text("all 3 outcomes")

    origin = {"origin": {"position": LATE}}
    page.goto(open_room(page, "reversi", [{"kind": "me"}, {"kind": "engine", "player": "child"}], **origin))
    board = page.get_by_role("img", name="Reversi")
    expect(board).to_have_accessible_description(re.compile("^8 . O O O .*1 O . O O O O O X a b c d e f g h$"))
    page.get_by_role("button", name="Hint").click()
    expect(page.locator(f"{TABLE} .marked")).not_to_have_count(0)
    page.locator(f'{TABLE} > svg [data-move="b1"]').last.hover()
    expect(page.locator(".say")).to_have_text(re.compile(r"b1: then \d+ : \d+ points"))
    discs = page.locator(f"{TABLE} > svg > circle:not([data-move])").count()
    expect(page.locator(".ahead svg > circle:not([data-move])")).to_have_count(discs + 1)
    page.locator("h1").hover()
    expect(page.locator(".ahead")).to_have_count(0)
    assert play_by_taps(page) > 1
    page.goto(f"{page.url}/games/1?review")
    expect(page.locator(".worst, .now + section .muted").first).to_be_visible()
    page.get_by_role("button", name="One step on").click()
    expect(page.locator(".decision")).to_have_count(1)
    expect(page.locator(f"{TABLE} .last")).not_to_have_count(0)
    access.check(page)


def test_a_tap_shows_what_a_move_does_before_it_is_played_and_people_talk(arrive: Arrive) -> None:
    page = arrive("/", screen="phone")
    page.goto(open_room(page, "reversi", [{"kind": "me"}, {"kind": "open"}]))
    other = arrive(page.url)
    sit_down(other, "Bo")
    picture = page.locator(f"{TABLE} > svg")
    before = picture.bounding_box()
    page.locator(f'{TABLE} > svg [data-move="e3"]').last.tap()
    expect(page.locator(".say")).to_have_text("e3: then 4 : 1 points")
    assert picture.bounding_box() == before, "the picture stays as it was"
    expect(page.locator(".ahead svg > circle:not([data-move])")).to_have_count(5)
    assert look(page)["steps"][-1]["move"] is None, "nothing is played yet"
    page.get_by_role("button", name="Choose again").tap()
    expect(page.locator(".ahead")).to_have_count(0)
    page.set_viewport_size(SCREENS["landscape"]["viewport"])
    page.locator(f'{TABLE} > svg [data-move="e3"]').last.tap()
    page.get_by_role("button", name="Play it").tap()
    expect(other.get_by_test_id("announcements")).to_contain_text("Ana: e3")
    expect(other.get_by_role("heading", level=1)).to_contain_text("Your turn")
    page.get_by_role("button", name="Seats, talk and more").tap()
    page.get_by_text("Talk", exact=True).press("Enter")
    said = page.get_by_role("list", name="What was said")
    expect(said).to_be_visible()
    other.get_by_role("button", name="Good luck!").click()
    expect(said).to_contain_text("Good luck!")
