"""Why a move is not possible, told while the tile still hovers; and nothing is done by asking."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from random import Random
from typing import Any

import pytest

from server.spies import Desk, Person, Story, desk, store_log
from sobremesa.rooms import messages as m

Json = dict[str, Any]
ANA, BOB, EVE = (Person(number) for number in (1, 2, 3))


def story(game: str, *moves: str, **options: Any) -> Story:
    """Ana and Bob play these moves."""
    told = Story(Random(1), [ANA, BOB], game=game, options=options)
    for move in moves:
        assert told.room.sitting is not None
        seat = next(iter(told.room.sitting.state.deciding))
        made = m.Move(type="move", id=told.id, seat=seat, version=told.room.version, move=move)
        told.do(made, (ANA, BOB)[seat])
    return told


@asynccontextmanager
async def room(folder: Path, told: Story) -> AsyncIterator[Desk]:
    async with desk(folder) as here:
        await store_log(here.house, "story", told.log)
        yield here


async def check(here: Desk, person: Person, seat: int, move: str, language: str = "en") -> tuple[int, Json]:
    """The answer by HTTP; on a socket it is the same, word for word."""
    headers = {"Authorization": f"Bearer {person.token}", "Accept-Language": language}
    question = {"type": "check", "id": "q", "seat": seat, "move": move}
    answer = await here.http.post("/api/rooms/story/commands", json=question, headers=headers)
    told: Json = answer.json()
    async with here.socket("story", person.token) as socket:
        socket.say(type="join", language=language)
        await socket.hear()
        socket.say(**question)
        version = (await here.house.room("story")).room.version
        said = json.loads(await socket.hear())
        assert said == (told | {"id": "q", "version": version} if said["type"] == "refused" else told)
    return answer.status_code, told


PILLARS = ("h1", "h16", "i1", "i16")


@pytest.mark.parametrize(
    ("told", "person", "seat", "move", "rule", "says"),
    [
        (story("callisto"), ANA, 0, "h8", "C4", "centre"),
        (story("callisto"), ANA, 0, "h1,h2", "C2", "your first and second turn"),
        (story("callisto"), BOB, 1, "h1", "C1", "not your turn"),
        (story("callisto", *PILLARS), ANA, 0, "h1,h2", "C3", "taken"),
        (story("callisto", *PILLARS), ANA, 0, "a8,a9", "C3", "touches nothing of yours"),
        (story("callisto", *PILLARS), ANA, 0, "h2,h3,h4,h5", None, "no tile has the shape"),
        (story("callisto"), ANA, 0, "z9", None, "not on this board"),
        (story("isis-osiris", "Sc3"), BOB, 1, "Sc3", "I2", "taken"),
        (story("isis-osiris"), ANA, 0, "Tc3", "I2", "turn a tile over"),
        (story("knister"), ANA, 0, "f1", None, "not on this board"),
    ],
)
def test_why_not(
    told: Story, person: Person, seat: int, move: str, rule: str | None, says: str, tmp_path: Path
) -> None:
    async def go() -> None:
        async with room(tmp_path, told) as here:
            status, answer = await check(here, person, seat, move)
            assert (answer["type"], answer["id"]) == ("checked", "q")
            assert (status, answer["legal"], answer["rule"]) == (200, False, rule)
            assert says in answer["text"]
            assert (await here.house.room("story")).room.version == len(told.log)

    asyncio.run(go())


def test_every_legal_move_is_possible_and_asking_makes_none(tmp_path: Path) -> None:
    told = story("callisto", *PILLARS, edition="classic")

    async def go() -> None:
        async with room(tmp_path, told) as here:
            sitting = (await here.house.room("story")).room.sitting
            assert sitting is not None
            before = sitting.state
            headers = {"Authorization": f"Bearer {ANA.token}"}
            for move in before.legal_moves():
                question = {"type": "check", "id": "q", "seat": 0, "move": str(move)}
                answer = await here.http.post("/api/rooms/story/commands", json=question, headers=headers)
                expected = {"type": "checked", "id": "q", "legal": True, "text": None, "rule": None, "after": None}
                assert answer.json() == expected
            assert sitting.state == before
            assert (await here.house.store.read_log("story"))[-1].version == len(told.log)

    asyncio.run(go())


def test_it_is_told_in_the_language_asked_for(tmp_path: Path) -> None:
    async def go() -> None:
        async with room(tmp_path, story("callisto", *PILLARS)) as here:
            said = {code: (await check(here, ANA, 0, "a8,a9", code))[1]["text"] for code in ("en", "es", "fr", "nl")}
            assert said["en"] == "C3: the tile touches nothing of yours"
            assert len(set(said.values())) == 4

    asyncio.run(go())


def test_only_for_ones_own_seat_in_a_running_game(tmp_path: Path) -> None:
    async def go() -> None:
        async with room(tmp_path, story("isis-osiris")) as here:
            for person, seat, reason in ((BOB, 0, "forbidden"), (EVE, 1, "forbidden"), (ANA, 7, "malformed")):
                status, answer = await check(here, person, seat, "Sc3")
                assert (status >= 400, answer["reason"]) == (True, reason)
        ended = story("knister")
        ended.play_out()
        (tmp_path / "later").mkdir()
        async with room(tmp_path / "later", ended) as here:
            assert (await check(here, ANA, 0, "c3"))[1]["reason"] == "early"

    asyncio.run(go())


def test_a_computer_is_hurried_by_people_at_the_table_only(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    async def body() -> None:
        async with room(tmp_path, story("callisto")) as here:
            hurried: list[str] = []
            monkeypatch.setattr(here.house.pool, "hurry", hurried.append)
            for person, status, said in ((ANA, 200, "accepted"), (BOB, 200, "accepted"), (EVE, 403, "refused")):
                headers = {"Authorization": f"Bearer {person.token}"}
                question = {"type": "hurry", "id": "h"}
                answer = await here.http.post("/api/rooms/story/commands", json=question, headers=headers)
                assert (answer.status_code, answer.json()["type"]) == (status, said)
                async with here.socket("story", person.token) as socket:
                    socket.say(type="join")
                    await socket.hear()
                    socket.say(**question)
                    assert json.loads(await socket.hear())["type"] == said
            assert hurried == ["story"] * 4
            assert "sobremesa_command_seconds_count 0.0" in here.house.metrics.render()[0].decode(), "it is no command"
            assert (await here.house.room("story")).room.version == len(await here.house.store.read_log("story"))

    asyncio.run(body())
