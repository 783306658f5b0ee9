"""What happens around a game: coming back, watching, series, talk, crowds."""

import asyncio
import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.bots import meanwhile
from page.conftest import Arrive, Troubles
from page.hands import Hand, play_to_the_end
from page.test_games import GAMES, open_room, sit_down
from server.serving import Server
from sobremesa.server.client import Guest

ME, OPEN, COMPUTER = {"kind": "me"}, {"kind": "open"}, {"kind": "engine", "player": "greedy"}


def shown(page: Page) -> str:
    """What lies on the table, as a screen reader has it."""
    text: str = page.locator("section.table").aria_snapshot()
    return text


@pytest.mark.parametrize("game", GAMES)
def test_a_reload_shows_the_same_table(arrive: Arrive, game: str) -> None:
    page = arrive("/")
    page.goto(open_room(page, game, [ME, OPEN]))
    other = arrive(page.url)
    sit_down(other, "Bob")
    hands = Hand(page), Hand(other)
    for hand in hands * 2:
        hand.play()
    hands[0].see(hands[0].look()["version"])
    expect(page.get_by_role("grid")).to_be_visible()
    page.wait_for_timeout(4000 if game == "isis-osiris" else 300)  # a turned tile has been laid
    before = page.get_by_role("grid").aria_snapshot()
    page.reload()
    expect(page.get_by_role("grid")).to_be_visible()
    assert page.get_by_role("grid").aria_snapshot() == before


@pytest.mark.parametrize("game", GAMES)
def test_the_server_restarts_in_the_middle(arrive: Arrive, own_server: Server, troubles: Troubles, game: str) -> None:
    """Killed without warning: the page carries on by itself, without a word, and nothing is lost."""
    troubles.allow("ERR_CONNECTION", "WebSocket", "Failed to load resource")
    page = arrive("/", to=own_server)
    page.goto(open_room(page, game, [ME, COMPUTER]))
    expect(page.get_by_role("grid")).to_be_visible()
    hand = Hand(page, seed=7)
    for _ in range(3):
        while not hand.play():
            page.wait_for_timeout(50)
    version = hand.look()["version"]
    own_server.kill()
    own_server.start()
    for _ in range(100):
        if hand.look()["version"] >= version and hand.play():
            break
        page.wait_for_timeout(100)
    assert hand.moves == 4
    hand.see(hand.look()["version"])


def test_two_tabs_with_the_same_seat(arrive: Arrive) -> None:
    """What is written in one is seen in the other, and one move is one move."""
    page = arrive("/")
    page.goto(open_room(page, "knister", [ME, COMPUTER]))
    second = page.context.new_page()
    second.goto(page.url)
    first, other = Hand(page, seed=1), Hand(second, seed=2)
    for _ in range(3):
        for hand in (first, other):
            while not hand.play():
                page.wait_for_timeout(50)
    version = first.look()["version"]
    for hand in (first, other):
        hand.see(version)
    for _ in range(100):
        if page.get_by_role("grid").aria_snapshot() == second.get_by_role("grid").aria_snapshot():
            return
        page.wait_for_timeout(50)
    assert page.get_by_role("grid").aria_snapshot() == second.get_by_role("grid").aria_snapshot()


@pytest.mark.parametrize("game", GAMES)
def test_a_spectator_watches_and_cannot_touch(arrive: Arrive, game: str) -> None:
    page = arrive("/")
    page.goto(open_room(page, game, [ME, COMPUTER]))
    watcher = arrive(page.url, screen="phone", scheme="dark")
    hand = Hand(page, seed=8)
    for _ in range(2):
        while not hand.play():
            page.wait_for_timeout(50)
    watching = Hand(watcher)
    watching.see(hand.look()["version"])
    assert watching.look()["legal"] == {}
    expect(watcher.locator("[data-piece], [aria-keyshortcuts=T]")).to_have_count(0)
    expect(watcher.get_by_role("button", name="Hint")).to_have_count(0)
    access.check(watcher)


def test_a_series_and_a_rematch(arrive: Arrive) -> None:
    """Two games make the series; the next seat starts; sums are kept; then again."""
    page = arrive("/")
    page.goto(open_room(page, "knister", [ME, COMPUTER], games=2))
    hand = Hand(page, seed=9)
    play_to_the_end(hand)
    first = hand.look()
    name = "Greedy"
    next_game = page.get_by_role("button", name=f"Next game, {name} starts")
    expect(next_game).to_be_visible()
    expect(page.get_by_text("Series: game 1 of 2")).to_be_visible()
    next_game.click()
    expect(page.get_by_text("Series: game 2 of 2")).to_be_visible()
    play_to_the_end(hand)
    second = hand.look()
    assert second["table"]["number"] == 2
    points = {row["seat"]: row["points"] for row in second["views"][0]["standings"]}
    before = {row["seat"]: row["points"] for row in first["views"][0]["standings"]}
    sums = second["table"]["series"]["scores"]
    assert sums == [points[seat] + before[seat] for seat in (0, 1)]
    for total in sums:
        expect(page.get_by_role("cell", name=str(total), exact=True).first).to_be_visible()
    page.get_by_role("button", name="Play again, Ana starts").click()
    expect(page.get_by_role("heading", level=1)).to_contain_text(re.compile("Your turn|Waiting"))
    assert hand.look()["table"]["number"] == 3


def test_several_people_at_one_screen(arrive: Arrive) -> None:
    page = arrive("/new/callisto")
    page.get_by_label("Your name").fill("Ana")
    page.get_by_label("Seat 2", exact=True).select_option("me")
    page.get_by_label("Name in seat 2").fill("Tom")
    page.get_by_role("button", name="Open the table").click()
    status = page.get_by_role("heading", level=1)
    hand = Hand(page)
    for name in ("Ana", "Tom", "Ana", "Tom"):
        expect(status).to_contain_text(f"Your turn, {name}")
        assert hand.play()


def test_talking(arrive: Arrive) -> None:
    page = arrive("/")
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
    page.get_by_label("Free text in the talk").uncheck()
    expect(other.get_by_label("Say something")).to_have_count(0)


def test_somebody_leaves_and_a_computer_takes_over(arrive: Arrive) -> None:
    page = arrive("/")
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
        while not hand.play():
            page.wait_for_timeout(50)


def _to_write(round: int) -> Callable[[dict[str, Any]], bool]:
    """Whether an update asks for the number of this round."""
    return lambda update: any(update["legal"].values()) and update["views"][0]["rounds"] == round


def test_a_crowd_with_a_big_screen(arrive: Arrive, server: Server) -> None:
    """Thirty people join by the link, one screen shows it to the hall, and all rounds are played."""
    host = arrive("/new/knister")
    host.get_by_label("A game for a crowd").check()
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
                update = await visit.wait_until(_to_write(done))
                (seat, legal), *_ = update["legal"].items()
                await visit.move(int(seat), legal[number % len(legal)])

    async def crowd() -> None:
        await asyncio.gather(*(guest(number) for number in range(30)))

    with meanwhile(crowd(), 120):
        expect(host.get_by_role("heading", level=1)).to_contain_text("30 players are here")
        expect(hall.locator("main")).to_contain_text("30")
        host.get_by_role("button", name="Start the game").click()
        expect(hall.locator("main")).to_contain_text(re.compile(r"Round \d+ of 25"))
    expect(hall.locator("main")).to_contain_text(re.compile(r"Guest \d+"))
    access.check(hall)
