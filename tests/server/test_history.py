"""The checker finds what cannot be; and a short run under faults has nothing of it. ``make soak`` does it at length."""

import asyncio
import itertools
import json
from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import pytest
from pydantic import TypeAdapter

from kinds import one_every_day
from server.faults import Cluster, run
from server.history import History, Operation, Seen, check, check_record, check_standing, digest
from server.spies import Person, Story
from sobremesa.rooms.events import Begun, Ended, Entry, Moved, Opened, Voided
from sobremesa.rooms.messages import AnyCommand, NewRoom, SeatPlan
from sobremesa.rooms.room import Resources, Room
from sobremesa.table import verify
from sobremesa.table.commitments import Opening

pytest_plugins = ["server.postgres"]
COMMAND: TypeAdapter[Any] = TypeAdapter(AnyCommand)


def true_story() -> tuple[History, list[Entry]]:
    """A game of two, seen by one of them, in which all is as it should be."""
    story = Story(Random(1), [Person(1), Person(2)], game="callisto").play_out()
    log = list(story.log)
    history = History(story.room.id, {Person(1).id: (0,), Person(2).id: (1,)})
    room = type(story.room)(story.room.id)
    for entry in log:
        room = room.apply(entry)
        if isinstance(entry.event, Moved) and room.sitting is not None:
            if entry.command is not None and entry.person is not None:
                fields = {"seat": entry.event.seat, "move": entry.event.move}
                done = Operation(
                    entry.person, entry.command, "move", fields, entry.version, entry.version + 0.5, "accepted"
                )
                done.version = entry.version
                history.operations.append(done)
            views = json.loads(json.dumps([room.sitting.state.view(0).as_dict()]))
            step = (entry.version, entry.event.seat, entry.event.move, digest(views))
            history.seen.append(Seen(Person(1).id, 1, 0, entry.version + 0.6, entry.version, False, (step,), False))
    return history, log


def test_a_true_story_passes() -> None:
    history, log = true_story()
    assert check(history, log) == []
    assert len(history.seen) > 10


def test_whatever_cannot_be_is_found() -> None:
    history, log = true_story()
    moved = next(entry for entry in log if isinstance(entry.event, Moved))
    ana = Person(1).id

    def wrong(changed: History, entries: list[Entry] = log, clock: float = 0) -> str:
        return " / ".join(check(changed, entries, clock))

    lost = Operation(ana, "lost", "move", {"seat": 0, "move": "a1"}, 1, 2, "accepted", 7)
    assert "lost was acknowledged and is lost" in wrong(replace(history, operations=[lost]))
    doubled = [*log[:-1], replace(log[-1], person=ana, command="twice"), replace(log[-1], person=ana, command="twice")]
    assert "was done 2 times" in wrong(history, doubled)
    assert "the log has a gap" in wrong(history, log[:3] + log[4:5])
    assert "the game has not ended" in wrong(History(history.room), log[:5])
    refused = Operation(ana, "no", "move", {"seat": 0, "move": "a1"}, 1, 2, "stale")
    done = [replace(entry, person=ana, command="no") if entry is moved else entry for entry in log]
    assert "was refused (stale) and done" in wrong(replace(history, operations=[refused]), done)
    elsewhere = Operation(ana, "no", "move", {"seat": 0, "move": "a1"}, 1, 2, "accepted", moved.version + 1)
    assert "and stands at" in wrong(replace(history, operations=[elsewhere]), done)
    other = Operation(ana, "no", "move", {"seat": 1, "move": "a1"}, 1, 2, "accepted", moved.version)
    assert "as something else" in wrong(replace(history, operations=[other]), done)
    back = [*history.seen, replace(history.seen[0], at=99)]
    assert "saw version" in wrong(replace(history, seen=back))
    late = replace(history.seen[0], connection=2, began=1e9)
    accepted = Operation(ana, "x", "say", {"text": ""}, 1, 2, "accepted", history.seen[-1].version + 5)
    assert "joined after version" in wrong(replace(history, seen=[late], operations=[accepted]))
    told = replace(history.seen[0], leaked=True)
    assert "was told a secret" in wrong(replace(history, seen=[told]))
    version, seat, move, _ = history.seen[3].steps[0]
    shown = replace(history.seen[3], steps=((version, seat, move, "0" * 16),))
    assert "was shown another table" in wrong(replace(history, seen=[shown]))
    view = replace(history.seen[3], steps=((10**6, seat, move, "0"),))
    assert "which is not in the log" in wrong(replace(history, seen=[view]))


def test_a_flag_that_falls_early_is_found() -> None:
    history, log = true_story()
    moves = [entry for entry in log if isinstance(entry.event, Moved)]
    first, second = moves[0], moves[1]
    forced = [replace(entry, person=None, command=None) if entry is second else entry for entry in log]
    sent = Operation(Person(1).id, "m", "say", {"text": ""}, 10.0, 10.1, "unknown", first.version)
    for at, early in ((14.0, True), (19.0, False)):
        seen = [Seen(Person(1).id, 1, 0, at, second.version, True, (), False)]
        wrong = check(History(history.room, {}, [sent], seen), forced, clock=8)
        assert any("the time for" in line for line in wrong) is early


