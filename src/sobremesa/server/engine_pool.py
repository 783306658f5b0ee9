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
import time
import traceback
from collections import Counter, OrderedDict
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

MIN_TURN = 0.01
"""Seconds that a turn counts for at least, from its beginning."""
MAX_REMEMBERED = 50_000
"""Networks whose share is remembered."""
MAX_WANTED_RATIO = 4
"""Times as many moves as another one's that a network may want at once, before its players are hurried for that one."""
MIN_THINKING_SECONDS = 0.5
"""Seconds of thinking that are always granted to the end."""
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


@dataclass(frozen=True, slots=True)
class Account:
    """For whom a move is thought about."""

    network: str = ""
    """Where they come from: an IPv4 address, or the /64 of an IPv6 address."""
    person: str = ""
    at_table: bool = True
    """Whether they play themselves; who only looks on has to wait."""


HOUSE = Account("house", "house")
"""What the house itself wants to know."""


class FairShares:
    """Whose turn it is, by start-time fair queuing: everybody gets as much time, counted from when they came.

    Who has not come for long has saved nothing up, and who was alone for long owes nothing.
    """

    def __init__(self) -> None:
        self._now = 0.0
        """Virtual time: where the one stands whose turn it was last."""
        self._ends: dict[str, float] = {}
        """Where each stands who has had a turn."""

    def tag(self, key: str) -> float:
        """Where somebody stands; who has the least is next."""
        return max(self._now, self._ends.get(key, 0.0))

    def begin(self, key: str) -> None:
        """It is somebody's turn."""
        self._now = self.tag(key)
        self._ends[key] = self._now + MIN_TURN
        if len(self._ends) > MAX_REMEMBERED:
            self._ends = {key: end for key, end in self._ends.items() if end > self._now}

    def end(self, key: str, seconds: float) -> None:
        """A turn has taken so long."""
        self._ends[key] = self._ends.get(key, self._now) + max(seconds - MIN_TURN, 0.0)


Jobs = OrderedDict["_Job", None]
Line = OrderedDict[str, OrderedDict[str, OrderedDict[str, Jobs]]]
"""Jobs by network, person and room."""


