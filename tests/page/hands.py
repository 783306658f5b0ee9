"""How people play on the page: by mouse, by finger or by keyboard, in any language.

Hands look at the page only to touch it. What is legal they ask the server, as the person they belong to.
"""

import re
import time
from collections.abc import Callable
from random import Random
from typing import Any

from playwright.sync_api import Locator, Page, expect

from sobremesa.games.callisto.board import PILLAR, find_board
from sobremesa.games.isis_osiris.editions import EDITIONS

MAX_WAIT_SECONDS = 60.0
"""After so long a test hangs, however busy the machine is."""


def until(page: Page, condition: Callable[[], object]) -> None:
    """Waits until something is so that the page itself cannot tell by an event."""
    limit = time.monotonic() + MAX_WAIT_SECONDS
    while not condition():
        assert time.monotonic() < limit, "this does not happen"
        page.wait_for_timeout(50)


class Hand:
    """Somebody at a table. ``way`` is mouse, touch or keys."""

    def __init__(self, page: Page, way: str = "mouse", seed: int = 1) -> None:
        self.page = page
        self.way = way
        self.random = Random(seed)
        self.moves = 0
        page.clock.install()

    @property
    def room(self) -> str:
        """The room that the page shows."""
        found = re.search(r"/r/([\w-]+)", self.page.url)
        assert found, self.page.url
        return found[1]

    def look(self) -> dict[str, Any]:
        """Where the room stands for this person, as the server says."""
        answer = self.page.request.get(f"/api/rooms/{self.room}")
        assert answer.ok, answer.text()
        told: dict[str, Any] = answer.json()
        return told

    def see(self, version: int) -> None:
        """Waits until the page shows that much."""
        self.page.wait_for_function(
            "version => Number(document.querySelector('.room')?.dataset.version ?? 0) >= version", arg=version
        )

    def cell(self, name: str) -> Locator:
        """A cell of one's own board or sheet."""
        return self.page.locator(f'[role=grid] [data-cell="{name}"]')

    def touch(self, what: Locator) -> None:
        """Clicks or taps."""
        if self.way == "touch":
            what.tap()
        else:
            what.click()

    def play(self) -> bool:
        """Makes one move, if it is this person's turn; says whether it was."""
        update = self.look()
        if not update["room"]["playing"] or not update["legal"]:
            return False
        self.see(update["version"])
        (seat, legal), *_ = update["legal"].items()
        view = next(view for view in update["steps"][-1]["views"] if str(view["seat"]) == seat)
        WAYS[update["room"]["game"]](self, view, legal)
        self.moves += 1
        self.page.wait_for_function(_NEWS, arg=[self.room, update["version"]])
        return True

    def knister(self, view: dict[str, Any], legal: list[str]) -> None:
        """Writes the roll."""
        name = self.random.choice(legal)
        if self.way == "keys":
            self._walk(view["sheet"], name)
        else:
            self.touch(self.cell(name))
            if self.way == "touch":
                self.touch(self.cell(name))

    def _walk(self, sheet: list[int], name: str) -> None:
        """Goes to a cell with the arrow keys and writes there."""
        grid = self.page.locator("[role=grid]")
        grid.locator("[tabindex='0']").focus()
        self.page.keyboard.press("Home")
        for _ in range(5):
            self.page.keyboard.press("ArrowUp")
        for _ in range("abcde".index(name[0])):
            self.page.keyboard.press("ArrowRight")
        for _ in range(5 - int(name[1])):
            self.page.keyboard.press("ArrowDown")
        expect(self.cell(name)).to_be_focused()
        self.page.keyboard.press("Enter")

    def isis_osiris(self, view: dict[str, Any], legal: list[str]) -> None:
        """Places a stone, or turns a tile over and lays it."""
        stones = [move for move in legal if move[0] == "S"]
        if "T" in legal:
            wanted = "T" if not stones or self.random.random() < 0.4 else "S"
            choice = self.page.locator(f"[aria-keyshortcuts={wanted}]:enabled")
            self._look_on(choice)
            self._press(choice)
            if wanted == "T":
                return
        names = EDITIONS[view["options"]["edition"]].names
        place = names.index(self.random.choice(stones or legal)[1:])
        cell = self.page.locator(f'[role=grid] .open[data-cell="{place}"]')
        self._look_on(cell)
        self._press(cell)

    def _press(self, what: Locator) -> None:
        if self.way == "keys":
            what.focus()
            self.page.keyboard.press("Enter")
        else:
            self.touch(what)

    def _look_on(self, wanted: Locator) -> None:
        """Watches what others did until it is one's own turn on the page, too. A test need not look as long."""
        for _ in range(100):
            if wanted.count():
                return
            self.page.clock.run_for(250)
        expect(wanted).to_be_visible()

    def see_result(self, words: str) -> None:
        """Watches the count to its end, when the page says how the game went."""
        title = self.page.locator(".status h1")
        for _ in range(60):
            if re.search(words, title.inner_text()):
                return
            self.page.clock.run_for(1000)
        expect(title).to_contain_text(re.compile(words))

    def callisto(self, view: dict[str, Any], legal: list[str]) -> None:
        """Takes a piece from the tray and places it where it fits; big ones first, as people do."""
        table = find_board(view["options"]["edition"], view["options"]["seats"])
        placements = {placement.text: placement for placement in table.placements}
        pieces = {placements[move].piece for move in legal}
        piece = max(pieces, key=lambda piece: (piece != PILLAR, view_size(placements, legal, piece), piece))
        button = self.page.locator(f'[data-piece="{piece}"]')
        if self.way == "keys":
            if button.get_attribute("aria-pressed") != "true":
                button.focus()
                self.page.keyboard.press("Enter")
        elif button.get_attribute("aria-pressed") != "true":
            self.touch(button)
        if piece == PILLAR and self.way != "keys":
            cell = self.cell(self.random.choice([move for move in legal if placements[move].piece == PILLAR]))
            self.touch(cell)
            place = self.page.locator(".say .main")
            if self.way == "touch":
                self.touch(place)
            return
        self._help()
        for _ in range(1 + self.random.randrange(3)):
            self.page.keyboard.press("n")
        if self.way == "touch":
            self.touch(self.page.locator(".say .main"))
        else:
            self.page.keyboard.press("Enter")

    def _help(self) -> None:
        """Has the page show where pieces fit."""
        button = self.page.locator(".callisto .help")
        if button.get_attribute("aria-pressed") != "true":
            if self.way == "keys":
                button.press("Enter")
            else:
                self.touch(button)


def view_size(placements: dict[str, Any], legal: list[str], piece: str) -> int:
    """How many squares a piece has."""
    return max(move.count(",") + 1 for move in legal if placements[move].piece == piece)


WAYS: dict[str, Callable[[Hand, dict[str, Any], list[str]], None]] = {
    "knister": Hand.knister,
    "isis-osiris": Hand.isis_osiris,
    "callisto": Hand.callisto,
}

_NEWS = """([room, version]) => {
  const table = document.querySelector('.room')
  return !table || Number(table.dataset.version) > version
}"""


def play_to_the_end(*hands: Hand, most: int = 400) -> None:
    """Everybody plays, in turn or at once, until the game is over."""
    for _ in range(most):
        for hand in hands:
            hand.play()
        update = hands[0].look()
        if not update["room"]["playing"]:
            for hand in hands:
                hand.see(update["version"])
            return
        if not any(hand.look()["legal"] for hand in hands):
            hands[0].page.wait_for_timeout(50)  # a computer is thinking
    raise AssertionError("the game does not end")
