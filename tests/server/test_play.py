"""Playing through sockets, and by long polling: whole games, lost connections, doubled messages, restarts."""

import asyncio
import contextlib
import itertools
import json
import secrets
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from websockets.asyncio.client import ClientConnection, connect
from websockets.exceptions import ConnectionClosed

from kinds import KINDS, Kind
from server.bots import Ledger, meet, play_room, play_seat
from server.serving import Server, serving
from sobremesa.core.errors import SobremesaError
from sobremesa.server import messages as m
from sobremesa.server.client import Guest, Refused
from sobremesa.server.hub import CALM, CROWD, Hub, LiveRoom
from sobremesa.server.migrate import migrate
from sobremesa.server.room import Room
from sobremesa.server.storage import Batch, Store
from sobremesa.server.thinking import ThinkingFailed, ThinkingRoom
from sobremesa.table import loads, verify

Json = dict[str, Any]
FOR_TWO = [kind for kind in KINDS if kind.options["seats"] == 2]
POCKET = {"options": {"edition": "pocket"}}
QUICK: list[tuple[str, Json]] = [("callisto", POCKET), ("isis-osiris", {}), ("knister", {})]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("play")
    with serving(f"sqlite:///{folder / 'play.db'}", folder, "--no-limits") as server:
        yield server
        assert "Traceback" not in server.log


class Tab:
    """A page in a browser: one socket, of which a test hears every message."""

    def __init__(self, socket: ClientConnection) -> None:
        self.socket = socket
        self.update: Json = {}
        self.events: list[Json] = []

    @property
    def version(self) -> int:
        return int(self.update["version"])

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def hear(self, *types: str) -> Json:
        """The next message of one of these types."""
        while True:
            message: Json = json.loads(await asyncio.wait_for(self.socket.recv(), 30))
            if message["type"] == "update":
                self.update = message
                self.events += message["events"]
            if message["type"] in types:
                return message

    async def join(self, version: int | None = None, language: str = "en") -> Json:
        await self.say(type="join", version=version, language=language)
        return await self.hear("update")

    async def do(self, type: str, **fields: Any) -> Json:
        """Has a command done or refused; updates that come first are taken in."""
        id = fields.pop("id", secrets.token_hex(4))
        await self.say(type=type, id=id, **fields)
        while (answer := await self.hear("accepted", "refused"))["id"] != id:
            pass
        return answer

    async def until(self, test: Callable[[Json], bool]) -> Json:
        """The first update that passes; the one that the page shows now counts, too."""
        while not test(self.update):
            await self.hear("update")
        return self.update

    async def at(self, version: int) -> Json:
        """What the page shows when it has come to a version."""
        return await self.until(lambda update: bool(update["version"] >= version))

    def break_off(self) -> None:
        """As when the phone loses the network: nobody says goodbye."""
        self.socket.transport.abort()


@contextlib.asynccontextmanager
async def tab(guest: Guest, room: str) -> AsyncIterator[Tab]:
    await guest.arrive()
    address = guest.address.replace("http", "ws", 1) + f"/api/rooms/{room}/socket"
    headers = {"Authorization": f"Bearer {guest.token}"}
    async with connect(address, additional_headers=headers, compression=None, max_size=None) as socket:
        yield Tab(socket)


def shown(update: Json) -> Json:
    """What a page shows: without the time, and without how it came to know."""
    table = {key: value for key, value in update["table"].items() if key != "now"}
    return {"version": update["version"], "table": table, "views": update["views"], "legal": update["legal"]}


def over(update: Json) -> bool:
    return bool(update["table"]["number"]) and not update["table"]["playing"]


async def check_record(guest: Guest, room: str, number: int = 1) -> None:
    record = loads(json.dumps(await guest.call("GET", f"/api/rooms/{room}/games/{number}/record")))
    assert verify(record).final.over


