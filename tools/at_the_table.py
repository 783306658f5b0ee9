"""Takes the pictures of docs/explanation/at-the-table.md that show the page as it is today.

    python tools/at_the_table.py                        all of them, into docs/pictures/at-the-table
    python tools/at_the_table.py lesson offline         those whose name begins so

To add one, write a function that brings the screen about for somebody who has just arrived; its name is the picture's.
One that returns a part of the screen has that part alone taken.
"""

import argparse
import base64
import re
import sqlite3
import tempfile
from collections.abc import Callable
from itertools import count
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, FloatRect, Locator, Page, expect, sync_playwright

from chromium import SCREENS, launch
from load import server
from screenshots import DOCS, NAME, SETTLE_MS, go, projector_playing, somebody_else
from stage import look, move, open_room, play, send_command

FOLDER = DOCS / "at-the-table"
DAY = 86400
NOTICED_MS = 3000
"""Milliseconds after which the page has noticed that nothing can be sent."""
ASKED_MS = 12_000
"""Milliseconds after which the page has asked again which tables wait."""
REVIEWED_MS = 300_000
BUSY_MS = 30_000
"""Milliseconds after which a screen that still waits for something is no picture."""
QUALITY = 60
"""Of a picture, of a hundred."""
Bring = Callable[[Page], FloatRect | None]
"""Brings a screen about; returns what is taken of it if that is not all."""
PICTURES: dict[str, tuple[str, Bring]] = {}


def picture(screen: str = "phone") -> Callable[[Bring], Bring]:
    """Registers a screen by its function's name."""

    def register(bring: Bring) -> Bring:
        PICTURES[bring.__name__.replace("_", "-")] = (screen, bring)
        return bring

    return register


def sit_at(page: Page, room: str) -> None:
    """Opens a table, past the word on its aim."""
    go(page, f"/r/{room}")
    page.get_by_role("grid").first.wait_for()
    aim = page.get_by_role("complementary", name="The aim").get_by_role("button", name="Close")
    if aim.count():
        aim.click()


def middle(what: Locator) -> tuple[float, float]:
    """Where a finger would touch it."""
    box = what.bounding_box()
    assert box
    return box["x"] + box["width"] / 2, box["y"] + box["height"] / 2


def cell(page: Page, name: str) -> Locator:
    """A cell of the board."""
    return page.locator(f'[role=grid] [data-cell="{name}"]').first


def fingers(page: Page, *frames: list[tuple[float, float]]) -> None:
    """Fingers that go down, move and are lifted, as the browser itself gets them."""
    session = page.context.new_cdp_session(page)
    for kind, spots in [*zip(["touchStart", *["touchMove"] * len(frames)], frames, strict=False), ("touchEnd", [])]:
        points = [{"x": x, "y": y, "id": number} for number, (x, y) in enumerate(spots)]
        session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


def friends(page: Page, game: str, **setup: object) -> tuple[Page, str]:
    """A table of two people: the other's page, and the room."""
    bo = somebody_else(page)
    room = open_room(page, game, "me", "open", name=NAME, **setup)
    send_command(bo, room, "sit", name="Bo")
    return bo, room


def to_the_end(room: str, *pages: Page) -> None:
    """Everybody plays at random until the game is over."""
    random = Random(5)
    while look(pages[0], room)["room"]["playing"]:
        for page in pages:
            move(page, room, random)


def lesson(page: Page, game: str, name: str) -> None:
    """The first step of a lesson, with a finger on a cell."""
    go(page, f"/learn/{game}")
    cell(page, name).tap()


@picture()
def lesson_callisto(page: Page) -> None:
    """All the controls are in sight."""
    lesson(page, "callisto", "i12")


@picture()
def lesson_isis_osiris(page: Page) -> None:
    """What a tap on a cell asks for is in sight."""
    lesson(page, "isis-osiris", "14")


@picture()
def lesson_knister(page: Page) -> None:
    """The sheet and the button that writes."""
    lesson(page, "knister", "c3")


@picture()
def pillar(page: Page) -> None:
    """The pillar that is in hand is tapped."""
    sit_at(page, open_room(page, "callisto", "me", "greedy", name=NAME))
    page.locator('[data-piece="P"]').tap()


