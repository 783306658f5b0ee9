"""Somebody is called otherwise: here, and at the tables where they sit."""

import logging

from sqlalchemy import select

from sobremesa.rooms.commands import Rename
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.names import check_name
from sobremesa.server.database import is_away, people
from sobremesa.server.house import House
from sobremesa.server.listing import listed_for

log = logging.getLogger("sobremesa.renaming")
MAX_RENAMED_ROOMS = 20
"""Tables at which somebody gets the new name, the latest first: each is a line in a log."""


async def rename(house: House, person: str, name: str) -> None:
    """Gives a person a name. Where it would look like somebody else's at the table, they keep the old one there."""
    check_name(name, house.hub.resources.reserved)
    async with house.store.reading() as connection:
        before = (await connection.execute(select(people.c.name).where(people.c.id == person))).scalar_one_or_none()
    rooms = [] if name == before else await _tables_of(house, person)
    if rooms:
        house.check_rate(person)
        house.commands.charge(person, len(rooms))
    row = {"id": person, "name": name, "created_at": house.clock.time()}
    await house.store.put(people, ["id"], row, keep=["created_at"])
    for id in rooms:
        await _rename_at(house, id, person, Rename(name, before or ""))


async def _tables_of(house: House, person: str) -> list[str]:
    """The tables where somebody has a seat, as far as the list knows."""
    live = house.hub.rooms
    found = []
    for row in await house.store.rooms_of(person):
        room = live[row["id"]].room if row["id"] in live else None
        if listed_for(row, person, room).yours and (room is None or room.seats_of(person)):
            found.append(str(row["id"]))
    return found[:MAX_RENAMED_ROOMS]


async def _rename_at(house: House, id: str, person: str, command: Rename) -> None:
    try:
        opened = await house.room(id)
        if opened.room.seats_of(person):
            await opened.actor.do(command, person)
    except Refusal:
        pass  # It looks like somebody else's there, or they have left meanwhile.
    except Exception as error:
        if is_away(error):
            raise
        log.warning(
            "somebody keeps a name in a room that cannot be opened (%s)", type(error).__name__, extra={"room": id}
        )