def run(test: Awaitable[None]) -> None:
    async def within_time() -> None:
        async with asyncio.timeout(90):
            await test

    asyncio.run(within_time())


# -- whole games ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", FOR_TWO, ids=str)
def test_two_people_play_a_whole_game(kind: Kind, server: Server) -> None:
    async def play() -> None:
        ledger = Ledger()
        options = {name: value for name, value in kind.options.items() if name != "seats"}
        room = await play_room(server.address, kind.game.id, 2, seed=7, ledger=ledger, options=options)
        assert {seat for _, seat, _, _ in ledger.moves} == {0, 1}
        await check_record(Guest(server.address), room)

    run(play())


@pytest.mark.parametrize(("game", "setup"), QUICK, ids=lambda value: value if isinstance(value, str) else "")
def test_somebody_plays_a_whole_game_against_two_computers(game: str, setup: Json, server: Server) -> None:
    async def play() -> None:
        ana = Guest(server.address)
        room = await ana.open_room(game, ["random", "me", "greedy"], **setup)
        async with ana.enter(room) as visit:
            await play_seat(visit, 1, Random(1), Ledger())
            assert [seat["kind"] for seat in visit.update["table"]["seats"].values()] == ["engine", "person", "engine"]
        await check_record(ana, room)

    run(play())


def test_two_people_at_one_screen(server: Server) -> None:
    """Hot seat: one guest with two seats sees both, and only the one whose turn it is can move."""

    async def play() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"], name="Ana & Bob", **POCKET)
        async with tab(ana, room) as page:
            update = await page.join()
            assert [view["seat"] for view in update["views"]] == [0, 1]
            turns = []
            while not over(update):
                [(seat, moves)] = update["legal"].items()
                turns.append(int(seat))
                await page.say(type="move", id=f"m{len(turns)}", seat=int(seat), move=moves[0], version=page.version)
                update = await page.hear("update")
            assert turns[:4] == [0, 1, 0, 1]
        await check_record(ana, room)

    run(play())


@pytest.mark.parametrize(("game", "setup"), QUICK, ids=lambda value: value if isinstance(value, str) else "")
def test_the_same_game_by_long_polling_only(game: str, setup: Json, server: Server) -> None:
    async def poll_and_play(guest: Guest, room: str, seat: int) -> list[str]:
        heard: list[Json] = []
        version, path = 0, f"/api/rooms/{room}"
        while True:
            update = await guest.call("GET", f"{path}/updates?version={version}")
            assert update["version"] > version, "it waits until there is news"
            assert not update["reset"]
            version = update["version"]
            heard += update["events"]
            if over(update):
                assert [event["version"] for event in heard] == list(range(1, version + 1))
                return [event["kind"] for event in heard]
            if moves := update["legal"].get(str(seat)):
                move = {"type": "move", "id": f"m{version}", "seat": seat, "move": moves[-1], "version": version}
                await guest.call("POST", f"{path}/commands", move)

    async def play() -> None:
        ana, bob = Guest(server.address), Guest(server.address)
        room = await ana.open_room(game, ["me", "open"], **setup)
        await bob.call("POST", f"/api/rooms/{room}/commands", {"type": "sit", "id": "sit", "name": "Bob"})
        kinds = await asyncio.gather(poll_and_play(ana, room, 0), poll_and_play(bob, room, 1))
        assert kinds[0] == kinds[1]
        assert kinds[0][-2:] == ["ended", "promised"]
        await check_record(ana, room)

    run(play())


def test_a_poll_without_news_ends_by_itself(server: Server) -> None:
    async def wait() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        update = await ana.call("GET", f"/api/rooms/{room}")
        began = asyncio.get_running_loop().time()
        again = await ana.call("GET", f"/api/rooms/{room}/updates?version={update['version']}&wait=0.5")
        assert 0.4 < asyncio.get_running_loop().time() - began < 10
        assert (again["version"], again["events"], again["reset"]) == (update["version"], [], False)

    run(wait())


