"""Who comes in: tokens that end, further devices, names that the server goes by, and what only operators see."""

import asyncio
import json
import re
import socket
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.clocks import FakeClock
from server.serving import run_command, serving
from server.spies import Desk, Person, desk
from sobremesa.rooms.errors import Refusal
from sobremesa.server.client import Guest
from sobremesa.server.guestbook import PAIRING_SECONDS, TOKENS_KNOWN_SECONDS, Guestbook
from sobremesa.server.migrate import migrate
from sobremesa.server.people import COOKIE, HOST_COOKIE
from sobremesa.server.security import allowed_host
from sobremesa.server.settings import Settings
from sobremesa.server.storage import Store

Json = dict[str, Any]
TABLE = {"game": "callisto", "seats": [{"kind": "me"}, {"kind": "open"}]}


def browser(here: Desk, **options: Any) -> httpx.AsyncClient:
    """Somebody with a place for cookies."""
    options.setdefault("base_url", "http://here")
    return httpx.AsyncClient(transport=httpx.ASGITransport(here.app, raise_app_exceptions=False), **options)


async def rooms_of(somebody: httpx.AsyncClient) -> list[str]:
    return [room["id"] for room in (await somebody.get("/api/me")).json()["rooms"]]


# -- tokens -----------------------------------------------------------------------------------------------------------


