"""A real server in a process of its own, for tests."""

import contextlib
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path


class Server:
    """Starts, stops and kills ``sobremesa serve`` on one port."""

    def __init__(self, database: str, folder: Path, *arguments: str, program: list[str] | None = None) -> None:
        self._command = [
            *(program or [sys.executable, "-m", "sobremesa"]),
            "serve", "--database", database, "--pause", "0", *arguments,
        ]  # fmt: skip
        self._log = folder / "server.log"
        self._port = 0
        self.process: subprocess.Popen[str] | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def start(self) -> float:
        """Returns how many seconds it took until it listened."""
        began = time.monotonic()
        with self._log.open("a") as log:
            self.process = subprocess.Popen(
                [*self._command, "--port", str(self._port)],
                stdout=subprocess.PIPE,
                stderr=log,
                text=True,
                env=os.environ | {"LC_ALL": "C.UTF-8"},
            )
        assert self.process.stdout is not None
        line = self.process.stdout.readline()
        match = re.search(r"http://127\.0\.0\.1:(\d+)", line)
        assert match, f"it did not start: {line!r} {self.log[-2000:]}"
        self._port = int(match[1])
        return time.monotonic() - began

    def kill(self) -> None:
        """As a power cut would."""
        assert self.process is not None
        self.process.send_signal(signal.SIGKILL)
        self.process.communicate()

    def stop(self) -> int:
        """As an operator would; returns the exit status."""
        assert self.process is not None
        self.process.send_signal(signal.SIGTERM)
        self.process.communicate(timeout=20)
        return self.process.returncode


@contextlib.contextmanager
def serving(database: str, folder: Path, *arguments: str, program: list[str] | None = None) -> Iterator[Server]:
    """A server for the length of a test."""
    server = Server(database, folder, *arguments, program=program)
    server.start()
    try:
        yield server
    finally:
        if server.process is not None and server.process.poll() is None:
            server.kill()
