"""Daily Knister: the same 25 rolls for everybody, promised the day before; one try each, a ranking, a review.

A sheet is stored as the cells that were written, in order; rolls and points follow from the day's secret. Days that
are over can be played later, and looked at: that counts for nothing. Which day it is, the machine's clock says, as it
was when the server started. If it was ahead, a day's rolls may have been told too early: nothing counts that is written
on such a day from then on.
"""

import asyncio
import datetime
import hashlib
import logging
import secrets
from collections.abc import Iterable
from typing import Any, Literal

from sqlalchemy import Table, and_, delete, exists, func, or_, select, update

from sobremesa.core.result import places
from sobremesa.engines.levels import player_names
from sobremesa.games.knister import GAME
from sobremesa.games.knister.moves import WRITES, parse_move
from sobremesa.games.knister.scoring import CELLS
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.messages import Message
from sobremesa.rooms.names import check_name, reserved
from sobremesa.server.clock import Clock
from sobremesa.server.database import dailies, daily_sheets, daily_tombstones, events, people
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.storage import Store
from sobremesa.table.fair import FairChance
from sobremesa.table.record import MAX_NAME_LENGTH, is_line
from sobremesa.table.sitting import Sitting

log = logging.getLogger("sobremesa.daily")
STRONGEST = "champion"
"""The computer player that everybody is compared with. It watches no clock: in every process it plays the same."""
DAY = datetime.timedelta(days=1)
DAYS_ON_A_PAGE = 30
"""Days that the archive tells at once."""
League = Literal["ranked", "fun", "late"]
"""Where a sheet counts: in the ranking, beside it (the house has not known its author before that day), or nowhere,
since it was written when the day was over.
"""
RESERVED = reserved(player_names())
"""What nobody's name may look like."""


class DailyStatus(Message):
    """Where a person stands today. Of rolls to come there are only the promises, which hide them."""

    date: str
    """The day, as in 2026-11-16."""
    commitment: str
    """The SHA-256 of today's secret, published yesterday."""
    tomorrow: str | None
    """The same of tomorrow's; None on a day that is over."""
    round: int
    """How many numbers are written."""
    roll: int | None
    """The number to write now; None when the sheet is full."""
    sheet: list[int]
    """Row by row from a1, b1 to e5; 0 is a free cell."""
    points: int
    """What the sheet is worth as it is."""
    finished: bool
    """Whether it is full."""
    name: str | None
    """The person's name in the ranking: the one that came with the last number."""
    league: League
    """Where the sheet counts, or would, if it were begun or gone on with now."""
    streak: int
    """On how many days in a row the person has filled a sheet: up to today, or to yesterday while today's is open."""
    longest_streak: int
    """The most days in a row that it ever was."""
    longest_name: int = MAX_NAME_LENGTH
    """The most characters that a name may have."""


class DailyRow(Message):
    """A full sheet in the ranking; equal points share the place."""

    place: int
    """From 1; equal points share the place."""
    name: str
    """What the person is called."""
    points: int
    """What the sheet is worth."""
    yours: bool
    """Whether it is the sheet of who asks."""


class DailyRanking(Message):
    """The best sheets of a day, and one's own; ``finished`` counts all that are full.

    Who was not known here before that day is ranked beside it, for fun: a browser without a past costs nothing.
    """

    date: str
    """The day, as in 2026-11-16."""
    finished: int
    """How many full sheets count."""
    rows: list[DailyRow]
    """The best of those that count, and one's own."""
    finished_for_fun: int
    """How many full sheets of people there are who were not known before."""
    for_fun: list[DailyRow]
    """The best of those, and one's own."""


class DailyDay(Message):
    """A day of the archive, and what the person has of it."""

    date: str
    """The day, as in 2026-11-16."""
    best: int | None
    """The most points in the ranking."""
    finished: int
    """How many full sheets count."""
    round: int
    """How many numbers the person has written."""
    points: int | None
    """Of the person's sheet, once it is full."""
    league: League | None
    """Where the person's sheet counts; None if they have none."""


