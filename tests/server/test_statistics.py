"""Ratings that follow the results, statistics, and everything of a person to take home or to forget."""

import asyncio
import json
import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Annotated, Any

import pytest
from pydantic import Field, TypeAdapter
from sqlalchemy import insert, select, update
from sqlalchemy.exc import IntegrityError

from sobremesa.core.errors import InvalidSetup
from sobremesa.rooms import messages as m
from sobremesa.rooms.room import Room
from sobremesa.server import rating
from sobremesa.server.database import daily_sheets, metadata, people, ratings, results
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.rating import KNOWN_SECONDS, Player, Rating, rate_games
from sobremesa.server.records import record_of
from sobremesa.server.statistics import Skill, export_person, leaderboard, person_statistics
from sobremesa.server.storage import Store, forget_person
from sobremesa.table import loads, verify
from sobremesa.table.commitments import BoundChance
from sobremesa.table.fair import Digest, Words

pytest_plugins = ["server.postgres"]


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'statistics.db'}"
    return str(request.getfixturevalue("postgres_url"))


def at(url: str, work: Callable[[Store], Awaitable[None]]) -> None:
    async def run() -> None:
        store = Store(url)
        async with store.engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
        try:
            await work(store)
        finally:
            await store.close()

    asyncio.run(run())


NUMBERS = count(1)


async def played(store: Store, *seats: tuple[str | None, int], at: float | None = None, counts: bool = True) -> str:
    """A rated game of Knister: who sat there (``@``: a computer) and their place, from seat 0. Returns the room."""
    number = next(NUMBERS)
    rows = []
    for seat, (who, place) in enumerate(seats):
        row = {"room": f"room{number}", "number": 1, "seat": seat, "game": "knister", "score": 100 - place}
        player = who[1:] if who is not None and who.startswith("@") else None
        row |= {"person": None if player else who, "player": player, "place": place, "counts": counts}
        rows.append(row | {"at": float(number) if at is None else at, "rated": False})
    async with store.writing() as connection:
        await connection.execute(insert(results), rows)
    return f"room{number}"


async def scored(store: Store, person: str, game: str, *scores: int) -> None:
    """Games of two seats, with these scores in the person's; the other one is always second."""
    rows = []
    for score in scores:
        number = next(NUMBERS)
        for seat, who in enumerate((person, None)):
            row = {"room": f"room{number}", "number": 1, "seat": seat, "game": game, "score": score, "place": seat + 1}
            rows.append(row | {"person": who, "player": None, "at": float(number), "counts": False, "rated": False})
    async with store.writing() as connection:
        await connection.execute(insert(results), rows)


async def all_ratings(store: Store, game: str = "knister") -> dict[str, tuple[float, float, int]]:
    async with store.reading() as connection:
        rows = await connection.execute(select(ratings).where(ratings.c.game == game))
        return {row.person: (row.mu, row.sigma, row.games) for row in rows}


async def unrated(store: Store) -> int:
    async with store.reading() as connection:
        return len((await connection.execute(select(results).where(results.c.rated.is_(False)))).all())


def test_who_wins_rises_and_who_loses_falls(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 1), ("bea", 2))
        await rate_games(store)
        first = await all_ratings(store)
        assert first["ana"][0] > 25 > first["bea"][0]
        assert first["ana"][1] < 25 / 3 > first["bea"][1], "more is known of both"
        await played(store, ("bea", 1), ("ana", 2))
        await rate_games(store)
        second = await all_ratings(store)
        assert second["ana"][0] < first["ana"][0]
        assert second["bea"][0] > first["bea"][0]
        assert (second["ana"][2], second["bea"][2]) == (2, 2)
        assert await all_ratings(store, "callisto") == {}

    at(url, work)


def test_many_at_a_table_are_ranked_by_their_places(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("cai", 3), ("ana", 1), ("dov", 4), ("bea", 2))
        await rate_games(store)
        rated = await all_ratings(store)
        assert sorted(rated, key=lambda who: -rated[who][0]) == ["ana", "bea", "cai", "dov"]

    at(url, work)


