"""A small TCP proxy between a server and what it depends on, which can be cut, or hold everything back."""

import asyncio
import contextlib
from urllib.parse import urlsplit, urlunsplit


class Proxy:
    """Hands bytes on, until it is told otherwise."""

    def __init__(self, target: str) -> None:
        """``target`` is a URL with a host and a port."""
        self._url = urlsplit(target)
        self._server: asyncio.Server | None = None
        self._flows = asyncio.Event()
        self._flows.set()
        self._cut = False
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()

    @property
    def url(self) -> str:
        """The same URL, by way of this proxy."""
        assert self._server is not None
        port = self._server.sockets[0].getsockname()[1]
        user = f"{self._url.username}@" if self._url.username else ""
        return urlunsplit(self._url._replace(netloc=f"{user}127.0.0.1:{port}"))

    async def open(self) -> None:
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)

    async def close(self) -> None:
        assert self._server is not None
        self._server.close()
        self.cut()
        for task in self._tasks:
            task.cancel()
        await asyncio.gather(*self._tasks, return_exceptions=True)

    def cut(self) -> None:
        """Ends all connections and lets nobody through."""
        self._cut = True
        self._flows.set()
        for writer in list(self._writers):
            writer.transport.abort()

    def hang(self) -> None:
        """Nothing arrives any more, and nobody is told."""
        self._flows.clear()

    def heal(self) -> None:
        """All is well again; what was held back arrives."""
        self._cut = False
        self._flows.set()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if self._cut:
            writer.transport.abort()
            return
        task = asyncio.current_task()
        assert task is not None
        self._tasks.add(task)
        task.add_done_callback(self._tasks.discard)
        self._writers.add(writer)
        out: asyncio.StreamWriter | None = None
        try:
            back, out = await asyncio.open_connection(self._url.hostname, self._url.port)
            self._writers.add(out)
            await asyncio.gather(self._pump(reader, out), self._pump(back, writer))
        except (OSError, asyncio.CancelledError):
            pass  # the server of asyncio's complains of who is cancelled
        finally:
            for one in (writer, out):
                if one is not None:
                    self._writers.discard(one)
                    one.transport.abort()

    async def _pump(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._flows.wait()
                writer.write(data)
                await writer.drain()
        writer.transport.abort()
