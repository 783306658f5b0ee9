"""Nothing leaks: no message, no answer and no log line depends on what its reader may not know.

Twice over. Rooms that differ in secrets only are asked the same things, and must say the same, to the byte. And whole
games are played at a real server, with spies on everything: what each update shows is compared with what the log says
that its reader may know, and nowhere is there a piece of a secret, a token or a person's id.
"""

import asyncio
import base64
import contextlib
import datetime
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text

from server.bots import Ledger, play_seat
from server.serving import Server, serving
from server.spies import (
    Desk,
    Heard,
    Line,
    Person,
    SpyGuest,
    Story,
    betrayals,
    desk,
    replayed,
    store_log,
    with_other_secrets,
)
from sobremesa.games.isis_osiris.editions import EDITIONS, table
from sobremesa.games.isis_osiris.view import IsisOsirisView
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.state import DICE
from sobremesa.games.knister.view import KnisterView
from sobremesa.server import hub, logs, messages, routes, updates
from sobremesa.server.room import Event, Room
from sobremesa.server.storage import dailies, events, keys, open_engine, promises
from sobremesa.table.fair import FairChance

pytestmark = pytest.mark.unmeasured
PEOPLE = [Person(number) for number in range(46)]
SPECTATOR = Person(200)
KINDS: dict[str, tuple[int, dict[str, Any]]] = {
    "callisto": (2, {"game": "callisto", "options": {"edition": "pocket"}}),
    **{
        f"isis-{variant}-{seats}{'-aid' if aid else ''}": (
            seats,
            {"game": "isis-osiris", "options": {"variant": variant, "memory_aid": aid}, "public": True},
        )
        for variant, seats, aid in [
            ("own", 2, False),
            ("own", 4, True),
            ("common", 2, True),
            ("common", 3, False),
            ("common", 4, False),
        ]
    },
    **{f"knister-{seats}": (seats, {"game": "knister", "clock": 3000}) for seats in (1, 5, 45)},
}


# -- rooms that differ in secrets only ------------------------------------------------------------------------------


