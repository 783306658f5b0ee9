"""Nothing leaks: no message, no answer and no log line depends on what its reader may not know.

Three times over. Rooms that differ in secrets only are asked the same things, and must say the same, to the byte. An
audience that comes, goes, comes back and is told late is compared, update by update, with an oracle that knows the log
and nothing else. And whole games are played at a real server, with spies on everything: the oracle again, and nowhere
is there a piece of a secret, a token or a person's id.
"""

import asyncio
import base64
import contextlib
import datetime
import hashlib
import json
import logging
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest
from sqlalchemy import select, text

from server.bots import Ledger, play_seat
from server.serving import Server, serving
from server.spies import Desk, Heard, Person, Socket, SpyGuest, Story, betrayals, desk, store_log, with_other_secrets
from sobremesa.games.isis_osiris.editions import EDITIONS, find_setup
from sobremesa.games.isis_osiris.view import IsisOsirisView
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.server.part import daily_of
from sobremesa.games.knister.state import DICE
from sobremesa.games.knister.view import KnisterView
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms import updates
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.history import TableStep
from sobremesa.rooms.promises import Promise
from sobremesa.rooms.room import Room
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.server import actor, audience, hub, logs, routes
from sobremesa.server.actor import Publication
from sobremesa.server.audience import Audience
from sobremesa.server.clock import Clock
from sobremesa.server.database import dailies, events, keys, open_engine, promises
from sobremesa.server.storage import _entry
from sobremesa.table import record as record_file
from sobremesa.table.fair import FairChance

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
    **{f"knister-{seats}": (seats, {"game": "knister", "clock": 3000}) for seats in (1, 5, 26)},
}


# -- rooms that differ in secrets only ------------------------------------------------------------------------------


