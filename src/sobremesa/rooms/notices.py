"""Whom something in a room concerns who may not be looking: it is their turn, somebody has come, asked, or written.

Whether they are looking, and how they are reached, is the server's matter. Nothing here tells what lies on the table.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, get_args

from sobremesa.rooms import events as e
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.room import Room

MIN_CLOCK = 3600
"""Seconds for a decision from which on nobody is expected to sit and wait; without a clock nobody is either."""
WARNING_SHARE = 6
"""The warning comes when less than one part in so many of the time for a decision is left."""

NoticeKind = Literal["said", "seated", "begun", "over", "offer", "turn"]
"""What a notice is about, the least important first: of two about one table, the more important one is told."""
_RANK = {kind: rank for rank, kind in enumerate(get_args(NoticeKind))}


@dataclass(frozen=True, slots=True)
class Notice:
    """Something that somebody should hear of."""

    person: str
    kind: NoticeKind
    version: int
    """Of the entry that it is about; of a turn the decision: ``Room.since``."""


def is_slow(room: Room) -> bool:
    """Whether people may leave this table and come back when it is their turn: more than one plays, without hurry."""
    others = {chair.person for chair in room.seating if chair.person is not None} | {room.host}
    hurried = 0 < room.setup.clock < MIN_CLOCK
    return len(others - {None}) > 1 and len(room.seating) <= MAX_LISTED_SEATS and not (hurried or room.setup.crowd)


def notices(before: Room, room: Room, entries: Iterable[e.Entry]) -> list[Notice]:
    """Whom these entries of the log concern, each person once. Who did the last thing knows of it."""
    if not is_slow(room):
        return []
    found: dict[str, Notice] = {}
    actor = None
    people = {chair.person for chair in room.seating if chair.person is not None}

    def tell(whom: Iterable[str | None], kind: NoticeKind, version: int) -> None:
        for person in whom:
            if person is not None and (person not in found or _RANK[kind] >= _RANK[found[person].kind]):
                found[person] = Notice(person, kind, version)

    for entry in entries:
        actor = entry.person or actor
        match entry.event:
            case e.Said() | e.PhraseSaid():
                tell(people - {entry.person}, "said", entry.version)
            case e.Seated():
                tell({*people, room.host} - {entry.person}, "seated", entry.version)
            case e.Begun():
                tell(people, "begun", entry.version)
            case e.Ended():
                tell(people, "over", entry.version)
            case e.Offered() if room.offer is not None:
                asked = {chair.person for seat, chair in enumerate(room.seating) if seat not in room.offer.agreed}
                tell(asked, "offer", entry.version)
    deciding = deciding_people(room)
    if room.since > before.version or (len(deciding) == 1 and len(deciding_people(before)) > 1):
        tell(deciding, "turn", room.since)
    return [notice for person, notice in found.items() if person != actor]


def deciding_people(room: Room) -> set[str]:
    """The people who have to decide now."""
    if room.sitting is None or not room.playing:
        return set()
    chairs = [room.seating[seat] for seat in room.sitting.state.deciding]
    return {chair.person for chair in chairs if chair.person is not None}


def still_holds(room: Room, notice: Notice) -> bool:
    """Whether a notice says what is still so."""
    if notice.kind == "turn":
        return room.since == notice.version and notice.person in deciding_people(room)
    if notice.kind == "offer":
        own = set(room.seats_of(notice.person))
        return room.offer is not None and bool(own) and not own <= room.offer.agreed
    return bool(room.seats_of(notice.person)) or room.host == notice.person


def is_news(room: Room, old: Notice, new: Notice) -> bool:
    """Whether somebody who has been told, or is about to be told, the old one should hear the new one instead."""
    if not still_holds(room, old):
        return True
    if new.kind == old.kind:
        # Who has been told that somebody wrote is not told of each line, until they have been at the table.
        return new.kind != "said" and new.version > old.version
    return _RANK[new.kind] > _RANK[old.kind]


def warning_at(room: Room) -> float | None:
    """When those who have to decide should hear that their time runs out."""
    if not is_slow(room) or (deadline := room.deadline) is None:
        return None
    return deadline - room.setup.clock / WARNING_SHARE
