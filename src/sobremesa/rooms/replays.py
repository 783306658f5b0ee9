"""A finished game again, step by step, as a spectator sees it."""

from collections.abc import Iterator
from dataclasses import replace
from itertools import tee

from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.messages import Message, Promise, Standing, Step
from sobremesa.rooms.pictures import shown_view
from sobremesa.rooms.promises import Promise as KeptPromise
from sobremesa.rooms.updates import promise_of, standing_of
from sobremesa.table.commitments import BoundProof
from sobremesa.table.record import Record, read_outcome


class Replay(Message):
    """A finished game."""

    game: str
    """The game's id."""
    options: dict[str, int | str | bool]
    """How the table was set."""
    forgetful: bool
    """Whether the seats had to remember what they had seen: then it can be shown to whoever watches now."""
    names: list[str]
    """Who sat there, in the order of the seats; a computer player's is its id."""
    starter: int
    """The seat that began."""
    steps: list[Step]
    """The first is the start."""
    result: Standing | None
    """None if the game was not played to its end."""
    promise: Promise | None
    """Fair chance, if anything was left to chance."""


def is_large(record: Record) -> bool:
    """Whether neither positions nor all the moves of a round are told: they would be megabytes."""
    return int(record.options["seats"]) > MAX_LISTED_SEATS


def replay(record: Record, number: int, memory: bool) -> Replay:
    """The game of a record, the room's ``number``-th; with ``memory`` what seats had to remember is shown."""
    fair, promise = record.fair, None
    if isinstance(fair, BoundProof):
        openings = {each.seat: each.opening for each in fair.sealed if each.opening is not None}
        seals = {each.seat: each.seal for each in fair.sealed}
        context = fair.context(record.game, record.rules, record.options, record.position)
        kept = KeptPromise(number, fair.commitment, dict(fair.words), fair.secret, context, seals, fair.call, openings)
        promise = promise_of(kept)
    elif fair is not None:
        promise = promise_of(KeptPromise(number, fair.commitment, dict(enumerate(fair.words)), fair.secret))
    return Replay(
        game=record.game,
        options=dict(record.options),
        forgetful=record.game_played.forgetful(record.options),
        names=list(record.names),
        starter=int(record.options["starter"]),
        steps=list(_steps(record, memory)),
        result=None if record.result is None else standing_of(record.result),
        promise=promise,
    )


def _steps(record: Record, memory: bool) -> Iterator[Step]:
    large = is_large(record)
    states, shown = tee(record.states())
    if memory and record.position is None:  # a position says itself what is shown
        shown = replace(record, options=record.game_played.open_options(record.options)).states()
    before, draws = None, 0
    for number, (event, state, seen) in enumerate(zip((None, *record.events), states, shown, strict=True)):
        seat = move = rolled = draw = None
        if event is not None and before is not None:
            if before.chance is not None:
                rolled, draw, draws = str(read_outcome(event)), draws, draws + 1
            else:
                seat = next(iter(before.deciding)) if len(before.deciding) == 1 else None
                move = None if large else event
        yield Step(
            version=number,
            seat=seat,
            move=move,
            rolled=rolled,
            draw=draw,
            views=[shown_view(record.game_played, seen.view(None))],
            position=None if large else state.position(),
        )
        before = state
