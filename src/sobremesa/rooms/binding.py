"""How the chance of the next game comes about: promise, seals, call, openings. See ``sobremesa.table.commitments``.

Whoever has sealed and is there when the game is to begin is called, and must open. Whoever is called and does not open
in time makes the promise void: it is promised and sealed anew, so that refusing chooses nothing, and everybody sees who
it was. Who fails twice for the same game loses the seat. In a crowd, where somebody is always missing, the game begins
without those who do not open, and its proof says how many they are.

Seats that have not sealed, because they have no such client or are not there, hold nobody up; the proof says for which
seats it is binding.
"""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from sobremesa.core.seats import NOBODY, Seats
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_SEATS
from sobremesa.table.commitments import (
    NOT_AGREED_BEFORE,
    BoundChance,
    Context,
    Opening,
    Sealed,
    Void,
    call_digest,
    mark_of,
)
from sobremesa.table.fair import FairChance, Words

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room

T = TypeVar("T")

SEAL_WITHIN = 10.0
"""Seconds for which a game that is to begin waits for seals."""
OPEN_WITHIN = 10.0
"""Seconds for which a game that is called waits for openings."""
MAX_FAILURES = 2
"""How often who is called may fail to open for the same game; then the seat is lost."""


@dataclass(frozen=True, slots=True, eq=False)
class Noted(Generic[T]):
    """Something noted of some seats: a persistent map, in which the ten thousandth seat is as cheap as the second."""

    bits: int = 0
    """A bit for each seat of which something is noted."""
    _last: tuple[int, T, Any] | None = None
    """The newest note, and those before it."""

    def __contains__(self, seat: int) -> bool:
        return bool(self.bits >> seat & 1)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Noted) and self.as_dict() == other.as_dict()

    def __hash__(self) -> int:
        return hash(self.bits)

    def noted(self, seat: int, what: T) -> "Noted[T]":
        """The same with one note more, in place of an earlier one of that seat."""
        return Noted(self.bits | 1 << seat, (seat, what, self._last))

    def without(self, seat: int) -> "Noted[T]":
        """The same without what was noted of a seat."""
        return Noted(self.bits & ~(1 << seat), self._last)

    def as_dict(self) -> dict[int, T]:
        """All notes, in the order of the seats."""
        found: dict[int, T] = {}
        link = self._last
        while link is not None:
            if link[0] in self:
                found.setdefault(link[0], link[1])
            link = link[2]
        return dict(sorted(found.items()))


@dataclass(frozen=True, slots=True)
class Wait:
    """What the next game waits for, since when."""

    since: int
    """The version of the room with which it began to wait."""
    since_at: float
    bits: int
    """A bit for each seat that is to seal, or, once the game is called, to open."""


@dataclass(frozen=True)
class Call:
    """What is fixed once a game is called."""

    digest: str
    starter: int
    words: tuple[tuple[int, Words], ...]
    sealed: tuple[Sealed, ...]
    by_seat: Mapping[int, Sealed]
    people: Mapping[int, str | None]
    """Who was called, by seat."""
    openings: Noted[Opening] = Noted()


@dataclass(frozen=True)
class Draw:
    """How far the chance of the next game has come. A promise of version 1 has no context, and no seals."""

    context: Context | None = None
    seals: Noted[Sealed] = Noted()
    wait: Wait | None = None
    call: Call | None = None
    voids: tuple[Void, ...] = ()
    """The promises for the same game that were void before."""
    failures: Mapping[str, int] = field(default_factory=dict)
    """How often each person was called and did not open."""
    again: bool = False
    """Whether the game is to be called anew, because the last call is void."""

    def without(self, seat: int) -> "Draw":
        """The same after somebody has left a seat: their seal goes with them, unless they are called."""
        return self if self.call is not None else replace(self, seals=self.seals.without(seat))

    def renumbered(self, taken: Iterable[int]) -> "Draw":
        """The same after empty seats were cleared away."""
        old = self.seals.as_dict()
        seals: Noted[Sealed] = Noted()
        for seat, before in enumerate(taken):
            if before in old:
                seals = seals.noted(seat, replace(old[before], seat=seat))
        return replace(self, seals=seals)


def context_of(room: "Room", promised: e.Promised) -> Context | None:
    """What a promise is for; None for one of version 1."""
    if promised.rules is None or promised.options is None:
        return None
    return Context(
        room=mark_of(room.id),
        number=promised.number,
        game=room.game.id,
        rules=promised.rules,
        options=promised.options,
        crowd=room.setup.crowd,
        position=None if room.setup.origin is None else room.setup.origin.position,
        voids=room.draw.voids,
    )


