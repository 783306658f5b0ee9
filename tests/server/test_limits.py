"""How much anybody may ask, and what keeps pages, people and addresses apart."""

import asyncio
import base64
import contextlib
import hmac
import json
import re
import secrets
import socket
import struct
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import httpx
import pytest
from sqlalchemy import update
from starlette.requests import HTTPConnection

from server.clocks import FakeClock, settle
from server.serving import Server, serving
from server.spies import Desk, Person, desk
from sobremesa.games import GAMES
from sobremesa.server import limits as limits_module
from sobremesa.server.database import rooms
from sobremesa.server.limits import ConnectionLimits, TokenBuckets, network_of
from sobremesa.server.people import COOKIE, HOST_COOKIE, PersonTokens
from sobremesa.server.schema import openapi
from sobremesa.server.security import MAX_HEADER_BYTES, allowed_origin
from sobremesa.server.settings import NO_LIMITS, Limits, Settings
from sobremesa.server.sockets import JOIN_WITHIN

ANA, BO = Person(1), Person(2)
KNISTER = {"game": "knister", "seats": [{"kind": "me"}]}
MESSAGE = {"type": "phrase", "phrase": "hello"}


def as_person(person: Person) -> dict[str, str]:
    return {"Authorization": f"Bearer {person.token}"}


async def room_of(here: Desk, person: Person) -> str:
    """A room that somebody has opened."""
    return str((await here.http.post("/api/rooms", json=KNISTER, headers=as_person(person))).json()["room"])


@contextlib.asynccontextmanager
async def client(here: Desk, address: str, **headers: str) -> AsyncIterator[httpx.AsyncClient]:
    """Somebody at an address."""
    transport = httpx.ASGITransport(here.app, raise_app_exceptions=False, client=(address, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://here", headers=headers) as http:
        yield http


# -- rates ------------------------------------------------------------------------------------------------------------


def test_a_rate_is_a_bucket_that_fills_again() -> None:
    now = 0.0
    rate = TokenBuckets(2, 3, clock=lambda: now)
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False]
    assert rate.allows("b"), "each has a bucket of their own"
    now = 0.5
    assert [rate.allows("a") for _ in range(2)] == [True, False]
    now = 1000.0
    assert [rate.allows("a") for _ in range(4)] == [True, True, True, False], "never more than the burst"


def test_a_refusal_costs_nothing_more() -> None:
    now = 0.0
    rate = TokenBuckets(1, 1, clock=lambda: now)
    assert rate.allows("a")
    for _ in range(100):
        assert not rate.allows("a")
    now = 1.0
    assert rate.allows("a"), "whoever waits is let in, however often they knocked"


def test_buckets_are_not_kept_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits_module, "MAX_BUCKETS", 100)
    rate = TokenBuckets(1, 1)
    for number in range(1000):
        rate.allows(f"address {number}")
    assert len(rate._buckets) == 100
    assert not rate.allows("address 999"), "the latest are"


def test_doors_count_who_is_inside() -> None:
    doors = ConnectionLimits(of_person=2, of_network=3)
    with contextlib.ExitStack() as stack:
        assert stack.enter_context(doors.admit("ana", "here"))
        assert stack.enter_context(doors.admit("ana", "there"))
        assert not stack.enter_context(doors.admit("ana", "elsewhere"))
        assert stack.enter_context(doors.admit("bo", "here"))
        assert stack.enter_context(doors.admit("cy", "here"))
        assert not stack.enter_context(doors.admit("di", "here"))
        assert doors.open == 4
    assert doors.open == 0
    with pytest.raises(RuntimeError), doors.admit("ana", "here"):
        raise RuntimeError
    assert doors.open == 0
    assert not doors._people
    assert not doors._networks


