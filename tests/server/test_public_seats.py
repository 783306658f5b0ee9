"""One public seat for each: nobody takes the open seats of the house, neither with one cookie nor with many."""

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import httpx
import pytest

from server.clocks import FakeClock
from server.spies import Desk, Person, desk
from sobremesa.rooms import messages as m
from sobremesa.rooms.commands import ReadyTimeUp
from sobremesa.rooms.limits import READY_SECONDS
from sobremesa.server import public_seats
from sobremesa.server.limits import TokenBuckets
from sobremesa.server.public_seats import TAKING_SECONDS, PublicSeats
from sobremesa.server.settings import NO_LIMITS, Limits

BURST = Limits().public_seats_of_network_burst
EVERY = 1 / Limits().public_seats_of_network
"""Seconds after which a network may take one seat more."""
EVA = Person(1)


@contextlib.asynccontextmanager
async def house(folder: Path) -> AsyncIterator[tuple[Desk, FakeClock]]:
    """A house without limits but for public seats, whose time stands still."""
    async with desk(folder, NO_LIMITS) as here:
        clock = FakeClock()
        usual = TokenBuckets(1 / EVERY, BURST, clock.monotonic)
        here.house.public_seats = PublicSeats(here.house.store, clock, usual)
        yield here, clock


async def ask(here: Desk, person: Person, path: str, body: Any, network: str = "192.0.2.1") -> httpx.Response:
    transport = httpx.ASGITransport(here.app, raise_app_exceptions=False, client=(network, 1))
    async with httpx.AsyncClient(transport=transport, base_url="http://here") as http:
        return await http.post(path, json=body, headers={"Authorization": f"Bearer {person.token}"})


async def opened(here: Desk, person: Person, *kinds: str, network: str = "192.0.2.1", **setup: Any) -> httpx.Response:
    plans = [{"kind": kind} for kind in kinds]
    return await ask(here, person, "/api/rooms", {"game": "knister", "seats": plans} | setup, network)


async def tables(here: Desk, count: int, *kinds: str) -> list[str]:
    """Public tables, each of somebody else from elsewhere."""
    answers = [
        await opened(here, Person(100 + n), *kinds, public=True, name="Ana", network=f"198.51.100.{n}")
        for n in range(count)
    ]
    return [str(answer.json()["room"]) for answer in answers]


async def sit(here: Desk, person: Person, room: str, network: str = "192.0.2.1") -> str:
    """Sits down; why not, if not."""
    command = {"type": "sit", "id": f"s{person.number}", "name": f"Eva {person.number}"}
    answer = await ask(here, person, f"/api/rooms/{room}/commands", command, network)
    return "" if answer.status_code == 200 else str(answer.json()["reason"])


def test_one_seat_for_each(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path) as (here, clock):
            first, second = await tables(here, 2, "me", "open", "open")
            at_once = await asyncio.gather(sit(here, EVA, first), sit(here, EVA, second))
            assert at_once.count("") == 1, "the one that was first may not be on disk yet"
            if at_once[0]:
                first, second = second, first
            assert await sit(here, EVA, second) == "taken"
            leave = {"type": "leave", "id": "l", "seat": 1}
            assert (await ask(here, EVA, f"/api/rooms/{first}/commands", leave)).status_code == 200
            await clock.advance(TAKING_SECONDS)
            assert await sit(here, EVA, second) == "", "who has left may sit down elsewhere"
            assert await sit(here, Person(2), first) == "", "and somebody else in the seat"

    asyncio.run(main())


@pytest.mark.parametrize(
    ("kinds", "setup"),
    [
        (("me", "open"), {}),
        (("me", "open", "engine"), {}),
        (("me", "me"), {"wait": True}),
        (("me", "engine"), {"wait": True}),
    ],
)
def test_a_table_of_ones_own_is_a_seat_too(kinds: tuple[str, ...], setup: dict[str, Any], tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path) as (here, _):
            (waiting,) = await tables(here, 1, "me", "open", "open")
            assert await sit(here, EVA, waiting) == ""
            answer = await opened(here, EVA, *kinds, public=True, name="Eva", **setup)
            assert (answer.status_code, answer.json()["reason"]) == (409, "taken")
            private = (await opened(here, EVA, *kinds, name="Eva", **setup)).json()["room"]
            manage = {"type": "manage", "id": "m", "public": True}
            answer = await ask(here, EVA, f"/api/rooms/{private}/commands", manage)
            assert (answer.status_code, answer.json()["reason"]) == (409, "taken")
            assert (await opened(here, EVA, "me", "engine", public=True)).status_code == 201, "that one does not wait"

    asyncio.run(main())


def test_tables_at_once_and_by_sockets(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path) as (here, _), contextlib.AsyncExitStack() as stack:
            rooms = await tables(here, 6, "me", "open")
            sockets = [await stack.enter_async_context(here.socket(room, EVA.token)) for room in rooms[:3]]
            for socket in sockets:
                socket.say(type="join")
                await socket.hear()
            for number, socket in enumerate(sockets):
                socket.say(type="sit", id=f"x{number}", name="Eva")
            answers = await asyncio.gather(*(sit(here, EVA, room) for room in rooms[3:]))
            hosted = await asyncio.gather(*(opened(here, EVA, "me", "open", public=True) for _ in range(3)))
            heard = [await socket.hear() for socket in sockets]
            won = sum('"accepted"' in text for text in heard) + answers.count("")
            assert won + sum(answer.status_code == 201 for answer in hosted) == 1

    asyncio.run(main())


