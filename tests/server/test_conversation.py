"""One socket, every message of it in order: the answer comes first, then the update that shows what was done."""

import asyncio
import contextlib
import json
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from server.spies import Person, Socket, desk
from sobremesa.server.audience import MAX_INSTANT_WATCHERS

Json = dict[str, Any]
ANA, BO = Person(1), Person(2)


class Ear:
    """Everything that came in at a socket."""

    def __init__(self, socket: Socket) -> None:
        self.socket = socket
        self.heard: list[Json] = []

    @property
    def versions(self) -> list[int]:
        return [message["version"] for message in self.heard if message["type"] == "update"]

    async def hear(self) -> Json:
        self.heard.append(json.loads(await self.socket.hear()))
        return self.heard[-1]

    async def join(self, language: str = "en") -> Json:
        self.socket.say(type="join", language=language)
        while (message := await self.hear())["type"] != "update":
            pass
        return message

    async def hear_all(self, ids: Sequence[str]) -> dict[str, Json]:
        """Listens until all of these are answered, and the updates are there that show them; returns the answers."""
        while True:
            answers = {message["id"]: message for message in self.heard if message.get("id") in ids}
            done = [answer["version"] for answer in answers.values() if answer["type"] == "accepted"]
            if len(answers) == len(ids) and (not done or self.versions[-1] >= max(done)):
                return answers
            await self.hear()

    def check_order(self) -> None:
        """Nothing is shown before it was answered, and everything that was answered is shown."""
        latest = 0
        accepted = []
        for message in self.heard:
            if message["type"] == "update":
                assert message["reset"] or message["version"] > latest
                latest = message["version"]
            elif message["type"] == "accepted":
                assert message["version"] > latest, "the answer comes before the update that shows it"
                accepted.append(message["version"])
        assert accepted
        assert latest >= max(accepted)


async def room_of(here: Any, seats: int = 2, game: str = "callisto", **setup: Any) -> str:
    plans = [{"kind": "me"}] * seats
    body = {"game": game, "seats": plans} | setup
    answer = await here.http.post("/api/rooms", json=body, headers={"Authorization": f"Bearer {ANA.token}"})
    assert answer.status_code == 201, answer.text
    return str(answer.json()["room"])


