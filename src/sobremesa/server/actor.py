"""A room that is open: an actor with a mailbox. It collects commands, handles them, appends them to the log, and
publishes what has happened.

Commands are taken in batches: all that have come in are handled and written together (group commit); when they are on
disk all senders are answered, in the order of their commands, and then everybody is told. ``room`` is always what the
disk has: so nobody ever sees what could still be lost, or is refused because of it, and a crowd that writes at once
costs a few transactions, not thousands.
"""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from sobremesa.core.errors import SobremesaError
from sobremesa.rooms import binding
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import DrawTimeUp, HouseCommand, TimeUp
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.errors import Overloaded, Refusal
from sobremesa.rooms.events import Entry
from sobremesa.rooms.history import TableStep
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.projections import results, summary
from sobremesa.rooms.room import Room
from sobremesa.server.clock import Clock
from sobremesa.server.database import is_away
from sobremesa.server.slices import Slices
from sobremesa.server.storage import Batch, Conflict, Store

log = logging.getLogger("sobremesa.actor")

MAX_BATCH = 1000
"""Commands that are written together."""
MAX_ANSWERED = 200
"""Idempotency keys that are kept in memory, besides two for each seat; older ones are found in the database."""

Reply = Callable[[int | Exception], None]
"""Takes the version at which a command is on disk, or why it was not done. It must not wait."""


@dataclass(frozen=True)
class Publication:
    """What has happened in a room, and is on disk."""

    before: Room
    room: Room
    entries: Sequence[Entry]
    steps: Sequence[TableStep]
    written_here: bool
    """Whether it was this process that wrote it."""


Subscriber = Callable[[Publication], None]


@dataclass(slots=True, eq=False)
class _Mail:
    command: m.RoomCommand | HouseCommand
    person: str | None
    reply: Reply
    answered: bool = False

    def answer(self, outcome: int | Exception) -> None:
        """Replies, once; whoever cannot take it must not keep others from theirs."""
        if self.answered:
            return
        self.answered = True
        try:
            self.reply(outcome)
        except Exception:
            log.exception("a reply broke")

    @property
    def key(self) -> tuple[str | None, str] | None:
        """What makes repeating harmless."""
        return (self.person, self.command.id) if isinstance(self.command, m.Command) else None