def test_equal_places_are_ties(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 2), ("bea", 1), ("cai", 2))
        await played(store, ("dov", 1), ("eva", 1))
        await rate_games(store)
        rated = await all_ratings(store)
        assert rated["ana"] == pytest.approx(rated["cai"])
        assert rated["bea"][0] > 25 > rated["ana"][0]
        assert rated["dov"] == pytest.approx(rated["eva"])
        assert rated["dov"][0] == pytest.approx(25)

    at(url, work)


def test_the_same_history_gives_the_same_rating(url: str) -> None:
    async def work(store: Store) -> None:
        for one, two, three in (("a1", "b1", "c1"), ("a2", "b2", "c2")):
            await played(store, (one, 1), (two, 2), (three, 3), at=1.0)
            await played(store, (three, 1), (one, 2), at=2.0)
            await played(store, (two, 1), (three, 1), (one, 3), at=3.0)
        await rate_games(store)
        rated = await all_ratings(store)
        assert all(rated[f"{who}1"] == rated[f"{who}2"] for who in "abc")
        assert len({rated[f"{who}1"] for who in "abc"}) == 3

    at(url, work)


def test_games_are_rated_in_the_order_of_time(url: str) -> None:
    async def work(store: Store) -> None:
        for who, first, second in (("x", 1.0, 2.0), ("y", 4.0, 3.0)):
            await played(store, (f"{who}a", 1), (f"{who}b", 2), at=first)
            await played(store, (f"{who}b", 1), (f"{who}a", 2), at=second)
        await rate_games(store)
        rated = await all_ratings(store)
        assert rated["xa"] == rated["yb"]
        assert rated["xb"] == rated["ya"]
        assert rated["xa"] != rated["xb"]

    at(url, work)


def test_games_for_fun_are_not_rated(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 2), ("bea", 1), counts=False)
        await rate_games(store)
        assert await all_ratings(store) == {}
        assert await unrated(store) == 0

    at(url, work)


def test_what_says_nothing_changes_nothing(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 1))
        await played(store, (None, 2), ("ana", 1), (None, 3))
        await played(store, ("ana", 1), ("ana", 2))
        await played(store, (None, 1), (None, 2))
        await rate_games(store)
        assert await all_ratings(store) == {}
        assert await unrated(store) == 0

    at(url, work)


def test_seats_of_nobody_are_left_out(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, (None, 1), ("ana", 2), (None, 3), ("bea", 4))
        await played(store, ("cai", 1), ("dov", 2))
        await rate_games(store)
        rated = await all_ratings(store)
        assert (rated["ana"], rated["bea"]) == (rated["cai"], rated["dov"])

    at(url, work)


def test_no_game_counts_twice_whoever_rates(url: str) -> None:
    async def work(store: Store) -> None:
        for _ in range(12):
            await played(store, ("ana", 1), ("bea", 2), ("cai", 3))
        others = [Store(url) for _ in range(3)]
        try:
            await asyncio.gather(*(rate_games(each) for each in (store, *others)))
        finally:
            for other in others:
                await other.close()
        together = await all_ratings(store)
        assert {games for _, _, games in together.values()} == {12}
        await rate_games(store)
        assert await all_ratings(store) == together
        async with store.writing() as connection:
            await connection.execute(ratings.delete())
            await connection.execute(update(results).values(rated=False))
        await rate_games(store)
        assert await all_ratings(store) == together, "the same as if one had rated alone"

    at(url, work)


def test_who_comes_late_to_a_game_leaves_it_as_it_is(url: str) -> None:
    async def work(store: Store) -> None:
        room = await played(store, ("ana", 1), ("bea", 2))
        await rate_games(store)
        rated = await all_ratings(store)
        with pytest.raises(rating.Changed):  # as in another process that had it on its list
            await rating.rate_game(store, room, 1)
        assert await all_ratings(store) == rated

    at(url, work)


