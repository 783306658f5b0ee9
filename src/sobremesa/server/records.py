"""Records of finished games, made again from a room's log."""

import asyncio
from collections.abc import Sequence

from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Ended, Entry
from sobremesa.rooms.room import Room
from sobremesa.server.storage import MAX_ENTRIES_ON_LOOP, Store, is_room_id
from sobremesa.table.record import Record


async def record_of(store: Store, id: str, number: int) -> Record:
    """The record of a room's game, once it is over. The room itself is not opened for that."""
    log = await store.read_log(id) if is_room_id(id) else []
    if not log:
        raise Refusal("unknown", "server.error.there-is-no-such-room")
    work = (id, number, log)
    record = await asyncio.to_thread(_replay, *work) if len(log) > MAX_ENTRIES_ON_LOOP else _replay(*work)
    if record is None:
        raise Refusal("unknown", "server.error.there-is-no-finished-game-with-that-number")
    return record


def _replay(id: str, number: int, log: Sequence[Entry]) -> Record | None:
    room = Room(id)
    for entry in log:
        room = room.apply(entry)
        if isinstance(entry.event, Ended) and room.number == number:
            return room.record()
    return None
