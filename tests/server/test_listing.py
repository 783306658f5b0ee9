"""Rooms in a list: who sits there, how the table is set, whose turn it is; and none is opened for it."""

import asyncio
import json
import time
from pathlib import Path
from random import Random
from typing import Any

import pytest
from alembic.command import upgrade
from alembic.config import Config
from sqlalchemy import Connection, text

from server.spies import Desk, Person, Story, desk, store_log
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.server import slices
from sobremesa.server.attendance import Visitor
from sobremesa.server.database import open_engine
from sobremesa.server.migrate import HEAD, migrate, revision
from sobremesa.server.sockets import poll
from sobremesa.server.storage import Batch, Store

Json = dict[str, Any]
ANA, BOB, EVE = (Person(number) for number in (1, 2, 3))
FIRST = next(iter(GAMES))


async def ask(here: Desk, person: Person, method: str, path: str, body: Json | None = None) -> Any:
    answer = await here.http.request(method, path, json=body, headers={"Authorization": f"Bearer {person.token}"})
    assert answer.status_code < 300, answer.text
    return answer.json() if answer.content else None


async def do(here: Desk, person: Person, room: str, **command: Any) -> None:
    await ask(here, person, "POST", f"/api/rooms/{room}/commands", {"id": f"c{time.monotonic_ns()}"} | command)


async def open_room(here: Desk, person: Person, game: str, *seats: str, **setup: Any) -> str:
    plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
    body = {"game": game, "seats": plans, "name": "Ana"} | setup
    return str((await ask(here, person, "POST", "/api/rooms", body))["room"])


async def listed(here: Desk, person: Person, room: str) -> Json:
    """The room as the person's own list has it."""
    rooms = (await ask(here, person, "GET", "/api/me"))["rooms"]
    found: Json = next(row for row in rooms if row["id"] == room)
    return found


