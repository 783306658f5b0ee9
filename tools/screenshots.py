"""Takes pictures of every screen of the page into build/screenshots, with an index.html that shows them all.

    python tools/screenshots.py                          every screen, on phone and desktop, light and dark
    python tools/screenshots.py callisto --screen phone --scheme dark
    python tools/screenshots.py --docs                   those that the README shows

To add one, write a function that brings the screen about for somebody who has just arrived; its name is the picture's.
"""

import argparse
import os
import subprocess
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import product
from pathlib import Path
from random import Random

from playwright.sync_api import Browser, Page, sync_playwright

from chromium import SCREENS, launch
from load import server
from stage import move, open_room, play, send_command

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/screenshots"
DOCS = ROOT / "docs/pictures"
GAMES = ("callisto", "isis-osiris", "knister")
GUEST = "reversi"
"""A game in a package of its own, which the page shows by the picture that its rules draw."""
EXAMPLE = ROOT / "examples" / f"sobremesa-{GUEST}"
NAME = "Ana"
GUESTS = ("Bo", "Chloé", "Daan", "Elena", "Femke", "Grandpa", "Hugo", "Inés")
PICTURES: dict[str, Callable[[Page], None]] = {}
SETTLE_MS = 400
"""Milliseconds after which nothing on the page moves any more."""


def picture(bring: Callable[[Page], None]) -> Callable[[Page], None]:
    """Registers a screen by its function's name."""
    PICTURES[bring.__name__.replace("_", "-")] = bring
    return bring


def simple(name: str, path: str) -> None:
    """Registers a screen that is just an address."""
    PICTURES[name] = lambda page: go(page, path)


def go(page: Page, path: str) -> None:
    """Opens an address."""
    page.goto(path)


def somebody_else(page: Page) -> Page:
    """The page of another person at the same house. Whoever calls this closes its context."""
    browser = page.context.browser
    assert browser is not None
    return browser.new_context(base_url=page.request.get("/api/me").url).new_page()


for name in ("lobby", "me", "settings", "daily"):
    simple(name, f"/{name}")
simple("nowhere", "/nowhere")
simple("openings", "/openings/callisto")
for game in (*GAMES, GUEST):
    simple(f"new-{game}", f"/new/{game}")
    simple(f"rules-{game}", f"/rules/{game}")
for game in GAMES:
    simple(f"learn-{game}", f"/learn/{game}")


@picture
def openings_answered(page: Page) -> None:
    """The map of the second pillar, at a table of the other edition."""
    go(page, "/openings/callisto")
    page.locator("select").first.select_option("pocket")
    page.locator("select").last.select_option("3")
    page.locator(".openings[data-table='pocket-3'] .ways button").first.click()


@picture
def start(page: Page) -> None:
    """For somebody new."""
    go(page, "/")


@picture
def start_with_games(page: Page) -> None:
    """For somebody who has games to go on with."""
    for game in GAMES:
        play(page, open_room(page, game, "me", "greedy", name=NAME), 2)
    go(page, "/")


@picture
def lobby_with_tables(page: Page) -> None:
    """Tables that anybody may join."""
    for game, name in zip(GAMES, GUESTS, strict=False):
        host = somebody_else(page)
        open_room(host, game, "me", "open", name=name, public=True)
        host.context.close()
    go(page, "/lobby")


@picture
def me_after_games(page: Page) -> None:
    """Results and ratings."""
    for game in GAMES:
        play(page, open_room(page, game, "me", "greedy", name=NAME))
    go(page, "/me")


@picture
def invitation(page: Page) -> None:
    """A room that waits for a friend."""
    go(page, f"/r/{open_room(page, 'callisto', 'me', 'open', 'open', name=NAME)}")


@picture
def invited(page: Page) -> None:
    """The same room, as the friend sees it first."""
    bo = somebody_else(page)
    room = open_room(bo, "knister", "me", "open", name="Bo")
    bo.context.close()
    go(page, f"/r/{room}")


def tables() -> Iterator[tuple[str, str, tuple[str, ...], dict[str, object], int]]:
    """Pictures of games: name, game, seats, options, and after how many moves the middle is."""
    yield "callisto", "callisto", ("me", "greedy"), {}, 9
    yield "callisto-four", "callisto", ("me", "greedy", "greedy", "greedy"), {}, 7
    yield "callisto-pocket", "callisto", ("me", "greedy"), {"edition": "pocket"}, 6
    yield "isis-osiris", "isis-osiris", ("me", "greedy"), {}, 7
    yield "isis-osiris-four", "isis-osiris", ("me", "greedy", "greedy", "greedy"), {"memory_aid": True}, 4
    yield "knister", "knister", ("me", "greedy", "greedy"), {}, 14
    yield "knister-alone", "knister", ("me",), {}, 12
    yield GUEST, GUEST, ("me", "child"), {}, 9


def game_pictures(name: str, game: str, seats: tuple[str, ...], options: dict[str, object], middle: int) -> None:
    """Registers a game at its beginning, in its middle, at its end, and seen again."""

    def bring(moves: int | None, path: str) -> Callable[[Page], None]:
        def brought(page: Page) -> None:
            room = open_room(page, game, *seats, name=NAME, options=options)
            play(page, room, moves, seed=len(name))
            go(page, path.format(room=room))

        return brought

    PICTURES[f"{name}-begins"] = bring(0, "/r/{room}")
    PICTURES[name] = bring(middle, "/r/{room}")
    PICTURES[f"{name}-over"] = bring(None, "/r/{room}")
    PICTURES[f"{name}-replay"] = bring(None, "/r/{room}/games/1")


