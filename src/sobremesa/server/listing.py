"""Rooms in a list: what is kept beside each log, so that a list is one query and no room has to be opened for it."""

import hashlib
import json
from collections.abc import Mapping
from typing import Any

from sobremesa.server.answers import LobbyRoom, MyRoom
from sobremesa.server.room import Room

NAMES = 12
"""So many names are listed."""
FEW = 24
"""At larger tables it is not written down whose turn it is."""


def about(room: Room) -> str:
    """What a list tells of a room, kept in step with its log.

    Names are of those who sit there now: who leaves takes theirs along. People who have to decide are no more
    than a mark, which means nothing in another room and nothing to anybody else.
    """
    state = room.sitting.state if room.sitting is not None and room.playing else None
    deciding = state.deciding if state is not None and len(room.chairs) <= FEW else ()
    return json.dumps(
        {
            "options": {option.name: option.default for option in room.game.options}
            | room.setup.options
            | {"seats": len(room.chairs)},
            "names": [chair.name if chair.kind in ("person", "engine") else "" for chair in room.chairs[:NAMES]],
            "number": room.number,
            "games": room.setup.games,
            "turn": sorted(
                {_mark(room.id, person) for seat in deciding if (person := room.chairs[seat].person) is not None}
            ),
        },
        separators=(",", ":"),
    )


def listed(row: Mapping[str, Any]) -> LobbyRoom:
    """A room of the database as everybody may see it in a list."""
    return LobbyRoom(**_fields(row, _told(row)))


def listed_for(row: Mapping[str, Any], person: str, live: Room | None) -> MyRoom:
    """A room of the database as somebody who has been there sees it; of a large table only if it is in memory."""
    told = _told(row)
    yours = _mark(row["id"], person) in told["turn"]
    if live is not None and live.playing and live.sitting is not None and len(live.chairs) > FEW:
        yours = any(seat in live.sitting.state.deciding for seat in live.seats_of(person))
    return MyRoom(**_fields(row, told), your_turn=yours)


def _told(row: Mapping[str, Any]) -> dict[str, Any]:
    """What ``about`` wrote. Rooms from before it existed have nothing until the next thing happens in them."""
    blank: dict[str, Any] = {"options": {}, "names": [], "number": 0, "games": 1, "turn": []}
    return blank | (json.loads(row["about"]) if row["about"] else {})


def _fields(row: Mapping[str, Any], told: Mapping[str, Any]) -> dict[str, Any]:
    kept = {key: row[key] for key in ("id", "game", "public", "playing", "seated", "open", "changed_at")}
    over = bool(told["number"]) and not row["playing"]
    return kept | {key: told[key] for key in ("options", "names", "number", "games")} | {"over": over}


def _mark(room: str, person: str) -> str:
    return hashlib.sha256(f"{room} {person}".encode()).hexdigest()[:16]
