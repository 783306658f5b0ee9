"""What a person has played and how well: ratings, statistics, a leaderboard, and all of it to take home."""

import json
from typing import Any

from sqlalchemy import ColumnElement, Select, Table, and_, case, func, select

from sobremesa.games import GAMES, find_game
from sobremesa.rooms.messages import Message
from sobremesa.server.database import events, metadata, people, ratings, results, rooms
from sobremesa.server.rating import MAX_DEVIATION, MIN_GAMES, MIN_PEOPLE, POINTS_A_UNIT, Rating
from sobremesa.server.storage import Store

MAX_RECENT_RESULTS = 60
"""Results that a person is shown, the latest first."""


class Skill(Message):
    """How good somebody is at a game, as in chess: everybody begins at 1500.

    Who is 200 points better than somebody else is expected to win three games of four.
    """

    rating: int
    """As in chess; 1500 at the beginning."""
    deviation: int
    """How sure that is: with 1500 ± 100 the truth lies between 1400 and 1600 two times of three. At first it is 250."""
    provisional: bool
    """Whether too little is known for a ranking: a question mark is shown behind the rating."""
    games: int
    """Rated games so far."""
    settled: int
    """Those of them against people who were known by then: they had played 5, the first of them a day before.

    A rating is no longer provisional after 10 such games against 3 different people, if the deviation is at most 150.
    """
    opponents: int
    """How many different people who were known there were so far."""


class GameStatistics(Message):
    """How somebody has done in one game. Each seat that they had counts."""

    game: str
    """The game's id."""
    games: int
    """Finished games."""
    wins: int
    """First places at tables of two seats or more."""
    best: int
    """The best score; the lowest where that wins."""
    mean: float
    """The mean score."""
    rating: Skill | None
    """How good they are, by rated games; None before the first."""


class LevelStatistics(Message):
    """How somebody has done in games with one of the computer players. Each seat that they had counts."""

    game: str
    """The game's id."""
    player: str
    """The computer player's id."""
    games: int
    """Finished games with it."""
    ahead: int
    """How often they came in no later than it."""


class Played(Message):
    """One seat's result in one game."""

    room: str
    """The room's id."""
    number: int
    """The game's number in the room, from 1."""
    game: str
    """The game's id."""
    seats: int
    """How many played."""
    score: int
    """What they had in the end."""
    place: int
    """Which place that was, from 1."""
    at: float
    """When it ended, in seconds since 1970."""


class PersonStatistics(Message):
    """Everything about a person's play, the latest results first."""

    name: str
    """What they are called; empty before they said."""
    games: list[GameStatistics]
    """One for each game that they have played."""
    levels: list[LevelStatistics]
    """By game and computer player."""
    last: list[Played]
    """The latest results, the newest first."""


class LeaderRow(Message):
    """Somebody in the leaderboard; equal ratings share the place."""

    place: int
    """From 1; equal ratings share the place."""
    name: str
    """What they are called."""
    rating: Skill
    """How good they are."""


class Leaderboard(Message):
    """The best players of a game: people who have given a name, and whose rating is not provisional."""

    game: str
    """The game's id."""
    rows: list[LeaderRow]
    """The best first."""