def test_a_secret_in_an_update_is_found() -> None:
    history = History("room")
    promise: dict[str, Any] = {
        "commitment": "ab" * 32,
        "words": {},
        "secret": None,
        "context": "room " + "01" * 32,
        "call": None,
    }
    promise |= {"seals": {"0": "23" * 32}, "openings": {"0": {"nonce": "45" * 16, "words": {"sha256": "67" * 32}}}}
    promise["game"] = 1
    room = {"playing": True, "number": 1, "promises": [promise]}
    update = {"version": 3, "reset": True, "steps": [], "room": room}
    history.see("ana", 1, 0, 0, json.dumps(update))
    history.see("ana", 1, 0, 0, json.dumps(update | {"extra": "cd" * 32}))
    history.see("ana", 1, 0, 0, json.dumps(update | {"room": room | {"playing": False, "number": 0}}))
    assert [seen.leaked for seen in history.seen] == [False, True, True], "a seal was opened before the game began"


def test_a_record_that_tells_of_another_draw_is_found() -> None:
    seats = [SeatPlan(kind="me"), SeatPlan(kind="open")]
    setup = NewRoom(game="isis-osiris", seats=seats, seals=True, public=True, clock=60)
    log = list(sealed_and_left(setup))
    room = Room.replay("room", log)
    record = room.record()
    assert record is not None
    verdict = verify(record)
    assert list(check_record(verdict, log)) == []
    assert any("binds" in line for line in check_record(replace(verdict, bound=(0, 1)), log))
    assert any("void" in line for line in check_record(replace(verdict, voids=1), log))
    unopened = [entry for entry in log if not isinstance(entry.event, Opened)]
    assert any("when [] had opened" in line for line in check_record(verdict, unopened))
    voided = replace(log[0], event=Voided(number=1, missing=[1]))
    begun = next(at for at, entry in enumerate(log) if isinstance(entry.event, Begun))
    again = replace(verdict, bound=(), voids=1)
    assert list(check_record(again, [*log[:begun], voided, *log[begun:]])) == [], "what was opened is void, too"
    [ended] = [entry.event for entry in log if isinstance(entry.event, Ended)]
    assert ended.how == "left"
    true = {0: (Person(1).id, 1), 1: (Person(2).id, 2)}
    assert list(check_standing(true, log)) == []
    for wrong in ({}, true | {1: (Person(2).id, 1)}, true | {1: (None, 2)}):
        assert list(check_standing(wrong, log)), wrong


def sealed_and_left(setup: NewRoom) -> Iterable[Entry]:
    """A rated game for which the first of two seals and opens; both move, and then the second one leaves."""
    ana, bob = Person(1).id, Person(2).id
    transition = Room.create("room", setup, ana, 0.0, Resources())
    ids = map(str, itertools.count())

    def do(person: str, type: str, **fields: Any) -> Iterable[Entry]:
        nonlocal transition
        command = COMMAND.validate_python({"type": type, "id": next(ids)} | fields)
        transition = transition.successor.handle(command, person, 1.0, {ana, bob})
        return transition.entries

    yield from transition.entries
    yield from do(bob, "sit", name="Bob", seat=1)
    for person in (ana, bob):
        if transition.successor.ready is not None:
            yield from do(person, "ready")
    room = transition.successor
    assert room.commitment is not None
    assert room.draw.context is not None
    opening = Opening("01" * 16, "words")
    seal = room.draw.context.seal(room.commitment, 0, opening)
    yield from do(ana, "seal", seat=0, promise=room.commitment, seal=seal)
    call = transition.successor.draw.call
    assert call is not None
    yield from do(ana, "open", seat=0, call=call.digest, nonce=opening.nonce, words=opening.words)
    for _ in range(2):
        room = transition.successor
        assert room.sitting is not None
        [seat] = room.sitting.state.deciding
        move = str(room.sitting.state.legal_moves(seat)[0])
        yield from do((ana, bob)[seat], "move", seat=seat, move=move, version=room.version)
    yield from do(bob, "leave", seat=1)


@pytest.mark.parametrize("where", one_every_day(["postgresql", "sqlite"], 0))
def test_a_short_run_under_faults(where: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """On PostgreSQL two processes, joined by Redis, each behind proxies; on SQLite one, whose disk fills up."""
    sqlite = where == "sqlite"
    database = f"sqlite:///{tmp_path / 'house.db'}" if sqlite else str(request.getfixturevalue("postgres_url"))

    async def main() -> None:
        async with asyncio.timeout(240), Cluster(tmp_path, database, 2) as cluster:
            tally = await run(cluster, 7, 3 if sqlite else 6, 4, pause=0.04, calm=(0.0, 0.3), long=(0.2, 0.8))
            print(tally)
            assert tally.wrong == []
            assert tally.games >= 4
            assert tally.accepted > 50
            assert tally.bound, "seats took part in the draw"
            assert tally.kinds["voided"], "somebody died before opening"
            assert tally.faults, "there was something to survive"

    asyncio.run(main())
