"""A host looks for somebody: updates of large tables cannot list all the people, and answers are short, too."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_FOUND_SEATS
from sobremesa.rooms.names import bare

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room


def find(room: "Room", question: m.Find, person: str, here: Collection[str]) -> m.Found:
    """Who sits at the table, for its host; ``here`` are the people who are connected."""
    if person != room.host:
        raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
    wanted = bare(question.name.strip())
    found = [seat for seat, chair in enumerate(room.seating) if chair.taken and wanted in bare(chair.name)]
    connected = {seat: room.seating[seat].kind == "engine" or room.seating[seat].person in here for seat in found}
    return m.Found(
        id=question.id,
        count=len(found),
        seats=[
            m.FoundSeat(
                seat=seat,
                kind=room.seating[seat].kind,
                name=room.seating[seat].name,
                yours=room.seating[seat].person == person,
                here=connected[seat],
            )
            for seat in sorted(found, key=lambda seat: (connected[seat], seat))[:MAX_FOUND_SEATS]
        ],
    )
