"""The computer players of a room: they think in processes of their own, and send their moves as anybody does."""

import asyncio
import logging
from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from typing import Any, Protocol

from sobremesa.core.errors import SobremesaError
from sobremesa.core.state import View
from sobremesa.engines import Budget
from sobremesa.engines.registry import past_of
from sobremesa.rooms.commands import EngineMove
from sobremesa.rooms.errors import Reason, Refusal
from sobremesa.rooms.room import Room
from sobremesa.server.actor import Publication, RoomActor
from sobremesa.server.attendance import Attendance
from sobremesa.server.clock import Clock
from sobremesa.server.engine_pool import EnginePool, Interrupted, ThinkingFailed
from sobremesa.server.limits import ThinkingTime

log = logging.getLogger("sobremesa.engines")

RETRY_AFTER = 2.0
"""Seconds after which an engine tries again, if it failed or another process's engines had the room."""


class Lease(Protocol):
    """Says whether it is this process whose engines play in a room."""

    async def may_think(self, room: str) -> bool: ...


class NoLease:
    """There is no other process."""

    async def may_think(self, room: str) -> bool:
        """Nobody else would."""
        return True


@dataclass(frozen=True)
class EngineHouse:
    """What the computer players of all rooms share."""

    pool: EnginePool
    clock: Clock
    lease: Lease
    time: ThinkingTime
    """Seconds that they may think."""
    pause: float
    """Seconds that a player waits before it moves: people want to see a move before the next."""
    keep: Callable[[Coroutine[Any, Any, None]], "asyncio.Task[None]"]


class EnginePlayers:
    """Those who sit in one room. They sleep while nobody is there, and wake up when ``look`` is called."""

    def __init__(self, actor: RoomActor, house: EngineHouse, attendance: Attendance) -> None:
        self._actor = actor
        self._house = house
        self._attendance = attendance
        self._thinking: dict[tuple[int, str], asyncio.Task[None]] = {}
        """By seat and player."""
        self._stopped = False

    @property
    def busy(self) -> bool:
        """Whether somebody thinks."""
        return bool(self._thinking)

    def publish(self, publication: Publication) -> None:
        """Something has happened: subscribes to an actor."""
        self.look()

    def look(self) -> None:
        """Wakes whoever has to decide, if somebody is there to see it."""
        if self._stopped:
            return
        for who in self._actor.room.engines_to_move():
            if who not in self._thinking and self._attendance:
                self._thinking[who] = self._house.keep(self._play(*who))

    def hurry(self) -> None:
        """Has them move now, with what they have found so far."""
        self._house.pool.hurry(self._actor.room.id)

    def stop(self) -> None:
        """Has them think no more."""
        self._stopped = True
        for task in list(self._thinking.values()):
            task.cancel()
        self._house.pool.cancel(self._actor.room.id)

    async def _play(self, seat: int, player: str) -> None:
        since = self._actor.room.since
        try:
            if await self._may_think(seat, player):
                await self._move(seat, player)
        except Interrupted:
            pass  # nobody is there any more
        except Refusal as error:
            if error.reason != Reason.STALE:
                await self._house.clock.sleep(RETRY_AFTER)
        except (ThinkingFailed, SobremesaError):
            log.exception("an engine failed", extra={"room": self._actor.room.id})
            await self._give_up(seat, player, since)
        except Exception:
            log.exception("an engine could not be asked", extra={"room": self._actor.room.id})
            await self._house.clock.sleep(RETRY_AFTER)
        finally:
            self._thinking.pop((seat, player), None)
        self.look()  # in case the move came too late to be made

    async def _give_up(self, seat: int, player: str, since: int) -> None:
        """A move is made for a player that found none, so that nobody waits for ever; the room says so."""
        try:
            await self._actor.do(EngineMove(seat, player, since, None))
        except Refusal as error:
            if error.reason != Reason.STALE:
                await self._house.clock.sleep(RETRY_AFTER)

    async def _may_think(self, seat: int, player: str) -> bool:
        """Waits for thinking time, and for the lease; False if the decision has passed, or nobody waits for it."""
        house = self._house
        while True:
            room = self._actor.room
            account = self._attendance.account(room, house.pool.shares.tag)
            if account is None or (seat, player) not in room.engines_to_move():
                return False
            # Should the process die that has the lease, it runs out, and it is up to us.
            if house.time.allows(account, room.id) and await house.lease.may_think(room.id):
                return True
            await house.clock.sleep(RETRY_AFTER)

    async def _move(self, seat: int, player: str) -> None:
        house, room = self._house, self._actor.room
        sitting = room.sitting
        assert sitting is not None
        if (seat, player) not in room.engines_to_move():
            return
        # A tile that was turned over is looked at for longer.
        await house.clock.sleep(house.pause * (2 if sitting.can_undo is None and room.game.has_chance else 1))
        account = self._attendance.account(room, house.pool.shares.tag)
        if account is None:
            return
        move = await house.pool.choose(
            room.id,
            room.game.id,
            player,
            sitting.state.view(seat),
            past=past_views(room, seat),
            budget=Budget(seed=f"{room.id} {room.number} {seat}"),
            account=account,
            wanted=self._attendance.__bool__,
        )
        await self._actor.do(EngineMove(seat, player, room.since, move))


def past_views(room: Room, seat: int) -> tuple[View[Any], ...]:
    """What the seat saw earlier in this game, as far as its player needs it."""
    return () if room.sitting is None else past_of(room.game, room.sitting.past(), seat)