@pytest.mark.parametrize("way", ["socket", "http"])
def test_who_was_refused_at_one_table_may_sit_down_at_another_at_once(way: str, tmp_path: Path) -> None:
    """Nothing of it is on its way to the disk any more; the clock stands still."""

    async def main() -> None:
        async with house(tmp_path) as (here, _), contextlib.AsyncExitStack() as stack:
            rooms = await tables(here, 2, "me", "open")
            sockets = [await stack.enter_async_context(here.socket(room, EVA.token)) for room in rooms]
            for socket in sockets:
                socket.say(type="join")
                await socket.hear()
            answers = []
            for seat, room, socket in zip((0, 1), rooms, sockets, strict=True):
                command = {"type": "sit", "id": "s", "name": "Eva", "seat": seat}
                if way == "socket":
                    socket.say(**command)
                    answers.append(await socket.hear())
                else:
                    answers.append((await ask(here, EVA, f"/api/rooms/{room}/commands", command)).text)
            assert [json.loads(answer).get("reason") for answer in answers] == ["taken", None]

    asyncio.run(main())


def test_tables_that_are_opened_at_once(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path) as (here, _):
            hosted = await asyncio.gather(*(opened(here, EVA, "me", "open", public=True) for _ in range(3)))
            assert sum(answer.status_code == 201 for answer in hosted) == 1

    asyncio.run(main())


def test_of_one_network_few_at_once_however_many_cookies(tmp_path: Path) -> None:
    async def main() -> None:
        async with house(tmp_path) as (here, clock):
            rooms = await tables(here, 20, "me", "open")
            robots = [Person(10 + number) for number in range(20)]
            answers = await asyncio.gather(*(sit(here, robot, room) for robot, room in zip(robots, rooms, strict=True)))
            assert answers.count("") == BURST == 4
            assert set(answers) == {"", "busy"}
            free = [room for room, answer in zip(rooms, answers, strict=True) if answer]
            assert await sit(here, EVA, free[0], "203.0.113.1") == "", "others still find a seat"
            await clock.advance(EVERY + 0.001)
            later = [await sit(here, Person(50 + number), room) for number, room in enumerate(free[1:])]
            assert later.count("") == 1, "and one more after a while"

    asyncio.run(main())


def test_who_has_sat_down_and_did_not_hear_it_asks_again(tmp_path: Path) -> None:
    """The same command with the same id is answered, not refused: neither for a full network, nor for a later seat."""

    async def main() -> None:
        async with house(tmp_path) as (here, clock):
            rooms = await tables(here, BURST + 1, "me", "open", "open")
            for number, room in enumerate(rooms[:BURST]):
                assert await sit(here, Person(10 + number), room) == ""
            assert await sit(here, EVA, rooms[-1]) == "busy"
            assert await sit(here, Person(10), rooms[0]) == "", "its network may take no other"
            async with here.socket(rooms[1], Person(11).token) as socket:
                socket.say(type="join")
                await socket.hear()
                socket.say(type="sit", id="s11", name="Eva 11")
                assert '"accepted"' in await socket.hear()
            leave = {"type": "leave", "id": "l", "seat": 1}
            assert (await ask(here, Person(10), f"/api/rooms/{rooms[0]}/commands", leave)).status_code == 200
            await clock.advance(EVERY)
            assert await sit(here, Person(10), rooms[-1]) == ""
            assert await sit(here, Person(10), rooms[0]) == "", "what was done long ago is answered, and not done again"
            assert (await here.house.room(rooms[0])).room.seats_of(Person(10).id) == ()

    asyncio.run(main())


def test_seats_that_were_taken_for_nothing_are_open_again(tmp_path: Path) -> None:
    """A table of two is full when a robot has sat down: it is asked whether it is ready, and loses the seat."""

    async def main() -> None:
        async with house(tmp_path) as (here, _):
            (room,) = await tables(here, 1, "me", "open")
            open_room = await here.house.room(room)
            assert await sit(here, EVA, room) == ""
            asked = open_room.room.ready
            assert asked is not None
            assert asked.deadline - asked.at == READY_SECONDS
            await open_room.actor.do(m.Ready(type="ready", id="r"), Person(100).id)
            await open_room.actor.do(ReadyTimeUp(asked.version))
            assert [chair.kind for chair in open_room.room.seating] == ["person", "open"]
            assert await sit(here, Person(2), room, "203.0.113.1") == ""

    asyncio.run(main())


def test_who_has_waited_at_very_many_tables_today_waits_at_no_more(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is looked through is bounded, and nobody gets a second seat by that."""
    monkeypatch.setattr(public_seats, "MAX_WAITING_ROOMS", 3)

    async def main() -> None:
        async with house(tmp_path) as (here, clock):
            rooms = await tables(here, 5, "me", "open", "open")
            for number, room in enumerate(rooms[:3]):
                assert await sit(here, EVA, room) == ""
                leave = {"type": "leave", "id": f"l{number}", "seat": 1}
                if number < 2:
                    await ask(here, EVA, f"/api/rooms/{room}/commands", leave)
                await clock.advance(EVERY)
            assert await sit(here, EVA, rooms[3]) == "busy"

    asyncio.run(main())
