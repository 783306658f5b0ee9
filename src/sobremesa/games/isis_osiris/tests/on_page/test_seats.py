"""Who sits where, and whose turn it is (I5)."""

from playwright.sync_api import expect

from page.conftest import Arrive
from page.hands import Hand
from page.test_games import open_room


def test_i5_the_seats_are_listed_in_order_of_play(arrive: Arrive) -> None:
    page = arrive()
    people = [{"kind": "me", "name": name} for name in ("Ana", "Bo", "Cai", "Dov")]
    page.goto(open_room(page, "isis-osiris", people, options={"starter": 2}))
    seats = page.get_by_role("list", name="Seats").first.get_by_role("listitem")
    hand = Hand(page, seed=2)
    for turn in (2, 3, 0, 1, 2):
        expect(seats.nth(turn)).to_contain_text("to move")
        assert [name in seats.nth(at).inner_text() for at, name in enumerate(("Ana", "Bo", "Cai", "Dov"))] == [True] * 4
        while list(hand.look()["legal"]) == [str(turn)]:
            hand.play()