class EnginePool:
    """A fixed number of processes that choose moves, shared fairly: fair queuing by network, then person, then room.

    Who plays comes before who looks on. Networks get as much time, people of one network take turns, and so do rooms of
    one person. If all processes are busy, a player that thinks for who only looks on, or for a network that wants many
    more moves at once, is hurried for who comes before: it moves with what it has found.

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
        network_limit: int = 5_000,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Nothing is started yet. The time limit is in seconds for one move, from the end of its waiting."""
        self._size = max(1, (os.cpu_count() or 1) - 1) if workers is None else workers
        self._find = find
        self._time_limit = time_limit
        self._waiting_limit = waiting_limit
        self._room_limit = room_limit
        self._network_limit = network_limit
        self._clock = clock
        self._lines: tuple[Line, Line] = (OrderedDict(), OrderedDict())
        """Who plays, and who looks on."""
        self._waiting_of: Counter[str] = Counter()
        """Moves that wait, by network, and by room."""
        self.shares = FairShares()
        self.spent: Callable[[Account, str, float], None] = lambda account, room, seconds: None
        """Is told for whom, in which room, how many seconds were thought."""
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
        account: Account = HOUSE,
        wanted: Callable[[], object] = lambda: True,
    ) -> str:
        """The move that the player of this name chooses at this view, in notation.

        Raises TooBusy, ThinkingFailed or Interrupted, the last also if it is not wanted any more when its turn comes.
        If the task that waits here is cancelled, the thinking stops.
        """
        move: str = (await self.advise(room, game, player, view, seed, past, budget, account, wanted)).move
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
        account: Account = HOUSE,
        wanted: Callable[[], object] = lambda: True,
    ) -> Thought:
        """All that the player thinks, with moves in notation; raises what ``choose`` does."""
        if self._closed:
            raise Interrupted
        line_is_full = (
            self.waiting >= self._waiting_limit
            or self._waiting_of[f"room {room}"] >= self._room_limit
            or self._waiting_of[account.network] >= self._network_limit
        )
        if line_is_full:
            raise TooBusy("too many moves are waiting for the computer: try again in a moment")
        can_hurry = account is not HOUSE and (budget.seconds is None or budget.seconds > MIN_THINKING_SECONDS)
        job = _Job(room, account, wanted, can_hurry, asyncio.get_running_loop().create_future())
        began: float | None = None
        self._join_line(job)
        self._call_next()
        if not job.turn.done():
            self._make_way(account)
        try:
            await job.turn
            began = self._clock()
            async with asyncio.timeout(self._time_limit):
                answer = await self._think(job, (game, player, view, seed, tuple(past), budget))
            if job.interrupted:
                raise Interrupted
        except TimeoutError:
            answer = {"error": f"no move after {self._time_limit:g} seconds"}
        finally:
            if began is not None:
                seconds = self._clock() - began
                self.shares.end(account.network, seconds)
                self.spent(account, room, seconds)
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
        self._interrupt(job for job in self._all_waiting() if job.room == room)
        self._interrupt(job for job in self._running if job.room == room)

    async def close(self) -> None:
        """Interrupts everybody and ends all processes; after this there is no more thinking here."""
        self._closed = True
        self._interrupt(self._all_waiting())
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
        while len(self._running) < self._size and (job := self._next()) is not None:
            self._leave_line(job)
            if job.turn.done():  # it was cancelled a moment ago
                continue
            if job.wanted():
                self._running.add(job)
                self.shares.begin(job.account.network)
                job.turn.set_result(None)
            else:
                job.turn.set_exception(Interrupted())

    def _next(self) -> "_Job | None":
        """Whose turn it is."""
        for line in self._lines:
            if line:
                network = min(line, key=self.shares.tag)
                line.move_to_end(network)
                person, rooms = next(iter(line[network].items()))
                line[network].move_to_end(person)
                room, jobs = next(iter(rooms.items()))
                rooms.move_to_end(room)
                return next(iter(jobs))
        return None

    def _wants(self, network: str) -> int:
        """How many moves a network wants at once."""
        return self._waiting_of[network] + sum(job.account.network == network for job in self._running)

    def _make_way(self, account: Account) -> None:
        """Hurries a player that keeps somebody waiting who should come first."""
        for job in self._running:
            other = job.account
            looks_on = account.at_table and not other.at_table
            equal = account.at_table == other.at_table and account.network != other.network
            crowds = equal and self._wants(other.network) >= MAX_WANTED_RATIO * self._wants(account.network)
            if job.worker is not None and job.can_hurry and (looks_on or crowds):
                job.worker.hurry()
                return

    def _all_waiting(self) -> "list[_Job]":
        lines = [rooms for line in self._lines for people in line.values() for rooms in people.values()]
        return [job for rooms in lines for jobs in rooms.values() for job in jobs]

    def _join_line(self, job: "_Job") -> None:
        account = job.account
        people = self._lines[not account.at_table].setdefault(account.network, OrderedDict())
        people.setdefault(account.person, OrderedDict()).setdefault(job.room, OrderedDict())[job] = None
        self.waiting += 1
        self._waiting_of.update((account.network, f"room {job.room}"))

    def _leave_line(self, job: "_Job") -> None:
        account = job.account
        line = self._lines[not account.at_table]
        people = line.get(account.network, OrderedDict())
        rooms = people.get(account.person, OrderedDict())
        jobs = rooms.get(job.room, OrderedDict())
        if job not in jobs:
            return
        del jobs[job]
        # Whoever has nobody waiting any more does not stay behind.
        if not jobs:
            del rooms[job.room]
        if not rooms:
            del people[account.person]
        if not people:
            del line[account.network]
        self.waiting -= 1
        for key in (account.network, f"room {job.room}"):
            self._waiting_of[key] -= 1
            if not self._waiting_of[key]:
                del self._waiting_of[key]

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
    account: Account
    wanted: Callable[[], object]
    can_hurry: bool
    """Not what is short anyway, such as a move of a review, nor what has to be the same in every process."""
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
        {"move": str(each.move), "value": each.value, "visits": each.visits, "margin": each.margin}
        for each in thought.candidates
    ]
    return plain


def _leave_with_parent() -> None:
    """Ends this process with its parent, even in the middle of a thought and however the parent ended."""
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
