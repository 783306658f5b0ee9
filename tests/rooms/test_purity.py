"""Rooms are values: handling a command changes nothing, nor does a refusal, and every log gives the room again."""

import copy
import json
import re
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinds import examples
from rooms.tables import Table, assert_same, plain
from sobremesa.core.errors import SobremesaError
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import DrawTimeUp, EngineMove, HouseCommand, LeaveAll, TimeUp
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Entry, read_event
from sobremesa.rooms.projections import summary
from sobremesa.rooms.room import Room
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.table.commitments import Opening

ROOT = Path(__file__).resolve().parents[2]
SETUPS: list[dict[str, Any]] = [
    {"game": "callisto", "options": {"edition": "pocket"}, "seats": ["me", "open"], "games": 2},
    {"game": "callisto", "options": {"edition": "pocket"}, "seats": ["me", "engine", "me"], "clock": 30},
    {"game": "isis-osiris", "seats": ["me", "open"], "clock": 60},
    {"game": "isis-osiris", "options": {"variant": "common", "memory_aid": True}, "seats": ["engine", "me", "open"]},
    {"game": "knister", "seats": ["me"], "words": "mine"},
    {"game": "knister", "seats": ["me", "open", "engine"], "clock": 30},
    {"game": "knister", "seats": [], "crowd": True, "games": 3},
    {"game": "knister", "seats": ["open", "open"], "wait": True},
    {
        "game": "callisto",
        "seats": ["me", "open", "engine"],
        "origin": m.Origin(position=GAMES["callisto"].start(seats=3, edition="pocket").position()),
    },
    {"game": "knister", "seats": ["me", "open", "engine"], "seals": True},
    {"game": "isis-osiris", "seats": ["open", "open"], "seals": True},
    {"game": "knister", "seats": ["me", "open"], "seals": True, "public": True},
]
PEOPLE = ("host", "bo", "cy", "eve")
Sent = tuple[m.RoomCommand | HouseCommand, str | None]


class Anything:
    """Sends whatever somebody could send: most of it makes sense, some of it does not."""

    def __init__(self, random: Random) -> None:
        self._random = random
        self._ids = 0

    def next(self, room: Room) -> Sent:
        random = self._random
        self._ids += 1
        id = f"c{self._ids}"
        person = random.choice(PEOPLE)
        seat = random.randrange(len(room.seating) + 1)
        if room.playing and random.random() < 0.7:
            return self._move(room, id)
        choices: list[Sent] = [
            (m.Sit(type="sit", id=id, name=person.title(), words=random.choice(("", "suerte"))), person),
            (m.Sit(type="sit", id=id, name=person.title(), seat=seat), person),
            (m.Leave(type="leave", id=id, seat=seat), person),
            (m.PutEngine(type="engine", id=id, seat=seat, player=random.choice(("greedy", "nobody"))), person),
            (m.AddEntropy(type="entropy", id=id, seat=seat, words="fortuna"), person),
            *self._binding(room, id),
            *self._binding(room, id),
            (m.Start(type="start", id=id), person),
            (m.Start(type="start", id=id), "host"),
            (m.Say(type="say", id=id, text="hola"), person),
            (m.Phrase(type="phrase", id=id, phrase=random.choice(("hello", "rude"))), person),
            (m.Pause(type="pause", id=id, on=not room.paused), random.choice(("host", person))),
            (m.Resign(type="resign", id=id, seat=seat), person),
            (m.Manage(type="manage", id=id, public=True, chat=random.choice((None, True, False))), person),
            (TimeUp(room.since + random.choice((0, 0, -1))), None),
            (LeaveAll(), person),
        ]
        return random.choice(choices)

    def _binding(self, room: Room, id: str) -> list[Sent]:
        """Takes part in fair chance, mostly as a page would."""
        draw, random = room.draw, self._random
        if draw.context is None or room.commitment is None or not room.seating:
            return []
        seat = random.randrange(len(room.seating))
        person = room.seating[seat].person or "eve"
        if draw.call is not None:
            place = draw.call.by_seat[seat].place if seat in draw.call.by_seat else seat
            opening = Opening(f"{place:032x}", random.choice(("", "", "other")))
            opened: dict[str, Any] = {"call": draw.call.digest, "nonce": opening.nonce, "words": opening.words}
            return [
                (m.Open(type="open", id=id, seat=seat, **opened), person),
                (DrawTimeUp(draw.wait.since if draw.wait else 0), None),
            ]
        seal = draw.context.seal(room.commitment, seat, Opening(f"{seat:032x}"))
        since = draw.wait.since if draw.wait is not None else room.version
        return [
            (m.Seal(type="seal", id=id, seat=seat, promise=room.commitment, seal=seal), person),
            (m.Sit(type="sit", id=id, name=person.title(), seals=True), random.choice(PEOPLE)),
            (DrawTimeUp(since), None),
        ]

    def _move(self, room: Room, id: str) -> Sent:
        assert room.sitting is not None
        state, random = room.sitting.state, self._random
        seat = random.choice(list(state.deciding))
        move = str(random.choice(state.legal_moves(seat)))
        chair = room.seating[seat]
        if random.random() < 0.1:
            move = random.choice(("a1", "T", "nonsense"))
        if chair.kind == "engine":
            return EngineMove(seat, chair.name, room.since - (random.random() < 0.1), move), None
        if chair.kind == "gone":
            return TimeUp(room.since), None
        version = random.choice((room.version, room.since, room.since - 1)) if random.random() < 0.2 else room.version
        person = random.choice(PEOPLE) if random.random() < 0.1 else chair.person
        return m.Move(type="move", id=id, seat=seat, move=move, version=max(version, 0)), person


