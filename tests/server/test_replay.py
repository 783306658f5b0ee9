"""A finished game again, moment by moment: what a replay tells, and that making one holds nobody up."""

import asyncio
import contextlib
import hashlib
import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kinds import KINDS, Kind
from server.spies import Person, Story, desk, store_log
from sobremesa import parse_position
from sobremesa.core.result import Result
from sobremesa.games import GAMES
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.replays import replay
from sobremesa.server.replay import MAX_WAITING, replay_json
from sobremesa.table import Record
from sobremesa.table.sitting import Sitting

Json = dict[str, Any]
PEOPLE = [Person(number) for number in range(45)]
SMALL = [kind for kind in KINDS if kind.options["seats"] <= 12]
ISIS = [kind for kind in KINDS if kind.game.id == "isis-osiris"]


def story_of(kind: Kind) -> Story:
    """A game of this kind, played to its end."""
    options = {name: value for name, value in kind.options.items() if name != "seats"}
    people = PEOPLE[: kind.options["seats"]]
    return Story(Random(kind.id), people, game=kind.game.id, options=options).play_out()


async def answers(folder: Path, story: Story, *paths: str) -> list[Json]:
    """What the server says about a story's room."""
    async with desk(folder) as here:
        await store_log(here.house, "story", story.log)
        told = [json.loads((await here.get(path)).partition("] ")[2]) for path in paths]
        assert not here.house.hub.rooms, "nothing of this opens the room: no clock starts, no engine wakes"
        return told


REPLAY, RECORD = "/api/rooms/story/games/1/replay", "/api/rooms/story/games/1/record"


@pytest.mark.parametrize("kind", SMALL, ids=str)
def test_every_moment_follows_from_the_one_before(kind: Kind, tmp_path: Path) -> None:
    told, record = asyncio.run(answers(tmp_path, story_of(kind), REPLAY, RECORD))
    assert (told["game"], told["options"], told["names"]) == (kind.game.id, record["options"], record["names"])
    assert told["starter"] == kind.options["starter"]
    assert told["result"] == record["result"]
    first, *steps = told["steps"]
    state = kind.game.start(**told["options"])
    assert (first["seat"], first["move"], first["rolled"]) == (None, None, None)
    assert (first["position"], first["views"]) == (state.position(), [state.view(None).as_dict()])
    assert [step["version"] for step in told["steps"]] == list(range(len(told["steps"])))
    assert len(steps) == len(record["events"])
    for step in steps:
        if step["rolled"] is not None:
            state = state.happen(int(step["rolled"]))
        else:
            seats = list(state.deciding)
            assert step["seat"] == (seats[0] if len(seats) == 1 else None)
            for seat, move in zip(seats, step["move"].split(" "), strict=True):
                state = state.play(state.parse_move(move, seat), seat)
        assert step["position"] == state.position()
        assert step["views"] == [parse_position(step["position"]).view(None).as_dict()]
    assert state.over
    assert state.result() == Result(tuple(told["result"]["scores"]), tuple(told["result"]["places"]))


@pytest.mark.parametrize("kind", ISIS, ids=str)
def test_i7_with_memory_all_tiles_on_the_board_are_shown_from_the_start(kind: Kind, tmp_path: Path) -> None:
    plain, shown = asyncio.run(answers(tmp_path, story_of(kind), REPLAY, f"{REPLAY}?memory=true"))
    laid: Counter[str] = Counter()
    for one, other in zip(plain["steps"], shown["steps"], strict=True):
        [view], [plain_view] = other["views"], one["views"]
        cells = view["cells"]
        assert "?" not in cells
        assert Counter(mark for mark in cells if mark[0] in "+-") == laid
        if view["turned"] is not None:
            laid[f"{view['turned']:+}"] += 1
        if not kind.options["memory_aid"] and view["turn"] is not None:
            assert plain_view["cells"] == ["?" if mark[0] in "+-" else mark for mark in cells]
        assert one["position"] == other["position"], "what is shared is the position as it was played"
    assert shown["options"] == plain["options"]
    assert plain["steps"][-1]["views"][0]["cells"] == shown["steps"][-1]["views"][0]["cells"]