def test_a_game_is_rated_wholly_or_not_at_all(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 1), ("bea", 2))
        with monkeypatch.context() as patch:
            broken = {"ana": Rating(25.0, 8.0, 1), "bea": Rating(None, 8.0, 1)}  # type: ignore[arg-type]
            patch.setattr(rating, "rate", lambda *_: broken)
            with pytest.raises(IntegrityError):
                await rate_games(store)
        assert await unrated(store) == 2
        assert await all_ratings(store) == {}
        await rate_games(store)
        assert len(await all_ratings(store)) == 2

    at(url, work)


def test_who_is_forgotten_while_a_rating_is_computed_stays_forgotten(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 1), ("bea", 2), ("cai", 3))
        loop = asyncio.get_running_loop()
        rate = rating.rate
        asked: list[Any] = []

        def slowly(seats: Any, met: Any) -> Any:
            asked.append(seats)
            if len(asked) == 1:
                asyncio.run_coroutine_threadsafe(forget_person(store, "bea"), loop).result(10)
            return rate(seats, met)

        monkeypatch.setattr(rating, "MAX_SEATS_ON_THE_LOOP", 2)  # so that it is computed in a thread
        monkeypatch.setattr(rating, "rate", slowly)
        await rate_games(store)
        assert [len(seats) for seats in asked] == [3, 2]
        assert set(await all_ratings(store)) == {"ana", "cai"}

    at(url, work)


