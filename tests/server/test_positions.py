"""Play from a position, without a room: for lessons, and for positions that are shared by link."""

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pytest

from kinds import KINDS, Kind, played
from server.spies import desk
from sobremesa import parse_position
from sobremesa.server.positions import FEW, AskPosition, Position, play_on

Json = dict[str, Any]
SMALL = [kind for kind in KINDS if kind.options["seats"] <= FEW]
C3_TAKEN = f"knister seats=1 starter=0 roll=8 sheets={'.' * 12}8{'.' * 12}"
BLANK = "." * 25


def ask(game: str, **asked: Any) -> Position:
    return play_on(AskPosition(game=game, **asked))


async def post(folder: Path, language: str, *asked: Json) -> list[tuple[int, Json]]:
    """What the server answers, with the HTTP status."""
    async with desk(folder) as here:
        told = []
        for body in asked:
            answer = await here.http.post("/api/positions", json=body, headers={"Accept-Language": language})
            assert "set-cookie" not in answer.headers, "nobody has to be somebody for this"
            told.append((answer.status_code, answer.json()))
        assert not here.house.hub.rooms
        return told


@pytest.fixture
def posted(tmp_path: Path) -> Callable[..., tuple[int, Json]]:
    def one(body: Json, language: str = "en") -> tuple[int, Json]:
        return asyncio.run(post(tmp_path, language, body))[0]

    return one


@pytest.mark.parametrize("kind", SMALL, ids=str)
def test_a_whole_game_by_positions_alone(kind: Kind) -> None:
    """Nothing is kept between two questions, and each answer holds the next question."""
    random = Random(kind.id)
    now = ask(kind.game.id, options=kind.options)
    while not now.over:
        state = parse_position(now.position)
        assert state.position() == now.position
        assert now.deciding == list(state.deciding)
        assert now.deciding
        assert now.legal == {seat: [str(move) for move in state.legal_moves(seat)] for seat in state.deciding}
        seat = random.choice(now.deciding)
        move = random.choice(now.legal[seat])
        now = ask(kind.game.id, position=now.position, seat=seat, move=move)
        assert now.view == parse_position(now.position).view(seat).as_dict()
        assert now.view["seat"] == seat
    assert parse_position(now.position).result() is not None
    assert (now.deciding, now.legal) == ([], {})


def test_a_fresh_table_begins_with_a_roll_if_the_game_does() -> None:
    assert ask("knister", outcome="8").view["roll"] == 8
    assert 2 <= ask("knister").view["roll"] <= 12
    callisto = ask("callisto", options={"edition": "pocket", "seats": 3})
    assert callisto.rolled is None
    assert callisto.position == "callisto edition=pocket seats=3 starter=0 turn=0 out=... placed=-/-/-"


def test_the_outcome_that_a_lesson_needs() -> None:
    start = ask("isis-osiris").position
    for outcome, value in (("+4", 4), ("4", 4), ("-3", -3)):
        turned = ask("isis-osiris", position=start, move="T", outcome=outcome)
        assert (turned.rolled, turned.view["turned"], turned.view["seat"]) == (str(value), value, 0)
        laid = ask("isis-osiris", position=turned.position, move="Tc3")
        assert laid.view["cells"].count("?") == 1
        assert (laid.deciding, laid.rolled) == ([1], None)
    values = {ask("isis-osiris", position=start, move="T").view["turned"] for _ in range(60)}
    assert len(values) > 2, "without one it is left to chance"


def test_the_next_roll_comes_when_everybody_has_written() -> None:
    two = ask("knister", options={"seats": 2}, outcome="8")
    one = ask("knister", position=two.position, seat=0, move="c3")
    assert (one.deciding, one.rolled, one.view["sheet"][12]) == ([1], None, 8)
    last = ask("knister", position=one.position, move="a1", outcome="11")
    assert (last.deciding, last.rolled, last.view["seat"]) == ([0, 1], "11", 1)


def test_who_looks() -> None:
    position = ask("knister", options={"seats": 2}, outcome="8").position
    assert ask("knister", position=position).view["sheet"] is None, "a spectator has none"
    assert ask("knister", position=position, seat=1).view["sheet"] == [0] * 25
    after = ask("callisto", move="h1")
    assert (after.view["seat"], after.deciding) == (0, [1]), "who has moved, if nobody else is meant"