async def person_statistics(store: Store, person: str) -> PersonStatistics:
    """What a person has played and how well."""
    others = results.alias()
    same = select(func.count()).where(others.c.room == results.c.room, others.c.number == results.c.number)
    mine = (
        select(results, same.scalar_subquery().label("seats"))
        .where(results.c.person == person, _known_game())
        .subquery()
    )
    won = case((and_(mine.c.place == 1, mine.c.seats > 1), 1), else_=0)
    score = mine.c.score
    sums = select(mine.c.game, func.count(), func.sum(won), func.min(score), func.max(score), func.avg(score))
    latest = (
        select(mine)
        .order_by(mine.c.at.desc(), mine.c.room, mine.c.number.desc(), mine.c.seat)
        .limit(MAX_RECENT_RESULTS)
    )
    async with store.reading() as connection:
        name = (await connection.execute(select(people.c.name).where(people.c.id == person))).scalar_one_or_none()
        rows = await connection.execute(select(ratings).where(ratings.c.person == person))
        skills = {row.game: _skill(row) for row in rows}
        games = [
            GameStatistics(
                game=game,
                games=count,
                wins=wins,
                best=low if GAMES[game].low_wins else high,
                mean=float(mean),
                rating=skills.get(game),
            )
            for game, count, wins, low, high, mean in await connection.execute(sums.group_by(mine.c.game))
        ]
        played = await connection.execute(latest)
        levels = [
            LevelStatistics(game=game, player=player, games=count, ahead=ahead)
            for game, player, count, ahead in await connection.execute(_against_engines(person))
        ]
        last = [Played(**{field: getattr(row, field) for field in Played.model_fields}) for row in played]
    games.sort(key=lambda row: list(GAMES).index(row.game))
    return PersonStatistics(name=name or "", games=games, levels=levels, last=last)


def _known_game() -> ColumnElement[bool]:
    """Whether a result is of a game that there still is: the package that brought it may have been removed."""
    return results.c.game.in_(GAMES)


def _against_engines(person: str) -> Select[str, str, int, int]:
    """A person's seats beside those of computer players, by game and player."""
    engine = results.alias()
    ahead = func.sum(case((results.c.place <= engine.c.place, 1), else_=0))
    return (
        select(results.c.game, engine.c.player, func.count(), ahead)
        .join(engine, and_(engine.c.room == results.c.room, engine.c.number == results.c.number))
        .where(results.c.person == person, _known_game(), engine.c.player.is_not(None))
        .group_by(results.c.game, engine.c.player)
        .order_by(results.c.game, engine.c.player)
    )


async def leaderboard(store: Store, game: str, top: int = 50) -> Leaderboard:
    """The best ratings of people who gave a name, without those that are provisional."""
    query = select(ratings, people.c.name).join(people, people.c.id == ratings.c.person)
    query = query.where(ratings.c.game == find_game(game).id, people.c.name != "")
    settled = (ratings.c.settled >= MIN_GAMES, ratings.c.met >= MIN_PEOPLE)
    query = query.where(*settled, ratings.c.sigma < (MAX_DEVIATION + 0.5) / POINTS_A_UNIT)
    query = query.order_by(ratings.c.mu.desc(), ratings.c.person).limit(top)
    async with store.reading() as connection:
        rows = (await connection.execute(query)).all()
    skills = [_skill(row) for row in rows]
    ranks = [sum(other.rating > skill.rating for other in skills) + 1 for skill in skills]
    return Leaderboard(
        game=game,
        rows=[
            LeaderRow(place=place, name=row.name, rating=skill)
            for place, row, skill in zip(ranks, rows, skills, strict=True)
        ],
    )


async def export_person(store: Store, person: str) -> dict[str, Any]:
    """Everything that is stored of a person, by table, as plain data."""
    owned: dict[Table, str] = {people: "id", rooms: "host"}
    owned |= {table: "person" for table in metadata.sorted_tables if "person" in table.c}
    export: dict[str, Any] = {}
    async with store.reading() as connection:
        for table, column in owned.items():
            query = select(table).where(table.c[column] == person).order_by(*table.primary_key.columns)
            export[table.name] = [dict(row._mapping) for row in await connection.execute(query)]
    for row in export[ratings.name]:
        rating = Rating(*(row[field] for field in Rating._fields))
        row |= {"rating": rating.points, "deviation": rating.deviation}
    for row in export[rooms.name]:
        del row["about"]  # where others' names are; what there is of this person's is among the events
    for row in export[events.name]:
        row["data"] = json.loads(row["data"])
    return export


def _rating(row: Any) -> Rating:
    return Rating(row.mu, row.sigma, row.games, row.settled, row.met)


def _skill(row: Any) -> Skill:
    rating = _rating(row)
    return Skill(
        rating=rating.points,
        deviation=rating.deviation,
        provisional=rating.provisional,
        games=rating.games,
        settled=rating.settled,
        opponents=rating.met,
    )
