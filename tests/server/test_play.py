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
from server.clocks import FakeClock, settle
from server.serving import Server, serving
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Entry, Moved, PhraseSaid
from sobremesa.server.audience import MAX_INSTANT_WATCHERS
from sobremesa.server.client import Guest, Refused
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.migrate import migrate
from sobremesa.server.storage import Batch, Store
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
        self.steps: list[Json] = []
        """What has happened at the table since the last snapshot, which counts as one."""
        self.talk: list[Json] = []

    @property
    def version(self) -> int:
        return int(self.update["version"])

    @property
    def views(self) -> list[Json]:
        views: list[Json] = self.steps[-1]["views"] if self.steps else []
        return views

    @property
    def shown(self) -> Json:
        """What a page shows: without the time."""
        room = {key: value for key, value in self.update["room"].items() if key != "now"}
        return {"version": self.version, "room": room, "views": self.views, "legal": self.update["legal"]}

    async def say(self, **message: Any) -> None:
        await self.socket.send(json.dumps(message))

    async def hear(self, *types: str) -> Json:
        """The next message of one of these types."""
        while True:
            message: Json = json.loads(await asyncio.wait_for(self.socket.recv(), 30))
            if message["type"] == "update":
                assert not self.update or message["reset"] or message["version"] > self.version
                self.update = message
                if message["reset"]:
                    self.steps, self.talk = [], []
                self.steps += message["steps"]
                self.talk += message["talk"]
            if message["type"] in types:
                return message

    async def join(self, language: str = "en") -> Json:
        await self.say(type="join", language=language)
        update = await self.hear("update")
        assert update["reset"], "whoever comes in gets a snapshot"
        return update

    async def do(self, type: str, **fields: Any) -> Json:
        """Has a command done, and waits for the update that shows it; or it is refused."""
        id = fields.pop("id", secrets.token_hex(4))
        await self.say(type=type, id=id, **fields)
        while (answer := await self.hear("accepted", "refused"))["id"] != id:
            pass
        if answer["type"] == "accepted":
            await self.at(answer["version"])
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


def over(update: Json) -> bool:
    return bool(update["room"]["over"])


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
            assert [seat["kind"] for seat in visit.update["room"]["seats"].values()] == ["engine", "person", "engine"]
        await check_record(ana, room)

    run(play())


def test_two_people_at_one_screen(server: Server) -> None:
    """Hot seat: one guest with two seats sees both, and only the one whose turn it is can move."""

    async def play() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"], name="Ana & Bob", **POCKET)
        async with tab(ana, room) as page:
            update = await page.join()
            assert [view["seat"] for view in page.views] == [0, 1]
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
    async def poll_and_play(guest: Guest, room: str, seat: int) -> Json:
        version, path = 0, f"/api/rooms/{room}"
        while True:
            update = await guest.call("GET", f"{path}/updates?version={version}")
            assert update["version"] > version, "it waits until there is news"
            assert update["reset"], "always a snapshot: nothing is kept between two requests"
            version = update["version"]
            assert len(update["steps"]) == bool(update["room"]["number"]), "the last step, once there is one"
            if over(update):
                told: Json = update
                return told
            if moves := update["legal"].get(str(seat)):
                move = {"type": "move", "id": f"m{version}", "seat": seat, "move": moves[-1], "version": version}
                await guest.call("POST", f"{path}/commands", move)

    async def play() -> None:
        ana, bob = Guest(server.address), Guest(server.address)
        room = await ana.open_room(game, ["me", "open"], **setup)
        await bob.call("POST", f"/api/rooms/{room}/commands", {"type": "sit", "id": "sit", "name": "Bob"})
        last = await asyncio.gather(poll_and_play(ana, room, 0), poll_and_play(bob, room, 1))
        assert last[0]["talk"] == last[1]["talk"]
        assert [line["kind"] for line in last[0]["talk"]] == ["seated", "seated", "begun", "ended"]
        assert last[0]["room"]["result"] == last[1]["room"]["result"]
        assert [promise["game"] for promise in last[0]["room"]["promises"]] == [1, 2], "that game's, and the next one's"
        await check_record(ana, room)

    run(play())


