"""Hosts who manage without help, and people who are told that it is their turn."""

import re

from playwright.sync_api import expect

from chromium import SCREENS
from page import access
from page.conftest import Arrive
from page.hands import until
from page.test_games import sit_down
from page.test_layout import hidden
from sobremesa.games import GAMES
from stage import look, open_room, play, send_command

FIRST = next(iter(GAMES))


def test_a_crowd_comes_in_by_a_short_code_and_the_host_leads(arrive: Arrive) -> None:
    host = arrive()
    room = open_room(host, "knister", crowd=True, name="Ana", clock=600)
    assert re.fullmatch("[A-HJKMNP-Z]{6}", room), "six letters, none like another"
    host.goto(f"/r/{room}")
    expect(host.get_by_role("button", name="Wait for the first player")).to_be_disabled()
    expect(host.get_by_role("link", name="Big screen").first).to_be_visible()
    expect(host.locator(".code")).to_have_text(room)
    access.check(host)
    guest = arrive("/", screen="phone")
    guest.get_by_label("You have a code?").fill(room.lower())
    guest.get_by_role("button", name="To the table").tap()
    expect(guest.get_by_role("heading", name="Ana invites you to Knister")).to_be_visible()
    sit_down(guest, "Bo")
    expect(guest.get_by_role("heading", name="You are in, Bo")).to_be_visible()
    expect(guest.get_by_text("Ana starts the game.")).to_be_visible()
    expect(guest.get_by_role("img", name="QR code")).to_have_count(0)
    host.get_by_role("button", name="Start the game").click()
    expect(guest.get_by_role("grid")).to_be_visible()
    late = arrive(f"/r/{room}", screen="phone")
    expect(late.get_by_text("The game is on. You can join the next one: stay here.")).to_be_visible()
    hall = arrive(f"/r/{room}/screen")
    host.get_by_role("button", name="Pause").click()
    expect(hall.locator(".pause")).to_have_text("Paused")
    for page in (guest, late):
        expect(page.get_by_text("Ana has paused the game. No time runs.")).to_be_visible()
    expect(guest.get_by_role("heading", level=1)).to_contain_text("Paused")
    expect(guest.get_by_role("timer")).to_have_count(0)
    guest.reload()
    expect(guest.get_by_role("heading", level=1)).to_contain_text("Paused")
    access.check(hall)
    host.get_by_role("button", name="Go on").click()
    expect(guest.get_by_role("heading", level=1)).to_contain_text("Your turn")
    expect(hall.locator(".pause")).to_have_count(0)
    host.get_by_role("button", name="Close the round").click()
    expect(guest.get_by_text("(rule K1): your number went into the first free cell, row 1, column 1.")).to_be_visible()
    for page in (hall, host, late):
        expect(page.get_by_text("Not in time: Bo (row 1, column 1).")).to_be_visible()
    access.check(hall)
    for _ in range(24):
        send_command(host, room, "close")
    expect(guest.get_by_role("region", name="The end")).to_be_visible()
    expect(guest.get_by_role("button", name="Play again")).to_have_count(0)
    expect(host.get_by_role("button", name="Play again")).to_be_visible()


def test_every_screen_tells_that_a_table_waits(arrive: Arrive) -> None:
    """The badge comes by itself, and so does the tab's title; all the tables that wait are listed, before others."""
    ana, bo = arrive("/"), arrive("/")
    rooms = [open_room(ana, FIRST, "me", "open", name="Ana", options={"starter": 1}) for _ in range(6)]
    for room in rooms:
        send_command(bo, room, "sit", name="Bo")
    ana.clock.install()
    ana.goto("/settings")
    expect(ana).to_have_title(re.compile("^Settings"))
    for room in rooms[:5]:
        version = look(bo, room)["version"]
        send_command(bo, room, "move", seat=1, version=version, move="e5")
    ana.clock.run_for(11_000)
    expect(ana.get_by_role("img", name="5 tables wait for you")).to_be_visible()
    expect(ana.get_by_role("link", name="Sobremesa: home 5 tables wait for you")).to_be_visible()
    expect(ana).to_have_title(re.compile(r"^\(5\) "))
    access.check(ana)
    for screen in ("tiny", "landscape"):  # where the page's bar has folded away
        ana.set_viewport_size(SCREENS[screen]["viewport"])
        for path, count in ((f"/r/{rooms[0]}", 4), (f"/r/{rooms[5]}", 5), (f"/learn/{FIRST}", 5)):
            ana.goto(path)
            expect(ana.get_by_role("link", name=f"Sobremesa: home {count} tables wait for you")).to_be_visible()
            assert not hidden(ana, ".badge")
    ana.goto("/")
    expect(ana.locator(".going .turn")).to_have_count(5)
    ana.get_by_role("button", name="1 more").click()
    expect(ana.locator(".going li")).to_have_count(6)


