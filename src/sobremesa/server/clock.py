"""Time for everything in the server that waits: given from outside, so that a test can have its own."""

import asyncio
import time
from collections.abc import Callable
from typing import Protocol


class Timer(Protocol):
    """Something that will be done later."""

    def cancel(self) -> None:
        """Does not do it."""


class Clock:
    """The clock of the machine, and timers on the running event loop."""

    def time(self) -> float:
        """Seconds since 1970."""
        return time.time()

    def monotonic(self) -> float:
        """Seconds that only ever grow, from an unknown start."""
        return time.monotonic()

    def later(self, seconds: float, action: Callable[[], object]) -> Timer:
        """Does something after a while."""
        return asyncio.get_running_loop().call_later(seconds, action)

    async def sleep(self, seconds: float) -> None:
        """Waits."""
        await asyncio.sleep(seconds)