def test_a_crowd_is_rated_and_too_large_a_crowd_is_not(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(store: Store) -> None:
        crowd = [(f"p{place}", place) for place in range(1, 61)]
        await played(store, *crowd)
        await rate_games(store)
        rated = await all_ratings(store)
        means = [rated[f"p{place}"][0] for place in range(1, 61)]
        assert means == sorted(means, reverse=True)
        monkeypatch.setattr(rating, "MAX_RATED_SEATS", 59)
        await played(store, *crowd)
        await rate_games(store)
        assert await all_ratings(store) == rated
        assert await unrated(store) == 0

    at(url, work)


def test_statistics_of_a_person(url: str) -> None:
    async def work(store: Store) -> None:
        await store.put(people, ["id"], {"id": "ana", "name": "Ana", "created_at": 0.0})
        await scored(store, "ana", "callisto", 12, 3, 9)
        await scored(store, "ana", "knister", 40, 71)
        await scored(store, "bea", "knister", 100)
        await played(store, ("bea", 1), ("ana", 2))
        await played(store, ("ana", 1))
        await rate_games(store)
        told = await person_statistics(store, "ana")
        assert told.name == "Ana"
        callisto, knister = told.games
        assert (callisto.game, callisto.games, callisto.wins) == ("callisto", 3, 3)
        assert (callisto.best, callisto.mean, callisto.rating) == (3, 8.0, None), "the lowest penalty is best"
        assert (knister.game, knister.games, knister.wins) == ("knister", 4, 2), "alone one does not win"
        assert (knister.best, knister.mean) == (99, (40 + 71 + 98 + 99) / 4)
        assert knister.rating is not None
        mu, sigma, games = (await all_ratings(store))["ana"]
        told_rating = (knister.rating.rating, knister.rating.deviation, knister.rating.games)
        assert told_rating == (round(1500 + 30 * (mu - 25)), round(30 * sigma), games)
        assert knister.rating.rating < 1500
        assert knister.rating.provisional
        assert [(row.game, row.seats, row.score, row.place) for row in told.last][:3] == [
            ("knister", 1, 99, 1),
            ("knister", 2, 98, 2),
            ("knister", 2, 71, 1),
        ]
        nobody = await person_statistics(store, "nobody")
        assert (nobody.name, nobody.games, nobody.last) == ("", [], [])

    at(url, work)


def test_results_against_each_computer_player(url: str) -> None:
    async def work(store: Store) -> None:
        await played(store, ("ana", 1), ("@club", 2))
        await played(store, ("ana", 2), ("@club", 1))
        await played(store, ("ana", 2), ("@club", 3), ("@child", 1))
        await played(store, ("bea", 1), ("@child", 2))
        told = await person_statistics(store, "ana")
        assert [(level.player, level.games, level.ahead) for level in told.levels] == [("child", 1, 0), ("club", 3, 2)]

    at(url, work)


def test_the_last_results_are_sixty(url: str) -> None:
    async def work(store: Store) -> None:
        await scored(store, "ana", "knister", *range(70))
        told = await person_statistics(store, "ana")
        assert [row.score for row in told.last] == list(range(69, 9, -1))
        assert told.games[0].games == 70

    at(url, work)


def test_the_leaderboard_has_people_with_names_whose_rating_is_sure(url: str) -> None:
    async def work(store: Store) -> None:
        for person, name in (
            ("ana", "Ana"),
            ("bea", "Bea"),
            ("cai", ""),
            ("eva", "Eva"),
            ("flo", "Flo"),
            ("gil", "Gil"),
        ):
            await store.put(people, ["id"], {"id": person, "name": name, "created_at": 0.0})
        sure = {"sigma": 3.0, "games": 12, "settled": 10, "met": 3}
        table = {
            "ana": sure | {"mu": 30.0},
            "bea": sure | {"mu": 30.0},
            "cai": sure | {"mu": 50.0},
            "dov": sure | {"mu": 50.0},
            "eva": sure | {"mu": 50.0, "settled": 9},
            "flo": sure | {"mu": 50.0, "met": 2},
            "gil": sure | {"mu": 20.0},
            "engine:greedy": sure | {"mu": 50.0},
        }
        table["hal"] = sure | {"mu": 50.0, "sigma": 5.1}
        await store.put(people, ["id"], {"id": "hal", "name": "Hal", "created_at": 0.0})
        for person, row in table.items():
            await store.put(ratings, ["person", "game"], {"person": person, "game": "knister"} | row)
        board = await leaderboard(store, "knister")
        assert [(row.place, row.name, row.rating.rating, row.rating.deviation) for row in board.rows] == [
            (1, "Ana", 1650, 90),
            (1, "Bea", 1650, 90),
            (3, "Gil", 1350, 90),
        ]
        assert "ana" not in board.model_dump_json()
        assert not any(row.rating.provisional for row in board.rows)
        assert [row.name for row in (await leaderboard(store, "knister", top=1)).rows] == ["Ana"]
        assert (await leaderboard(store, "callisto")).rows == []
        with pytest.raises(InvalidSetup):
            await leaderboard(store, "chess")

    at(url, work)


def test_a_rating_is_a_number_that_people_know() -> None:
    assert (Rating().points, Rating().deviation, Rating().provisional) == (1500, 250, True)
    assert Rating(30.0, 2.0, 40, 40, 8) == (30.0, 2.0, 40, 40, 8)
    assert (Rating(30.0, 2.0).points, Rating(30.0, 2.0).deviation) == (1650, 60)
    assert not Rating(30.0, 5.0, 10, 10, 3).provisional
    for doubtful in (Rating(30.0, 5.0, 99, 9, 3), Rating(30.0, 5.0, 99, 99, 2), Rating(30.0, 5.1, 99, 99, 9)):
        assert doubtful.provisional
    better = rating.MODEL.predict_win([[rating.MODEL.rating(25 + 200 / 30, 0.001)], [rating.MODEL.rating(25, 0.001)]])
    assert better[0] == pytest.approx(0.76, abs=0.12), "about three of four"


def test_the_rule_that_players_read_is_the_one_that_is_kept() -> None:
    page = (Path(__file__).parents[2] / "docs/play/ratings.md").read_text(encoding="utf-8")
    said = dict(re.findall(r"^\| (\w.+?) \| (.+?) \|$", page, re.MULTILINE))
    assert said == {
        "you begin with": f"{rating.START} ± {Rating().deviation}",
        "who is 200 points ahead wins": "about three games of four",  # held above
        "you are known after": f"{rating.KNOWN_GAMES} rated games, the first of them at least "
        f"{rating.KNOWN_SECONDS / 86_400:g} day ago",
        "your rating is ranked after": f"{rating.MIN_GAMES} rated games against people who are known",
        "and against at least": f"{rating.MIN_PEOPLE} different ones of them",
        "and when it is as sure as": f"± {rating.MAX_DEVIATION}",
    }
    described = str(Skill.model_json_schema()["properties"]["settled"]["description"])
    numbers = (rating.KNOWN_GAMES, rating.MIN_GAMES, rating.MIN_PEOPLE, rating.MAX_DEVIATION)
    assert tuple(map(int, re.findall(r"\d+", described))) == numbers


def player(person: str, place: int, *, known: bool = True, **fields: Any) -> Player:
    return Player(person, place, Rating(**fields), known)


def test_who_is_known_neither_wins_nor_loses_against_throw_away_cookies() -> None:
    ana = player("ana", 1, mu=30.0, sigma=2.0, games=20, settled=12, met=4)
    after = rating.rate([ana, player("new", 2, known=False)])
    assert after["ana"] == (30.0, 2.0, 21, 12, 4)
    assert after["new"].mu < 25
    assert (after["new"].settled, after["new"].met) == (1, 1)
    after = rating.rate([ana, player("bea", 2, sigma=2.0), player("new", 3, known=False)])
    assert after["ana"].mu > 30
    assert after == rating.rate([ana, player("bea", 2, sigma=2.0)]) | {"new": after["new"]}
    assert (after["ana"].settled, after["ana"].met) == (13, 5)


def test_newcomers_among_themselves_settle_nothing() -> None:
    after = rating.rate([player("one", 1, known=False), player("two", 2, known=False)])
    assert after["one"].mu > 25 > after["two"].mu
    assert {(each.settled, each.met, each.games) for each in after.values()} == {(0, 0, 1)}


def test_the_same_opponent_is_met_once() -> None:
    ana, bea = player("ana", 1), player("bea", 2)
    assert rating.rate([ana, bea], frozenset({("ana", "bea"), ("bea", "ana")}))["ana"].met == 0
    assert rating.rate([ana, bea])["ana"].met == 1


def test_a_row_of_own_throw_away_cookies_ranks_nobody_and_time_and_people_do(url: str) -> None:
    """Six games in a row against cookies of one's own once made a champion."""

    async def counters(store: Store, person: str) -> tuple[int, int, int]:
        async with store.reading() as connection:
            row = (await connection.execute(select(ratings).where(ratings.c.person == person))).one()
        return row.games, row.settled, row.met

    async def work(store: Store) -> None:
        await store.put(people, ["id"], {"id": "ana", "name": "Ana", "created_at": 0.0})
        for number in range(30):
            await played(store, ("ana", 1), (f"cookie{number}", 2), at=float(number))
        await rate_games(store)
        assert await counters(store, "ana") == (30, 0, 0)
        assert (await leaderboard(store, "knister")).rows == []
        day = KNOWN_SECONDS + 100
        friends = ("bea", "cai", "dov")
        for number in range(5):  # three friends who play a little, and are known a day later
            await played(store, *((friend, place) for place, friend in enumerate(friends, 1)), at=100.0 + number)
        await rate_games(store)
        assert await counters(store, "bea") == (5, 0, 0)
        for number in range(4):
            await played(store, ("ana", 1), (friends[number % 2], 2), at=day + number)
        await rate_games(store)
        assert await counters(store, "ana") == (34, 4, 2)
        assert (await leaderboard(store, "knister")).rows == []
        for number in range(8):
            await played(store, ("ana", 1), (friends[number % 3], 2), at=day + 10 + number)
        await rate_games(store)
        assert await counters(store, "ana") == (42, 12, 3)
        assert (await leaderboard(store, "knister")).rows == [], "enough games, but it is not sure yet"
        for number in range(40):
            places = (1, 2) if number % 3 else (2, 1)
            await played(store, ("ana", places[0]), (friends[number % 3], places[1]), at=day + 20 + number)
        await rate_games(store)
        assert await counters(store, "ana") == (82, 52, 3)
        assert [row.name for row in (await leaderboard(store, "knister")).rows] == ["Ana"]
        before = (await all_ratings(store))["ana"]
        for number in range(10):
            await played(store, ("ana", 1), (f"more{number}", 2), at=day + 100 + number)
        await rate_games(store)
        assert (await all_ratings(store))["ana"][:2] == before[:2], "new cookies are worth nothing to who is known"

    at(url, work)


ANA, BEA = "a" * 32, "b" * 32
NAME = "Ximena Quispe"
ROSA = "Grandma Rosa"
WORDS = {"suerte y alegría": "Ximena's", "buenas tardes": "Ximena's for the next game", "fortuna": "Bea's"}
COMMAND: TypeAdapter[m.RoomCommand] = TypeAdapter(Annotated[m.RoomCommand, Field(discriminator="type")])


async def do(opened: OpenRoom, person: str, type: str, **fields: Any) -> None:
    command = COMMAND.validate_python(fields | {"type": type, "id": f"command-{person[0]}-{next(NUMBERS)}"})
    await opened.actor.do(command, person)


async def play_evening(store: Store, hub: Hub) -> tuple[str, str]:
    """Two people, and one who shares a screen: a finished game of Knister with words and talk, one of Callisto in its
    middle."""
    seats = [m.SeatPlan(kind="me"), m.SeatPlan(kind="open")]
    for person, name in ((ANA, NAME), (BEA, "Bea")):
        await store.put(people, ["id"], {"id": person, "name": name, "created_at": 1.0})
        sheet = {"date": "2026-03-02", "person": person, "name": name, "cells": "a1", "points": None, "at": 1.0}
        await store.put(daily_sheets, ["date", "person"], sheet)
    shared = [*seats, m.SeatPlan(kind="me", name=ROSA, player="Rosita")]
    first, later, beas = WORDS
    knister = await hub.create(m.NewRoom(game="knister", seats=shared, name=NAME, words=first, public=True), ANA)
    await do(knister, ANA, "say", text=f"{NAME} is here")
    await do(knister, BEA, "sit", name="Bea", words=beas)
    await do(knister, ANA, "ready")
    await do(knister, BEA, "ready")
    while knister.room.playing and knister.room.sitting is not None:
        for seat, person in enumerate((ANA, BEA, ANA)):
            move = str(knister.room.sitting.state.legal_moves(seat)[-1 if seat else 0])
            await do(knister, person, "move", seat=seat, version=knister.room.version, move=move)
    await do(knister, ANA, "entropy", seat=0, words=later)
    await do(knister, BEA, "phrase", phrase="well played")
    await do(knister, ANA, "phrase", phrase="again?")
    callisto = await hub.create(m.NewRoom(game="callisto", seats=seats, name="Bea"), BEA)
    await do(callisto, ANA, "sit", name=NAME)
    for person, seat, move in ((BEA, 0, "c8"), (ANA, 1, "n8")):
        await do(callisto, person, "move", seat=seat, version=callisto.room.version, move=move)
    await do(callisto, ANA, "phrase", phrase="your turn")
    await played(store, (ANA, 1), (BEA, 2))
    await rate_games(store)
    return knister.room.id, callisto.room.id


TRACES = (ANA, NAME, *NAME.split(), ROSA, *ROSA.split(), "Rosita", "is here", "again?", "your turn", "command-a-")
"""What somebody leaves behind, besides words."""


async def everything(store: Store) -> dict[str, list[dict[str, Any]]]:
    """Every row of every table."""
    async with store.reading() as connection:
        return {
            table.name: [dict(row._mapping) for row in await connection.execute(select(table))]
            for table in metadata.sorted_tables
        }


def mentions(value: object, *words: str) -> bool:
    """Whether a row, or a value of it, has one of the words in it, however it is encoded."""
    text = value.decode("latin-1") if isinstance(value, bytes) else json.dumps(value, ensure_ascii=False, default=repr)
    return any(word.casefold() in text.casefold() for word in words)


def evening(url: str, work: Callable[[Store, Hub, str, str], Awaitable[None]]) -> None:
    async def run(store: Store) -> None:
        thinking = EnginePool(1)
        hub = Hub(store, thinking, pause=0)
        try:
            await work(store, hub, *await play_evening(store, hub))
        finally:
            await hub.close()
            await thinking.close()

    at(url, run)


def test_a_person_takes_everything_home(url: str) -> None:
    async def work(store: Store, hub: Hub, knister: str, callisto: str) -> None:
        export = json.loads(json.dumps(await export_person(store, ANA)))
        for table, rows in (await everything(store)).items():
            theirs = [row for row in rows if mentions({k: v for k, v in row.items() if k != "data"}, ANA)]
            assert len(export.get(table, [])) == len(theirs), table
        assert all(export[table] for table in ("people", "rooms", "events", "results", "ratings", "daily_sheets"))
        assert not mentions(export, BEA, "fortuna", "secret", "command-b-")
        assert mentions(export, ROSA)
        assert mentions(export, "suerte y alegría")
        assert export["people"][0]["name"] == NAME
        said = [row["data"]["text"] for row in export["events"] if row["kind"] == "said"]
        assert said == [f"{NAME} is here"]
        assert {row["room"] for row in export["events"]} == {knister, callisto}
        assert not any(rows for rows in (await export_person(store, "c" * 32)).values())

    evening(url, work)


def test_nothing_is_left_of_a_person_who_is_forgotten(url: str) -> None:
    async def work(store: Store, hub: Hub, knister: str, callisto: str) -> None:
        before = await everything(store)
        first, later, beas = WORDS
        for trace in (*TRACES, first, later):
            assert mentions(before, trace), trace
        await forget_person(store, ANA)
        after = await everything(store)
        for table, rows in after.items():
            for row in rows:
                assert not any(mentions(value, *TRACES, first, later) for value in row.values()), (table, row)
        assert mentions(after, beas, "command-b-", "Bea"), "others are still there"
        assert not any((await export_person(store, ANA)).values())
        theirs = [row for row in before["results"] if row["person"] == BEA]
        assert theirs == [row for row in after["results"] if row["person"] == BEA] != []
        assert all(len(before[table]) == len(after[table]) for table in ("rooms", "events", "promises", "results"))
        assert [row["person"] for row in after["ratings"]] == [BEA]
        assert [row["person"] for row in after["daily_sheets"]] == [BEA]
        assert (await person_statistics(store, BEA)).name == "Bea"

    evening(url, work)


def test_rooms_replay_and_records_verify_after_somebody_is_forgotten(url: str) -> None:
    async def work(store: Store, hub: Hub, knister: str, callisto: str) -> None:
        before = {id: Room.replay(id, await store.read_log(id)) for id in (knister, callisto)}
        await forget_person(store, ANA)
        for id, was in before.items():
            now = Room.replay(id, await store.read_log(id))
            assert now.version == was.version
            assert was.sitting is not None
            assert now.sitting is not None
            assert now.sitting.state == was.sitting.state
            assert now.results == was.results
            assert digests(now.words) == digests(was.words)
            assert [digests(promise.words) for promise in now.promises] == [
                digests(promise.words) for promise in was.promises
            ]
            assert not now.seats_of(ANA)
            assert now.seats_of(BEA) == was.seats_of(BEA)
        first, later, beas = WORDS
        assert before[knister].words == {0: later}
        record = await record_of(store, knister, 1)
        assert record.fair is not None
        assert record.fair.words == ((0, Digest.of(first)), (1, beas), (2, Digest.of(first)))
        assert "Bea" in record.names
        assert not {NAME, ROSA} & set(record.names)
        assert verify(record).fair is True
        written = record.dumps()
        assert f'{{"0": {{"sha256": "{Digest.of(first).sha256}"}}, "1": "{beas}", ' in written
        assert not mentions(written, *TRACES, first, later)
        assert loads(written) == record
        assert verify(loads(written)).fair is True

    evening(url, work)


def digests(words: Mapping[int, Words] | Sequence[Words]) -> dict[int, Digest]:
    """What counts of words, whether their author is known or not."""
    by_seat = words.items() if isinstance(words, Mapping) else enumerate(words)
    return {seat: Digest.of(said) if isinstance(said, str) else said for seat, said in by_seat}


def test_a_room_goes_on_after_somebody_is_forgotten(url: str) -> None:
    """Words that were added for the next game count in it, though nobody knows them any more."""

    async def work(store: Store, hub: Hub, knister: str, callisto: str) -> None:
        await forget_person(store, ANA)
        for id in (knister, callisto):
            hub.drop(id)
        opened = await hub.get(knister)
        assert opened is not None
        await do(opened, BEA, "start")
        _, later, _ = WORDS
        sitting = opened.room.sitting
        assert sitting is not None
        assert sitting.chance.words == ((0, Digest.of(later)),)
        known = opened.room.secret
        assert known is not None
        assert isinstance(sitting.chance, BoundChance)
        said = replace(sitting.chance, words=((0, later),))
        assert sitting.chance.ticket(0, 36) == said.ticket(0, 36)
        snapshot = json.loads(opened.audience.snapshot(BEA, opened.room))
        assert snapshot["room"]["promises"][0]["words"] == {"0": {"sha256": Digest.of(later).sha256}}
        assert not mentions(snapshot, *TRACES, *list(WORDS)[:2])

    evening(url, work)


def test_who_opened_a_room_stays_forgotten_whatever_was_on_its_way(url: str) -> None:
    """Something that is written by who had the room open before must not bring the host back."""

    async def work(store: Store, hub: Hub, knister: str, callisto: str) -> None:
        opened = hub.rooms[knister]
        await forget_person(store, ANA)
        await do(opened, BEA, "phrase", phrase="oops")
        assert not mentions([row["host"] for row in (await everything(store))["rooms"]], ANA)

    evening(url, work)


def test_everybody_at_the_table_gets_their_result_however_fast_they_leave(url: str) -> None:
    """The last move of a game, leaving, and a whole second game are written together."""

    async def work(store: Store) -> None:
        pool = EnginePool(1)
        hub = Hub(store, pool, pause=0)
        seats = [m.SeatPlan(kind="me"), m.SeatPlan(kind="open")]
        opened = await hub.create(m.NewRoom(game="knister", seats=seats, name=NAME), ANA)
        await do(opened, BEA, "sit", name="Bea")
        last = None
        while last is None:
            for seat, person in enumerate((ANA, BEA)):
                room = opened.room
                assert room.sitting is not None
                move = str(room.sitting.state.legal_moves(seat)[0])
                command = m.Move(type="move", id=f"c{next(NUMBERS)}", seat=seat, version=room.version, move=move)
                if room.handle(command, person, 1.0).successor.playing:
                    await opened.actor.do(command, person)
                else:
                    last = command
        rest: list[tuple[m.RoomCommand, str]] = [
            (last, BEA),
            (m.Start(type="start", id="again"), ANA),
            (m.Start(type="start", id="yes"), BEA),
            (m.Leave(type="leave", id="a", seat=0), ANA),
            (m.Leave(type="leave", id="b", seat=1), BEA),
        ]
        commits = store.commits
        await asyncio.gather(*(opened.actor.do(command, person) for command, person in rest))
        assert store.commits == commits + 1, "all together"
        assert len(opened.room.results) == 2, "who has left is moved for, to the end"
        rows = (await everything(store))["results"]
        assert sorted((row["number"], row["seat"], row["person"]) for row in rows if row["number"] == 1) == [
            (1, 0, ANA),
            (1, 1, BEA),
        ]
        assert [(row["number"], row["seat"], row["person"]) for row in rows if row["number"] == 2] == [
            (2, 0, None),
            (2, 1, None),
        ]
        await hub.close()
        await pool.close()

    at(url, work)
