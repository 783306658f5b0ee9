"""Migrations make the schema that the code expects, whoever starts first, and cost nothing when all is done."""

import asyncio
import json
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from alembic.autogenerate import compare_metadata
from alembic.command import upgrade
from alembic.config import Config
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import Connection, inspect, text

from server.postgres import new_database, program
from sobremesa.core.errors import SobremesaError
from sobremesa.rooms.events import Entry, Moved, Said, Seated
from sobremesa.server.database import metadata, open_engine
from sobremesa.server.migrate import HEAD, migrate, revision
from sobremesa.server.storage import Batch, Conflict, Store

pytest_plugins = ["server.postgres"]
ROOT = Path(__file__).parents[2]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'table.db'}"
    return str(request.getfixturevalue("postgres_url"))


@pytest.fixture(params=["sqlite", "postgresql"])
def two_urls(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[str, str]:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'one.db'}", f"sqlite:///{tmp_path / 'other.db'}"
    server = request.getfixturevalue("postgres_server")
    return new_database(server), new_database(server)


def differences(connection: Connection) -> list[Any]:
    options = {"compare_type": True, "compare_server_default": True}
    return list(compare_metadata(MigrationContext.configure(connection, opts=options), metadata))


def schema(connection: Connection) -> dict[str, Any]:
    """Everything that the database knows of its tables."""
    known = inspect(connection)
    return {
        table: {
            "columns": [(c["name"], str(c["type"]), c["nullable"], c["default"]) for c in known.get_columns(table)],
            "key": known.get_pk_constraint(table),
            "indexes": sorted(str(sorted(index.items())) for index in known.get_indexes(table)),
            "unique": known.get_unique_constraints(table),
            "checks": known.get_check_constraints(table),
        }
        for table in known.get_table_names()
        if table != "alembic_version"
    }


def test_migrating_makes_the_tables_of_the_code(two_urls: tuple[str, str]) -> None:
    async def go() -> None:
        migrated, created = map(open_engine, two_urls)
        assert await revision(migrated) is None
        await migrate(migrated)
        assert await revision(migrated) == HEAD
        async with migrated.connect() as ours, created.connect() as theirs:
            assert await ours.run_sync(differences) == []
            await theirs.run_sync(metadata.create_all)
            assert await ours.run_sync(schema) == await theirs.run_sync(schema)
        await migrated.dispose()
        await created.dispose()

    asyncio.run(go())


def test_the_newest_revision_is_the_one_that_the_code_expects() -> None:
    config = Config()
    config.set_main_option("script_location", "sobremesa.server:migrations")
    assert ScriptDirectory.from_config(config).get_heads() == [HEAD]


def test_migrating_again_keeps_everything(url: str) -> None:
    async def go() -> None:
        store = Store(url)
        await migrate(store.engine)
        entry = Entry(1, 0.5, Said(name="Ana", text="hello"), "ana", "c1")
        await store.append(Batch("room", [entry]))
        await migrate(store.engine)
        assert await store.read_log("room") == [entry]
        await store.close()

    asyncio.run(go())


def test_keys_that_lay_inside_the_data_become_a_column(url: str) -> None:
    """Logs of older servers read as they were; of two commands with one key, which those did now and then, the first
    one keeps it."""

    def second_revision(connection: Connection) -> None:
        config = Config()
        config.set_main_option("script_location", "sobremesa.server:migrations")
        config.attributes["connection"] = connection
        upgrade(config, "0002")

    rows = [
        ("seated", {"seat": 0, "name": "Ana", "id": "c1"}, "ana"),
        ("seated", {"seat": 1, "name": "Bo \u00e9\u2013", "id": "c1"}, "bo"),
        ("moved", {"seat": 0, "move": "c3", "hidden": True, "id": "c2"}, "ana"),
        ("moved", {"seat": 1, "move": "c3"}, None),
        ("said", {"seat": 1, "name": "Bo", "text": "again", "id": "c1"}, "bo"),
        ("said", {"seat": None, "name": "Ana", "text": '"id": "c9"', "id": "c3"}, "ana"),
    ]

    async def go() -> None:
        store = Store(url)
        async with store.engine.connect() as connection:
            await connection.run_sync(second_revision)
            await connection.commit()
        insert = "INSERT INTO events (room, version, kind, data, at, person) VALUES (:room, :v, :kind, :data, 1.5, :by)"
        async with store.engine.begin() as connection:
            for room in ("one", "two"):
                for version, (kind, data, person) in enumerate(rows, start=1):
                    row = {"room": room, "v": version, "kind": kind, "data": json.dumps(data), "by": person}
                    await connection.execute(text(insert), row)
        await migrate(store.engine)
        for room in ("one", "two"):
            assert await store.read_log(room) == [
                Entry(1, 1.5, Seated(seat=0, name="Ana"), "ana", "c1"),
                Entry(2, 1.5, Seated(seat=1, name="Bo \u00e9\u2013"), "bo", "c1"),
                Entry(3, 1.5, Moved(seat=0, move="c3", hidden=True), "ana", "c2"),
                Entry(4, 1.5, Moved(seat=1, move="c3")),
                Entry(5, 1.5, Said(seat=1, name="Bo", text="again"), "bo"),
                Entry(6, 1.5, Said(name="Ana", text='"id": "c9"'), "ana", "c3"),
            ]
            assert [await store.find_command(room, who, "c1") for who in ("ana", "bo", "eve")] == [1, 2, None]
        async with store.reading() as connection:
            kept = (await connection.execute(text("SELECT data FROM events WHERE kind <> 'said'"))).scalars().all()
        assert not any('"id"' in data for data in kept)
        with pytest.raises(Conflict):
            await store.append(Batch("one", [Entry(7, 2.0, Seated(seat=0, name="Ana"), "ana", "c2")]))
        await store.append(Batch("one", [Entry(7, 2.0, Seated(seat=0, name="Ana"), "eve", "c2")]))
        await store.close()

    asyncio.run(go())


