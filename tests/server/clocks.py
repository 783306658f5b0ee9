"""Time that a test moves by hand, and a log that is on disk at once: what waits or writes needs no sleeping."""

import asyncio
import heapq
import itertools
import selectors
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from sobremesa.rooms.events import Entry
from sobremesa.server.clock import Clock
from sobremesa.server.storage import Batch, Conflict, Head, Store


async def settle(turns: int = 30) -> None:
    """Lets everybody on the event loop have their turn, until what was begun has come as far as it can."""
    for _ in range(turns):
        await asyncio.sleep(0)


class HastyLoop(asyncio.SelectorEventLoop):
    """An event loop in which nobody waits: as soon as everybody does, it is later. Nothing may come from outside."""

    def __init__(self) -> None:
        self._now = 0.0
        super().__init__(_HastySelector(self))

    def time(self) -> float:
        return self._now


class _HastySelector(selectors.DefaultSelector):
    def __init__(self, loop: HastyLoop) -> None:
        super().__init__()
        self._loop = loop

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        assert timeout is not None, "everybody waits for ever"
        self._loop._now += timeout
        return super().select(0)


@dataclass(order=True)
class FakeTimer:
    """Something that will be done when the clock is moved on far enough."""

    at: float
    number: int
    action: Callable[[], object] = field(compare=False)
    cancelled: bool = field(default=False, compare=False)

    def cancel(self) -> None:
        self.cancelled = True


class FakeClock(Clock):
    """A clock that stands still until ``advance`` moves it."""

    def __init__(self, now: float = 1_700_000_000.0) -> None:
        self._start = self._now = now
        self._timers: list[FakeTimer] = []
        self._numbers = itertools.count()
        self.slept: list[float] = []
        """For how long somebody wanted to sleep, each time."""

    @property
    def pending(self) -> list[float]:
        """In how many seconds the timers are due that are still wanted, the next one first."""
        return [timer.at - self._now for timer in sorted(self._timers) if not timer.cancelled]

    def time(self) -> float:
        return self._now

    def monotonic(self) -> float:
        return self._now - self._start

    def compare(self) -> float:
        """Nobody sets the machine's clock."""
        return 0.0

    def turn(self, days: int = 1) -> str:
        """Lets days pass, in which nothing happens; returns the date that it was."""
        was = str(self.today())
        self._now += 86_400 * days
        return was

    def later(self, seconds: float, action: Callable[[], object]) -> FakeTimer:
        timer = FakeTimer(self._now + max(seconds, 0), next(self._numbers), action)
        heapq.heappush(self._timers, timer)
        return timer

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        if seconds <= 0:
            await asyncio.sleep(0)
            return
        woken: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        timer = self.later(seconds, lambda: None if woken.done() else woken.set_result(None))
        try:
            await woken
        finally:
            timer.cancel()

    async def advance(self, seconds: float) -> None:
        """Moves on, and does everything that falls due, in order; then everybody has had their turn."""
        await settle()
        end = self._now + seconds
        while self._timers and self._timers[0].at <= end:
            timer = heapq.heappop(self._timers)
            self._now = max(self._now, timer.at)
            if not timer.cancelled:
                timer.action()
                await settle()
        self._now = end


class MemoryStore(Store):
    """The logs of rooms in memory, with the promises of a database: versions and commands are there once."""

    def __init__(self) -> None:
        self.logs: dict[str, list[Entry]] = {}
        self.rewritten: dict[str, int] = {}
        self.appends = 0
        self.lookups = 0

    async def append(self, batch: Batch) -> None:
        log = self.logs.setdefault(batch.room, [])
        commands = {(entry.person, entry.command) for entry in log if entry.command is not None}
        for entry in batch.entries:
            if entry.version <= len(log) or (entry.person, entry.command) in commands:
                raise Conflict(f"{entry.version} {entry.command}")
        log += batch.entries
        self.appends += 1

    async def read_log(self, room: str, after: int = 0) -> list[Entry]:
        return self.logs.get(room, [])[after:]

    async def heads(self, ids: Sequence[str]) -> list[Head]:
        return [Head(id, len(self.logs[id]), self.rewritten.get(id, 0)) for id in ids if id in self.logs]

    async def find_command(self, room: str, person: str | None, command: str) -> int | None:
        self.lookups += 1
        found = [e.version for e in self.logs[room] if (e.person, e.command) == (person, command)]
        return found[0] if found else None

    async def close(self) -> None:
        pass