def test_one_command_after_another(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            room = await room_of(here)
            async with here.socket(room, ANA.token) as socket:
                ear = Ear(socket)
                version = (await ear.join())["version"]
                for number, (type, fields) in enumerate(
                    [
                        ("move", {"seat": 0, "move": "c8", "version": version}),
                        ("say", {"text": "hello"}),
                        ("move", {"seat": 1, "move": "n8", "version": version + 2}),
                        ("phrase", {"phrase": "oops"}),
                        ("manage", {"public": True}),
                        ("leave", {"seat": 1}),
                        ("engine", {"seat": 1, "player": "greedy"}),
                    ]
                ):
                    socket.say(type=type, id=f"c{number}", **fields)
                    answer, update = await ear.hear(), await ear.hear()
                    assert (answer["type"], answer["id"], answer["version"]) == (
                        "accepted",
                        f"c{number}",
                        version + 1 + number,
                    )
                    assert (update["type"], update["reset"]) == ("update", False)
                    assert update["version"] == answer["version"]
                ear.check_order()

    asyncio.run(main())


def test_several_commands_in_flight_and_some_of_them_refused(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            room = await room_of(here)
            async with here.socket(room, ANA.token) as socket, here.socket(room, BO.token) as other:
                ear, bench = Ear(socket), Ear(other)
                version = (await ear.join())["version"]
                await bench.join()
                ids = [f"s{number}" for number in range(15)]
                for id in ids:
                    socket.say(type="say", id=id, text=id)
                socket.say(type="move", id="wrong", seat=0, move="h8", version=version)
                socket.say(type="move", id="late", seat=0, move="c8", version=0)
                socket.say(type="check", id="asked", seat=0, move="h8")
                answers = await ear.hear_all([*ids, "wrong", "late", "asked"])
                assert [answers[id]["version"] for id in ids] == list(range(version + 1, version + 16)), "in order"
                assert (answers["wrong"]["reason"], answers["late"]["reason"]) == ("illegal", "stale")
                assert answers["asked"]["type"] == "checked"
                ear.check_order()
                while bench.versions[-1] < version + 15:
                    await bench.hear()
                for listener in (ear, bench):
                    news = [message for message in listener.heard if message["type"] == "update"][1:]
                    said = [line["text"] for update in news for line in update["talk"]]
                    assert said == ids, "each line once, however many came together"
                    assert [step for update in news for step in update["steps"]] == []

    asyncio.run(main())


def test_the_same_command_again_on_one_socket_and_on_another(tmp_path: Path) -> None:
    async def main() -> None:
        async with desk(tmp_path) as here:
            room = await room_of(here)
            async with here.socket(room, ANA.token) as one, here.socket(room, ANA.token) as two:
                ear, second = Ear(one), Ear(two)
                version = (await ear.join())["version"]
                await second.join()
                command = {"type": "move", "id": "once", "seat": 0, "move": "c8", "version": version}
                for socket in (one, one, two):
                    socket.say(**command)
                for listener, times in ((ear, 2), (second, 1)):
                    while sum(message["type"] == "accepted" for message in listener.heard) < times:
                        await listener.hear()
                    while listener.versions[-1] <= version:
                        await listener.hear()
                    answers = [message for message in listener.heard if message["type"] == "accepted"]
                    assert [answer["version"] for answer in answers] == [version + 1] * times
                    steps = [step for m in listener.heard[1:] if m["type"] == "update" for step in m["steps"]]
                    assert [step["move"] for step in steps] == ["c8"]

    asyncio.run(main())


def test_in_a_crowd_too(tmp_path: Path) -> None:
    """Many watch, so that updates come now and then; everybody takes a seat, talks and plays at the same time."""
    people = [Person(number) for number in range(3, MAX_INSTANT_WATCHERS + 15)]

    async def evening(ear: Ear, name: str, rounds: int) -> None:
        random = Random(name)
        await ear.join()
        ear.socket.say(type="sit", id="sit", name=name)
        await ear.hear_all(["sit"])
        ids = ["sit"]
        while True:
            update = [message for message in ear.heard if message["type"] == "update"][-1]
            if update["legal"]:
                [(seat, legal)] = update["legal"].items()
                if 25 - len(legal) >= rounds:
                    return
                id = f"m{25 - len(legal)}"
                if id not in ids:
                    ids += [id, f"{id}s"]
                    move = random.choice(legal)
                    ear.socket.say(type="move", id=id, seat=int(seat), move=move, version=update["version"])
                    ear.socket.say(type="phrase", id=f"{id}s", phrase="hello")
                    await ear.hear_all(ids)
                    continue
            await ear.hear()

    async def main() -> None:
        async with desk(tmp_path) as here, contextlib.AsyncExitStack() as doors:
            room = await room_of(here, 0, "knister", crowd=True)
            ears = [Ear(await doors.enter_async_context(here.socket(room, person.token))) for person in people]
            host = Ear(await doors.enter_async_context(here.socket(room, ANA.token)))
            await host.join()
            playing = asyncio.gather(*(evening(ear, f"P{number}", 3) for number, ear in enumerate(ears)))
            while host.heard[-1]["type"] != "update" or host.heard[-1]["room"]["seats_total"] < len(people):
                await host.hear()
            host.socket.say(type="start", id="start")
            await host.hear_all(["start"])
            async with asyncio.timeout(60):
                await playing
            for ear in (host, *ears):
                ear.check_order()
            for ear in ears:
                accepted = [message["id"] for message in ear.heard if message["type"] == "accepted"]
                assert len(accepted) == len(set(accepted)) == 7
                own = [
                    step["version"]
                    for message in ear.heard
                    if message["type"] == "update"
                    for step in message["steps"]
                    if step["move"] is not None
                ]
                moved = [m["version"] for m in ear.heard if m["type"] == "accepted" and m["id"] in ("m0", "m1", "m2")]
                assert len(own) == len(moved) == 3, "one's own moves, each once,"
                order = [version for pair in zip(moved, own, strict=True) for version in pair]
                assert order == sorted(order), "by itself or with the roll that followed it"

    asyncio.run(main())
