"""What players did and were told, each with its beginning and its end; and whether it all can be true (a checker in
the manner of Jepsen)."""

import hashlib
import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sobremesa.rooms.events import (
    Begun,
    Called,
    Ended,
    Entry,
    Forfeited,
    Moved,
    Opened,
    ReadySaid,
    Said,
    Sealed,
    Seated,
    Voided,
)
from sobremesa.rooms.room import Room
from sobremesa.table import Verdict

Json = dict[str, Any]
_HEX = re.compile(r"[0-9a-f]{64}")


@dataclass
class Operation:
    """A command: begun when it was first sent, ended when it was answered."""

    person: str
    id: str
    type: str
    fields: Json
    begin: float
    end: float | None = None
    outcome: str = "unknown"
    """``accepted``, why it was refused, or ``unknown`` as long as nobody has answered."""
    version: int | None = None


@dataclass(frozen=True)
class Seen:
    """What somebody was told at one moment."""

    person: str
    connection: int
    began: float
    """When the connection was asked to join."""
    at: float
    version: int
    snapshot: bool
    steps: tuple[tuple[int, int | None, str | None, str], ...]
    """Version, seat, move, and a digest of the views."""
    leaked: bool
    """Whether it held a secret while the game was on, or what a seat had sealed before its game began."""


@dataclass
class History:
    """All of one room."""

    room: str
    seats: dict[str, tuple[int, ...]] = field(default_factory=dict)
    """The seats of each person, from the moment when they sat down; onlookers have none."""
    operations: list[Operation] = field(default_factory=list)
    seen: list[Seen] = field(default_factory=list)

    def see(self, person: str, connection: int, began: float, at: float, text: str) -> None:
        """Takes an update in, as it came."""
        update = json.loads(text)
        steps = tuple((step["version"], step["seat"], step["move"], digest(step["views"])) for step in update["steps"])
        promised = {promise["commitment"] for promise in update["room"]["promises"]}
        told = {promise["secret"] for promise in update["room"]["promises"] if promise["secret"]}
        digests = {digest for promise in update["room"]["promises"] for digest in _digests(promise)}
        secrets = set(_HEX.findall(text)) - promised - digests
        leaked = bool(secrets) if update["room"]["playing"] else bool(secrets - told)
        begun = update["room"]["number"]
        leaked |= any(promise["openings"] and promise["game"] > begun for promise in update["room"]["promises"])
        seen = Seen(person, connection, began, at, update["version"], update["reset"], steps, leaked)
        self.seen.append(seen)


def _digests(promise: Mapping[str, Any]) -> Iterator[str]:
    """What a promise holds that looks like a secret and is a digest: of words, seals, calls, and of the room's id."""
    openings = promise["openings"].values()
    for words in (*promise["words"].values(), *(opening["words"] for opening in openings)):
        if isinstance(words, dict):
            yield words["sha256"]
    yield from promise["seals"].values()
    yield from _HEX.findall(f"{promise['call']} {promise['context']}")


def digest(views: Sequence[Mapping[str, Any]]) -> str:
    """A short text for what was shown."""
    return hashlib.sha256(json.dumps(views, sort_keys=True).encode()).hexdigest()[:16]


def check(history: History, log: Sequence[Entry], clock: float = 0.0) -> list[str]:
    """Everything that cannot be, in words; an empty list if all is well."""
    wrong = [
        *_check_log(log),
        *_check_operations(history, log),
        *_check_versions(history),
        *_check_joins(history),
    ]
    if _is_whole(log):
        wrong += [*_check_views(history, log), *_check_clock(history, log, clock)]
    return wrong


def _is_whole(log: Sequence[Entry]) -> bool:
    return [entry.version for entry in log] == list(range(1, len(log) + 1))


def _check_log(log: Sequence[Entry]) -> Iterable[str]:
    if not _is_whole(log):
        yield "the log has a gap"
    keys = Counter((entry.person, entry.command) for entry in log if entry.command is not None)
    for (_, command), count in keys.items():
        if count > 1:
            yield f"command {command} was done {count} times"
    if not any(isinstance(entry.event, Ended) for entry in log):
        yield "the game has not ended"


