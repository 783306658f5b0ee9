"""A transition in the making: events are taken in one by one, and then happens what happens by itself."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from sobremesa.rooms import binding, rated, readiness
from sobremesa.rooms import events as e
from sobremesa.rooms.history import TableStep
from sobremesa.table.sitting import Sitting

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room


@dataclass(frozen=True)
class Transition:
    """What a command leads to."""

    entries: tuple[e.Entry, ...]
    """New in the log, follow-ups included; the first one carries the command's idempotency key."""
    successor: "Room"
    steps: tuple[TableStep, ...]
    """What happened at the table."""

    @property
    def version(self) -> int:
        """The version at which the command itself stands in the log."""
        return self.entries[0].version


class Draft:
    """A transition in the making."""

    def __init__(
        self,
        room: "Room",
        person: str | None,
        command: str | None,
        now: float,
        here: Collection[str] | None = None,
    ) -> None:
        self.room = room
        self.here = here
        self.entries: list[e.Entry] = []
        self._steps: list[TableStep] = []
        self._person = person
        self._command = command
        self._now = now

    def take(
        self, event: e.Event, *, by_itself: bool = False, sitting: Sitting | None = None, secret: bytes | None = None
    ) -> None:
        """Takes an event in; ``by_itself`` if nobody did it."""
        person = None if by_itself else self._person
        command = None if self.entries else self._command
        entry = e.Entry(self.room.version + 1, self._now, event, person, command, secret)
        before = self.room.step
        self.room = self.room.apply(entry, sitting)
        self.entries.append(entry)
        if self.room.step is not None and self.room.step is not before:
            self._steps.append(self.room.step)

    def move(self, move: Any, seat: int, person: str | None = None, *, forced: bool = False) -> None:
        """A seat moves. Where several decide together the move is hidden: others are not told where it went."""
        sitting = self.room.sitting
        assert sitting is not None
        event = e.Moved(seat=seat, move=str(move), hidden=sitting.together, forced=forced)
        self.take(event, by_itself=person is None, sitting=sitting.play(move, seat))

    def end(
        self,
        how: Literal["played", "resigned", "stopped", "left"],
        scores: tuple[int, ...] = (),
        places: tuple[int, ...] = (),
        seat: int | None = None,
    ) -> None:
        """The game ends, and its secret is told."""
        secret = self.room.secret.hex() if self.room.secret else None
        event = e.Ended(number=self.room.number, scores=scores, places=places, secret=secret, how=how, seat=seat)
        self.take(event, by_itself=how in ("played", "left"))

    def begin(self, *, by_itself: bool = False) -> None:
        """The next game begins, or waits for whoever takes part in fair chance."""
        self.take(binding.first_step(self.room, self.here), by_itself=by_itself)

    def force(self, seat: int) -> None:
        """The move that is made for a seat that does not decide by itself."""
        assert self.room.sitting is not None
        self.move(self.room.game.forced(self.room.sitting.state.view(seat)), seat, forced=True)

    def finish(self) -> Transition:
        """Lets everything happen that happens by itself."""
        while self._follow_up():
            pass
        return Transition(tuple(self.entries), self.room, tuple(self._steps))

    def _asks_the_gone(self) -> bool:
        """Whether seats whose people have left may have to decide now, and did not before."""
        event = self.entries[-1].event
        return self.room.since == self.room.version or isinstance(event, e.Left | e.Forfeited | e.Resumed)

    def _follow_up(self) -> bool:
        """A full table begins, chance speaks, who left is moved for, a game ends and the next one is promised."""
        room = self.room
        if room.sitting is not None and room.playing:
            state = room.sitting.state
            if state.over:
                result = state.result()
                assert result is not None
                self.end("played", result.scores, result.places)
            elif rated.follow_up(self):
                pass
            elif state.chance is not None:
                self.take(e.Rolled(outcome=room.sitting.bound()), by_itself=True)
            elif (
                room.seating.gone
                and (room.sitting.together or room.at_stake)
                and not room.paused
                and self._asks_the_gone()
            ):
                deciding = state.deciding
                seats = [seat for seat in sorted(room.seating.gone) if seat in deciding]
                for seat in seats:
                    self.force(seat)
                return bool(seats)
            else:
                return False
        elif room.commitment is None:
            secret_bytes = room.resources.random_bytes(32)
            self.take(binding.promised(room, secret_bytes), by_itself=True, secret=secret_bytes)
        elif (event := binding.by_itself(room, self.here)) is not None:
            self.take(event, by_itself=True)
        elif room.draw.wait is not None:
            return False
        elif room.ready is not None and readiness.everybody(room):
            self.begin(by_itself=True)
        elif (
            room.number == 0 and room.ready is None and room.seating.full and not (room.setup.wait or room.setup.crowd)
        ):
            readiness.begin(room, self)
        else:
            return False
        return True