@pytest.mark.parametrize(
    ("address", "network"),
    [
        ("192.0.2.7", "192.0.2.7"),
        ("2001:db8:1:2:3:4:5:6", "2001:db8:1:2::/64"),
        ("2001:db8:1:2:ffff::1", "2001:db8:1:2::/64"),
        ("2001:db8:1:3::1", "2001:db8:1:3::/64"),
        ("::ffff:192.0.2.7", "192.0.2.7"),
        ("fe80::1%eth0", "fe80::/64"),
        ("testclient", "testclient"),
        ("?", "?"),
    ],
)
def test_what_counts_as_one_network(address: str, network: str) -> None:
    assert network_of(address) == network


def test_rooms_of_one_network_in_an_hour(tmp_path: Path) -> None:
    """Without a cookie everybody is somebody new; the network is not."""

    async def main() -> None:
        async with desk(tmp_path, few(rooms_of_network_an_hour=3)) as here:
            setup = {"game": "knister", "seats": [{"kind": "engine", "player": "champion"}]}
            answers = [await here.http.post("/api/rooms", json=setup) for _ in range(5)]
            assert [answer.status_code for answer in answers] == [201, 201, 201, 429, 429]
            assert answers[-1].headers["Retry-After"] == "60"

    asyncio.run(main())


def test_a_house_that_is_full_says_so(tmp_path: Path) -> None:
    """Rooms that nobody is in make way; if there are none, it is not the fault of who asks: 503."""

    async def main() -> None:
        async with desk(tmp_path, few(open_rooms=2)) as here:
            setup = {"game": next(iter(GAMES)), "seats": [{"kind": "me"}, {"kind": "open"}]}

            async def ask() -> Any:
                return await here.http.post("/api/rooms", json=setup)

            first = await ask()
            async with here.socket(first.json()["room"], here.house.tokens.new_token()) as socket:
                socket.say(type="join")
                await socket.hear()
                second = await ask()
                third = await ask()
                assert [second.status_code, third.status_code] == [201, 201], "the second has made way"
                assert second.json()["room"] not in here.house.hub.rooms
                async with here.socket(third.json()["room"], here.house.tokens.new_token()) as other:
                    other.say(type="join")
                    await other.hear()
                    full = await ask()
                    assert (full.status_code, full.json()["reason"]) == (503, "busy")
                    assert full.headers["Retry-After"] == "30"
            assert (await here.http.get(f"/api/rooms/{second.json()['room']}")).status_code == 200

    asyncio.run(main())


