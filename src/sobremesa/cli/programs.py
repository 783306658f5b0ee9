"""Programs of somebody's that play: processes that read lines and write lines, and the languages that they speak."""

import asyncio
import json
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from sobremesa.core.errors import SobremesaError

MAX_LINE = 1 << 22
"""The most bytes of a line that a program may write."""


class Program:
    """A running program. What it writes to stderr is shown as it is."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self._process = process

    @classmethod
    async def start(cls, command: Sequence[str]) -> "Program":
        """Starts a command."""
        pipe = asyncio.subprocess.PIPE
        return cls(await asyncio.create_subprocess_exec(*command, stdin=pipe, stdout=pipe, limit=MAX_LINE))

    async def write(self, line: str) -> None:
        """Says a line to it."""
        assert self._process.stdin
        try:
            self._process.stdin.write(line.encode() + b"\n")
            await self._process.stdin.drain()
        except (BrokenPipeError, ConnectionResetError):
            raise SobremesaError("cli.error.the-program-has-ended") from None

    async def read(self) -> str:
        """The next line that it says."""
        assert self._process.stdout
        try:
            line = await self._process.stdout.readline()
        except ValueError:
            raise SobremesaError("cli.error.the-program-says-lines-that-are-too-long") from None
        if not line:
            raise SobremesaError("cli.error.the-program-has-ended")
        return line.decode(errors="replace").rstrip("\r\n")

    async def end(self, patience: float = 5.0) -> None:
        """Tells it by the end of its input that it is over; ends it if it does not end by itself."""
        assert self._process.stdin
        self._process.stdin.close()
        try:
            await asyncio.wait_for(self._process.wait(), patience)
        except TimeoutError:
            self._process.kill()
            await self._process.wait()


class Protocol(ABC):
    """How a program is answer of a game, and asked for its moves."""

    def __init__(self, program: Program) -> None:
        self.program = program

    @abstractmethod
    async def begin(self, game: str, options: dict[str, Any], seat: int) -> None:
        """A game begins, or is found running."""

    @abstractmethod
    async def decide(self, view: dict[str, Any], legal: list[str], seconds: float | None) -> str:
        """Asks for a move; ``seconds`` are left on the clock, if there is one."""

    @abstractmethod
    async def refused(self, message: dict[str, Any]) -> None:
        """Its move was not done; it is asked again."""

    @abstractmethod
    async def over(self, result: dict[str, Any] | None) -> None:
        """The game is over."""


class JsonLines(Protocol):
    """Lines of JSON, as docs/bots.md has them."""

    async def _say(self, type: str, **fields: Any) -> None:
        await self.program.write(json.dumps({"type": type} | fields, ensure_ascii=False))

    async def begin(self, game: str, options: dict[str, Any], seat: int) -> None:
        await self._say("game", game=game, options=options, seat=seat)

    async def decide(self, view: dict[str, Any], legal: list[str], seconds: float | None) -> str:
        await self._say("decide", view=view, legal=legal, seconds=seconds)
        line = await self.program.read()
        try:
            move = json.loads(line)["move"]
        except (ValueError, KeyError, TypeError):
            move = None
        if not isinstance(move, str):
            form = '{"move": "…"}'
            raise SobremesaError("cli.error.the-program-should-say-not", form=form, line=line[:80])
        return move

    async def refused(self, message: dict[str, Any]) -> None:
        answer = {key: message[key] for key in ("reason", "text", "rule") if message.get(key) is not None}
        await self._say("refused", **answer)

    async def over(self, result: dict[str, Any] | None) -> None:
        await self._say("over", **(result or {"scores": {}, "places": {}}))
