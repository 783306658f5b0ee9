"""Records of finished games, made again from a room's log."""

import asyncio
import re

from sobremesa.server.room import Event, Refusal, Room
from sobremesa.server.storage import Store
from sobremesa.table.record import Record

_ID = re.compile("[A-Za-z0-9_-]{1,40}")
LONG = 500
"""A log of more events than this is replayed beside the event loop."""


async def record_of(store: Store, id: str, number: int) -> Record:
    """The record of a room's game, once it is over. The room itself is not opened for that."""
    events, promised = await store.read_events(id) if _ID.fullmatch(id) else ([], {})
    if not events:
        raise Refusal("unknown", "there is no such room")
    work = (id, number, events, promised)
    record = await asyncio.to_thread(_replay, *work) if len(events) > LONG else _replay(*work)
    if record is None:
        raise Refusal("unknown", "there is no finished game with that number")
    return record


def _replay(id: str, number: int, events: list[Event], promised: dict[int, bytes]) -> Record | None:
    room = Room(id)
    for event in events:
        room.apply(event, promised.get(event.version))
        if event.kind == "ended" and room.number == number:
            return room.record()
    return None
