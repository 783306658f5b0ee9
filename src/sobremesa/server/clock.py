"""Time for everything in the server that waits: given from outside, so that a test can have its own."""

import asyncio
import datetime
import logging
import time
from collections.abc import Callable
from typing import Protocol

log = logging.getLogger("sobremesa.clock")

MAX_DRIFT = 2.0
"""Seconds by which the machine's clock may be off our own before somebody is told that it was moved."""


class Timer(Protocol):
    """Something that will be done later."""

    def cancel(self) -> None:
        """Does not do it."""


def steady_seconds() -> float:
    """Seconds that only ever grow; where the system can tell, those in which the machine slept count, too."""
    if hasattr(time, "CLOCK_BOOTTIME"):
        return time.clock_gettime(time.CLOCK_BOOTTIME)
    return time.monotonic()


class Clock:
    """The clock of the machine as it was at the start, and monotonic time from there; timers on the running event loop.

    The wall clock is read once: if somebody sets it while the server runs, nobody's time is up sooner or later for
    that, and no day begins early. Who has set it starts the server again.
    """

    def __init__(self, wall: Callable[[], float] = time.time, steady: Callable[[], float] = steady_seconds) -> None:
        self._wall = wall
        self._steady = steady
        self._ahead = wall() - steady()
        self._warned_of = 0.0

    def time(self) -> float:
        """Seconds since 1970."""
        return self._steady() + self._ahead

    def today(self) -> datetime.date:
        """The day it is at Greenwich."""
        return datetime.datetime.fromtimestamp(self.time(), datetime.UTC).date()

    def monotonic(self) -> float:
        """Seconds that only ever grow, from an unknown start."""
        return time.monotonic()

    def later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Does something after a while."""
        return asyncio.get_running_loop().call_later(seconds, action)

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)

    def compare(self) -> float:
        """By how many seconds the machine's clock is ahead of ours; says so in the log, once for each jump."""
        jump = self._wall() - self.time()
        if abs(jump - self._warned_of) > MAX_DRIFT:
            self._warned_of = jump
            log.warning("the machine's clock was moved by %.0f s: the house keeps its own time until a restart", jump)
        return jump
