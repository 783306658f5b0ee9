"""Records of finished games, made again from a room's log."""

from sobremesa.server.room import Refusal, Room
from sobremesa.server.storage import Store
from sobremesa.table.record import Record


async def record_of(store: Store, id: str, number: int) -> Record:
    """The record of a room's game, once it is over."""
    events, promised = await store.read_events(id)
    room = Room(id)
    for event in events:
        room.apply(event, promised.get(event.version))
        if event.kind == "ended" and room.number == number:
            record = room.record()
            assert record is not None
            return record
    raise Refusal("unknown", "there is no finished game with that number")
