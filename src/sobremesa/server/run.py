"""Runs the server until it is told to stop."""

import asyncio
import gc
import os
import signal
from collections.abc import Callable

import uvicorn

from sobremesa.server.app import create_app
from sobremesa.server.settings import Settings
from sobremesa.server.wire import Wire


class _Server(uvicorn.Server):
    """Uvicorn, which says when it listens, and lets the house say goodbye before it closes the sockets."""

    def __init__(self, config: uvicorn.Config, opened: Callable[[str], None], close: Callable[[], object]) -> None:
        super().__init__(config)
        self._opened = opened
        self._close = close

    async def startup(self, sockets: list | None = None) -> None:  # type: ignore[type-arg]
        await super().startup(sockets)
        if self.started:
            # What is loaded by now stays: looking through all of it again and again would hold everybody's moves up.
            gc.collect()
            gc.freeze()
            gc.set_threshold(20_000, 20, 50)
            host, port = self.servers[0].sockets[0].getsockname()[:2]
            self._opened(f"http://{f'[{host}]' if ':' in host else host}:{port}")

    async def shutdown(self, sockets: list | None = None) -> None:  # type: ignore[type-arg]
        await self._close()  # type: ignore[misc]
        await super().shutdown(sockets)
        self._captured_signals.clear()  # else it would end by that signal, as if something had gone wrong


def run(settings: Settings, opened: Callable[[str], None] = lambda address: None) -> int:
    """Serves; returns the exit status when somebody has asked it to stop."""
    app = create_app(settings)
    hub = app.state.house.hub
    config = uvicorn.Config(
        app,
        host=settings.host,
        port=settings.port,
        http="h11",
        ws=Wire,
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

    async def goodbye() -> None:
        await hub.close()
        await asyncio.sleep(0.1)

    server = _Server(config, opened, goodbye)
    server.run()
    if not server.started:
        return 3
    if os.name == "posix":
        signal.signal(signal.SIGINT, signal.SIG_DFL)
    return 0
