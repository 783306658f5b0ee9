"""How a number is written on the page, for ``page.hands``."""

from typing import Any

from playwright.sync_api import expect

from page.hands import Hand

LAST_MOVE = ".cell.fresh"


def play(hand: Hand, view: dict[str, Any], legal: list[str]) -> None:
    """Writes the roll."""
    name = hand.random.choice(legal)
    if hand.way == "keys":
        _walk(hand, name)
    else:
        hand.touch(hand.cell(name))
        if hand.way == "touch":
            hand.touch(hand.cell(name))


def _walk(hand: Hand, name: str) -> None:
    """Goes to a cell with the arrow keys and writes there."""
    grid = hand.page.locator("[role=grid]")
    grid.locator("[tabindex='0']").focus()
    hand.page.keyboard.press("Home")
    for _ in range(5):
        hand.page.keyboard.press("ArrowUp")
    for _ in range("abcde".index(name[0])):
        hand.page.keyboard.press("ArrowRight")
    for _ in range(5 - int(name[1])):
        hand.page.keyboard.press("ArrowDown")
    expect(hand.cell(name)).to_be_focused()
    hand.page.keyboard.press("Enter")
