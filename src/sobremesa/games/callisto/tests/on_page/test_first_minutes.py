"""Against whom one plays, and who is invited by whom."""

import re

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive
from page.hands import until
from page.test_layout import check_fits
from stage import look, open_room, play, send_command


def test_someone_of_my_strength_is_picked_and_says_which_level_that_is(arrive: Arrive) -> None:
    """By one's own results: on the first screen, when a table is set up, and at the table itself."""
    page = arrive("/")
    level = page.locator("li.game").first.get_by_label("Against")
    level.select_option(label="Someone of my strength")
    why = page.locator("li.game").first.locator("small")
    expect(why).to_have_text(re.compile("^Casual player to begin with"))
    for _ in range(4):
        send_command(page, open_room(page, "callisto", "me", "child", name="Ana"), "resign", seat=0)
    found = {match["game"]: match for match in page.request.get("/api/me/levels").json()}["callisto"]
    assert found["player"] != "casual"
    assert (found["last"], found["won"]) == (4, 0)
    page.reload()
    expect(level).to_have_value("mine")
    expect(why).to_contain_text("0 of your last 4")
    picked = found["player"].title()
    expect(why).to_contain_text(re.compile(f"^{picked}"))
    page.get_by_role("button", name="Play now: Callisto").click()
    seats = page.get_by_role("list", name="Seats").first
    expect(seats).to_contain_text(picked)
    welcome = page.get_by_role("complementary", name="The aim")
    expect(welcome.get_by_label("Against")).to_have_value("mine")
    welcome.get_by_label("Against").select_option("champion")
    expect(seats).to_contain_text("Champion")
    welcome.get_by_label("Against").select_option(label="Someone of my strength")
    expect(seats).to_contain_text(picked)
    expect(welcome).to_contain_text("0 of your last 4")
    access.check(page)
    for screen in ("tiny", "landscape", "phone"):
        check_fits(page, screen)
    welcome.get_by_role("button", name="Close").click()
    expect(seats.locator("li").first).to_have_text(re.compile(r"\d+\s*left"))
    page.get_by_role("button", name="Seats, talk and more").click()
    expect(page.get_by_role("dialog")).to_contain_text("Fewest wins.")
    page.goto("/new/callisto")
    expect(page.get_by_label("Seat 2", exact=True)).to_have_value("mine")
    expect(page.locator("form")).to_contain_text("0 of your last 4")
    page.goto("/me")
    expect(page.get_by_text("Fewest penalty points")).to_be_visible()
    expect(page.get_by_text(re.compile(r"\d penalty points")).first).to_be_visible()


def test_who_was_not_in_time_reads_what_was_played_until_the_next_move(arrive: Arrive) -> None:
    """Though the computer has answered since, and after a reload."""
    page = arrive(screen="tiny")
    room = open_room(page, "callisto", "me", "greedy", name="Ana", clock=3)
    notice = page.get_by_text(re.compile("Time was up. Played for you: .+ on [a-t]"))
    until(page, lambda: [each["forced"] for each in look(page, room)["room"]["last_moves"]] == [True, False])
    page.goto(f"/r/{room}")
    expect(notice).to_be_visible()
    for _ in range(10):  # on a very busy machine time is up once more
        play(page, room, 1)
        page.reload()
        page.locator("section.table").wait_for()
        if not notice.count():
            break
    expect(notice).to_have_count(0)


def test_who_sets_up_a_table_for_others_says_who_invites(arrive: Arrive) -> None:
    """Against a computer nobody asks; the guest reads who invites, to which edition, and how long a move may take."""
    ana = arrive("/new/callisto")
    name = ana.get_by_label("Your name")
    expect(ana.get_by_label("Seat 2", exact=True)).to_have_value("casual")
    assert name.evaluate("input => input.checkValidity()")
    ana.get_by_label("Seat 2", exact=True).select_option("open")
    ana.get_by_label("Edition").select_option("pocket")
    ana.get_by_label("Time per move").select_option(label="3 days")
    for wrong in ("", "   "):
        name.fill(wrong)
        ana.get_by_role("button", name="Open the table").click()
        assert name.evaluate("input => document.activeElement === input && !input.checkValidity()")
    name.fill("Ana")
    ana.get_by_role("button", name="Open the table").click()
    expect(ana.get_by_role("img", name="QR code")).to_be_visible()
    guest = arrive(ana.url, screen="phone")
    invited = guest.locator(".invited")
    expect(invited).to_contain_text("Ana invites you to Callisto")
    expect(invited).to_contain_text("2 players · Pocket: the frame, 13 tiles · 3 days for a move")
    guest.goto(f"/r/{open_room(ana, 'callisto', 'me', 'open', name='Ana')}")
    expect(invited).to_contain_text("2 players · Classic: the octagon, 18")
