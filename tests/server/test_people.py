"""People without accounts: a cookie, what it stands for, taking it home, removing it; and the daily game over HTTP."""

import asyncio
import base64
import datetime
import hashlib
import json
import secrets
import ssl
import threading
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from server.clocks import FakeClock
from server.serving import Server, serving
from server.spies import desk
from sobremesa.games.knister import GAME as KNISTER
from sobremesa.games.knister.server.daily import Daily
from sobremesa.server.people import COOKIE
from sobremesa.server.rating import START
from sobremesa.table import loads, verify

Json = dict[str, Any]
CELLS = [f"{column}{row}" for row in "12345" for column in "abcde"]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("people")
    with serving(f"sqlite:///{folder / 'people.db'}", folder, "--no-limits") as server:
        yield server
        assert "Traceback" not in server.log


Browser = Callable[[], httpx.Client]


@pytest.fixture
def browser(server: Server) -> Iterator[Browser]:
    """Makes browsers that have never been here."""
    with ExitStack() as closing:

        def fresh() -> httpx.Client:
            plain = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
            return closing.enter_context(httpx.Client(base_url=server.address, timeout=40, verify=plain))

        yield fresh


def ask(somebody: httpx.Client, method: str, path: str, body: Json | None = None) -> Any:
    answer = somebody.request(method, path, json=body)
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


def open_room(somebody: httpx.Client, game: str, *seats: str, **setup: Any) -> str:
    plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
    return str(ask(somebody, "POST", "/api/rooms", {"game": game, "seats": plans} | setup)["room"])


def do(somebody: httpx.Client, room: str, type: str, **fields: Any) -> None:
    ask(somebody, "POST", f"/api/rooms/{room}/commands", {"type": type, "id": secrets.token_hex(6)} | fields)


def play_out(room: str, *people: httpx.Client, seed: int = 1) -> None:
    """Plays the running game to its end at random."""
    random = Random(seed)
    known = [0] * len(people)
    while True:
        for number, somebody in enumerate(people):
            update = ask(somebody, "GET", f"/api/rooms/{room}/updates?version={known[number]}&wait=0.2")
            known[number] = update["version"]
            if not update["room"]["playing"]:
                return
            for seat, moves in update["legal"].items():
                do(somebody, room, "move", seat=int(seat), move=random.choice(moves), version=update["version"])


def me(somebody: httpx.Client) -> Json:
    told: Json = ask(somebody, "GET", "/api/me")
    return told


def statistics(somebody: httpx.Client, games: int, rated: bool = True) -> Json:
    """What is known of somebody, once so many games of theirs are counted: that is done after the last move."""
    deadline = time.monotonic() + 60
    while True:
        told: Json = me(somebody)["statistics"]
        found = told["games"] if not rated else [game["rating"] for game in told["games"] if game["rating"]]
        if sum(game["games"] for game in found) == games:
            return told
        assert time.monotonic() < deadline, told
        time.sleep(0.05)


def test_a_new_person_gets_a_cookie_that_scripts_cannot_read(browser: Browser) -> None:
    ana = browser()
    answer = ana.get("/api/me")
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"{COOKIE}=")
    for flag in ("HttpOnly", "SameSite=lax", "Path=/"):
        assert flag in cookie
    assert answer.json() == {"statistics": {"name": "", "games": [], "levels": [], "last": []}, "rooms": []}
    assert "set-cookie" not in ana.get("/api/me").headers, "and keeps it"


def test_a_name_games_results_and_ratings(browser: Browser) -> None:
    ana, bob = browser(), browser()
    assert ask(ana, "PUT", "/api/me", {"name": "Ana María"})["statistics"]["name"] == "Ana María"
    assert ana.put("/api/me", json={"name": "x" * 61}).status_code == 422
    assert ana.put("/api/me", json={"name": " "}).status_code == 422
    room = open_room(ana, "knister", "me", "open", name="Ana", rated=True, clock=600)
    do(bob, room, "sit", name="Bob")
    assert [listed["id"] for listed in me(bob)["rooms"]] == [room], "to go on with"
    play_out(room, ana, bob)
    record = loads(ana.get(f"/api/rooms/{room}/games/1/record").text)
    assert record.result is not None
    scores, places = record.result.scores, record.result.places
    for seat, somebody in enumerate((ana, bob)):
        told = statistics(somebody, 1)
        [game] = told["games"]
        assert (game["game"], game["games"], game["best"], game["mean"]) == ("knister", 1, scores[seat], scores[seat])
        assert game["wins"] == (places[seat] == 1)
        [last] = told["last"]
        assert (last["room"], last["number"], last["seats"]) == (room, 1, 2)
        assert (last["score"], last["place"]) == (scores[seat], places[seat])
    hers, his = (statistics(somebody, 1)["games"][0]["rating"] for somebody in (ana, bob))
    assert hers["deviation"] < 250, "more is known than before"
    assert hers["provisional"]
    if places[0] != places[1]:
        winner, loser = (hers, his) if places[0] == 1 else (his, hers)
        assert winner["rating"] > START > loser["rating"]

    do(ana, room, "start")
    do(bob, room, "start")
    play_out(room, ana, bob, seed=2)
    again = statistics(ana, 2)
    assert again["name"] == "Ana María"
    assert again["games"][0]["games"] == 2
    assert again["games"][0]["rating"]["rating"] != hers["rating"]
    assert [played["number"] for played in again["last"]] == [2, 1]


