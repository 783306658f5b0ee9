"""How pieces are placed on the page, for ``page.hands``."""

from typing import Any

from page.hands import Hand
from sobremesa.games.callisto.board import PILLAR, find_board

LAST_MOVE = "path.last:not(.under)"


def play(hand: Hand, view: dict[str, Any], legal: list[str]) -> None:
    """Takes a piece from the tray and places it where it fits; big ones first, as people do."""
    table = find_board(view["options"]["edition"], view["options"]["seats"])
    placements = {placement.text: placement for placement in table.placements}
    pieces = {placements[move].piece for move in legal}
    piece = max(pieces, key=lambda piece: (piece != PILLAR, _size(placements, legal, piece), piece))
    button = hand.page.locator(f'[data-piece="{piece}"]')
    if hand.way == "keys":
        if button.get_attribute("aria-pressed") != "true":
            button.focus()
            hand.page.keyboard.press("Enter")
    elif button.get_attribute("aria-pressed") != "true":
        hand.touch(button)
    if piece == PILLAR and hand.way != "keys":
        cell = hand.cell(hand.random.choice([move for move in legal if placements[move].piece == PILLAR]))
        hand.touch(cell)
        place = hand.page.locator(".say .main")
        if hand.way == "touch":
            hand.touch(place)
        return
    _help(hand)
    for _ in range(1 + hand.random.randrange(3)):
        hand.page.keyboard.press("n")
    if hand.way == "touch":
        hand.touch(hand.page.locator(".say .main"))
    else:
        hand.page.keyboard.press("Enter")


def _help(hand: Hand) -> None:
    """Has the page show where pieces fit."""
    button = hand.page.locator(".callisto .help")
    if button.get_attribute("aria-pressed") != "true":
        if hand.way == "keys":
            button.press("Enter")
        else:
            hand.touch(button)


def _size(placements: dict[str, Any], legal: list[str], piece: str) -> int:
    """How many squares a piece has."""
    return max(move.count(",") + 1 for move in legal if placements[move].piece == piece)
