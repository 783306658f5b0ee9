"""Where computer players think: in processes of their own, so that nobody's page waits for a player's move.

This module is what a worker process imports: it knows the library and the players, nothing of the web.
"""

import asyncio
import json
import multiprocessing
import os
import pickle
import signal
import socket
import threading
import traceback
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import asdict, dataclass
from random import Random
from typing import Any

from sobremesa.core import Game, View
from sobremesa.engines import Budget, Candidate, Player, Thought, find_player
from sobremesa.engines.player import DEFAULT_BUDGET
from sobremesa.games import find_game

Find = Callable[[str, Game, Random], Player]
"""How a worker finds a player by its name; workers import it, so it must be a module's own function."""

_NICENESS = 5
_SPAWN = multiprocessing.get_context("spawn")


class Interrupted(Exception):
    """Nobody wants this move any more: its room was cancelled, or the pool was closed.

    Not a ``CancelledError``: the task that waits was not cancelled itself and may go on.
    """


class ThinkingFailed(RuntimeError):
    """No move came: the player raised an error, took too long, or its process died twice."""


class TooBusy(RuntimeError):
    """Too many moves are waiting to be thought about; try again later."""


class EnginePool:
    """A fixed number of processes that choose moves, shared fairly by all rooms.

    To be used from one event loop at a time; ``close`` it before the loop ends. Counters for whoever
    watches: moves ``waiting`` for a process, ``running`` now, ``done`` and ``failed`` so far.
    """

    def __init__(
        self,
        workers: int | None = None,
        *,
        find: Find = find_player,
        time_limit: float = 30.0,
        waiting_limit: int = 10_000,
        room_limit: int = 5_000,
    ) -> None:
        """Nothing is started yet. The time limit is in seconds for one move, from the end of its waiting."""
        self._size = max(1, (os.cpu_count() or 1) - 1) if workers is None else workers
        self._find = find
        self._time_limit = time_limit
        self._waiting_limit = waiting_limit
        self._room_limit = room_limit
        self._line: OrderedDict[str, OrderedDict[_Job, None]] = OrderedDict()
        self._running: set[_Job] = set()
        self._workers: set[_Worker] = set()
        self._free: list[_Worker] = []
        self._closed = False
        self.waiting = self.done = self.failed = 0

    @property
    def running(self) -> int:
        """How many moves are being thought about."""
        return len(self._running)

    async def choose(
        self,
        room: str,
        game: str,
        player: str,
        view: View[Any],
        seed: int | None = None,
        past: Sequence[View[Any]] = (),
        budget: Budget = DEFAULT_BUDGET,
    ) -> str:
        """The move that the player of this name chooses at this view, in notation.

        Raises TooBusy, ThinkingFailed or Interrupted. If the task that waits here is cancelled, the thinking stops.
        """
        move: str = (await self.advise(room, game, player, view, seed, past, budget)).move
        return move

    async def advise(
        self,
        room: str,
        game: str,
        player: str,
        view: View[Any],
        seed: int | None = None,
        past: Sequence[View[Any]] = (),
        budget: Budget = DEFAULT_BUDGET,
    ) -> Thought:
        """All that the player thinks, with moves in notation; raises what ``choose`` does."""
        if self._closed:
            raise Interrupted
        if self.waiting >= self._waiting_limit or len(self._line.get(room, ())) >= self._room_limit:
            raise TooBusy("too many moves are waiting for the computer: try again in a moment")
        job = _Job(room, asyncio.get_running_loop().create_future())
        self._line.setdefault(room, OrderedDict())[job] = None
        self.waiting += 1
        self._call_next()
        try:
            await job.turn
            async with asyncio.timeout(self._time_limit):
                answer = await self._think(job, (game, player, view, seed, tuple(past), budget))
            if job.interrupted:
                raise Interrupted
        except TimeoutError:
            answer = {"error": f"no move after {self._time_limit:g} seconds"}
        finally:
            self._leave(job)
        if "error" in answer:
            self.failed += 1
            failure = ThinkingFailed(answer["error"])
            if "traceback" in answer:
                failure.add_note(answer["traceback"])
            raise failure
        self.done += 1
        candidates = tuple(Candidate(**candidate) for candidate in answer.pop("candidates"))
        return Thought(candidates=candidates, **answer)

    def hurry(self, room: str) -> None:
        """Asks the players that are thinking for this room to move now with what they have."""
        for job in self._running:
            if job.room == room and job.worker is not None:
                job.worker.hurry()

    def cancel(self, room: str) -> None:
        """Stops all thinking for this room; whoever waits for it gets Interrupted. To be called in the event loop."""
        self._interrupt(self._line.get(room, ()))
        self._interrupt(job for job in self._running if job.room == room)

    async def close(self) -> None:
        """Interrupts everybody and ends all processes; after this there is no more thinking here."""
        self._closed = True
        for room in self._line:
            self._interrupt(self._line[room])
        self._interrupt(self._running)
        while self._free:
            self._free.pop().socket.close()
        await asyncio.gather(*(worker.end() for worker in self._workers))

    async def _think(self, job: "_Job", question: object) -> dict[str, Any]:
        message = pickle.dumps(question)
        for _ in range(2):  # a process can die through no fault of its job, when memory runs out
            if job.interrupted:
                break
            try:
                job.worker = self._free.pop() if self._free else self._start()
                return await job.worker.ask(message)
            except (EOFError, OSError):
                self._dismiss(job)
        return {"error": "two worker processes died over this move, or could not be started"}

    def _interrupt(self, jobs: "Iterable[_Job]") -> None:
        for job in jobs:
            job.interrupted = True
            if job.worker is not None:
                job.worker.end()
            elif not job.turn.done():
                job.turn.set_exception(Interrupted())

    def _call_next(self) -> None:
        while self._line and len(self._running) < self._size:
            room, jobs = next(iter(self._line.items()))
            job = next(iter(jobs))
            self._line.move_to_end(room)
            self._leave_line(job)
            if not job.turn.done():  # else it was cancelled a moment ago
                self._running.add(job)
                job.turn.set_result(None)

    def _leave_line(self, job: "_Job") -> None:
        jobs = self._line.get(job.room, OrderedDict())
        if job in jobs:
            self.waiting -= 1
            del jobs[job]
            if not jobs:
                del self._line[job.room]

    def _leave(self, job: "_Job") -> None:
        self._leave_line(job)
        self._running.discard(job)
        if job.worker is not None and job.worker.fit:
            self._free.append(job.worker)
        elif job.worker is not None:
            self._dismiss(job)
            with suppress(OSError):  # if it fails, the next job tries again, and there is somebody to tell
                self._free += [] if self._closed else [self._start()]
        self._call_next()

    def _start(self) -> "_Worker":
        worker = _Worker(self._find)
        self._workers.add(worker)
        return worker

    def _dismiss(self, job: "_Job") -> None:
        if (worker := job.worker) is not None:
            job.worker = None
            worker.socket.close()  # not earlier: the loop must never watch a socket that is closed
            worker.end().add_done_callback(lambda _: self._workers.discard(worker))


