"""Replays, ready to be sent."""

import asyncio
from concurrent.futures import ThreadPoolExecutor
from threading import Semaphore

from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.replays import is_large, replay
from sobremesa.table.record import Record

MAX_WAITING = 4
"""Replays of large tables that may wait for their turn: ten thousand sheets take seconds."""
_desk = ThreadPoolExecutor(1, "replay")
_places = Semaphore(MAX_WAITING)


async def replay_json(record: Record, number: int, memory: bool) -> bytes:
    """A replay ready to be sent, made beside the event loop; those of large tables one after another."""

    def write() -> bytes:
        return replay(record, number, memory).model_dump_json().encode()

    if not is_large(record):
        return await asyncio.to_thread(write)
    if not _places.acquire(blocking=False):
        raise Refusal("busy", "server.error.slow-down-a-little", retry_after=2)
    try:
        return await asyncio.get_running_loop().run_in_executor(_desk, write)
    finally:
        _places.release()