def test_a_poll_without_news_ends_by_itself(server: Server) -> None:
    async def wait() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        update = await ana.call("GET", f"/api/rooms/{room}")
        again = await ana.call("GET", f"/api/rooms/{room}/updates?version={update['version']}&wait=0.2")
        assert again | {"room": None} == update | {"room": None}, "nothing has changed"

    run(wait())


def test_a_spectator_sees_the_table_and_touches_nothing(server: Server) -> None:
    async def watch() -> None:
        ana, eve = Guest(server.address), Guest(server.address)
        room = await ana.open_room("knister", ["me", "me"])
        async with tab(ana, room) as page, tab(eve, room) as bench:
            await page.join()
            update = await bench.join()
            assert [view["seat"] for view in bench.views] == [None]
            assert bench.views[0]["sheet"] is None
            assert update["legal"] == {}
            assert not any(seat["yours"] for seat in update["room"]["seats"].values())
            answer = await bench.do("move", seat=0, move="c3", version=bench.version)
            assert answer["reason"] == "forbidden"
            for seat in (0, 1):
                assert (await page.do("move", seat=seat, move="c3", version=page.version))["type"] == "accepted"
            await bench.until(lambda update: bench.views[0]["rounds"] == 1)
            first_roll = bench.views[0]["standings"][0]["sheet"]
            assert sum(number > 0 for number in first_roll) == 1

    run(watch())


# -- coming back ------------------------------------------------------------------------------------------------------


def test_whoever_joins_sees_the_last_step_and_reads_what_was_said(server: Server) -> None:
    """Somebody who comes back, and somebody who was never here before."""

    async def come_back() -> None:
        ana, eve = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"])
        async with tab(ana, room) as page:
            old = (await page.join())["version"]
            assert [(step["seat"], step["move"], step["rolled"]) for step in page.steps] == [(None, None, None)]
            assert page.steps[0]["version"] == old, "the start of the game"
            for seat, move in ((0, "c8"), (1, "n8")):
                await page.do("move", seat=seat, move=move, version=page.version)
            await page.do("phrase", phrase="nice move")
            moved = [(step["version"], step["seat"], step["move"]) for step in page.steps[1:]]
            assert moved == [(old + 1, 0, "c8"), (old + 2, 1, "n8")]
        for guest in (ana, eve):
            async with tab(guest, room) as again:
                update = await again.join()
                assert update["version"] == old + 3
                [step] = update["steps"]
                assert (step["version"], step["seat"], step["move"], step["rolled"]) == (old + 2, 1, "n8", None)
                assert update["talk"] == page.talk
                kinds = ["seated", "seated", "begun", "phrase"]
                assert [line["kind"] for line in update["talk"]] == kinds
                assert (update["talk"][-1]["phrase"], update["talk"][-1]["version"]) == ("nice move", old + 3)
                if guest is ana:
                    assert again.shown == page.shown

    run(come_back())


def test_a_snapshot_brings_the_last_hundred_lines(server: Server) -> None:
    async def come_back() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "open"])
        async with ana.enter(room) as visit:
            old = visit.update["version"]
            for _ in range(12):
                await asyncio.gather(*(visit.ask("phrase", phrase="hello") for _ in range(10)))
            await visit.newer_than(old + 119)
        async with tab(ana, room) as page:
            update = await page.join()
            assert update["version"] == old + 120
            assert [line["version"] for line in update["talk"]] == list(range(old + 21, old + 121))
            assert update["steps"] == [], "no game has begun"

    run(come_back())


def test_joining_again_on_the_same_socket_brings_another_snapshot(server: Server) -> None:
    async def come_back() -> None:
        ana = Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"])
        async with tab(ana, room) as page:
            await page.join()
            await page.do("move", seat=0, move="c8", version=page.version)
            await page.do("phrase", phrase="oops")
            before = page.shown
            update = await page.join(language="es")
            assert page.shown == before
            assert [step["move"] for step in update["steps"]] == ["c8"]
            assert update["talk"][-1]["phrase"] == "oops"
            answer = await page.do("move", seat=0, move="c8", version=page.version)
            assert answer["text"].startswith("C1: no es"), "in the language of the last join"

    run(come_back())


