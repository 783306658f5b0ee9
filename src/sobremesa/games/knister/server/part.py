"""Daily Knister on the server: where it is asked for."""

from typing import Annotated

from fastapi import APIRouter, Path, Query
from pydantic import Field

from sobremesa.games.knister import GAME
from sobremesa.games.knister.server.daily import Daily, DailyArchive, DailyProof, DailyRanking, DailyReview, DailyStatus
from sobremesa.rooms.messages import Message, Name
from sobremesa.server.house import House
from sobremesa.server.parts import Part
from sobremesa.server.visitors import Person, TheHouse

routes = APIRouter()
Earlier = Annotated[str | None, Query(description="A day that is over; without one, today.")]
Before = Annotated[str | None, Query(description="Only days before this one.")]
Day = Annotated[str, Path(description="The day, as in 2026-11-16.")]


class WriteDaily(Message):
    """A placement in the daily game; ``round`` says which roll it answers."""

    name: Name
    """What the person is called in the ranking."""
    date: Annotated[str, Field(max_length=10)]
    """The day that it is meant for: at midnight a new one begins."""
    round: Annotated[int, Field(ge=0, lt=25)]
    """Which roll it answers, from 0."""
    cell: Annotated[str, Field(min_length=2, max_length=2)]
    """Where the roll is written, from a1 to e5."""
    late: bool = False
    """Whether it may be a day that is over: then the sheet counts for nothing."""


def daily_of(house: House) -> Daily:
    """The days of this house."""
    service = house.parts[GAME.id]
    assert isinstance(service, Daily)
    return service


@routes.get("/api/daily")
async def daily(house: TheHouse, person: Person, date: Earlier = None) -> DailyStatus:
    """Today's Knister: one set of rolls for everybody, one try; or that of a day which is over."""
    return await daily_of(house).status(person, date=date)


@routes.post("/api/daily")
async def write_daily(house: TheHouse, command: WriteDaily, person: Person) -> DailyStatus:
    """Writes the current roll into a cell."""
    return await daily_of(house).write(person, command.name, command.round, command.cell, command.date, command.late)


@routes.get("/api/daily/archive")
async def daily_archive(house: TheHouse, person: Person, before: Before = None) -> DailyArchive:
    """Days that are over."""
    return await daily_of(house).archive(person, before)


@routes.get("/api/daily/{date}/ranking")
async def daily_ranking(house: TheHouse, date: Day, person: Person) -> DailyRanking:
    """Who has finished, and how well."""
    return await daily_of(house).ranking(date, person)


@routes.get("/api/daily/{date}/review")
async def daily_review(house: TheHouse, date: Day, person: Person) -> DailyReview:
    """Your sheet against the strongest engine's, when the day is over."""
    return await daily_of(house).review(person, date)


@routes.get("/api/daily/{date}/proof")
async def daily_proof(house: TheHouse, date: Day) -> DailyProof:
    """The secret of a day that is over."""
    return await daily_of(house).proof(date)


PART = Part(routes, lambda house: Daily(house.store, house.pool, house.clock))
