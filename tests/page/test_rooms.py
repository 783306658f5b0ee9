"""What happens around a game: coming back, watching, series, talk, crowds."""

import asyncio
import re
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from kinds import OWN_GAMES, one_every_day
from page import access
from page.bots import meanwhile
from page.conftest import Arrive, Troubles
from page.hands import Hand, play_to_the_end, until, way_of
from page.test_games import open_room, sit_down
from server.serving import Server
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.server.client import Guest, Visit
from stage import play

CROWD = MAX_LISTED_SEATS + 2
ME, OPEN, COMPUTER = {"kind": "me"}, {"kind": "open"}, {"kind": "engine", "player": "greedy"}


@pytest.mark.parametrize("game", one_every_day(OWN_GAMES, 2))
def test_a_reload_shows_the_same_table(arrive: Arrive, game: str) -> None:
    page = arrive()
    page.goto(open_room(page, game, [ME, OPEN]))
    other = arrive(page.url)
    sit_down(other, "Bob")
    hands = Hand(page), Hand(other)
    for hand in hands * 2:
        hand.play()
    hands[0].see(hands[0].look()["version"])
    fresh = page.context.new_page()
    fresh.goto(page.url)
    expect(fresh.get_by_role("grid")).to_be_visible()
    table = fresh.get_by_role("grid").aria_snapshot()
    expect(page.get_by_role("grid")).to_match_aria_snapshot(table)  # once a turned tile has been laid
    page.reload()
    expect(page.get_by_role("grid")).to_be_visible()
    assert page.get_by_role("grid").aria_snapshot() == table
    _last_move_and_talk_are_still_there(page, other, hands[0], game)


def _move(page: Page, room: str, id: str) -> None:
    """Makes some move, by HTTP."""
    update = page.request.get(f"/api/rooms/{room}").json()
    [(seat, legal), *_] = update["legal"].items()
    move = next(move for move in legal if move != "T")
    command = {"id": id, "type": "move", "seat": int(seat), "version": update["version"], "move": move}
    assert page.request.post(f"/api/rooms/{room}/commands", data=command).ok


def _last_move_and_talk_are_still_there(page: Page, other: Page, hand: Hand, game: str) -> None:
    """After one more move, and a reload by everybody who sees it."""
    page.get_by_role("button", name="Good luck!").click()
    talk = page.get_by_role("list", name="What was said")
    expect(talk).to_contain_text("Good luck!")
    mover = page if hand.look()["legal"] else other
    watching = (page, other) if not OWN_GAMES[game].crowd else (page,)  # where somebody else wrote is hidden
    marks = [here.locator(way_of(game).LAST_MOVE) for here in watching]
    # What tells a mark from that of the move before: where shapes are alike, only places differ.
    where = "mark => mark.dataset.cell ?? JSON.stringify(mark.getBoundingClientRect())"
    old = [mark.first.evaluate(where) if mark.count() else None for mark in marks]
    _move(mover, hand.room, "1")
    for here, mark, before in zip(watching, marks, old, strict=True):
        until(here, partial(_is_new, mark, where, before))
        shown = mark.evaluate(where)
        here.reload()
        expect(mark).to_have_count(1)
        expect(mark).to_be_visible()
        assert not mark.evaluate("mark => mark.dataset.cell") or mark.evaluate(where) == shown
    for line in ("Good luck!", "Bob sits down", "Game 1 begins"):
        expect(talk).to_contain_text(line)


def test_a_seat_that_somebody_left_is_taken_over_in_the_middle(arrive: Arrive) -> None:
    """Whoever was watching sees the table from the seat, and plays on."""
    page = arrive()
    page.goto(open_room(page, "knister", [ME, OPEN]))
    bob, eve = arrive(page.url), arrive("/")
    sit_down(bob, "Bob")
    expect(bob.get_by_role("grid")).to_be_visible()
    eve.goto(page.url)
    expect(eve.get_by_role("region", name="Sheets")).to_be_visible()
    bob.get_by_text("This table", exact=True).click()
    bob.get_by_role("button", name="Leave the table").click()
    bob.get_by_role("dialog").get_by_role("button", name="Leave the table").click()
    eve.get_by_role("button", name="Sit here").click()
    eve.get_by_label("Your name").fill("Eve")
    eve.get_by_role("dialog").get_by_role("button", name="Sit down").click()
    expect(eve.get_by_role("grid", name="Your sheet")).to_be_visible()
    assert Hand(page).play()  # the empty seat has written by itself
    expect(eve.get_by_text("Round 2 of 25")).to_be_visible()
    assert Hand(eve).play()