def test_names_options_games_and_whose_turn_it_is(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:
            setup = {"options": {"edition": "pocket"}, "games": 2, "public": True}
            room = await open_room(here, ANA, FIRST, "me", "open", **setup)
            told = await listed(here, ANA, room)
            assert told["options"] == {"edition": "pocket", "seats": 2, "starter": 0}
            assert (told["names"], told["number"], told["games"]) == (["Ana", ""], 0, 2)
            assert (told["playing"], told["over"], told["your_turn"]) == (False, False, False)

            await do(here, BOB, room, type="sit", name="Bob")
            for person in (ANA, BOB):
                await do(here, person, room, type="ready")
            mine, his = await listed(here, ANA, room), await listed(here, BOB, room)
            assert (mine["names"], mine["number"], mine["playing"]) == (["Ana", "Bob"], 1, True)
            assert (mine["your_turn"], his["your_turn"]) == (True, False)
            [public] = await ask(here, EVE, "GET", "/api/rooms")
            own = {"your_turn", "deadline", "yours", "others"}
            assert public == {key: value for key, value in mine.items() if key not in own}

            version = (await ask(here, ANA, "GET", f"/api/rooms/{room}"))["version"]
            await do(here, ANA, room, type="move", seat=0, move="a5", version=version)
            assert not (await listed(here, ANA, room))["your_turn"]
            assert (await listed(here, BOB, room))["your_turn"]

    asyncio.run(go())


def test_who_is_called_otherwise_is_so_at_the_tables_too(tmp_path: Path) -> None:
    """In lists, in rooms and in replays; but not where somebody else's name looks like that."""

    async def go() -> None:
        async with desk(tmp_path) as here:
            await ask(here, BOB, "PUT", "/api/me", {"name": "Bob"})
            over, running = [await open_room(here, ANA, FIRST, "me", "open") for _ in range(2)]
            for room in (over, running):
                await do(here, BOB, room, type="sit", name="Bob")
            await do(here, ANA, over, type="resign", seat=0, player="greedy")
            third = await open_room(here, EVE, FIRST, "me", "open", name="Robert")
            await do(here, BOB, third, type="sit", name="Bob")
            assert (await ask(here, BOB, "PUT", "/api/me", {"name": "ROBERT"}))["statistics"]["name"] == "ROBERT"
            for room, names in ((running, ["Ana", "ROBERT"]), (third, ["Robert", "Bob"])):
                assert (await listed(here, BOB, room))["names"] == names
                seats = (await ask(here, EVE, "GET", f"/api/rooms/{room}"))["room"]["seats"]
                assert [seats[seat]["name"] for seat in ("0", "1")] == names
            replay = await ask(here, EVE, "GET", f"/api/rooms/{over}/games/1/replay")
            assert replay["names"] == ["Ana", "ROBERT"]

    asyncio.run(go())


def test_whose_table_it_is_whether_others_are_there_and_how_long_there_is_time(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:

            async def told(person: Person, room: str) -> tuple[bool, bool]:
                row = await listed(here, person, room)
                return row["yours"], row["others"]

            alone = await open_room(here, ANA, FIRST, "me", "greedy")
            assert (await listed(here, ANA, alone))["deadline"] is None
            assert await told(ANA, alone) == (True, False)
            await do(here, ANA, alone, type="leave", seat=0)
            assert await told(ANA, alone) == (False, False)

            room = await open_room(here, ANA, FIRST, "me", "open", clock=259_200)
            assert await told(ANA, room) == (True, True), "somebody is to come"
            await do(here, BOB, room, type="sit", name="Bob")
            row, update = await listed(here, BOB, room), await ask(here, BOB, "GET", f"/api/rooms/{room}")
            assert row["deadline"] == pytest.approx(update["room"]["deadline"])
            assert [await told(person, room) for person in (ANA, BOB)] == [(True, True)] * 2
            await do(here, BOB, room, type="leave", seat=1)
            assert [await told(person, room) for person in (ANA, BOB)] == [(True, False), (False, True)]

            crowd = await open_room(here, ANA, "knister", crowd=True)
            assert await told(ANA, crowd) == (True, True), "its host"

    asyncio.run(go())


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_a_finished_game_is_marked(game: str, tmp_path: Path) -> None:
    story = Story(Random(4), [ANA, BOB], game=game).play_out()

    async def go() -> None:
        async with desk(tmp_path) as here:
            await store_log(here.house, "story", story.log)
            told = await listed(here, ANA, "story")
            assert (told["over"], told["playing"], told["number"], told["your_turn"]) == (True, False, 1, False)
            assert told["options"] == GAMES[game].set_table({"seats": 2})
            assert not here.house.hub.rooms, "no room is opened for a list"

    asyncio.run(go())


def test_in_knister_it_is_everybodys_turn_who_has_not_written(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:
            room = await open_room(here, ANA, "knister", "me", "open")
            await do(here, BOB, room, type="sit", name="Bob")
            version = (await ask(here, ANA, "GET", f"/api/rooms/{room}"))["version"]
            assert [(await listed(here, somebody, room))["your_turn"] for somebody in (ANA, BOB)] == [True, True]
            await do(here, ANA, room, type="move", seat=0, move="c3", version=version)
            assert [(await listed(here, somebody, room))["your_turn"] for somebody in (ANA, BOB)] == [False, True]

    asyncio.run(go())


def test_a_crowd_is_listed_with_twelve_names_and_ones_own_turn_while_it_is_in_memory(tmp_path: Path) -> None:
    people = [Person(number) for number in range(30)]

    async def go() -> None:
        async with desk(tmp_path) as here:
            await store_log(here.house, "story", Story(Random(1), people, game="knister").log)
            told = await listed(here, people[3], "story")
            assert (told["names"], told["options"]["seats"]) == ([f"P{number}" for number in range(12)], 30)
            assert not told["your_turn"], "not known without opening it"
            await here.house.room("story")
            assert (await listed(here, people[3], "story"))["your_turn"]
            assert not any(person.id in json.dumps(told) for person in people)

    asyncio.run(go())


def test_who_leaves_takes_the_name_along_and_who_is_forgotten_leaves_nothing(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:
            room = await open_room(here, ANA, FIRST, "me", "open", "open")
            await do(here, BOB, room, type="sit", name="Roberto")
            await do(here, EVE, room, type="sit", name="Eva")
            await do(here, EVE, room, type="leave", seat=2)
            assert (await listed(here, ANA, room))["names"] == ["Ana", "Roberto", ""]
            await ask(here, BOB, "DELETE", "/api/me")
            assert (await listed(here, ANA, room))["names"] == ["Ana", "", ""]
            async with here.house.store.reading() as connection:
                rows = (await connection.execute(text("SELECT about FROM rooms"))).scalars().all()
            assert "Roberto" not in json.dumps(rows)

    asyncio.run(go())


def test_nobodys_identity_is_in_a_list_or_in_what_is_kept_for_it(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:
            for room in ("one", "two"):
                await store_log(here.house, room, Story(Random(1), [ANA, BOB], game="knister").log)
            async with here.house.store.reading() as connection:
                kept = (await connection.execute(text("SELECT about FROM rooms ORDER BY id"))).scalars().all()
            for person in (ANA, BOB):
                assert person.id not in "".join(kept)
                assert person.id not in json.dumps(await ask(here, person, "GET", "/api/me"))
            one, two = (set(json.loads(row)["turn"]) for row in kept)
            assert len(one) == len(two) == 2

    asyncio.run(go())


def test_who_has_just_been_answered_finds_what_they_did(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By HTTP, too, and however many others are being answered at the same moment."""
    monkeypatch.setattr(slices, "MAX_WAKES", 1)

    async def go() -> None:
        async with desk(tmp_path) as here:
            room = await open_room(here, ANA, FIRST, "me", "open")
            opened = await here.house.room(room)
            for number in range(5):
                command = m.Phrase(type="phrase", id=f"p{number}", phrase="hello")
                version = await opened.actor.do(command, ANA.id)
                for known in (None, version - 1, version - 2):
                    found = json.loads(await poll(here.house, opened, Visitor(ANA.id, "192.0.2.1"), known, 0.01))
                    assert found["version"] == version
                    assert found["talk"][-1]["version"] == version

    asyncio.run(go())


def test_rooms_from_before_lists_told_so_much(tmp_path: Path) -> None:
    """A database of the first revision: its rooms stay, and tell more with the next thing that happens in them."""
    url = f"sqlite:///{tmp_path / 'house.db'}"
    story = Story(Random(1), [ANA, BOB], game="isis-osiris")

    def first_revision(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", "sobremesa.server:migrations")
        config.attributes["connection"] = connection
        upgrade(config, "0001")

    async def before() -> None:
        engine = open_engine(url)
        async with engine.connect() as connection:
            await connection.run_sync(first_revision)
            await connection.commit()
        assert await revision(engine) == "0001"
        row = "'story', 'isis-osiris', NULL, FALSE, TRUE, 2, 0, 1.0, 2.0"
        async with engine.begin() as connection:
            columns = "id, game, host, public, playing, seated, open, created_at, changed_at"
            await connection.execute(text(f"INSERT INTO rooms ({columns}) VALUES ({row})"))
        await engine.dispose()
        store = Store(url)
        await migrate(store.engine)
        assert await revision(store.engine) == HEAD
        await store.close()

    async def after() -> None:
        async with desk(tmp_path) as here:
            await here.house.store.append(Batch("story", story.log))
            told = await listed(here, ANA, "story")
            assert (told["names"], told["number"], told["your_turn"], told["seats_taken"]) == ([], 0, False, 2)
            await do(here, ANA, "story", type="phrase", phrase="hello")
            told = await listed(here, ANA, "story")
            assert (told["names"], told["number"], told["your_turn"]) == (["P0", "P1"], 1, True)

    asyncio.run(before())
    asyncio.run(after())