class DailyArchive(Message):
    """Days that are over, the latest first."""

    days: list[DailyDay]
    """One for each day, the latest first."""
    earlier: str | None
    """The day before which to ask for more; None if there are none."""


class DailyRound(Message):
    """One roll and where it went; points are those after it. Not told: what a person did not get to."""

    roll: int
    """The number that was to be written."""
    cell: str | None
    """Where the person wrote it; None for a round that they did not get to."""
    points: int | None
    """What their sheet was worth then."""
    engine_cell: str
    """Where the computer player wrote it."""
    engine_points: int
    """What its sheet was worth then."""


class DailyReview(Message):
    """A person's sheet beside the strongest computer player's, which had the same rolls and foresaw none."""

    date: str
    """The day, as in 2026-11-16."""
    engine: str
    """The computer player's id."""
    rounds: list[DailyRound]
    """All rounds of the day, in order."""
    points: int
    """What the person's sheet is worth."""
    engine_points: int
    """What the computer player's is worth."""
    finished: bool
    """Whether the person's sheet is full."""
    commitment: str
    """The SHA-256 of the day's secret, published the day before."""
    secret: str
    """What the rolls follow from."""


class DailyProof(Message):
    """Shows that a day's rolls were fixed beforehand: they follow from the secret (FairChance, without words)."""

    date: str
    """The day, as in 2026-11-16."""
    commitment: str
    """The SHA-256 of the secret, published the day before."""
    secret: str
    """What the rolls follow from."""
    rolls: list[int]
    """The day's rolls, in order."""