@pytest.mark.parametrize(("game", "setup"), QUICK, ids=lambda value: value if isinstance(value, str) else "")
def test_a_page_that_loses_its_connection_shows_the_same_again(game: str, setup: Json, server: Server) -> None:
    """Ana plays from a page that breaks off at random moments; beside it a second page of hers stays connected."""

    async def play() -> None:
        random = Random(game)
        ana = Guest(server.address)
        room = await ana.open_room(game, ["me", "random"], **setup)
        heard: dict[int, Json] = {}
        ids = itertools.count()
        breaks = 0
        last = None
        async with tab(ana, room) as steady:
            await steady.join()
            while last is None:
                with contextlib.suppress(ConnectionClosed):
                    async with tab(ana, room) as page:
                        await page.join()
                        while True:
                            for step in page.steps:
                                assert heard.setdefault(step["version"], step) == step
                            if over(page.update):
                                last = page
                                break
                            moment = random.random()
                            if moment < 0.2:
                                breaks += 1
                                page.break_off()
                            if moves := page.update["legal"].get("0"):
                                await page.say(
                                    type="move", id=f"m{next(ids)}", seat=0, move=random.choice(moves),
                                    version=page.version,
                                )  # fmt: skip
                            if 0.2 < moment < 0.4:  # sent, but will the answer arrive?
                                breaks += 1
                                page.break_off()
                            await page.hear("update")
                            assert not page.update["reset"]
            await steady.at(last.version)
            assert steady.shown == last.shown
        async with tab(ana, room) as fresh:
            await fresh.join()
            assert fresh.shown == last.shown
            assert fresh.steps == steady.steps[-1:], "the last step, told to somebody new as to who was there"
            assert fresh.talk == steady.talk == last.talk
        assert breaks > 3
        told = {step["version"]: step for step in steady.steps}
        assert len(told) == len(steady.steps), "nothing twice"
        assert all(told[version] == step for version, step in heard.items()), "the same as without the breaks"
        assert list(told) == list(range(steady.steps[0]["version"], steady.steps[-1]["version"] + 1)), (
            "nothing left out"
        )

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
            for turn in range(12):
                page, seat = ((left, 0), (other, 1), (right, 0), (other, 1))[turn % 4]
                update = await page.until(lambda update: str(seat) in update["legal"])  # noqa: B023
                move = update["legal"][str(seat)][turn % 3]
                version = (await page.do("move", seat=seat, move=move, version=update["version"]))["version"]
                await left.at(version)
                await right.at(version)
                assert left.shown == right.shown
                assert left.steps == right.steps
            async with tab(ana, room) as third:
                await third.join()
                assert third.shown == left.shown

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
            version = (await left.until(lambda update: update["room"]["playing"]))["version"]
            move = {"type": "move", "id": "once", "seat": 0, "move": "c8", "version": version}
            await left.say(**move)
            await left.say(**move)
            await right.say(**move)
            by_http = await ana.call("POST", f"/api/rooms/{room}/commands", move)
            answers = [await left.hear("accepted"), await left.hear("accepted"), await right.hear("accepted"), by_http]
            await other.at(version + 1)
            assert [answer["version"] for answer in answers] == [version + 1] * 4
            answer = await other.do("move", id="once", seat=1, move="n8", version=version + 1)
            assert answer["version"] == version + 2, "an id is its sender's own"
            assert (await left.do(**move))["version"] == version + 1, "also much later"
            await left.at(version + 2)
            assert [step["move"] for step in left.steps if step["version"] > version] == ["c8", "n8"]

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
            old = (await hers.until(lambda update: update["room"]["playing"]))["version"]

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


async def poll_where_it_is_seen(host: Guest, guest: Guest) -> "asyncio.Task[Json]":
    """Somebody waits for updates of a room of their own, and the server has their request: they are here."""
    room = await host.open_room("callisto", ["me", "open"])
    await guest.call("POST", f"/api/rooms/{room}/commands", {"type": "sit", "id": "sit", "name": "Bob"})
    version = (await guest.call("GET", f"/api/rooms/{room}"))["version"]
    polling = asyncio.create_task(guest.call("GET", f"/api/rooms/{room}/updates?version={version}"))
    while not (await host.call("GET", f"/api/rooms/{room}"))["room"]["seats"]["1"]["here"]:
        await asyncio.sleep(0.01)
    return polling


