"""What people at a table have to agree on: taking back, stopping, playing again."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, assert_never

from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms import rated
from sobremesa.rooms.errors import Refusal

if TYPE_CHECKING:
    from sobremesa.rooms.draft import Draft
    from sobremesa.rooms.room import Room


@dataclass(frozen=True, slots=True)
class Offer:
    """Something that somebody has offered to everybody at the table."""

    what: m.OfferKind
    seat: int
    agreed: frozenset[int]
    """The seats of who agrees, and of who offered it."""


def may(room: "Room", seats: Iterable[int]) -> list[Literal["takeback", "stop", "resign"]]:
    """What who has these seats could ask for now, besides moving."""
    own = frozenset(seats)
    if not own or not room.playing or room.setup.crowd:
        return []
    found: list[Literal["takeback", "stop", "resign"]] = []
    if room.stake is None and any(undo.seat in own for undo in room.undo):
        found.append("takeback")
    found.append("stop")
    if len(room.seating) > 1 and room.setup.games == 1 and len(own) == 1:
        found.append("resign")
    return found


def offer(room: "Room", what: m.OfferKind, person: str, draft: "Draft") -> None:
    """Offers something; agrees to it, if somebody else has; it happens once all the people agree."""
    own = room.seats_of(person)
    same = room.offer is not None and room.offer.what == what
    agreed = frozenset(own) | (room.offer.agreed if same and room.offer is not None else frozenset())
    people = {seat for seat, chair in enumerate(room.seating) if chair.person is not None}
    if people <= agreed:
        asked = room.offer.seat if same and room.offer is not None else next(iter(own), 0)
        _agree_on(room, what, asked, draft)
    elif same:
        draft.take(e.Agreed(seats=own))
    else:
        draft.take(e.Offered(what=what, seats=own))


def answer(room: "Room", yes: bool, person: str, draft: "Draft") -> None:
    """Agrees to what somebody has offered, or declines it."""
    own = room.seats_of(person)
    if not own:
        raise Refusal("forbidden", "rooms.error.that-is-not-your-seat")
    if room.offer is None:
        raise Refusal("late", "rooms.error.nothing-is-offered-any-more")
    if yes:
        offer(room, room.offer.what, person, draft)
    else:
        draft.take(e.Declined(seat=own[0]))


def _agree_on(room: "Room", what: m.OfferKind, seat: int, draft: "Draft") -> None:
    match what:
        case "again":
            draft.begin()
        case "takeback":
            own = room.seats_of(room.seating[seat].person or "") or (seat,)
            moves = next(count for count, undo in enumerate(reversed(room.undo), 1) if undo.seat in own)
            draft.take(e.TakenBack(seat=room.undo[-moves].seat, moves=moves))
        case "stop":
            rated.stop(room, draft)
        case _:
            assert_never(what)
