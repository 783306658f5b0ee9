"""A real server in a process of its own, for tests."""

import contextlib
import multiprocessing
import os
import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Protocol

_WARM = multiprocessing.get_context("forkserver")
_WARM.set_forkserver_preload(["sobremesa.cli", "sobremesa.server.run", "alembic.command"])
"""Servers are born with everything imported: that is most of the work of a start, and tests start a hundred."""


PROGRAM = [sys.executable, "-m", "sobremesa"]
"""As somebody would type it."""
_IMPATIENT = """
import dataclasses
import sys
import uvicorn
from sobremesa.server import run, settings, sockets

class Config(uvicorn.Config):
    def __init__(self, *arguments, **settings):
        super().__init__(*arguments, **settings | {"ws_ping_interval": 1, "ws_ping_timeout": 3})

def hurried(chosen, *arguments, usual=run.run):
    return usual(dataclasses.replace(chosen, timeouts=dataclasses.replace(chosen.timeouts, **TIMEOUTS)), *arguments)

uvicorn.Config = Config
run.run = hurried
sockets.JOIN_WITHIN = 3
from sobremesa.cli import main
sys.exit(main(sys.argv[1:]))
"""


def impatient(**timeouts: float) -> list[str]:
    """The program as it is, only that it waits a few seconds where it waits twenty otherwise."""
    return [sys.executable, "-c", _IMPATIENT.replace("TIMEOUTS", repr(timeouts))]


class Process(Protocol):
    """A running program."""

    pid: int
    first_line: str

    def poll(self) -> int | None: ...
    def wait(self, timeout: float | None = None) -> int: ...


class ColdProcess:
    """A command."""

    def __init__(self, command: list[str], log: Path) -> None:
        environment = os.environ | {"LC_ALL": "C.UTF-8"}
        with log.open("a") as file:
            self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=file, text=True, env=environment)
        self.pid = self._process.pid
        assert self._process.stdout
        self.first_line = self._process.stdout.readline()

    def poll(self) -> int | None:
        return self._process.poll()

    def wait(self, timeout: float | None = None) -> int:
        # Not until its output ends: children that outlive it for a moment have that open as well.
        status = self._process.wait(timeout)
        assert self._process.stdout
        self._process.stdout.close()
        return status


class WarmProcess:
    """``sobremesa`` with these arguments, born of a process that has already imported it."""

    def __init__(self, arguments: list[str], log: Path) -> None:
        reader, writer = _WARM.Pipe(duplex=False)
        self._process = _WARM.Process(target=_main, args=(arguments, log, writer))
        self._process.start()
        assert self._process.pid
        self.pid = self._process.pid
        writer.close()
        with os.fdopen(os.dup(reader.fileno())) as said:
            self.first_line = said.readline()
        self._said = reader  # not to be closed while it may still say something

    def poll(self) -> int | None:
        return self._process.exitcode

    def wait(self, timeout: float | None = None) -> int:
        self._process.join(timeout)
        assert self._process.exitcode is not None, "it has not ended"
        self._said.close()
        return self._process.exitcode


def _main(arguments: list[str], log: Path, said: Connection) -> None:
    from sobremesa.cli import main

    os.environ["LC_ALL"] = "C.UTF-8"
    os.dup2(said.fileno(), 1)
    with log.open("a") as file:
        os.dup2(file.fileno(), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    sys.exit(main(arguments))


def run_command(arguments: list[str], folder: Path) -> "subprocess.CompletedProcess[str]":
    """``sobremesa`` with these arguments to its end, born of a process that has already imported it."""
    said, complained = folder / "stdout", folder / "stderr"
    process = _WARM.Process(target=_command, args=(arguments, said, complained))
    process.start()
    process.join(60)
    assert process.exitcode is not None, "it has not ended"
    return subprocess.CompletedProcess(arguments, process.exitcode, said.read_text(), complained.read_text())


def _command(arguments: list[str], said: Path, complained: Path) -> None:
    from sobremesa.cli import main

    os.environ["LC_ALL"] = "C.UTF-8"
    with said.open("w") as out, complained.open("w") as error:
        os.dup2(out.fileno(), 1)
        os.dup2(error.fileno(), 2)
    sys.stdout, sys.stderr = os.fdopen(1, "w"), os.fdopen(2, "w", buffering=1)
    sys.exit(main(arguments))


class Server:
    """Starts, stops and kills ``sobremesa serve`` on one port; with a program of its own, that one's."""

    def __init__(self, database: str, folder: Path, *arguments: str, program: list[str] | None = None) -> None:
        self._program = program
        self._arguments = ["serve", "--database", database, "--pause", "0", *arguments]
        self._log = folder / "server.log"
        self._port = 0
        self.process: Process | None = None

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._port}"

    @property
    def log(self) -> str:
        return self._log.read_text() if self._log.exists() else ""

    def start(self) -> float:
        """Returns how many seconds it took until it listened."""
        began = time.monotonic()
        arguments = [*self._arguments, "--port", str(self._port)]
        self.process = (
            ColdProcess([*self._program, *arguments], self._log) if self._program else WarmProcess(arguments, self._log)
        )
        match = re.search(r"http://127\.0\.0\.1:(\d+)", self.process.first_line)
        assert match, f"it did not start: {self.process.first_line!r} {self.log[-2000:]}"
        self._port = int(match[1])
        return time.monotonic() - began

    def kill(self) -> None:
        """As a power cut would."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGKILL)
        self.process.wait()

    def stop(self) -> int:
        """As an operator would; returns the exit status."""
        assert self.process is not None
        os.kill(self.process.pid, signal.SIGTERM)
        return self.process.wait(20)


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
