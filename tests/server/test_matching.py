"""The level of one's own strength is looked up in one's own results, and gone with them."""

import asyncio
from pathlib import Path
from typing import Any

from server.spies import Desk, Person, desk
from sobremesa.server.database import results

ANA, BO = Person(1), Person(2)


async def played(
    here: Desk, *seats: tuple[str | None, str | None, int], game: str = "callisto", at: float = 1.0
) -> None:
    """A game that has ended: of each seat the person, the computer player, and the place."""
    number = int(at)
    for seat, (person, player, place) in enumerate(seats):
        row: dict[str, Any] = {"room": "r", "number": number, "seat": seat, "game": game, "person": person}
        row |= {"player": player, "score": 0, "place": place, "at": at, "rated": True, "counts": False}
        await here.house.store.put(results, ["room", "number", "seat"], row)


async def told(here: Desk, who: Person) -> dict[str, dict[str, Any]]:
    headers = {"authorization": f"Bearer {who.token}"}
    answer = await here.http.get("/api/me/levels", headers=headers)
    return {row["game"]: row for row in answer.json()}


def test_levels_follow_results_and_nothing_else(tmp_path: Path) -> None:
    async def ask() -> None:
        async with desk(tmp_path) as here:
            before = await told(here, ANA)
            assert set(before) >= {"callisto", "isis-osiris", "knister"}
            assert before["callisto"] == {"game": "callisto", "player": "casual", "games": 0, "last": 0, "won": 0}
            for at in range(1, 13):
                await played(here, (ANA.id, None, 1), (None, "club", 2), at=at)
            await played(here, (ANA.id, None, 1), (None, "club", 1), at=13)
            await played(here, (ANA.id, None, 2), (BO.id, None, 1), at=14)  # people are no level
            await played(here, (ANA.id, None, 3), (ANA.id, None, 1), (None, "child", 2), at=15)  # two at one screen
            await played(here, (ANA.id, None, 2), (None, "greedy", 1), at=16)  # and this one is none either
            await played(here, (BO.id, None, 2), (None, "child", 1), at=17)
            found = await told(here, ANA)
            assert found["callisto"]["player"] in ("expert", "master")
            assert (found["callisto"]["games"], found["callisto"]["last"], found["callisto"]["won"]) == (13, 10, 9.5)
            assert found["knister"] == before["knister"], "each game by itself"
            assert (await told(here, BO))["callisto"]["games"] == 1
            gone = await here.http.delete("/api/me", headers={"authorization": f"Bearer {ANA.token}"})
            assert gone.status_code == 204
            here.http.cookies.clear()
            assert (await told(here, ANA))["callisto"] == before["callisto"], "who is forgotten begins anew"

    asyncio.run(ask())
