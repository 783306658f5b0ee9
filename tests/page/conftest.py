"""The ground for tests of the page: a real server, a real Chromium, and people who come to it.

``server``      one server for all tests of this folder, on SQLite; computer players answer at once.
``own_server``  a server for this test alone, to be stopped, killed and started again.
``arrive``      somebody comes: ``page = arrive("/", language="es", screen="phone", scheme="dark")``. Everybody has a
                browser context of their own: other cookies, another person. Without a path nothing is opened yet:
                a table that the test opens over HTTP need not wait for a start page. A second tab of the same person is
                ``page.context.new_page()``. ``to=own_server`` goes to that one; ``motion=True`` lets things move.
``troubles``    whatever a browser complains of: errors and warnings on the console, errors that nobody caught,
                requests that failed. A test that leaves one behind fails. ``troubles.allow(AWAY)`` announces those
                that belong to a test in which the server goes away; other patterns announce others.

``access.check(page)`` asks axe whether everybody can use what the page shows now. ``bots.meanwhile(coroutine)`` plays
on through sockets while the test looks at the page (Playwright's loop runs in this thread, so ``asyncio.run`` cannot).
Browsers have no service worker, which would fetch the whole page once more for each of them, but in tests that are
marked ``service_worker``. The page's content policy forbids ``page.wait_for_function("expression")``; give it a
function: ``"() => expression"``.
When a test fails, what its pages showed is in ``build/failures/``.
"""

import os
import re
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Literal, Protocol

import pytest
from playwright.sync_api import Browser, BrowserContext, ConsoleMessage, Page, Request, expect, sync_playwright

from chromium import SCREENS, found, launch
from server.serving import Server, serving

FAILURES = Path(__file__).resolve().parents[2] / "build/failures"
MAX_WAIT_MS = 60_000
"""Milliseconds after which a test hangs, however busy the machine is."""
AWAY = "ERR_CONNECTION|ERR_CONTENT_LENGTH_MISMATCH|ERR_EMPTY_RESPONSE|ERR_FAILED|ERR_SOCKET|WebSocket"
"""What browsers say when the server goes away: ``troubles.allow(AWAY)``."""
expect.set_options(timeout=MAX_WAIT_MS)
FAILED = pytest.StashKey[bool]()
TAGS = {"en": "en-GB", "es": "es-ES", "fr": "fr-FR", "nl": "nl-NL"}


class Troubles:
    """What browsers complain of."""

    def __init__(self) -> None:
        self.heard: list[str] = []
        self._allowed: list[str] = []

    def allow(self, *patterns: str) -> None:
        """Announces complaints that belong to the test."""
        self._allowed += patterns

    def watch(self, context: BrowserContext) -> None:
        """Listens to everything that happens in a browser context."""
        context.on("console", self._console)
        context.on("weberror", lambda error: self.heard.append(f"uncaught: {error.error}"))
        context.on("requestfailed", self._failed)

    def left(self) -> list[str]:
        """Those that nobody has announced."""
        return [one for one in self.heard if not any(re.search(pattern, one) for pattern in self._allowed)]

    def _console(self, message: ConsoleMessage) -> None:
        if message.type in ("error", "warning"):
            where = message.location
            self.heard.append(f"{message.type}: {message.text} ({where['url']}:{where['lineNumber']})")

    def _failed(self, request: Request) -> None:
        # Whoever leaves a page gives up what it was still asking for.
        if request.failure != "net::ERR_ABORTED":
            self.heard.append(f"failed: {request.method} {request.url}: {request.failure}")


class Arrive(Protocol):
    """Somebody comes to the page."""

    def __call__(
        self,
        path: str = "",
        *,
        language: str = "en",
        screen: str = "desktop",
        scheme: Literal["light", "dark"] = "light",
        motion: bool = False,
        to: Server | None = None,
    ) -> Page: ...


@pytest.fixture(scope="package")
def browser() -> Iterator[Browser]:
    """Lasts no longer than the tests of this folder: while it is here, nobody can ``asyncio.run`` in this process."""
    if found() is None:
        reason = "Chromium is not installed (apt-get install chromium)"
        if os.environ.get("CI"):
            pytest.fail(reason)
        pytest.skip(reason)
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        yield browser
        browser.close()


@pytest.fixture(scope="package")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("server")
    with serving(f"sqlite:///{folder / 'page.db'}", folder, "--no-limits") as server:
        yield server
    assert "Traceback" not in server.log, server.log


@pytest.fixture
def own_server(tmp_path: Path) -> Iterator[Server]:
    with serving(f"sqlite:///{tmp_path / 'page.db'}", tmp_path, "--no-limits") as server:
        yield server


@pytest.fixture
def troubles() -> Iterator[Troubles]:
    troubles = Troubles()
    yield troubles
    assert not troubles.left(), "the browser complained:\n" + "\n".join(troubles.left())


@pytest.fixture
def arrive(
    request: pytest.FixtureRequest, browser: Browser, server: Server, troubles: Troubles
) -> Iterator[Callable[..., Page]]:
    contexts: list[BrowserContext] = []

    def arrived(
        path: str = "",
        *,
        language: str = "en",
        screen: str = "desktop",
        scheme: Literal["light", "dark"] = "light",
        motion: bool = False,
        to: Server | None = None,
    ) -> Page:
        context = browser.new_context(
            base_url=(to or server).address,
            locale=TAGS[language],
            color_scheme=scheme,
            reduced_motion="no-preference" if motion else "reduce",
            **SCREENS[screen],
        )
        if not request.node.get_closest_marker("service_worker"):
            context.add_init_script("delete Navigator.prototype.serviceWorker")
        contexts.append(context)
        context.set_default_timeout(MAX_WAIT_MS)
        troubles.watch(context)
        page = context.new_page()
        if path:
            page.goto(path)
        return page

    yield arrived
    if request.node.stash.get(FAILED, False):
        _show(request.node.name, contexts)
    for context in contexts:
        context.close()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Remembers that a test has failed, for whoever tidies up after it."""
    report = yield
    item.stash[FAILED] = item.stash.get(FAILED, False) or report.failed
    return report


def _show(test: str, contexts: list[BrowserContext]) -> None:
    """Keeps what a failed test's pages show."""
    FAILURES.mkdir(parents=True, exist_ok=True)
    name = re.sub(r"[^\w-]+", "-", test)
    for number, page in enumerate(page for context in contexts for page in context.pages):
        page.screenshot(path=FAILURES / f"{name}-{number}.png")
