"""Runs the server until it is told to stop."""

import asyncio
import gc
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterable
from typing import Any
from weakref import WeakSet

import uvicorn
from fastapi import FastAPI

from sobremesa.server.app import create_app
from sobremesa.server.database_lock import hold_database, mark_house
from sobremesa.server.settings import Settings, Timeouts
from sobremesa.server.wire import Wire

try:
    from uvloop import Loop as _FastestLoop
except ImportError:
    _FastestLoop = asyncio.SelectorEventLoop if os.name == "posix" else asyncio.ProactorEventLoop  # type: ignore


class Listener:
    """What listens, and when it stops has those connections parted from that only linger.

    Then every connection is told to end, and a socket that its client has closed raises at that: the server would
    end in the middle, without its house.
    """

    def __init__(self, inner: Any, wires: Iterable[Wire]) -> None:
        self._inner = inner
        self._wires = wires

    def __getattr__(self, name: str) -> Any:
        return getattr(self._inner, name)

    def close(self) -> None:
        """Listens no more."""
        self._inner.close()
        for wire in list(self._wires):
            wire.part()


class Loop(_FastestLoop):
    """An event loop that puts a wire before everything that listens, and says when and where it listens."""

    def __init__(self, timeouts: Timeouts, listening: Callable[[str], None]) -> None:
        super().__init__()
        self._timeouts = timeouts
        self._listening = listening

    async def create_server(  # type: ignore[override]
        self, protocol_factory: Callable[[], asyncio.Protocol], *arguments: Any, **settings: Any
    ) -> Any:
        """As ever, with a wire."""
        wires: WeakSet[Wire] = WeakSet()

        def wire() -> Wire:
            new = Wire(protocol_factory(), self._timeouts)
            wires.add(new)
            return new

        server: Any = await super().create_server(wire, *arguments, **settings)
        host, port = server.sockets[0].getsockname()[:2]
        self._listening(f"http://{f'[{host}]' if ':' in host else host}:{port}")
        return Listener(server, wires)


def run(settings: Settings, opened: Callable[[str], None] = lambda address: None) -> int:
    """Serves; returns the exit status when somebody has asked it to stop."""
    with hold_database(settings.database, shared=settings.redis is not None):
        app = create_app(settings)
        if settings.metrics is None:
            return _run(app, settings, opened)
        stop = app.state.house.metrics.serve(*settings.metrics)
        try:
            return _run(app, settings, opened)
        finally:
            stop()


def _run(app: FastAPI, settings: Settings, opened: Callable[[str], None]) -> int:
    hub = app.state.house.hub
    server = uvicorn.Server(
        uvicorn.Config(
            app,
            host=settings.host,
            port=settings.port,
            http="h11",
            ws="websockets-sansio",
            ws_max_size=settings.limits.body,
            ws_ping_interval=20,
            ws_ping_timeout=20,
            ws_per_message_deflate=False,
            h11_max_incomplete_event_size=16 * 1024,
            timeout_graceful_shutdown=5,
            log_config=None,
            access_log=False,
            server_header=False,
            proxy_headers=True,
            forwarded_allow_ips=settings.proxies,
        )
    )
    leaving: list[asyncio.Task[None]] = []

    async def leave() -> None:
        """The house says goodbye before uvicorn closes the sockets."""
        try:
            await hub.close()
            await asyncio.sleep(0.1)
        finally:
            server.should_exit = True

    def stop() -> None:
        if leaving:
            server.should_exit = server.force_exit = True
        else:
            leaving.append(asyncio.get_running_loop().create_task(leave()))

    def listening(address: str) -> None:
        # What is loaded by now stays: looking through all of it again and again would hold everybody's moves up.
        gc.collect()
        gc.freeze()
        gc.set_threshold(20_000, 20, 50)
        sys.setswitchinterval(0.001)  # work in threads gives way to the event loop within a millisecond
        mark_house(settings.database)
        loop = asyncio.get_running_loop()
        _on_signals(lambda *_: loop.call_soon_threadsafe(stop))
        opened(address)

    def too_early(*_: object) -> None:
        server.should_exit = True

    # Until it listens, uvicorn catches signals by itself, and in the end raises them once more: here, that is no harm.
    _on_signals(too_early)
    with asyncio.Runner(loop_factory=lambda: Loop(settings.timeouts, listening)) as runner:
        runner.run(server.serve())
    if os.name == "posix":
        _on_signals(signal.SIG_DFL)
    return 0


def _on_signals(handler: Any) -> None:
    """What happens when somebody asks the server to stop."""
    if threading.current_thread() is threading.main_thread():
        for name in ("SIGINT", "SIGTERM", "SIGBREAK"):
            if hasattr(signal, name):
                signal.signal(getattr(signal, name), handler)
