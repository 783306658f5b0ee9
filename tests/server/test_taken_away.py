"""A game whose package was removed, or a log that cannot be replayed: that room is lost, and nothing else is."""

import asyncio
import json
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Table, select, update

from server.spies import Desk, Person, Story, desk, store_log
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.projections import mark
from sobremesa.server.database import events, results, rooms

REMOVED, OTHER = list(GAMES)[:2]
ANA, BEA = Person(1), Person(2)
Break = Callable[[Desk, pytest.MonkeyPatch], Awaitable[None]]


async def remove_game(here: Desk, patch: pytest.MonkeyPatch) -> None:
    """As if the house had been started again without the package."""
    left = {id: game for id, game in GAMES.items() if id != REMOVED}
    patch.setattr(GAMES, "_found", left)


async def spoil_logs(here: Desk, patch: pytest.MonkeyPatch) -> None:
    """Ana's moves are none that the rules know."""
    await rewrite(here, data='{"seat": 0, "move": "?"}')


async def name_unknown_kind(here: Desk, patch: pytest.MonkeyPatch) -> None:
    """Ana did something there that only a later version can read, and it names her."""
    await rewrite(here, kind="sung", data='{"seat": 0, "song": "by Ana"}')


async def rewrite(here: Desk, **values: str) -> None:
    async with here.house.store.writing() as connection:
        there = (events.c.room == "lost") & (events.c.kind == "moved") & (events.c.person == ANA.id)
        await connection.execute(update(events).where(there).values(**values))


async def rows(here: Desk, table: Table) -> list[Mapping[str, Any]]:
    async with here.house.store.reading() as connection:
        return [dict(row._mapping) for row in await connection.execute(select(table))]


async def settle_in(here: Desk) -> None:
    """A public game that goes on and one that waits, both about to be lost, and one in which all is well."""
    story = Story(Random(1), [ANA, BEA], game=REMOVED, public=True)
    while not any(entry.event.kind == "moved" and entry.person == ANA.id for entry in story.log):
        story.play()
    await store_log(here.house, "lost", story.log)
    waiting = m.NewRoom(game=REMOVED, seats=[m.SeatPlan(kind="me"), m.SeatPlan(kind="open")], public=True, name="P0")
    await here.house.hub.create(waiting, ANA.id, "waiting")
    here.house.hub.drop("waiting")
    await store_log(here.house, "kept", Story(Random(2), [ANA, BEA], game=OTHER).log)


@pytest.mark.parametrize("lose", [remove_game, spoil_logs, name_unknown_kind])
def test_a_room_that_cannot_be_opened_keeps_nobody_from_being_forgotten(
    lose: Break, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            await settle_in(here)
            await lose(here, monkeypatch)
            forgotten = await here.http.delete("/api/me", headers={"authorization": f"Bearer {ANA.token}"})
            assert forgotten.status_code == 204
            told = {row["id"]: row["about"] for row in await rows(here, rooms)}
            log = await rows(here, events)
            assert not [row for row in log if row["person"] == ANA.id or "P0" in row["data"] or "Ana" in row["data"]]
            for room, about in told.items():
                assert mark(room, ANA.id) not in about, "nobody waits for who is gone"
                assert "P0" not in about
            assert "P1" in told["lost"], "who sits there still does"
            kept = await here.house.room("kept")
            assert [chair.kind for chair in kept.room.seating] == ["gone", "person"], "where it can be, a seat is left"

    asyncio.run(main())


def test_games_of_a_package_that_was_removed_are_left_out_of_what_somebody_played(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def result(game: str, seat: int, **who: str) -> dict[str, Any]:
        row = {"room": game, "number": 1, "seat": seat, "game": game, "person": None, "player": None, "score": seat}
        return row | {"place": 2 - seat, "at": 1.0, "counts": False, "rated": False} | who

    async def main() -> None:
        async with desk(tmp_path) as here:
            async with here.house.store.writing() as connection:
                for game in (REMOVED, OTHER):
                    seats = [result(game, 0, player="child"), result(game, 1, person=ANA.id)]
                    await connection.execute(results.insert(), seats)
            await remove_game(here, monkeypatch)
            answer = await here.http.get("/api/me", headers={"authorization": f"Bearer {ANA.token}"})
            assert answer.status_code == 200, answer.text
            told = answer.json()["statistics"]
            assert [[row["game"] for row in told[part]] for part in ("games", "levels", "last")] == [[OTHER]] * 3
            assert REMOVED in json.dumps([row["game"] for row in await rows(here, results)]), "they are still there"

    asyncio.run(main())