def stored(entry: Entry) -> Entry:
    """An entry as it comes back from a database."""
    data = json.loads(entry.event.model_dump_json(exclude={"kind"}, exclude_none=True))
    event = read_event({"kind": entry.event.kind} | data)
    return Entry(entry.version, entry.at, event, entry.person, entry.command, entry.secret)


def told(room: Room) -> list[str]:
    """Everything that anybody could be told of a room."""
    builder = UpdateBuilder(room, PEOPLE[:2], 0.0)
    return [builder.snapshot(person) for person in PEOPLE]


def described(transition: Transition) -> tuple[Any, ...]:
    """Everything of a transition, to be compared."""
    steps = [(step.version, step.event, step.state) for step in transition.steps]
    return transition.entries, steps, plain(transition.successor)


@given(setup=st.sampled_from(SETUPS), seed=st.integers(0, 10**6))
@examples(120)
def test_any_log_replays_to_the_same_room(setup: dict[str, Any], seed: int) -> None:
    random = Random(seed)
    table, anything = Table(secrets=seed, **setup), Anything(random)
    for _ in range(random.choice((10, 60, 150))):
        command, person = anything.next(table.room)
        before = table.room
        try:
            transition = table.handle(command, person)
        except SobremesaError:
            assert table.room is before
            continue
        assert transition.entries
        assert [entry.version for entry in transition.entries] == list(
            range(before.version + 1, table.room.version + 1)
        )
        assert all(entry.command is None for entry in transition.entries[1:])
    log = [stored(entry) for entry in table.log]
    assert log == table.log
    again = Room.replay("room", log, table.resources)
    assert_same(again, table.room)
    assert told(again) == told(table.room)
    assert summary(again) == summary(table.room)
    assert_same(Room.replay("room", log), table.room)  # for which nothing from outside is needed


@given(setup=st.sampled_from(SETUPS), seed=st.integers(0, 10**6))
@examples(60)
def test_handling_a_command_leaves_the_room_as_it_was(setup: dict[str, Any], seed: int) -> None:
    """Whatever is tried on a room, done or refused: playing on from it is as if nothing had been tried."""
    random = Random(seed)
    table, anything = Table(secrets=seed, **setup), Anything(random)
    for _ in range(25):
        before = table.room
        known, seen = plain(before), told(before)
        tried = [anything.next(before) for _ in range(4)]
        outcomes = []
        for command, person in tried:
            outcomes.append(outcome(before, command, person))
            assert plain(before) == known
            assert told(before) == seen
        fresh = table.replayed()
        for (command, person), was in zip(tried, outcomes, strict=True):
            assert outcome(before, command, person) == was, "the same again"
            assert outcome(fresh, command, person) == was, "and the same as in a room that was never asked"
        for command, person in tried:
            try:
                table.handle(command, person)
            except SobremesaError:
                continue
            break


