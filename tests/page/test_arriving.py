"""The first moments on the page: it loads, it is small, it can be installed, and it is there without a connection."""

import json
import re
import shutil
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, WebSocketRoute, expect

import sobremesa
from chromium import launch
from kinds import OWN_GAMES
from page import access
from page.conftest import AWAY, Arrive, Troubles
from server.serving import PROGRAM, Server, serving
from sobremesa.server.people import COOKIE
from stage import open_room

pytestmark = pytest.mark.service_worker

LIGHTEST = 150_000
"""Bytes of script and styles that the first load may take, as they travel."""
HOME = "Sobremesa"


def settled(page: Page) -> None:
    """Waits until the page has all that it keeps for when there is no connection."""
    page.evaluate("navigator.serviceWorker.ready")
    page.wait_for_function("() => navigator.serviceWorker.controller !== null")


@pytest.mark.parametrize(("screen", "scheme"), [("phone", "light"), ("desktop", "dark")])
def test_the_start(arrive: Arrive, screen: str, scheme: Any) -> None:
    """Dark on a phone and light on a desktop it is looked at with all other screens."""
    page = arrive("/", screen=screen, scheme=scheme)
    for game in OWN_GAMES.values():
        expect(page.get_by_role("heading", name=game.name)).to_be_visible()
    access.check(page)


def test_it_speaks_the_language_of_the_browser(arrive: Arrive) -> None:
    for language in ("es", "fr", "nl"):
        expect(arrive("/", language=language).locator("html")).to_have_attribute("lang", language)


def test_who_comes_is_somebody_from_the_first_answer_on(arrive: Arrive, server: Server) -> None:
    page = arrive("/")
    (cookie,) = page.context.cookies()
    assert cookie["name"] == COOKIE
    assert cookie["httpOnly"]
    page.reload()
    assert page.context.cookies()[0]["value"] == cookie["value"]


def test_the_first_load_is_light(arrive: Arrive) -> None:
    page = arrive("/")
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate(
        "performance.getEntriesByType('resource').filter(({name}) => /\\.(js|css)$/.test(name))"
        ".map(({name, encodedBodySize, decodedBodySize}) => [name, encodedBodySize, decodedBodySize])"
    )
    assert loaded
    assert all(0 < packed < plain for _, packed, plain in loaded if plain > 1000), "files come packed"
    assert sum(packed for _, packed, _ in loaded) < LIGHTEST, loaded


def test_a_deep_link_opens_its_screen(arrive: Arrive) -> None:
    page = arrive()
    for path in ("/settings", "/lobby", "/me", "/rules/knister", "/rules/callisto"):
        page.goto(path)
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.url.endswith(path)


def test_it_can_be_installed(arrive: Arrive) -> None:
    headless = arrive("/")
    assert headless.context.browser
    whole = launch(headless.context.browser.browser_type, whole=True)
    page = whole.new_page()
    page.goto(headless.url)
    settled(page)
    session = page.context.new_cdp_session(page)
    manifest = session.send("Page.getAppManifest")
    assert manifest["url"].endswith("/manifest.webmanifest")
    assert not manifest["errors"]
    assert session.send("Page.getInstallabilityErrors")["installabilityErrors"] == [
        {"errorId": "in-incognito", "errorArguments": []}
    ]
    for icon in json.loads(manifest["data"])["icons"]:
        size = page.evaluate(
            "async (src) => { const picture = new Image(); picture.src = src; await picture.decode();"
            " return `${picture.naturalWidth}x${picture.naturalHeight}` }",
            icon["src"],
        )
        assert icon["sizes"] in (size, "any")
    whole.close()


def test_without_a_connection_the_page_shows_your_games_and_the_rules(
    arrive: Arrive, own_server: Server, troubles: Troubles
) -> None:
    page = arrive("/", to=own_server)
    settled(page)
    seats = [{"kind": "me"}, {"kind": "open"}]
    opened = page.request.post("/api/rooms", data={"game": "knister", "seats": seats, "name": "Anastasia"})
    path = opened.json()["path"]
    going_on = page.locator(f'a[href="{path}"]')
    page.goto("/")
    expect(going_on).to_be_visible()
    page.goto(path)
    expect(page.get_by_text("Anastasia").first).to_be_visible()

    own_server.stop()
    troubles.allow(AWAY)
    page.goto("/")
    expect(page.get_by_role("heading", name="Callisto")).to_be_visible()
    expect(going_on).to_be_visible()
    page.goto(path)
    expect(page.get_by_text("Anastasia").first).to_be_visible()
    for game in OWN_GAMES:
        page.goto(f"/rules/{game}")
        expect(page.get_by_role("heading", level=2).first).to_be_visible()

    own_server.start()
    page.request.delete("/api/me")  # With a connection, the page shows only what is so now.
    page.goto("/")
    expect(page.get_by_role("heading", name="Knister")).to_be_visible()
    expect(going_on).to_have_count(0)