def test_a_spectator_sees_the_table_and_touches_nothing(server: Server) -> None:
    async def watch() -> None:
        ana, eve = Guest(server.address), Guest(server.address)
        room = await ana.open_room("knister", ["me", "me"])
        async with tab(ana, room) as page, tab(eve, room) as bench:
            await page.join()
            update = await bench.join()
            assert [view["seat"] for view in update["views"]] == [None]
            assert update["views"][0]["sheet"] is None
            assert update["legal"] == {}
            assert not any(seat["yours"] for seat in update["table"]["seats"].values())
            answer = await bench.do("move", seat=0, move="c3", version=bench.version)
            assert answer["reason"] == "forbidden"
            for seat in (0, 1):
                assert (await page.do("move", seat=seat, move="c3", version=page.version))["type"] == "accepted"
            update = await bench.until(lambda update: update["views"][0]["rounds"] == 1)
            first_roll = update["views"][0]["standings"][0]["sheet"]
            assert sum(number > 0 for number in first_roll) == 1

    run(watch())


# -- coming back ------------------------------------------------------------------------------------------------------


def test_joining_with_a_version_brings_what_is_missing(server: Server) -> None:
    async def come_back() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"])
        async with tab(ana, room) as page:
            update = await page.join()
            assert (update["reset"], update["events"]) == (True, []), "somebody new gets a snapshot"
            old = update["version"]
            for seat, move in ((0, "c8"), (1, "n8")):
                await page.do("move", seat=seat, move=move, version=page.version)
            await page.do("phrase", phrase="nice move")
        async with tab(ana, room) as page:
            update = await page.join(old)
            assert not update["reset"]
            told = [(event["version"], event["kind"], event["seat"], event["text"]) for event in update["events"]]
            assert told == [
                (old + 1, "moved", 0, "c8"),
                (old + 2, "moved", 1, "n8"),
                (old + 3, "phrase", 0, "nice move"),
            ]
        async with tab(ana, room) as page:
            update = await page.join(old + 3)
            assert (update["reset"], update["events"]) == (False, []), "nothing was missed"
        async with tab(ana, room) as page:
            assert (await page.join(old + 100))["reset"], "a version from the future: a server was restored"

    run(come_back())


def test_joining_with_an_old_version_brings_a_snapshot(server: Server) -> None:
    async def come_back() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with ana.enter(room) as visit:
            old = visit.update["version"]
            for _ in range(21):
                await asyncio.gather(*(visit.do("phrase", phrase="hello") for _ in range(10)))
        async with tab(ana, room) as page:
            update = await page.join(old)
            assert (update["reset"], update["events"]) == (True, [])
            assert update["version"] == old + 210
        async with tab(ana, room) as page:
            update = await page.join(old + 100)
            assert not update["reset"]
            assert len(update["events"]) == 110

    run(come_back())


@pytest.mark.parametrize(("game", "setup"), QUICK, ids=lambda value: value if isinstance(value, str) else "")
def test_a_page_that_loses_its_connection_shows_the_same_again(game: str, setup: Json, server: Server) -> None:
    """Ana plays from a page that breaks off at random moments; beside it a second page of hers stays connected."""

    async def play() -> None:
        random = Random(game)
        ana = Guest(server.address)
        room = await ana.open_room(game, ["me", "random"], **setup)
        heard: list[Json] = []
        version: int | None = None
        ids = itertools.count()
        breaks = 0
        async with tab(ana, room) as steady:
            start = (await steady.join())["version"]
            update: Json | None = None
            while update is None or not over(update):
                with contextlib.suppress(ConnectionClosed):
                    async with tab(ana, room) as page:
                        update = await page.join(start if version is None else version)
                        while True:
                            heard += update["events"]
                            version = update["version"]
                            if over(update):
                                break
                            moment = random.random()
                            if moment < 0.2:
                                breaks += 1
                                page.break_off()
                            if moves := update["legal"].get("0"):
                                move = random.choice(moves)
                                await page.say(type="move", id=f"m{next(ids)}", seat=0, move=move, version=version)
                            if 0.2 < moment < 0.4:  # sent, but will the answer arrive?
                                breaks += 1
                                page.break_off()
                            update = await page.hear("update")
            seen = update
            await steady.at(seen["version"])
        async with tab(ana, room) as fresh:
            assert shown(await fresh.join()) == shown(seen)
        assert breaks > 3
        assert heard == steady.events, "everything once, in order, and the same as without the breaks"
        assert [event["version"] for event in heard] == list(range(start + 1, seen["version"] + 1))

    run(play())