def outcome(room: Room, command: m.RoomCommand | HouseCommand, person: str | None) -> Any:
    """What a command would lead to; the promise of a next game is new every time."""
    same = copy.copy(room)
    object.__setattr__(same, "resources", type(room.resources)(room.resources.players, lambda size: bytes(size)))
    try:
        return described(same.handle(command, person, 5000.0))
    except SobremesaError as error:
        return type(error), str(error), getattr(error, "reason", None)


def test_two_futures_of_one_room_know_nothing_of_each_other() -> None:
    table = Table(seats=["me", "me"], game="isis-osiris", secrets=3)
    start = table.room
    one = start.handle(m.Move(type="move", id="a", seat=0, move="Sc3", version=start.version), "host", 1.0).successor
    two = start.handle(m.Say(type="say", id="b", text="hm"), "host", 1.0).successor
    three = two.handle(m.Move(type="move", id="c", seat=0, move="Sc3", version=two.version), "host", 2.0).successor
    assert start.step is not None
    assert two.step is start.step
    assert one.sitting is not None
    assert three.sitting is not None
    assert one.sitting.state == three.sitting.state != start.step.state
    assert [line.kind for line in one.talk] == ["seated", "seated", "begun"]
    assert [line.kind for line in three.talk] == ["seated", "seated", "begun", "said"]


@pytest.mark.parametrize("game", GAMES)
def test_a_move_is_parsed_and_played_once(game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """When it is handled; and once more when its log is replayed."""
    table = Table(game=game, seats=["me", "me"], clock=60, secrets=1)
    assert table.room.sitting is not None
    state = table.room.sitting.state
    counted: Counter[str] = Counter()
    for name in ("parse_move", "play", "happen"):
        real = getattr(type(state), name)

        def counting(*args: Any, real: Any = real, name: str = name, **named: Any) -> Any:
            counted[name] += 1
            return real(*args, **named)

        monkeypatch.setattr(type(state), name, counting)
    seat = next(iter(state.deciding))
    move = str(state.legal_moves(seat)[-1])
    counted.clear()
    transition = table.move("host", seat, move)
    rolls = sum(entry.event.kind == "rolled" for entry in transition.entries)
    assert counted == Counter(parse_move=1, play=1, happen=rolls)
    counted.clear()
    table.handle(TimeUp(table.room.since))
    forced = table.kinds()[transition.successor.version :]
    assert counted == Counter(play=forced.count("moved"), happen=forced.count("rolled"))
    counted.clear()
    table.replayed()
    kinds = Counter(table.kinds())
    assert counted == Counter(parse_move=kinds["moved"], play=kinds["moved"], happen=kinds["rolled"])
    counted.clear()
    with pytest.raises(Refusal):
        table.move("eve", seat, move)
    assert counted == Counter(), "who may not move costs nothing"


def test_the_way_of_a_move_is_what_its_decision_says() -> None:
    decision = (ROOT / "docs" / "decisions" / "0009-rooms-are-a-layer.md").read_text(encoding="utf-8")
    rows = [line.split("|")[3] for line in decision.splitlines() if line.startswith("| ")][1:]
    found = 0
    for row in rows:
        for file, names in re.findall(r"`([\w/.]+/[\w.]+)`: ([^;:]*)", row):
            inside = file if file.startswith("web/") else f"src/sobremesa/{file}"
            source = (ROOT / inside).read_text(encoding="utf-8")
            for name in re.findall(r"`([\w.]+)`", names):
                for part in name.split("."):
                    assert re.search(rf"\b(?:def|class) {part}\b", source), f"{name} in {file}"
                    found += 1
    assert found > 20, "the decision names no functions"