def test_a_new_token_ends_the_old_one(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here, browser(here) as ana, browser(here) as thief:
            room = (await ana.post("/api/rooms", json=TABLE)).json()["room"]
            stolen = ana.cookies[COOKIE]
            thief.cookies.set(COOKIE, stolen)
            assert await rooms_of(thief) == [room]
            async with here.socket(room, stolen) as talking:
                talking.say(type="join")
                await talking.hear()
                assert (await ana.post("/api/me/renew", json={})).status_code == 204
                assert ana.cookies[COOKIE] != stolen
                assert await rooms_of(ana) == [room], "the same person"
                talking.say(type="say", id="x", text="still here?")
                assert json.loads(await talking.hear())["type"] == "goodbye", "who was there with it has to go"
            talk = (await ana.get(f"/api/rooms/{room}")).json()["talk"]
            assert [line["kind"] for line in talk] == ["seated"], "it said nothing"
            thief.cookies.clear()
            thief.cookies.set(COOKIE, stolen)
            assert await rooms_of(thief) == [], "and it opens nothing any more"

    asyncio.run(main())


def test_a_second_device_and_signing_all_others_out(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here, browser(here) as phone, browser(here) as tablet, browser(here) as other:
            room = (await phone.post("/api/rooms", json=TABLE)).json()["room"]
            device = (await phone.post("/api/me/devices")).json()
            assert device["qr"].startswith("data:image/svg+xml")
            path, _, code = device["path"].partition("#device=")
            assert path == "/me", "what is secret stays behind the #, which no server is told"
            assert phone.cookies[COOKIE] not in json.dumps(device)
            await tablet.get("/api/me")
            assert (await tablet.post("/api/me/devices/claim", json={"code": code})).status_code == 204
            assert await rooms_of(tablet) == [room]
            assert tablet.cookies[COOKIE] != phone.cookies[COOKIE], "each with a token of its own"
            again = await other.post("/api/me/devices/claim", json={"code": code})
            assert (again.status_code, again.json()["reason"]) == (409, "late"), "a code is good once"
            say = {"type": "say", "id": "both", "text": "it is me"}
            first = await phone.post(f"/api/rooms/{room}/commands", json=say)
            second = await tablet.post(f"/api/rooms/{room}/commands", json=say)
            assert first.json() == second.json(), "one person: the same command is done once"
            assert (await tablet.post("/api/me/renew", json={"everywhere": True})).status_code == 204
            assert await rooms_of(tablet) == [room]
            assert await rooms_of(phone) == [], "the phone is signed out"

    asyncio.run(main())


def test_deletion_ends_every_token(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here, browser(here) as phone, browser(here) as tablet:
            await phone.get("/api/me")
            code = (await phone.post("/api/me/devices")).json()["path"].partition("=")[2]
            await tablet.post("/api/me/devices/claim", json={"code": code})
            left_over = (await phone.post("/api/me/devices")).json()["path"].partition("=")[2]
            old = [phone.cookies[COOKIE], tablet.cookies[COOKIE]]
            await tablet.put("/api/me", json={"name": "Ana"})
            assert (await phone.delete("/api/me")).status_code == 204
            for token in old:
                answer = await here.http.get("/api/me", headers={"Cookie": f"{COOKIE}={token}"})
                assert answer.json()["statistics"]["name"] == ""
                fresh = answer.headers["Set-Cookie"].partition(";")[0]
                assert token not in fresh, "who comes with it is somebody new"
            assert (await tablet.post("/api/me/devices/claim", json={"code": left_over})).status_code == 409

    asyncio.run(main())


def test_what_another_process_has_ended_is_ended_here_soon(tmp_path: Path) -> None:
    async def main() -> None:
        clock = FakeClock()
        stores = [Store(f"sqlite:///{tmp_path / 'house.db'}") for _ in range(2)]
        await migrate(stores[0].engine)
        here, there = (Guestbook(store, clock) for store in stores)
        assert await here.person(None) is None
        assert await here.person("mark") == "mark"
        await there.end("mark")
        assert await there.person("mark") is None
        assert await here.person("mark") == "mark"
        await clock.advance(TOKENS_KNOWN_SECONDS)
        assert await here.person("mark") is None
        await here.add("second", "ana")
        assert await there.person("second") == "ana"
        code = await here.make_code("ana")
        newer = await here.make_code("ana")
        with pytest.raises(Refusal, match="used up"):
            await there.take_code(code)
        await clock.advance(PAIRING_SECONDS + 1)
        with pytest.raises(Refusal, match="too old"):
            await there.take_code(newer)
        for store in stores:
            await store.close()

    asyncio.run(main())


def test_nothing_in_the_database_is_a_token_or_a_code(tmp_path: Path) -> None:
    async def main() -> tuple[str, str, str]:
        async with desk(tmp_path) as here, browser(here) as ana:
            await ana.get("/api/me")
            code = (await ana.post("/api/me/devices")).json()["path"].partition("=")[2]
            token = ana.cookies[COOKIE]
            await ana.delete("/api/me")
            person = here.house.tokens.person(token)
            assert person is not None
            return token, code, person

    token, code, person = asyncio.run(main())
    stored = b"".join(path.read_bytes() for path in tmp_path.glob("house.db*"))
    for secret in (token, token.partition(".")[0], code, person):
        assert secret.encode() not in stored


def test_the_cookie_under_https_belongs_to_this_host_alone(tmp_path: Path) -> None:
    async def main() -> None:
        secure = {"base_url": "https://play.example"}
        async with desk(tmp_path, secure=True, hosts=("play.example",)) as here, browser(here, **secure) as ana:
            answer = await ana.get("/api/me")
            cookie = answer.headers["Set-Cookie"]
            assert cookie.startswith(f"{HOST_COOKIE}=")
            assert re.search("; path=/(;|$)", cookie, re.IGNORECASE)
            assert "; secure" in cookie.lower()
            assert "domain" not in cookie.lower()
            old = Person(7).token
            async with browser(here, **secure) as returning:
                moved = await returning.get("/api/me", headers={"Cookie": f"{COOKIE}={old}"})
                names = [line.partition("=")[0] for line in moved.headers.get_list("Set-Cookie")]
                assert names == [HOST_COOKIE, COOKIE], "who has the old one gets the new one for it"
                assert old in moved.headers.get_list("Set-Cookie")[0]
                planted = await returning.get("/api/me", headers={"Cookie": f"{HOST_COOKIE}={old}; {COOKIE}=planted"})
                assert "Set-Cookie" not in planted.headers, "and then the old name counts for nothing"

    asyncio.run(main())


# -- names ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("host", "allowed"),
    [
        ("127.0.0.1:8765", True),
        ("[::1]:8765", True),
        ("192.168.1.20", True),
        ("localhost:8765", True),
        ("table.localhost", True),
        ("raspberry", True),
        ("raspberry.local:8765", True),
        ("play.example", True),
        ("PLAY.example:443", True),
        ("friend.example", True),
        ("evil.example", False),
        ("evil.example:8765", False),
        ("127.0.0.1.evil.example", False),
        ("play.example.evil.example", False),
        ("local.evil.example", False),
        ("evil.example.", False),
        ("[", False),
        ("", False),
    ],
)
def test_names_that_the_server_goes_by(host: str, allowed: bool) -> None:
    settings = Settings("sqlite:///x", hosts=("play.example",), origins=("https://friend.example",))
    assert allowed_host({"host": host}, settings) is allowed


def test_a_page_whose_name_was_pointed_at_us_reaches_nothing(tmp_path: Path) -> None:
    """DNS rebinding: to the browser it is one origin, so only the name that it asks for tells."""

    async def main(address: str) -> None:
        rebound = {"Host": "evil.example:8765", "Origin": "http://evil.example:8765"}
        async with httpx.AsyncClient(base_url=address) as http:
            for path in ("/", "/api/me", "/api/rooms", "/metrics", "/readyz"):
                answer = await http.get(path, headers=rebound)
                assert answer.status_code == 421
                assert "set-cookie" not in answer.headers
            assert (await http.post("/api/rooms", json=TABLE, headers=rebound)).status_code == 421
            assert (await http.get("/api/me")).status_code == 200
        guest = Guest(address)
        room = await guest.open_room("callisto", ["me", "open"])
        host, _, port = address.removeprefix("http://").partition(":")
        with socket.create_connection((host, int(port)), timeout=20) as raw:
            head = (
                f"GET /api/rooms/{room}/socket HTTP/1.1\r\nHost: evil.example\r\nOrigin: http://evil.example\r\n"
                f"Authorization: Bearer {guest.token}\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n"
                "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n"
            )
            raw.sendall(head.encode())
            assert b" 403 " in raw.recv(200)

    with serving(f"sqlite:///{tmp_path / 'table.db'}", tmp_path) as server:
        asyncio.run(main(server.address))


# -- what only operators see ------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("asked_from", "status"), [("127.0.0.1", 200), ("::1", 200), ("192.0.2.1", 404), ("10.0.0.3", 404), ("x", 404)]
)
def test_figures_are_for_this_machine(asked_from: str, status: int, tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            transport = httpx.ASGITransport(here.app, client=(asked_from, 1))
            async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
                assert (await http.get("/metrics")).status_code == status

    asyncio.run(main())


def test_figures_that_come_by_a_proxy_are_for_nobody(tmp_path: Path) -> None:
    with serving(f"sqlite:///{tmp_path / 'table.db'}", tmp_path) as server:
        assert httpx.get(f"{server.address}/metrics").status_code == 200
        forwarded = {"X-Forwarded-For": "203.0.113.7"}
        assert httpx.get(f"{server.address}/metrics", headers=forwarded).status_code == 404


def test_figures_on_a_port_of_their_own(tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    with serving(f"sqlite:///{tmp_path / 'table.db'}", tmp_path, "--metrics", f"127.0.0.1:{port}") as server:
        assert "sobremesa_rooms 0.0" in httpx.get(f"http://127.0.0.1:{port}/metrics").text
        assert httpx.get(f"{server.address}/metrics").status_code == 404
        assert server.stop() == 0
    wrong = run_command(["serve", "--database", f"sqlite:///{tmp_path / 'table.db'}", "--metrics", "here"], tmp_path)
    assert (wrong.returncode, len(wrong.stderr.splitlines())) == (1, 1)


def test_no_room_is_named_in_the_log(tmp_path: Path) -> None:
    """Whoever has a room's id may come in: a log that is passed around must not be a list of invitations."""

    async def main(address: str) -> str:
        guest = Guest(address)
        room = await guest.open_room("callisto", ["me", "me"])
        async with guest.enter(room) as visit:
            await visit.do("say", text="hello")
        await guest.call("GET", f"/api/rooms/{room}/updates?version=0&wait=0")
        return room

    with serving(f"sqlite:///{tmp_path / 'table.db'}", tmp_path) as server:
        room = asyncio.run(main(server.address))
        server.stop()
    assert "/api/rooms/***/socket" in server.log, "the line is there"
    assert room not in server.log
