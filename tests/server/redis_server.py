"""A real Redis for tests, on a free port of this machine."""

import os
import shutil
import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest


class Redis:
    """A server of its own, which keeps nothing, to be killed, stopped and started again on its port."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._program = _program()
        self._process: subprocess.Popen[bytes] | None = None
        self.port = 0

    @property
    def url(self) -> str:
        return f"redis://127.0.0.1:{self.port}"

    def start(self) -> None:
        """Starts it, on the port that it had before if it had one."""
        for _ in range(5):
            port = self.port or _free_port()
            self._process = _start(self._program, port, self._folder)
            if _answers(self._process, port):
                self.port = port
                return
            self.kill()
        raise RuntimeError(f"Redis did not start: {(self._folder / 'redis.log').read_text()[-1000:]}")

    def kill(self) -> None:
        """As a power cut would."""
        if self._process is not None:
            self._process.kill()
            self._process.wait()
            self._process = None

    def signal(self, number: int) -> None:
        """SIGSTOP makes it hang, SIGCONT lets it go on."""
        assert self._process is not None
        self._process.send_signal(number)


@contextmanager
def own_redis(folder: Path) -> Iterator[Redis]:
    """A Redis for one test."""
    server = Redis(folder)
    server.start()
    try:
        yield server
    finally:
        server.kill()


def _start(program: str, port: int, folder: Path) -> "subprocess.Popen[bytes]":
    command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
    with (folder / "redis.log").open("a") as log:
        return subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Runs a server of its own, which keeps nothing; gives its URL."""
    with own_redis(folder) as server:
        yield server.url


def _program() -> str:
    """Without it tests are skipped, but fail in CI."""
    if found := shutil.which("redis-server"):
        return found
    reason = "Redis is not installed: there is no redis-server on the path (apt-get install redis-server)"
    if os.environ.get("CI"):
        pytest.fail(reason)
    pytest.skip(reason)


def _free_port() -> int:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        return int(free.getsockname()[1])


def _answers(process: "subprocess.Popen[bytes]", port: int) -> bool:
    """Whether it is there within some seconds; not if somebody else took the port in between."""
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
            probe.sendall(b"PING\r\n")
            if probe.recv(16).startswith(b"+PONG"):
                return True
        time.sleep(0.02)
    return False
