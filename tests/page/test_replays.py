"""Finished games on the page: the replay, the check of fair chance, and the review."""

import json
import re
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Page, Route, WebSocketRoute, expect

from chromium import SCREENS
from forgeries import forge, plainly
from kinds import one_every_day
from page import access
from page.conftest import Arrive
from page.hands import list_keys
from page.test_layout import hidden
from sobremesa.core.errors import InvalidRecord
from sobremesa.table.commitments import Opening
from sobremesa.table.record import loads
from sobremesa.table.verify import verify

GAMES = ["callisto", "isis-osiris", "knister"]


def finished(page: Page, game: str, seats: int = 2, watched: bool = False) -> str:
    """A game that this person has played to the end, with hands on the server alone; returns the room's address.

    ``watched``: the page has come to the table when the game had begun.
    """
    plan = [{"kind": "me"}] * seats
    opened = page.request.post("/api/rooms", data={"game": game, "seats": plan, "name": "Ana", "words": "fortuna ñ 🎲"})
    path: str = opened.json()["path"]
    if watched:
        page.goto(path)
        expect(page.locator("[data-version]")).to_be_visible()
    random = Random(game)
    for number in range(500):
        update = page.request.get(f"/api{path.replace('/r/', '/rooms/')}").json()
        if not update["legal"]:
            assert not update["room"]["playing"]
            return path
        (seat, legal), *_ = update["legal"].items()
        most = max(move.count(",") for move in legal)
        move = random.choice([move for move in legal if move.count(",") == most])
        command = {"id": str(number), "type": "move", "seat": int(seat), "version": update["version"], "move": move}
        answer = page.request.post(f"/api{path.replace('/r/', '/rooms/')}/commands", data=command)
        assert answer.ok, answer.text()
    raise AssertionError("the game does not end")


def slider(page: Page) -> Any:
    return page.get_by_label("Moment of the game")


@pytest.mark.parametrize("game", one_every_day(GAMES, 0))
def test_a_replay(arrive: Arrive, game: str) -> None:
    page = arrive()
    path = finished(page, game)
    page.goto(f"{path}/games/1?step=3")
    expect(slider(page)).to_have_value("3")
    access.check(page)
    moves = page.get_by_role("list", name="Moves").get_by_role("button")
    end = moves.count() - 1
    slider(page).focus()
    list_keys(page, "One step back")
    page.keyboard.press("ArrowRight")
    expect(slider(page)).to_have_value("4")
    page.keyboard.press("End")
    expect(slider(page)).to_have_value(str(end))
    expect(page.get_by_role("button", name="To the end")).to_be_disabled()
    page.keyboard.press("Home")
    expect(moves.first).to_have_attribute("aria-current", "step")
    moves.nth(7).click()
    expect(slider(page)).to_have_value("7")
    page.wait_for_url("**?step=7")
    page.reload()
    expect(slider(page)).to_have_value("7")
    page.get_by_role("link", name="Try moves").click()
    expect(page.get_by_role("button", name="Take back")).to_be_visible()
    expect(page.get_by_role("heading", level=1)).to_contain_text("Ana")
    list_keys(page, "Enter")
    page.get_by_role("link", name="Back to the game").click()
    expect(slider(page)).to_have_value("7")


def test_a_replay_plays_by_itself_on_a_phone(arrive: Arrive) -> None:
    page = arrive(screen="phone", scheme="dark")
    page.goto(f"{finished(page, 'callisto')}/games/1")
    access.check(page)
    page.get_by_role("button", name="Play", exact=True).tap()
    expect(slider(page)).to_have_value("2")
    page.get_by_role("button", name="Pause").tap()


def test_tiles_that_lie_face_down_are_shown_on_request(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"{finished(page, 'isis-osiris')}/games/1?step=60")
    down = page.get_by_role("grid").get_by_label(re.compile("face down"))
    expect(down).not_to_have_count(0)
    page.get_by_label("Show what had to be remembered").check()
    expect(down).to_have_count(0)