def promised(room: "Room", secret: bytes) -> e.Promised:
    """The promise of the next game. Where nothing is left to chance it means nothing, and nobody seals anything."""
    if not room.game.has_chance:
        return e.Promised(number=room.number + 1, commitment=FairChance(secret).commitment)
    options = room.game.set_table(room.setup.options | {"seats": MAX_SEATS if room.setup.crowd else len(room.seating)})
    agreed = {name: value for name, value in options.items() if name not in NOT_AGREED_BEFORE}
    promise = e.Promised(number=room.number + 1, commitment="", rules=room.game.version, options=agreed)
    context = context_of(room, promise)
    assert context is not None
    return promise.model_copy(update={"commitment": context.promise(secret)})


# -- what seats do ------------------------------------------------------------------------------------------------


def seal(room: "Room", command: m.Seal) -> e.Sealed:
    """A seat of one's own is committed."""
    if room.playing or room.draw.call is not None:
        raise Refusal("late", "rooms.error.the-game-has-begun")
    if room.draw.context is None or command.promise != room.commitment:
        raise Refusal("stale", "rooms.error.the-promise-is-another-one")
    return e.Sealed(seat=command.seat, seal=command.seal)


def opening(room: "Room", command: m.Open) -> e.Opened:
    """A seat of one's own opens what it had sealed."""
    call, context = room.draw.call, room.draw.context
    if room.playing or call is None or context is None or command.call != call.digest:
        raise Refusal("stale", "rooms.error.the-promise-is-another-one")
    sealed = call.by_seat.get(command.seat)
    if sealed is None or sealed.seat in call.openings:
        raise Refusal("late", "rooms.error.nothing-to-open")
    opened = e.Opened(seat=command.seat, nonce=command.nonce, words=command.words)
    if context.seal(room.commitment or "", sealed.place, opened.opening) != sealed.seal:
        raise Refusal("malformed", "rooms.error.not-what-was-sealed")
    return opened


# -- how a game begins --------------------------------------------------------------------------------------------


def first_step(room: "Room", here: Collection[str] | None) -> e.Gathering | e.Called | e.Begun:
    """What a start leads to: seals are waited for, openings, or nothing. ``here``: who is there; None if not known."""
    awaited = _awaited(room, here)
    return e.Gathering(number=room.number + 1, seats=awaited) if awaited else next_step(room, here)


def next_step(room: "Room", here: Collection[str] | None) -> e.Called | e.Begun:
    """What follows once nobody's seal is waited for any more."""
    beginning = room.beginning()
    if room.draw.context is None:
        return beginning
    called = [
        seat
        for seat in room.draw.seals.as_dict()
        if (person := room.seating[seat].person) is not None and (here is None or person in here)
    ]
    if not called:
        return beginning
    places = {seat: place for place, seat in enumerate(beginning.taken or range(len(room.seating)))}
    return e.Called(
        number=beginning.number,
        starter=beginning.starter,
        seats=sorted(places[seat] for seat in called),
        taken=beginning.taken,
    )


def _awaited(room: "Room", here: Collection[str] | None) -> list[int]:
    """The seats whose clients take part, and have not sealed yet.

    Who opened the room, or has just sat down, may be about to come: the first time they are waited for anyway.
    """
    # Who begins from a position is not told what the promise is for, and cannot seal (``UpdateBuilder``).
    if room.draw.context is None or room.setup.origin is not None:
        return []
    coming = room.number == 0 and not room.setup.crowd and not room.draw.voids
    return [
        seat
        for seat in Seats(room.seating.sealing & ~room.draw.seals.bits)
        if coming or here is None or room.seating[seat].person in here
    ]


def waiting(room: "Room") -> Seats:
    """The seats that the next game waits for now."""
    draw = room.draw
    if draw.wait is None:
        return NOBODY
    if draw.call is not None:
        return Seats(draw.wait.bits & ~draw.call.openings.bits)
    return Seats(draw.wait.bits & ~draw.seals.bits & room.seating.sealing)


def deadline(room: "Room") -> float | None:
    """Until when the next game waits."""
    if room.draw.wait is None:
        return None
    return room.draw.wait.since_at + (SEAL_WITHIN if room.draw.call is None else OPEN_WITHIN)


