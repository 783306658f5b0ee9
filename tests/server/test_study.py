"""Hints for one's own seat, and finished games looked over, without anybody having to wait for it."""

import asyncio
import time
from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from server.bots import Ledger, play_seat
from server.serving import Server, serving
from sobremesa.engines.levels import LEVELS, OTHERS
from sobremesa.server.client import Guest, Refused

Json = dict[str, Any]


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("study")
    with serving(f"sqlite:///{folder / 'study.db'}", folder, "--no-limits") as server:
        yield server
        assert "Traceback" not in server.log


async def finished(guest: Guest, game: str, *seats: str, **setup: Any) -> str:
    """A room in which a game has been played to its end."""
    room = await guest.open_room(game, list(seats), **setup)
    async with guest.enter(room) as visit:
        if "me" in seats:
            await play_seat(visit, seats.index("me"), Random(1), Ledger())
        else:
            await visit.wait_until(lambda update: update["table"]["number"] == 1 and not update["table"]["playing"])
    return room


async def reviewed(guest: Guest, room: str, number: int = 1) -> tuple[Json, list[Json]]:
    """The review, and what was told while it was not ready."""
    told: list[Json] = []
    async with asyncio.timeout(120):
        while (answer := await guest.call("GET", f"/api/rooms/{room}/games/{number}/review"))["type"] == "progress":
            told.append(answer)
            await asyncio.sleep(0.1)
    return answer, told


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_a_hint_names_legal_moves_the_best_first(server: Server, game: str) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await guest.open_room(game, ["me", "greedy"])
        async with guest.enter(room) as visit:
            update = await visit.wait_until(lambda update: bool(update.get("legal")))
            hint = await guest.call("POST", f"/api/rooms/{room}/hint", {"seat": 0})
            assert 1 <= len(hint["moves"]) <= 5
            assert {move["move"] for move in hint["moves"]} <= set(update["legal"]["0"])
            assert hint["measure"] == ("points" if game == "knister" else "chance")
            assert hint["version"] == update["version"]
            await visit.move(0, hint["moves"][0]["move"])

    asyncio.run(ask())


def test_hints_are_for_ones_own_seat_when_it_has_to_decide(server: Server) -> None:
    async def ask() -> None:
        guest, other = await Guest(server.address).arrive(), await Guest(server.address).arrive()
        room = await guest.open_room("callisto", ["me", "open"])
        for who, seat, reason in ((guest, 0, "early"), (other, 0, "forbidden"), (guest, 1, "forbidden")):
            with pytest.raises(Refused) as refused:
                await who.call("POST", f"/api/rooms/{room}/hint", {"seat": seat})
            assert refused.value.reason == reason
        with pytest.raises(Refused):
            await guest.call("POST", "/api/rooms/nowhere/hint", {"seat": 0})
        with pytest.raises(Refused):
            await guest.call("POST", f"/api/rooms/{room}/hint", {"seat": -1})

    asyncio.run(ask())


def test_a_table_may_play_without_hints(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await guest.open_room("knister", ["me"], hints=False)
        with pytest.raises(Refused, match="without hints"):
            await guest.call("POST", f"/api/rooms/{room}/hint", {"seat": 0})
        update = await guest.call("GET", f"/api/rooms/{room}")
        assert update["table"]["hints"] is False

    asyncio.run(ask())


def test_a_review_comes_bit_by_bit_and_is_kept(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await finished(guest, "knister", "me", "greedy")
        review, told = await reviewed(guest, room)
        assert told
        assert all(0 <= answer["done"] <= answer["of"] == 50 for answer in told)
        assert [answer["done"] for answer in told] == sorted(answer["done"] for answer in told)
        assert len(review["moves"]) == 50
        assert review["measure"] == "points"
        assert review["lost"]["0"] > review["lost"]["1"]  # the first played at random
        update = await guest.call("GET", f"/api/rooms/{room}")
        scores = {row["seat"]: row["points"] for row in update["views"][0]["standings"]}
        assert review["curve"][-1]["points"] == [scores[0], scores[1]]
        began = time.monotonic()
        assert (await reviewed(guest, room))[0] == review
        assert time.monotonic() - began < 2

    asyncio.run(ask())


def test_a_review_of_isis_and_osiris_knows_what_its_seats_saw(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await finished(guest, "isis-osiris", "greedy", "random")
        review, _ = await reviewed(guest, room)
        assert review["measure"] == "chance"
        assert review["moves"][-1]["exact"]
        assert sum(review["curve"][-1]["chances"]) == pytest.approx(1)
        assert review["seats"] == [0, 1]

    asyncio.run(ask())


def test_there_is_no_review_of_what_has_not_been_played(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await guest.open_room("callisto", ["me", "greedy"])
        for number in ("1", "0", "99999999999", "x"):
            with pytest.raises(Refused) as refused:
                await guest.call("GET", f"/api/rooms/{room}/games/{number}/review")
            assert refused.value.reason in ("unknown", "malformed")

    asyncio.run(ask())


def test_levels_play_in_rooms_and_the_server_answers_meanwhile(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        playing = asyncio.create_task(finished(guest, "isis-osiris", "club", "regular"))
        waits = []
        while not playing.done():
            began = time.monotonic()
            await Guest(server.address).call("GET", "/api/games")
            waits.append(time.monotonic() - began)
            await asyncio.sleep(0.05)
        await playing
        assert sorted(waits)[len(waits) // 2] < 1

    asyncio.run(ask())


def test_players_are_told_with_their_names(server: Server) -> None:
    async def ask() -> None:
        guest = Guest(server.address)
        for code, champion in (("en", "Champion"), ("es", "Campeón"), ("nl", "Kampioen")):
            for game in await guest.call("GET", f"/api/games?language={code}"):
                assert [player["level"] for player in game["players"]] == [*range(1, 9), 0, 0]
                assert [player["id"] for player in game["players"]] == [*LEVELS, *OTHERS]
                assert game["players"][7]["name"] == champion

    asyncio.run(ask())
