"""The promises of fair chance that a room tells of: of the running or last game, and of the next one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from sobremesa.table.commitments import BoundChance, Context, Opening
from sobremesa.table.fair import Words

if TYPE_CHECKING:
    from sobremesa.rooms.room import Room


@dataclass(frozen=True)
class Promise:
    """The promise of a game that is over, kept until the next one is."""

    game: int
    commitment: str
    words: Mapping[int, Words]
    """What seats said openly."""
    secret: str | None
    context: Context | None = None
    """What it is for; None for version 1."""
    seals: Mapping[int, str] = field(default_factory=dict)
    call: str | None = None
    openings: Mapping[int, Opening] = field(default_factory=dict)


def promises(room: "Room") -> tuple[Promise, ...]:
    """Fair chance of the running or last game, and of the next one. Secrets only of games that are over."""
    if room.playing and room.commitment is not None:
        return (running(room, None),)
    last = (room.kept_promise,) if room.kept_promise is not None else ()
    if room.commitment is None:
        return last
    draw = room.draw
    return (
        *last,
        Promise(
            room.number + 1,
            room.commitment,
            room.words,
            None,
            draw.context,
            {seat: sealed.seal for seat, sealed in (draw.call.by_seat if draw.call else draw.seals.as_dict()).items()},
            None if draw.call is None else draw.call.digest,
        ),
    )


def running(room: "Room", secret: str | None) -> Promise:
    """The promise of the game that is being played, or has just been."""
    chance = None if room.sitting is None else room.sitting.chance
    if not isinstance(chance, BoundChance):
        return Promise(room.number, room.commitment or "", room.words_in_play, secret)
    return Promise(
        room.number,
        room.commitment or "",
        room.words_in_play,
        secret,
        chance.context,
        {each.seat: each.seal for each in chance.sealed},
        chance.call,
        {each.seat: each.opening for each in chance.sealed if each.opening is not None},
    )