@dataclass(eq=False)
class _Job:
    room: str
    turn: asyncio.Future[None]
    worker: "_Worker | None" = None
    interrupted: bool = False


class _Worker:
    """A process and our end of the socket to it: pickles go there, lines of JSON come back."""

    def __init__(self, find: Find) -> None:
        self.socket, theirs = socket.socketpair()
        self.socket.setblocking(False)
        self.fit = True
        """Whether it can be asked: alive as far as we know, and not thinking."""
        self._ended: asyncio.Future[None] | None = None
        self._hurry = _SPAWN.RawValue("b", 0)  # a byte without a lock, which a killed process could not give back
        arguments = (theirs, find, self._hurry)
        self._process = _SPAWN.Process(target=_work, args=arguments, name="sobremesa-thinking", daemon=True)
        try:
            self._process.start()
        except BaseException:
            self.socket.close()
            raise
        finally:
            theirs.close()  # the process must have the only one, or its death would go unnoticed

    def hurry(self) -> None:
        """Asks for an answer now."""
        self._hurry.value = 1

    async def ask(self, message: bytes) -> dict[str, Any]:
        """The answer; raises EOFError or OSError if the process dies."""
        loop = asyncio.get_running_loop()
        self.fit = False
        self._hurry.value = 0
        await loop.sock_sendall(self.socket, message)
        line = b""
        while not line.endswith(b"\n"):
            part = await loop.sock_recv(self.socket, 1 << 16)
            if not part:
                raise EOFError
            line += part
        self.fit = self._ended is None
        answer: dict[str, Any] = json.loads(line)
        return answer

    def end(self) -> asyncio.Future[None]:
        """Kills the process; the future is done when nothing is left of it."""
        if self._ended is None:
            self.fit = False
            self._process.kill()
            self._ended = asyncio.get_running_loop().run_in_executor(None, self._process.join)
        return self._ended


def _work(pipe: socket.socket, find: Find, hurry: Any) -> None:
    """The life of a worker process: questions in, answers out, until the pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C reaches everybody; the server decides who ends
    threading.Thread(target=_leave_with_parent, daemon=True).start()
    os.nice(_NICENESS)  # the server has to answer at once, we have not
    for library in ("OMP", "OPENBLAS", "MKL"):  # one thread a process: the processes share the machine already
        os.environ.setdefault(f"{library}_NUM_THREADS", "1")
    stream = pipe.makefile("rwb")
    with suppress(EOFError, OSError):
        while True:
            game, player, view, seed, past, budget = pickle.load(stream)
            try:
                thinker = find(player, find_game(game), Random(seed))
                answer = _as_dict(thinker.think(view, past, budget, lambda: bool(hurry.value)))
            except Exception as error:
                answer = {"error": f"{type(error).__name__}: {error}", "traceback": traceback.format_exc()}
            stream.write(json.dumps(answer).encode() + b"\n")
            stream.flush()


def _as_dict(thought: Thought) -> dict[str, Any]:
    """A thought as plain data."""
    plain = asdict(thought)
    plain["move"] = str(thought.move)
    plain["candidates"] = [
        {"move": str(candidate.move), "value": candidate.value, "visits": candidate.visits}
        for candidate in thought.candidates
    ]
    return plain


def _leave_with_parent() -> None:
    """Ends this process with its parent, even in the middle of a thought and however the parent ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