def test_at_every_moment_two_pages_of_a_seat_show_the_same(server: Server) -> None:
    async def play() -> None:
        ana, bob = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with tab(ana, room) as left, tab(ana, room) as right, tab(bob, room) as other:
            await left.join()
            await right.join()
            await other.join()
            await other.do("sit", name="Bob")
            for turn in range(24):
                page, seat = ((left, 0), (other, 1), (right, 0), (other, 1))[turn % 4]
                update = await page.until(lambda update: str(seat) in update["legal"])  # noqa: B023
                move = update["legal"][str(seat)][turn % 3]
                version = (await page.do("move", seat=seat, move=move, version=update["version"]))["version"]
                assert shown(await left.at(version)) == shown(await right.at(version))
            async with tab(ana, room) as third:
                assert shown(await third.join()) == shown(left.update)

    run(play())


# -- doubled, late and wrong messages ---------------------------------------------------------------------------------


def test_a_repeated_message_does_nothing_twice(server: Server) -> None:
    async def repeat() -> None:
        ana, bob = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with tab(ana, room) as left, tab(ana, room) as right, tab(bob, room) as other:
            for page in (left, right, other):
                await page.join()
            await other.do("sit", name="Bob")
            version = (await left.until(lambda update: update["table"]["playing"]))["version"]
            move = {"type": "move", "id": "once", "seat": 0, "move": "c8", "version": version}
            await left.say(**move)
            await left.say(**move)
            await right.say(**move)
            by_http = await ana.call("POST", f"/api/rooms/{room}/commands", move)
            answers = [await left.hear("accepted"), await left.hear("accepted"), await right.hear("accepted"), by_http]
            assert [answer["version"] for answer in answers] == [version + 1] * 4
            answer = await other.do("move", id="once", seat=1, move="n8", version=version + 1)
            assert answer["version"] == version + 2, "an id is its sender's own"
            assert (await left.do(**move))["version"] == version + 1, "also much later"
        async with tab(ana, room) as page:
            update = await page.join(version)
            assert [(event["kind"], event["text"]) for event in update["events"]] == [("moved", "c8"), ("moved", "n8")]

    run(repeat())


