"""Cooperative scheduling: long work on the event loop gives way to everybody else every few milliseconds."""

import asyncio
import time

MAX_SLICE = 0.002
"""Seconds of work before others have their turn."""
MAX_WAKES = 20
"""Sockets that are woken in one slice: each of them then has work of its own, all before anybody else's turn."""


class Slices:
    """Divides a long piece of work."""

    def __init__(self) -> None:
        self._began = time.perf_counter()
        self._wakes = 0

    async def give_way(self, wakes: int = 0) -> None:
        """Lets others have their turn, if it is time; ``wakes`` says how many sockets were just given something."""
        self._wakes += wakes
        if self._wakes >= MAX_WAKES or time.perf_counter() - self._began >= MAX_SLICE:
            await asyncio.sleep(0)
            self._began = time.perf_counter()
            self._wakes = 0