class Daily:
    """The days of this site; a day is told like 2025-12-31."""

    def __init__(self, store: Store, pool: EnginePool, clock: Clock) -> None:
        self._store, self._pool, self._clock = store, pool, clock
        self._today = clock.today
        self._promised: datetime.date | None = None
        self._revealed: set[str] = set()
        """Days that are known to be revealed."""
        self._engine_games: dict[str, asyncio.Task[list[str]]] = {}

    async def promise_ahead(self, today: datetime.date | None = None) -> None:
        """Makes sure that today and tomorrow have a secret; of several processes the first to write makes it."""
        today = today or self._today()
        if self._promised != today:
            for day in (today, today + DAY):
                new = {"date": str(day), "secret": secrets.token_bytes(32)}
                await self._store.add_if_missing(dailies, ["date"], new)
            self._promised = today

    async def tidy(self) -> None:
        """Promises tomorrow before it comes, and clears away who has had their try on a day that is over."""
        await self.promise_ahead()
        async with self._store.writing() as connection:
            over = daily_tombstones.c.date < str(self._today())
            await connection.execute(delete(daily_tombstones).where(over))

    async def forget(self, person: str) -> None:
        """Who has begun today has had their try, also when nobody knows any more who it was."""
        today = str(self._today())
        if (row := await self._row(daily_sheets, date=today, person=person)) is not None and row.cells:
            stone = {"date": today, "id": _tombstone(today, person)}
            await self._store.add_if_missing(daily_tombstones, ["date", "id"], stone)

    async def status(self, person: str, today: datetime.date | None = None, date: str | None = None) -> DailyStatus:
        """Where the person stands today, or on a day that is over; asking turns up the first roll."""
        today = today or self._today()
        await self.promise_ahead(today)
        if date is not None:
            today = min(today, datetime.date.fromisoformat(self._begun(date)))
        current = today == self._today()
        secret = await (self._secret if current else self._reveal)(str(today))
        row = await self._row(daily_sheets, date=str(today), person=person)
        # Who goes on with a sheet when the day is over has it counted no more.
        begins = row is None or (row.points is None and await self._is_over(today))
        running, longest = streaks(await self._full_days(person), self._today())
        game, _, points = _follow(secret, _cells(row))
        view = game.state.view(0).as_dict()
        return DailyStatus(
            date=str(today),
            commitment=FairChance(secret).commitment,
            tomorrow=FairChance(await self._secret(str(today + DAY))).commitment if current else None,
            round=view["rounds"],
            roll=view["roll"],
            sheet=view["sheet"],
            points=points[-1] if points else 0,
            finished=view["over"],
            name=row.name if row else None,
            league=await self._league(person, today) if begins else row.league,
            streak=running,
            longest_streak=longest,
        )

    async def write(
        self, person: str, name: str, round: int, cell: str, date: str | None = None, late: bool = False
    ) -> DailyStatus:
        """Writes the roll of a round, counted from 0; sent twice it does nothing twice. ``date``: the day meant.

        With ``late`` it may be a day that is over; a sheet on which anything was written so counts for nothing.
        """
        today = self._today()
        if date is not None and date != str(today):
            if not late:
                raise Refusal("late", "knister.error.that-day-is-over")
            today = datetime.date.fromisoformat(self._begun(date))
        if not (0 < len(name := name.strip()) <= MAX_NAME_LENGTH and is_line(name)):
            raise Refusal("malformed", "knister.error.a-name-has-1-to-characters", most=MAX_NAME_LENGTH)
        check_name(name, RESERVED)
        move = str(parse_move(cell))
        await self.promise_ahead()
        secret = await (self._secret if today == self._today() else self._reveal)(str(today))
        while True:
            old = await self._row(daily_sheets, date=str(today), person=person)
            cells = _cells(old)
            if 0 <= round < len(cells) and cells[round] == move:
                break
            if round != len(cells):
                raise Refusal("stale", "knister.error.your-sheet-holds-numbers", count=len(cells))
            game, _, points = _follow(secret, [*cells, move])
            sheet = {"cells": " ".join([*cells, move]), "points": points[-1] if game.state.over else None}
            new = {"date": str(today), "person": person, "name": name, "at": self._clock.time()} | sheet
            if old is None and await self._row(daily_tombstones, date=str(today), id=_tombstone(str(today), person)):
                raise Refusal("late", "knister.error.you-have-had-your-try-today")
            if old is None or await self._is_over(today):
                new["league"] = await self._league(person, today)
            # If another message was first, look again: it may have been this very one, sent twice.
            if await self._put(old, new):
                break
        return await self.status(person, date=str(today))

    async def ranking(self, date: str | None, person: str, top: int = 20) -> DailyRanking:
        """The best full sheets of a day, and the person's own."""
        date = self._begun(date)
        rows, finished = await self._ranked(date, "ranked", person, top)
        for_fun, finished_for_fun = await self._ranked(date, "fun", person, top)
        return DailyRanking(date=date, finished=finished, rows=rows, finished_for_fun=finished_for_fun, for_fun=for_fun)

    async def _ranked(self, date: str, league: League, person: str, top: int) -> tuple[list[DailyRow], int]:
        column = daily_sheets.c
        full = select(daily_sheets).where(column.date == date, column.points.is_not(None), column.league == league)
        count = full.with_only_columns(func.count())
        best = full.order_by(column.points.desc(), column.at, column.person).limit(top)
        async with self._store.reading() as connection:
            rows = (await connection.execute(best)).all()
            ranked = list(zip(places([-row.points for row in rows]), rows, strict=True))
            mine = (await connection.execute(full.where(column.person == person))).first()
            if mine is not None and all(row.person != person for row in rows):
                better = (await connection.execute(count.where(column.points > mine.points))).scalar_one()
                ranked.append((better + 1, mine))
            finished = (await connection.execute(count)).scalar_one()
        shown = [DailyRow(place=at, name=row.name, points=row.points, yours=row.person == person) for at, row in ranked]
        return shown, finished

    async def archive(self, person: str, before: str | None = None) -> DailyArchive:
        """Days that are over, the latest first, and how the person did."""
        before = self._begun(before)
        sheet, own = daily_sheets.alias(), daily_sheets.alias()
        mine = (own.c.cells, own.c.points, own.c.league)
        counts = and_(sheet.c.date == dailies.c.date, sheet.c.points.is_not(None), sheet.c.league == "ranked")
        query = (
            select(
                dailies.c.date,
                func.max(sheet.c.points),
                func.count(sheet.c.person),
                own.c.cells,
                own.c.points,
                own.c.league,
            )
            .outerjoin(sheet, counts)
            .outerjoin(own, and_(own.c.date == dailies.c.date, own.c.person == person))
            .where(dailies.c.date < before)
            .group_by(dailies.c.date, *mine)
            .order_by(dailies.c.date.desc())
            .limit(DAYS_ON_A_PAGE + 1)
        )
        async with self._store.reading() as connection:
            rows = (await connection.execute(query)).all()
        days = [
            DailyDay(
                date=date, best=best, finished=full, round=len((cells or "").split()), points=points, league=league
            )
            for date, best, full, cells, points, league in rows[:DAYS_ON_A_PAGE]
        ]
        return DailyArchive(days=days, earlier=days[-1].date if len(rows) > DAYS_ON_A_PAGE else None)

    async def review(self, person: str, date: str | None = None) -> DailyReview:
        """A person's sheet beside the computer's, once the day is over: before, it would help who is still to play."""
        date = self._begun(date)
        if date == str(self._today()):
            raise Refusal("early", "knister.error.the-comparison-comes-when-the-day-is-over")
        cells = _cells(await self._row(daily_sheets, date=date, person=person))
        secret = await self._reveal(date)
        theirs = await self._engine_game(date, secret)
        _, rolls, their_points = _follow(secret, theirs)
        own_points = _follow(secret, cells)[2]
        blank = [None] * (CELLS - len(cells))
        lines = zip(rolls, [*cells, *blank], [*own_points, *blank], theirs, their_points, strict=True)
        return DailyReview(
            date=date,
            engine=STRONGEST,
            rounds=[
                DailyRound(roll=roll, cell=cell, points=points, engine_cell=their_cell, engine_points=their_total)
                for roll, cell, points, their_cell, their_total in lines
            ],
            points=own_points[-1] if own_points else 0,
            engine_points=their_points[-1],
            finished=not blank,
            commitment=FairChance(secret).commitment,
            secret=secret.hex(),
        )

    async def proof(self, date: str) -> DailyProof:
        """The secret of a day that is over, and its rolls."""
        if self._begun(date) == str(self._today()):
            raise Refusal("early", "knister.error.the-secret-is-told-when-the-day-is-over")
        secret = await self._reveal(date)
        rolls = _follow(secret, map(str, WRITES))[1]  # the same wherever they are written
        return DailyProof(date=date, commitment=FairChance(secret).commitment, secret=secret.hex(), rolls=rolls)

    async def _league(self, person: str, date: datetime.date) -> League:
        """Where a sheet of this day counts that the person begins, or goes on with, now."""
        if await self._is_over(date):
            return "late"
        start = datetime.datetime.combine(date, datetime.time(), datetime.UTC).timestamp()
        known = or_(
            exists().where(people.c.id == person, people.c.created_at < start),
            exists().where(events.c.person == person, events.c.at < start),
            exists().where(daily_sheets.c.person == person, daily_sheets.c.date < str(date)),
        )
        async with self._store.reading() as connection:
            return "ranked" if (await connection.execute(select(known))).scalar_one() else "fun"

    async def _full_days(self, person: str) -> list[str]:
        """The days on which the person has filled a sheet, while they lasted."""
        column = daily_sheets.c
        mine = (column.person == person) & column.points.is_not(None) & (column.league != "late")
        async with self._store.reading() as connection:
            return list((await connection.execute(select(column.date).where(mine))).scalars())

    def _begun(self, date: str | None) -> str:
        """The day, if it is one and has begun; today if none is named."""
        today = str(self._today())
        if date is None:
            return today
        if not _is_day(date):
            raise Refusal("malformed", "knister.error.a-day-is-written-like", example=today)
        if date > today:
            raise Refusal("early", "knister.error.that-day-has-not-come-yet")
        return date

    async def _row(self, table: Table, **key: str) -> Any:
        async with self._store.reading() as connection:
            return (await connection.execute(select(table).filter_by(**key))).one_or_none()

    async def _secret(self, date: str) -> bytes:
        if (row := await self._row(dailies, date=date)) is None:
            raise Refusal("unknown", "knister.error.there-was-no-daily-knister-on-that-day")
        return bytes(row.secret)

    async def _is_over(self, date: datetime.date) -> bool:
        """Whether a day's rolls may be known: it is past, or a server whose clock was ahead took it for past."""
        return date < self._today() or await self._was_revealed(str(date))

    async def _was_revealed(self, date: str) -> bool:
        if date not in self._revealed and (await self._row(dailies, date=date)).revealed:
            self._revealed.add(date)
            if date == str(self._today()):
                log.warning("the rolls of %s were told before that day was over: nothing counts on it any more", date)
        return date in self._revealed

    async def _reveal(self, date: str) -> bytes:
        """The secret of a day that is over here, after that was written down: our clock may be wrong."""
        secret = await self._secret(date)
        if date not in self._revealed:
            async with self._store.writing() as connection:
                await connection.execute(update(dailies).filter_by(date=date).values(revealed=True))
            self._revealed.add(date)
        return secret

    async def _put(self, old: Any, new: dict[str, Any]) -> bool:
        """Writes a sheet if it still is what it was; says whether it did."""
        if old is None:
            return await self._store.add_if_missing(daily_sheets, ["date", "person"], new)
        same = update(daily_sheets).filter_by(date=old.date, person=old.person, cells=old.cells)
        async with self._store.writing() as connection:
            return (await connection.execute(same.values(new))).rowcount > 0

    async def _engine_game(self, date: str, secret: bytes) -> list[str]:
        """Where the strongest player writes the day's rolls; played once, however many ask."""
        game = self._engine_games.get(date)
        if game is None or (game.done() and (game.cancelled() or game.exception())):
            game = self._engine_games[date] = asyncio.create_task(self._let_engine_play(secret))
        return await asyncio.shield(game)

    async def _let_engine_play(self, secret: bytes) -> list[str]:
        cells: list[str] = []
        while len(cells) < CELLS:
            view = _follow(secret, cells)[0].state.view(0)
            # With a seed chance is the same in every process: everybody is shown the same game.
            cells.append(await self._pool.choose("daily", GAME.id, STRONGEST, view, len(cells)))
        return cells


