"""Whole games on the page, from the first tap to the result."""

from typing import Any

import pytest
from playwright.sync_api import Page, expect

from kinds import OWN_GAMES, one_every_day
from page import access
from page.conftest import Arrive
from page.hands import Hand, play_to_the_end, until


def open_room(page: Page, game: str, seats: list[dict[str, Any]], **setup: Any) -> str:
    """Opens a table as this person; returns its address."""
    answer = page.request.post("/api/rooms", data={"game": game, "seats": seats, "name": "Ana", **setup})
    assert answer.ok, answer.text()
    path: str = answer.json()["path"]
    return path


def sit_down(page: Page, name: str) -> None:
    """Takes the open seat that the page offers, whatever its language."""
    form = page.locator("main form").first
    form.locator("input").first.fill(name)
    form.locator("button.main").click()


@pytest.mark.parametrize("game", one_every_day(OWN_GAMES, 0))
def test_two_people_in_two_languages(arrive: Arrive, game: str) -> None:
    """One invites, the other sits down by the link; they play through to the result, one by keyboard alone, the other
    by finger on a phone."""
    ana = arrive("/", language="en", screen="laptop")
    ana.get_by_role("button", name=f"Invite a friend to {OWN_GAMES[game].name}").click()
    ana.get_by_label("Your name").fill("Ana")
    ana.get_by_role("dialog").get_by_role("button", name="Invite a friend").click()
    expect(ana.get_by_role("img", name="QR code")).to_be_visible()
    link = ana.get_by_label("Link").input_value()
    bram = arrive(link, language="nl", screen="phone")
    sit_down(bram, "Bram")
    hands = Hand(ana, "keys", seed=3), Hand(bram, "touch", seed=4)
    for hand in hands:
        expect(hand.page.get_by_role("grid")).to_be_visible()
    play_to_the_end(*hands)
    assert all(hand.moves > 8 for hand in hands)
    hands[0].see_result("win|share")
    hands[1].see_result("wint|winnen|gewonnen|delen")
    again = "Nog eens spelen" if OWN_GAMES[game].crowd else "Bram begint"  # where all play at once nobody begins
    expect(bram.locator(".status .button.main")).to_contain_text(again)
    assert bram.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"
    access.check(ana)
    access.check(bram)


@pytest.mark.parametrize(
    ("game", "whole"),
    [(game, False) for game in OWN_GAMES]
    + [pytest.param(game, True, marks=pytest.mark.at_length) for game in OWN_GAMES],
)
def test_two_taps_and_you_play_against_a_computer_on_a_phone(arrive: Arrive, game: str, whole: bool) -> None:
    page = arrive("/", screen="phone", language="en")
    page.get_by_role("button", name=f"Play now: {OWN_GAMES[game].name}").tap()
    expect(page.get_by_role("grid")).to_be_visible()
    _play(Hand(page, "touch", seed=5), whole)
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"
    access.check(page)


@pytest.mark.parametrize(
    ("game", "whole"),
    [(game, False) for game in OWN_GAMES]
    + [pytest.param(game, True, marks=pytest.mark.at_length) for game in OWN_GAMES],
)
def test_by_keyboard_alone(arrive: Arrive, game: str, whole: bool) -> None:
    page = arrive("/", language="en")
    play = page.get_by_role("button", name=f"Play now: {OWN_GAMES[game].name}")
    for _ in range(40):
        page.keyboard.press("Tab")
        if play.evaluate("button => button === document.activeElement"):
            break
    expect(play).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.get_by_role("grid")).to_be_visible()
    _play(Hand(page, "keys", seed=6), whole)


def _play(hand: Hand, whole: bool) -> None:
    """Some moves against a computer, or a whole game."""
    if whole:
        play_to_the_end(hand)
        assert hand.moves > 8
        hand.see_result("win|share")
        return
    while hand.moves < 3:
        until(hand.page, hand.play)  # the computer is thinking