@picture()
def dragged(page: Page) -> None:
    """A pillar is dragged onto the board and let go."""
    sit_at(page, open_room(page, "callisto", "me", "greedy", name=NAME))
    (x, y), (right, up) = middle(page.locator('[data-piece="P"]')), middle(cell(page, "i12"))
    fingers(page, *([(x + (right - x) * step / 10, y + (up - y) * step / 10)] for step in range(11)))


@picture("tiny")
def small(page: Page) -> None:
    """Board and buttons on a small phone."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME)
    play(page, room, 4)
    sit_at(page, room)


@picture()
def nearer(page: Page) -> None:
    """Two fingers draw the board nearer."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME)
    play(page, room, 4)
    sit_at(page, room)
    x, y = middle(cell(page, "h8"))
    fingers(page, *([(x - spread, y), (x + spread, y)] for spread in range(20, 65, 5)))


@picture()
def taken_back(page: Page) -> None:
    """A slip against a computer."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME)
    play(page, room, 7)
    sit_at(page, room)


@picture()
def offline(page: Page) -> None:
    """The connection is gone, and a pillar is placed."""
    sit_at(page, open_room(page, "callisto", "me", "greedy", name=NAME))
    page.context.set_offline(True)
    cell(page, "i12").tap()
    place = page.get_by_role("button", name="Place", exact=True)
    place.tap()
    page.wait_for_timeout(NOTICED_MS)


@picture()
def counting(page: Page) -> None:
    """The last number is written."""
    page.emulate_media(reduced_motion="no-preference")
    room = open_room(page, "knister", "me", "greedy", name=NAME)
    play(page, room, 24)
    sit_at(page, room)
    play(page, room, 1)
    page.get_by_role("button", name="Skip the counting").wait_for()


@picture()
def tie(page: Page) -> None:
    """Two ended with the same points."""
    for seed in count(12):
        room = open_room(page, "callisto", "me", "me", name=NAME, options={"edition": "pocket"})
        scores = play(page, room, seed=seed)["room"]["result"]["scores"]
        if len({*scores.values()}) == 1:
            go(page, f"/r/{room}")
            return


@picture()
def review(page: Page) -> None:
    """A tap on the worst move of a game."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME, options={"edition": "pocket"})
    play(page, room, seed=4)
    go(page, f"/r/{room}/games/1")
    page.get_by_role("button", name="Review this game").tap()
    worst = page.locator(".worst button").first
    worst.wait_for(timeout=REVIEWED_MS)
    worst.tap()


@picture()
def four_players(page: Page) -> None:
    """Three have answered, and the page is loaded again."""
    room = open_room(page, "callisto", "me", "child", "child", "child", name=NAME)
    play(page, room, 4)
    sit_at(page, room)
    page.reload()


@picture("landscape")
def landscape(page: Page) -> None:
    """The phone lies on its side."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME)
    play(page, room, 4)
    sit_at(page, room)


@picture()
def me(page: Page) -> None:
    """One's own results after some games."""
    for game, level in (("callisto", "greedy"), ("isis-osiris", "child"), ("knister", "child"), ("knister", "greedy")):
        play(page, open_room(page, game, "me", level, name=NAME))
    go(page, "/me")


@picture()
def invited(page: Page) -> None:
    """What a friend sees first."""
    bo = somebody_else(page)
    room = open_room(bo, "callisto", "me", "open", name="Bo", clock=3 * DAY)
    bo.context.close()
    go(page, f"/r/{room}")


@picture()
def rules(page: Page) -> None:
    """The first screenful of rules."""
    go(page, "/rules/callisto")


@picture()
def first_game(page: Page) -> None:
    """One tap after the first sight of the house."""
    go(page, "/")
    page.get_by_role("button", name=re.compile("^Play")).first.tap()
    page.get_by_role("grid").wait_for()


@picture()
def cells(page: Page) -> None:
    """What each cell would do."""
    room = open_room(page, "knister", "me", "greedy", name=NAME)
    play(page, room, 14)
    sit_at(page, room)
    page.get_by_label("Show what each cell would do").check()


@picture()
def all_sheets(page: Page) -> None:
    """The sheets of three in a replay."""
    room = open_room(page, "knister", "me", "greedy", "greedy", name=NAME)
    play(page, room)
    go(page, f"/r/{room}/games/1?step=60")