def test_goodbye_and_everything_is_there_after_the_restart(tmp_path: Path) -> None:
    """SIGTERM in the middle of games: pages are told, nothing that was acknowledged is lost, and all games end."""

    database = f"sqlite:///{tmp_path / 'restart.db'}"

    async def play(server: Server) -> None:
        store, ledger = Store(database), Ledger()
        parties = [await meet(server.address, game, 2, **setup) for game, setup in QUICK]
        games = [asyncio.create_task(party.play(seed, ledger, pause=0.05)) for seed, party in enumerate(parties)]
        ana, eve = Guest(server.address), Guest(server.address)
        room = await ana.open_room("callisto", ["me", "me"], words="")
        async with tab(ana, room) as page, tab(eve, room) as bench:
            await page.join()
            await bench.join()
            await page.do("say", text="until later")
            move: Json = {"type": "move", "id": "before", "seat": 0, "move": "c8", "version": page.version}
            version = (await page.do(**move))["version"]
            polling = await poll_where_it_is_seen(ana, Guest(server.address))
            stopping = asyncio.create_task(asyncio.to_thread(server.stop))
            for told in (await page.hear("goodbye"), await bench.hear("goodbye")):
                assert told["reason"] == "restart"
                assert 0 < told["retry_after"] < 10
            with pytest.raises(Refused, match="busy"):
                await polling
            with pytest.raises(ConnectionClosed):
                await page.hear("update")
            assert await stopping == 0
        assert not any(game.done() for game in games)
        await asyncio.to_thread(server.start)
        for guest in (eve, Guest(server.address), ana):
            async with tab(guest, room) as again:
                await again.join()
                assert again.steps[0] | {"views": None} == page.steps[-1] | {"views": None}, "the last step is there,"
                assert again.talk == page.talk, "what was said,"
                assert again.update["room"]["promises"] == page.update["room"]["promises"], "and what was promised"
                if guest is ana:
                    assert again.shown == page.shown
                    assert (await again.do(**move))["version"] == version, "a command of before the restart is known"
                    assert (await again.do("move", seat=1, move="n8", version=version))["version"] == version + 1
        logs = {other: await store.read_log(other) for other in await asyncio.gather(*games)}
        for other in logs:
            await check_record(ana, other)
        for other, seat, moved, version in ledger.moves:
            event = logs[other][version - 1].event
            assert isinstance(event, Moved)
            assert (event.seat, event.move) == (seat, moved)
        await store.close()

    with serving(database, tmp_path, "--no-limits") as server:
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

    async def read_log(self, room: str, after: int = 0) -> list[Entry]:
        if not self.readable:
            raise OSError("input/output error")
        return await super().read_log(room, after)