@pytest.mark.parametrize("game", one_every_day(["isis-osiris", "knister"], 1))
def test_every_outcome_is_checked_as_the_program_does(arrive: Arrive, game: str) -> None:
    page = arrive()
    path = finished(page, game, watched=True)
    record = page.request.get(f"/api{path.replace('/r/', '/rooms/')}/games/1/record").json()
    verdict = verify(loads(json.dumps(record)))
    page.goto(f"{path}/games/1")
    check = page.get_by_role("button", name="Check every outcome")
    expect(page.locator("main")).not_to_contain_text(re.compile(r"\bevery roll\b", re.IGNORECASE))  # a tile is no roll
    check.click()
    expect(page.locator("[data-verdict=late]")).to_contain_text("it came when the game had begun")
    page.get_by_text("The proof").click()
    expect(page.locator(".check ol li")).to_have_count(verdict.rolls)

    events = record["events"]
    at, *later = [number for number, event in enumerate(events) if event.startswith("~")][5:]
    other = next(number for number in later if events[number] != events[at])
    events[at], events[other] = events[other], events[at]
    with pytest.raises(InvalidRecord, match="fairness") as told:
        verify(loads(json.dumps(record)))

    def forged(route: Route) -> None:
        route.fulfill(json=record)

    page.context.route("**/games/1/record", forged)
    page.reload()
    check.click()
    expect(page.locator("[data-verdict=wrong]")).to_contain_text(f"event {at + 1} says")
    assert str(told.value).split("fairness: ")[1] in page.locator("[data-verdict]").inner_text()


def test_a_browser_that_did_not_see_the_promise_says_so(arrive: Arrive) -> None:
    page = arrive(language="es")
    page.goto(f"{finished(page, 'knister', seats=1)}/games/1")
    page.get_by_role("button", name="Comprobar").click()
    verdict = page.locator("[data-verdict=unseen]")
    expect(verdict).to_contain_text("no vio la promesa")
    expect(verdict).not_to_have_class(re.compile("good|bad"))
    access.check(page)


def play_out(page: Page, path: str, most: int = 500) -> None:
    """Plays on to the end, or so many moves, with hands on the server alone."""
    room = f"/api{path.replace('/r/', '/rooms/')}"
    for _ in range(most):
        update = page.request.get(room).json()
        if not update["legal"]:
            return
        (seat, legal), *_ = update["legal"].items()
        version = update["version"]
        move = Random(version).choice(legal)
        command = {"type": "move", "id": f"v{version}", "seat": int(seat), "version": version, "move": move}
        assert page.request.post(f"{room}/commands", data=command).ok


def played(arrive: Arrive, game: str = "knister") -> tuple[Page, str]:
    """Somebody whose page seals and opens by itself plays to the end, alone; returns the page and the room's path."""
    page = arrive("/")
    setup = {"game": game, "seats": [{"kind": "me"}] * (1 if game == "knister" else 2), "name": "Ana"}
    path = page.request.post("/api/rooms", data=setup | {"seals": True}).json()["path"]
    page.goto(path)
    expect(page.get_by_role("grid").first).to_be_visible()
    play_out(page, path)
    expect(page.get_by_role("link", name="Replay").first).to_be_visible()
    return page, path


def test_a_lying_server_is_found_out_whatever_it_lies_about(arrive: Arrive) -> None:
    """Records that are each true in themselves, with another secret, other words, other seals; and one roll changed.

    The page has sealed and opened, seen the promise, the call and every roll, and was closed and opened again since.
    """
    page, path = played(arrive)
    true = page.request.get(f"/api{path.replace('/r/', '/rooms/')}/games/1/record").json()
    assert list(true["fair"]["seals"]) == ["0"]
    assert verify(loads(json.dumps(true))).bound == (0,)
    told = {"record": true}
    page.context.route("**/games/1/record", lambda route: route.fulfill(json=told["record"]))
    check = page.get_by_role("button", name="Check every outcome")

    def says(record: dict[str, Any], verdict: str, *, true_in_itself: bool = True) -> str:
        if true_in_itself:
            assert verify(loads(json.dumps(record))).fair
        told["record"] = record
        page.goto(f"{path}/games/1")
        check.click()
        shown = page.locator("[data-verdict]")
        expect(shown).to_have_attribute("data-verdict", verdict)
        return shown.inner_text()

    assert "True: all 25 outcomes" in says(true, "fair")
    expect(page.get_by_text("Seats that took part: 1.")).to_be_visible()
    for forged, verdict in (
        (forge(true, secret="11" * 32), "broken"),
        (forge(true, words={0: "words that nobody said"}), "recalled"),
        (forge(true, openings={0: Opening("22" * 16)}), "recalled"),
        (forge(true, openings={}), "recalled"),
        (forge(true, number=2), "broken"),
        (forge(true, room="33" * 32), "broken"),
        (plainly(true), "broken"),
    ):
        assert "Not true" in says(forged, verdict)
    changed = json.loads(json.dumps(true))
    at = next(number for number, event in enumerate(changed["events"]) if event.startswith("~"))
    changed["events"][at] = "~7" if changed["events"][at] != "~7" else "~8"
    assert f"event {at + 1} says" in says(changed, "wrong", true_in_itself=False)
    access.check(page)

    # A browser that was not there says what it knows and no more; at the table, and in the replay of a shared link.
    other = arrive(f"{path}/games/1")
    other.get_by_role("button", name="Check every outcome").click()
    expect(other.locator("[data-verdict=unseen]")).to_contain_text("did not see the promise")