def test_rooms_that_nobody_played_in_are_removed(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            engine, me = {"kind": "engine", "player": "random"}, {"kind": "me"}

            async def open_room(*seats: Any) -> tuple[str, dict[str, str]]:
                headers = {"Authorization": f"Bearer {here.house.tokens.new_token()}"}
                setup = {"game": next(iter(GAMES)), "seats": seats}
                return (await here.http.post("/api/rooms", json=setup, headers=headers)).json()["room"], headers

            empty, _ = await open_room(engine, engine)
            unplayed, _ = await open_room(me, {"kind": "open"})
            played, headers = await open_room(me, me)
            move = {"type": "move", "id": "m", "seat": 0, "move": "c8", "version": 5}
            answer = await here.http.post(f"/api/rooms/{played}/commands", json=move, headers=headers)
            assert answer.status_code == 200, answer.text
            rooms = [empty, unplayed, played]

            async def left() -> list[bool]:
                return [bool(await here.house.store.read_log(room)) for room in rooms]

            house = here.house
            assert await house.expire_rooms() == 0
            now = house.clock.time()
            for age, there in (
                (86_000, [True] * 3),
                (87_000, [False, True, True]),
                (31 * 86_400, [False, False, True]),
            ):
                house.clock._ahead += now + age - house.clock.time()
                await house.expire_rooms()
                assert await left() == [True] * 3 if age < 86_400 else True, "not while they are open"
                house.hub.evict_idle(0)
                house._expired = {False: 0.0, True: 0.0}
                await house.expire_rooms()
                assert await left() == there
            assert (await here.http.get(f"/api/rooms/{empty}")).status_code == 404

    asyncio.run(main())


@pytest.mark.parametrize("limits", [{"commands": 0.5, "commands_burst": 1}, {"requests": 0.5, "requests_burst": 2}])
def test_how_often_somebody_may_ask_is_a_matter_of_the_house_s_own_time(limits: Any, tmp_path: Path) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with desk(tmp_path, few(**limits), clock=clock) as here:
            room = await room_of(here, ANA)

            async def speak(id: str) -> int:
                body = {"type": "phrase", "id": id, "phrase": "hello"}
                return (
                    await here.http.post(f"/api/rooms/{room}/commands", json=body, headers=as_person(ANA))
                ).status_code

            assert [await speak("one"), await speak("two")] == [200, 429]
            await clock.advance(1.999)
            assert await speak("three") == 429
            await clock.advance(0.001)
            assert await speak("four") == 200

    asyncio.run(main())


def test_rooms_that_nobody_has_touched_for_long_enough_are_let_go(tmp_path: Path) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with desk(tmp_path, clock=clock, idle=20) as here:
            await settle()
            await clock.advance(1)
            room = await room_of(here, ANA)
            await clock.advance(19)
            assert room in here.house.hub.rooms, "the first look comes a second too soon"
            while clock.slept.count(20) < 2:  # what else that look does is done in the database's own thread
                await settle()
            await clock.advance(20)
            assert room not in here.house.hub.rooms

    asyncio.run(main())


def test_who_says_much_and_never_joins_is_sent_away_in_time(tmp_path: Path) -> None:
    async def main() -> None:
        clock = FakeClock()
        async with desk(tmp_path, clock=clock) as here:
            room = await room_of(here, ANA)
            async with here.socket(room, BO.token) as idler, here.socket(room, ANA.token) as guest:
                guest.say(type="join")
                assert json.loads(await guest.hear())["type"] == "update"
                for seconds in (JOIN_WITHIN / 2, JOIN_WITHIN / 2 - 0.1):
                    await clock.advance(seconds)
                    idler.say(type="ping")
                    assert json.loads(await idler.hear())["type"] == "pong"
                await clock.advance(0.1)
                with pytest.raises(EOFError):
                    await idler.hear()
                guest.say(type="ping")
                assert json.loads(await guest.hear())["type"] == "pong", "who has joined may stay"

    asyncio.run(main())


def few(**limits: Any) -> Limits:
    """No limits but these."""
    return Limits(**vars(NO_LIMITS) | limits)


def test_requests_of_one_address(tmp_path: Path) -> None:
    async def main() -> None:
        limits = few(requests=0.001, requests_burst=5)
        async with (
            desk(tmp_path, limits) as here,
            client(here, "192.0.2.1") as http,
            client(here, "192.0.2.2") as other,
        ):
            answers = [await http.get(path) for path in ("/api/games", "/nowhere", "/", "/api/me", "/metrics")]
            assert [answer.status_code for answer in answers] == [200, 404, 200, 200, 404]
            for path in ("/api/games", "/nowhere", "/", "/api/me", "/metrics"):
                refused = await http.get(path)
                assert refused.status_code == 429, path
                assert refused.json()["reason"] == "busy"
                assert int(refused.headers["Retry-After"]) > 0
            assert (await http.get("/healthz")).status_code == 200, "who watches over us may always ask"
            assert (await other.get("/api/games")).status_code == 200

    asyncio.run(main())


def test_messages_of_one_address_count_too(tmp_path: Path) -> None:
    async def main() -> None:
        limits = few(requests=0.001, requests_burst=5)
        async with desk(tmp_path, limits) as here, here.socket("nowhere", ANA.token) as ana:
            for _ in range(7):
                ana.say(type="ping")
            answers = [await ana.hear() for _ in range(7)]
            assert ["pong" in answer for answer in answers] == [True] * 5 + [False] * 2
            assert '"reason":"busy"' in answers[6]

    asyncio.run(main())


def test_commands_of_one_person(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, few(commands=0.001, commands_burst=4)) as here:
            room = (await here.http.post("/api/rooms", json=KNISTER, headers=as_person(ANA))).json()["room"]
            async with here.socket(room, ANA.token) as ana, client(here, "192.0.2.9", **as_person(ANA)) as http:
                ana.say(type="join")
                await ana.hear()
                for number in range(3):
                    ana.say(**MESSAGE, id=f"s{number}")
                    await ana.hear_until(0)  # the answer, and the update after it
                path = f"/api/rooms/{room}/commands"
                assert (await http.post(path, json=MESSAGE | {"id": "h1"})).status_code == 200
                assert (await http.post(path, json=MESSAGE | {"id": "h2"})).status_code == 429, "by whatever way"
                ana.say(**MESSAGE, id="s9")
                while "s9" not in (text := await ana.hear()):
                    pass
                assert '"reason":"busy"' in text
                bo = await http.post(path, json=MESSAGE | {"id": "b"}, headers=as_person(BO))
                assert bo.json()["reason"] == "forbidden", "Bo is no guest here, but has not said too much"

    asyncio.run(main())


def test_rooms_of_one_person_in_an_hour(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, few(rooms_an_hour=3)) as here:

            async def opened(person: Person) -> int:
                return (await here.http.post("/api/rooms", json=KNISTER, headers=as_person(person))).status_code

            assert [await opened(ANA) for _ in range(4)] == [201, 201, 201, 429]
            assert await opened(BO) == 201
            async with here.house.store.writing() as connection:
                await connection.execute(update(rooms).values(created_at=time.time() - 3601))
            assert await opened(ANA) == 201

    asyncio.run(main())


def test_sockets_of_one_person_and_of_one_address(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, few(sockets=2, sockets_of_network=3)) as here:
            async with here.socket("x", ANA.token) as one, here.socket("x", ANA.token) as two:
                assert one.closed is two.closed is None
                async with here.socket("x", ANA.token) as three:
                    assert three.closed == 4429
                async with here.socket("x", BO.token) as other, here.socket("x", Person(3).token) as crowded:
                    assert other.closed is None
                    assert crowded.closed == 4429
            async with here.socket("x", ANA.token) as again:
                assert again.closed is None, "once they are gone there is room again"

    asyncio.run(main())


# -- sizes ------------------------------------------------------------------------------------------------------------


def test_bodies_have_a_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, few(body=1000)) as here:

            async def posted(body: Any) -> httpx.Response:
                return await here.http.post("/api/rooms", content=body, headers={"Content-Type": "application/json"})

            async def pieces(count: int) -> AsyncIterator[bytes]:
                for _ in range(count):
                    yield b" " * 100

            assert (await posted(b" " * 1000)).status_code == 422, "that is not too long, only nonsense"
            assert (await posted(pieces(10))).status_code == 422
            for answer in (await posted(b" " * 1001), await posted(pieces(11)), await posted(pieces(5000))):
                assert answer.status_code == 413
                assert answer.json()["type"] == "refused"
                assert answer.json()["text"] == "the message is too long"
            spanish = await here.http.post("/api/rooms", content=b" " * 1001, headers={"Accept-Language": "es-MX"})
            assert spanish.json()["text"] == "el mensaje es demasiado largo"

    asyncio.run(main())


