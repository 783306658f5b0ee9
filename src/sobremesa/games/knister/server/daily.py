"""Daily Knister: the same 25 rolls for everybody, promised the day before; one try each, a ranking, a review.

A sheet is stored as the cells that were written, in order; rolls and points follow from the day's secret.
"""

import asyncio
import datetime
import secrets
import time
from collections.abc import Callable, Iterable
from typing import Any

from sqlalchemy import Table, func, select, update

from sobremesa.core.result import places
from sobremesa.games.knister import GAME
from sobremesa.games.knister.moves import WRITES, parse_move
from sobremesa.games.knister.scoring import CELLS
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.messages import Message
from sobremesa.server.engine_pool import EnginePool
from sobremesa.server.storage import Store, dailies, daily_sheets
from sobremesa.table.fair import FairChance
from sobremesa.table.record import MAX_NAME_LENGTH, is_line
from sobremesa.table.sitting import Sitting

STRONGEST = "champion"
"""The computer player that everybody is compared with. It watches no clock: in every process it plays the same."""
DAY = datetime.timedelta(days=1)


class DailyStatus(Message):
    """Where a person stands today. Of rolls to come there are only the promises, which hide them."""

    date: str
    commitment: str
    """The SHA-256 of today's secret, published yesterday."""
    tomorrow: str
    """The same of tomorrow's."""
    round: int
    """How many numbers are written."""
    roll: int | None
    """The number to write now; None when the sheet is full."""
    sheet: list[int]
    """Row by row from a1, b1 to e5; 0 is a free cell."""
    points: int
    finished: bool
    name: str | None
    """The person's name in the ranking: the one that came with the last number."""
    longest_name: int = MAX_NAME_LENGTH


class DailyRow(Message):
    """A full sheet in the ranking; equal points share the place."""

    place: int
    name: str
    points: int
    yours: bool


class DailyRanking(Message):
    """The best sheets of a day, and one's own; ``finished`` counts all that are full."""

    date: str
    finished: int
    rows: list[DailyRow]


class DailyRound(Message):
    """One roll and where it went; points are those after it. Not told: what a person did not get to."""

    roll: int
    cell: str | None
    points: int | None
    engine_cell: str
    engine_points: int


class DailyReview(Message):
    """A person's sheet beside the strongest computer player's, which had the same rolls and foresaw none."""

    date: str
    engine: str
    rounds: list[DailyRound]
    points: int
    engine_points: int
    finished: bool
    commitment: str
    secret: str | None
    """Told when the day is over."""


class DailyProof(Message):
    """Shows that a day's rolls were fixed beforehand: they follow from the secret (FairChance, without words)."""

    date: str
    commitment: str
    secret: str
    rolls: list[int]


def utc_today() -> datetime.date:
    """The day it is at Greenwich."""
    return datetime.datetime.now(datetime.UTC).date()


class Daily:
    """The days of this site; a day is told like 2025-12-31."""

    def __init__(self, store: Store, pool: EnginePool, today: Callable[[], datetime.date] = utc_today) -> None:
        self._store, self._pool, self._today = store, pool, today
        self._promised: datetime.date | None = None
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
        """Promises tomorrow before it comes."""
        await self.promise_ahead()

    async def status(self, person: str, today: datetime.date | None = None) -> DailyStatus:
        """Where the person stands today; asking turns up the first roll."""
        today = today or self._today()
        await self.promise_ahead(today)
        secret = await self._secret(str(today))
        row = await self._row(daily_sheets, date=str(today), person=person)
        game, _, points = _follow(secret, _cells(row))
        view = game.state.view(0).as_dict()
        return DailyStatus(
            date=str(today),
            commitment=FairChance(secret).commitment,
            tomorrow=FairChance(await self._secret(str(today + DAY))).commitment,
            round=view["rounds"],
            roll=view["roll"],
            sheet=view["sheet"],
            points=points[-1] if points else 0,
            finished=view["over"],
            name=row.name if row else None,
        )

    async def write(self, person: str, name: str, round: int, cell: str, date: str | None = None) -> DailyStatus:
        """Writes the roll of a round, counted from 0; sent twice it does nothing twice. ``date``: the day meant."""
        today = self._today()
        if date is not None and date != str(today):
            raise Refusal("late", "that day is over: there are new rolls today")
        if not (0 < len(name := name.strip()) <= MAX_NAME_LENGTH and is_line(name)):
            raise Refusal("malformed", "a name has 1 to {most} characters", most=MAX_NAME_LENGTH)
        move = str(parse_move(cell))
        await self.promise_ahead(today)
        secret = await self._secret(str(today))
        while True:
            old = await self._row(daily_sheets, date=str(today), person=person)
            cells = _cells(old)
            if 0 <= round < len(cells) and cells[round] == move:
                break
            if round != len(cells):
                raise Refusal("stale", "your sheet holds {count} numbers: look again", count=len(cells))
            game, _, points = _follow(secret, [*cells, move])
            sheet = {"cells": " ".join([*cells, move]), "points": points[-1] if game.state.over else None}
            new = {"date": str(today), "person": person, "name": name, "at": time.time()} | sheet
            # If another message was first, look again: it may have been this very one, sent twice.
            if await self._put(old, new):
                break
        return await self.status(person, today)

    async def ranking(self, date: str | None, person: str, top: int = 20) -> DailyRanking:
        """The best full sheets of a day, and the person's own."""
        date = self._begun(date)
        column = daily_sheets.c
        full = select(daily_sheets).where(column.date == date, column.points.is_not(None))
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
        return DailyRanking(date=date, finished=finished, rows=shown)

    async def review(self, person: str, date: str | None = None) -> DailyReview:
        """A person's sheet beside the computer's: as soon as it is full, or once the day is over."""
        date = self._begun(date)
        over = date < str(self._today())
        cells = _cells(await self._row(daily_sheets, date=date, person=person))
        if not over and len(cells) < CELLS:
            raise Refusal("early", "fill your own sheet first")
        secret = await self._secret(date)
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
            secret=secret.hex() if over else None,
        )

    async def proof(self, date: str) -> DailyProof:
        """The secret of a day that is over, and its rolls."""
        if self._begun(date) == str(self._today()):
            raise Refusal("early", "the secret is told when the day is over")
        secret = await self._secret(date)
        rolls = _follow(secret, map(str, WRITES))[1]  # the same wherever they are written
        return DailyProof(date=date, commitment=FairChance(secret).commitment, secret=secret.hex(), rolls=rolls)

    def _begun(self, date: str | None) -> str:
        """The day, if it is one and has begun; today if none is named."""
        today = str(self._today())
        if date is None:
            return today
        if not _is_day(date):
            raise Refusal("malformed", "a day is written like {example}", example=today)
        if date > today:
            raise Refusal("early", "that day has not come yet")
        return date

    async def _row(self, table: Table, **key: str) -> Any:
        async with self._store.reading() as connection:
            return (await connection.execute(select(table).filter_by(**key))).one_or_none()

    async def _secret(self, date: str) -> bytes:
        if (row := await self._row(dailies, date=date)) is None:
            raise Refusal("unknown", "there was no Daily Knister on that day")
        return bytes(row.secret)

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
