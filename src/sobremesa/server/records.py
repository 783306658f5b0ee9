"""Records of finished games, made again from a room's log."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace

from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.events import Ended, Entry, Renamed
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
    for index, entry in enumerate(log):
        room = room.apply(entry)
        if isinstance(entry.event, Ended) and room.number == number:
            return _renamed(room, log[index + 1 :])
    return None


def _renamed(room: Room, later: Sequence[Entry]) -> Record | None:
    """The record of the game that has just ended, with the names that people got at this table later."""
    record = room.record()
    if record is None or not record.names:
        return record
    names = list(record.names)
    for entry in later:
        event = entry.event
        if isinstance(event, Renamed) and entry.person is not None:
            own = room.seats_of(entry.person)
            for seat in own:
                if seat == event.seat or len(own) == 1:  # in a crowd seats may have moved up since
                    names[seat] = event.name
    return replace(record, names=tuple(names))
