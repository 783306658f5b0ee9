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


@contextmanager
def redis(folder: Path) -> Iterator[str]:
    """Runs a server of its own, which keeps nothing; gives its URL."""
    program = _program()
    for _ in range(5):
        port = _free_port()
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", str(folder), "--save", ""]
        with (folder / "redis.log").open("a") as log:
            process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        try:
            if _answers(process, port):
                yield f"redis://127.0.0.1:{port}"
                return
        finally:
            process.kill()
            process.wait()
    raise RuntimeError(f"Redis did not start: {(folder / 'redis.log').read_text()[-1000:]}")


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
    deadline = time.monotonic() + 20
    while process.poll() is None and time.monotonic() < deadline:
        with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1) as probe:
            probe.sendall(b"PING\r\n")
            if probe.recv(16).startswith(b"+PONG"):
                return True
        time.sleep(0.02)
    return False