@picture()
def talk(page: Page) -> None:
    """What was said, after a reload."""
    bo, room = friends(page, "callisto")
    sit_at(page, room)
    send_command(bo, room, "phrase", phrase="hello")
    send_command(page, room, "say", text="Shall we play another one after dinner?")
    send_command(bo, room, "say", text="With pleasure. Coffee first!")
    page.reload()
    page.get_by_role("button", name="Seats, talk and more").tap()
    page.get_by_text("Talk", exact=True).tap()
    page.wait_for_timeout(SETTLE_MS)
    page.get_by_label("Say something").scroll_into_view_if_needed()
    bo.context.close()


@picture()
def play_again(page: Page) -> None:
    """The other one would like to play again."""
    bo, room = friends(page, "callisto", options={"edition": "pocket"})
    to_the_end(room, page, bo)
    go(page, f"/r/{room}")
    go(bo, f"/r/{room}")
    bo.get_by_role("button", name=re.compile("Play again")).first.click()
    page.wait_for_timeout(SETTLE_MS)
    bo.context.close()


@picture("laptop")
def host(page: Page) -> None:
    """The host of a crowd, before anybody is there."""
    go(page, f"/r/{open_room(page, 'knister', crowd=True, name=NAME)}")


def joined(page: Page, **setup: object) -> tuple[Page, str]:
    """Somebody's phone among a crowd: the host's page, and the room."""
    ana = somebody_else(page)
    room = open_room(ana, "knister", crowd=True, name=NAME, **setup)
    send_command(page, room, "sit", name="Inés")
    return ana, room


@picture()
def guest_of_a_crowd(page: Page) -> None:
    """A phone that has sat down."""
    ana, room = joined(page)
    go(page, f"/r/{room}")
    page.wait_for_load_state("networkidle")
    ana.context.close()


@picture()
def missed_round(page: Page) -> None:
    """A round was over before the number was written."""
    ana, room = joined(page)
    send_command(ana, room, "start")
    go(page, f"/r/{room}")
    page.get_by_role("grid").wait_for()
    send_command(ana, room, "close")
    page.wait_for_timeout(SETTLE_MS)
    ana.context.close()


@picture()
def your_turn(page: Page) -> None:
    """The start page was open when friends made their moves."""
    bo = somebody_else(page)
    setup = {"name": NAME, "clock": 3 * DAY, "options": {"starter": 1}}
    rooms = [open_room(page, "callisto", "me", "open", **setup) for _ in range(5)]
    for room in rooms:
        send_command(bo, room, "sit", name="Bo")
    go(page, "/")
    page.wait_for_load_state("networkidle")
    for room in rooms:
        move(bo, room, Random(1))
    bo.context.close()
    page.wait_for_timeout(ASKED_MS)


@picture("laptop")
def keys_line(page: Page) -> FloatRect:
    """The line that tells of the list."""
    sit_at(page, open_room(page, "callisto", "me", "greedy", name=NAME))
    expect(page.get_by_text("Press ? for the keys")).to_be_visible()
    return {"x": 200, "y": 50, "width": 560, "height": 110}


@picture("laptop")
def keys(page: Page) -> None:
    """Somebody presses the question mark."""
    sit_at(page, open_room(page, "callisto", "me", "greedy", name=NAME))
    page.keyboard.press("?")