def test_games_for_fun_give_no_rating_and_provisional_ones_are_in_no_ranking(browser: Browser) -> None:
    ana, bob = browser(), browser()
    ask(ana, "PUT", "/api/me", {"name": "Ana of the board"})
    for setup in ({}, {"rated": True, "clock": 600}):
        room = open_room(ana, "callisto", "me", "open", options={"edition": "pocket"}, **setup)
        do(bob, room, "sit", name="Bob")
        play_out(room, ana, bob)
    assert statistics(ana, 1)["games"][0]["games"] == 2, "one of them is rated"
    assert ask(bob, "GET", "/api/leaderboard/callisto")["rows"] == []
    assert bob.get("/api/leaderboard/chess").status_code == 422


def test_taking_everything_home(browser: Browser) -> None:
    ana, bob = browser(), browser()
    ask(ana, "PUT", "/api/me", {"name": "Ana"})
    room = open_room(
        ana, "knister", "me", "open", name="Ana at the table", words="palabras de Ana", rated=True, clock=600
    )
    do(bob, room, "sit", name="Bob Bobson")
    do(ana, room, "say", text="hola a todos")
    do(bob, room, "say", text="hoi allemaal")
    play_out(room, ana, bob)
    statistics(ana, 1)
    daily = ask(ana, "GET", "/api/daily")
    ask(ana, "POST", "/api/daily", {"name": "Ana", "date": daily["date"], "round": 0, "cell": "c3"})
    export = ask(ana, "GET", "/api/me/export")
    assert [row["name"] for row in export["people"]] == ["Ana"]
    assert [row["id"] for row in export["rooms"]] == [room]
    assert [(row["room"], row["seat"]) for row in export["results"]] == [(room, 0)]
    assert [(row["game"], row["games"]) for row in export["ratings"]] == [("knister", 1)]
    assert [row["cells"] for row in export["daily_sheets"]] == ["c3"]
    kinds = [row["kind"] for row in export["events"]]
    assert kinds.count("moved") == 25
    assert {"created", "seated", "words", "said"} <= set(kinds)
    text = json.dumps(export, ensure_ascii=False)
    for hers in ("Ana at the table", "palabras de Ana", "hola a todos"):
        assert hers in text
    for not_hers in ("Bob Bobson", "hoi allemaal", ana.cookies[COOKIE], "secret"):
        assert not_hers not in text


def test_removing_everything(browser: Browser) -> None:
    ana, bob = browser(), browser()
    ask(ana, "PUT", "/api/me", {"name": "Ana"})
    room = open_room(ana, "knister", "me", "open", name="Ana at the table")
    do(bob, room, "sit", name="Bob")
    do(ana, room, "say", text="my address is ...")
    play_out(room, ana, bob)
    statistics(ana, 1, rated=False)
    token = ana.cookies[COOKIE]
    answer = ana.delete("/api/me")
    assert answer.status_code == 204
    assert COOKIE not in ana.cookies, "the cookie goes, too"
    assert me(ana) == {"statistics": {"name": "", "games": [], "levels": [], "last": []}, "rooms": []}
    assert ana.cookies[COOKIE] != token, "and is somebody new"

    old = browser()
    old.cookies.set(COOKIE, token)
    assert me(old)["statistics"] == {"name": "", "games": [], "levels": [], "last": []}, "it finds nothing"
    assert not any(ask(old, "GET", "/api/me/export").values())

    theirs = bob.get(f"/api/rooms/{room}/updates?version=0&wait=0").text
    assert "Ana at the table" not in theirs
    assert "my address" not in theirs
    record = loads(bob.get(f"/api/rooms/{room}/games/1/record").text)
    assert record.names[1] == "Bob"
    assert "Ana" not in record.names[0]
    assert verify(record).final.over, "Bob's game is still there, and true"
    assert statistics(bob, 1, rated=False)["last"][0]["seats"] == 2