def test_messages_have_a_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, few(body=1000)) as here, here.socket("x", ANA.token) as ana:
            ana.say(type="ping", more="x" * 1000)
            assert "the message is too long" in await ana.hear()

    asyncio.run(main())


def test_headers_have_a_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            assert (await here.http.get("/api/games", headers={"X": "x" * (MAX_HEADER_BYTES - 500)})).status_code == 200
            for path, headers in (("/api/games", {"X": "x" * MAX_HEADER_BYTES}), (f"/?{'x' * MAX_HEADER_BYTES}", {})):
                answer = await here.http.get(path, headers=headers)
                assert answer.status_code == 431
                assert answer.json()["type"] == "refused"
            async with here.socket("x", ANA.token, ("x", "x" * MAX_HEADER_BYTES)) as ana:
                assert ana.closed == 1009

    asyncio.run(main())


def test_times_have_a_limit(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            room = (await here.http.post("/api/rooms", json=KNISTER)).json()["room"]
            for wait in ("nan", "inf", "-inf", "1e999", "x", "-1", "0"):
                answer = await here.http.get(f"/api/rooms/{room}/updates?wait={wait}")
                assert answer.status_code == (200 if wait in ("-1", "0") else 422), wait

    asyncio.run(main())


# -- people -----------------------------------------------------------------------------------------------------------


def test_a_token_has_enough_chance_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []
    real = secrets.token_bytes

    def spied(count: int) -> bytes:
        asked.append(count)
        return real(count)

    monkeypatch.setattr("sobremesa.server.people.secrets.token_bytes", spied)
    book = PersonTokens(real(32))
    tokens = {book.new_token() for _ in range(200)}
    assert len(tokens) == 200
    assert min(asked) * 8 >= 128
    assert all(len(base64.urlsafe_b64decode(token.partition(".")[0])) * 8 >= 128 for token in tokens)
    assert len({book.person(token) for token in tokens}) == 200


def test_only_our_own_tokens_are_good_to_the_last_letter() -> None:
    book = PersonTokens(bytes(32))
    token = book.new_token()
    person = book.person(token)
    assert person is not None
    assert not any(piece in token for piece in (person, person[:8])), "who knows the id does not know the token"
    assert PersonTokens(bytes([1] * 32)).person(token) is None
    for at in range(len(token)):
        for other in "Aa0-_.=":
            if token[at] != other:
                assert book.person(token[:at] + other + token[at + 1 :]) is None
    for wrong in (None, "", ".", token + "=", token[:-1], " " + token, token + "\n", "é" * 30, "\ud800", "x" * 10**6):
        assert book.person(wrong) is None


def test_tokens_are_compared_in_constant_time(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[tuple[bytes, bytes]] = []
    real = hmac.compare_digest

    def spied(a: Any, b: Any) -> bool:
        compared.append((a, b))
        return real(a, b)

    monkeypatch.setattr("sobremesa.server.people.hmac.compare_digest", spied)
    book = PersonTokens(bytes(32))
    token = book.new_token()
    assert book.person(token) is not None
    wrong = token[:-1] + ("A" if token[-1] != "A" else "B")
    assert book.person(wrong) is None
    assert compared == [(token.encode(), token.encode()), (token.encode(), wrong.encode())]


@pytest.mark.parametrize("secure", [False, True])
def test_the_cookie(tmp_path: Path, secure: bool) -> None:
    async def main() -> None:
        async with desk(tmp_path, secure=secure) as here:
            for path in ("/api/me", "/api/daily"):
                async with client(here, "192.0.2.1") as http:
                    answer = await http.get(path)
                    name, *rest = answer.headers["Set-Cookie"].split("; ")
                    called = HOST_COOKIE if secure else COOKIE
                    assert name.startswith(f"{called}=")
                    assert "domain" not in answer.headers["Set-Cookie"].lower()
                    flags = {flag.partition("=")[0].lower(): flag.partition("=")[2] for flag in rest}
                    assert "httponly" in flags
                    assert flags["samesite"] == "lax"
                    assert flags["path"] == "/"
                    assert ("secure" in flags) is secure
                    assert ("Strict-Transport-Security" in answer.headers) is secure
                    token = name.removeprefix(f"{called}=")
                    again = await http.get(path, headers={"Cookie": f"{called}={token}"})
                    assert "Set-Cookie" not in again.headers, "who is known keeps their token"
                    assert token not in answer.text + again.text
            assert "Set-Cookie" not in (await here.http.get("/api/games")).headers, "nobody is counted without need"

    asyncio.run(main())


def test_no_token_is_ever_in_an_address(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            made = (await here.http.post("/api/rooms", json=KNISTER, headers=as_person(ANA))).json()
            assert ANA.token not in str(made)
            assert made["path"] == f"/r/{made['room']}"
            for name in ("token", COOKIE, "authorization", "key"):
                seats = (await here.http.get(f"/api/rooms/{made['room']}?{name}={ANA.token}")).json()["room"]["seats"]
                assert not seats["0"]["yours"], "and one that is there counts for nothing"

    asyncio.run(main())
    paths: dict[str, dict[str, Any]] = openapi()["paths"]
    asked = [
        parameter["name"] for of in paths.values() for one in of.values() for parameter in one.get("parameters", ())
    ]
    assert asked
    assert not re.search("token|secret|person|key", " ".join([*paths, *asked]))


# -- pages ------------------------------------------------------------------------------------------------------------


async def all_kinds_of_answers(here: Desk) -> AsyncIterator[tuple[int, httpx.Response]]:
    """An answer of every status that there is, and of every kind of content."""
    http = here.http
    room = (await http.post("/api/rooms", json=KNISTER, headers=as_person(ANA))).json()["room"]
    evil = {"Origin": "http://evil.example"}
    yield 201, await http.post("/api/rooms", json=KNISTER)
    for path in (
        "/",
        f"/r/{room}",
        "/api/games",
        "/api/rooms",
        f"/api/rooms/{room}",
        "/api/me",
        "/metrics",
        "/healthz",
    ):
        yield 200, await http.get(path)
    yield 200, await http.get(f"/api/rooms/{room}/qr.svg")
    yield 200, await http.get("/api/openapi.json")
    yield 204, await http.delete("/api/me", headers=as_person(BO))
    yield 307, await http.get("/api/rooms/")
    yield 400, await http.post("/api/rooms", content=b"[" * 30_000, headers={"Content-Type": "application/json"})
    yield 403, await http.post("/api/rooms", json=KNISTER, headers=evil)
    for path in ("/nowhere", "/api/rooms/nowhere", f"/api/rooms/{room}/games/1/record", "/api/rooms/%00", "/..%2f"):
        yield 404, await http.get(path)
    yield 405, await http.patch("/api/rooms")
    yield 409, await http.post(f"/api/rooms/{room}/commands", json={"type": "start", "id": "a"}, headers=as_person(ANA))
    yield 413, await http.post("/api/rooms", content=b" " * 70_000)
    yield 422, await http.post("/api/rooms", json={})
    crowd = {"game": "knister", "seats": [], "crowd": True}
    for options in ({"starter": "x"}, {"nonsense": 1}, {"starter": 10**30}):
        yield 422, await http.post("/api/rooms", json=crowd | {"options": options})
    yield 422, await http.get(f"/api/rooms/{room}/qr.svg", headers={"Host": "x" * 4000})
    halves = b'{"game": "knister", "seats": [{"kind": "me"}], "options": {"\\ud800": "\\udfff"}}'
    yield 422, await http.post("/api/rooms", content=halves, headers={"Content-Type": "application/json"})
    yield 431, await http.get("/api/games", headers={"X": "x" * MAX_HEADER_BYTES})
    here.house.hub.closing = True
    yield 503, await http.get("/readyz")
    here.house.hub.closing = False
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(here.house.requests, "allows", lambda _: False)
        yield 429, await http.get("/api/games")
        yield 429, await http.get("/api/games", headers={"Host": "["})
    for stranger in ("evil.example", "["):
        yield 421, await http.get("/api/games", headers={"Host": stranger})
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(here.house.store, "lobby", _broken)
        yield 500, await http.get("/api/rooms")


async def _broken(*_: object) -> Any:
    raise RuntimeError("the password of the database is xyzzy")


def test_every_answer_has_the_headers_that_keep_pages_apart(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, Limits(requests=1e9, requests_burst=10**9)) as here:
            seen = set()
            async for status, answer in all_kinds_of_answers(here):
                assert answer.status_code == status, answer.text
                seen.add((status, answer.headers.get("content-type", "").partition(";")[0]))
                check_headers(answer)
                if status >= 400 and status != 503:
                    assert answer.json()["type"] == "refused"
                    assert 0 < len(answer.json()["text"]) <= 500
                assert not re.search('Traceback|File \\\\?"|xyzzy|RuntimeError|sqlalchemy|pydantic', answer.text)
            assert len({status for status, _ in seen}) >= 14
            assert {kind for _, kind in seen} >= {"application/json", "text/html", "text/plain", "image/svg+xml"}

    asyncio.run(main())


def check_headers(answer: httpx.Response) -> None:
    headers = answer.headers
    policy = {rule.split()[0]: rule.split()[1:] for rule in headers["Content-Security-Policy"].split("; ")}
    assert policy["default-src"] == ["'self'"]
    assert policy["script-src"] == ["'self'"]
    assert policy["object-src"] == policy["frame-ancestors"] == policy["base-uri"] == ["'none'"]
    assert not {"'unsafe-inline'", "'unsafe-eval'", "*", "http:", "https:"} & {
        v for rule in policy.values() for v in rule
    }
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] in ("same-origin", "no-referrer"), "an invitation is not passed on"
    assert headers["Cross-Origin-Opener-Policy"] == "same-origin"
    assert headers["Cross-Origin-Resource-Policy"] == "same-origin"
    assert headers["Cache-Control"] in ("no-store", "private, no-cache"), "nobody in between keeps an answer"
    assert "Permissions-Policy" in headers
    assert not [name for name in headers if name.lower().startswith("access-control-")]
    assert not {"server", "x-powered-by"} & {name.lower() for name in headers}
    for name in ("Content-Security-Policy", "Cache-Control"):
        assert len(headers.get_list(name)) == 1


def test_the_page_has_no_script_in_it(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            page = (await here.http.get("/")).text
            assert not re.search(r"<script(?![^>]*\bsrc=)|<style|\son\w+=|\sstyle=|javascript:", page, re.IGNORECASE)

    asyncio.run(main())


@pytest.mark.parametrize(
    ("origin", "allowed"),
    [
        (None, True),
        ("https://play.example", True),
        ("http://play.example", False),
        ("https://friend.example", True),
        ("http://friend.example", False),
        ("https://friend.example:444", False),
        ("https://evil.example", False),
        ("https://play.example.evil.example", False),
        ("https://play.example@evil.example", False),
        ("null", False),
        ("", False),
        ("http://[", False),
        ("https://play.example:444", False),
    ],
)
def test_origins(origin: str | None, allowed: bool) -> None:
    headers = {"host": "play.example"} | ({} if origin is None else {"origin": origin})
    raw = [(name.encode(), value.encode()) for name, value in headers.items()]
    for secure, scheme in ((False, "https"), (False, "wss"), (True, "http"), (True, "ws")):
        settings = Settings("sqlite:///x", origins=("https://friend.example",), secure=secure)
        connection = HTTPConnection({"type": "http", "scheme": scheme, "headers": raw})
        assert allowed_origin(connection, settings) is allowed


def test_whatever_breaks_no_client_reads_why(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here, here.socket("x", ANA.token) as ana:
            monkeypatch.setattr(here.house.hub, "get", _broken)
            ana.say(type="join")
            answer = await ana.hear()
            assert '"reason":"broken"' in answer
            assert "xyzzy" not in answer

    asyncio.run(main())


# -- addresses, at a real server --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Behind a proxy on this machine, as it is by default."""
    folder = tmp_path_factory.mktemp("proxied")
    with serving(f"sqlite:///{folder / 'x.db'}", folder) as server:
        yield server
        assert "Traceback" not in server.log


def refused(server: Server, forwarded: str, times: int) -> int:
    """How many of so many quick requests were too many. By ten at a time: quick on a slow machine, too."""
    headers = {"X-Forwarded-For": forwarded} if forwarded else {}

    def asked(count: int) -> int:
        with httpx.Client(base_url=server.address, headers=headers) as http:
            return sum(http.get("/api/games").status_code == 429 for _ in range(count))

    with ThreadPoolExecutor(10) as many:
        return sum(many.map(asked, [len(range(at, times, 10)) for at in range(min(times, 10))]))


def test_a_proxy_of_ours_is_believed(server: Server) -> None:
    assert refused(server, "203.0.113.1", 1000) > 10
    assert refused(server, "203.0.113.2", 20) == 0, "another client of the same proxy"
    assert refused(server, "203.0.113.2, 203.0.113.1", 400) > 0, "what a client wrote itself comes before its address"
    assert refused(server, "", 20) == 0


def test_nobody_else_is_believed(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'x.db'}", tmp_path, "--proxies", "192.0.2.7") as server:
        assert refused(server, "203.0.113.1", 1000) > 10
        assert refused(server, "203.0.113.2", 400) > 0, "these are all the same client, whatever it says"
        assert refused(server, "", 400) > 0


def raw(server: Server, data: bytes) -> bytes:
    host, port = server.address.removeprefix("http://").split(":")
    with socket.create_connection((host, int(port)), timeout=10) as wire:
        with contextlib.suppress(OSError):
            wire.sendall(data)
        answer = b""
        with contextlib.suppress(OSError):
            while part := wire.recv(1 << 16):
                answer += part
    return answer


@pytest.mark.parametrize("size", [20_000, 100_000, 1_000_000])
def test_large_headers_at_a_real_server(server: Server, size: int) -> None:
    head = b"Host: x\r\nX-Forwarded-For: 203.0.113.7\r\nConnection: close\r\n"
    for line in (b"GET /api/games HTTP/1.1", b"GET /api/rooms/x/socket HTTP/1.1\r\nUpgrade: websocket"):
        answer = raw(server, line + b"\r\n" + head + b"X: " + b"x" * size + b"\r\n\r\n")
        assert answer[:12] in (b"HTTP/1.1 431", b"HTTP/1.1 400", b"HTTP/1.1 403", b""), answer[:100]
    assert refused(server, "203.0.113.8", 1) == 0


def test_a_large_body_at_a_real_server(server: Server) -> None:
    head = b"POST /api/rooms HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.9\r\nConnection: close\r\n"
    answer = raw(server, head + b"Content-Length: 999999999999\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")
    chunk = b"%x\r\n%s\r\n" % (60_000, b" " * 60_000)
    answer = raw(server, head + b"Transfer-Encoding: chunked\r\n\r\n" + chunk * 3 + b"0\r\n\r\n")
    assert answer.startswith(b"HTTP/1.1 413")
    assert b"content-security-policy" in answer
    for nonsense in (
        b"\x16\x03\x01" + bytes(300),
        b"GET\r\n\r\n",
        struct.pack("!Q", 7) * 9000,
    ):
        assert raw(server, nonsense)[:12] in (b"HTTP/1.1 400", b"")
    assert refused(server, "203.0.113.10", 1) == 0


def test_a_request_that_tells_two_lengths_is_the_last_one(server: Server) -> None:
    """What a proxy takes for its body must not be the next request here (RFC 9112, 6.1)."""
    head = b"POST /api/rooms HTTP/1.1\r\nHost: x\r\nX-Forwarded-For: 203.0.113.11\r\n"
    hidden = b"GET /healthz HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n"
    both = b"Content-Length: %d\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" % (5 + len(hidden))
    answer = raw(server, head + both + hidden)
    assert answer.startswith(b"HTTP/1.1 400")
    assert b"connection: close" in answer.lower()
    assert answer.count(b"HTTP/1.1") == 1
    one = raw(server, head + b"Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n" + hidden)
    assert one.count(b"HTTP/1.1") == 2, "with one of them there is a next one"
