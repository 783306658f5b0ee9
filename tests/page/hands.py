"""How people play on the page: by mouse, by finger or by keyboard, in any language.

Hands look at the page only to touch it. What is legal they ask the server, as the person they belong to.
"""

import re
import time
from collections.abc import Callable
from importlib import import_module
from random import Random
from typing import Any, Protocol, cast

from playwright.sync_api import Locator, Page, expect

from sobremesa import GAMES

MAX_WAIT_SECONDS = 60.0
"""After so long a test hangs, however busy the machine is."""
_SETTLED = """async () => {
  for (let frames = 0; frames < 4; frames++) await new Promise(requestAnimationFrame)
  const ending = document.getAnimations().filter((each) => Number.isFinite(each.effect.getComputedTiming().endTime))
  await Promise.all(ending.map((each) => each.finished.catch(() => {})))
  await new Promise(requestAnimationFrame)
}"""


def until(page: Page, condition: Callable[[], object]) -> None:
    """Waits until something is so that the page itself cannot tell by an event."""
    limit = time.monotonic() + MAX_WAIT_SECONDS
    while not condition():
        assert time.monotonic() < limit, "this does not happen"
        page.wait_for_timeout(50)


def settled(page: Page) -> None:
    """Waits until the layout has followed a change, frame by frame, and whatever changes softly has changed."""
    page.evaluate(_SETTLED)


def list_keys(page: Page, listed: str) -> None:
    """A question mark lists the keys, with what they do; Escape closes the list."""
    page.keyboard.press("?")
    keys = page.get_by_role("dialog", name="Keys")
    expect(keys).to_contain_text(listed)
    page.keyboard.press("Escape")
    expect(keys).to_have_count(0)


class Way(Protocol):
    """How a game is played on the page: its ``tests/on_page/hand.py``."""

    LAST_MOVE: str
    """What marks the last move, as a selector."""

    def play(self, hand: "Hand", view: dict[str, Any], legal: list[str]) -> None:
        """Makes one of the legal moves."""


def way_of(game: str) -> Way:
    return cast(Way, import_module(f"{GAMES[game].package}.tests.on_page.hand"))


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
        way_of(update["room"]["game"]).play(self, view, legal)
        self.moves += 1
        self.page.wait_for_function(_NEWS, arg=[self.room, update["version"]])
        return True

    def press(self, what: Locator) -> None:
        """Clicks, taps, or goes there and presses Enter."""
        if self.way == "keys":
            what.focus()
            self.page.keyboard.press("Enter")
        else:
            self.touch(what)

    def look_on(self, wanted: Locator) -> None:
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