def test_i1_tiles_put_away_are_in_no_replay(tmp_path: Path) -> None:
    """Four seats, two tiles put away and one piece left over each: what is shown is what was turned over, no more."""
    kind = next(kind for kind in ISIS if kind.options["seats"] == 4 and kind.options["variant"] == "own")
    [told] = asyncio.run(answers(tmp_path, story_of(kind), f"{REPLAY}?memory=true"))
    turned = [int(step["rolled"]) for step in told["steps"] if step["rolled"] is not None]
    shown = [int(mark) for mark in told["steps"][-1]["views"][0]["cells"] if mark[0] in "+-"]
    assert sorted(shown) == sorted(turned)


@pytest.mark.parametrize("game", ["isis-osiris", "knister"])
def test_the_promise_the_secret_and_the_words(game: str, tmp_path: Path) -> None:
    kind = next(kind for kind in KINDS if kind.game.id == game and kind.options["seats"] == 2)
    told, record = asyncio.run(answers(tmp_path, story_of(kind), REPLAY, RECORD))
    promise = told["promise"]
    bound = hashlib.sha256(promise["context"].encode()).hexdigest()
    promised = hashlib.sha256(f"sobremesa promise 2\n{bound}\n{promise['secret']}".encode())
    assert promised.hexdigest() == promise["commitment"]
    assert promise["game"] == 1
    assert {key: promise[key] for key in ("commitment", "secret")} == {
        key: record["fair"][key] for key in ("commitment", "secret")
    }
    assert (promise["words"], record["fair"]["words"]) == ({"1": "w1"}, {"1": "w1"})


def test_nothing_was_left_to_chance_in_callisto(tmp_path: Path) -> None:
    [told] = asyncio.run(answers(tmp_path, story_of(KINDS[0]), REPLAY))
    assert told["promise"] is None


def test_a_game_that_is_not_over_has_no_replay(tmp_path: Path) -> None:
    story = story_of(next(kind for kind in ISIS if kind.options["seats"] == 2))
    del story.log[story.moments[-2] :]
    paths = [f"/api/rooms/{room}/games/{number}/replay" for room in ("story", "nowhere") for number in (0, 1, 2)]
    for answer in asyncio.run(answers(tmp_path, story, *paths, "/api/rooms/st%00ry/games/1/replay")):
        assert answer["reason"] == "unknown"


def test_a_crowd_is_told_in_short(tmp_path: Path) -> None:
    """Forty sheets: the leaders as any spectator sees them, no positions, and not a thousand moves."""
    kind = next(kind for kind in KINDS if kind.options["seats"] > MAX_LISTED_SEATS)
    story = Story(Random(1), PEOPLE[: kind.options["seats"]], game="knister").play_out()
    [told] = asyncio.run(answers(tmp_path, story, REPLAY))
    assert len(told["steps"]) == 1 + 2 * 25
    assert all(step["position"] is None and step["move"] is None for step in told["steps"])
    assert {len(step["views"][0]["standings"]) for step in told["steps"]} == {12}
    assert len(json.dumps(told)) < 250_000


# -- nobody is held up ------------------------------------------------------------------------------------------------


def crowd_record(seats: int) -> Record:
    """A finished game of so many sheets."""
    random = Random(2)
    sitting = Sitting.start(GAMES["knister"], {"seats": seats, "starter": 0})
    while not sitting.state.over:
        if sitting.state.chance is not None:
            sitting = sitting.roll()
        for seat in list(sitting.state.deciding):
            sitting = sitting.play(sitting.state.random_move(random, seat), seat)
    return sitting.record()


def test_others_have_their_turn_while_a_large_game_is_replayed() -> None:
    record = crowd_record(1000)

    async def go() -> tuple[int, bytes]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                await asyncio.sleep(0.005)
                ticks += 1

        ticking = asyncio.create_task(tick())
        text = await replay_json(record, 1, memory=False)
        ticking.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ticking
        return ticks, text

    ticks, text = asyncio.run(go())
    assert ticks > 5, "on the event loop itself it would be none"
    assert json.loads(text) == json.loads(replay(record, 1, memory=False).model_dump_json())


def test_only_a_few_large_replays_wait_for_their_turn() -> None:
    record = crowd_record(MAX_LISTED_SEATS + 1)

    async def go() -> list[Any]:
        many = [replay_json(record, 1, memory=False) for _ in range(MAX_WAITING + 3)]
        return await asyncio.gather(*many, return_exceptions=True)

    told = asyncio.run(go())
    refused = [answer for answer in told if isinstance(answer, Refusal)]
    assert [error.reason for error in refused] == ["busy"] * 3
    assert len({answer for answer in told if isinstance(answer, bytes)}) == 1
    assert isinstance(asyncio.run(replay_json(record, 1, memory=False)), bytes), "and later it is free again"
