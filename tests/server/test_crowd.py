"""Knister for a crowd: one room, sixty phones, and a projector on the wall."""

import asyncio
import contextlib
import json
from collections import Counter
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from server.serving import Server, serving
from sobremesa.games.knister.moves import WRITES
from sobremesa.rooms.events import Entry, Left, Moved, Rolled
from sobremesa.server.client import Guest, Refused
from sobremesa.server.storage import Store
from sobremesa.table import Record, loads, verify

Json = dict[str, Any]
LARGE_CROWD, SMALL_CROWD, CLOCK = 60, 10, 1
TOP, NEIGHBOURS = 12, 2
FROM_TOP_LEFT = [WRITES[(4 - row) * 5 + column] for row in range(5) for column in range(5)]
"""The order in which the clock fills a sheet: a5 is the top left."""


@pytest.fixture(scope="module")
def database(tmp_path_factory: pytest.TempPathFactory) -> str:
    return f"sqlite:///{tmp_path_factory.mktemp('crowd') / 'crowd.db'}"


@pytest.fixture(scope="module")
def server(database: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    with serving(database, tmp_path_factory.mktemp("log"), "--no-limits") as server:
        yield server
        assert "Traceback" not in server.log


@dataclass
class Phone:
    """Somebody's page. It keeps what it was told, checks every message for secrets, and can write by itself."""

    guest: Guest
    name: str
    socket: ClientConnection
    update: Json = field(default_factory=dict)
    views: list[Json] = field(default_factory=list)
    """What it shows of the table: as the last step left it."""
    sizes: list[int] = field(default_factory=list)
    active: bool = True
    """Whether it writes each roll at once."""
    answers: Counter[str] = field(default_factory=Counter)
    _news: asyncio.Condition = field(default_factory=asyncio.Condition)
    _sent: int = 0

    @property
    def seat(self) -> int:
        [seat] = [int(seat) for seat, info in self.update["room"]["seats"].items() if info["yours"]]
        return seat

    @property
    def view(self) -> Json:
        return self.views[0]

    @property
    def rounds(self) -> int:
        """How many rounds are over, as far as it knows; -1 before the game."""
        return int(self.view["rounds"]) if self.views else -1

    async def say(self, type: str, **fields: Any) -> None:
        self._sent += 1
        await self.socket.send(json.dumps({"type": type, "id": f"c{self._sent}"} | fields))

    async def write(self, cell: str) -> None:
        await self.say("move", seat=self.seat, move=cell, version=self.update["version"])

    async def listen(self) -> None:
        written = -1
        with contextlib.suppress(ConnectionClosed):
            async for text in self.socket:
                message = json.loads(text)
                if message["type"] != "update":
                    self.answers[message.get("reason", message["type"])] += 1
                    continue
                check_secrecy(message)
                self.sizes.append(len(text))
                async with self._news:
                    assert not self.update or message["reset"] or message["version"] > self.update["version"]
                    self.update = message
                    if message["steps"]:
                        self.views = message["steps"][-1]["views"]
                    for view in self.views:
                        ranked = {str(row["seat"]) for row in view["standings"]}
                        assert ranked <= set(message["room"]["seats"]), "everybody in the ranking has a name"
                    self._news.notify_all()
                if self.active and message["legal"] and self.rounds > written:
                    written = self.rounds
                    moves = next(iter(message["legal"].values()))
                    await self.write(moves[int(self.name[1:]) * (written + 1) % len(moves)])

    async def until(self, test: Callable[[Json], bool], timeout: float = 60) -> Json:
        async with asyncio.timeout(timeout), self._news:
            await self._news.wait_for(lambda: bool(self.update) and test(self.update))
            return self.update

    async def round(self, number: int) -> Json:
        """What it shows once so many rounds are over."""
        await self.until(lambda update: self.rounds >= number)
        return self.view


def seats(update: Json) -> Iterable[Json]:
    told: dict[str, Json] = update["room"]["seats"]
    return told.values()


def check_secrecy(update: Json) -> None:
    """Nobody is told where others write: only their sheets as the last round left them, and one's own moves."""
    for step in update["steps"]:
        [view] = step["views"]
        assert step["move"] is None or step["seat"] == view["seat"]
        for row in view["standings"]:
            assert sum(number > 0 for number in row["sheet"]) == view["rounds"]


@contextlib.asynccontextmanager
async def phone(address: str, room: str, name: str, guest: Guest | None = None) -> AsyncIterator[Phone]:
    guest = await (guest or Guest(address)).arrive()
    url = address.replace("http", "ws", 1) + f"/api/rooms/{room}/socket"
    async with connect(
        url, additional_headers={"Authorization": f"Bearer {guest.token}"}, compression=None, max_size=None
    ) as socket:
        await socket.send(json.dumps({"type": "join"}))
        somebody = Phone(guest, name, socket)
        listening = asyncio.create_task(somebody.listen())
        try:
            await somebody.until(bool)
            yield somebody
        finally:
            listening.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await listening


@dataclass
class Hall:
    """A room full of people."""

    room: str
    host: Guest
    wall: Phone
    """The projector: it watches."""
    phones: list[Phone]

    async def start(self) -> None:
        await self.command("start")

    async def command(self, type: str, **fields: Any) -> None:
        command = {"type": type, "id": f"h{type}{fields.get('seat', '')}"} | fields
        await self.host.call("POST", f"/api/rooms/{self.room}/commands", command)

    async def record(self) -> Record:
        told = await self.host.call("GET", f"/api/rooms/{self.room}/games/1/record")
        return loads(json.dumps(told))


@contextlib.asynccontextmanager
async def hall(address: str, people: int, clock: int = 0) -> AsyncIterator[Hall]:
    host = Guest(address)
    room = await host.open_room("knister", [], crowd=True, clock=clock)
    async with contextlib.AsyncExitStack() as doors:
        wall = await doors.enter_async_context(phone(address, room, "wall", host))
        entering = (doors.enter_async_context(phone(address, room, f"P{number}")) for number in range(people))
        phones = list(await asyncio.gather(*entering))
        await asyncio.gather(*(somebody.say("sit", name=somebody.name) for somebody in phones))
        seated = (somebody.until(lambda update: any(s["yours"] for s in seats(update))) for somebody in phones)
        await asyncio.gather(*seated)
        await wall.until(lambda update: update["room"]["seats_total"] == people)
        yield Hall(room, host, wall, phones)


def run(test: Awaitable[None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(90):
            await test

    asyncio.run(within_time())


def ended(update: Json) -> bool:
    return bool(update["room"]["over"])


def test_people_join_until_the_start(server: Server) -> None:
    async def evening() -> None:
        async with hall(server.address, 5) as party:
            first, *others = party.phones
            await first.say("sit", name="again")
            left = others[0].seat
            await others[0].say("leave", seat=left)
            await first.until(lambda update: update["room"]["seats"][str(left)]["kind"] == "open")
            with pytest.raises(Refused, match="forbidden"):
                await first.guest.call("POST", f"/api/rooms/{party.room}/commands", {"type": "start", "id": "s"})
            await party.start()
            update = await first.until(lambda update: update["room"]["playing"])
            assert update["room"]["seats_total"] == 4, "the seat that was left is cleared away"
            assert first.answers["taken"] == 1, "one seat each"
            late = {"type": "sit", "id": "late", "name": "Late"}
            with pytest.raises(Refused, match="full"):
                await Guest(server.address).call("POST", f"/api/rooms/{party.room}/commands", late)

    run(evening())


def test_sixty_people_play_with_a_clock(server: Server, database: str) -> None:
    """Most write at once; some are slow, some lose their connection, and nobody waits longer than the clock."""

    async def evening() -> None:
        async with hall(server.address, LARGE_CROWD, CLOCK) as party:
            wall, phones = party.wall, party.phones
            slow, lost = phones[:3], phones[3:5]
            await party.start()
            await asyncio.gather(*(somebody.round(10) for somebody in (wall, *phones)))
            await party.command("say", text="Well done!")
            for somebody in (wall, phones[-1]):
                await somebody.until(lambda update: any(line["kind"] == "said" for line in update["talk"]))

            for somebody in slow:
                somebody.active = False
            at = max(somebody.rounds for somebody in slow) + 1
            before = [await somebody.round(at) for somebody in slow]
            after = [await somebody.round(at + 2) for somebody in slow]
            for somebody, old, new in zip(slow, before, after, strict=True):
                missed = new["rounds"] - old["rounds"]
                free = [write.cell for write in FROM_TOP_LEFT if not old["sheet"][write.cell]]
                changed = [cell for cell in range(25) if new["sheet"][cell] != old["sheet"][cell]]
                assert sorted(changed) == sorted(free[:missed])
                somebody.active = True

            for somebody in lost:
                somebody.socket.transport.abort()
            # Phones may be ahead of the wall; nobody writes into a round that they have not seen.
            gone_at = max(somebody.rounds for somebody in (wall, *lost))
            await wall.round(gone_at + 2)
            # The host frees their seats; from now on the room does not wait for the clock.
            gone = {somebody.seat for somebody in lost}
            for somebody in lost:
                await party.command("leave", seat=somebody.seat)
            await wall.until(ended)

            rounds, left = await log_of(database, party.room)
            assert len(rounds) == 25
            for number, (rolled, moves) in enumerate(rounds):
                assert len(moves) == LARGE_CROWD
                if number:
                    assert rolled.at == rounds[number - 1][1][-1].at, "a round closes as soon as everybody has written"
                late = [entry.at for entry in moves if entry.person is None and entry.version < left[0]]
                assert all(at > rolled.at + CLOCK - 0.05 for at in late), "the clock gives everybody their time"
                assert len(set(late)) <= 1, "and then waits for nobody"
            _, moves = rounds[gone_at + 1]
            assert {entry.event.seat for entry in moves if entry.person is None} >= gone
            freed = [(rolled, moves) for rolled, moves in rounds if rolled.version > left[1]]
            assert freed
            for rolled, moves in freed:
                assert [entry.at for entry in moves if entry.event.seat in gone] == [rolled.at] * 2, "no wait for them"

            record = await party.record()
            assert verify(record).final.over
            assert record.result is not None
            assert sorted(record.names) == sorted(somebody.name for somebody in phones)
            scores = record.result.scores
            for somebody in phones[5:]:
                await somebody.until(ended)
                check_ranking(somebody.view, scores)
            check_ranking(wall.view, scores)
            async with phone(server.address, party.room, "back again", lost[0].guest) as back:
                assert back.view["seat"] is None, "the seat was freed"
            for somebody in phones[5:]:
                assert set(somebody.answers) <= {"accepted", "stale", "illegal"}
                assert somebody.answers["accepted"] > 5

    run(evening())


async def log_of(database: str, room: str) -> tuple[list[tuple[Entry, list[Any]]], list[int]]:
    """Each roll with the moves that followed it; and the versions at which somebody left."""
    left: list[int] = []
    store = Store(database)
    rounds: list[tuple[Entry, list[Any]]] = []
    for entry in await store.read_log(room):
        if isinstance(entry.event, Rolled):
            rounds.append((entry, []))
        elif isinstance(entry.event, Moved):
            rounds[-1][1].append(entry)
        elif isinstance(entry.event, Left):
            left.append(entry.version)
    await store.close()
    return rounds, left


def check_ranking(view: Json, scores: tuple[int, ...]) -> None:
    """The top, and one's own neighbourhood: not everybody."""
    rows = view["standings"]
    assert [row["points"] for row in rows] == [scores[row["seat"]] for row in rows]
    assert [row["place"] for row in rows] == [1 + sum(other > row["points"] for other in scores) for row in rows]
    assert [row["points"] for row in rows[:TOP]] == sorted(scores, reverse=True)[:TOP]
    top = set(range(min(TOP, len(scores))))
    if view["seat"] is None:
        assert len(rows) == len(top)
        return
    [own] = [row for row in rows if row["seat"] == view["seat"]]
    ranks = range(own["place"] - 1, own["place"] - 1 + scores.count(own["points"]))  # equals are in any order
    around = [range(max(rank - NEIGHBOURS, 0), min(rank + NEIGHBOURS + 1, len(scores))) for rank in ranks]
    assert len(rows) in [len(top | set(neighbours)) for neighbours in around]
    assert [row["points"] for row in rows] == sorted((row["points"] for row in rows), reverse=True)


def test_messages_stay_small_when_the_crowd_grows(server: Server) -> None:
    async def largest(people: int) -> tuple[int, int]:
        async with hall(server.address, people) as party:
            joined = len(party.wall.sizes)
            for somebody in party.phones:
                somebody.sizes.clear()
            await party.start()
            await asyncio.gather(*(somebody.until(ended) for somebody in (party.wall, *party.phones)))
            result = (await party.record()).result
            assert result is not None
            for somebody in (party.wall, *party.phones):
                check_ranking(somebody.view, result.scores)
            return max(max(somebody.sizes) for somebody in party.phones), max(party.wall.sizes[joined:])

    async def measure() -> None:
        few, few_wall = await largest(SMALL_CROWD)
        many, many_wall = await largest(LARGE_CROWD)
        print(f"largest update: {few} bytes for {SMALL_CROWD} players, {many} for {LARGE_CROWD}")
        print(f"on the wall: {few_wall}, {many_wall}")
        assert many < 2 * few, "six times as many people, but no more than twice the bytes"
        assert many_wall < 2 * few_wall
        assert max(many, many_wall) < 10_000

    run(measure())