def streaks(days: Iterable[str], today: datetime.date) -> tuple[int, int]:
    """How many of these days follow each other up to today, or to yesterday, and how many at most anywhere.

    >>> streaks(["2026-03-01", "2026-03-02", "2026-03-04"], datetime.date(2026, 3, 5))
    (1, 2)
    """
    longest = run = 0
    last: datetime.date | None = None
    for day in sorted(map(datetime.date.fromisoformat, days)):
        run = run + 1 if last is not None and day - last == DAY else 1
        longest, last = max(longest, run), day
    return (run if last is not None and today - last <= DAY else 0), longest


def _tombstone(date: str, person: str) -> str:
    return hashlib.sha256(f"daily {date} {person}".encode()).hexdigest()


def _cells(row: Any) -> list[str]:
    return row.cells.split() if row else []


def _follow(secret: bytes, cells: Iterable[str]) -> tuple[Sitting, list[int], list[int]]:
    """The game in which these cells were written, the rolls on the table so far, and the points after each cell."""
    game = Sitting.start(GAME, {"seats": 1}, FairChance(secret))
    rolls, points = [game.bound()], []
    game = game.roll()
    for cell in cells:
        game = game.play(game.state.parse_move(cell, 0), 0)
        points.append(game.state.view(0).as_dict()["standings"][0]["points"])
        if not game.state.over:
            rolls.append(game.bound())
            game = game.roll()
    return game, rolls, points


def _is_day(text: str) -> bool:
    try:
        return str(datetime.date.fromisoformat(text)) == text
    except ValueError:
        return False
