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
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.messages import Step
from sobremesa.rooms.positions import AskPosition, Position, play_on

Json = dict[str, Any]
SMALL = [kind for kind in KINDS if kind.options["seats"] <= MAX_LISTED_SEATS]
C3_TAKEN = f"knister seats=1 starter=0 roll=8 sheets={'.' * 12}8{'.' * 12}"
BLANK = "." * 25


def ask(game: str, **asked: Any) -> Position:
    return play_on(AskPosition(game=game, **asked))


def last(told: Position) -> Step:
    """How the table looks now."""
    assert told.steps[-1].position == told.position
    return told.steps[-1]


def view(told: Position) -> Json:
    [shown] = last(told).views
    return dict(shown)


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
        assert state.deciding
        assert now.result is None
        assert now.legal == {seat: [str(move) for move in state.legal_moves(seat)] for seat in state.deciding}
        seat = random.choice(list(now.legal))
        move = random.choice(now.legal[seat])
        now = ask(kind.game.id, position=now.position, seat=seat, move=move)
        moved, *rolled = now.steps
        assert (moved.seat, moved.move, moved.rolled) == (seat, move, None)
        after = state.play(state.parse_move(move, seat), seat)
        assert moved.position == after.position()
        for step in rolled:
            assert (step.seat, step.move) == (None, None), "what chance brings is a step of its own"
            assert step.rolled is not None
            after = after.happen(int(step.rolled))
            assert step.position == after.position()
        assert [step.version for step in now.steps] == list(range(len(now.steps)))
        assert view(now) == parse_position(now.position).view(seat).as_dict()
        assert view(now)["seat"] == seat
    result = parse_position(now.position).result()
    assert result is not None
    assert now.legal == {}
    assert now.result is not None
    assert now.result.scores == dict(enumerate(result.scores))
    assert now.result.places == dict(enumerate(result.places))


def test_a_fresh_table_begins_with_a_roll_if_the_game_does() -> None:
    assert view(ask("knister", outcome="8"))["roll"] == 8
    assert 2 <= view(ask("knister"))["roll"] <= 12
    assert [step.rolled for step in ask("knister", outcome="8").steps] == ["8"]
    callisto = ask("callisto", options={"edition": "pocket", "seats": 3})
    assert [(step.seat, step.move, step.rolled) for step in callisto.steps] == [(None, None, None)], "just a look"
    assert callisto.position == "callisto edition=pocket seats=3 starter=0 turn=0 out=... placed=-/-/-"


def test_the_outcome_that_a_lesson_needs() -> None:
    start = ask("isis-osiris").position
    for outcome, value in (("+4", 4), ("4", 4), ("-3", -3)):
        turned = ask("isis-osiris", position=start, move="T", outcome=outcome)
        assert [(step.move, step.rolled) for step in turned.steps] == [("T", None), (None, str(value))]
        assert (view(turned)["turned"], view(turned)["seat"]) == (value, 0)
        laid = ask("isis-osiris", position=turned.position, move="Tc3")
        assert view(laid)["cells"].count("?") == 1
        assert (list(laid.legal), last(laid).rolled) == ([1], None)
    values = {view(ask("isis-osiris", position=start, move="T"))["turned"] for _ in range(60)}
    assert len(values) > 2, "without one it is left to chance"


def test_the_next_roll_comes_when_everybody_has_written() -> None:
    two = ask("knister", options={"seats": 2}, outcome="8")
    one = ask("knister", position=two.position, seat=0, move="c3")
    assert (list(one.legal), last(one).rolled, view(one)["sheet"][12]) == ([1], None, 8)
    both = ask("knister", position=one.position, move="a1", outcome="11")
    assert (list(both.legal), last(both).rolled, view(both)["seat"]) == ([0, 1], "11", 1)


def test_who_looks() -> None:
    position = ask("knister", options={"seats": 2}, outcome="8").position
    assert view(ask("knister", position=position))["sheet"] is None, "a spectator has none"
    assert view(ask("knister", position=position, seat=1))["sheet"] == [0] * 25
    after = ask("callisto", move="h1")
    assert (view(after)["seat"], list(after.legal)) == (0, [1]), "who has moved, if nobody else is meant"


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
        (
            {"game": "knister", "options": {"seats": MAX_LISTED_SEATS + 1}},
            422,
            "malformed",
            f"at most {MAX_LISTED_SEATS} seats",
        ),
        ({"game": "knister", "options": {"seats": 10**9}}, 422, "malformed", f"at most {MAX_LISTED_SEATS} seats"),
        (
            {"game": "knister", "position": f"knister seats=25 starter=0 roll=- sheets={'/'.join([BLANK] * 25)}"},
            422,
            "malformed",
            f"at most {MAX_LISTED_SEATS} seats",
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
    assert "-3" not in json.dumps([step["views"] for step in told["steps"]])


def test_what_is_against_a_move(tmp_path: Path) -> None:
    """For a ghost on the board: the answer is no error, whatever it says."""
    start = "callisto edition=classic seats=2 starter=0 turn=0 out=.. placed=e5;l5/e12;l12"

    async def checked(*moves: str) -> list[Json]:
        async with desk(tmp_path) as here:
            told = []
            for move in moves:
                body = {"game": "callisto", "position": start, "seat": 0, "move": move}
                answer = await here.http.post("/api/positions/check", json=body, headers={"Accept-Language": "es"})
                assert answer.status_code == 200
                told.append(answer.json())
            return told

    beside, corner, nonsense = asyncio.run(checked("e6,f6,g6,f7", "f6,g6", "??"))
    assert beside == {"type": "checked", "id": "", "legal": True, "text": None, "rule": None, "after": None}
    assert (corner["legal"], corner["rule"]) == (False, "C3")
    assert "ficha" in corner["text"]
    assert (nonsense["legal"], nonsense["rule"]) == (False, None)
    assert nonsense["text"]


def test_a_move_is_checked_without_being_made(tmp_path: Path) -> None:
    async def go() -> None:
        async with desk(tmp_path) as here:

            async def checked(**asked: Any) -> tuple[int, Json]:
                answer = await here.http.post("/api/positions/check", json=asked, headers={"Accept-Language": "es"})
                return answer.status_code, answer.json()

            knister: Json = {"game": "knister", "position": C3_TAKEN, "seat": 0}
            plain = {"type": "checked", "id": "", "after": None}
            assert await checked(**knister, move="a1") == (
                200,
                plain | {"legal": True, "text": None, "rule": None},
            )
            said = "K1: esa casilla está ocupada: lo escrito, escrito queda"
            assert await checked(**knister, move="c3") == (
                200,
                plain | {"legal": False, "text": said, "rule": "K1"},
            )
            status, told = await checked(**knister, move="f9")
            assert (status, told["legal"], told["rule"]) == (200, False, None)
            status, told = await checked(game="knister", position="nonsense", move="c3")
            assert (status, told["reason"]) == (422, "malformed"), "that is no question about a move"

    asyncio.run(go())
