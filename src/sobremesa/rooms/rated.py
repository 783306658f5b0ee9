"""Rated games: who plays one is who sat there at its start, and its result is theirs, whoever sits there at the end.

A game is rated if its table was set up so, and if at its start different people sit in all the seats. Then nobody can
be sent away, sit down for somebody else, take moves back or ask for hints. Who leaves, or lets time run out, has lost:
they are last, behind everybody who stayed. Before everybody has made a move nothing is at stake yet: such a game ends
without a result.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_MISSED_ROUNDS
from sobremesa.rooms.seating import Seating

if TYPE_CHECKING:
    from sobremesa.rooms.draft import Draft
    from sobremesa.rooms.room import Room


@dataclass(frozen=True, slots=True)
class Stake:
    """What is known of the running or last game because it is rated."""

    starters: tuple[str | None, ...]
    """Who sat in each seat at the start; None for somebody who was forgotten since."""
    moved: frozenset[int] = frozenset()
    """The seats that have made a move of their own."""
    missed: Mapping[int, int] = field(default_factory=dict)
    """How many rounds each seat has missed; a turn that nobody else could have used counts as all of them."""
    lost: tuple[int, ...] = ()
    """The seats of those who have left, or let time run out, in this order."""

    @property
    def counts(self) -> bool:
        """Whether anything is at stake: everybody has moved."""
        return len(self.moved) == len(self.starters)

    @property
    def staying(self) -> list[int]:
        """The seats of those who have neither left nor let time run out."""
        return [seat for seat in range(len(self.starters)) if seat not in self.lost]

    def after(self, event: e.Moved, by_person: bool) -> "Stake":
        """After a move; ``by_person`` if somebody sits there."""
        if not event.forced:
            return self if event.seat in self.moved else replace(self, moved=self.moved | {event.seat})
        if not by_person:
            return self
        missed = self.missed.get(event.seat, 0) + (1 if event.hidden else MAX_MISSED_ROUNDS)
        return replace(self, missed={**self.missed, event.seat: missed})

    def places(self, played: Sequence[int]) -> tuple[int, ...]:
        """The places that count: those who stayed by how the game was played, all others together behind them."""
        staying = self.staying
        return tuple(
            len(staying) + 1 if seat in self.lost else 1 + sum(played[other] < place for other in staying)
            for seat, place in enumerate(played)
        )


def wanted(setup: m.NewRoom) -> bool:
    """Whether games at a new table are to be rated. Nothing said, they are if it is public and has a clock."""
    people = not setup.crowd and len(setup.seats) > 1 and all(plan.kind != "engine" for plan in setup.seats)
    fit = people and sum(plan.kind == "me" for plan in setup.seats) < 2 and setup.origin is None
    if not setup.rated:
        return setup.rated is None and setup.public and fit and setup.clock > 0
    if not fit:
        raise Refusal("malformed", "rooms.error.only-whole-games-of-different-people-each-at")
    if not setup.clock:
        raise Refusal("malformed", "rooms.error.a-rated-game-needs-a-clock")
    return True


def is_rated(wanted: bool | None, seating: Seating) -> bool:
    """Whether a game that begins with these people at the table is rated."""
    people = {chair.person for chair in seating}
    return bool(wanted) and 1 < len(seating) == len(people) and None not in people


def would_be(room: "Room") -> bool:
    """Whether the running game is rated, or the next one would be if only people sat down in the free seats."""
    if room.playing:
        return room.stake is not None
    people = [chair.person for chair in room.seating if chair.taken]
    return bool(room.setup.rated) and len(room.seating) > 1 and None not in people and len(set(people)) == len(people)


def is_gathering(room: "Room") -> bool:
    """Whether people still come together for the first game."""
    return room.number == 0 and not room.setup.crowd


def check_free(room: "Room", seat: int, person: str) -> None:
    """Raises if a rated game forbids that a person frees a seat: only who sits there can."""
    if room.at_stake and room.seating[seat].kind == "person" and room.seating[seat].person != person:
        raise Refusal("rated", "rooms.error.this-game-is-rated")


def check_open(room: "Room") -> None:
    """Raises if a rated game forbids that somebody sits down."""
    if room.at_stake:
        raise Refusal("rated", "rooms.error.this-game-is-rated-nobody")


def check_alone(room: "Room") -> None:
    """Raises if a rated game forbids help: hints, and moves that are taken back."""
    if room.at_stake:
        raise Refusal("rated", "rooms.error.this-game-is-rated-there")


def leave(room: "Room", seat: int, draft: "Draft") -> None:
    """Frees a seat; a person who leaves a rated game has lost it."""
    if room.at_stake and room.seating[seat].kind == "person":
        draft.take(e.Forfeited(seat=seat, why="left"))
    else:
        draft.take(e.Left(seat=seat))


def stop(room: "Room", draft: "Draft") -> None:
    """Those who are still there agree to stop: without a result, unless others have lost already."""
    stake = room.stake
    if room.at_stake and stake is not None and stake.counts and stake.lost:
        _end(room, stake, draft)
    else:
        draft.end("stopped")


def follow_up(draft: "Draft") -> bool:
    """What happens by itself in a rated game: whose time is up has lost, and nobody plays on alone."""
    room = draft.room
    stake = room.stake
    if stake is None or not room.at_stake:
        return False
    for seat, missed in stake.missed.items():
        if missed >= MAX_MISSED_ROUNDS and room.seating[seat].kind == "person":
            draft.take(e.Forfeited(seat=seat, why="time"), by_itself=True)
            return True
    if stake.lost and not (stake.counts and stake.staying):
        draft.end("stopped")
    elif stake.lost and len(stake.staying) == 1:
        _end(room, stake, draft)
    else:
        return False
    return True


def _end(room: "Room", stake: Stake, draft: "Draft") -> None:
    """The game ends because others have left: those who stayed share the first place."""
    assert room.sitting is not None
    draft.end("left", room.scores_so_far, stake.places([1] * len(stake.starters)), stake.lost[-1])
