"""Why something is not done: every reason is documented, occurs, and says whether another try may help."""

import ast
import asyncio
import json
import re
from collections.abc import Iterator
from pathlib import Path
from types import UnionType
from typing import Any, get_args

import asyncpg  # type: ignore[import-untyped]
import pytest
from sqlalchemy.dialects.postgresql.asyncpg import AsyncAdapt_asyncpg_dbapi
from sqlalchemy.exc import DBAPIError

import sobremesa
from server.spies import Desk, Person, desk
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Reason
from sobremesa.rooms.room import Room
from sobremesa.server.app import STATUS
from sobremesa.server.database import is_away
from sobremesa.server.engine_pool import EnginePool, TooBusy
from sobremesa.server.house import explained
from sobremesa.server.settings import NO_LIMITS, Limits

Json = dict[str, Any]
ANA, BO = Person(1), Person(2)
PAGE = (Path(__file__).parents[2] / "docs" / "server.md").read_text()
ROW = re.compile(r"^\| `(\w+)` \| (\d+) \| .* \| ([^|]+) \|$", re.MULTILINE)


def test_every_reason_is_in_the_table() -> None:
    rows = {reason: (int(status), retry_after) for reason, status, retry_after in ROW.findall(PAGE)}
    assert set(rows) == set(Reason)
    assert len(ROW.findall(PAGE)) == len(Reason)
    for reason, (status, retry_after) in rows.items():
        assert status == STATUS.get(Reason(reason), 409)
        assert (retry_after == "–") == (reason != "busy")


def test_every_command_and_question_is_in_the_prose() -> None:
    listed = re.search(r"^3\. Send commands: (.*?)\. ", PAGE, re.MULTILINE | re.DOTALL)
    asked = re.search(r"^6\. Ask what changes nothing: (.*?)^7\. ", PAGE, re.MULTILINE | re.DOTALL)
    assert listed is not None
    assert asked is not None
    named = re.findall(r"`(\w+)`", listed[1])
    assert sorted(named) == sorted(types_of(m.RoomCommand))
    assert types_of(m.Question) <= set(re.findall(r"`(\w+)`", asked[1]))


def types_of(messages: UnionType) -> set[str]:
    """How the messages of a union call themselves."""
    return {get_args(message.model_fields["type"].annotation)[0] for message in get_args(messages)}


def waits_in(source: str) -> Iterator[float]:
    """The seconds after which a module says that another try may help; names stand for constants of its own."""
    module = ast.parse(source)
    constants = {ast.unparse(node.targets[0]): node.value for node in module.body if isinstance(node, ast.Assign)}
    for node in ast.walk(module):
        if isinstance(node, ast.Call) and ast.unparse(node.func) in ("Refusal", "Overloaded"):
            for given in node.keywords:
                if given.arg == "retry_after":
                    yield float(ast.unparse(constants.get(ast.unparse(given.value), given.value)))


def test_how_long_busy_lasts_is_said_of_every_wait() -> None:
    said = re.search(r"^How long `busy` lasts: (.*?)\n\n", PAGE, re.MULTILINE | re.DOTALL)
    assert said is not None
    documented = {float(seconds) for seconds in re.findall(r"([\d.]+) s\b", said[1])}
    sources = [path.read_text() for path in Path(sobremesa.__file__).parent.rglob("*.py") if "tests" not in path.parts]
    assert {wait for source in sources for wait in waits_in(source)} == documented
    (bounds,) = [wait for reason, _, wait in ROW.findall(PAGE) if reason == "busy"]
    assert bounds == f"{min(documented):g} to {max(documented):g}"


class Asked:
    """A room of Ana's, asked by HTTP and on a socket."""

    def __init__(self, here: Desk, id: str) -> None:
        self.here, self.id = here, id
        self._number = 0

    async def refused(self, type: str, person: Person = ANA, **fields: Any) -> Json:
        """What both ways answer: the same, but that a socket tells the command and the version."""
        self._number += 1
        command = {"type": type, "id": f"r{self._number}"} | fields
        headers = {"Authorization": f"Bearer {person.token}"}
        answer = await self.here.http.post(f"/api/rooms/{self.id}/commands", json=command, headers=headers)
        told: Json = answer.json()
        assert told["type"] == "refused", told
        overloaded = told["reason"] == "busy" and answer.status_code == 503
        assert overloaded or answer.status_code == STATUS.get(told["reason"], 409)
        assert ("Retry-After" in answer.headers) == (told["retry_after"] is not None)
        async with self.here.socket(self.id, person.token) as socket:
            socket.say(type="join")
            await socket.hear()
            socket.say(**command)
            said = json.loads(await socket.hear())
        assert said == told | {"id": command["id"], "version": said["version"]}
        assert isinstance(said["version"], int)
        check(told)
        return told


def check(told: Json) -> None:
    assert (told["retry_after"] is not None) == (told["reason"] == "busy")
    assert (told["rule"] is not None) == (told["reason"] == "illegal")
    assert 5 < len(told["text"]) < 300


async def open_room(here: Desk, game: str, *kinds: str, **setup: Any) -> Asked:
    body = {"game": game, "seats": [{"kind": kind} for kind in kinds]} | setup
    answer = await here.http.post("/api/rooms", json=body, headers={"Authorization": f"Bearer {ANA.token}"})
    assert answer.status_code == 201, answer.text
    return Asked(here, answer.json()["room"])


async def version(room: Asked) -> int:
    return (await room.here.house.room(room.id)).room.version