class Twins:
    """Two houses full of rooms. Whoever asks about a room cannot know in which house they are."""

    def __init__(self, kind: str, seed: int = 1, moments: int = 3, quick: bool = False) -> None:
        seats, setup = KINDS[kind]
        random = Random(f"{kind} {seed}")
        story = Story(random, PEOPLE[:seats], **setup).play_out()
        *waiting, last, end = story.moments
        # Some moments of the game, and always these: its last decision, and after it.
        some = random.sample(waiting, min(moments - 2, len(waiting)))
        self._quick = quick
        self.rooms: dict[str, tuple[Person, list[Line], list[Line]]] = {}
        for at in sorted({*some, last, end}):
            for seat in (None, random.randrange(seats)):
                reader = SPECTATOR if seat is None else PEOPLE[seat]
                log = story.log[:at]
                self.rooms[f"{kind}-{at}-{seat}"] = (reader, log, with_other_secrets(log, seat, random))

    @property
    def hidden_differences(self) -> int:
        """In how many rooms more than the secret differs."""
        return sum([e for e, _ in log] != [e for e, _ in twin] for _, log, twin in self.rooms.values())

    async def told(self, house: int, folder: Path) -> list[Heard]:
        """All that is told in one of the two houses: read from disk, while more happens, and after a restart."""
        heard: list[Heard] = []
        folder.mkdir()
        async with desk(folder) as here:
            for id, (_, *logs) in self.rooms.items():
                await store_log(here.house, id, logs[house])
            for id, (reader, *logs) in self.rooms.items():
                await self._ask(here, id, reader, heard)
                await self._go_on(here, id, reader, logs[house], heard, Random(f"{house} {id}"))
            for reader in self._readers:
                heard += [Heard("", path, await here.get(path, reader.token)) for path in ("/api/me", "/api/rooms")]
                heard += [Heard("", "/api/me/export", text) for text in await self._export(here, reader)]
        if not self._quick:
            async with desk(folder) as here:
                for id, (reader, *_) in self.rooms.items():
                    await self._ask(here, id, reader, heard, step=7)
        return heard

    @property
    def _readers(self) -> list[Person]:
        here = {reader.number for reader, *_ in self.rooms.values()}
        return [person for person in (SPECTATOR, *PEOPLE) if person.number in here]

    async def _export(self, here: Desk, reader: Person) -> list[str]:
        """All that is stored about a reader, who may know it. Left out: rooms where they are one of the others."""
        export = json.loads((await here.get("/api/me/export", reader.token)).partition("] ")[2])
        rows = [(row.get("room", row.get("id")), json.dumps(row)) for table in export.values() for row in table]
        return [row.replace(reader.id, "") for room, row in rows if self.rooms.get(room, [reader])[0] is reader]

    async def _ask(self, here: Desk, id: str, reader: Person, heard: list[Heard], step: int = 1) -> None:
        """Comes to a room with every version that one could have had, and asks for everything else by HTTP."""
        async with here.socket(id, reader.token) as socket:
            socket.say(type="join")
            first = await socket.hear()
            heard.append(Heard(id, "socket", first))
            latest = json.loads(first)["version"]
            step *= 7 if self._quick else 1 if latest < 200 else 50
            for version in range(latest + 1, -1, -step):
                socket.say(type="join", version=version)
                heard.append(Heard(id, f"socket {version}", await socket.hear()))
        paths = [f"/api/rooms/{id}", f"/api/rooms/{id}/games/1/record"]
        paths += [f"/api/rooms/{id}/games/1/replay", f"/api/rooms/{id}/games/1/replay?memory=true"]
        paths += [f"/api/rooms/{id}/updates?wait=0.01&version={v}" for v in (0, latest // 2, latest - 1, latest)]
        heard += [Heard(id, path, await here.get(path, reader.token)) for path in paths]

    async def _go_on(
        self, here: Desk, id: str, reader: Person, log: list[Line], heard: list[Heard], random: Random
    ) -> None:
        """Something more happens while the reader looks on, by socket and by long polling."""
        room = replayed(id, log)
        async with here.socket(id, reader.token) as looking, here.socket(id, PEOPLE[0].token) as host:
            for socket in (looking, host):
                socket.say(type="join")
                await socket.hear()
            polling = asyncio.create_task(
                here.get(f"/api/rooms/{id}/updates?wait=20&version={room.version}", reader.token)
            )
            async with asyncio.timeout(20):
                while len(here.house.hub.rooms[id].watchers) < 3:  # both sockets, and whoever polls
                    await asyncio.sleep(0.001)
            if (said := self._public_or_hidden_move(room, reader, random)) is not None:
                seat, move = said
                async with here.socket(id, PEOPLE[seat].token) as mover:
                    mover.say(type="join")
                    await mover.hear()
                    mover.say(type="move", id="more", seat=seat, move=move, version=room.version)
                    await mover.hear_until(room.version + 1)
            host.say(type="phrase", id="hi", phrase="hello")
            texts = await looking.hear_until(room.version + (1 if said is None else 2))
            heard += [Heard(id, "pushed", text) for text in texts]
            heard.append(Heard(id, "polled", await polling))

    @staticmethod
    def _public_or_hidden_move(room: Room, reader: Person, random: Random) -> tuple[int, str] | None:
        """A move that others see, the same in both houses; or one that they must not see, and not the same."""
        if room.sitting is None or not room.playing:
            return None
        state = room.sitting.state
        if room.game.id == "knister":
            others = [seat for seat in state.deciding if PEOPLE[seat] is not reader]
            if len(state.deciding) < 2 or not others:
                return None  # the round would end, and all would be seen
            return others[0], str(random.choice(state.legal_moves(others[0])))
        seat = next(iter(state.deciding))
        moves = [move for move in state.legal_moves(seat) if str(move) != "T" and not state.play(move, seat).over]
        return (seat, str(moves[len(moves) // 2])) if moves else None


_CLOCKS = re.compile(r'(\\?"(?:at|now|deadline|changed_at|created_at)\\?": ?)[0-9.]+')


def normal(one: Heard) -> Heard:
    """Without the time of day."""
    return one._replace(text=_CLOCKS.sub(r"\1?", one.text))


class Capture(logging.Handler):
    """Every log line of this process."""

    def __init__(self) -> None:
        super().__init__(logging.INFO)
        self.lines: list[Heard] = []

    def emit(self, record: logging.LogRecord) -> None:
        if record.name.partition(".")[0] != "alembic":  # which says some things once in a process only
            self.lines.append(Heard("operator", "log", self.format(record)))


@pytest.fixture
def log_lines() -> Iterator[list[Heard]]:
    capture, root = Capture(), logging.getLogger()
    before = root.level
    root.addHandler(capture)
    root.setLevel(logging.INFO)
    logging.getLogger("httpx").setLevel(logging.WARNING)
    yield capture.lines
    root.removeHandler(capture)
    root.setLevel(before)


def found(twins: Twins, folder: Path, log_lines: list[Heard]) -> list[str]:
    """All differences between two houses that nobody may notice, and all secrets that somebody is told."""
    sides = []
    for house in (0, 1):
        start = len(log_lines)
        heard = [normal(one) for one in asyncio.run(twins.told(house, folder / str(house)))]
        sides.append(heard + [normal(one) for one in log_lines[start:]])
    assert len(sides[0]) == len(sides[1])
    assert len(sides[0]) > len(twins.rooms) * 10
    wrong = [
        f"{a.to} {a.where}: {a.text} <> {b.text}" for a, b in zip(sides[0], sides[1], strict=True) if a.text != b.text
    ]
    for house in (0, 1):
        secrets = [
            secret
            for _, *logs in twins.rooms.values()
            for _, secret in logs[house]
            if secret is not None
            # Told when the game ended; that of the next game is not.
            and not any(event.kind == "ended" and event.data["secret"] == secret.hex() for event, _ in logs[house])
        ]
        names = {one.token for one in PEOPLE} | {one.id for one in PEOPLE}
        wrong += [f"{one.to} {one.where}: {one.text}" for one in betrayals(sides[house], secrets, names)]
    return wrong


LONG = ("isis-common-2-aid", "isis-common-4", "knister-45")


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.at_length] if kind in LONG else []) for kind in KINDS]
)
def test_nobody_can_tell_rooms_apart_that_differ_in_secrets_only(
    kind: str, tmp_path: Path, log_lines: list[Heard]
) -> None:
    assert found(Twins(kind), tmp_path, log_lines) == []


def test_the_rooms_do_differ() -> None:
    for kind in KINDS:
        twins = Twins(kind)
        assert all(
            [s for _, s in log] != [s for _, s in twin]
            for _, log, twin in twins.rooms.values()
            if any(secret for _, secret in log)
        )
        differ = twins.hidden_differences
        if kind in ("callisto", "knister-1") or kind.endswith("aid"):
            assert differ == 0, "nothing but the secret is hidden here"
        else:
            assert differ >= 2, kind


async def daily_told(folder: Path, secret: bytes) -> list[str]:
    """All that two people are told of the daily game with this secret, one of them after three numbers."""
    folder.mkdir()
    async with desk(folder) as here:
        today = datetime.datetime.now(datetime.UTC).date()
        for day, of_day in ((today, secret), (today + datetime.timedelta(days=1), bytes(reversed(secret)))):
            await here.house.store.put(dailies, ["date"], {"date": str(day), "secret": of_day})
        for round, cell in enumerate(("a1", "c3", "e5")):
            await here.house.daily.write(PEOPLE[0].id, "Ana", round, cell)
        paths = ["/api/daily"] + [f"/api/daily/{today}/{what}" for what in ("ranking", "review", "proof")]
        return [await here.get(path, person.token) for person in PEOPLE[:2] for path in paths]


def test_the_daily_game_tells_no_roll_before_its_time(tmp_path: Path) -> None:
    random, seen = Random(3), dict[tuple[int, ...], bytes]()
    while True:  # two days that begin with the same four rolls
        secret = random.randbytes(32)
        rolls = tuple(DICE.at(FairChance(secret).ticket(counter, DICE.total)) for counter in range(4))
        if rolls in seen:
            break
        seen[rolls] = secret
    sides = [asyncio.run(daily_told(tmp_path / secret.hex()[:4], secret)) for secret in (secret, seen[rolls])]
    promised = re.compile('"[0-9a-f]{64}"')  # the promises do depend on the secrets, and hide them
    assert [promised.sub("?", told) for told in sides[0]] == [promised.sub("?", told) for told in sides[1]]
    assert f'"roll":{rolls[3]},' in sides[0][0]
    heard = [Heard("", "", told) for side in sides for told in side]
    assert betrayals(heard, [some for one in (secret, seen[rolls]) for some in (one, bytes(reversed(one)))]) == []


def test_a_database_that_complains_tells_no_secret(tmp_path: Path, log_lines: list[Heard]) -> None:
    """It says which row it could not write, secret and all; the operator's log leaves that out."""
    written: list[bytes] = []

    async def main() -> None:
        async with desk(tmp_path) as here:
            append = here.house.store.append

            async def spied(batch: Any) -> None:
                written.extend(batch.secrets.values())
                await append(batch)

            here.house.store.append = spied  # type: ignore[method-assign]
            async with here.house.store.writing() as connection:
                await connection.execute(text("DROP TABLE promises"))
            headers = {"Authorization": f"Bearer {PEOPLE[0].token}"}
            setup = {"game": "knister", "seats": [{"kind": "me"}]}
            answer = await here.http.post("/api/rooms", json=setup, headers=headers)
            assert answer.status_code >= 400
            log_lines.append(Heard("Ana", "answer", answer.text))

    capture = next(handler for handler in logging.getLogger().handlers if isinstance(handler, Capture))
    capture.setFormatter(logs.Structured())
    asyncio.run(main())
    assert written
    assert any("the database refused a write" in line.text for line in log_lines)
    assert betrayals(log_lines, written, [PEOPLE[0].token]) == []


# -- the same test must fail where something leaks --------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch], None]


def leak_rolled_values(patch: pytest.MonkeyPatch) -> None:
    told = updates._told

    def leaking(room: Room, event: Event, person: str) -> messages.Happened | None:
        if event.kind == "rolled":
            return messages.Happened(version=event.version, kind="rolled", at=0, number=event.data["outcome"])
        return told(room, event, person)

    patch.setattr(updates, "_told", leaking)


def leak_others_numbers(patch: pytest.MonkeyPatch) -> None:
    told = updates._told

    def leaking(room: Room, event: Event, person: str) -> messages.Happened | None:
        return told(room, event, event.person or person)

    patch.setattr(updates, "_told", leaking)


def leak_by_memory_aid(patch: pytest.MonkeyPatch) -> None:
    def leaking(state: Any, seat: int | None) -> Any:
        options = state.options | {"memory_aid": True}
        return IsisOsirisView.of(state._replace(table=table(**options)), seat)

    patch.setattr("sobremesa.games.isis_osiris.state.IsisOsirisState.view", leaking)


def leak_by_points(patch: pytest.MonkeyPatch) -> None:
    def leaking(state: Any, seat: int | None) -> Any:
        return KnisterView.of(state._replace(closed=state.sheets), seat)

    patch.setattr("sobremesa.games.knister.state.KnisterState.view", leaking)


def leak_chance_to_come(patch: pytest.MonkeyPatch) -> None:
    build = updates.build_update

    def leaking(room: Room, *more: Any) -> messages.Update:
        update = build(room, *more)
        if room.sitting is not None and room.playing and room.secret:
            note = room.sitting.chance.ticket(1000, 2)
            return update.model_copy(update={"views": [*update.views, {"hint": note}]})
        return update

    patch.setattr(hub, "build_update", leaking)


def leak_secret_in_update(patch: pytest.MonkeyPatch) -> None:
    build = updates.build_update

    def leaking(room: Room, *more: Any) -> messages.Update:
        update = build(room, *more)
        words = {0: room.secret.hex()[20:50]} if room.secret else {}
        return update.model_copy(update={"table": update.table.model_copy(update={"words": words})})

    patch.setattr(hub, "build_update", leaking)


def leak_record_too_early(patch: pytest.MonkeyPatch) -> None:
    async def leaking(store: Any, id: str, number: int) -> Any:
        room = Room(id)
        log, promised = await store.read_events(id)
        for event in log:
            room.apply(event, promised.get(event.version))
        assert room.sitting is not None
        return room.sitting.record()

    patch.setattr(routes, "record_of", leaking)


def leak_into_the_log(patch: pytest.MonkeyPatch) -> None:
    show = hub.LiveRoom.show

    def leaking(live: hub.LiveRoom) -> None:
        hub.log.info("room %s has %r", live.room.id, live.room.secret)
        show(live)

    patch.setattr(hub.LiveRoom, "show", leaking)


def leak_a_person(patch: pytest.MonkeyPatch) -> None:
    build = updates.build_update

    def leaking(room: Room, *more: Any) -> messages.Update:
        update = build(room, *more)
        return update.model_copy(update={"views": [{"host": room.host}]})

    patch.setattr(hub, "build_update", leaking)


@pytest.mark.parametrize(
    ("kind", "leak"),
    [
        ("isis-own-2", leak_rolled_values),
        ("isis-own-2", leak_by_memory_aid),
        ("isis-own-2", leak_chance_to_come),
        ("isis-own-2", leak_record_too_early),
        ("isis-own-2", leak_into_the_log),
        ("isis-own-2", leak_a_person),
        ("knister-5", leak_others_numbers),
        ("knister-5", leak_by_points),
        ("knister-5", leak_secret_in_update),
    ],
)
def test_a_leak_would_be_found(
    kind: str, leak: Patch, tmp_path: Path, log_lines: list[Heard], monkeypatch: pytest.MonkeyPatch
) -> None:
    leak(monkeypatch)
    assert found(Twins(kind, moments=3, quick=True), tmp_path, log_lines) != []


def test_pieces_of_a_secret_are_found_however_they_are_written() -> None:
    secret = Random(1).randbytes(32)
    for written in (
        secret.hex(),
        secret.hex().upper(),
        secret.hex()[5:40],
        repr(secret),
        base64.b64encode(secret).decode(),
        base64.b64encode(b"x" + secret).decode(),
        base64.urlsafe_b64encode(b"xy" + secret).decode(),
        json.dumps(list(secret)),
        str(int.from_bytes(secret)),
    ):
        assert betrayals([Heard("a", "b", f"<{written}>")], [secret]), written
    assert not betrayals([Heard("a", "b", Random(2).randbytes(32).hex())], [secret])
    ended = {"type": "update", "events": [{"kind": "ended", "text": secret.hex()}]}
    assert not betrayals([Heard("a", "socket", json.dumps(ended))], [secret]), "the end tells it"
    ended["events"].append({"kind": "said", "text": secret.hex()})  # type: ignore[attr-defined]
    assert betrayals([Heard("a", "socket", json.dumps(ended))], [secret])


# -- whole games at a real server -------------------------------------------------------------------------------------

GAMES: list[tuple[int, dict[str, Any]]] = [
    (2, {"game": "callisto", "options": {"edition": "classic"}}),
    (3, {"game": "callisto", "options": {"edition": "pocket"}, "public": True}),
    *[
        (seats, {"game": "isis-osiris", "options": {"variant": variant, "memory_aid": aid}, "public": True})
        for seats, variant, aid in [
            (2, "own", False), (3, "own", True), (4, "own", False),
            (2, "common", True), (3, "common", False), (4, "common", False),
        ]
    ],
    *[(seats, {"game": "knister"}) for seats in (1, 2, 5, 45)],
]  # fmt: skip


class Spied:
    """A room at a real server: people play, others look on, and everything is written down."""

    def __init__(self, server: Server, number: int, heard: list[Heard]) -> None:
        self.seats, self.setup = GAMES[number]
        self.heard = heard
        self._server = server
        self._random = Random(number)
        self._name = f"{number}"
        self.guests = [SpyGuest(server.address, f"{number}.{seat}", heard) for seat in range(self.seats)]
        self.spectator = SpyGuest(server.address, f"{number}.spectator", heard)
        self.room = ""

    async def play(self) -> None:
        """A whole game."""
        host = self.guests[0]
        crowd = self.seats > 12
        plans = [] if crowd else ["me"] + ["open"] * (self.seats - 1)
        self.room = await host.open_room(seats=plans, crowd=crowd, name="P0", words="mine", **self.setup)
        looking = [asyncio.create_task(look()) for look in (self._look_on, self._poll, self._ask_around)]
        sat = asyncio.Barrier(self.seats) if crowd else None
        await asyncio.gather(*(self._play_seat(seat, sat) for seat in range(self.seats)))
        await asyncio.gather(*looking)
        await self.spectator.call("GET", f"/api/rooms/{self.room}/games/1/record")

    async def _play_seat(self, seat: int, sat: asyncio.Barrier | None) -> None:
        async with self.guests[seat].enter(self.room) as visit:
            own = seat
            if seat or sat is not None:
                await visit.do("sit", name=f"P{seat}", seat=None if sat else seat, words=f"w{seat}")
            if sat is not None:
                await sat.wait()
                if seat == 0:
                    await visit.do("start")
                update = await visit.wait_until(lambda update: bool(update["table"]["playing"]))
                own = next(int(place) for place, info in update["table"]["seats"].items() if info["yours"])
            await play_seat(visit, own, Random(f"{self._name} {seat}"), Ledger())

    async def _look_on(self) -> None:
        """A spectator at a socket, who loses the connection now and then and comes back."""
        over = False
        while not over:
            async with self.spectator.enter(self.room) as visit:
                with contextlib.suppress(TimeoutError):
                    await visit.wait_until(_over, timeout=0.7)
                over = _over(visit.update)

    async def _poll(self) -> None:
        """A spectator without sockets."""
        name = f"{self._name}.poller"
        async with httpx.AsyncClient(base_url=self._server.address, timeout=30) as http:
            update: dict[str, Any] = {}
            while not _over(update):
                asked = {"version": update["version"]} if update else {}
                answer = await http.get(f"/api/rooms/{self.room}/updates", params=asked | {"wait": 5})
                self.heard.append(Heard(name, "updates", answer.text))
                update = answer.json()

    async def _ask_around(self) -> None:
        """A player who asks for everything else, again and again."""
        async with httpx.AsyncClient(base_url=self._server.address, timeout=30) as http:
            while True:
                for path in (f"/api/rooms/{self.room}", "/api/me", "/api/rooms", "/api/daily", "/metrics"):
                    answer = await http.get(path, headers=self.guests[-1]._authorization)
                    where = "room" if path.endswith(self.room) else path
                    self.heard.append(Heard(self.guests[-1].name, where, answer.text))
                    if where == "room" and _over(answer.json()):
                        return
                record = await http.get(f"/api/rooms/{self.room}/games/1/record")
                if record.status_code == 200:
                    assert _over((await http.get(f"/api/rooms/{self.room}")).json()), "no record before the end"
                await asyncio.sleep(0.3)


def _over(update: dict[str, Any]) -> bool:
    return bool(update and update["table"]["number"] and not update["table"]["playing"])


async def play_all(server: Server, numbers: Iterable[int], heard: list[Heard]) -> list[Spied]:
    rooms = [Spied(server, number, heard) for number in numbers]
    await asyncio.gather(*(room.play() for room in rooms))
    return rooms


async def read_database(database: str) -> tuple[dict[str, list[Event]], list[bytes], set[str]]:
    """The logs by room, all secrets, and everybody's id."""
    engine = open_engine(database)
    try:
        async with engine.connect() as connection:
            logs: dict[str, list[Event]] = {}
            for row in await connection.execute(select(events).order_by(events.c.room, events.c.version)):
                event = Event(row.version, row.kind, json.loads(row.data), row.at, row.person)
                logs.setdefault(row.room, []).append(event)
            secrets = [bytes(row.secret) for row in await connection.execute(select(promises))]
            secrets += [bytes(row.secret) for row in await connection.execute(select(dailies))]
            secrets += [bytes(row.value) for row in await connection.execute(select(keys))]
    finally:
        await engine.dispose()
    return logs, secrets, {event.person for log in logs.values() for event in log if event.person}


class Oracle:
    """What may be known at each version of a room, worked out from its log alone, without the rules or the views."""

    def __init__(self, log: list[Event]) -> None:
        self._log = log
        setup = log[0].data
        self.game, self._aid = setup["game"], bool(setup["options"].get("memory_aid"))
        begun = next(event for event in log if event.kind == "begun")
        order: dict[int, str | None] = {}
        for event in log[: begun.version]:
            if event.kind == "seated":
                order[event.data["seat"]] = event.person
        self.people = [order[seat] for seat in sorted(order)]

    def check(self, update: dict[str, Any], person: str | None) -> None:
        """Fails if an update says more than the person may know."""
        self._check_events(update["events"], person)
        if not update["views"] or _over(update):
            return
        assert len(update["views"]) == 1
        view = update["views"][0]
        seat = self.people.index(person) if person in self.people else None
        assert view["seat"] == seat
        if seat is None:
            assert update["legal"] == {}
        past = [event for event in self._log if event.version <= update["version"]]
        if self.game == "isis-osiris":
            assert (view["cells"], view["turned"]) == self._board(past)
        if self.game == "knister":
            closed, running = self._sheets(past)
            assert [row["sheet"] for row in view["standings"]] == [closed[row["seat"]] for row in view["standings"]]
            assert view["sheet"] == (None if seat is None else running[seat])

    def _check_events(self, told: list[dict[str, Any]], person: str | None) -> None:
        for event in told:
            happened = self._log[event["version"] - 1]
            assert happened.kind == event["kind"]
            if event["kind"] == "rolled":
                assert all(event[field] is None for field in ("seat", "name", "text", "number")), "I3"
            if event["kind"] == "moved" and self.game == "knister" and len(self.people) > 1:
                assert event["text"] == (happened.data["move"] if happened.person == person else None)

    def _board(self, past: list[Event]) -> tuple[list[str], int | None]:
        names = EDITIONS["standard"].names
        cells, turned = ["."] * len(names), None
        for event in past:
            if event.kind == "rolled":
                turned = event.data["outcome"]
            if event.kind == "moved" and event.data["move"] != "T":
                cell = names.index(event.data["move"][1:])
                if event.data["move"][0] == "S":
                    cells[cell] = "ABCD"[event.data["seat"]]
                else:
                    cells[cell] = f"{turned:+}" if self._aid else "?"
                    turned = None
        return cells, turned

    def _sheets(self, past: list[Event]) -> tuple[list[list[int]], list[list[int]]]:
        closed = [[0] * 25 for _ in self.people]
        running = [list(sheet) for sheet in closed]
        roll, wrote = 0, 0
        cells = [str(write) for write in WRITES]
        for event in past:
            if event.kind == "rolled":
                roll, wrote = event.data["outcome"], 0
            if event.kind == "moved":
                running[event.data["seat"]][cells.index(event.data["move"])] = roll
                wrote += 1
                if wrote == len(self.people):
                    closed = [list(sheet) for sheet in running]
        return closed, running


def check_all_that_was_heard(rooms: list[Spied], heard: list[Heard], logs: dict[str, list[Event]]) -> int:
    """Every update against the oracle; returns how many there were."""
    checked = 0
    for room in rooms:
        oracle = Oracle(logs[room.room])
        book = {guest.name: _person(guest, logs[room.room]) for guest in room.guests}
        number = room.spectator.name.partition(".")[0]
        for one in heard:
            if one.to.partition(".")[0] == number and one.where in ("socket", "updates", "room"):
                message = json.loads(one.text)
                if message["type"] == "update":
                    oracle.check(message, book.get(one.to))
                    checked += 1
    return checked


def check_that_the_oracle_would_object(rooms: list[Spied], heard: list[Heard], logs: dict[str, list[Event]]) -> None:
    def seen_by_spectator(number: int, test: Callable[[dict[str, Any]], bool]) -> dict[str, Any]:
        updates = (json.loads(one.text) for one in heard if one.to == f"{number}.poller")
        return next(update for update in updates if update["views"] and not _over(update) and test(update["views"][0]))

    isis, knister = 2, len(GAMES) - 2
    oracle = Oracle(logs[rooms[isis].room])
    update = seen_by_spectator(isis, lambda view: "?" in view["cells"])
    oracle.check(update, None)
    cells = update["views"][0]["cells"]
    cells[cells.index("?")] = "+2"
    with pytest.raises(AssertionError):
        oracle.check(update, None)
    oracle = Oracle(logs[rooms[knister].room])
    update = seen_by_spectator(knister, lambda view: view["rounds"] > 0 and view["waiting"] > 0)
    oracle.check(update, None)
    sheet = update["views"][0]["standings"][0]["sheet"]
    sheet[sheet.index(0)] = update["views"][0]["roll"]
    with pytest.raises(AssertionError):
        oracle.check(update, None)


def _person(guest: SpyGuest, log: list[Event]) -> str | None:
    assert guest.token is not None
    raw = base64.urlsafe_b64decode(guest.token.partition(".")[0])
    person = hashlib.sha256(b"person" + raw).hexdigest()[:32]
    assert any(event.person == person for event in log)
    return person


def test_whole_games_with_spies_on_everything(tmp_path: Path) -> None:
    database = f"sqlite:///{tmp_path / 'spied.db'}"
    heard: list[Heard] = []
    with serving(database, tmp_path, "--no-limits", "--log-level", "debug") as server:
        rooms = asyncio.run(play_all(server, range(len(GAMES)), heard))
        assert server.stop() == 0
        lines = [Heard("operator", "log", line) for line in server.log.splitlines()]
    logs, secrets, ids = asyncio.run(read_database(database))
    assert check_all_that_was_heard(rooms, heard, logs) > 2000
    check_that_the_oracle_would_object(rooms, heard, logs)
    assert len(secrets) >= 2 * len(GAMES)
    tokens = {token for room in rooms for guest in room.guests if (token := guest.token)}
    words = ids | {half for token in tokens for half in token.split(".")}
    assert betrayals(heard, secrets, words) == []
    assert betrayals([one._replace(where="log") for one in lines], secrets, words) == []
    assert "Traceback" not in server.log
    told = {room.room: next(e for e in logs[room.room] if e.kind == "ended").data["secret"] for room in rooms}
    for room in rooms[2:]:  # there is no chance in Callisto
        assert any(told[room.room] in one.text for one in heard if one.where == "record"), "after the end it is told"