@picture()
def shared(page: Page) -> None:
    """What can be done with a moment of a game."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME, options={"edition": "pocket"})
    play(page, room)
    go(page, f"/r/{room}/games/1?step=9")
    page.get_by_text("Download the record").scroll_into_view_if_needed()


@picture()
def replay_names(page: Page) -> None:
    """Somebody without a name, seen again in another language."""
    room = open_room(page, "knister", "me", "greedy")
    play(page, room)
    go(page, "/settings")
    page.get_by_label("Language").select_option("es")
    go(page, f"/r/{room}/games/1?step=30")
    page.get_by_role("slider").wait_for()


@picture()
def late_guest(page: Page) -> None:
    """A phone that comes when the game has begun."""
    ana, bo = somebody_else(page), somebody_else(page)
    room = open_room(ana, "knister", crowd=True, name=NAME)
    send_command(bo, room, "sit", name="Bo")
    send_command(ana, room, "start")
    go(page, f"/r/{room}")
    page.get_by_text("You can join the next one").wait_for()
    ana.context.close()
    bo.context.close()


@picture("laptop")
def big_screen(page: Page) -> None:
    """What a crowd sees on the wall."""
    projector_playing(page)
    page.get_by_text(re.compile("have written")).first.wait_for()


@picture("tablet")
def tablet(page: Page) -> None:
    """A tablet, 820 pixels wide."""
    room = open_room(page, "callisto", "me", "greedy", name=NAME)
    play(page, room, 7)
    sit_at(page, room)


@picture()
def notified(page: Page) -> None:
    """Once one has moved at a table without hurry, the page asks whether this device may tell."""
    page.add_init_script("Object.defineProperty(Notification, 'permission', { get: () => 'default' })")
    bo, room = friends(page, "callisto", clock=3 * DAY)
    bo.context.close()
    sit_at(page, room)
    move(page, room, Random(1))
    page.get_by_role("button", name="Tell me").wait_for()


def fill_the_day(page: Page, random: Random) -> None:
    """Writes all numbers of the day."""
    page.get_by_role("button", name="Roll the dice").click()
    for name in random.sample([f"{column}{row}" for row in range(1, 6) for column in "abcde"], 25):
        with page.expect_response(lambda answer: answer.request.method == "POST" and "/daily" in answer.url):
            cell(page, name).click()


def two_days(page: Page, path: str) -> None:
    """A page of the day's Knister for somebody who has played it on two days."""
    with tempfile.TemporaryDirectory() as folder:
        for day in (1, 2):
            with server(f"sqlite:///{folder}/days.db") as running:
                go(page, f"{running.address}/daily")
                page.get_by_label("Your name in the ranking").fill(NAME)
                fill_the_day(page, Random(day))
                page.get_by_text("The next rolls come in").wait_for()
                if day == 2:
                    go(page, f"{running.address}{path}")
                    page.wait_for_load_state("networkidle")
                    page.evaluate("document.fonts.ready.then(() => 1)")
            with sqlite3.connect(f"{folder}/days.db") as database:
                for table in ("dailies", "daily_sheets"):
                    for (date,) in database.execute(f"SELECT DISTINCT date FROM {table} ORDER BY date").fetchall():
                        database.execute(f"UPDATE {table} SET date = date(?, '-1 day') WHERE date = ?", (date, date))


@picture()
def daily(page: Page) -> None:
    """The sheet of a second day is full."""
    two_days(page, "/daily")
    page.locator(".streak").scroll_into_view_if_needed()


@picture()
def daily_archive(page: Page) -> None:
    """The days that are over."""
    two_days(page, "/daily/archive")


@picture()
def my_strength(page: Page) -> None:
    """The level is chosen beside the button that plays."""
    go(page, "/")
    page.locator("li.game select").first.select_option("mine")


def take(browser: Browser, address: str, name: str, path: Path) -> None:
    """Brings a screen about and takes its picture."""
    screen, bring = PICTURES[name]
    context = browser.new_context(
        base_url=address, locale="en-GB", reduced_motion="reduce", service_workers="block", **SCREENS[screen]
    )
    try:
        page = context.new_page()
        page.request.get("/api/me")
        part = bring(page)
        expect(page.locator('[aria-busy="true"]:visible')).to_have_count(0, timeout=BUSY_MS)
        page.evaluate("document.fonts.ready.then(() => 1)")
        page.wait_for_timeout(SETTLE_MS)
        shot: dict[str, object] = {"format": "webp", "quality": QUALITY}
        if part:
            shot["clip"] = {**part, "scale": 1}
        path.write_bytes(base64.b64decode(context.new_cdp_session(page).send("Page.captureScreenshot", shot)["data"]))
    finally:
        context.close()


def main() -> None:
    """Takes those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="all whose name begins so")
    chosen = parser.parse_args().pictures
    FOLDER.mkdir(parents=True, exist_ok=True)
    with server(None) as running, sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        for name in PICTURES:
            if name.startswith(tuple(chosen) or ""):
                print(name)
                take(browser, running.address, name, FOLDER / f"{name}-today.webp")
        browser.close()


if __name__ == "__main__":
    main()
