"""Everybody who watches a room. Each distinct update is built and serialised once; the loop is never held for long."""

import asyncio
import logging
from collections import Counter
from collections.abc import Callable, Collection, Coroutine, Iterable
from typing import Any, Protocol

from sobremesa.rooms.events import Begun, Entry, Moved
from sobremesa.rooms.history import TableStep
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.room import Room
from sobremesa.rooms.updates import UpdateBuilder
from sobremesa.server.actor import Publication
from sobremesa.server.clock import Clock
from sobremesa.server.slices import Slices
from sobremesa.table.sitting import Sitting

log = logging.getLogger("sobremesa.audience")

MAX_INSTANT_WATCHERS = 40
"""With more watchers than this, progress within a round is told now and then (throttled), not at every move."""
THROTTLE_PER_WATCHER = 0.0015
"""Seconds between two such updates, for each watcher: telling a thousand takes a while itself."""
MAX_AGE = 0.5
"""Seconds for which texts are shared: each tells the server's time, from which pages count down."""

Keep = Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]
"""Starts a task and holds on to it."""


class Watcher(Protocol):
    """Somebody who is told what happens in a room."""

    person: str

    def tell(self, text: str) -> None:
        """Hands an update over, as JSON, without waiting."""

    def dismiss(self, reason: str, retry_after: float) -> None:
        """Says goodbye."""


def _stage(room: Room) -> tuple[object, ...]:
    return room.since, room.playing, room.draw.wait


def _count_ahead(sitting: Sitting) -> None:
    """Counts what all updates of a crowd share, such as ten thousand points, places and last moves: beside the loop.

    Sittings and states never change, and keep what was counted: who needs it at the same time counts the same again.
    """
    sitting.state.view(None)
    sitting.last_move(0)


