"""Daily Knister: promised the day before, one try, nothing of the rolls to come."""

import asyncio
import datetime
import hashlib
import logging
from collections.abc import Awaitable, Callable, Sequence
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest
from sqlalchemy import Table, select

from server.clocks import FakeClock
from sobremesa.core.errors import IllegalMove, InvalidMove
from sobremesa.core.state import View
from sobremesa.engines import Budget, find_player
from sobremesa.engines.player import DEFAULT_BUDGET
from sobremesa.games import find_game
from sobremesa.games.knister.moves import WRITES
from sobremesa.games.knister.scoring import points
from sobremesa.games.knister.server import daily as days
from sobremesa.games.knister.server.daily import Daily, DailyStatus
from sobremesa.rooms.errors import Refusal
from sobremesa.server.database import dailies, daily_sheets, daily_tombstones, events, metadata, people
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.storage import Store, forget_person
from sobremesa.table.fair import FairChance
from sobremesa.table.sitting import Sitting

pytest_plugins = ["server.postgres"]
MONDAY = datetime.date(2026, 3, 2)
NOON = datetime.datetime(2026, 3, 2, 12, tzinfo=datetime.UTC).timestamp()
CELLS = [str(write) for write in WRITES]


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """The network at a glance stands in for the champion, who takes his time."""
    monkeypatch.setattr(days, "STRONGEST", "net")


class Thinker(EnginePool):
    """Thinks on the spot, and remembers what it was asked."""

    def __init__(self) -> None:
        super().__init__(1)
        self.asked: list[Any] = []
        self.broken = False

    async def choose(
        self,
        room: str,
        game: str,
        player: str,
        view: Any,
        seed: int | None = None,
        past: Sequence[View[Any]] = (),
        budget: Budget = DEFAULT_BUDGET,
        *more: Any,
        **options: Any,
    ) -> str:
        await asyncio.sleep(0)
        self.asked.append(view)
        if self.broken:
            raise RuntimeError("no idea")
        return str(find_player(player, find_game(game), Random(seed)).think(view, past, budget).move)


class Site:
    """A database with some processes on it."""

    def __init__(self, url: str, processes: int) -> None:
        self.clock, self.thinker = FakeClock(NOON), Thinker()
        self.stores = [Store(url) for _ in range(processes)]
        self.dailies = [Daily(store, self.thinker, self.clock) for store in self.stores]
        self.store, self.daily = self.stores[0], self.dailies[0]

    async def promise(self, secret: bytes, date: datetime.date = MONDAY) -> None:
        """Fixes the secret of a day."""
        await self.store.put(dailies, ["date"], {"date": str(date), "secret": secret})

    async def fill(self, person: str, cells: list[str] = CELLS, strict: bool = False) -> DailyStatus:
        """A sheet on which these cells are written, the last one of them now; ``strict`` asks who may be ranked."""
        if not cells:
            return await self.daily.status(person)
        await self.daily.promise_ahead()
        row = {"date": str(self.clock.today()), "person": person, "name": person.title(), "cells": " ".join(cells[:-1])}
        row["league"] = await self.daily._league(person, self.clock.today()) if strict else "ranked"
        await self.store.put(daily_sheets, ["date", "person"], row | {"points": None, "at": 1.0})
        return await self.daily.write(person, person.title(), len(cells) - 1, cells[-1])

    async def sheets(self) -> dict[str, str]:
        """What is stored, by person."""
        async with self.store.reading() as connection:
            return {row.person: row.cells for row in await connection.execute(select(daily_sheets))}


