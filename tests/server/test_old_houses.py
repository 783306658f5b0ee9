"""Databases that older versions made are opened for ever.

``tests/data/houses/0.1.0.sql`` is what version 0.1.0 left behind: finished games of every kind with words and talk, a
second game, a crowd, a game and a round that wait, somebody who was forgotten, a daily sheet. ``0.1.0.json`` is what
that version itself told of it before it was stopped.
"""

import asyncio
import functools
import json
import sqlite3
from collections.abc import Callable, Coroutine
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, text
from sqlalchemy.ext.asyncio import AsyncEngine

from server.spies import desk
from sobremesa.rooms.room import Room
from sobremesa.server.database import metadata, open_engine
from sobremesa.server.migrate import HEAD, migrate, revision
from sobremesa.server.storage import Store
from sobremesa.table import loads, verify

pytest_plugins = ["server.postgres"]
HOUSES = Path(__file__).parents[1] / "data" / "houses"
KNOWN: dict[str, Any] = json.loads((HOUSES / "0.1.0.json").read_text())


def in_a_loop(test: Callable[..., Coroutine[Any, Any, None]]) -> Callable[..., None]:
    @functools.wraps(test)
    def run(**fixtures: Any) -> None:
        asyncio.run(test(**fixtures))

    return run


def restore(file: Path) -> None:
    with sqlite3.connect(file) as house:
        house.executescript((HOUSES / "0.1.0.sql").read_text())


async def restore_in_postgresql(url: str, copy: Path) -> None:
    """The same rows in a PostgreSQL database at the revision of 0.1.0."""
    restore(copy)
    engine = open_engine(url)
    async with engine.connect() as connection:
        await connection.run_sync(_at_revision, "0002")
        await connection.commit()
    with sqlite3.connect(copy) as house:
        house.row_factory = sqlite3.Row
        async with engine.begin() as connection:
            for table in metadata.sorted_tables:
                known = {row["name"] for row in house.execute(f"PRAGMA table_info({table.name})")}
                columns = [column for column in table.c if column.name in known]
                if not known:
                    continue
                rows = [dict(row) for row in house.execute(f"SELECT * FROM {table.name}")]
                typed = [
                    {c.name: bool(row[c.name]) if c.type.python_type is bool else row[c.name] for c in columns}
                    for row in rows
                ]
                names = ", ".join(f'"{column.name}"' for column in columns)
                values = ", ".join(f":{column.name}" for column in columns)
                if typed:
                    await connection.execute(text(f"INSERT INTO {table.name} ({names}) VALUES ({values})"), typed)
    await engine.dispose()


def _at_revision(connection: Connection, revision: str) -> None:
    from alembic.command import upgrade
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", "sobremesa.server:migrations")
    config.attributes["connection"] = connection
    upgrade(config, revision)


async def logs_read_back(engine: AsyncEngine, store: Store) -> None:
    assert await revision(engine) == "0002"
    await migrate(engine)
    assert await revision(engine) == HEAD
    for name, id in KNOWN["rooms"].items():
        log = await store.read_log(id)
        room = Room.replay(id, log)
        assert room.version == KNOWN["versions"][name]
        assert '"id"' not in "".join(entry.event.model_dump_json() for entry in log)
    moves = await store.read_log(KNOWN["rooms"]["waiting"])
    (key,) = [entry.command for entry in moves if entry.event.kind == "moved"]
    assert key is not None, "the idempotency key is a column now"
    assert await store.find_command(KNOWN["rooms"]["waiting"], moves[0].person, key) == moves[-1].version


@in_a_loop
async def test_a_database_of_0_1_0_is_migrated(tmp_path: Path) -> None:
    restore(tmp_path / "house.db")
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    await logs_read_back(store.engine, store)
    await store.close()


@in_a_loop
async def test_a_database_of_0_1_0_is_migrated_in_postgresql(tmp_path: Path, postgres_url: str) -> None:
    await restore_in_postgresql(postgres_url, tmp_path / "copy.db")
    store = Store(postgres_url)
    await logs_read_back(store.engine, store)
    await store.close()


@in_a_loop
async def test_two_commands_with_one_key_are_no_obstacle(tmp_path: Path) -> None:
    """Version 0.1.0 forgot keys after a while, and could do a command twice that had come again much later."""
    restore(tmp_path / "house.db")
    with sqlite3.connect(tmp_path / "house.db") as house:
        twice = "UPDATE events SET data = json_set(data, '$.id', 'same') WHERE json_extract(data, '$.id') IS NOT NULL"
        house.execute(twice)
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    await migrate(store.engine)
    log = await store.read_log(KNOWN["rooms"]["callisto"])
    assert [entry.command for entry in log if entry.person is not None].count("same") == 1
    await store.close()


