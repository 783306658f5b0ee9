"""Bots that play through sockets and remember what was acknowledged."""

import asyncio
from dataclasses import dataclass, field
from random import Random

from sobremesa.server.client import Guest, Refused, Visit


@dataclass
class Ledger:
    """What the server has acknowledged: room, seat, move, version."""

    moves: list[tuple[str, int, str, int]] = field(default_factory=list)


async def play_seat(visit: Visit, seat: int, random: Random, ledger: Ledger, pause: float = 0.0) -> None:
    """Plays a seat at random until the game is over."""
    seen = -1
    while True:
        update = await visit.newer_than(seen)
        seen = update["version"]
        if update["room"]["over"]:
            return
        ready = update["room"]["ready"]
        if ready is not None and seat not in ready["seats"]:
            await visit.do("ready")
            continue
        legal = update["legal"].get(str(seat))
        if not legal:
            continue
        if pause:
            await asyncio.sleep(pause * random.random())
        move = random.choice(legal)
        try:
            version = await visit.do("move", seat=seat, move=move, version=seen)
        except Refused as refused:
            # After a crash a move may answer a table that has changed since; the next update tells.
            assert refused.reason in ("stale", "busy", "illegal"), refused
            if refused.reason == "busy":
                await asyncio.sleep(0.1)
                seen -= 1
            continue
        ledger.moves.append((visit.room, seat, move, version))


@dataclass
class Party:
    """Guests who have agreed on a room and are about to sit down."""

    room: str
    guests: list[Guest]

    async def play(self, seed: int, ledger: Ledger, pause: float = 0.0) -> str:
        """Plays a whole game, one guest in each seat; returns the room."""
        random = Random(seed)

        async def one(seat: int, own: Random) -> None:
            async with self.guests[seat].enter(self.room) as visit:
                if seat:
                    await visit.do("sit", name=f"P{seat}", seat=seat)
                await play_seat(visit, seat, own, ledger, pause)

        await asyncio.gather(*(one(seat, Random(random.random())) for seat in range(len(self.guests))))
        return self.room


async def meet(address: str, game: str, seats: int, **setup: object) -> Party:
    """Opens a room for so many guests."""
    guests = [await Guest(address).arrive() for _ in range(seats)]
    room = await guests[0].open_room(game, ["me"] + ["open"] * (seats - 1), name="P0", **setup)
    return Party(room, guests)


async def play_room(address: str, game: str, seats: int, seed: int, ledger: Ledger, **setup: object) -> str:
    """Opens a room and plays a whole game in it; returns the room."""
    return await (await meet(address, game, seats, **setup)).play(seed, ledger)