def test_each_game_of_a_room_is_remembered_for_itself_and_over_reloads(arrive: Arrive) -> None:
    """A second game in the same room, the page reloaded in the middle of it; then the server lies about either."""
    page, path = played(arrive)
    room = f"/api{path.replace('/r/', '/rooms/')}"
    update = page.request.get(room).json()
    assert page.request.post(f"{room}/commands", data={"type": "start", "id": "again"}).ok
    while not update["legal"]:  # until the page has sealed and opened
        update = page.request.get(f"{room}/updates", params={"version": update["version"], "wait": 20}).json()
    play_out(page, path, most=8)
    page.reload()
    expect(page.get_by_role("grid").first).to_be_visible()
    play_out(page, path)
    expect(page.locator("a[href*='/games/2']").first).to_be_visible()
    page.reload()
    expect(page.locator("a[href*='/games/2']").first).to_be_visible()

    true = [page.request.get(f"{room}/games/{number}/record").json() for number in (1, 2)]
    assert all(verify(loads(json.dumps(record))).bound == (0,) for record in true)
    told = {"record": true[1]}
    page.context.route("**/games/*/record", lambda route: route.fulfill(json=told["record"]))
    for number, record, verdict in (
        (1, true[0], "fair"),
        (2, true[1], "fair"),
        (2, true[0], "broken"),
        (1, true[1], "broken"),
        (2, forge(true[1], secret="11" * 32), "broken"),
        (2, forge(true[1], openings={0: Opening("22" * 16)}), "recalled"),
        (2, forge(true[1], words={0: "words that nobody said"}), "recalled"),
    ):
        told["record"] = record
        page.goto(f"{path}/games/{number}")
        page.get_by_role("button", name="Check every outcome").click()
        expect(page.locator("[data-verdict]")).to_have_attribute("data-verdict", verdict)


def test_a_server_that_shows_other_rolls_than_it_records_is_found_out(arrive: Arrive) -> None:
    """The record is the true one: what lied is what came over the socket during the game."""
    page = arrive("/")

    def lie(socket: WebSocketRoute) -> None:
        server = socket.connect_to_server()
        server.on_message(lambda text: socket.send(re.sub(r'"rolled":"(7|6)"', r'"rolled":"5"', str(text))))

    page.route_web_socket("**/socket", lie)
    setup = {"game": "knister", "seats": [{"kind": "me"}], "name": "Ana", "seals": True}
    path = page.request.post("/api/rooms", data=setup).json()["path"]
    page.goto(path)
    expect(page.get_by_role("grid").first).to_be_visible()
    room = f"/api{path.replace('/r/', '/rooms/')}"
    for number in range(25):
        update = page.request.get(room).json()
        move = {"type": "move", "seat": 0, "version": update["version"], "move": update["legal"]["0"][0]}
        assert page.request.post(f"{room}/commands", data={"id": str(number), **move}).ok
        expect(page.locator(f"[data-version='{update['version']}']")).to_have_count(0)
    page.goto(f"{path}/games/1")
    page.get_by_role("button", name="Check every outcome").click()
    expect(page.locator("[data-verdict=altered]")).to_contain_text("but this browser saw 5")