@pytest.fixture(params=["sqlite", "postgresql"])
def url(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    if request.param == "sqlite":
        return f"sqlite:///{tmp_path / 'daily.db'}"
    return str(request.getfixturevalue("postgres_url"))


def at(url: str, play: Callable[[Site], Awaitable[None]], processes: int = 1) -> None:
    async def run() -> None:
        site = Site(url, processes)
        async with site.store.engine.begin() as connection:
            await connection.run_sync(metadata.create_all)
        try:
            await play(site)
        finally:
            for store in site.stores:
                await store.close()

    asyncio.run(run())


def refusal(reason: str) -> Any:
    return pytest.raises(Refusal, check=lambda error: error.reason == reason)


def rolls_of(secret: bytes) -> list[int]:
    """As the record of a game would have them."""
    game = Sitting.start(find_game("knister"), {"seats": 1}, FairChance(secret))
    rolls = []
    for cell in CELLS:
        rolls.append(game.bound())
        game = game.roll()
        game = game.play(game.state.parse_move(cell, 0), 0)
    return rolls


def test_the_rolls_are_those_that_were_promised_the_day_before(url: str) -> None:
    async def play(site: Site) -> None:
        promised = (await site.daily.status("ana")).tomorrow
        site.clock.turn()
        seen = []
        for round, cell in enumerate(CELLS):
            status = await site.daily.status("ana")
            assert status.commitment == promised
            assert status.round == round
            seen.append(status.roll)
            await site.daily.write("ana", "Ana", round, cell)
        tuesday = site.clock.turn()
        proof = await site.daily.proof(tuesday)
        assert hashlib.sha256(bytes.fromhex(proof.secret)).hexdigest() == proof.commitment == promised
        assert proof.rolls == seen == rolls_of(bytes.fromhex(proof.secret))

    at(url, play)


def test_of_two_processes_one_makes_the_promise(url: str) -> None:
    async def play(site: Site) -> None:
        await asyncio.gather(*(daily.promise_ahead() for daily in site.dailies))
        one, two, three = [await daily.status("ana") for daily in site.dailies]
        assert one == two == three
        assert one.commitment != one.tomorrow
        site.clock.turn()
        assert (await site.dailies[2].status("ana")).commitment == one.tomorrow

    at(url, play, processes=3)


def test_a_sheet_is_filled_number_by_number(url: str) -> None:
    async def play(site: Site) -> None:
        secret = FairChance.from_seed("full").secret
        await site.promise(secret)
        first = await site.daily.status("ana")
        assert (first.round, first.roll, first.sheet) == (0, rolls_of(secret)[0], [0] * 25)
        assert (first.points, first.finished, first.name) == (0, False, None)
        second = await site.daily.write("ana", " Ana ", 0, "C3")
        assert (second.round, second.roll, second.name) == (1, rolls_of(secret)[1], "Ana")
        assert second.sheet == [0] * 12 + [first.roll] + [0] * 12
        last = second
        for round, cell in enumerate((cell for cell in CELLS if cell != "c3"), start=1):
            last = await site.daily.write("ana", "Ana", round, cell)
            assert last.points == points(bytes(last.sheet))
        assert (last.round, last.roll, last.finished) == (25, None, True)
        assert sorted(last.sheet) == sorted(rolls_of(secret))
        with pytest.raises(IllegalMove):
            await site.daily.write("ana", "Ana", 25, "a1")
        assert await site.daily.status("ana") == last

    at(url, play)


def two_that_begin_alike(length: int) -> tuple[bytes, bytes]:
    """Secrets whose first rolls are the same, and the next one is not."""
    known: dict[tuple[int, ...], bytes] = {}
    for seed in count():
        secret = FairChance.from_seed(str(seed)).secret
        rolls = tuple(rolls_of(secret))
        other = known.setdefault(rolls[:length], secret)
        if rolls_of(other)[length] != rolls[length]:
            return other, secret
    raise AssertionError


def test_a_status_tells_nothing_of_the_rolls_to_come(url: str) -> None:
    async def play(site: Site) -> None:
        told: list[list[dict[str, Any]]] = []
        for person, secret in zip(("ana", "bea"), two_that_begin_alike(4), strict=True):
            await site.promise(secret)
            statuses = [await site.daily.status(person)]
            statuses += [await site.daily.write(person, "Ana", round, CELLS[round * 6]) for round in range(4)]
            for status in statuses:
                assert status.commitment == FairChance(secret).commitment
                assert secret.hex() not in status.model_dump_json()
            told.append([status.model_dump(exclude={"commitment"}) for status in statuses])
        one, other = told
        assert one[:4] == other[:4]
        assert one[4] != other[4]  # the roll that differs lies on the table now, not before

    at(url, play)


def test_who_has_not_finished_learns_no_more_elsewhere(url: str) -> None:
    async def play(site: Site) -> None:
        await site.fill("bea")
        await site.fill("ana", CELLS[:24])
        for person in ("ana", "bea"):  # bea could tell ana what the computer does with the rolls to come
            with refusal("early"):
                await site.daily.review(person)
        with refusal("early"):
            await site.daily.review("ana", str(MONDAY))
        with refusal("early"):
            await site.daily.review("ana", str(MONDAY + datetime.timedelta(days=1)))
        for day in (MONDAY, MONDAY + datetime.timedelta(days=1)):
            with refusal("early"):
                await site.daily.proof(str(day))
        assert not site.thinker.asked

    at(url, play)


def test_a_message_sent_twice_does_nothing_twice(url: str) -> None:
    async def play(site: Site) -> None:
        once = await site.daily.write("ana", "Ana", 0, "b2")
        assert await site.daily.write("ana", "Another", 0, "b2") == once
        later = await site.daily.write("ana", "Ana", 1, "c2")
        assert await site.daily.write("ana", "Ana", 0, "b2") == later
        for round, cell in ((0, "c3"), (1, "c3"), (3, "c3"), (-1, "c2"), (-2, "b2"), (-1, "c3"), (25, "c3")):
            with refusal("stale"):
                await site.daily.write("ana", "Ana", round, cell)
        assert await site.sheets() == {"ana": "b2 c2"}

    at(url, play)


def test_what_cannot_be_written_changes_nothing(url: str) -> None:
    async def play(site: Site) -> None:
        before = await site.fill("ana", ["a1", "c3"])
        with pytest.raises(IllegalMove, match="K1: that cell is taken"):
            await site.daily.write("ana", "Ana", 2, "c3")
        for cell in ("f1", "a6", "", "a1 b1", "3c"):
            with pytest.raises(InvalidMove):
                await site.daily.write("ana", "Ana", 2, cell)
        for name in ("", "  ", "x" * 61, "a\nb", "\u202eana"):
            with refusal("malformed"):
                await site.daily.write("ana", name, 2, "b1")
        assert await site.daily.status("ana") == before
        assert (await site.daily.write("ana", "x" * before.longest_name, 2, "b1")).round == 3

    at(url, play)


class Together(Daily):
    """Has read the sheet, and waits until the others have, too."""

    meeting: asyncio.Barrier | None = None

    async def _row(self, table: Table, **key: str) -> Any:
        row = await super()._row(table, **key)
        if table is daily_sheets and self.meeting is not None:
            meeting, self.meeting = self.meeting, None
            await meeting.wait()
        return row


@pytest.mark.parametrize("written", [0, 1, 23])
@pytest.mark.parametrize("cells", [("e5", "e5"), ("e5", "d5")])
def test_two_write_the_same_round_at_once(url: str, written: int, cells: tuple[str, str]) -> None:
    async def play(site: Site) -> None:
        await site.fill("ana", CELLS[:written])
        meeting = asyncio.Barrier(2)
        twins = [Together(store, site.thinker, site.clock) for store in site.stores]
        for twin in twins:
            twin.meeting = meeting
        answers = await asyncio.gather(
            *(twin.write("ana", "Ana", written, cell) for twin, cell in zip(twins, cells, strict=True)),
            return_exceptions=True,
        )
        now = await site.daily.status("ana")
        assert now.round == written + 1
        done = [answer for answer in answers if answer == now]
        refused = [answer for answer in answers if isinstance(answer, Refusal)]
        if cells[0] == cells[1]:
            assert len(done) == 2
        else:
            assert [error.reason for error in refused] == ["stale"]
            assert len(done) == 1
            kept = cells[answers.index(now)]
            assert (await site.sheets())["ana"].split() == [*CELLS[:written], kept]

    at(url, play, processes=2)


def test_equal_points_share_the_place_and_everybody_finds_themselves(url: str) -> None:
    async def play(site: Site) -> None:
        totals = {"ana": 50, "bea": 70, "cai": 50, "dov": 40, "eva": 70, "fay": 30, "gus": None}
        for date, person, total in [*((str(MONDAY), *row) for row in totals.items()), ("2026-03-01", "hal", 99)]:
            row = {"date": date, "person": person, "name": person.title(), "cells": "", "points": total, "at": 1.0}
            await site.store.put(daily_sheets, ["date", "person"], row)
        ranking = await site.daily.ranking(None, "dov")
        assert ranking.finished == 6
        assert [(row.place, row.name, row.points) for row in ranking.rows] == [
            (1, "Bea", 70),
            (1, "Eva", 70),
            (3, "Ana", 50),
            (3, "Cai", 50),
            (5, "Dov", 40),
            (6, "Fay", 30),
        ]
        assert [row.name for row in ranking.rows if row.yours] == ["Dov"]
        short = await site.daily.ranking(str(MONDAY), "cai", top=3)
        assert [(row.place, row.name, row.yours) for row in short.rows] == [
            (1, "Bea", False),
            (1, "Eva", False),
            (3, "Ana", False),
            (3, "Cai", True),
        ]
        assert len((await site.daily.ranking(None, "gus", top=2)).rows) == 2
        assert [row.points for row in (await site.daily.ranking("2026-03-01", "ana")).rows] == [99]
        with refusal("early"):
            await site.daily.ranking("2026-03-03", "ana")

    at(url, play)


def test_a_full_sheet_enters_the_ranking(url: str) -> None:
    async def play(site: Site) -> None:
        await site.fill("ana", CELLS[:24])
        assert (await site.daily.ranking(None, "ana")).rows == []
        status = await site.daily.write("ana", "Ana", 24, CELLS[24])
        ranking = await site.daily.ranking(None, "ana")
        [row] = ranking.rows
        assert (ranking.finished, ranking.finished_for_fun, ranking.for_fun) == (1, 0, [])
        assert (row.place, row.name, row.points, row.yours) == (1, "Ana", status.points, True)

    at(url, play)


def test_midnight_ends_a_sheet(url: str) -> None:
    async def play(site: Site) -> None:
        before = await site.fill("ana", CELLS[:10])
        monday = site.clock.turn()
        after = await site.daily.status("ana")
        assert (after.date, after.round, after.commitment) == ("2026-03-03", 0, before.tomorrow)
        for round in (0, 10):
            with refusal("late"):
                await site.daily.write("ana", "Ana", round, CELLS[10], date=monday)
        with refusal("stale"):
            await site.daily.write("ana", "Ana", 10, CELLS[10])
        assert (await site.daily.ranking(monday, "ana")).rows == []
        review = await site.daily.review("ana", monday)
        assert (review.finished, review.points) == (False, before.points)
        assert [line.cell for line in review.rounds] == CELLS[:10] + [None] * 15
        assert [line.points is None for line in review.rounds] == [False] * 10 + [True] * 15
        assert (await site.daily.write("ana", "Ana", 0, "a1", date=after.date)).round == 1

    at(url, play)


def test_the_review_compares_with_the_strongest_player(url: str) -> None:
    async def play(site: Site) -> None:
        status = await site.fill("ana")
        await site.fill("bea", CELLS[::-1])
        monday = site.clock.turn()
        review, other = await asyncio.gather(*(site.daily.review(person, monday) for person in ("ana", "bea")))
        assert len(site.thinker.asked) == 25, "one game for everybody"
        assert (review.engine, review.finished) == (days.STRONGEST, True)
        assert [line.cell for line in review.rounds] == CELLS
        assert review.points == review.rounds[-1].points == status.points
        assert [line.engine_cell for line in review.rounds] == [line.engine_cell for line in other.rounds]
        assert [line.cell for line in other.rounds] == CELLS[::-1]
        rolls = [line.roll for line in review.rounds]
        for round, view in enumerate(site.thinker.asked):
            assert (view.roll, sorted(filter(None, view.sheet))) == (rolls[round], sorted(rolls[:round]))
        sheet = {line.engine_cell: line.roll for line in review.rounds}
        assert review.engine_points == review.rounds[-1].engine_points == points(bytes(sheet[cell] for cell in CELLS))
        again = Daily(site.store, Thinker(), site.clock)
        assert await again.review("ana", monday) == review, "the same in another process"
        assert FairChance(bytes.fromhex(review.secret)).commitment == review.commitment == status.commitment
        assert (await site.daily.review("a stranger", monday)).points == 0
        assert len(site.thinker.asked) == 25

    at(url, play)


def test_a_player_that_failed_is_asked_again(url: str) -> None:
    async def play(site: Site) -> None:
        await site.fill("ana")
        monday = site.clock.turn()
        site.thinker.broken = True
        with pytest.raises(RuntimeError):
            await site.daily.review("ana", monday)
        site.thinker.broken = False
        assert len((await site.daily.review("ana", monday)).rounds) == 25

    at(url, play)


def test_the_strongest_player_thinks_in_the_pool(url: str) -> None:
    async def play(site: Site) -> None:
        await site.fill("ana")
        monday = site.clock.turn()
        pool = EnginePool(1)
        try:
            review = await Daily(site.store, pool, site.clock).review("ana", monday)
        finally:
            await pool.close()
        assert pool.done == 25
        assert review == await site.daily.review("ana", monday)

    at(url, play)


def test_one_try_stays_one(url: str) -> None:
    async def play(site: Site) -> None:
        await site.fill("ana", CELLS[:25])
        await site.daily.status("bea")  # has looked, and written nothing
        for person in ("ana", "bea", "cai"):
            await site.daily.forget(person)
            await forget_person(site.store, person)
        for daily in site.dailies:
            with refusal("late"):
                await daily.write("ana", "Somebody else", 0, "a1")
        async with site.store.reading() as connection:
            stones = (await connection.execute(select(daily_tombstones))).all()
        assert [len(stone.id) for stone in stones] == [64], "who it was cannot be told from it"
        assert "ana" not in str(stones)
        assert (await site.daily.write("bea", "Bea", 0, "a1")).round == 1
        site.clock.turn()
        await site.daily.tidy()
        assert (await site.daily.write("ana", "Ana", 0, "a1")).round == 1, "a new day is a new try"
        async with site.store.reading() as connection:
            assert (await connection.execute(select(daily_tombstones))).all() == []

    at(url, play, processes=2)


def test_who_is_new_plays_for_fun(url: str) -> None:
    """A browser without a past costs nothing: whoever wants another try would take one."""

    async def play(site: Site) -> None:
        start = datetime.datetime(2026, 3, 2, tzinfo=datetime.UTC).timestamp()
        names = {"ana": start - 1, "bea": start + 1}
        for person, at in names.items():
            await site.store.put(people, ["id"], {"id": person, "name": person.title(), "created_at": at})
        event = {"room": "r", "kind": "seated", "data": "{}", "command": None}
        for version, (person, at) in enumerate({"cai": start - 9, "dov": start + 9}.items()):
            await site.store.put(events, ["room", "version"], event | {"version": version, "person": person, "at": at})
        everybody = ("ana", "bea", "cai", "dov", "eva")
        leagues = {person: (await site.fill(person, strict=True)).league for person in everybody}
        assert leagues == {"ana": "ranked", "bea": "fun", "cai": "ranked", "dov": "fun", "eva": "fun"}
        ranking = await site.daily.ranking(None, "eva")
        assert sorted(row.name for row in ranking.rows) == ["Ana", "Cai"]
        assert sorted(row.name for row in ranking.for_fun) == ["Bea", "Dov", "Eva"]
        assert (ranking.finished, ranking.finished_for_fun) == (2, 3)
        assert [row.name for row in ranking.for_fun if row.yours] == ["Eva"]
        site.clock.turn()
        assert (await site.fill("eva", strict=True)).league == "ranked", "who comes back is known"

    at(url, play)


def test_days_that_are_over_are_played_for_oneself(url: str) -> None:
    async def play(site: Site) -> None:
        full = await site.fill("ana")
        await site.daily.write("bea", "Bea", 0, "a1")
        monday = site.clock.turn()
        before = await site.daily.ranking(monday, "bea")
        status = await site.daily.status("bea", date=monday)
        assert (status.date, status.round, status.tomorrow) == (monday, 1, None)
        with refusal("late"):
            await site.daily.write("bea", "Bea", 1, "b1", date=monday)
        for round, cell in enumerate(CELLS[1:], start=1):
            status = await site.daily.write("bea", "Bea", round, cell, date=monday, late=True)
        assert (status.finished, status.points, status.league, status.streak) == (True, full.points, "late", 0)
        for round, cell in enumerate(CELLS):
            status = await site.daily.write("cai", "Cai", round, cell, date=monday, late=True)
        assert (status.finished, status.league) == (True, "late")
        after = await site.daily.ranking(monday, "bea")
        assert after == before, "neither counts"
        assert (await site.daily.review("cai", monday)).points == full.points
        with refusal("early"):
            await site.daily.write("cai", "Cai", 0, "a1", date="2026-03-04", late=True)
        with refusal("unknown"):
            await site.daily.write("cai", "Cai", 0, "a1", date="2026-01-01", late=True)
        archive = await site.daily.archive("bea")
        assert [(day.date, day.points, day.league) for day in archive.days] == [(monday, full.points, "late")]
        assert archive.earlier is None

    at(url, play)


def test_the_archive_goes_back_day_by_day(url: str) -> None:
    async def play(site: Site) -> None:
        for _ in range(days.DAYS_ON_A_PAGE + 5):
            await site.daily.promise_ahead()
            site.clock.turn()
        await site.store.put(
            daily_sheets,
            ["date", "person"],
            {"date": str(MONDAY), "person": "ana", "name": "Ana", "cells": "a1", "points": 44, "at": 1.0},
        )
        first = await site.daily.archive("bea")
        assert (len(first.days), first.days[0].date) == (
            days.DAYS_ON_A_PAGE,
            str(site.clock.today() - datetime.timedelta(1)),
        )
        rest = await site.daily.archive("bea", first.earlier)
        assert (len(rest.days), rest.earlier) == (5, None)
        last = rest.days[-1]
        assert (last.date, last.best, last.finished, last.round, last.points) == (str(MONDAY), 44, 1, 0, None)

    at(url, play)


def test_days_in_a_row_are_counted(url: str) -> None:
    async def play(site: Site) -> None:
        for streak in (1, 2, 3):
            assert (await site.daily.status("ana")).streak == streak - 1, "today's may still come"
            status = await site.fill("ana")
            assert (status.streak, status.longest_streak) == (streak, streak)
            site.clock.turn()
        site.clock.turn()
        status = await site.daily.status("ana")
        assert (status.streak, status.longest_streak) == (0, 3)
        assert ((await site.fill("ana")).streak, (await site.fill("ana", CELLS[::-1])).longest_streak) == (1, 3)

    at(url, play)


def test_days_that_are_none(url: str) -> None:
    async def play(site: Site) -> None:
        await site.daily.promise_ahead()
        for date in ("", "yesterday", "20260301", "2026-W09-1", "2026-02-30", "2026-3-1", "0" * 5000):
            with refusal("malformed"):
                await site.daily.proof(date)
            with refusal("malformed"):
                await site.daily.ranking(date, "ana")
            with refusal("malformed"):
                await site.daily.review("ana", date)
            with refusal("malformed"):
                await site.daily.status("ana", date=date)
            with refusal("malformed"):
                await site.daily.archive("ana", date)
        for answer in (site.daily.proof("2025-01-01"), site.daily.review("ana", "2025-01-01")):
            with refusal("unknown"):
                await answer

    at(url, play)


# -- clocks that were ahead -------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", ["proof", "review", "look", "write"])
def test_what_a_clock_that_was_ahead_told_too_early_counts_no_more(
    url: str, way: str, caplog: pytest.LogCaptureFixture
) -> None:
    """One of two processes was started while its machine's clock was a day ahead."""
    caplog.set_level(logging.WARNING, "sobremesa.daily")

    async def play(site: Site) -> None:
        right = site.daily
        ahead = Daily(site.stores[1], site.thinker, FakeClock(NOON + 86_400))
        monday = str(MONDAY)
        await site.fill("ana", strict=True)
        await site.fill("bea", CELLS[:3], strict=True)
        await ahead.status("zoe")
        await ahead.ranking(monday, "zoe")
        await ahead.archive("zoe")
        assert (await right.status("cy")).league == "fun", "nothing of Monday's rolls was told so far"
        match way:
            case "proof":
                await ahead.proof(monday)
            case "review":
                await ahead.review("zoe", monday)
            case "look":
                await ahead.status("zoe", date=monday)
            case "write":
                await ahead.write("zoe", "Zoe", 0, "a1", monday, late=True)
        for person in ("bea", "cy"):
            assert (await right.status(person)).league == "late"
        await right.write("bea", "Bea", 3, CELLS[3], monday)
        begun = await right.write("cy", "Cy", 0, "a1", monday)
        assert (begun.league, begun.tomorrow is None) == ("late", False), "it can be played, for oneself alone"
        assert (await right.status("ana")).league == "fun", "who had finished before, had finished"
        assert (await right.ranking(monday, "ana")).finished_for_fun == 1
        assert [record.message for record in caplog.records if record.name == "sobremesa.daily"] == [
            "the rolls of 2026-03-02 were told before that day was over: nothing counts on it any more"
        ]
        site.clock.turn()
        assert (await right.status("cy")).league == "ranked", "the next day is a day like any other"

    at(url, play, processes=2)
