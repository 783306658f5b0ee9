"""Hints for one's own seat, and finished games looked over, without anybody having to wait for it."""

import asyncio
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import httpx
import pytest

import sobremesa as sm
from engines.positions import decisions
from server.bots import Ledger, play_seat
from server.clocks import FakeClock, MemoryStore
from server.serving import Server, serving
from server.spies import Person, Story, desk, store_log
from sobremesa.engines import Candidate, Thought
from sobremesa.engines.registry import PLAYERS
from sobremesa.server import study
from sobremesa.server.attendance import Visitor
from sobremesa.server.client import Guest, Refused
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub

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
            await visit.wait_until(lambda update: bool(update["room"]["over"]))
    return room


async def reviewed(guest: Guest, room: str, number: int = 1) -> tuple[Json, list[Json]]:
    """The review, and what was told while it was not ready."""
    told: list[Json] = []
    async with asyncio.timeout(120):
        while (answer := await guest.call("GET", f"/api/rooms/{room}/games/{number}/review"))["type"] == "progress":
            told.append(answer)
            await asyncio.sleep(0.1)
    return answer, told


async def hint(guest: Guest, room: str, seat: int) -> Json:
    """Asks for a hint by HTTP."""
    question = {"type": "hint", "id": "h", "seat": seat}
    told: Json = await guest.call("POST", f"/api/rooms/{room}/commands", question)
    return told