class Ear:
    """Somebody who watches a room."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.told: list[Json] = []
        self.dismissed = False

    @property
    def versions(self) -> list[int]:
        return [update["version"] for update in self.told]

    def tell(self, text: str) -> None:
        self.told.append(json.loads(text))

    def dismiss(self, reason: str, retry_after: float) -> None:
        self.dismissed = True


@contextlib.asynccontextmanager
async def hub_on(folder: Path, pool: EnginePool | None = None) -> AsyncIterator[tuple[Hub, BadDisk, FakeClock]]:
    disk, clock = BadDisk(f"sqlite:///{folder / 'disk.db'}"), FakeClock()
    await migrate(disk.engine)
    hub = Hub(disk, pool or EnginePool(1), pause=0, clock=clock)
    try:
        yield hub, disk, clock
    finally:
        await hub.close()
        await hub.engines.pool.close()
        await disk.close()


def table_for_one() -> m.NewRoom:
    return m.NewRoom(game="callisto", seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="me")])


def move(opened: OpenRoom, move: str, id: str, seat: int = 0) -> Awaitable[int]:
    return opened.actor.do(m.Move(type="move", id=id, seat=seat, move=move, version=opened.room.version), "ana")


def test_nothing_is_acknowledged_or_shown_before_it_is_on_disk(tmp_path: Path) -> None:
    async def wait_for_the_disk() -> None:
        async with hub_on(tmp_path) as (hub, disk, _):
            opened = await hub.create(table_for_one(), "ana")
            version = opened.room.version
            disk.open.clear()
            first = asyncio.ensure_future(move(opened, "c8", "same"))
            await settle()
            again = asyncio.ensure_future(move(opened, "c8", "same"))
            ear = Ear("eve")
            opened.audience.join(ear)
            await settle()
            assert not first.done()
            assert not again.done(), "a repeated message is no proof that the first was written"
            assert ear.versions == [version]
            assert opened.room.version == version
            assert json.loads(opened.audience.snapshot("ana"))["version"] == version
            disk.open.set()
            assert (await first, await again) == (version + 1, version + 1)
            await settle()
            assert ear.versions == [version, version + 1]

    run(wait_for_the_disk())


def test_a_crowd_is_not_shown_either_what_is_not_on_disk(tmp_path: Path) -> None:
    """Many watchers are told of the progress within a round a little later: a slow write may be going on then."""

    async def wait_for_the_disk() -> None:
        async with hub_on(tmp_path) as (hub, disk, clock):
            opened = await hub.create(m.NewRoom(game="knister", seats=[m.SeatPlan(kind="me")] * 3), "ana")
            ears = [Ear(f"p{number}") for number in range(MAX_INSTANT_WATCHERS + 1)]
            for ear in ears:
                opened.audience.join(ear)
            version = await move(opened, "a1", "first")
            disk.open.clear()
            second = asyncio.ensure_future(move(opened, "b2", "second", seat=1))
            await settle()
            assert {ear.versions[-1] for ear in ears} == {version - 1}, "not at every move"
            await clock.advance(1)
            assert {ear.versions[-1] for ear in ears} == {version}
            await clock.advance(10)
            assert {ear.versions[-1] for ear in ears} == {version}
            disk.open.set()
            assert await second == version + 1
            await clock.advance(1)
            assert {ear.versions[-1] for ear in ears} == {version + 1}

    run(wait_for_the_disk())


def test_a_disk_that_fails_is_told_and_the_room_is_what_the_disk_has(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail() -> None:
        async with hub_on(tmp_path) as (hub, disk, _):
            opened = await hub.create(table_for_one(), "ana")
            version = await move(opened, "c8", "first")
            ear = Ear("ana")
            opened.audience.join(ear)
            disk.readable = False
            async with asyncio.timeout(10):
                for id in ("second", "third"):
                    with pytest.raises(Refusal, match="could not be written") as told:
                        await move(opened, "n8", id, seat=1)
                    assert (told.value.reason, told.value.retry_after) == ("busy", 1)
                with pytest.raises(Refusal, match="could not be written"):
                    await hub.create(table_for_one(), "ana")
            assert ear.dismissed, "everybody comes back ..."
            disk.readable = True
            again = await hub.get(opened.room.id)
            assert again is not None
            assert again is not opened
            assert again.room.version == version, "... to what was acknowledged"
            assert await move(again, "n8", "second", seat=1) == version + 1

    run(fail())
    assert "the database refused a write" in caplog.text


def test_a_command_that_breaks_harms_nobody_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It should never happen; if it does, nothing of it may be left in memory or on disk."""

    async def break_it() -> None:
        async with hub_on(tmp_path) as (hub, _, _):
            opened = await hub.create(table_for_one(), "ana")
            version = opened.room.version

            def broken(*_: object) -> None:
                raise RuntimeError("a mistake of ours")

            monkeypatch.setattr(PhraseSaid, "line", broken)
            hello = m.Phrase(type="phrase", id="hello", phrase="hello")
            answers = await asyncio.gather(
                move(opened, "c8", "before"),
                opened.actor.do(hello, "ana"),
                move(opened, "c9", "after"),
                return_exceptions=True,
            )
            assert answers[0] == version + 1
            assert "something went wrong" in str(answers[1])
            assert isinstance(answers[1], Refusal)
            assert answers[1].reason == "broken"
            assert "somebody" in str(answers[2]) or "changed since" in str(answers[2]) or "C1" in str(answers[2])
            log = await hub.store.read_log(opened.room.id)
            assert [entry.version for entry in log] == list(range(1, version + 2))
            assert opened.room.version == version + 1

    run(break_it())
    assert "a command broke" in caplog.text