@pytest.mark.parametrize("game", one_every_day(OWN_GAMES, 0))
def test_the_server_restarts_in_the_middle(arrive: Arrive, own_server: Server, troubles: Troubles, game: str) -> None:
    """Killed without warning: the page carries on by itself, without a word, and nothing is lost."""
    troubles.allow("ERR_CONNECTION", "WebSocket", "Failed to load resource")
    page = arrive(to=own_server)
    page.goto(open_room(page, game, [ME, COMPUTER]))
    expect(page.get_by_role("grid")).to_be_visible()
    hand = Hand(page, seed=7)
    for _ in range(3):
        until(page, hand.play)
    version = hand.look()["version"]
    own_server.kill()
    own_server.start()
    until(page, lambda: hand.look()["version"] >= version and hand.play())
    assert hand.moves == 4
    hand.see(hand.look()["version"])


def test_two_tabs_with_the_same_seat(arrive: Arrive) -> None:
    """What is written in one is seen in the other, and one move is one move."""
    page = arrive()
    page.goto(open_room(page, "knister", [ME, COMPUTER]))
    second = page.context.new_page()
    second.goto(page.url)
    first, other = Hand(page, seed=1), Hand(second, seed=2)
    for _ in range(3):
        for hand in (first, other):
            until(page, hand.play)
    version = first.look()["version"]
    for hand in (first, other):
        hand.see(version)
    grids = [here.get_by_role("grid") for here in (page, second)]
    until(page, lambda: grids[0].aria_snapshot() == grids[1].aria_snapshot())


@pytest.mark.parametrize("game", one_every_day(OWN_GAMES, 1))
def test_a_spectator_watches_and_cannot_touch(arrive: Arrive, game: str) -> None:
    page = arrive()
    page.goto(open_room(page, game, [ME, COMPUTER]))
    watcher = arrive(page.url, screen="phone", scheme="dark")
    hand = Hand(page, seed=8)
    for _ in range(2):
        until(page, hand.play)
    watching = Hand(watcher)
    watching.see(hand.look()["version"])
    assert watching.look()["legal"] == {}
    expect(watcher.locator("[data-piece], [aria-keyshortcuts=T]")).to_have_count(0)
    expect(watcher.get_by_role("button", name="Hint")).to_have_count(0)
    access.check(watcher)


def test_a_series_and_a_rematch(arrive: Arrive) -> None:
    """Two games make the series; the next seat starts; sums are kept; then again."""
    page = arrive()
    page.goto(open_room(page, "knister", [ME, COMPUTER], games=2))
    hand = Hand(page, seed=9)
    play(page, hand.room)
    first = hand.look()
    hand.see(first["version"])
    hand.see_result("win|share")
    next_game = page.get_by_role("button", name="Next game", exact=True)
    expect(next_game).to_be_visible()
    expect(page.get_by_text("Series: game 1 of 2")).to_be_visible()
    next_game.click()
    expect(page.get_by_text("Series: game 2 of 2")).to_be_visible()
    play(page, hand.room, 22, seed=2)
    play_to_the_end(hand)
    second = hand.look()
    assert second["room"]["number"] == 2
    points, before = (update["room"]["result"]["scores"] for update in (second, first))
    sums = second["room"]["series"]["scores"]
    assert sums == [points[seat] + before[seat] for seat in ("0", "1")]
    for total in sums:
        expect(page.get_by_role("cell", name=str(total), exact=True).first).to_be_visible()
    page.get_by_role("button", name="Play again", exact=True).click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("Your turn|Waiting"))
    assert hand.look()["room"]["number"] == 3


@pytest.mark.parametrize("game", one_every_day(OWN_GAMES, 0))
def test_several_people_at_one_screen(arrive: Arrive, game: str) -> None:
    page = arrive(f"/new/{game}")
    page.get_by_label("Your name").fill("Ana")
    page.get_by_label("Seat 2", exact=True).select_option("me")
    page.get_by_label("Name in seat 2").fill("Tom")
    page.get_by_role("button", name="Open the table").click()
    status = page.get_by_role("heading", level=1)
    hand = Hand(page)
    played = set()
    for _ in range(6):
        expect(status).to_contain_text(re.compile("Your turn, (Ana|Tom)"))
        played.add(status.inner_text().rsplit(" ", 1)[-1])
        assert hand.play()
    assert played == {"Ana", "Tom"}