def test_late_and_wrong_moves_are_answered_clearly(server: Server) -> None:
    async def try_it() -> None:
        ana, bob = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with tab(ana, room) as hers, tab(bob, room) as his:
            await hers.join()
            await his.join(language="es")
            answer = await hers.do("move", seat=0, move="c8", version=hers.version)
            assert answer["reason"] == "early", "the table is not full"
            await his.do("sit", name="Bob")
            old = (await hers.until(lambda update: update["table"]["playing"]))["version"]

            async def refused(page: Tab, **fields: Any) -> Json:
                answer = await page.do("move", **{"seat": 0, "move": "c8", "version": old} | fields)
                assert answer["type"] == "refused"
                assert answer["version"] == old, "it tells where the room stands"
                return answer

            assert (await refused(his))["reason"] == "forbidden"
            assert (await refused(hers, seat=1))["reason"] == "forbidden"
            assert (await refused(hers, seat=9))["reason"] == "malformed"
            turn = await refused(his, seat=1, move="n8")
            assert (turn["reason"], turn["rule"]) == ("illegal", "C1")
            centre = await refused(hers, move="h8")
            assert (centre["reason"], centre["rule"]) == ("illegal", "C4")
            assert centre["text"].startswith("C4: ")
            assert (await refused(hers, move="Xc8,c9"))["reason"] in ("malformed", "illegal")
            assert (await refused(hers, move="hello"))["reason"] == "malformed"
            assert (await refused(hers, version=old + 1))["reason"] == "stale"
            assert (await hers.do("move", seat=0, move="c8", version=old))["version"] == old + 1
            late = await his.do("move", seat=1, move="n8", version=old)
            assert (late["reason"], late["version"]) == ("stale", old + 1)
            assert late["text"] != "the table has changed since: look again", "in Spanish, as the page asked"
            assert (await his.do("move", seat=1, move="n8", version=old + 1))["version"] == old + 2
            assert (await hers.do("move", seat=0, move="c8", version=old + 2))["rule"] == "C4", "the cell is taken"

    run(try_it())


def test_talk_does_not_make_a_move_late(server: Server) -> None:
    async def talk() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"])
        async with tab(ana, room) as page:
            version = (await page.join())["version"]
            await page.do("say", text="let me think")
            assert (await page.do("move", seat=0, move="c8", version=version))["version"] == version + 2

    run(talk())


def test_a_socket_says_what_is_wrong_with_a_message(server: Server) -> None:
    async def say_nonsense() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"])
        async with tab(ana, room) as page:
            assert (await page.do("phrase", phrase="hello"))["reason"] == "early", "join first"
            await page.join()
            for text in ("", "{", "[]", '"join"', '{"type": "dance"}', '{"type": "move", "id": "a"}'):
                await page.socket.send(text)
                assert (await page.hear("refused"))["reason"] == "malformed"
            await page.socket.send(json.dumps({"type": "move", "id": "which", "seat": "0"}))
            assert (await page.hear("refused"))["id"] == "which"
            assert (await page.do("phrase", phrase="hello"))["type"] == "accepted", "and goes on"

    run(say_nonsense())


def test_a_room_that_does_not_exist(server: Server) -> None:
    async def knock() -> None:
        async with tab(Guest(server.address), "nowhere") as page:
            await page.say(type="join")
            assert (await page.hear("refused"))["reason"] == "unknown"
            assert (await page.hear("goodbye"))["reason"] == "unknown"

    run(knock())


# -- staying and going ------------------------------------------------------------------------------------------------


def test_a_heartbeat_both_ways(server: Server) -> None:
    async def ping() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with tab(ana, room) as page:
            await page.say(type="ping")
            assert (await page.hear("pong"))["now"] > 1.7e9
            await page.join()
            await page.say(type="ping")
            assert (await page.hear("pong"))["type"] == "pong"
            async with asyncio.timeout(10):
                await (await page.socket.ping())  # the protocol's own

    run(ping())


