"""Ready? A public table asks everybody before its first game begins: who sat down an hour ago may be gone.

Computers are ready. Who does not answer in time loses the seat, others keep theirs, and are asked again when the table
is full once more. Who agrees to another game has answered by that, and a table that nobody but friends knows of asks
nobody.
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from sobremesa.rooms import events as e
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import READY_SECONDS
from sobremesa.rooms.rated import is_rated

if TYPE_CHECKING:
    from sobremesa.rooms.draft import Draft
    from sobremesa.rooms.room import Room


@dataclass(frozen=True, slots=True)
class Asked:
    """Everybody has been asked."""

    version: int
    """The entry of the log with which they were."""
    at: float
    seats: frozenset[int]
    """The seats of those who are ready, computers among them."""

    @property
    def deadline(self) -> float:
        """When whoever has not answered loses the seat."""
        return self.at + READY_SECONDS


def asks(room: "Room") -> bool:
    """Whether the table has to ask before it begins."""
    people = {chair.person for chair in room.seating if chair.kind == "person"}
    # Later games begin because everybody agreed, but for those that a host without a seat begins.
    unasked = room.public or (room.number > 0 and is_rated(room.setup.rated, room.seating))
    return unasked and not room.setup.crowd and len(people) > 1


def begin(room: "Room", draft: "Draft", by_itself: bool = True) -> None:
    """Begins a game that nobody was asked about, or asks everybody whether they are ready for it."""
    if room.ready is None and asks(room):
        draft.take(e.ReadyAsked(), by_itself=by_itself)
    else:
        draft.begin(by_itself=by_itself)


def start(room: "Room", person: str, draft: "Draft") -> None:
    """Somebody wants a game to begin: they are ready themselves."""
    if room.ready is not None:
        say(room, person, draft)
        return
    begin(room, draft, by_itself=False)
    if draft.room.ready is not None and (own := room.seats_of(person)):
        draft.take(e.ReadySaid(seats=own))


def say(room: "Room", person: str, draft: "Draft") -> None:
    """Somebody is ready."""
    if room.ready is None:
        raise Refusal("late", "rooms.error.nobody-is-asked-whether-they-are-ready-now")
    seats = tuple(seat for seat in room.seats_of(person) if seat not in room.ready.seats)
    if not room.seats_of(person):
        raise Refusal("forbidden", "rooms.error.that-is-not-your-seat")
    if not seats:
        raise Refusal("late", "rooms.error.you-have-said-already-that-you-are-ready")
    draft.take(e.ReadySaid(seats=seats))


def everybody(room: "Room") -> bool:
    """Whether nobody has to be waited for any longer."""
    return room.ready is not None and len(room.ready.seats) == len(room.seating)


def time_is_up(room: "Room", asked: int, draft: "Draft") -> None:
    """Who has not answered loses the seat."""
    if room.ready is None or room.ready.version != asked:
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")
    for seat in range(len(room.seating)):
        if seat not in room.ready.seats:
            draft.take(e.Left(seat=seat), by_itself=True)