def test_who_removes_everything_in_the_middle_of_a_game_leaves_the_seat(browser: Browser) -> None:
    ana, bob = browser(), browser()
    room = open_room(ana, "callisto", "me", "open", name="Ana", options={"edition": "pocket"})
    do(bob, room, "sit", name="Bob")
    ask(ana, "DELETE", "/api/me")
    seats = ask(bob, "GET", f"/api/rooms/{room}")["room"]["seats"]
    assert seats["0"]["kind"] == "gone"
    assert seats["1"]["yours"]
    do(bob, room, "engine", seat=0, player="random")
    play_out(room, bob)
    assert ask(bob, "GET", f"/api/rooms/{room}")["room"]["number"] == 1


def person_of(somebody: httpx.Client) -> str:
    """The id that stands for somebody inside the server."""
    raw = base64.urlsafe_b64decode(somebody.cookies[COOKIE].strip('"').partition(".")[0])
    return hashlib.sha256(b"person" + raw).hexdigest()[:32]


def traces(folder: Path, words: Iterable[str]) -> set[str]:
    """Which of the words are anywhere in the files of a database, in rows or in what is left of rows."""
    files = sorted(folder.glob("*.db*"))
    assert files
    found = b"\n".join(file.read_bytes() for file in files)
    written = {word: {word.encode(), json.dumps(word)[1:-1].encode(), word.encode("utf-16-le")} for word in words}
    return {word for word, ways in written.items() if any(way in found for way in ways)}


def test_nothing_of_who_was_removed_is_in_the_file(tmp_path: Path) -> None:
    """A host with somebody else on the same screen, words, talk, phrases, a finished game and a running one."""
    ana, bob = (httpx.Client(timeout=40, verify=False) for _ in range(2))
    hers = ["Ximena Quispe", "Grandma Rosa", "Rosita", "suerte y alegría", "para la próxima", "my address is here"]
    commands = [f"ximena-{number}" for number in range(20)]
    his = ["Bob Bobson", "veel geluk", "hoi allemaal"]
    with serving(f"sqlite:///{tmp_path / 'people.db'}", tmp_path, "--no-limits") as server, ana, bob:
        for somebody in (ana, bob):
            somebody.base_url = httpx.URL(server.address)
            me(somebody)
        keys = iter(commands)

        def she(room: str, type: str, **fields: Any) -> None:
            ask(ana, "POST", f"/api/rooms/{room}/commands", {"type": type, "id": next(keys)} | fields)

        person, token = person_of(ana), ana.cookies[COOKIE]
        ask(ana, "PUT", "/api/me", {"name": hers[0]})
        seats = [{"kind": "me"}, {"kind": "me", "name": hers[1]}, {"kind": "open", "player": hers[2]}]
        setup = {"game": "knister", "seats": seats, "name": hers[0], "words": hers[3], "public": True}
        room = ask(ana, "POST", "/api/rooms", setup)["room"]
        she(room, "say", text=hers[5])
        she(room, "phrase", phrase="one moment")
        do(bob, room, "sit", name=his[0], words=his[1])
        do(bob, room, "say", text=his[2])
        she(room, "ready")
        do(bob, room, "ready")
        play_out(room, ana, bob)
        she(room, "entropy", seat=0, words=hers[4])
        running = open_room(bob, "isis-osiris", "me", "open", name=his[0])
        she(running, "sit", name=hers[0], words=hers[3])
        daily = ask(ana, "GET", "/api/daily")
        ask(ana, "POST", "/api/daily", {"name": hers[0], "date": daily["date"], "round": 0, "cell": "c3"})
        statistics(ana, 2, rated=False)  # she sits in two seats
        used = commands[: commands.index(next(keys))]
        assert traces(tmp_path, [*hers, *used, person, "one moment"]) == {*hers, *used, person, "one moment"}

        with bob.stream("GET", f"/api/rooms/{room}/updates?wait=0&version=0") as looking:
            assert hers[0] in looking.read().decode()
        assert ana.delete("/api/me").status_code == 204
        gone = [*hers, *used, person, token.strip('"').partition(".")[0], "one moment"]
        assert traces(tmp_path, gone) == set(), "at once, while the server runs"
        for path in (f"/api/rooms/{room}", f"/api/rooms/{running}", "/api/rooms", "/api/me"):
            told = bob.get(path).text
            assert not [word for word in gone if word in told], path
        assert all(word in bob.get(f"/api/rooms/{room}").text for word in (his[0], his[2]))

        written = bob.get(f"/api/rooms/{room}/games/1/record").text
        assert not [word for word in gone if word in written]
        digest = hashlib.sha256(hers[3].encode()).hexdigest()
        assert json.loads(written)["fair"]["words"] == {
            "0": {"sha256": digest},
            "1": {"sha256": digest},
            "2": his[1],
        }
        assert verify(loads(written)).fair is True
        told = ask(bob, "GET", f"/api/rooms/{room}/games/1/replay")
        assert told["promise"]["words"] == {"0": {"sha256": digest}, "1": {"sha256": digest}, "2": his[1]}
        update = ask(bob, "GET", f"/api/rooms/{running}")
        assert update["room"]["promises"][0]["words"] == {"1": {"sha256": digest}}
        do(bob, running, "move", seat=0, move=update["legal"]["0"][0], version=update["version"])
        assert ask(bob, "GET", f"/api/rooms/{running}")["steps"][0]["seat"] in (0, None)
        assert server.stop() == 0
        assert traces(tmp_path, gone) == set()
        assert traces(tmp_path, his) == set(his)
        assert server.log.count("Traceback") == 0
        assert not [word for word in gone if word in server.log]