class Audience:
    """The watchers of one room, and what each has been told."""

    def __init__(self, room: Room, clock: Clock, keep: Keep) -> None:
        self._room = room
        self._clock = clock
        self._keep = keep
        self._sent: dict[Watcher, int] = {}
        """The version that each watcher was sent last."""
        self._here: Counter[str] = Counter()
        """How many watchers each person is."""
        self._steps: list[TableStep] = []
        """What somebody has not been told yet, oldest first."""
        self._moves: dict[int, list[Entry]] = {}
        """In a crowd: the moves that somebody has not been told yet, by seat; each is for who has that seat."""
        self._urgent = asyncio.Event()
        self._task: asyncio.Task[None] | None = None
        self._builder: UpdateBuilder | None = None

    def __len__(self) -> int:
        return len(self._sent)

    @property
    def people(self) -> Collection[str]:
        """Who watches."""
        return self._here.keys()

    def join(self, watcher: Watcher, known: int | None = None) -> None:
        """Lets somebody watch, and gives them a snapshot, unless they know this version."""
        if watcher not in self._sent:
            self._count(watcher.person, 1)
        self._sent[watcher] = self._room.version
        if known != self._room.version:
            watcher.tell(self._updates().snapshot(watcher.person))

    def snapshot(self, person: str, room: Room | None = None) -> str:
        """Where the room stands for somebody who does not watch.

        What is given as ``room`` may be ahead of what watchers are told: who has just been answered, and asks, must
        find what they did.
        """
        if room is None or room is self._room:
            return self._updates().snapshot(person)
        return UpdateBuilder(room, self._here, self._clock.time()).snapshot(person)

    def leave(self, watcher: Watcher) -> None:
        """Somebody watches no more."""
        if self._sent.pop(watcher, None) is not None:
            self._count(watcher.person, -1)

    def _count(self, person: str, change: int) -> None:
        self._here[person] += change
        if not self._here[person]:
            del self._here[person]
        if self._room.seats_of(person):
            self._builder = None  # who of the players is here has changed

    def dismiss(self, reason: str, retry_after: float) -> None:
        """Says goodbye to everybody."""
        for watcher in list(self._sent):
            watcher.dismiss(reason, retry_after)

    def publish(self, publication: Publication) -> None:
        """Has everybody told what has happened; subscribes to an actor."""
        before, self._room = publication.before, publication.room
        self._builder = None
        self._keep_steps(publication.steps)
        self._keep_moves(publication.entries)
        if _stage(before) != _stage(self._room):
            self._urgent.set()  # a new decision to take, a game called, begun or ended: that does not wait
        if self._sent and (self._task is None or self._task.done()):
            self._task = self._keep(self._broadcast())

    def _keep_steps(self, steps: Iterable[TableStep]) -> None:
        """Keeps what somebody has to be told; a crowd is told its own moves and the last step, which the room knows."""
        if self._sent and len(self._room.seating) <= MAX_LISTED_SEATS:
            self._steps += steps
        else:
            self._steps.clear()

    def _keep_moves(self, entries: Iterable[Entry]) -> None:
        """Keeps a crowd's moves for who made them. When a game begins seats are counted anew."""
        if not self._sent or len(self._room.seating) <= MAX_LISTED_SEATS:
            self._moves.clear()
            return
        for entry in entries:
            if isinstance(entry.event, Moved):
                self._moves.setdefault(entry.event.seat, []).append(entry)
            elif isinstance(entry.event, Begun):
                self._moves.clear()

    async def _broadcast(self) -> None:
        while self._behind():
            throttled = len(self._sent) > MAX_INSTANT_WATCHERS
            if throttled and not self._urgent.is_set():
                waiting = asyncio.ensure_future(self._urgent.wait())
                pause = asyncio.ensure_future(self._clock.sleep(THROTTLE_PER_WATCHER * len(self._sent)))
                await asyncio.wait([waiting, pause], return_when=asyncio.FIRST_COMPLETED)
                for task in (waiting, pause):
                    task.cancel()
            self._urgent.clear()
            if len(self._room.seating) > MAX_LISTED_SEATS and self._room.sitting is not None:
                await asyncio.to_thread(_count_ahead, self._room.sitting)
            version = self._room.version
            slices = Slices()
            for watcher in list(self._sent):
                if self._sent.get(watcher, version) < version:
                    self._try_to_tell(watcher)
                    await slices.give_way(wakes=1)
            self._forget_steps(version)
        self._builder = None  # thousands of texts, each for one reader

    def _behind(self) -> bool:
        version = self._room.version
        return any(sent < version for sent in self._sent.values())

    def _try_to_tell(self, watcher: Watcher) -> None:
        """Tells somebody; who cannot be told comes back to a snapshot, and keeps nobody else from being told."""
        try:
            self._tell(watcher)
        except Exception:
            log.exception("an update broke", extra={"room": self._room.id})
            try:
                watcher.dismiss("changed", 0.5)
            except Exception:
                log.exception("a goodbye broke", extra={"room": self._room.id})

    def _tell(self, watcher: Watcher) -> None:
        sent = self._sent[watcher]
        self._sent[watcher] = self._room.version
        moves = self._moves_after(sent, self._room.seats_of(watcher.person)) if self._moves else ()
        watcher.tell(self._updates().news(watcher.person, sent, self._steps_after(sent), moves))

    def _steps_after(self, version: int) -> list[TableStep]:
        return [step for step in self._steps if step.version > version]

    def _moves_after(self, version: int, seats: Iterable[int]) -> list[Entry]:
        moves = [entry for seat in seats for entry in self._moves.get(seat, ()) if entry.version > version]
        return sorted(moves, key=lambda entry: entry.version)

    def _forget_steps(self, version: int) -> None:
        """Everybody has been told up to a version."""
        self._steps = self._steps_after(version)
        if version == self._room.version:
            self._moves = {}
            return
        self._moves = {
            seat: later
            for seat, moves in self._moves.items()
            if (later := [entry for entry in moves if entry.version > version])
        }

    def _updates(self) -> UpdateBuilder:
        now = self._clock.time()
        if self._builder is None or now - self._builder.now > MAX_AGE:
            self._builder = UpdateBuilder(self._room, self._here, now)
        return self._builder