def test_the_promise_at_the_table(arrive: Arrive) -> None:
    """Somebody looks at the promise, adds words to it, plays, and checks that it was kept."""
    page = arrive()
    setup = {"game": "knister", "seats": [{"kind": "me"}], "name": "Ana", "wait": True}
    room = page.request.post("/api/rooms", data=setup).json()["room"]
    page.goto(f"/r/{room}")
    page.get_by_text("Fair chance").click()
    promise = page.locator(".promise code").inner_text()
    assert re.fullmatch("[0-9a-f]{64}", promise)
    page.get_by_label("Your own words").fill("abracadabra")
    page.get_by_role("button", name="Add my words").click()
    expect(page.get_by_role("list", name="Words")).to_contain_text("abracadabra")
    access.check(page)
    page.get_by_role("button", name="Start the game").click()
    expect(page.get_by_role("grid")).to_be_visible()
    for number in range(25):
        update = page.request.get(f"/api/rooms/{room}").json()
        move = {"type": "move", "seat": 0, "version": update["version"], "move": update["legal"]["0"][0]}
        assert page.request.post(f"/api/rooms/{room}/commands", data={"id": str(number), **move}).ok
    expect(page.get_by_role("link", name="Replay").first).to_be_visible()
    check = page.get_by_role("button", name="Check every outcome")
    if not check.is_visible():
        page.get_by_text("Fair chance").click()
    check.click()
    expect(page.locator("[data-verdict=fair]")).to_contain_text("all 25 outcomes")
    page.get_by_text("The proof").click()
    expect(page.locator(".check dl")).to_contain_text(promise)
    expect(page.locator(".check dl")).to_contain_text("abracadabra")


def test_a_review(arrive: Arrive) -> None:
    page = arrive()
    page.goto(f"{finished(page, 'knister', seats=1)}/games/1")
    page.get_by_role("button", name="Review this game").click()
    expect(page.get_by_role("img", name="Expected final points, move by move")).to_be_visible(timeout=120_000)
    worst = page.locator(".worst button").first
    gravity = worst.get_by_role("img", name=re.compile("slip|mistake")).get_attribute("aria-label") or ""
    worst.click()
    expect(page.locator(".decision")).to_contain_text(gravity)
    expect(page.locator(".decision")).to_contain_text(re.compile(r"gives away [\d.]+ points"))
    access.check(page)


def test_a_review_on_a_phone_has_board_and_verdict_on_one_screen(arrive: Arrive) -> None:
    """A tap on a mistake shows it on the board, with what would have been better; the start blames nobody."""
    page = arrive(screen="phone")
    path = finished(page, "callisto")
    best = [{"move": "c8", "value": 0.6, "visits": 9}]
    moves = [
        {
            "event": event,
            "seat": (event + 1) % 2,
            "move": move,
            "value": 0.1,
            "lost": lost,
            "best": best,
            "exact": False,
        }
        for event, move, lost in ((1, "d9", 0.0), (2, "n8", 0.05), (3, "e5", 0.15), (4, "m5", 0.5))
    ]
    curve = [{"event": event, "chances": [0.5, 0.5], "points": []} for event in range(5)]
    told = {"type": "review", "room": "r", "number": 1, "game": "callisto", "player": "champion", "measure": "chance"}
    review = told | {"seats": [0, 1], "moves": moves, "curve": curve, "lost": {"0": 0.15, "1": 0.55}}
    page.context.route("**/games/1/review", lambda route: route.fulfill(json=review))
    for screen in ("tiny", "phone", "landscape"):
        page.set_viewport_size(SCREENS[screen]["viewport"])
        page.goto(f"{path}/games/1?review")
        expect(page.get_by_role("region", name="This move")).to_contain_text("The start")
        expect(page.locator("path.hint")).to_have_count(0)
        worst = page.locator(".worst button")
        signs = worst.locator(".sign").all_inner_texts()
        assert signs == ["??", "?", "?!"], "three classes, and no percentages"
        expect(page.locator(".worst")).not_to_contain_text("%")
        worst.first.tap()
        expect(slider(page)).to_have_value("4")
        expect(page.locator("path.hint:not(.under)")).to_have_count(1)
        verdict = page.locator(".decision .verdict")
        expect(verdict).to_contain_text("A bad mistake")
        assert not hidden(page, "section.table [role=grid], .controls button", 6)
        verdict.scroll_into_view_if_needed()
        assert not hidden(page, "section.table [role=grid], .controls button, .decision .verdict", 7)
        assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


def test_all_sheets_of_a_replay_are_in_sight(arrive: Arrive) -> None:
    page = arrive(screen="phone")
    page.goto(f"{finished(page, 'knister', seats=3)}/games/1?step=20")
    sheets = page.get_by_role("list", name="The first sheets").get_by_role("listitem")
    expect(sheets).to_have_count(3)
    assert not hidden(page, "[aria-label='The first sheets'] > li", 3)
    page.get_by_role("button", name="To the end").tap()
    expect(page.get_by_text("Round 20")).to_have_count(0)
    box = sheets.first.bounding_box()
    assert box
    assert box["width"] > 140, "where no dice lie any more, the sheets have their room"
    assert not hidden(page, "[aria-label='The first sheets'] > li", 3)