START = """
import asyncio, sys
from sobremesa.server.migrate import migrate
from sobremesa.server.database import open_engine

async def start():
    engine = open_engine(sys.argv[1])
    await migrate(engine)
    await engine.dispose()

"""


def run(program: str, url: str) -> str:
    command = [sys.executable, "-c", START + program, url]
    return subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, timeout=100).stdout.strip()


def test_a_start_with_nothing_to_do_is_quick(tmp_path: Path) -> None:
    """Alembic is not even imported."""
    program = "asyncio.run(start()); print('alembic' in sys.modules); asyncio.run(start())"
    url = f"sqlite:///{tmp_path / 'table.db'}"
    assert [run(program, url), run(program, url)] == ["True", "False"]


def test_many_processes_start_at_once(url: str) -> None:
    program = """
import alembic.command, os

waiting, go = os.pipe()
children = []
for _ in range(4):
    if (child := os.fork()) == 0:
        os.close(go)
        os.read(waiting, 1)
        asyncio.run(start())
        sys.exit()
    children.append(child)
os.close(go)
print([os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children])
"""
    assert run(program, url) == str([0] * 4)

    async def check() -> None:
        engine = open_engine(url)
        assert await revision(engine) == HEAD
        async with engine.connect() as connection:
            assert await connection.run_sync(differences) == []
        await engine.dispose()

    asyncio.run(check())


def test_a_migration_that_fails_leaves_nothing_behind(url: str) -> None:
    async def go() -> None:
        engine = open_engine(url)
        async with engine.begin() as connection:
            await connection.execute(text("CREATE TABLE ratings (in_the_way INTEGER)"))
        with pytest.raises(Exception, match="already exists"):
            await migrate(engine)
        assert await revision(engine) is None
        async with engine.begin() as connection:
            assert await connection.run_sync(lambda sync: inspect(sync).get_table_names()) == ["ratings"]
            await connection.execute(text("DROP TABLE ratings"))
        await migrate(engine)
        assert await revision(engine) == HEAD
        await engine.dispose()

    asyncio.run(go())


def test_a_database_of_a_newer_program_is_refused_and_unharmed(url: str) -> None:
    async def go() -> None:
        engine = open_engine(url)
        await migrate(engine)
        async with engine.begin() as connection:
            await connection.execute(text("UPDATE alembic_version SET version_num = '9999'"))
        with pytest.raises(SobremesaError, match="newer Sobremesa"):
            await migrate(engine)
        assert await revision(engine) == "9999"
        await engine.dispose()

    asyncio.run(go())


def test_a_file_that_is_no_database_is_left_alone(tmp_path: Path) -> None:
    file = tmp_path / "letter.txt"
    file.write_text("Dear all, " * 1000)

    async def go() -> None:
        engine = open_engine(f"sqlite:///{file}")
        with pytest.raises(Exception, match="not a database"):
            await migrate(engine)
        await engine.dispose()

    asyncio.run(go())
    assert file.read_text() == "Dear all, " * 1000


def test_the_wheel_brings_the_migrations(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    source = ROOT / "src"
    modules = {str(path.relative_to(source)) for path in source.glob("sobremesa/server/migrations/**/*.py")}
    assert len(modules) >= 4
    assert modules <= names


def test_without_postgresql_tests_are_skipped_but_fail_in_ci(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("CI", raising=False)
    with pytest.raises(pytest.skip.Exception, match="PostgreSQL is not installed"):
        program("pg_nothing")
    monkeypatch.setenv("CI", "true")
    with pytest.raises(pytest.fail.Exception, match="PostgreSQL is not installed"):
        program("pg_nothing")