def test_goodbye_and_everything_is_there_after_the_restart(tmp_path: Path) -> None:
    """SIGTERM in the middle of games: pages are told, nothing that was acknowledged is lost, and all games end."""

    async def play(server: Server) -> None:
        ledger = Ledger()
        parties = [await meet(server.address, game, 2, **setup) for game, setup in QUICK * 2]
        games = [asyncio.create_task(party.play(seed, ledger, pause=0.05)) for seed, party in enumerate(parties)]
        ana, eve = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"], words="")
        async with tab(ana, room) as page, tab(eve, room) as bench:
            await page.join()
            await bench.join()
            version = (await page.do("move", seat=0, move="c8", version=page.version))["version"]
            seen = await page.at(version)
            polling = asyncio.create_task(eve.call("GET", f"/api/rooms/{room}/updates?version={version}"))
            await asyncio.sleep(0.2)
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            for told in (await page.hear("goodbye"), await bench.hear("goodbye")):
                assert told["reason"] == "restart"
                assert 0 < told["again"] < 10
            with pytest.raises(Refused, match="busy"):
                await polling
            with pytest.raises(ConnectionClosed):
                await page.hear("update")
            assert await stopping == 0
        assert not any(game.done() for game in games)
        await asyncio.to_thread(server.start)
        async with tab(ana, room) as page:
            assert shown(await page.join(version)) == shown(seen)
            assert (await page.do("move", seat=1, move="n8", version=version))["version"] == version + 1
        for other in await asyncio.gather(*games):
            await check_record(ana, other)
        for other, seat, move, version in ledger.moves:
            [event, *_] = (await ana.call("GET", f"/api/rooms/{other}/updates?version={version - 1}&wait=0"))["events"]
            assert (event["version"], event["kind"], event["seat"]) == (version, "moved", seat)
            assert event["text"] in (move, None), "where somebody writes in Knister is not told to others"

    with serving(f"sqlite:///{tmp_path / 'restart.db'}", tmp_path, "--no-limits") as server:
        run(play(server))
        assert server.stop() == 0
        assert "Traceback" not in server.log


# -- a disk that is slow, or fails ------------------------------------------------------------------------------------


class BadDisk(Store):
    """A database that waits, or fails, when a test says so."""

    def __init__(self, url: str) -> None:
        super().__init__(url)
        self.open = asyncio.Event()
        self.open.set()
        self.readable = True

    async def append(self, batch: Batch) -> None:
        if not self.readable:
            raise OSError("no space left on device")
        await self.open.wait()
        await super().append(batch)

    async def read_events(self, room: str, after: int = 0) -> Any:
        if not self.readable:
            raise OSError("input/output error")
        return await super().read_events(room, after)