def test_the_list_of_tables_tells_how_long_there_is_time_and_lets_one_put_them_away(arrive: Arrive) -> None:
    """People before computers, who wait for ever and are no number on a badge; among people one is asked first."""
    page, bo = arrive(screen="tiny"), arrive("/")
    alone = [open_room(page, FIRST, "me", "greedy", name="Ana") for _ in range(5)]
    room = open_room(page, FIRST, "me", "open", name="Ana", clock=259_200)
    send_command(bo, room, "sit", name="Bo")
    for one in alone[:2]:  # what happened last came first
        play(page, one, 1)
    page.goto("/")
    items = page.locator(".going li")
    expect(items).to_have_count(4)
    expect(items.first).to_contain_text("Bo")
    expect(items.first).to_contain_text("3 days left")
    expect(page.get_by_role("img", name="1 table waits for you")).to_be_visible()
    access.check(page)
    page.get_by_role("button", name="2 more").click()
    away = page.get_by_role("button", name="Put away: Callisto, Ana, Greedy")
    for left in (4, 3):
        away.first.click()
        expect(away).to_have_count(left)
    leave = page.get_by_role("button", name="Leave the table: Callisto, Ana, Bo")
    leave.click()
    dialog = page.get_by_role("dialog", name="Leave the table?")
    dialog.get_by_role("button", name="Stay").click()
    expect(leave).to_be_visible()
    leave.click()
    dialog.get_by_role("button", name="Leave the table").click()
    expect(leave).to_have_count(0)
    page.reload()
    expect(items).to_have_count(3)
    assert not look(page, room)["room"]["seats"]["0"]["yours"]


def test_phrases_are_few_and_not_for_computers(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"/r/{open_room(page, FIRST, 'me', 'greedy', name='Ana')}")
    expect(page.get_by_role("list", name="What was said")).to_be_visible()
    expect(page.get_by_role("group", name="Quick phrases")).to_have_count(0)
    page.goto(f"/r/{open_room(page, FIRST, 'me', 'open', name='Ana')}")
    phrases = page.get_by_role("group", name="Quick phrases").get_by_role("button")
    expect(phrases.first).to_be_visible()
    before = phrases.count()
    page.get_by_role("button", name="More", exact=True).last.click()
    assert phrases.count() > before


def test_keys_are_listed_and_lines_are_heard(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"/r/{open_room(page, 'knister', 'me', 'greedy', name='Ana')}")
    expect(page.get_by_role("grid")).to_be_visible()
    expect(page.get_by_test_id("announcements")).to_contain_text(re.compile(r"You have an? \d+ to write"))
    expect(page.get_by_role("list", name="Points of the lines").get_by_role("listitem")).to_have_count(12)
    expect(page.get_by_role("row", name="row 1", exact=True)).to_be_visible()
    expect(page.get_by_text("Press ? for the keys")).to_be_visible()
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text("write the number")
    access.check(page)
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)


def test_a_guest_is_a_guest_in_every_language(arrive: Arrive) -> None:
    ana = arrive("/")
    room = open_room(ana, FIRST, "me", "open", name="Guest")
    beatriz = arrive(f"/r/{room}", language="es")
    sit_down(beatriz, "Beatriz")
    expect(beatriz.get_by_role("heading", level=1)).to_contain_text("Invitado")
    send_command(ana, room, "phrase", phrase="hello")
    said = beatriz.get_by_role("list", name="Lo que se ha dicho")
    expect(said).to_contain_text("Invitado ¡Hola!")
    expect(said).not_to_contain_text("Guest")
    beatriz.goto("/")
    expect(beatriz.locator(".going")).to_contain_text("Invitado, Beatriz")
    beatriz.goto("/settings")
    beatriz.get_by_label("Tu nombre").fill("Bea")
    beatriz.keyboard.press("Tab")
    until(ana, lambda: look(ana, room)["room"]["seats"]["1"]["name"] == "Bea")


def test_a_new_screen_has_the_focus_and_no_list_is_empty(arrive: Arrive) -> None:
    page = arrive("/")
    page.get_by_role("button", name="Play now: Isis & Osiris").click()
    expect(page.get_by_role("grid")).to_be_visible()
    expect(page.locator("#main")).to_be_focused()
    expect(page.get_by_role("list", name="Pieces left")).to_have_count(0)  # the seats beside the table tell them
    page.goto(f"/r/{open_room(page, FIRST, 'me', 'greedy', name='Ana')}")
    turn, flip = (page.get_by_role("button", name=name).bounding_box() for name in ("Turn", "Flip"))
    assert turn
    assert flip
    assert flip["x"] - turn["x"] - turn["width"] < 16, "they stand side by side"


def test_an_invitation_to_one_seat_has_one_button(arrive: Arrive) -> None:
    ana = arrive("/")
    bo = arrive(f"/r/{open_room(ana, FIRST, 'me', 'open', name='Ana')}", screen="phone")
    expect(bo.get_by_role("button", name="Sit down")).to_have_count(1)
    expect(bo.get_by_role("button", name="Sit here")).to_have_count(0)
    three = arrive(f"/r/{open_room(ana, FIRST, 'me', 'open', 'open', name='Ana')}", screen="phone")
    expect(three.get_by_role("button", name="Sit here")).to_have_count(2)