class Twins:
    """Two houses full of rooms. Whoever asks about a room cannot know in which house they are."""

    def __init__(self, kind: str, seed: int = 1, moments: int = 4, quick: bool = False) -> None:
        seats, setup = KINDS[kind]
        random = Random(f"{kind} {seed}")
        story = Story(random, PEOPLE[:seats], **setup).play_out()
        *waiting, last, end = story.moments
        # Some moments of the game, and always these: after a move of the others, its last decision, and after it.
        moved = [at for at in waiting if isinstance(story.log[at - 1].event, e.Moved)]
        some = [*random.sample(waiting, min(moments - 3, len(waiting))), random.choice(moved or waiting)]
        self._quick = quick
        self.rooms: dict[str, tuple[Person, list[e.Entry], list[e.Entry]]] = {}
        for at in sorted({*some, last, end}):
            for seat in (None, random.randrange(seats)):
                reader = SPECTATOR if seat is None else PEOPLE[seat]
                log = story.log[:at]
                self.rooms[f"{kind}-{at}-{seat}"] = (reader, log, with_other_secrets(log, seat, random))

    @property
    def hidden_differences(self) -> int:
        """In how many rooms more than the secret differs."""
        return sum([one.event for one in log] != [one.event for one in twin] for _, log, twin in self.rooms.values())

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
            while here.house.hub._tasks:  # a game that has ended is rated in the background
                await asyncio.wait(here.house.hub._tasks, timeout=20)
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
        """Comes to a room, and comes back, with every version that one could have had; asks for everything else."""
        async with here.socket(id, reader.token) as socket:
            for time in ("first", "again"):
                socket.say(type="join")
                heard.append(Heard(id, f"socket, {time}", await socket.hear()))
            latest = json.loads(heard[-1].text)["version"]
            for seat, move in ((0, "c3"), (0, "T"), (1, "a1"), (99, "a1")):
                socket.say(type="check", id="x", seat=seat, move=move)
                heard.append(Heard(id, f"check {seat}", await socket.hear()))
        step *= 7 if self._quick else 1 if latest < 200 else 50
        paths = [f"/api/rooms/{id}", f"/api/rooms/{id}/games/1/record"]
        paths += [f"/api/rooms/{id}/games/1/replay", f"/api/rooms/{id}/games/1/replay?memory=true"]
        paths += [f"/api/rooms/{id}/updates?wait=0.01&version={v}" for v in (latest // 2, latest - 1, latest)]
        paths += [f"/api/rooms/{id}/updates?wait=0&version={v}" for v in range(latest + 1, -1, -step)]
        heard += [Heard(id, path, await here.get(path, reader.token)) for path in paths]

    async def _go_on(
        self, here: Desk, id: str, reader: Person, log: list[e.Entry], heard: list[Heard], random: Random
    ) -> None:
        """Something more happens while the reader looks on, by long polling and by two sockets, while whoever moves is
        always told first."""
        room = Room.replay(id, log)
        move = self._public_or_hidden_move(room, reader, random)
        mover = PEOPLE[0 if move is None else move[0]]
        async with contextlib.AsyncExitStack() as sockets:

            async def join(person: Person) -> Socket:
                socket = await sockets.enter_async_context(here.socket(id, person.token))
                socket.say(type="join")
                await socket.hear()
                return socket

            moving, early, host, late = [await join(person) for person in (mover, reader, PEOPLE[0], reader)]
            polling = asyncio.create_task(
                here.get(f"/api/rooms/{id}/updates?wait=20&version={room.version}", reader.token)
            )
            async with asyncio.timeout(20):
                while len(here.house.hub.rooms[id].audience) < 5:  # all sockets, and whoever polls
                    await asyncio.sleep(0.001)
            if move is not None:
                moving.say(type="move", id="more", seat=move[0], move=move[1], version=room.version)
                await moving.hear_until(room.version + 1)
            host.say(type="phrase", id="hi", phrase="hello")
            for socket in (early, late):
                texts = await socket.hear_until(room.version + (1 if move is None else 2))
                heard += [Heard(id, "pushed", text) for text in texts]
            heard.append(Heard(id, "polled", await polling))
            late.say(type="join")
            heard.append(Heard(id, "once more", await late.hear()))

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
    return one._replace(text=_CLOCKS.sub(r"\g<1>0", one.text))


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
            entry.secret
            for _, *logs in twins.rooms.values()
            for entry in logs[house]
            if entry.secret is not None and entry.secret.hex() not in _told_secrets(logs[house])
        ]
        names = {one.token for one in PEOPLE} | {one.id for one in PEOPLE}
        wrong += [f"{one.to} {one.where}: {one.text}" for one in betrayals(sides[house], secrets, names)]
    return wrong


def _told_secrets(log: Sequence[e.Entry]) -> set[str | None]:
    """Those of games that are over."""
    return {entry.event.secret for entry in log if isinstance(entry.event, e.Ended)}


LONG = (
    *("isis-common-2-aid", "isis-common-3", "isis-common-4", "isis-own-4-aid"),
    *(f"knister-{seats}" for seats in (1, 26)),
)


@pytest.mark.parametrize(
    "kind", [pytest.param(kind, marks=[pytest.mark.at_length] if kind in LONG else []) for kind in KINDS]
)
def test_nobody_can_tell_rooms_apart_that_differ_in_secrets_only(
    kind: str, tmp_path: Path, log_lines: list[Heard]
) -> None:
    assert found(Twins(kind), tmp_path, log_lines) == []


def test_the_rooms_do_differ() -> None:
    for kind in KINDS.keys() - LONG:
        twins = Twins(kind)
        assert all(
            [one.secret for one in log] != [one.secret for one in twin]
            for _, log, twin in twins.rooms.values()
            if any(one.secret for one in log)
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
            await daily_of(here.house).write(PEOPLE[0].id, "Ana", round, cell)
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
    story = Story(Random(1), PEOPLE[:1], game="knister").play_out()
    log = story.log[: story.moments[-2]]

    async def main() -> None:
        async with desk(tmp_path) as here:
            await store_log(here.house, "room", log)
            state = (await here.house.room("room")).room.sitting
            assert state is not None
            append = here.house.store.append

            async def spied(batch: Any) -> None:
                written.extend(entry.secret for entry in batch.entries if entry.secret is not None)
                await append(batch)

            here.house.store.append = spied  # type: ignore[method-assign]
            async with here.house.store.writing() as connection:
                await connection.execute(text("DROP TABLE promises"))
            headers = {"Authorization": f"Bearer {PEOPLE[0].token}"}
            setup = {"game": "knister", "seats": [{"kind": "me"}]}
            answer = await here.http.post("/api/rooms", json=setup, headers=headers)
            assert answer.status_code >= 400
            log_lines.append(Heard("Ana", "answer", answer.text))
            move = {"type": "move", "id": "last", "seat": 0, "version": len(log)}
            move["move"] = str(state.state.legal_moves(0)[0])
            answer = await here.http.post("/api/rooms/room/commands", json=move, headers=headers)
            assert answer.json()["reason"] == "busy"
            log_lines.append(Heard("Ana", "answer", answer.text))

    capture = next(handler for handler in logging.getLogger().handlers if isinstance(handler, Capture))
    capture.setFormatter(logs.Structured())
    asyncio.run(main())
    assert len(written) == 2, "of the new room, and of the next game in the old one"
    assert any("the database refused a write" in line.text for line in log_lines)
    assert betrayals(log_lines, written, [PEOPLE[0].token]) == []


async def answers(here: Desk, person: Person, *ids: str) -> list[int]:
    """The versions at which somebody's phrases with these ids stand."""
    told = []
    for id in ids:
        body = {"type": "phrase", "id": id, "phrase": "hello"}
        headers = {"Authorization": f"Bearer {person.token}"}
        answer = await here.http.post("/api/rooms/room/commands", json=body, headers=headers)
        assert answer.json()["id"] == id
        told.append(answer.json()["version"])
    return told


@pytest.mark.parametrize("remembered", [200, -4], ids=["in memory", "in the database"])
def test_an_id_is_its_senders_own(remembered: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody learns by trying ids what others have sent, and nobody's command is taken for another's."""
    monkeypatch.setattr(actor, "MAX_ANSWERED", remembered)

    async def main() -> None:
        async with desk(tmp_path) as here:
            await store_log(here.house, "room", Story(Random(1), PEOPLE[:2], game="callisto").log)
            start = (await here.house.room("room")).room.version
            assert await answers(here, PEOPLE[0], "one", "two") == [start + 1, start + 2]
            assert await answers(here, PEOPLE[1], "one", "two") == [start + 3, start + 4], "done, as something new"
            assert await answers(here, PEOPLE[0], "two", "one") == [start + 2, start + 1], "done already"
            assert await answers(here, PEOPLE[1], "two", "one") == [start + 4, start + 3]
            assert (await here.house.room("room")).room.version == start + 4

    asyncio.run(main())


# -- the same test must fail where something leaks --------------------------------------------------------------------

Patch = Callable[[pytest.MonkeyPatch], None]


def change_updates(patch: pytest.MonkeyPatch, change: Callable[[Room, m.Update], m.Update]) -> None:
    """Has something done with every update before it goes out."""
    build = UpdateBuilder.build

    def leaking(builder: UpdateBuilder, *what: Any) -> m.Update:
        return change(builder.room, build(builder, *what))

    patch.setattr(UpdateBuilder, "build", leaking)


def leak_an_older_step(patch: pytest.MonkeyPatch) -> None:
    """Who comes in is told what chance brought last, though it lies face down by now."""

    def leaking(room: Room, update: m.Update) -> m.Update:
        if not update.reset or room.sitting is None:
            return update
        rolls = [entry.text for entry in room.sitting._entries() if entry.seat is None]
        older = [m.Step(version=1, seat=None, move=None, rolled=text, views=[]) for text in rolls[-1:]]
        return update.model_copy(update={"steps": [*older, *update.steps]})

    change_updates(patch, leaking)


def leak_the_past_in_views(patch: pytest.MonkeyPatch) -> None:
    """Who comes in is shown the table as it was when somebody turned a tile."""
    last_step = UpdateBuilder._last_step

    def leaking(builder: UpdateBuilder, own: Sequence[int], views: Any, seen: int) -> list[m.Step]:
        told = last_step(builder, own, views, seen)
        sitting = builder.room.sitting
        past = () if sitting is None else sitting.past()
        turned = [state for state in past if state.view(None).as_dict().get("turned") is not None]
        older = [[view.as_dict() for view in updates._views(own, state)] for state in turned[-1:]]
        return [told[0].model_copy(update={"views": views}) for views in older] + told

    patch.setattr(UpdateBuilder, "_last_step", leaking)


def leak_others_numbers(patch: pytest.MonkeyPatch) -> None:
    patch.setattr(e.Moved, "shows_move", lambda moved, own: True)


def leak_moves_by_talk(patch: pytest.MonkeyPatch) -> None:
    def leaking(moved: e.Moved, entry: e.Entry, name: str) -> m.TalkLine:
        return m.SaidLine(version=entry.version, at=entry.at, seat=moved.seat, name=name, text=moved.move)

    patch.setattr(e.Moved, "line", leaking)


def leak_by_memory_aid(patch: pytest.MonkeyPatch) -> None:
    def leaking(state: Any, seat: int | None) -> Any:
        options = state.options | {"memory_aid": True}
        return IsisOsirisView.of(state._replace(setup=find_setup(**options)), seat)

    patch.setattr("sobremesa.games.isis_osiris.state.IsisOsirisState.view", leaking)


def leak_by_points(patch: pytest.MonkeyPatch) -> None:
    def leaking(state: Any, seat: int | None) -> Any:
        return KnisterView.of(state._replace(closed=state.sheets), seat)

    patch.setattr("sobremesa.games.knister.state.KnisterState.view", leaking)


def leak_a_seat_to_spectators(patch: pytest.MonkeyPatch) -> None:
    views = updates._views
    patch.setattr(updates, "_views", lambda own, state: views(own or (0,), state))


def leak_by_shared_texts(patch: pytest.MonkeyPatch) -> None:
    """Texts are kept for a version, whoever they were built for."""
    kept: dict[tuple[Room, int | None], str] = {}

    def shared(builder: UpdateBuilder, person: str, seen: int | None = None, *more: Any) -> str:
        if (builder.room, seen) not in kept:
            kept[builder.room, seen] = builder.build(builder.viewer(person), seen, *more).model_dump_json()
        return kept[builder.room, seen]

    patch.setattr(UpdateBuilder, "snapshot", shared)
    patch.setattr(UpdateBuilder, "news", shared)


def leak_the_movers_news(patch: pytest.MonkeyPatch) -> None:
    """Everybody is told what is for whoever moved."""
    news = UpdateBuilder.news

    def leaking(builder: UpdateBuilder, person: str, seen: int, steps: Iterable[TableStep], *more: Any) -> str:
        kept = list(steps)
        movers = [builder.room.seating[s.event.seat].person for s in kept if isinstance(s.event, e.Moved)]
        return news(builder, movers[-1] or person if movers else person, seen, kept, *more)

    patch.setattr(UpdateBuilder, "news", leaking)


def leak_by_polling(patch: pytest.MonkeyPatch) -> None:
    """Who polls gets the snapshot of somebody who sits there."""
    snapshot = Audience.snapshot

    def leaking(audience: Audience, person: str, room: Room) -> str:
        people = [chair.person for chair in room.seating if chair.person not in (None, person)]
        return snapshot(audience, people[0] or person if people else person, room)

    patch.setattr(Audience, "snapshot", leaking)


def leak_chance_to_come(patch: pytest.MonkeyPatch) -> None:
    def leaking(room: Room, update: m.Update) -> m.Update:
        if room.sitting is None or not room.playing or not room.secret:
            return update
        note = room.sitting.chance.ticket(1000, 36)
        return update.model_copy(update={"legal": update.legal | {99: [f"hint {note}"]}})

    change_updates(patch, leaking)


def leak_secret_in_room_state(patch: pytest.MonkeyPatch) -> None:
    def leaking(room: Room, update: m.Update) -> m.Update:
        options = update.room.options | ({"set": room.secret.hex()[20:50]} if room.secret else {})
        return update.model_copy(update={"room": update.room.model_copy(update={"options": options})})

    change_updates(patch, leaking)


def leak_secret_of_the_running_game(patch: pytest.MonkeyPatch) -> None:
    told = updates.promise_of

    def leaking(room: Room, update: m.Update) -> m.Update:
        secret = room.secret.hex() if room.secret is not None else None
        promises = [
            told(Promise(p.game, p.commitment, p.words, p.secret or secret), update.room.seats) for p in room.promises
        ]
        return update.model_copy(update={"room": update.room.model_copy(update={"promises": promises})})

    change_updates(patch, leaking)


def leak_record_too_early(patch: pytest.MonkeyPatch) -> None:
    async def leaking(store: Any, id: str, number: int) -> Any:
        room = Room.replay(id, await store.read_log(id))
        assert room.sitting is not None
        return room.sitting.record()

    patch.setattr(routes, "record_of", leaking)


def leak_into_the_log(patch: pytest.MonkeyPatch) -> None:
    publish = Audience.publish

    def leaking(audience: Audience, publication: Publication) -> None:
        hub.log.info("room %s has %r", publication.room.id, publication.room.secret)
        publish(audience, publication)

    patch.setattr(Audience, "publish", leaking)


def leak_a_person(patch: pytest.MonkeyPatch) -> None:
    def leaking(builder: UpdateBuilder, seat: int, own: Sequence[int]) -> m.SeatInfo:
        chair = builder.room.seating[seat]
        return m.SeatInfo(kind=chair.kind, name=chair.person or "", yours=seat in own, here=False)

    patch.setattr(UpdateBuilder, "_seat", leaking)


USUAL_LEAKS = (leak_a_person, leak_by_points, leak_secret_in_room_state)
"""Those that every run tries; the others are tried at length."""


@pytest.mark.parametrize(
    ("kind", "leak"),
    [
        pytest.param(kind, leak, marks=[] if leak in USUAL_LEAKS else [pytest.mark.at_length])
        for kind, leak in (
            ("isis-own-2", leak_an_older_step),
            ("isis-own-2", leak_the_past_in_views),
            ("isis-own-2", leak_by_memory_aid),
            ("isis-own-2", leak_chance_to_come),
            ("isis-own-2", leak_record_too_early),
            ("isis-own-2", leak_into_the_log),
            ("isis-own-2", leak_a_person),
            ("isis-own-2", leak_secret_of_the_running_game),
            ("knister-5", leak_others_numbers),
            ("knister-5", leak_moves_by_talk),
            ("knister-5", leak_by_points),
            ("knister-5", leak_a_seat_to_spectators),
            ("knister-5", leak_by_shared_texts),
            ("knister-5", leak_the_movers_news),
            ("knister-5", leak_by_polling),
            ("knister-5", leak_secret_in_room_state),
        )
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
    promise = {"game": 1, "commitment": "", "words": {}, "secret": secret.hex()}
    room: dict[str, Any] = {"number": 1, "playing": False, "over": True, "promises": [promise]}
    update: dict[str, Any] = {"type": "update", "room": room, "talk": []}
    assert not betrayals([Heard("a", "socket", json.dumps(update))], [secret]), "the end tells it"
    for wrong in (
        {"room": room | {"playing": True, "over": False}},
        {"room": room | {"promises": [promise | {"game": 2}]}},
        {"talk": [{"kind": "said", "text": secret.hex()}]},
        {"talk": [{"kind": "said", "secret": secret.hex()}]},
    ):
        assert betrayals([Heard("a", "socket", json.dumps(update | wrong))], [secret])
    assert not betrayals([Heard("a", "record", json.dumps({"fair": promise}))], [secret])


# -- an oracle --------------------------------------------------------------------------------------------------------

Sheet = list[int]
Json = dict[str, Any]


@dataclass(frozen=True)
class Known:
    """What a log says at one version."""

    seats: dict[int, tuple[str | None, str]] = field(default_factory=dict)
    """Who has sat down last in each seat, by id and by name."""
    number: int = 0
    playing: bool = False
    at_table: int = 0
    """The seats of the running or last game."""
    promised: dict[int, str] = field(default_factory=dict)
    told: dict[int, str | None] = field(default_factory=dict)
    """The secrets of games that are over."""
    line: Json | None = None
    """What everybody hears of the last entry."""
    hidden: bool = False
    """Whether the last entry is a move of one of several who decide together."""
    cells: list[str] = field(default_factory=list)
    turned: int | None = None
    """The tile that lies open, or the roll."""
    closed: list[Sheet] = field(default_factory=list)
    running: list[Sheet] = field(default_factory=list)
    wrote: int = 0


class Oracle:
    """What may be known at each version of a room, worked out from its log alone, without the rules or the views."""

    def __init__(self, log: Sequence[e.Entry]) -> None:
        self._log = log
        created = log[0].event
        assert isinstance(created, e.Created)
        self.game, self._aid = created.game, bool(created.options.get("memory_aid"))
        self._names = EDITIONS["standard"].names
        self._cells = [str(write) for write in WRITES]
        self._known = [Known(dict.fromkeys(range(len(created.seats)), (None, "")))]
        for entry in log:
            self._known.append(self._after(replace(self._known[-1], line=None, hidden=False), entry))

    def _after(self, known: Known, entry: e.Entry) -> Known:
        seats = known.seats
        match entry.event:
            case e.Said(seat=place, name=name, text=text):
                return replace(known, line={"kind": "said", "seat": place, "name": name, "text": text})
            case e.PhraseSaid(seat=place, name=name, text=text):
                return replace(known, line={"kind": "phrase", "seat": place, "name": name, "phrase": text})
            case e.Seated(seat=seat, name=name):
                line = {"kind": "seated", "seat": seat, "name": name}
                return replace(known, seats=seats | {seat: (entry.person, name)}, line=line)
            case e.Left(seat=seat):
                line = {"kind": "left", "seat": seat, "name": seats[seat][1]}
                return replace(known, seats=seats | {seat: (None, seats[seat][1])}, line=line)
            case e.EngineSeated(seat=seat, player=player):
                line = {"kind": "engine", "seat": seat, "player": player}
                return replace(known, seats=seats | {seat: (None, player)}, line=line)
            case e.Promised(number=number, commitment=commitment):
                return replace(known, promised=known.promised | {number: commitment})
            case e.Begun(number=number, starter=starter, taken=taken):
                if taken is not None:
                    seats = {place: seats[seat] for place, seat in enumerate(taken)}
                blank = [[0] * 25 for _ in seats]
                return replace(
                    known,
                    seats=seats,
                    number=number,
                    playing=True,
                    at_table=len(seats),
                    line={"kind": "begun", "game": number, "starter": starter},
                    cells=["."] * len(self._names),
                    turned=None,
                    closed=blank,
                    running=blank,
                )
            case e.Ended(number=number, secret=secret):
                line = {"kind": "ended", "game": number}
                return replace(known, playing=False, told=known.told | {number: secret}, line=line)
            case e.Rolled(outcome=outcome):
                return replace(known, turned=outcome, wrote=0)
            case e.Moved(seat=seat, move=move):
                return self._moved(known, seat, move)
        return known

    def _moved(self, known: Known, seat: int, move: str) -> Known:
        if self.game == "knister":
            sheet = list(known.running[seat])
            sheet[self._cells.index(move)] = known.turned or 0
            running = [*known.running[:seat], sheet, *known.running[seat + 1 :]]
            wrote = known.wrote + 1
            closed = running if wrote == known.at_table else known.closed
            return replace(known, running=running, closed=closed, wrote=wrote, hidden=known.at_table > 1)
        if self.game == "isis-osiris" and move != "T":
            cells = list(known.cells)
            if move[0] == "S":
                cells[self._names.index(move[1:])] = "ABCD"[seat]
                return replace(known, cells=cells)
            cells[self._names.index(move[1:])] = f"{known.turned:+}" if self._aid else "?"
            return replace(known, cells=cells, turned=None)
        return known

    def check(self, update: Json, person: str | None, seen: int | None) -> None:
        """Fails if an update, the next one of a conversation that knows a version, says anything that it should not;
        or if something is missing."""
        version = update["version"]
        assert 0 < version <= len(self._log)
        assert update["reset"] == (seen is None)
        assert seen is None or seen < version
        known, room = self._known[version], update["room"]
        own = [seat for seat, (who, _) in sorted(known.seats.items()) if who is not None and who == person]
        assert {int(seat) for seat, info in room["seats"].items() if info["yours"]} == set(own)
        assert all(info["name"] == known.seats[int(seat)][1] for seat, info in room["seats"].items())
        assert {int(seat) for seat in update["legal"]} <= set(own), "others' moves are not suggested"
        assert room["over"] == (known.number > 0 and not known.playing) == (room["result"] is not None)
        self._check_promises(room, known)
        self._check_talk(update["talk"], version, seen)
        self._check_steps(update["steps"], version, own, seen)
        self._check_last_moves(room, version, own)

    def _check_promises(self, room: Json, known: Known) -> None:
        games = [known.number] if known.playing else [known.number, known.number + 1]
        assert [promise["game"] for promise in room["promises"]] == [game for game in games if game]
        for promise in room["promises"]:
            assert promise["commitment"] == known.promised[promise["game"]]
            assert promise["secret"] == known.told.get(promise["game"]), "told when the game has ended, not before"

    def _check_talk(self, talk: list[Json], version: int, seen: int | None) -> None:
        expected = []
        for entry in self._log[seen or 0 : version]:
            line = self._known[entry.version].line
            crowd = len(self._known[entry.version - 1].seats) > 24
            if line is not None and not (crowd and line["kind"] in ("seated", "left", "engine")):
                expected.append({"version": entry.version, "at": entry.at} | line)
        assert sorted(map(_sorted, talk)) == sorted(map(_sorted, expected[-100:]))
        assert [line["version"] for line in talk] == sorted(line["version"] for line in talk)

    def _check_steps(self, steps: list[Json], version: int, own: list[int], seen: int | None) -> None:
        table = [entry for entry in self._log[:version] if isinstance(entry.event, e.Begun | e.Moved | e.Rolled)]
        if seen is not None:
            table = [entry for entry in table if entry.version > seen]
        crowd = len(self._known[version].seats) > 24
        shown = table if seen is not None else table[-1:]
        if crowd and table:
            # In a crowd the last thing, if it was for everybody or one's own; else the last open one.
            open_steps = [entry for entry in table if not self._known[entry.version].hidden]
            shown = open_steps[-1:] if self._hides(table[-1], own) else table[-1:]
        expected = [self._step_of(entry, own) for entry in shown]
        if crowd and table and not shown:
            expected = [(table[-1].version, None, None, None)]
        if crowd and seen is not None:
            expected = self._with_own_moves(expected, table, own)
        told = [(step["version"], step["seat"], step["move"], step["rolled"]) for step in steps]
        assert told == expected, "nothing of the past, and of others nothing that is hidden (K1)"
        for step in steps:
            assert step["position"] is None
            self._check_views(step["views"], table[-1].version if crowd or seen is None else step["version"], own)

    def _check_last_moves(self, room: Json, version: int, own: list[int]) -> None:
        last: dict[int, str] = {}
        for entry in self._log[:version]:
            if isinstance(entry.event, e.Begun):
                last = {}
            elif isinstance(entry.event, e.Moved) and not self._hides(entry, own):
                last.pop(entry.event.seat, None)
                last[entry.event.seat] = entry.event.move
        listed = [(seat, move) for seat, move in last.items() if str(seat) in room["seats"]]
        assert [(each["seat"], each["move"]) for each in room["last_moves"]] == listed, "nothing that is hidden (K1)"

    def _step_of(self, entry: e.Entry, own: list[int]) -> tuple[int, int | None, str | None, str | None]:
        """Version, seat, move and roll, as somebody may know them."""
        moved = entry.event if isinstance(entry.event, e.Moved) else None
        rolled = str(entry.event.outcome) if isinstance(entry.event, e.Rolled) else None
        move = None if moved is None or self._hides(entry, own) else moved.move
        return entry.version, None if moved is None else moved.seat, move, rolled

    def _with_own_moves(self, last: list[Any], table: list[e.Entry], own: list[int]) -> list[Any]:
        """One's own moves come before the last step; a roll is told together with the move before it."""
        begun = max((entry.version for entry in table if isinstance(entry.event, e.Begun)), default=0)
        moves = [
            self._step_of(entry, own)
            for entry in table
            if isinstance(entry.event, e.Moved) and entry.event.seat in own and entry.version > begun
        ]
        if not moves:
            return last
        [(version, _, _, rolled)] = last
        if rolled is None or version < moves[-1][0]:
            return moves
        return [*moves[:-1], (version, moves[-1][1], moves[-1][2], rolled)]

    def _hides(self, entry: e.Entry, own: list[int]) -> bool:
        return self._known[entry.version].hidden and isinstance(entry.event, e.Moved) and entry.event.seat not in own

    def _check_views(self, views: list[Json], version: int, own: list[int]) -> None:
        known = self._known[version]
        playing = [seat for seat in own if seat < known.at_table][:12]
        assert [view["seat"] for view in views] == (playing if playing else [None])
        if version < len(self._log) and isinstance(self._log[version].event, e.Ended):
            return  # it is the end: all is open
        for view in views:
            if self.game == "isis-osiris":
                assert (view["cells"], view["turned"]) == (known.cells, known.turned), "I3"
            if self.game == "knister":
                rows = view["standings"]
                assert [row["sheet"] for row in rows] == [known.closed[row["seat"]] for row in rows], "K1"
                assert view["sheet"] == (None if view["seat"] is None else known.running[view["seat"]])


def _sorted(line: Json) -> str:
    return json.dumps(line, sort_keys=True)


# -- an audience that comes and goes ----------------------------------------------------------------------------------


class Ear:
    """Somebody who watches, and remembers every word."""

    def __init__(self, person: str) -> None:
        self.person = person
        self.heard: list[str] = []

    def tell(self, text: str) -> None:
        self.heard.append(text)

    def dismiss(self, reason: str, retry_after: float) -> None:
        raise AssertionError(reason)


class Hasty(Clock):
    """Nobody waits long."""

    async def sleep(self, seconds: float) -> None:
        for _ in range(5):
            await asyncio.sleep(0)


class Evening:
    """A random game with an audience: people at the table, with several sockets each, and spectators, who come, go,
    come back on the same socket, and are told sooner or later."""

    def __init__(self, kind: str, seed: int) -> None:
        self._random = Random(f"{kind} {seed}")
        seats, setup = KINDS[kind]
        self._people = PEOPLE[:seats]
        self.story = Story(self._random, self._people, **setup)
        self.ears: list[Ear] = []
        self._tasks: set[asyncio.Task[None]] = set()
        self._audience: Audience

    def _keep(self, work: Any) -> "asyncio.Task[None]":
        task: asyncio.Task[None] = asyncio.ensure_future(work)
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        return task

    async def spend(self, turns: int) -> None:
        """So many things happen."""
        self._audience = Audience(self.story.room, Hasty(), self._keep)
        for _ in range(4):
            self._come()
        for _ in range(turns):
            await self._come_or_go()
            if not self.story.room.playing:
                break
            before = self.story.room
            transition = self._happen()
            self._audience.publish(
                Publication(before, transition.successor, transition.entries, transition.steps, written_here=True)
            )
            for _ in range(self._random.choice((0, 0, 1, 3, 30))):
                await asyncio.sleep(0)
        while self._tasks:
            await asyncio.wait(self._tasks)

    def _happen(self) -> Transition:
        story, chance = self.story, self._random.random()
        if chance < 0.05 and self._people[0].id in {chair.person for chair in story.room.seating}:
            return story.do(m.Phrase(type="phrase", id=story.id, phrase="oops"), self._people[0])
        if chance < 0.1 and not story.crowd:
            return self._change_seats()
        return story.play()

    def _change_seats(self) -> Transition:
        """Somebody leaves, or takes over the seat of somebody who has left: what is hidden there is theirs to know."""
        story, seat = self.story, self._random.randrange(len(self._people))
        somebody = {person.id: person for person in (*self._people, SPECTATOR)}
        if (chair := story.room.seating[seat]).person is not None:
            return story.do(m.Leave(type="leave", id=story.id, seat=seat), somebody[chair.person])
        person = self._random.choice((self._people[seat], SPECTATOR))
        return story.do(m.Sit(type="sit", id=story.id, name=f"Q{seat}", seat=seat), person)

    def _come(self) -> None:
        ear = Ear(self._random.choice([*self._people, SPECTATOR, Person(201)]).id)
        self.ears.append(ear)
        self._audience.join(ear)

    async def _come_or_go(self) -> None:
        chance = self._random.random()
        if chance < 0.1:
            self._come()
        elif chance < 0.2 and self.ears:
            self._audience.join(self._random.choice(self.ears))
        elif chance < 0.25 and len(self.ears) > 4:
            self._audience.leave(self._random.choice(self.ears))

    def check(self) -> int:
        """Every word of every conversation; returns how many updates there were."""
        oracle, count = Oracle(self.story.log), 0
        for ear in self.ears:
            seen = None
            for told in ear.heard:
                update = json.loads(told)
                oracle.check(update, ear.person, None if update["reset"] else seen)
                seen = update["version"]
                count += 1
        heard = [Heard(ear.person, "socket", text) for ear in self.ears for text in ear.heard]
        secrets = [entry.secret for entry in self.story.log if entry.secret is not None]
        assert betrayals(heard, secrets, {one.id for one in (*PEOPLE, SPECTATOR)}) == []
        return count


def spent(kind: str, seed: int, turns: int = 300) -> Evening:
    evening = Evening(kind, seed)
    asyncio.run(evening.spend(turns))
    return evening


@pytest.mark.parametrize("throttled", [False, True])
@pytest.mark.parametrize("kind", KINDS)
def test_whoever_comes_and_goes_is_told_what_they_may_know(
    kind: str, throttled: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if throttled:
        monkeypatch.setattr(audience, "MAX_INSTANT_WATCHERS", 0)
    assert sum(spent(kind, seed).check() for seed in range(3)) > 60


def leak_what_was_told_before(patch: pytest.MonkeyPatch) -> None:
    """Steps that are kept for slow connections go out to everybody."""
    patch.setattr(Audience, "_forget_steps", lambda audience, version: None)
    steps_after = Audience._steps_after
    patch.setattr(Audience, "_steps_after", lambda audience, version: steps_after(audience, version - 4))


def leak_to_who_comes_back(patch: pytest.MonkeyPatch) -> None:
    """Who joins again is told what they have missed, tiles that lie face down by now included."""

    def leaking(audience: Audience, watcher: Any, known: int | None = None) -> None:
        audience._sent.setdefault(watcher, audience._room.version)
        missed = [(step, [view.as_dict() for view in updates._views((), step.state)]) for step in audience._steps]
        steps = [updates._step((), step.version, step.event, views) for step, views in missed]
        update = UpdateBuilder(audience._room, (), 0).build(audience._updates().viewer(watcher.person))
        watcher.tell(update.model_copy(update={"steps": [*steps, *update.steps]}).model_dump_json())

    patch.setattr(Audience, "_forget_steps", lambda audience, version: None)
    patch.setattr(Audience, "join", leaking)


def leak_a_crowds_moves(patch: pytest.MonkeyPatch) -> None:
    """A crowd is told of every single number."""
    for module in (updates, audience):
        patch.setattr(module, "MAX_LISTED_SEATS", 1000)


def leak_a_neighbours_moves(patch: pytest.MonkeyPatch) -> None:
    """In a crowd the moves that are kept for a seat go out to the next one too."""
    moves_after = Audience._moves_after

    def leaking(audience: Audience, version: int, seats: Sequence[int]) -> list[e.Entry]:
        return moves_after(audience, version, [*seats, *(seat + 1 for seat in seats)])

    patch.setattr(Audience, "_moves_after", leaking)


def leak_anothers_seat(patch: pytest.MonkeyPatch) -> None:
    """Who has no seat is told what the first seat is told."""
    patch.setattr(UpdateBuilder, "viewer", lambda builder, person: (builder.room.seats_of(person) or (0,), False))


@pytest.mark.parametrize(
    ("kind", "leak"),
    [
        ("isis-own-2", leak_an_older_step),
        ("isis-own-2", leak_the_past_in_views),
        ("isis-own-2", leak_by_memory_aid),
        ("isis-own-2", leak_what_was_told_before),
        ("isis-own-2", leak_to_who_comes_back),
        ("isis-own-2", leak_chance_to_come),
        ("isis-own-2", leak_secret_in_room_state),
        ("isis-own-2", leak_secret_of_the_running_game),
        ("isis-own-2", leak_a_person),
        ("knister-5", leak_others_numbers),
        ("knister-5", leak_moves_by_talk),
        ("knister-5", leak_by_points),
        ("knister-5", leak_a_seat_to_spectators),
        ("knister-5", leak_by_shared_texts),
        ("knister-5", leak_the_movers_news),
        ("knister-5", leak_anothers_seat),
        ("knister-26", leak_a_crowds_moves),
        ("knister-26", leak_a_neighbours_moves),
        ("knister-26", leak_by_shared_texts),
    ],
)
def test_the_oracle_finds_a_leak(kind: str, leak: Patch, monkeypatch: pytest.MonkeyPatch) -> None:
    leak(monkeypatch)
    evenings = [spent(kind, seed) for seed in range(3)]
    with pytest.raises(AssertionError):
        sum(evening.check() for evening in evenings)


# -- whole games at a real server -------------------------------------------------------------------------------------

GAMES: list[tuple[int, dict[str, Any]]] = [
    (2, {"game": "callisto", "options": {"edition": "classic"}}),
    (3, {"game": "callisto", "options": {"edition": "pocket"}, "public": True}),
    *[
        (seats, {"game": "isis-osiris", "options": {"variant": variant, "memory_aid": aid}, "public": True})
        for seats, variant, aid in [
            (2, "own", False), (3, "own", True), (2, "common", True), (4, "common", False),
        ]
    ],
    *[(seats, {"game": "knister"}) for seats in (1, 5, 26)],
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
                update = await visit.wait_until(lambda update: bool(update["room"]["playing"]))
                own = next(int(place) for place, info in update["room"]["seats"].items() if info["yours"])
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
                    # The end is in the log a moment before anybody is told of it.
                    assert record_file.loads(record.content).final().over, "no record before the end"
                await asyncio.sleep(0.3)


def _over(update: Json) -> bool:
    return bool(update and update["room"]["over"])


async def play_all(server: Server, numbers: Iterable[int], heard: list[Heard]) -> list[Spied]:
    rooms = [Spied(server, number, heard) for number in numbers]
    await asyncio.gather(*(room.play() for room in rooms))
    return rooms


async def read_database(database: str) -> tuple[dict[str, list[e.Entry]], list[bytes], set[str]]:
    """The logs by room, all secrets, and everybody's id."""
    engine = open_engine(database)
    try:
        async with engine.connect() as connection:
            logs: dict[str, list[e.Entry]] = {}
            for row in await connection.execute(select(events).order_by(events.c.room, events.c.version)):
                logs.setdefault(row.room, []).append(_entry(row, None))
            secrets = [bytes(row.secret) for row in await connection.execute(select(promises))]
            secrets += [bytes(row.secret) for row in await connection.execute(select(dailies))]
            secrets += [bytes(row.value) for row in await connection.execute(select(keys))]
    finally:
        await engine.dispose()
    return logs, secrets, {entry.person for log in logs.values() for entry in log if entry.person}


def check_all_that_was_heard(rooms: list[Spied], heard: list[Heard], logs: dict[str, list[e.Entry]]) -> int:
    """Every update against the oracle; returns how many there were."""
    checked = 0
    for room in rooms:
        oracle = Oracle(logs[room.room])
        book = {guest.name: _person(guest, logs[room.room]) for guest in room.guests}
        number = room.spectator.name.partition(".")[0]
        seen: dict[tuple[str, str], int] = {}
        for one in heard:
            if one.to.partition(".")[0] == number and one.where.partition(" ")[0] in ("socket", "updates", "room"):
                message = json.loads(one.text)
                if message["type"] == "update":
                    known = None if message["reset"] else seen[one.to, one.where]
                    assert message["reset"] or one.where.startswith("socket"), "only sockets are told news"
                    oracle.check(message, book.get(one.to), known)
                    seen[one.to, one.where] = message["version"]
                    checked += 1
    return checked


def check_that_the_oracle_would_object(rooms: list[Spied], heard: list[Heard], logs: dict[str, list[e.Entry]]) -> None:
    def seen_by_spectator(number: int, test: Callable[[Json], bool]) -> Json:
        updates = (json.loads(one.text) for one in heard if one.to == f"{number}.poller")
        return next(u for u in updates if u["steps"] and not _over(u) and test(u["steps"][0]["views"][0]))

    isis, knister = 2, len(GAMES) - 2
    oracle = Oracle(logs[rooms[isis].room])
    update = seen_by_spectator(isis, lambda view: "?" in view["cells"])
    oracle.check(update, None, None)
    earlier = next(entry for entry in logs[rooms[isis].room] if isinstance(entry.event, e.Rolled))
    older = update["steps"][0] | {"version": earlier.version, "seat": None, "move": None, "rolled": "+2"}
    for wrong in (
        update | {"steps": [older, *update["steps"]]},
        update | {"steps": [older]},
        update | {"legal": {"0": ["T"]}},
        update | {"room": update["room"] | {"promises": [update["room"]["promises"][0] | {"secret": "f" * 64}]}},
        update | {"talk": [*update["talk"], {"version": 9, "at": 1.0, "kind": "said", "name": "", "text": "c3 is +2"}]},
    ):
        with pytest.raises(AssertionError):
            oracle.check(wrong, None, None)
    cells = update["steps"][0]["views"][0]["cells"]
    cells[cells.index("?")] = "+2"
    with pytest.raises(AssertionError):
        oracle.check(update, None, None)
    oracle = Oracle(logs[rooms[knister].room])
    update = seen_by_spectator(knister, lambda view: view["rounds"] > 0 and view["waiting"] > 0)
    oracle.check(update, None, None)
    view = update["steps"][0]["views"][0]
    sheet = view["standings"][0]["sheet"]
    sheet[sheet.index(0)] = view["roll"]
    with pytest.raises(AssertionError):
        oracle.check(update, None, None)


def _person(guest: SpyGuest, log: list[e.Entry]) -> str | None:
    assert guest.token is not None
    raw = base64.urlsafe_b64decode(guest.token.partition(".")[0])
    person = hashlib.sha256(b"person" + raw).hexdigest()[:32]
    assert any(entry.person == person for entry in log)
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
    for room in rooms[2:]:  # there is no chance in Callisto
        [told] = [entry.event.secret for entry in logs[room.room] if isinstance(entry.event, e.Ended)]
        assert told is not None
        for where in ("record", "socket", "updates"):
            after = [one.text for one in heard if one.where.startswith(where) and told in one.text]
            assert after, f"after the end it is told: {where}"