@in_a_loop
async def test_games_of_0_1_0_go_on_and_their_records_are_the_same(tmp_path: Path) -> None:
    restore(tmp_path / "house.db")
    async with desk(tmp_path) as here:
        here.house.tokens = type(here.house.tokens)(await here.house.store.key("guestbook", b""))
        ana = {"authorization": f"Bearer {KNOWN['tokens']['ana']}"}
        for name, record in KNOWN["records"].items():
            room, number = name.split()
            answer = await here.http.get(f"/api/rooms/{room}/games/{number}/record", headers=ana)
            assert json.loads(answer.text) == record
            assert verify(loads(answer.text)).fair in (True, None)
            assert (await here.http.get(f"/api/rooms/{room}/games/{number}/replay", headers=ana)).status_code == 200
        room = KNOWN["rooms"]["running"]
        update = (await here.http.get(f"/api/rooms/{room}", headers=ana)).json()
        assert [line["kind"] for line in update["talk"]] == ["seated", "seated", "begun", "said"]
        assert update["room"]["promises"][0]["words"] == {"1": "zwei"}
        assert update["steps"][0]["seat"] == 0
        bo = {"authorization": f"Bearer {KNOWN['tokens']['bo']}"}
        command = {"type": "move", "id": "new", "seat": 1, "version": update["version"], "move": "T"}
        answer = await here.http.post(f"/api/rooms/{room}/commands", json=command, headers=bo)
        assert answer.json() == {"type": "accepted", "id": "new", "version": update["version"] + 1}
        mine = (await here.http.get("/api/me", headers=ana)).json()
        ratings = [(each.pop("rating"), was.pop("rating")) for each, was in zip(*games_of(mine), strict=True)]
        assert games_of(mine)[0] == games_of(mine)[1]
        assert [now is None for now, _ in ratings] == [before is None for _, before in ratings]
        for now, before in ((now, before) for now, before in ratings if now):
            assert now["rating"] == round(1500 + 30 * (before["mu"] - 25)), "the same, on a scale that people know"
            assert (now["deviation"], now["games"]) == (round(30 * before["sigma"]), before["games"])
            assert now["provisional"]


def games_of(mine: dict[str, Any]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What is told of somebody's games now, and what version 0.1.0 told."""
    return mine["statistics"]["games"], KNOWN["me"]["games"]


@in_a_loop
async def test_what_0_1_0_forgot_to_forget_goes_with_the_migration(tmp_path: Path) -> None:
    """It left the names of who shared the host's screen, words that were added to chance, and keys of commands."""
    restore(tmp_path / "house.db")
    with sqlite3.connect(tmp_path / "house.db") as house:
        forget = "UPDATE events SET person = NULL WHERE room = ? AND kind IN ('created', 'words', 'said', 'seated')"
        # Where no computer sits the player's name is any text.
        plan = "UPDATE events SET data = json_set(data, '$.seats[1].player', 'Uncle Otto') WHERE kind = 'created'"
        house.execute(plan + " AND room = ?", (KNOWN["rooms"]["rosa"],))
        for name in ("rosa", "knister"):
            house.execute(forget, (KNOWN["rooms"][name],))
    store = Store(f"sqlite:///{tmp_path / 'house.db'}")
    await migrate(store.engine)
    dump = "\n".join(sqlite3.connect(tmp_path / "house.db").iterdump())
    opened = (await store.read_log(KNOWN["rooms"]["rosa"]))[0].event
    assert "Grandma Rosa" not in opened.model_dump_json()
    assert "Uncle Otto" not in dump
    assert opened == opened.anonymous(), "as it is forgotten today"
    room = Room.replay("knister", await store.read_log(KNOWN["rooms"]["knister"]))
    record = room.record()
    assert record is not None
    assert verify(record).fair, "the rolls follow from what is left"
    assert "suerte" not in record.dumps()
    assert '"words":"suerte"' not in dump
    await store.close()


@in_a_loop
async def test_what_is_forgotten_now_leaves_nothing(tmp_path: Path) -> None:
    restore(tmp_path / "house.db")
    async with desk(tmp_path) as here:
        here.house.tokens = type(here.house.tokens)(await here.house.store.key("guestbook", b""))
        bo = {"authorization": f"Bearer {KNOWN['tokens']['bo']}"}
        assert (await here.http.delete("/api/me", headers=bo)).status_code == 204
    dump = "\n".join(sqlite3.connect(tmp_path / "house.db").iterdump())
    for trace in ("Grandma Rosa", "your turn, Bo said", "zwei", "'Bo'", '"Bo"'):
        assert trace not in dump