def test_a_position_is_judged_without_a_room(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        states = [state for _, state in decisions(sm.isis_osiris, 4) if "?" in state.view(None).as_dict()["cells"]]
        state = states[-6]

        async def told(**asked: Any) -> Json:
            answer: Json = await guest.call("POST", "/api/positions/analysis", {"position": state.position()} | asked)
            return answer

        bare = await told()
        assert bare["assumed"] == "memory"
        assert {move["move"] for move in bare["moves"]} <= set(map(str, state.legal_moves()))
        assert (await told(past=[before.position() for before in states[:-6]]))["assumed"] is None
        for wrong in ({"seat": 1 - bare["seat"]}, {"seat": 7}, {"past": [sm.isis_osiris.start(seats=3).position()]}):
            with pytest.raises(Refused) as refused:
                await told(**wrong)
            assert refused.value.reason in ("malformed", "illegal"), refused.value

    asyncio.run(ask())


@pytest.mark.parametrize("game", ["callisto", "isis-osiris", "knister"])
def test_a_hint_names_legal_moves_the_best_first(server: Server, game: str) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await guest.open_room(game, ["me", "greedy"])
        async with guest.enter(room) as visit:
            update = await visit.wait_until(lambda update: bool(update.get("legal")))
            hint = await visit.ask("hint", seat=0)
            assert (hint["type"], hint["seat"]) == ("hinted", 0)
            assert 1 <= len(hint["moves"]) <= 5
            assert {move["move"] for move in hint["moves"]} <= set(update["legal"]["0"])
            assert hint["measure"] == ("points" if game == "knister" else "chance")
            # Where all write at once, the other seat may have written in the meantime.
            assert hint["version"] - update["version"] in ((0, 1) if game == "knister" else (0,))
            await visit.move(0, hint["moves"][0]["move"])

    asyncio.run(ask())


def test_hints_are_for_ones_own_seat_when_it_has_to_decide(server: Server) -> None:
    async def ask() -> None:
        guest, other = await Guest(server.address).arrive(), await Guest(server.address).arrive()
        room = await guest.open_room("callisto", ["me", "open"])
        for who, seat, reason in ((guest, 0, "early"), (other, 0, "forbidden"), (guest, 1, "forbidden")):
            with pytest.raises(Refused) as refused:
                await hint(who, room, seat)
            assert refused.value.reason == reason
        with pytest.raises(Refused):
            await hint(guest, "nowhere", 0)
        with pytest.raises(Refused):
            await hint(guest, room, -1)

    asyncio.run(ask())


def test_a_table_may_play_without_hints(server: Server) -> None:
    async def ask() -> None:
        guest = await Guest(server.address).arrive()
        room = await guest.open_room("knister", ["me"], hints=False)
        with pytest.raises(Refused, match="without hints"):
            await hint(guest, room, 0)
        update = await guest.call("GET", f"/api/rooms/{room}")
        assert update["room"]["hints"] is False

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
        scores = {row["seat"]: row["points"] for row in update["steps"][-1]["views"][0]["standings"]}
        assert review["curve"][-1]["points"] == [scores[0], scores[1]]
        again, told = await reviewed(guest, room)
        assert (again, told) == (review, []), "it is there at once"
        assert again["curve"][-1]["points"] == [update["room"]["result"]["scores"][seat] for seat in "01"]

    asyncio.run(ask())


def test_a_review_of_isis_and_osiris_knows_what_its_seats_saw(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "REVIEW_SECONDS", 0.05)
    story = Story(Random(2), [Person(1), Person(2)], game="isis-osiris").play_out()

    async def ask() -> None:
        async with desk(tmp_path) as here, asyncio.timeout(120):
            await store_log(here.house, "story", story.log)
            while (answer := await here.http.get("/api/rooms/story/games/1/review")).status_code == 202:
                await asyncio.sleep(0.1)
            review = answer.json()
        assert review["measure"] == "chance"
        assert review["moves"][-1]["exact"]
        assert sum(review["curve"][-1]["chances"]) == pytest.approx(1)
        assert review["seats"] == [0, 1]

    asyncio.run(ask())


class Ponderer(EnginePool):
    """Thinks about each move as long as a test wants, by the test's clock."""

    def __init__(self, clock: FakeClock) -> None:
        super().__init__(1)
        self._fake = clock
        self.asked = 0

    async def advise(self, room: str, game: str, player: str, view: Any, *more: Any, **options: Any) -> Thought:
        self.asked += 1
        await self._fake.sleep(10)
        move = str(view.legal_moves()[0])
        return Thought(move, candidates=(Candidate(move, 0.5, 1),))


def test_a_review_that_nobody_waits_for_is_given_up() -> None:
    story = Story(Random(2), [Person(1), Person(2)], game="isis-osiris").play_out()

    async def ask() -> None:
        clock, store = FakeClock(), MemoryStore()
        store.logs["story"] = story.log
        pool = Ponderer(clock)
        hub = Hub(store, pool, clock=clock)
        opened = await hub.get("story")
        assert opened is not None
        reviews = study.Study(hub)

        async def progress() -> int:
            answer = await reviews.review(opened, 1, Visitor("ana", "192.0.2.1"))
            assert isinstance(answer, study.ReviewProgress)
            return answer.done

        assert await progress() == 0
        for moves in range(1, 9):
            await clock.advance(10)
            assert await progress() == moves, "as long as somebody asks it goes on"
        await clock.advance(study.ABANDONED_AFTER + 10)
        asked = pool.asked
        await clock.advance(300)
        assert pool.asked == asked, "nobody has asked for long: no more is thought"
        assert await progress() == 0, "who comes back has it begin anew"
        reviews.cancel("story")
        await hub.finish()

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
        room = await guest.open_room("callisto", ["me", "greedy"])
        playing = asyncio.create_task(finished(guest, "isis-osiris", "club", "regular"))
        asking = asyncio.create_task(hint(guest, room, 0))  # the champion thinks about it for a second
        meanwhile = 0
        async with httpx.AsyncClient(base_url=server.address) as http:
            while not (playing.done() and asking.done()):
                figures = (await http.get("/metrics")).text
                meanwhile += 'sobremesa_thinking{state="running"} 0.0' not in figures
                await asyncio.sleep(0.01)
        await asyncio.gather(playing, asking)
        assert meanwhile > 3, "it says itself that somebody is thinking"

    asyncio.run(ask())


def test_players_are_told_with_their_names(server: Server) -> None:
    async def ask() -> None:
        guest = Guest(server.address)
        for code, champion in (("en", "Champion"), ("es", "Campeón"), ("nl", "Kampioen")):
            for game in await guest.call("GET", f"/api/games?language={code}"):
                assert [player["level"] for player in game["players"]] == [*range(1, 9), 0, 0]
                assert [player["id"] for player in game["players"]] == list(PLAYERS)
                assert game["players"][7]["name"] == champion

    asyncio.run(ask())


def test_a_game_without_somebody_strong_is_played_without_hints_and_reviews(tmp_path: Path) -> None:
    async def ask() -> None:
        async with desk(tmp_path) as here:
            here.house.hub.resources = replace(here.house.hub.resources, players={"knister": ["random"]})
            headers = {"Authorization": f"Bearer {Person(1).token}"}
            opened = await here.http.post(
                "/api/rooms", json={"game": "knister", "seats": [{"kind": "me"}]}, headers=headers
            )
            room = opened.json()["room"]
            assert not (await here.http.get(f"/api/rooms/{room}", headers=headers)).json()["room"]["hints"]
            position = sm.knister.start().happen(7).position()
            for method, path, body in (
                ("POST", f"/api/rooms/{room}/commands", {"type": "hint", "id": "h", "seat": 0}),
                ("GET", f"/api/rooms/{room}/games/1/review", None),
                ("POST", "/api/positions/analysis", {"position": position, "seat": 0}),
            ):
                answer = await here.http.request(method, path, json=body, headers=headers)
                assert (answer.status_code, answer.json()["reason"]) == (403, "forbidden"), path

    asyncio.run(ask())