@pytest.mark.parametrize(
    "spoil",
    [
        lambda token: token[:-1] + ("A" if token[-1] != "A" else "B"),
        lambda token: ("A" if token[0] != "A" else "B") + token[1:],
        lambda token: token[:-4],
        lambda token: token.partition(".")[0],
        lambda token: token + "A",
        lambda token: "",
        lambda token: "x" * 5000,
        lambda token: token.swapcase(),
    ],
)
def test_a_cookie_that_was_tampered_with_is_a_new_person(spoil: Callable[[str], str], browser: Browser) -> None:
    ana, eve = browser(), browser()
    ask(ana, "PUT", "/api/me", {"name": "Ana"})
    answer = eve.get("/api/me", headers={"Cookie": f"{COOKIE}={spoil(ana.cookies[COOKIE])}"})
    assert answer.status_code == 200
    assert answer.json()["statistics"]["name"] == ""
    assert eve.cookies[COOKIE] != ana.cookies[COOKIE]
    same = browser().get("/api/me", headers={"Cookie": f"{COOKIE}={ana.cookies[COOKIE]}"})
    assert same.json()["statistics"]["name"] == "Ana", "while the true one works in any browser"


# -- the daily game ---------------------------------------------------------------------------------------------------


class Bridge(httpx.BaseTransport):
    """To an application in an event loop of this process."""

    def __init__(self, app: FastAPI, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = httpx.ASGITransport(app)
        self._loop = loop

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        return asyncio.run_coroutine_threadsafe(self._answer(request), self._loop).result(40)

    async def _answer(self, request: httpx.Request) -> httpx.Response:
        asked = httpx.Request(request.method, request.url, headers=request.headers, content=request.read())
        answer = await self._transport.handle_async_request(asked)
        raw = b"".join([part async for part in answer.aiter_raw()])
        return httpx.Response(answer.status_code, headers=answer.headers, content=raw)


@pytest.fixture
def clock() -> FakeClock:
    """Noon of a day."""
    return FakeClock(datetime.datetime(2026, 2, 28, 12, tzinfo=datetime.UTC).timestamp())


@pytest.fixture
def one_day(tmp_path: Path, clock: FakeClock) -> Iterator[Browser]:
    """Browsers at a server on which midnight does not come."""
    loop = asyncio.new_event_loop()
    thread = threading.Thread(target=loop.run_forever)
    thread.start()
    here = desk(tmp_path)
    try:
        opened = asyncio.run_coroutine_threadsafe(here.__aenter__(), loop).result(40)
        house = opened.house
        house.parts[KNISTER.id] = Daily(house.store, house.pool, clock)
        yield lambda: httpx.Client(transport=Bridge(opened.app, loop), base_url="http://here")
        asyncio.run_coroutine_threadsafe(here.__aexit__(None, None, None), loop).result(40)
    finally:
        loop.call_soon_threadsafe(loop.stop)
        thread.join()
        loop.close()


def test_a_whole_day_over_http(one_day: Browser, clock: FakeClock) -> None:
    ana, bob, eve = one_day(), one_day(), one_day()
    today = ask(ana, "GET", "/api/daily")
    assert (today["round"], today["sheet"], today["finished"]) == (0, [0] * 25, False)
    assert len(today["commitment"]) == len(today["tomorrow"]) == 64
    date = today["date"]
    assert ana.get(f"/api/daily/{date}/review").json()["reason"] == "early"
    assert ana.get(f"/api/daily/{date}/proof").json()["reason"] == "early"

    points: dict[str, int] = {}
    rolls: dict[str, list[int]] = {}
    for name, somebody, order in (("Ana", ana, CELLS), ("Bob", bob, CELLS[::-1])):
        status = ask(somebody, "GET", "/api/daily")
        rolls[name] = []
        for number, cell in enumerate(order):
            rolls[name].append(status["roll"])
            body = {"name": name, "date": date, "round": number, "cell": cell}
            status = ask(somebody, "POST", "/api/daily", body)
            assert status == ask(somebody, "POST", "/api/daily", body), "sent twice, written once"
        assert (status["finished"], status["roll"], status["round"]) == (True, None, 25)
        points[name] = status["points"]
    assert rolls["Ana"] == rolls["Bob"], "the same rolls for everybody"
    assert set(rolls["Ana"]) <= set(range(2, 13))

    for number, cell in ((0, "e5"), (24, "a1")):
        answer = ana.post("/api/daily", json={"name": "Ana", "date": date, "round": number, "cell": cell})
        assert (answer.status_code, answer.json()["reason"]) == (409, "stale"), "one try"

    ranking = ask(eve, "GET", f"/api/daily/{date}/ranking")
    assert (ranking["finished"], ranking["finished_for_fun"], ranking["rows"]) == (0, 2, []), "both are new here today"
    best = sorted(points.values(), reverse=True)
    assert [(row["points"], row["yours"]) for row in ranking["for_fun"]] == [(score, False) for score in best]
    assert {row["name"]: row["points"] for row in ranking["for_fun"]} == points
    mine = ask(ana, "GET", f"/api/daily/{date}/ranking")["for_fun"]
    assert [row["name"] for row in mine if row["yours"]] == ["Ana"]
    for somebody in (ana, eve):
        assert somebody.get(f"/api/daily/{date}/review").json()["reason"] == "early", "while others are still to play"

    clock.turn()
    review = ask(ana, "GET", f"/api/daily/{date}/review")
    assert [line["roll"] for line in review["rounds"]] == rolls["Ana"]
    assert [line["cell"] for line in review["rounds"]] == CELLS
    assert (review["points"], review["commitment"]) == (points["Ana"], today["commitment"])
    assert sorted(line["engine_cell"] for line in review["rounds"]) == sorted(CELLS)
    assert review["engine_points"] == review["rounds"][-1]["engine_points"]
    assert ask(bob, "GET", f"/api/daily/{date}/review")["engine_points"] == review["engine_points"]
    assert ask(eve, "GET", f"/api/daily/{date}/review")["points"] == 0
    late = {"name": "Eve", "date": date, "round": 0, "cell": "a1"}
    assert eve.post("/api/daily", json=late).json()["reason"] == "late"
    assert ask(eve, "POST", "/api/daily", late | {"late": True})["league"] == "late"
    (day,) = ask(eve, "GET", "/api/daily/archive")["days"]
    assert (day["date"], day["best"], day["round"]) == (date, None, 1)


@pytest.mark.parametrize(
    ("wrong", "reason"),
    [
        ({"cell": "z9"}, "malformed"),
        ({"cell": 7}, "malformed"),
        ({"round": 3}, "stale"),
        ({"round": -1}, "malformed"),
        ({"name": ""}, "malformed"),
        ({"date": "2020-01-01"}, "late"),
        ({"roll": 12}, "malformed"),
    ],
)
def test_numbers_that_cannot_be_written(wrong: Json, reason: str, one_day: Browser) -> None:
    ana = one_day()
    right = {"name": "Ana", "date": ask(ana, "GET", "/api/daily")["date"], "round": 0, "cell": "a1"}
    assert ana.post("/api/daily", json=right | wrong).json()["reason"] == reason
    assert ask(ana, "GET", "/api/daily")["round"] == 0


@pytest.mark.parametrize(
    ("date", "reason"), [("2099-01-01", "early"), ("2020-01-01", "unknown"), ("yesterday", "malformed")]
)
def test_days_that_have_no_proof(date: str, reason: str, browser: Browser) -> None:
    assert browser().get(f"/api/daily/{date}/proof").json()["reason"] == reason