@pytest.mark.parametrize(
    ("asked", "status", "reason", "says"),
    [
        ({"game": "knister", "position": C3_TAKEN, "move": "c3"}, 409, "illegal", "K1: that cell is taken"),
        ({"game": "callisto", "seat": 1, "move": "h1"}, 409, "illegal", "C1: it is not your turn"),
        ({"game": "callisto", "move": "z1"}, 422, "malformed", "z1 is not on this board"),
        ({"game": "knister", "options": {"seats": 2}, "move": "c3"}, 409, "illegal", "K1: there is no roll to write"),
        ({"game": "callisto", "move": "h1", "outcome": "3"}, 422, "malformed", "nothing is left to chance here"),
        ({"game": "knister", "outcome": "13"}, 409, "illegal", "K1: two dice cannot show 13"),
        ({"game": "knister", "outcome": "many"}, 422, "malformed", "outcome"),
        ({"game": "knister", "seat": 1}, 422, "malformed", "there is no seat 1"),
        ({"game": "chess"}, 422, "malformed", "there is no game “chess”"),
        ({"game": "callisto", "options": {"seats": 9}}, 422, "malformed", "seats cannot be 9"),
        ({"game": "callisto", "position": C3_TAKEN}, 422, "malformed", "this is no position of callisto"),
        ({"game": "knister", "position": "knister"}, 422, "malformed", "has the fields"),
        ({"game": "knister", "position": C3_TAKEN, "options": {"seats": 1}}, 422, "malformed", "leave the options out"),
        ({"game": "knister", "options": {"seats": FEW + 1}}, 422, "malformed", f"at most {FEW} seats"),
        ({"game": "knister", "options": {"seats": 10**9}}, 422, "malformed", f"at most {FEW} seats"),
        (
            {"game": "knister", "position": f"knister seats=25 starter=0 roll=- sheets={'/'.join([BLANK] * 25)}"},
            422,
            "malformed",
            f"at most {FEW} seats",
        ),
        ({"game": "knister", "position": "x" * 4001}, 422, "malformed", "position"),
        ({"game": "knister", "colour": "red"}, 422, "malformed", "colour"),
    ],
)
def test_what_cannot_be(
    asked: Json, status: int, reason: str, says: str, posted: Callable[..., tuple[int, Json]]
) -> None:
    code, told = posted(asked)
    assert (code, told["reason"]) == (status, reason)
    assert says in told["text"]


def test_the_rules_sentence_comes_in_the_language_asked_for(tmp_path: Path) -> None:
    asked = {"game": "knister", "position": C3_TAKEN, "move": "c3"}
    said = {code: asyncio.run(post(tmp_path, code, asked))[0][1] for code in ("en", "es", "fr", "nl")}
    assert said["es"]["text"] == "K1: esa casilla está ocupada: lo escrito, escrito queda"
    assert {told["rule"] for told in said.values()} == {"K1"}
    assert len({told["text"] for told in said.values()}) == 4


def test_a_shared_position_of_isis_and_osiris_keeps_its_tiles_face_down(
    posted: Callable[..., tuple[int, Json]],
) -> None:
    text = played(KINDS[6].game.start(), "T *-3 Tc3").position()
    code, told = posted({"game": "isis-osiris", "position": text, "seat": 0})
    assert code == 200
    assert "-3" not in json.dumps(told["view"])


def test_what_is_against_a_move(tmp_path: Path) -> None:
    """For a ghost on the board: the answer is no error, whatever it says."""
    start = "callisto edition=classic seats=2 starter=0 turn=0 out=.. placed=e5;l5/e12;l12"

    async def judged(*moves: str) -> list[Json]:
        async with desk(tmp_path) as here:
            told = []
            for move in moves:
                body = {"game": "callisto", "position": start, "seat": 0, "move": move}
                answer = await here.http.post("/api/positions/judge", json=body, headers={"Accept-Language": "es"})
                assert answer.status_code == 200
                told.append(answer.json())
            return told

    beside, corner, nonsense = asyncio.run(judged("e6,f6,g6,f7", "f6,g6", "??"))
    assert beside == {"legal": True, "text": None, "rule": None}
    assert (corner["legal"], corner["rule"]) == (False, "C3")
    assert "ficha" in corner["text"]
    assert (nonsense["legal"], nonsense["rule"]) == (False, None)
    assert nonsense["text"]


def test_a_move_is_judged_without_being_made(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:

            async def judged(**asked: Any) -> tuple[int, Json]:
                answer = await here.http.post("/api/positions/judge", json=asked, headers={"Accept-Language": "es"})
                return answer.status_code, answer.json()

            knister: Json = {"game": "knister", "position": C3_TAKEN, "seat": 0}
            assert await judged(**knister, move="a1") == (200, {"legal": True, "text": None, "rule": None})
            said = "K1: esa casilla está ocupada: lo escrito, escrito queda"
            assert await judged(**knister, move="c3") == (200, {"legal": False, "text": said, "rule": "K1"})
            status, told = await judged(**knister, move="f9")
            assert (status, told["legal"], told["rule"]) == (200, False, None)
            status, told = await judged(game="knister", position="nonsense", move="c3")
            assert (status, told["reason"]) == (422, "malformed"), "that is no question about a move"

    asyncio.run(go())