def test_what_is_kept_goes_with_the_person(arrive: Arrive) -> None:
    page = arrive("/")
    settled(page)
    page.evaluate("fetch('/api/me')")
    page.wait_for_function("async () => !!(await caches.match('/api/me'))")
    page.evaluate("fetch('/api/me', { method: 'DELETE' })")
    page.wait_for_function("async () => !(await caches.match('/api/me'))")


def test_a_new_version_of_the_page_does_not_disturb_who_is_on_the_old_one(
    arrive: Arrive, tmp_path: Path, troubles: Troubles, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its parts that are loaded later are kept, though the server has them no more."""
    source = Path(sobremesa.__file__).parent
    shutil.copytree(source, tmp_path / "sobremesa", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    files = tmp_path / "sobremesa/server/page"
    with serving(f"sqlite:///{tmp_path / 'page.db'}", tmp_path, "--no-limits", program=PROGRAM) as server:
        page = arrive("/", to=server)
        settled(page)
        server.stop()
        (old,) = files.glob("assets/Settings-*.js")
        _build_another(files)
        server.start()
        troubles.allow(AWAY)
        assert page.evaluate("navigator.serviceWorker.ready.then((ready) => ready.update()).then(() => 1)")
        page.wait_for_function(_TAKEN_OVER)
        page.get_by_role("link", name="Settings").click()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(_LOADED % old.name), "the old part"
        page.reload()
        expect(page.get_by_role("heading", level=1)).to_be_visible()
        assert page.evaluate(_LOADED % f"{old.stem}2.js"), "the new one, with the next load"


_TAKEN_OVER = """async () => {
  const { installing, waiting } = await navigator.serviceWorker.ready
  return !installing && !waiting && (await caches.keys()).filter((name) => name.startsWith("page-")).length === 2
}"""
_LOADED = "performance.getEntriesByType('resource').some(({name}) => name.endsWith('%s'))"


def _build_another(folder: Path) -> None:
    """Another build of the page, in which every part has another name."""
    stems = [path.stem for path in folder.glob("assets/*") if path.suffix not in (".br", ".gz")]
    for path in folder.rglob("*"):
        if path.suffix in (".br", ".gz"):
            path.unlink()
        elif path.suffix in (".js", ".css", ".html"):
            text = re.sub(r'BUILD = "\w+"', 'BUILD = "another"', path.read_text())
            path.write_text(re.sub("|".join(map(re.escape, stems)), r"\g<0>2", text))
    for path in folder.glob("assets/*"):
        path.rename(path.with_stem(f"{path.stem}2"))


def test_without_a_network_the_table_says_so_at_once(arrive: Arrive, troubles: Troubles) -> None:
    """Never "Your turn" while nothing can be sent; what was done meanwhile is sent once, afterwards."""
    troubles.allow(AWAY, "ERR_INTERNET_DISCONNECTED")
    page = arrive(screen="phone")
    room = open_room(page, "knister", "me", "greedy", name="Ana")
    page.goto(f"/r/{room}")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    page.context.set_offline(True)
    expect(headline).to_contain_text("No connection")
    expect(page).to_have_title("Knister")
    expect(page.get_by_text("The connection is down. Trying again…")).to_be_visible()
    for _ in range(2):
        page.locator('[role=grid] [data-cell="c3"]').tap()
    expect(page.get_by_text("What you did is sent as soon as it is back.")).to_be_visible()
    page.context.set_offline(False)
    expect(page.get_by_text("Round 2 of 25")).to_be_visible()
    expect(headline).to_contain_text("Your turn")


def test_a_proxy_that_swallows_everything_is_noticed_when_nobody_answers(arrive: Arrive, troubles: Troubles) -> None:
    """The browser thinks that the connection is up: two seconds after a move without an answer the page says so, and
    four after the last sign of life to somebody whose turn it is and who does nothing."""
    troubles.allow("WebSocket")
    page = arrive("/")
    swallowed = False

    def proxy(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        socket.on_message(lambda message: None if swallowed else server.send(message))

    page.context.route_web_socket("**/socket", proxy)
    page.clock.install()
    page.goto(f"/r/{open_room(page, 'knister', 'me', 'greedy', name='Ana')}")
    cell = page.locator("[role=grid] [data-cell=c3]")
    headline = page.get_by_role("heading", level=1)
    expect(headline).to_contain_text("Your turn")
    swallowed = True
    page.clock.run_for(4000)
    expect(page.get_by_text("No answer yet.")).to_be_visible()
    expect(headline).not_to_contain_text("Your turn")
    swallowed = False
    page.clock.run_for(6000)
    expect(headline).to_contain_text("Your turn")
    swallowed = True
    cell.click()
    page.clock.run_for(1950)
    expect(page.get_by_text("No answer yet.")).to_be_visible()
    expect(headline).not_to_contain_text("Your turn")
    swallowed = False
    page.clock.run_for(6000)  # a new connection is made, and the move goes once more
    expect(page.get_by_text("Round 2 of 25")).to_be_visible()
