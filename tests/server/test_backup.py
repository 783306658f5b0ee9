"""Backups are made while everybody plays, and a server starts from them. And: what a host copies from us exists."""

import asyncio
import os
import re
import shutil
import sqlite3
import stat
import subprocess
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager, closing, contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select

from server.postgres import new_database, program
from sobremesa.core.errors import SobremesaError
from sobremesa.rooms import messages as m
from sobremesa.rooms.events import Entry, Promised, Said
from sobremesa.server.backup import backup
from sobremesa.server.database import events, open_engine, promises
from sobremesa.server.house import House
from sobremesa.server.migrate import HEAD, migrate, revision
from sobremesa.server.settings import Settings
from sobremesa.server.storage import Batch, Store

pytest_plugins = ["server.postgres"]
ROOT = Path(__file__).parents[2]
HELLO = Said(name="Ana", text="hello")

WRITER = """
import asyncio, sys
from sobremesa.rooms.events import Entry, Moved, Promised
from sobremesa.server.migrate import migrate
from sobremesa.server.storage import Batch, Store

async def play(store, room):
    version = 0
    while True:
        promised = Promised(number=1, commitment="x" * 200)
        moved = Moved(seat=0, move="c3")
        new = [Entry(version + 1, 0.0, promised, secret=b"secret"), Entry(version + 2, 0.0, moved)]
        await store.append(Batch(room, new))
        version += 2
        print(room, version, flush=True)

async def main():
    store = Store(sys.argv[1])
    await migrate(store.engine)
    await asyncio.gather(*(play(store, f"room{n}") for n in range(20)))

asyncio.run(main())
"""


@contextmanager
def writing(url: str, folder: Path) -> Iterator[Path]:
    """Twenty rooms of another process in which something happens all the time; a file says what was acknowledged."""
    said = folder / "acknowledged"
    with said.open("w") as file:
        process = subprocess.Popen([sys.executable, "-c", WRITER, url], stdout=file)
    try:
        yield said
        assert process.poll() is None, "it is still writing"
    finally:
        process.kill()
        process.wait()


def acknowledged(said: Path) -> dict[str, int]:
    """The version of each room that is known to be on disk."""
    lines = said.read_text().rpartition("\n")[0].splitlines()
    return {room: int(version) for room, version in map(str.split, lines)}


async def wait_for(said: Path, lines: int) -> None:
    async with asyncio.timeout(60):
        while said.read_text().count("\n") < lines:
            await asyncio.sleep(0.02)


async def log_in(url: str) -> tuple[dict[str, list[int]], set[tuple[str, int]]]:
    """The versions of each room, and the promises that there are secrets for."""
    engine = open_engine(url)
    versions: dict[str, list[int]] = {}
    async with engine.connect() as connection:
        for room, version in await connection.execute(select(events.c.room, events.c.version).order_by("version")):
            versions.setdefault(room, []).append(version)
        secrets = {(room, version) for room, version, _ in await connection.execute(select(promises))}
    await engine.dispose()
    return versions, secrets


async def check_copy(url: str, before: dict[str, int]) -> None:
    """The state of one moment: everything up to some version of each room, and not before the copy began."""
    versions, secrets = await log_in(url)
    for room, there in versions.items():
        assert there == list(range(1, len(there) + 1))
        assert len(there) % 2 == 0, "what was written together is there together"
        assert len(there) >= before[room]
    assert versions.keys() == before.keys()
    assert secrets == {(room, n) for room, there in versions.items() for n in there if n % 2}
    store = Store(url)
    assert await revision(store.engine) == HEAD
    await migrate(store.engine)
    await store.append(Batch("room0", [Entry(len(versions["room0"]) + 1, 0.0, HELLO)]))
    await store.close()


class Interrupted:
    """A connection on which every question is followed by something that another process writes."""

    def __init__(self, connection: Any, write: Callable[[], Awaitable[None]]) -> None:
        self._connection = connection
        self._write = write

    async def stream(self, query: Any) -> Any:
        answer = await self._connection.stream(query)
        await self._write()
        return answer

    async def execute(self, query: Any) -> Any:
        answer = await self._connection.execute(query)
        await self._write()
        return answer


