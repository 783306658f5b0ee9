"""The first five minutes: one knows what it is about, against whom one plays, and who invites."""

import re

import pytest
from playwright.sync_api import expect

from chromium import SCREENS
from kinds import OWN_GAMES
from page import access
from page.conftest import Arrive
from page.hands import settled
from page.test_layout import check_fits
from stage import look, open_room, play, send_command

FIRST = next(iter(OWN_GAMES.values()))


@pytest.mark.parametrize("game", OWN_GAMES)
def test_who_plays_for_the_first_time_is_told_the_aim(arrive: Arrive, game: str) -> None:
    page = arrive("/", screen="phone")
    page.locator(f'[href="/new/{game}"]').wait_for()
    page.get_by_role("button", name=re.compile("Play now: ")).nth([*OWN_GAMES].index(game)).tap()
    welcome = page.get_by_role("complementary", name="The aim")
    expect(welcome).to_contain_text(re.compile("wins?[.]"))
    expect(welcome.get_by_role("link", name="First time?")).to_have_attribute("href", f"/learn/{game}")
    access.check(page)
    for screen in ("tiny", "landscape", "phone"):
        check_fits(page, screen)
    welcome.get_by_label("Against").select_option("champion")
    expect(page.get_by_role("list", name="Seats").first).to_contain_text("Champion")
    welcome.get_by_role("button", name="Close").tap()
    expect(welcome).to_have_count(0)
    page.reload()
    expect(page.get_by_role("grid")).to_be_visible()
    expect(welcome).to_have_count(0)
    page.goto("/")
    chosen = page.locator("li.game select").nth([*OWN_GAMES].index(game))
    expect(chosen).to_have_value("champion")


def test_the_level_is_chosen_beside_play_now_and_remembered(arrive: Arrive) -> None:
    page = arrive("/")
    level = page.locator("li.game").first.get_by_label("Against")
    expect(level).to_have_value("casual")
    level.select_option("child")
    page.reload()
    expect(level).to_have_value("child")
    page.get_by_role("button", name=f"Play now: {FIRST.name}").click()
    expect(page.get_by_role("list", name="Seats").first).to_contain_text("Child")


def test_a_guest_is_invited_by_name_with_one_button_and_no_code(arrive: Arrive) -> None:
    ana = arrive("/")
    ana.get_by_role("button", name=f"Invite a friend to {FIRST.name}").click()
    ana.get_by_label("Your name").fill("Ana")
    ana.get_by_role("dialog").get_by_role("button", name="Invite a friend").click()
    expect(ana.get_by_role("img", name="QR code")).to_be_visible()
    guest = arrive(ana.url, screen="phone")
    expect(guest.get_by_role("heading", name=f"Ana invites you to {FIRST.name}")).to_be_visible()
    expect(guest.locator("main button.main:not(.seats *)")).to_have_count(1)
    expect(guest.get_by_role("img", name="QR code")).to_have_count(0)
    expect(guest.get_by_role("link", name="First time?")).to_be_visible()
    access.check(guest)
    guest.get_by_label("Your name").fill("Bo")
    guest.get_by_role("button", name="Sit down").tap()
    expect(guest.get_by_role("grid")).to_be_visible()
    expect(ana.get_by_role("button", name="Hint")).to_have_count(0)  # against people there are none


def test_four_players_can_be_told_apart_and_all_replies_are_marked(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    room = open_room(page, "callisto", "me", "child", "child", "child", name="Ana")
    page.goto(f"/r/{room}")
    expect(page.get_by_role("grid")).to_be_visible()
    send_command(page, room, "move", seat=0, version=look(page, room)["version"], move="f10")
    assert [each["seat"] for each in play(page, room, 0)["room"]["last_moves"]] == [0, 1, 2, 3]
    marks = page.locator("[data-last]")
    for _ in range(2):
        expect(marks).to_have_count(3)
        assert marks.locator("text").all_text_contents() == ["1", "2", "3"]
        page.reload()
    for screen in ("tiny", "phone", "landscape"):
        page.set_viewport_size(SCREENS[screen]["viewport"])
        names = page.get_by_role("list", name="Seats").locator(".name")
        expect(names).to_have_text(["Ana", "Child", "Child 2", "Child 3"])
        cut = names.evaluate_all("all => all.filter(name => name.scrollWidth > name.clientWidth).length")
        assert not cut, screen


def test_dates_are_written_as_people_write_them_there(arrive: Arrive) -> None:
    page = arrive()
    play(page, open_room(page, "knister", "me", name="Ana"))
    page.goto("/me")
    expect(page.locator("main")).to_contain_text(re.compile(r"\b\d{1,2} \w+ 20\d\d"))


def test_a_button_that_was_tapped_looks_as_before(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    page.goto(f"/r/{open_room(page, 'callisto', 'me', 'greedy', name='Ana')}")
    eye = page.get_by_role("button", name="Show where it fits")
    colour = "button => getComputedStyle(button).backgroundColor"
    before = eye.evaluate(colour)
    for _ in range(2):
        eye.tap()
    expect(eye).to_have_attribute("aria-pressed", "false")
    settled(page)
    assert eye.evaluate(colour) == before


def test_three_days_are_three_days(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"/r/{open_room(page, 'callisto', 'me', 'me', name='Ana', clock=3 * 86400)}")
    expect(page.get_by_role("timer")).to_have_text("3 days")