def _check_operations(history: History, log: Sequence[Entry]) -> Iterable[str]:
    done = {(entry.person, entry.command): entry for entry in log if entry.command is not None}
    for operation in history.operations:
        entry = done.get((operation.person, operation.id))
        if operation.outcome == "accepted":
            if entry is None:
                yield f"{operation.id} was acknowledged and is lost"
            elif entry.version != operation.version:
                yield f"{operation.id} was acknowledged at {operation.version} and stands at {entry.version}"
            elif not _is(entry, operation):
                yield f"{operation.id} stands in the log as something else"
        elif operation.outcome != "unknown" and entry is not None:
            yield f"{operation.id} was refused ({operation.outcome}) and done"


def _is(entry: Entry, operation: Operation) -> bool:
    event, fields = entry.event, operation.fields
    match operation.type:
        case "move":
            return isinstance(event, Moved) and (event.seat, event.move) == (fields["seat"], fields["move"])
        case "seal":
            return isinstance(event, Sealed) and (event.seat, event.seal) == (fields["seat"], fields["seal"])
        case "open":
            return isinstance(event, Opened) and (event.seat, event.nonce) == (fields["seat"], fields["nonce"])
        case "sit":
            return isinstance(event, Seated) and event.seat == fields["seat"]
        case "ready":
            return isinstance(event, ReadySaid)
        case "say":
            return isinstance(event, Said) and event.text == fields["text"]
        case _:
            raise ValueError(operation.type)


def _check_versions(history: History) -> Iterable[str]:
    latest: dict[str, int] = {}
    told: dict[tuple[str, int], list[int]] = {}
    for seen in history.seen:
        if seen.version < latest.get(seen.person, 0):
            yield f"{seen.person[:6]} saw version {seen.version} after {latest[seen.person]}"
        latest[seen.person] = max(seen.version, latest.get(seen.person, 0))
        steps = told.setdefault((seen.person, seen.connection), [])
        if seen.snapshot:
            steps.clear()
        for version, *_ in seen.steps:
            if steps and version != steps[-1] + 1 and version <= steps[-1]:
                yield f"{seen.person[:6]} was told step {version} after {steps[-1]}"
            steps.append(version)


def _check_joins(history: History) -> Iterable[str]:
    """Who asks after something was acknowledged, to whomever, finds it: the log is one register for all processes."""
    done = sorted(
        (operation.end, operation.version)
        for operation in history.operations
        if operation.outcome == "accepted" and operation.end is not None and operation.version is not None
    )
    joined: set[tuple[str, int]] = set()
    for seen in sorted(history.seen, key=lambda seen: seen.began):
        if (seen.person, seen.connection) in joined:
            continue
        joined.add((seen.person, seen.connection))
        known = max((version for end, version in done if end < seen.began), default=0)
        if seen.version < known:
            yield f"{seen.person[:6]} joined after version {known} was acknowledged and saw {seen.version}"


def _check_views(history: History, log: Sequence[Entry]) -> Iterable[str]:
    """What everybody was shown is what the rules show to their seats, and nothing else."""
    wanted = {version for seen in history.seen for version, *_ in seen.steps}
    states, room = {}, Room(history.room)
    for entry in log:
        room = room.apply(entry)
        if entry.version in wanted and room.sitting is not None:
            states[entry.version] = (room.sitting.state, entry.event)
    known: dict[tuple[int, tuple[int, ...]], str] = {}
    for seen in history.seen:
        if seen.leaked:
            yield f"{seen.person[:6]} was told a secret at version {seen.version}"
        own = history.seats.get(seen.person, ())
        for version, seat, move, shown in seen.steps:
            if version not in states:
                yield f"{seen.person[:6]} was told step {version}, which is not in the log"
                continue
            state, event = states[version]
            if isinstance(event, Moved) and event.hidden and seat not in own and move is not None:
                yield f"{seen.person[:6]} was told a hidden move at {version}"
            # Who has just sat down may still be shown the table from outside.
            for seats in {own, ()}:
                if (version, seats) not in known:
                    views = [state.view(one).as_dict() for one in seats] or [state.view(None).as_dict()]
                    known[version, seats] = digest(json.loads(json.dumps(views)))
            if shown not in (known[version, own], known[version, ()]):
                yield f"{seen.person[:6]} was shown another table at {version} than the rules show"


