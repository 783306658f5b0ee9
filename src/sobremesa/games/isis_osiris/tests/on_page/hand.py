"""How stones are placed and tiles laid on the page, for ``page.hands``."""

from typing import Any

from page.hands import Hand
from sobremesa.games.isis_osiris.editions import EDITIONS

LAST_MOVE = ".cell.fresh"


def play(hand: Hand, view: dict[str, Any], legal: list[str]) -> None:
    """Places a stone, or turns a tile over and lays it."""
    stones = [move for move in legal if move[0] == "S"]
    if "T" in legal:
        wanted = "T" if not stones or hand.random.random() < 0.4 else "S"
        choice = hand.page.locator(f"[aria-keyshortcuts={wanted}]:enabled")
        hand.look_on(choice)
        hand.press(choice)
        if wanted == "T":
            return
    names = EDITIONS[view["options"]["edition"]].names
    place = names.index(hand.random.choice(stones or legal)[1:])
    cell = hand.page.locator(f'[role=grid] .open[data-cell="{place}"]')
    hand.look_on(cell)
    hand.press(cell)