for row in tables():
    game_pictures(*row)


@picture
def reversi_chosen(page: Page) -> None:
    """A move that is looked at before it is made, at the usual table."""
    room = open_room(page, GUEST, "me", "child", name=NAME)
    play(page, room, 9, seed=len(GUEST))
    go(page, f"/r/{room}")
    page.locator(".picture > svg circle.free").last.click()
    page.locator(".ahead svg").wait_for()


@picture
def watching(page: Page) -> None:
    """A table where one has no seat."""
    bo = somebody_else(page)
    room = open_room(bo, "callisto", "me", "greedy", name="Bo")
    play(bo, room, 6)
    go(page, f"/r/{room}")
    page.wait_for_load_state("networkidle")
    bo.context.close()


@picture
def talking(page: Page) -> None:
    """A table where people talk."""
    room = open_room(page, "knister", "me", "greedy", name=NAME)
    play(page, room, 3)
    send_command(page, room, "phrase", phrase="hello")
    send_command(page, room, "say", text="Shall we play another one after dinner?")
    go(page, f"/r/{room}")


@picture
def projector(page: Page) -> None:
    """The big screen of a crowd before it starts."""
    go(page, f"/r/{open_room(page, 'knister', 'me', name=NAME, crowd=True)}/screen")


@picture
def projector_playing(page: Page) -> None:
    """The big screen while a crowd plays."""
    room = open_room(page, "knister", "me", name=NAME, crowd=True, clock=600)
    guests = [somebody_else(page) for _ in GUESTS]
    for name, guest in zip(GUESTS, guests, strict=True):
        send_command(guest, room, "sit", name=name)
    send_command(page, room, "start")
    random = Random(5)
    for _ in range(14):
        for guest in (page, *guests):
            move(guest, room, random)
    for guest in guests[:5]:
        move(guest, room, random)
    for guest in guests:
        guest.context.close()
    go(page, f"/r/{room}/screen")


def take(
    browser: Browser, address: str, name: str, screen: str, scheme: str, language: str, path: Path | None = None
) -> None:
    """Brings a screen about and takes its picture."""
    context = browser.new_context(
        base_url=address,
        locale=language,
        color_scheme="dark" if scheme == "dark" else "light",
        reduced_motion="reduce",
        service_workers="block",
        **SCREENS[screen],
    )
    try:
        page = context.new_page()
        page.request.get("/api/me")
        PICTURES[name](page)
        page.wait_for_load_state("networkidle")
        page.evaluate("document.fonts.ready.then(() => 1)")
        page.wait_for_timeout(SETTLE_MS)
        page.screenshot(path=path or FOLDER / f"{name}-{screen}-{scheme}.png", full_page=path is None)
    finally:
        context.close()


@contextmanager
def guest(folder: Path) -> Iterator[None]:
    """Installs the example beside the house, where a server finds it that is started now."""
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--target"]
    subprocess.run([*install, str(folder), str(EXAMPLE)], check=True)
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, (str(folder), before)))
    try:
        yield
    finally:
        os.environ.pop("PYTHONPATH")
        if before is not None:
            os.environ["PYTHONPATH"] = before


def for_docs(browser: Browser, address: str) -> None:
    """The pictures that the README shows."""
    for name, scheme in (("callisto", "light"), ("isis-osiris", "light"), ("knister", "light"), ("projector", "dark")):
        wanted = "projector-playing" if name == "projector" else name
        take(browser, address, wanted, "laptop", scheme, "en-GB", DOCS / f"page-{name}.png")


def write_index() -> None:
    """A page that shows them all."""
    shown = "".join(
        f'<figure><img src="{path.name}" loading="lazy"><figcaption>{path.stem}</figcaption></figure>'
        for path in sorted(FOLDER.glob("*.png"))
    )
    style = (
        "body { display: flex; flex-wrap: wrap; font: 14px sans-serif } img { height: 420px; border: 1px solid #888 }"
    )
    (FOLDER / "index.html").write_text(f"<!doctype html><title>Sobremesa</title><style>{style}</style>{shown}")


def main() -> int:
    """Takes those that were asked for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pictures", nargs="*", metavar="PICTURE", help="all whose name begins so")
    parser.add_argument("--screen", action="append", choices=SCREENS)
    parser.add_argument("--scheme", action="append", choices=("light", "dark"))
    parser.add_argument("--language", default="en-GB")
    parser.add_argument("--docs", action="store_true", help="only those that the README shows, into docs/pictures")
    chosen = parser.parse_args()
    wanted = [name for name in PICTURES if name.startswith(tuple(chosen.pictures) or "")]
    FOLDER.mkdir(parents=True, exist_ok=True)
    failed = 0
    with (
        tempfile.TemporaryDirectory() as folder,
        guest(Path(folder)),
        server(None) as running,
        sync_playwright() as playwright,
    ):
        browser = launch(playwright.chromium)
        screens, schemes = chosen.screen or ("phone", "desktop"), chosen.scheme or ("light", "dark")
        if chosen.docs:
            for_docs(browser, running.address)
            return 0
        for name, screen, scheme in product(wanted, screens, schemes):
            print(f"{name}-{screen}-{scheme}")
            try:
                take(browser, running.address, name, screen, scheme, chosen.language)
            except Exception:
                failed += 1
                traceback.print_exc()
        browser.close()
    write_index()
    return min(failed, 1)


if __name__ == "__main__":
    sys.exit(main())
