"""Rooms in a list, from what is kept beside each log: a list is one query, and no room has to be opened for it."""

import json
from collections.abc import Mapping
from typing import Any

from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.projections import mark
from sobremesa.rooms.room import Room
from sobremesa.server.answers import LobbyRoom, MyRoom

LISTED_FOR = 86_400.0
"""Seconds without change after which a public room is in the list no more, and its seats bind nobody."""


def listed(row: Mapping[str, Any]) -> LobbyRoom:
    """A room of the database as everybody may see it in a list."""
    return LobbyRoom(**_fields(row, _about(row)))


def listed_for(row: Mapping[str, Any], person: str, room: Room | None) -> MyRoom:
    """A room of the database as somebody who has been there sees it; of a large table only if it is in memory."""
    about = _about(row)
    yours = mark(row["id"], person) in about["turn"]
    if room is not None and room.playing and room.sitting is not None and len(room.seating) > MAX_LISTED_SEATS:
        yours = any(seat in room.sitting.state.deciding for seat in room.seats_of(person))
    return MyRoom(**_fields(row, about), your_turn=yours, **_company(row, about, person, room))


def _company(row: Mapping[str, Any], about: Mapping[str, Any], person: str, room: Room | None) -> dict[str, Any]:
    """Whether somebody belongs to a table, and whether others do; of a large or an old one that is taken to be so."""
    if about["people"] is not None:
        seated, others = mark(row["id"], person) in about["people"], set(about["people"]) - {mark(row["id"], person)}
    else:
        seated, others = room is None or bool(room.seats_of(person)), {"somebody"}
    begun = bool(about["number"])
    return {
        "deadline": about["deadline"],
        "yours": seated or (row["host"] == person and (about["crowd"] or not begun)),
        "others": bool(others) or about["crowd"] or (not begun and row["open"] > 0),
    }


def _about(row: Mapping[str, Any]) -> dict[str, Any]:
    """What the projection wrote. Rooms from before it existed have nothing until the next thing happens in them."""
    blank: dict[str, Any] = {"options": {}, "names": [], "number": 0, "games": 1, "rated": False, "turn": []}
    blank |= {"people": None, "crowd": False, "deadline": None}
    return blank | (json.loads(row["about"]) if row["about"] else {})


def _fields(row: Mapping[str, Any], about: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: row[key] for key in ("id", "game", "public", "playing", "changed_at")}
    seats = {"seats_taken": row["seated"], "seats_open": row["open"]}
    over = bool(about["number"]) and not row["playing"]
    return kept | seats | {key: about[key] for key in ("options", "names", "number", "games", "rated")} | {"over": over}