def test_every_reason_occurs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def main() -> set[str]:
        async with desk(tmp_path) as here:
            told: list[Json] = []
            room = await open_room(here, "callisto", "me", "me")
            now = await version(room)
            told.append(await room.refused("move", seat=0, move="h8", version=now))
            told.append(await room.refused("move", seat=0, move="c8", version=0))
            told.append(await room.refused("move", BO, seat=0, move="c8", version=now))
            told.append(await room.refused("move", seat=0, move="nonsense", version=now))
            told.append(await room.refused("start"))
            told.append(await room.refused("sit", BO, name="Bo", seat=0))
            told.append(await room.refused("sit", BO, name="Bo"))
            waiting = await open_room(here, "knister", "me", "open")
            told.append(await waiting.refused("start"))
            told.append(await waiting.refused("hint", seat=0))
            rated = await open_room(here, "callisto", "me", "open", rated=True, clock=60)
            bo = {"Authorization": f"Bearer {BO.token}"}
            sit = {"type": "sit", "id": "sit", "name": "Bo"}
            await here.http.post(f"/api/rooms/{rated.id}/commands", json=sit, headers=bo)
            told.append(await rated.refused("leave", seat=1))
            headers = {"Authorization": f"Bearer {ANA.token}"}
            answer = await here.http.post(
                "/api/rooms/nowhere/commands", json={"type": "start", "id": "a"}, headers=headers
            )
            told.append(answer.json())
            async with here.socket("nowhere", ANA.token) as socket:
                socket.say(type="join")
                assert json.loads(await socket.hear())["reason"] == "unknown"
                assert json.loads(await socket.hear())["type"] == "goodbye"

            async def too_busy(*_: object, **__: object) -> None:
                raise TooBusy("too many")

            monkeypatch.setattr(EnginePool, "advise", too_busy)
            told.append(await room.refused("hint", seat=0))
            assert told[-1]["retry_after"] == 2

            def broken(*_: object) -> None:
                raise RuntimeError("a mistake of ours")

            monkeypatch.setattr(Room, "handle", broken)
            told.append(await room.refused("start"))
            for one in told:
                check(one)
            return {one["reason"] for one in told}

    reasons = asyncio.run(main())
    assert reasons == set(Reason)


def limited(**limits: Any) -> Limits:
    return Limits(**vars(NO_LIMITS) | limits)


@pytest.mark.parametrize(
    ("limits", "retry_after"),
    [
        (limited(commands=0.001, commands_burst=1), 1),
        (limited(rooms_an_hour=1), 60),
        (limited(requests=0.001, requests_burst=2), 2),
    ],
    ids=["commands", "rooms", "requests"],
)
def test_how_long_one_has_to_wait(limits: Limits, retry_after: float, tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path, limits) as here:
            headers = {"Authorization": f"Bearer {ANA.token}"}
            room = await open_room(here, "knister", "me")
            path, hello = f"/api/rooms/{room.id}/commands", {"type": "phrase", "phrase": "hello"}
            await here.http.post(path, json=hello | {"id": "one"}, headers=headers)
            answer = await here.http.post(path, json=hello | {"id": "two"}, headers=headers)
            if answer.status_code == 200:
                answer = await here.http.post(
                    "/api/rooms", json={"game": "knister", "seats": [{"kind": "me"}]}, headers=headers
                )
            told = answer.json()
            assert (answer.status_code, told["reason"], told["retry_after"]) == (429, "busy", retry_after)
            assert answer.headers["Retry-After"] == str(retry_after)
            check(told)

    asyncio.run(main())


def test_a_socket_that_says_too_much_is_read_again_in_a_moment(tmp_path: Path) -> None:
    async def main() -> None:
        limits = limited(requests=0.001, requests_burst=1)
        async with desk(tmp_path, limits) as here, here.socket("nowhere", ANA.token) as socket:
            socket.say(type="ping")
            socket.say(type="ping")
            assert json.loads(await socket.hear())["type"] == "pong"
            told = json.loads(await socket.hear())
            assert (told["reason"], told["retry_after"]) == ("busy", 0.1)
            check(told)

    asyncio.run(main())


@pytest.mark.parametrize("body", [b" " * 70_000, b"{", b"[]", b'{"type": "dance", "id": "a"}'])
def test_what_is_malformed_has_the_same_form(body: bytes, tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            headers = {"Content-Type": "application/json"}
            told = (await here.http.post("/api/rooms/x/commands", content=body, headers=headers)).json()
            assert set(told) == {"type", "id", "reason", "text", "rule", "version", "retry_after"}
            assert told["reason"] == "malformed"
            check(told)

    asyncio.run(main())


def test_a_database_that_is_away_is_told_from_a_mistake_of_ours() -> None:
    """A connection that ends in the middle of a query comes as an error of no kind in particular."""
    wrap: Any = AsyncAdapt_asyncpg_dbapi.Error
    lost, mistake = (
        DBAPIError("SELECT 1", {}, wrap("...", error("...")))
        for error in (asyncpg.exceptions.ConnectionDoesNotExistError, asyncpg.exceptions.UndefinedTableError)
    )
    assert is_away(lost)
    assert not is_away(mistake)
    assert explained(lost).id == "server.error.the-database-is-away"


def test_who_cannot_join_because_the_database_is_away_is_told_to_come_back(tmp_path: Path) -> None:
    """Not that a command came too early: sent again after a lost answer, it may have been done already."""

    async def main() -> None:
        async with desk(tmp_path) as here, here.socket("somewhere", ANA.token) as socket:

            async def away(*_: object) -> None:
                raise ConnectionRefusedError

            here.house.hub.get = away  # type: ignore[assignment, method-assign]
            socket.say(type="join")
            socket.say(type="phrase", id="again", phrase="hello")
            told = json.loads(await socket.hear())
            assert (told["type"], told["reason"], told["retry_after"]) == ("goodbye", "changed", 1)

    asyncio.run(main())
