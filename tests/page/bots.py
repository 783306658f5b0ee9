"""Somebody who plays through sockets while a test looks at the page."""

import asyncio
import threading
from collections.abc import Coroutine, Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def meanwhile(playing: Coroutine[Any, Any, Any], patience: float = 60) -> Iterator[None]:
    """Runs a coroutine in a thread of its own; waits for its end, and raises what it raised."""
    raised: list[BaseException] = []

    def run() -> None:
        try:
            asyncio.run(asyncio.wait_for(playing, patience))
        except BaseException as error:
            raised.append(error)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield
    finally:
        thread.join()
    if raised:
        raise raised[0]