def test_where_sockets_are_blocked_the_page_polls(arrive: Arrive, troubles: Troubles) -> None:
    """Moves, talk and questions go by HTTP; nothing is missing."""
    troubles.allow("WebSocket")
    page = arrive("/")
    page.context.route_web_socket("**/socket", lambda socket: socket.close())
    page.goto(open_room(page, "callisto", [ME, COMPUTER]))
    expect(page.get_by_role("grid")).to_be_visible()
    hand = Hand(page, seed=3)
    for _ in range(3):
        until(page, hand.play)
    page.get_by_label("Say something").fill("Good luck!")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("list", name="What was said")).to_contain_text("Good luck!")
    until(page, lambda: hand.look()["legal"])
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("path.hint").first).to_be_visible()
    expect(page.locator(".notice")).to_contain_text(re.compile("A good move:.*% to win", re.DOTALL))


def test_talking(arrive: Arrive) -> None:
    page = arrive()
    page.goto(open_room(page, "callisto", [ME, OPEN]))
    other = arrive(page.url, language="en")
    sit_down(other, "Bob")
    page.get_by_role("button", name="Good luck!").click()
    talk = other.get_by_role("list", name="What was said")
    expect(talk).to_contain_text("Good luck!")
    page.get_by_label("Say something").fill("Nice to see you <b>here</b>")
    page.get_by_role("button", name="Send").click()
    expect(talk).to_contain_text("Nice to see you <b>here</b>")
    page.get_by_text("This table", exact=True).click()
    page.get_by_label("Players may write").uncheck()
    expect(other.get_by_label("Say something")).to_have_count(0)


def test_somebody_leaves_and_a_computer_takes_over(arrive: Arrive) -> None:
    page = arrive()
    page.goto(open_room(page, "callisto", [ME, OPEN]))
    other = arrive(page.url)
    sit_down(other, "Bob")
    expect(other.get_by_role("grid")).to_be_visible()
    other.get_by_text("This table", exact=True).click()
    other.get_by_role("button", name="Leave the table").click()
    other.get_by_role("dialog").get_by_role("button", name="Leave the table").click()
    expect(other.get_by_role("heading", name="Knister")).to_be_visible()
    page.get_by_label("Seat a computer here").select_option("greedy")
    hand = Hand(page)
    for _ in range(3):
        until(page, hand.play)


def _is_new(mark: Locator, where: str, before: str | None) -> bool:
    """Whether one move is marked, and another one than before."""
    return mark.count() == 1 and mark.evaluate(where) != before


def _to_write(visit: Visit, round: int) -> Callable[[dict[str, Any]], bool]:
    """Whether an update asks for the number of this round."""
    return lambda update: any(update["legal"].values()) and visit.views[0]["rounds"] == round


def test_a_crowd_with_a_big_screen(arrive: Arrive, server: Server) -> None:
    """A crowd joins by the link, one screen shows it to the hall, and all rounds are played."""
    host = arrive("/new/knister")
    host.get_by_label("A game for a crowd").check()
    clock = host.get_by_label("Time per round")
    expect(clock).to_have_value("30")
    expect(host.get_by_text("Nobody waits for a phone that is away")).to_be_visible()
    clock.select_option("0")
    expect(host.get_by_text("Without a clock one phone that is away holds everybody up")).to_be_visible()
    host.get_by_label("Your name").fill("Ana")
    host.get_by_role("button", name="Open the table").click()
    expect(host.get_by_role("img", name="QR code")).to_be_visible()
    hall = arrive(host.url + "/screen", scheme="dark")
    expect(hall.get_by_role("img", name="QR code")).to_be_visible()
    access.check(hall)
    room = Hand(host).room

    async def guest(number: int) -> None:
        person = Guest(server.address)
        async with person.enter(room) as visit:
            await visit.do("sit", name=f"Guest {number}")
            for done in range(25):
                update = await visit.wait_until(_to_write(visit, done))
                (seat, legal), *_ = update["legal"].items()
                await visit.move(int(seat), legal[number % len(legal)])

    async def crowd() -> None:
        await asyncio.gather(*(guest(number) for number in range(CROWD)))

    with meanwhile(crowd(), 120):
        expect(host.get_by_role("heading", level=1)).to_contain_text(f"{CROWD} players are here")
        expect(hall.locator("main")).to_contain_text(str(CROWD))
        host.get_by_role("button", name="Start the game").click()
        expect(hall.locator("main")).to_contain_text(re.compile(r"Round \d+ of 25"))
    expect(hall.locator("main")).to_contain_text(re.compile(r"Guest \d+"))
    access.check(hall)
