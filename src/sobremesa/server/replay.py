"""A finished game again, moment by moment, as a spectator sees it."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import tee
from threading import Semaphore

from sobremesa.server.forms import PlainView
from sobremesa.server.messages import Message, Standing
from sobremesa.server.room import Refusal
from sobremesa.table.record import Record, read_outcome

FEW = 24
"""At larger tables neither positions nor all the moves of a round are told: they would be megabytes."""
WAITING = 4
"""So many replays of larger tables may wait for their turn: ten thousand sheets take seconds."""
_desk = ThreadPoolExecutor(1, "replay")
_places = Semaphore(WAITING)


class ReplayStep(Message):
    """One moment: what had just happened, and how the table looked then. The first is the start."""

    seat: int | None
    """Who moved; None for chance, or where several decided together."""
    move: str | None
    """The move; where several decided together all of them, in the order of the seats with blanks between."""
    rolled: str | None
    """What chance brought."""
    view: PlainView
    position: str | None
    """The position as one line of text, at tables of at most 24."""


class Replay(Message):
    """A finished game."""

    game: str
    options: dict[str, int | str | bool]
    names: list[str]
    starter: int
    steps: list[ReplayStep]
    result: Standing
    commitment: str | None
    """The promise of fair chance, if anything was left to chance."""
    secret: str | None
    words: list[str]
    """What each seat added to it; empty if nobody did."""


def replay(record: Record, memory: bool) -> Replay:
    """The game of a record; with ``memory``, tiles that lie face down are shown (the game is over, I7)."""
    assert record.result is not None
    fair = record.fair
    return Replay(
        game=record.game,
        options=dict(record.options),
        names=list(record.names),
        starter=int(record.options["starter"]),
        steps=list(_steps(record, memory)),
        result=Standing(scores=list(record.result.scores), places=list(record.result.places)),
        commitment=fair.commitment if fair else None,
        secret=fair.secret if fair else None,
        words=list(fair.words) if fair else [],
    )


async def replay_json(record: Record, memory: bool) -> bytes:
    """A replay ready to be sent, made beside the event loop; those of large tables one after another."""

    def write() -> bytes:
        return replay(record, memory).model_dump_json().encode()

    if int(record.options["seats"]) <= FEW:
        return await asyncio.to_thread(write)
    if not _places.acquire(blocking=False):
        raise Refusal("busy", "slow down a little")
    try:
        return await asyncio.get_running_loop().run_in_executor(_desk, write)
    finally:
        _places.release()


def _steps(record: Record, memory: bool) -> Iterator[ReplayStep]:
    few = int(record.options["seats"]) <= FEW
    states, shown = tee(record.states())
    if memory and "memory_aid" in record.options:
        shown = replace(record, options=record.options | {"memory_aid": True}).states()
    before = None
    for event, state, seen in zip((None, *record.events), states, shown, strict=True):
        seat = move = rolled = None
        if event is not None and before is not None:
            if before.chance is not None:
                rolled = str(read_outcome(event))
            else:
                seat = next(iter(before.deciding)) if len(before.deciding) == 1 else None
                move = event if few else None
        yield ReplayStep(
            seat=seat,
            move=move,
            rolled=rolled,
            view=seen.view(None).as_dict(),
            position=state.position() if few else None,
        )
        before = state