def broken(room: "Room") -> list[int]:
    """The seats that were called and whose people have left since. In a crowd that stops nobody."""
    call = room.draw.call
    if call is None or room.setup.crowd:
        return []
    left = [seat for seat, person in call.people.items() if room.seating[seat].person != person]
    return left or [seat for seat, chair in enumerate(room.seating) if not chair.taken]


def by_itself(room: "Room", here: Collection[str] | None) -> e.Event | None:
    """What happens by itself while a game is about to begin."""
    draw = room.draw
    if missing := broken(room):
        return e.Voided(number=room.number + 1, missing=missing)
    if draw.again and room.seating.full:
        return first_step(room, here)
    if draw.wait is None or waiting(room):
        return None
    return room.beginning() if draw.call is not None else next_step(room, here)


def time_is_up(room: "Room", since: int, here: Collection[str] | None) -> list[e.Event]:
    """What follows when seals or openings were waited for long enough."""
    draw = room.draw
    if draw.wait is None or draw.wait.since != since:
        raise Refusal("stale", "rooms.error.the-table-has-changed-since")
    if draw.call is None:
        return [next_step(room, here)]
    if room.setup.crowd:
        return [room.beginning()]
    missing = list(waiting(room))
    # The person that failed is still in the seat, or the call would be void by now.
    lost = [seat for seat in missing if draw.failures.get(draw.call.people.get(seat) or "", 0) + 1 >= MAX_FAILURES]
    return [e.Voided(number=room.number + 1, missing=missing), *(e.Left(seat=seat) for seat in lost)]


# -- what has happened --------------------------------------------------------------------------------------------


def after(
    room: "Room", event: e.Promised | e.Sealed | e.Gathering | e.Called | e.Opened | e.Voided, entry: e.Entry
) -> Draw:
    """The draw after one of its events; a call comes once the seats are numbered as they stay."""
    draw = room.draw
    match event:
        case e.Promised():
            return replace(draw, context=context_of(room, event), seals=Noted(), wait=None, call=None)
        case e.Sealed():
            return replace(draw, seals=draw.seals.noted(event.seat, Sealed(event.seat, event.seal, event.seat)))
        case e.Gathering():
            return replace(draw, wait=Wait(entry.version, entry.at, _bits(event.seats)), again=False)
        case e.Called():
            return _called(room, event, entry)
        case e.Opened():
            assert draw.call is not None
            openings = draw.call.openings.noted(event.seat, event.opening)
            return replace(draw, call=replace(draw.call, openings=openings))
        case e.Voided():
            return _voided(room, event)


def _called(room: "Room", event: e.Called, entry: e.Entry) -> Draw:
    draw, context = room.draw, room.draw.context
    assert context is not None
    seals = draw.seals.as_dict()
    sealed = tuple(seals[seat] for seat in event.seats)
    words = _said(room)
    digest = call_digest(context, room.commitment or "", len(room.seating), event.starter, words, sealed)
    people = {seat: room.seating[seat].person for seat in event.seats}
    by_seat = {each.seat: each for each in sealed}
    wait = Wait(entry.version, entry.at, _bits(event.seats))
    return replace(draw, wait=wait, call=Call(digest, event.starter, words, sealed, by_seat, people), again=False)


def _said(room: "Room") -> tuple[tuple[int, Words], ...]:
    """What seats said openly."""
    return tuple((seat, words) for seat, words in sorted(room.words.items()) if words != "")


def _bits(seats: Iterable[int]) -> int:
    return sum(1 << seat for seat in seats)


def _voided(room: "Room", event: e.Voided) -> Draw:
    draw = room.draw
    assert draw.call is not None
    failures = dict(draw.failures)
    for seat in event.missing:
        if (person := draw.call.people.get(seat)) is not None:
            failures[person] = failures.get(person, 0) + 1
    void = Void(room.commitment or "", draw.call.digest, tuple(event.missing))
    return Draw(voids=(*draw.voids, void), failures=failures, again=room.seating.full)


def chance_of(room: "Room", starter: int) -> BoundChance | None:
    """The chance of the game that begins now; None if it was promised by version 1."""
    draw = room.draw
    if draw.context is None:
        return None
    promise = (room.secret or b"", draw.context, room.commitment or "")
    seats = len(room.seating)
    if draw.call is None:
        return BoundChance(*promise, seats, starter, _said(room))
    openings = draw.call.openings.as_dict()
    opened = tuple(replace(each, opening=openings.get(each.seat)) for each in draw.call.sealed)
    return BoundChance(*promise, seats, starter, draw.call.words, opened)
