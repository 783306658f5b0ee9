"""Measures how quick the page is: its weight, when one can touch it, and whether a tile follows the hand.

The server runs on this machine, too; the browser's processor is slowed down four times while the page loads.
Prints Markdown for docs/benchmarks.md.
"""

import argparse
import statistics
import time
from collections.abc import Sequence
from itertools import pairwise
from typing import Any

from playwright.sync_api import Browser, BrowserContext, Page, sync_playwright

from chromium import SCREENS, launch
from load import server
from sobremesa.cli.bench import machine
from stage import open_room

CPU_SLOWDOWN = 4
WATCH = """
globalThis.touched = new Promise((done) => {
  const look = () => {
    const button = document.querySelector("main button:not(:disabled), main a[href]")
    if (!button) requestAnimationFrame(look)
    else requestIdleCallback(() => done(performance.now()))
  }
  look()
})
"""
"""When there is something to touch in the page's main part, and nothing else to do before a touch is answered."""
FRAMES = """
globalThis.frames = []
const note = (now) => { frames.push(now); requestAnimationFrame(note) }
requestAnimationFrame(note)
"""
DRAG = 2.0
"""Seconds that a tile is dragged about."""


def arrive(browser: Browser, address: str, slowed: bool = True) -> Page:
    """Somebody on a phone who has never been here."""
    context: BrowserContext = browser.new_context(base_url=address, **SCREENS["phone"])
    context.set_default_timeout(60_000)
    page = context.new_page()
    if slowed:
        page.add_init_script(WATCH)
        session = context.new_cdp_session(page)
        session.send("Emulation.setCPUThrottlingRate", {"rate": CPU_SLOWDOWN})
    return page


def loads(browser: Browser, address: str, path: str, times: int, again: bool = False) -> list[float]:
    """Milliseconds until the page can be touched; ``again``: on the second visit, when the browser has kept it."""
    measured = []
    for _ in range(times):
        page = arrive(browser, address)
        page.goto(path)
        if again:
            page.wait_for_function("() => navigator.serviceWorker.controller !== null")
            page.goto(path)
        measured.append(float(page.evaluate("touched")))
        page.context.close()
    return measured


def weight(browser: Browser, address: str, path: str) -> dict[str, int]:
    """Bytes of the first load as they travel, by kind."""
    page = arrive(browser, address, slowed=False)
    page.goto(path)
    page.wait_for_load_state("networkidle")
    loaded: list[dict[str, Any]] = page.evaluate(
        "performance.getEntriesByType('resource').map(({name, encodedBodySize}) => ({name, size: encodedBodySize}))"
    )
    page.context.close()
    kinds = {"script": ".js", "styles": ".css", "fonts": ".woff2"}
    return {kind: sum(one["size"] for one in loaded if one["name"].endswith(end)) for kind, end in kinds.items()}


def drag(browser: Browser, address: str) -> list[float]:
    """Milliseconds between frames while a tile of Callisto is dragged over the board."""
    context = browser.new_context(base_url=address, **SCREENS["desktop"])
    page = context.new_page()
    page.goto("/")
    page.goto(f"/r/{open_room(page, 'callisto', 'me', 'greedy', name='Ana')}")
    tile = page.locator("[data-piece]:not(:disabled)").last.bounding_box()
    board = page.get_by_label("Board").bounding_box()
    assert tile
    assert board
    page.mouse.move(tile["x"] + tile["width"] / 2, tile["y"] + tile["height"] / 2)
    page.mouse.down()
    page.evaluate(FRAMES)
    began = time.monotonic()
    while (passed := (time.monotonic() - began) / DRAG) < 1:
        across, down = abs((passed * 4) % 2 - 1), abs((passed * 6) % 2 - 1)
        page.mouse.move(
            board["x"] + board["width"] * (0.1 + 0.8 * across), board["y"] + board["height"] * (0.1 + 0.8 * down)
        )
        time.sleep(0.008)
    frames: list[float] = page.evaluate("frames")
    page.mouse.up()
    context.close()
    return [later - earlier for earlier, later in pairwise(frames)]


def row(what: str, measured: Sequence[float]) -> str:
    """A line of the table."""
    return f"| {what} | {statistics.median(measured):.0f} ms | {max(measured):.0f} ms |"


def main() -> None:
    """Measures, and prints."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--times", type=int, default=7, help="how often the page is loaded (%(default)s)")
    times = parser.parse_args().times
    with server(None) as running, sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        loads(browser, running.address, "/", 1)  # The first one warms the browser itself up.
        print(" · ".join([*machine().values(), f"Chromium {browser.version}"]).replace(", one used", ""))
        print("\n| first load of | script | styles | fonts |\n|---|---:|---:|---:|")
        for what, path in (("the start", "/"), ("the rules of Knister", "/rules/knister")):
            sizes = weight(browser, running.address, path)
            print(f"| {what} | {' | '.join(f'{size / 1000:.1f} kB' for size in sizes.values())} |")
        print(
            f"\n| can be touched, processor slowed {CPU_SLOWDOWN} times | median of {times} | worst |\n|---|---:|---:|"
        )
        print(row("the start, first visit", loads(browser, running.address, "/", times)))
        print(row("the start, second visit", loads(browser, running.address, "/", times, again=True)))
        gaps = drag(browser, running.address)
        late = sum(gap > 25 for gap in gaps) / len(gaps)
        print("\n| a tile of Callisto dragged | frames/s | frames later than 25 ms | worst |\n|---|---:|---:|---:|")
        print(f"| over the board | {1000 / statistics.mean(gaps):.0f} | {late:.1%} | {max(gaps):.0f} ms |")
        browser.close()


if __name__ == "__main__":
    main()