def _check_clock(history: History, log: Sequence[Entry], clock: float) -> Iterable[str]:
    """Nobody's time is up before it is. What is known are the bounds: a decision began after what led to it was sent,
    and was over before somebody saw it."""
    if not clock:
        return
    sent = {operation.version: operation.begin for operation in history.operations if operation.version is not None}
    shown: dict[int, float] = {}
    for seen in history.seen:
        shown[seen.version] = min(seen.at, shown.get(seen.version, seen.at))
    room = Room(history.room)
    for entry in log:
        forced = (
            isinstance(entry.event, Moved) and entry.person is None and entry.event.seat not in room.seating.engines
        )
        if forced and room.since in sent:
            ended = min((at for version, at in shown.items() if version >= entry.version), default=None)
            if ended is not None and ended - sent[room.since] < clock - 0.5:
                yield f"the time for {room.since} was up after {ended - sent[room.since]:.1f} of {clock:g} s"
        room = room.apply(entry)


# -- what remains of a game -------------------------------------------------------------------------------------------


def check_record(verdict: Verdict, log: Sequence[Entry]) -> Iterable[str]:
    """Whether the record of a room's only game tells what its log does."""
    events = [entry.event for entry in log]
    [ended] = [event for event in events if isinstance(event, Ended)]
    if verdict.final.over != (ended.how == "played"):
        yield f"the game is {ended.how}, and its record is not"
    if verdict.rolls and not verdict.fair:
        yield "the record has no proof of its rolls"
    called: list[int] = []
    opened: set[int] = set()
    voids = 0
    for event in events:
        match event:
            case Called():
                called, opened = event.seats, set()
            case Opened():
                opened.add(event.seat)
            case Voided():
                called, opened, voids = [], set(), voids + 1
            case Begun() if set(called) != opened:
                yield f"the game was called with the seats {called}, and began when {sorted(opened)} had opened"
    if set(verdict.bound) != set(called):
        yield f"the record binds {verdict.bound} where {called} were called"
    if verdict.voids != voids:
        yield f"the record has {verdict.voids} void promises, and the log {voids}"


def check_standing(standing: Mapping[int, tuple[str | None, int]], log: Sequence[Entry]) -> Iterable[str]:
    """Whether a rated game counts for who sat there at its start, and those who left or ran out of time are last.

    ``standing``: the person and the place of each seat, as they are stored.
    """
    room, starters = Room(""), []
    for entry in log:
        room = room.apply(entry)
        if isinstance(entry.event, Begun) and entry.event.rated:
            starters = [chair.person for chair in room.seating]
    events = [entry.event for entry in log]
    [ended] = [event for event in events if isinstance(event, Ended)]
    moved = {event.seat for event in events if isinstance(event, Moved) and not event.forced}
    lost = {event.seat for event in events if isinstance(event, Forfeited)}
    wanted: dict[int, tuple[str | None, int]] = {}
    if starters and len(moved) == len(starters) and ended.how in ("played", "left"):
        staying = [seat for seat in range(len(starters)) if seat not in lost]
        for seat, person in enumerate(starters):
            better = [other for other in staying if ended.places[other] < ended.places[seat]]
            alone = 1 if ended.how == "left" else 1 + len(better)
            wanted[seat] = (person, len(staying) + 1 if seat in lost else alone)
    if standing != wanted:
        yield f"the results are {standing} and should be {wanted}"