def test_a_log_that_is_read_while_somebody_writes_has_all_its_secrets(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Without its secret, a game would have the chance of an empty one."""

    async def go() -> None:
        store, other = (Store(f"sqlite:///{tmp_path / 'table.db'}") for _ in range(2))
        await migrate(store.engine)
        versions = count(1)

        async def write() -> None:
            promised = Promised(number=1, commitment="0" * 64)
            await other.append(Batch("room", [Entry(next(versions), 0.0, promised, secret=b"secret")]))

        @asynccontextmanager
        async def reading() -> AsyncIterator[Any]:
            async with Store.reading(store) as connection:
                yield Interrupted(connection, write)

        await write()
        monkeypatch.setattr(store, "reading", reading)
        for _ in range(3):
            log = await store.read_log("room")
            assert [entry.version for entry in log] == list(range(1, len(log) + 1))
            assert log
            assert {entry.secret for entry in log} == {b"secret"}
        await store.close()
        await other.close()

    asyncio.run(go())


def grow(file: Path, megabytes: int) -> None:
    """Makes a copy take its time."""
    with closing(sqlite3.connect(file, timeout=30)) as connection:
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute("CREATE TABLE ballast (weight BLOB)")
        connection.executemany("INSERT INTO ballast VALUES (randomblob(1000000))", [()] * megabytes)
        connection.commit()


def test_a_copy_while_everybody_plays(tmp_path: Path) -> None:
    source, copy = tmp_path / "table.db", tmp_path / "copy.db"

    async def go() -> None:
        with writing(f"sqlite:///{source}", tmp_path) as said:
            await wait_for(said, 200)
            before = acknowledged(said)
            await backup(f"sqlite:///{source}", copy)
            meanwhile = sum(acknowledged(said).values()) - sum(before.values())
            assert meanwhile > 0, "nobody had to wait for the copy to end"
        with closing(sqlite3.connect(copy)) as connection:
            assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
            assert connection.execute("SELECT count(*) FROM ballast").fetchone() == (60,)
        await check_copy(f"sqlite:///{copy}", before)

    grow(source, 60)
    asyncio.run(go())


def test_a_dump_while_everybody_plays(postgres_server: str, tmp_path: Path) -> None:
    source, restored, dump = new_database(postgres_server), new_database(postgres_server), tmp_path / "table.dump"
    program("pg_dump")

    async def go() -> dict[str, int]:
        with writing(source, tmp_path) as said:
            await wait_for(said, 200)
            before = acknowledged(said)
            await backup(source, dump)
        return before

    before = asyncio.run(go())
    subprocess.run([program("pg_restore"), "--no-owner", "--exit-on-error", f"--dbname={restored}", dump], check=True)
    asyncio.run(check_copy(restored, before))


def test_a_server_starts_from_the_copy(tmp_path: Path) -> None:
    """Restoring is naming the file."""
    copy = tmp_path / "copy.db"

    async def go() -> None:
        first = House(Settings(f"sqlite:///{tmp_path / 'table.db'}"))
        await first.open()
        token = first.tokens.new_token()
        person = first.tokens.person(token)
        assert person is not None
        seats = [m.SeatPlan(kind="me"), m.SeatPlan(kind="open")]
        room = (await first.open_room(m.NewRoom(game="callisto", seats=seats), person, "192.0.2.1")).room
        await backup(first.settings.database, copy)
        second = House(Settings(f"sqlite:///{copy}"))
        await second.open()
        assert second.tokens.person(token) == person, "everybody is known again"
        again = (await second.room(room.id)).room
        assert (again.version, again.host, again.setup) == (room.version, person, room.setup)
        await first.close()
        await second.close()

    asyncio.run(go())


def small_database(folder: Path) -> str:
    url = f"sqlite:///{folder / 'table.db'}"

    async def go() -> None:
        store = Store(url)
        await migrate(store.engine)
        await store.append(Batch("room0", [Entry(1, 0.0, HELLO)]))
        await store.close()

    asyncio.run(go())
    return url


def test_a_copy_is_one_file_that_only_its_owner_can_read(tmp_path: Path) -> None:
    url, copies = small_database(tmp_path), tmp_path / "copies"
    copies.mkdir()
    asyncio.run(backup(url, copies / "copy.db"))
    assert os.listdir(copies) == ["copy.db"]
    assert stat.S_IMODE((copies / "copy.db").stat().st_mode) == 0o600


def test_an_older_copy_is_replaced(tmp_path: Path) -> None:
    url, copy = small_database(tmp_path), tmp_path / "copy.db"
    copy.write_text("the copy of yesterday")
    asyncio.run(backup(url, copy))
    assert asyncio.run(log_in(f"sqlite:///{copy}"))[0] == {"room0": [1]}


def test_a_damaged_database_is_found_out_and_the_older_copy_stays(tmp_path: Path) -> None:
    file, copy = tmp_path / "table.db", tmp_path / "copy.db"
    grow(file, 1)
    with file.open("rb+") as damaged:
        damaged.seek(file.stat().st_size // 2)
        damaged.truncate()
    copy.write_text("the copy of yesterday")
    with pytest.raises(SobremesaError, match="could not be copied"):
        asyncio.run(backup(f"sqlite:///{file}", copy))
    assert copy.read_text() == "the copy of yesterday"
    assert not list(tmp_path.glob(".*"))


def test_what_cannot_be_copied(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    url = small_database(tmp_path)

    def refused(database: str, target: Path) -> str:
        with pytest.raises(SobremesaError) as caught:
            asyncio.run(backup(database, target))
        assert "\n" not in str(caught.value)
        return str(caught.value)

    assert "database itself" in refused(url, tmp_path / "table.db")
    assert "no database" in refused(f"sqlite:///{tmp_path / 'nothing.db'}", tmp_path / "copy.db")
    assert not (tmp_path / "nothing.db").exists()
    assert "no database" in refused("sqlite:///:memory:", tmp_path / "copy.db")
    assert "no folder" in refused(url, tmp_path / "nowhere" / "copy.db")
    assert "is named as in" in refused("table.db", tmp_path / "copy.db")
    assert "mysql" in refused("mysql://localhost/table", tmp_path / "copy.db")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert "pg_dump" in refused("postgresql://localhost/table", tmp_path / "copy.db")
    assert not (tmp_path / "copy.db").exists()


def test_pg_dump_tells_why_it_failed_but_not_the_password(postgres_server: str, tmp_path: Path) -> None:
    program("pg_dump")
    wrong = f"{postgres_server.replace('postgres@', 'postgres:swordfish@').rpartition('/')[0]}/nothing"
    with pytest.raises(SobremesaError, match=r'database "nothing" does not exist') as caught:
        asyncio.run(backup(wrong, tmp_path / "table.dump"))
    assert "swordfish" not in str(caught.value)
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("scheme", ["postgresql", "postgresql+asyncpg"])
def test_the_password_is_not_among_the_arguments(scheme: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "pg_dump"
    fake.write_text(f'#!/bin/sh\necho "$PGPASSWORD $*" > {tmp_path}/called\n')
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    asyncio.run(backup(f"{scheme}://ana:sword%40fish@db.example:5433/table?ssl=require", tmp_path / "table.dump"))
    password, *arguments = (tmp_path / "called").read_text().split()
    assert password == "sword@fish"
    assert "--dbname=postgresql://ana@db.example:5433/table?sslmode=require" in arguments
    assert "fish" not in " ".join(arguments)


def test_the_image_is_built_from_files_that_exist() -> None:
    instructions = re.sub(r"\\\n\s*", " ", (ROOT / "Dockerfile").read_text())
    sources = [source for line in re.findall(r"^COPY (.+)$", instructions, re.M) for source in line.split()[:-1]]
    assert {"pyproject.toml", "src", "requirements/play.txt"} <= set(sources)
    ignored = (ROOT / ".dockerignore").read_text().split()
    assert ignored[0] == "*"
    sent = [line[1:] for line in ignored if line[0] == "!"]
    for source in sources:
        assert (ROOT / source).exists(), source
        assert any(source == path or source.startswith(f"{path}/") for path in sent), source


def test_the_image_brings_what_building_the_wheel_needs() -> None:
    """Nothing is downloaded without a hash: the build's own tools are among the pinned requirements."""
    pinned = (ROOT / "requirements/play.txt").read_text()
    assert re.search(r"^hatchling==\S+ \\$", pinned, re.M)
    assert "--hash=sha256:" in pinned
    instructions = (ROOT / "Dockerfile").read_text()
    assert "--require-hashes" in instructions
    assert re.search(r"^USER (?!root)\S+$", instructions, re.M)


def test_hosting_names_only_commands_that_exist() -> None:
    texts = [(ROOT / name).read_text() for name in ("docs/hosting.md", "Dockerfile", "compose.yaml")]
    named = {
        (command, option)
        for text in texts
        for command, rest in re.findall(r"sobremesa[\"', ]+(serve|migrate|backup|schema)\b((?:.*\\\n)*.*)", text)
        for option in re.findall(r"--[a-z-]+", rest) or [""]
    }
    assert {command for command, _ in named} >= {"serve", "migrate", "backup"}
    sobremesa = shutil.which("sobremesa", path=Path(sys.executable).parent)
    assert sobremesa is not None
    for command in {command for command, _ in named}:
        known = subprocess.run([sobremesa, command, "--help"], check=True, capture_output=True, text=True).stdout
        for option in {option for other, option in named if other == command}:
            assert option in known, f"sobremesa {command} {option}"