class RoomActor:
    """An open room. Whatever happens in it comes in through ``send``, and goes out to the subscribers."""

    def __init__(self, room: Room, store: Store, clock: Clock, log: Iterable[Entry] = ()) -> None:
        self.room = room
        self.subscribers: list[Subscriber] = []
        self.failed = False
        """The database failed, and it is not known what it holds: the room has to be opened anew."""
        self.closed = False
        """The room was dropped: whatever comes now is for who opens it next."""
        self.on_failure: Callable[[], None] = lambda: None
        self.here: Callable[[], Collection[str] | None] = lambda: None
        """Who is in the room now; None if that is not known."""
        self._store = store
        self._clock = clock
        self._mailbox: list[_Mail] = []
        self._worker: asyncio.Task[None] | None = None
        self._writing = asyncio.Lock()
        self._answered: OrderedDict[tuple[str | None, str], int] = OrderedDict()
        """The versions of commands that were done lately, by person and idempotency key."""
        self._forgetful = False
        """Whether some commands of the log are not among those answered any more."""
        self._remember(log)

    @classmethod
    async def create(cls, transition: Transition, store: Store, clock: Clock) -> "RoomActor":
        """A new room, once it is on disk; raises Conflict if it is there already."""
        room = transition.successor
        empty = Room(room.id, room.resources)
        try:
            await store.append(Batch(room.id, transition.entries, summary(room), results(empty, room)))
        except Conflict:
            raise
        except Exception as error:
            _report("the database refused a write", room, error)
            raise _not_written() from None
        return cls(room, store, clock, transition.entries)

    @property
    def busy(self) -> bool:
        """Whether something is being written, or waits for it."""
        return bool(self._mailbox) or (self._worker is not None and not self._worker.done())

    def send(self, command: m.RoomCommand | HouseCommand, person: str | None, reply: Reply) -> None:
        """Puts a command into the mailbox; the reply comes when it is on disk, or refused."""
        if self.failed or self.closed:
            reply(_not_written())
            return
        self._mailbox.append(_Mail(command, person, reply))
        if self._worker is None or self._worker.done():
            self._worker = asyncio.create_task(self._work())

    async def do(self, command: m.RoomCommand | HouseCommand, person: str | None = None) -> int:
        """Sends a command and waits for the reply."""
        done: asyncio.Future[int] = asyncio.get_running_loop().create_future()

        def reply(outcome: int | Exception) -> None:
            if not done.done():
                done.set_exception(outcome) if isinstance(outcome, Exception) else done.set_result(outcome)

        self.send(command, person, reply)
        return await done

    def has_done(self, command: m.Command, person: str) -> bool:
        """Whether a command was done lately: sent again it is answered, whatever it would need to be done now."""
        return (person, command.id) in self._answered

    async def catch_up(self) -> None:
        """Takes in what another process has written."""
        async with self._writing:
            await self._read_news()

    async def is_behind(self) -> bool:
        """Whether another process has written something. What is being written here is not waited for."""
        news = await self._store.read_log(self.room.id, self.room.version)
        return any(entry.version > self.room.version for entry in news)

    def close(self) -> None:
        """Takes no more commands; those in the mailbox are still written."""
        self.closed = True

    async def finish(self) -> None:
        """Waits until everything in the mailbox is written."""
        if self._worker is not None:
            await asyncio.wait([self._worker])

    async def _work(self) -> None:
        while self._mailbox:
            batch, self._mailbox = self._mailbox[:MAX_BATCH], self._mailbox[MAX_BATCH:]
            try:
                async with self._writing:
                    await self._write(batch)
            except Exception:
                log.exception("a batch broke", extra={"room": self.room.id})
                for mail in batch:
                    mail.answer(_broken())

    async def _write(self, batch: list[_Mail]) -> None:
        slices = Slices()
        room, entries, steps = self.room, list[Entry](), list[TableStep]()
        ended: list[Mapping[str, Any]] = []
        replies: list[tuple[_Mail, int | Exception]] = []
        fresh: dict[tuple[str | None, str], int] = {}
        for mail in batch:
            if mail.key is not None and (version := self._answered.get(mail.key) or fresh.get(mail.key)) is not None:
                replies.append((mail, version))
                continue
            try:
                transition, rows = await self._handle(room, mail)
            except SobremesaError as error:
                replies.append((mail, await self._done_before(mail) or error))
            except Exception:
                log.exception("a command broke", extra={"room": room.id})
                replies.append((mail, _broken()))
            else:
                ended += rows
                room = transition.successor
                entries += transition.entries
                steps += transition.steps
                replies.append((mail, transition.version))
                if mail.key is not None:
                    fresh[mail.key] = transition.version
            await slices.give_way()
        if entries:
            written = Batch(room.id, entries, summary(room), ended)
            try:
                await self._store.append(written)
            except Conflict:
                await self._retry(batch)
                return
            except Exception as error:
                _report("the database refused a write", room, error)
                await self._start_over(batch)
                return
        publication = Publication(self.room, room, entries, steps, written_here=True)
        self.room = room
        self._remember(entries)
        for mail, outcome in replies:
            mail.answer(outcome)
            await slices.give_way(wakes=1)
        if entries:
            self._publish(publication)

    async def _handle(self, room: Room, mail: _Mail) -> tuple[Transition, list[Mapping[str, Any]]]:
        """What a command leads to, and the results of a game that ends by it. What is a lot is done beside the loop.

        Nothing is shared that changes: rooms never do, ``self.room`` is this one's until the batch is written, and who
        is here is told as it is now.
        """
        here = self.here()
        if not _is_much_work(room, mail.command):
            return _do(room, mail, self._clock.time(), here)
        return await asyncio.to_thread(_do, room, mail, self._clock.time(), None if here is None else frozenset(here))

    async def _done_before(self, mail: _Mail) -> int | Exception | None:
        """The version at which a command was done long ago, if that is why it cannot be done now."""
        if not self._forgetful or mail.key is None:
            return None
        try:
            return await self._store.find_command(self.room.id, *mail.key)
        except Exception as error:
            _report("the database cannot be read", self.room, error)
            return _not_written()

    async def _retry(self, batch: list[_Mail]) -> None:
        """Another process was first: goes on from what it wrote, with the same commands again."""
        try:
            if await self._read_news():
                self._mailbox = batch + self._mailbox
                return
            # No new entry stood in the way, so it was a command that was done long ago.
            done = {mail: await self._store.find_command(self.room.id, *mail.key) for mail in batch if mail.key}
        except Exception as error:
            _report("the database cannot be read", self.room, error)
            done = {}
        for mail, version in done.items():
            if version is not None:
                mail.answer(version)
                batch.remove(mail)
        if any(done.values()):
            self._mailbox = batch + self._mailbox
        else:
            self._fail(batch)

    async def _read_news(self) -> bool:
        """Reads what stands in the log after the version that is known here; says whether there was anything."""
        entries = await self._store.read_log(self.room.id, self.room.version)
        if not entries:
            return False
        before, steps = self.room, []
        slices = Slices()
        room = before
        for entry in entries:
            step = room.step
            room = room.apply(entry)
            if room.step is not None and room.step is not step:
                steps.append(room.step)
            await slices.give_way()
        self.room = room
        self._remember(entries)
        self._publish(Publication(before, room, entries, steps, written_here=False))
        return True

    def _publish(self, publication: Publication) -> None:
        for subscriber in self.subscribers:
            try:
                subscriber(publication)
            except Exception:
                log.exception("a subscriber broke", extra={"room": self.room.id})

    async def _start_over(self, batch: list[_Mail]) -> None:
        """It is not known whether the batch is on disk: goes on from what the log says, if it can be read."""
        try:
            await self._read_news()
        except Exception as error:
            _report("the database cannot be read", self.room, error)
            self._fail(batch)
            return
        for mail in batch:
            mail.answer(_not_written())

    def _fail(self, batch: list[_Mail]) -> None:
        """There is nothing to go on from: everybody has to come back, to what the database has then."""
        self.failed = True
        batch, self._mailbox = batch + self._mailbox, []
        for mail in batch:
            mail.answer(_not_written())
        self.on_failure()

    def _remember(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            if entry.command is not None:
                self._answered[entry.person, entry.command] = entry.version
        while len(self._answered) > MAX_ANSWERED + 2 * len(self.room.seating):
            self._answered.popitem(last=False)
            self._forgetful = True


def _do(
    room: Room, mail: _Mail, now: float, here: Collection[str] | None
) -> tuple[Transition, list[Mapping[str, Any]]]:
    transition = room.handle(mail.command, mail.person, now, here)
    # Of each command by itself: who leaves after the last move has played the game nevertheless.
    return transition, results(room, transition.successor)


def _is_much_work(room: Room, command: m.RoomCommand | HouseCommand) -> bool:
    """Whether a command may close a round of a crowd, begin a game for it or end one."""
    if len(room.seating) <= MAX_LISTED_SEATS:
        return False
    if isinstance(command, TimeUp | DrawTimeUp | m.Start | m.CloseRound):
        return True
    if room.draw.wait is not None:
        return len(binding.waiting(room)) <= 1
    return room.sitting is not None and (bool(room.seating.gone) or len(room.sitting.state.deciding) <= 1)


def _broken() -> Refusal:
    return Refusal("broken", "server.error.something-went-wrong-here")


def _report(what: str, room: Room, error: Exception) -> None:
    """Tells the operator; where the database was lost comes with a traceback only if the mistake may be ours."""
    if is_away(error):
        log.warning("%s (%s)", what, type(error).__name__)
    else:
        log.error(what, exc_info=error, extra={"room": room.id})


def _not_written() -> Overloaded:
    return Overloaded("busy", "server.error.it-could-not-be-written-down", retry_after=1)