class Ear:
    """Somebody who watches a room."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.version: int | None = None
        self.told: list[m.Update] = []
        self.dismissed = False

    def tell(self, message: m.Update) -> None:
        self.told.append(message)

    def dismiss(self, reason: str, again: float) -> None:
        self.dismissed = True


@contextlib.asynccontextmanager
async def hub_on(folder: Path) -> AsyncIterator[tuple[Hub, BadDisk]]:
    disk = BadDisk(f"sqlite:///{folder / 'disk.db'}")
    await migrate(disk.engine)
    hub = Hub(disk, ThinkingRoom(1), pause=0)
    try:
        yield hub, disk
    finally:
        await hub.close()
        await hub.thinking.close()
        await disk.close()


def table_for_one() -> m.NewRoom:
    return m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="me")])


def move(live: LiveRoom, move: str, id: str, seat: int = 0) -> Awaitable[int]:
    return live.do(m.Move(type="move", id=id, seat=seat, move=move, version=live.room.version), "ana")


def test_nothing_is_acknowledged_or_shown_before_it_is_on_disk(tmp_path: Path) -> None:
    async def wait_for_the_disk() -> None:
        async with hub_on(tmp_path) as (hub, disk):
            live = await hub.create(table_for_one(), "ana")
            version = live.room.version
            disk.open.clear()
            first = asyncio.ensure_future(move(live, "c8", "same"))
            await asyncio.sleep(0.05)
            again = asyncio.ensure_future(move(live, "c8", "same"))
            ear = Ear("eve")
            live.welcome(ear)
            await asyncio.sleep(0.05)
            assert not first.done()
            assert not again.done(), "a repeated message is no proof that the first was written"
            assert ear.told == []
            disk.open.set()
            assert (await first, await again) == (version + 1, version + 1)
            assert [update.version for update in ear.told] == [version + 1]

    run(wait_for_the_disk())


def test_a_crowd_is_not_shown_either_what_is_not_on_disk(tmp_path: Path) -> None:
    """Many watchers are told of the progress within a round a little later: a slow write may be going on then."""

    async def wait_for_the_disk() -> None:
        async with hub_on(tmp_path) as (hub, disk):
            live = await hub.create(m.NewRoom(game="knister", seats=[m.SeatPlan(kind="me")] * 3), "ana")
            ears = [Ear(f"p{number}") for number in range(CROWD + 1)]
            for ear in ears:
                live.welcome(ear)
            version = await move(live, "a1", "first")
            disk.open.clear()
            second = asyncio.ensure_future(move(live, "b2", "second", seat=1))
            await asyncio.sleep(0.1 + 2 * CALM * len(ears))
            assert max(update.version for ear in ears for update in ear.told) <= version
            disk.open.set()
            assert await second == version + 1
            await asyncio.sleep(0.1 + 2 * CALM * len(ears))
            assert {ear.told[-1].version for ear in ears} == {version + 1}

    run(wait_for_the_disk())


def test_a_disk_that_fails_is_told_and_the_room_is_what_the_disk_has(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        async with hub_on(tmp_path) as (hub, disk):
            live = await hub.create(table_for_one(), "ana")
            version = await move(live, "c8", "first")
            ear = Ear("ana")
            live.welcome(ear)
            disk.readable = False
            async with asyncio.timeout(10):
                with pytest.raises(SobremesaError, match="could not be written"):
                    await move(live, "n8", "second", seat=1)
                with pytest.raises(SobremesaError, match="could not be written"):
                    await hub.create(table_for_one(), "ana")
                with pytest.raises(SobremesaError, match="could not be written"):
                    await move(live, "n8", "third", seat=1)
            assert ear.dismissed, "everybody comes back ..."
            disk.readable = True
            again = await hub.get(live.room.id)
            assert again is not None
            assert again.room.version == version, "... to what was acknowledged"
            assert await move(again, "n8", "second", seat=1) == version + 1

    run(fail())
    assert "the database refused a write" in caplog.text


def test_an_event_that_breaks_harms_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It should never happen; if it does, nothing of it may be left in memory or on disk."""

    async def break_it() -> None:
        async with hub_on(tmp_path) as (hub, _):
            live = await hub.create(table_for_one(), "ana")
            version = live.room.version

            def broken(*_: object) -> None:
                raise RuntimeError("a mistake of ours")

            monkeypatch.setattr(Room, "_on_phrase", broken)
            hello = m.Phrase(type="phrase", id="hello", phrase="hello")
            answers = await asyncio.gather(
                move(live, "c8", "before"), live.do(hello, "ana"), move(live, "c9", "after"), return_exceptions=True
            )
            assert answers[0] == version + 1
            assert "something went wrong" in str(answers[1])
            assert "somebody" in str(answers[2]) or "changed since" in str(answers[2]) or "C1" in str(answers[2])
            log, _ = await hub.store.read_events(live.room.id)
            assert [event.version for event in log] == list(range(1, version + 2))
            assert live.room.version == version + 1

    run(break_it())
    assert "an event broke the room" in caplog.text


class Moody(ThinkingRoom):
    """Computer players, of whom the first has no idea."""

    asked = 0

    async def choose(self, *question: Any, **more: Any) -> str:
        self.asked += 1
        if self.asked == 1:
            raise ThinkingFailed("no idea")
        return "c8"


def test_a_computer_that_fails_is_asked_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr("sobremesa.server.hub.AGAIN", 0.05)

    async def ask_again() -> None:
        async with hub_on(tmp_path) as (hub, _):
            hub.thinking = Moody(1)
            seats = [m.SeatPlan(kind="engine"), m.SeatPlan(kind="me")]
            live = await hub.create(m.NewRoom(game="callisto", seats=seats), "ana")
            version = live.room.version
            async with asyncio.timeout(10):
                while live.room.version == version:
                    await asyncio.sleep(0.01)
            assert live.room.recent[-1].data["move"] == "c8"

    run(ask_again())
    assert "an engine failed" in caplog.text
