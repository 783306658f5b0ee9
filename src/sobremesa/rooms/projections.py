"""What is kept beside a room's log, in step with it: a line for lists, and a row for each seat of a game that ended."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sobremesa.rooms.limits import MAX_LISTED_NAMES, MAX_LISTED_SEATS
from sobremesa.rooms.rated import is_gathering, would_be
from sobremesa.rooms.room import Room


def summary(room: Room) -> dict[str, Any]:
    """What lists of rooms need to know."""
    taken = room.seating.taken
    return {
        "id": room.id,
        "game": room.game.id,
        "host": room.host,
        "public": room.public,
        "playing": room.playing,
        "seated": taken,
        "open": len(room.seating) - taken,
        "about": about(room),
        "created_at": room.changed_at,
        "changed_at": room.changed_at,
    }


def about(room: Room) -> str:
    """What a list tells of a room.

    Names are of those who sit there now: who leaves takes theirs along. People who sit there, or have to decide, are
    no more than a mark, which means nothing in another room and nothing to anybody else; at a large table they are not
    even that.
    """
    state = room.sitting.state if room.sitting is not None and room.playing else None
    deciding = state.deciding if state is not None and len(room.seating) <= MAX_LISTED_SEATS else ()
    names = [chair.name if chair.taken else "" for chair in room.seating.chairs[:MAX_LISTED_NAMES]]
    waiting = {chair.person for chair in room.seating if chair.person} if room.public and is_gathering(room) else ()
    people = {room.seating[seat].person for seat in deciding}
    seated = {chair.person for chair in room.seating if chair.person} if len(room.seating) <= MAX_LISTED_SEATS else None
    return json.dumps(
        {
            "options": {option.name: option.default for option in room.game.options}
            | room.setup.options
            | {"seats": len(room.seating)},
            "names": names,
            "number": room.number,
            "games": room.setup.games,
            "rated": would_be(room),
            "waiting": sorted(mark(room.id, person) for person in waiting),
            "turn": sorted(mark(room.id, person) for person in people if person is not None),
            "people": None if seated is None else sorted(mark(room.id, person) for person in seated),
            "crowd": room.setup.crowd,
            "deadline": room.deadline,
        },
        separators=(",", ":"),
    )


def about_without(about: str, names: set[str], gone: str) -> str:
    """The same without some names, and without the mark of who is gone, wherever it stands."""
    listed = json.loads(about)
    listed["names"] = ["" if name in names else name for name in listed["names"]]
    for key, marks in listed.items():
        if isinstance(marks, list) and key != "names":
            listed[key] = [mark for mark in marks if mark != gone]
    return json.dumps(listed, separators=(",", ":"))


def mark(room: str, person: str) -> str:
    """A person in a list: it can be compared, and nothing else."""
    return hashlib.sha256(f"{room} {person}".encode()).hexdigest()[:16]


def results(before: Room, after: Room) -> list[Mapping[str, Any]]:
    """A row for each seat of a game that has just ended; of one that began from a position nothing counts."""
    if len(after.results) == len(before.results) or after.setup.origin is not None:
        return []
    result, stake = after.results[-1], after.stake
    # A rated game counts for who sat there at its start, others for who sits there at the end.
    seated = [(chair.person if chair.kind == "person" else None) for chair in after.seating]
    people = seated if stake is None else list(stake.starters)
    places = result.places if stake is None else stake.places(result.places)
    return [
        {
            "room": after.id,
            "number": after.number,
            "seat": seat,
            "game": after.game.id,
            "person": people[seat],
            "player": chair.name if stake is None and chair.kind == "engine" else None,
            "score": result.scores[seat],
            "place": places[seat],
            "at": after.changed_at,
            "counts": stake is not None and stake.counts,
            "rated": False,
        }
        for seat, chair in enumerate(after.seating)
    ]
