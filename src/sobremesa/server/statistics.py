"""What a person has played and how well: ratings, statistics, a leaderboard, and all of it to take home."""

import asyncio
import json
from typing import Any

from openskill.models import PlackettLuce
from sqlalchemy import Table, and_, case, delete, func, insert, or_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.games import GAMES, find_game
from sobremesa.rooms.messages import Message
from sobremesa.server.storage import Store, events, metadata, people, ratings, results, rooms

MODEL = PlackettLuce()
ENGINE = "engine:"
"""Computer players are rated, too, under this and their name."""
MAX_RATED_SEATS = 2000
"""A place at a larger table says next to nothing, and would take long to compute: such games are not rated."""
MAX_SEATS_ON_THE_LOOP = 30
"""Tables of more seats are computed beside the event loop."""
MIN_RATED_GAMES = 5
"""Rated games that take a player into the leaderboard."""
MAX_RECENT_RESULTS = 20
"""Results that a person is shown, the latest first."""
Rating = tuple[float, float, int]
"""Mu, sigma, and after how many games."""
Seat = tuple[str, int]
"""Who, and in which place."""


class Skill(Message):
    """A rating: the player is very probably better than ``ordinal``, which is mu less three sigma."""

    ordinal: float
    mu: float
    sigma: float
    games: int


class GameStatistics(Message):
    """How somebody has done in one game. Each seat that they had counts."""

    game: str
    games: int
    wins: int
    """First places at tables of two seats or more."""
    best: int
    mean: float
    rating: Skill | None


class Played(Message):
    """One seat's result in one game."""

    room: str
    number: int
    game: str
    seats: int
    score: int
    place: int
    at: float


class PersonStatistics(Message):
    """Everything about a person's play, the latest results first."""

    name: str
    games: list[GameStatistics]
    last: list[Played]


class LeaderRow(Message):
    """Somebody in the leaderboard; equal ratings share the place."""

    place: int
    name: str
    engine: bool
    rating: Skill


class Leaderboard(Message):
    """The best players of a game, people with a name and computers."""

    game: str
    rows: list[LeaderRow]


class _Changed(Exception):
    """Somebody else has rated the game, or a player of it, in the meantime."""


async def rate_games(store: Store) -> None:
    """Rates all games that are not rated yet, the oldest first, each of them exactly once."""
    game = (results.c.room, results.c.number)
    query = select(*game).where(results.c.rated.is_(False)).group_by(*game).order_by(func.min(results.c.at), *game)
    while True:
        async with store.reading() as connection:
            games = (await connection.execute(query.limit(100))).all()
        if not games:
            return
        for room, number in games:
            try:
                await _rate_game(store, room, number)
            except _Changed:
                break  # look again, so that the order of time is kept


async def _rate_game(store: Store, room: str, number: int) -> None:
    """Computes before the transaction, so that it is short, and checks in it that all is as it was."""
    async with store.reading() as connection:
        before = await _read(connection, room, number)
    game, seats, known = before
    many = len(seats) > MAX_SEATS_ON_THE_LOOP
    rated = await asyncio.to_thread(_rate, seats, known) if many else _rate(seats, known)
    async with store.writing() as connection:
        of_game = (results.c.room == room, results.c.number == number, results.c.rated.is_(False))
        claimed = await connection.execute(update(results).where(*of_game).values(rated=True))
        if not claimed.rowcount or await _read(connection, room, number) != before:
            raise _Changed
        if rated:
            theirs = (ratings.c.game == game, ratings.c.person.in_(list(rated)))
            await connection.execute(delete(ratings).where(*theirs))
            rows = [{"person": p, "game": game, "mu": r[0], "sigma": r[1], "games": r[2]} for p, r in rated.items()]
            await connection.execute(insert(ratings), rows)


async def _read(connection: AsyncConnection, room: str, number: int) -> tuple[str, list[Seat], dict[str, Rating]]:
    """A game, who had which place in it, and their ratings so far. Seats of nobody are left out."""
    query = select(results).where(results.c.room == room, results.c.number == number).order_by(results.c.seat)
    rows = (await connection.execute(query)).all()
    seats = [(row.person or ENGINE + row.player, row.place) for row in rows if row.person or row.player]
    if len(seats) > MAX_RATED_SEATS:
        return rows[0].game, [], {}
    of_game = (ratings.c.game == rows[0].game, ratings.c.person.in_([who for who, _ in seats]))
    query = select(ratings).where(*of_game).with_for_update()
    return rows[0].game, seats, {row.person: (row.mu, row.sigma, row.games) for row in await connection.execute(query)}


def _rate(seats: list[Seat], known: dict[str, Rating]) -> dict[str, Rating]:
    """The ratings after a game; none if fewer than two met. Who had several seats gets the mean of what they say."""
    if len({who for who, _ in seats}) < 2:
        return {}
    old = {who: known.get(who, (MODEL.mu, MODEL.sigma, 0)) for who, _ in seats}
    teams = [[MODEL.rating(old[who][0], old[who][1])] for who, _ in seats]
    new: dict[str, list[tuple[float, float]]] = {}
    for (who, _), [rating] in zip(seats, MODEL.rate(teams, [float(place) for _, place in seats]), strict=True):
        new.setdefault(who, []).append((rating.mu, rating.sigma))
    return {
        who: (sum(mu for mu, _ in said) / len(said), sum(sigma for _, sigma in said) / len(said), old[who][2] + 1)
        for who, said in new.items()
    }


async def person_statistics(store: Store, person: str) -> PersonStatistics:
    """What a person has played and how well."""
    others = results.alias()
    same = select(func.count()).where(others.c.room == results.c.room, others.c.number == results.c.number)
    mine = select(results, same.scalar_subquery().label("seats")).where(results.c.person == person).subquery()
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
        last = [Played(**{field: getattr(row, field) for field in Played.model_fields}) for row in played]
    games.sort(key=lambda row: list(GAMES).index(row.game))
    return PersonStatistics(name=name or "", games=games, last=last)


async def leaderboard(store: Store, game: str, top: int = 50) -> Leaderboard:
    """The best ratings of people who gave a name and of computer players."""
    query = select(ratings, people.c.name).outerjoin(people, people.c.id == ratings.c.person)
    query = query.where(ratings.c.game == find_game(game).id, ratings.c.games >= MIN_RATED_GAMES)
    query = query.where(or_(ratings.c.person.startswith(ENGINE), people.c.name != ""))
    query = query.order_by((ratings.c.mu - 3 * ratings.c.sigma).desc(), ratings.c.person).limit(top)
    async with store.reading() as connection:
        rows = (await connection.execute(query)).all()
    skills = [_skill(row) for row in rows]
    ranks = [sum(other.ordinal > skill.ordinal for other in skills) + 1 for skill in skills]
    return Leaderboard(
        game=game,
        rows=[
            LeaderRow(place=place, name=row.name or row.person.removeprefix(ENGINE), engine=not row.name, rating=skill)
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
    for row in export[rooms.name]:
        del row["about"]  # where others' names are; what there is of this person's is among the events
    for row in export[events.name]:
        row["data"] = json.loads(row["data"])
    return export


def _skill(row: Any) -> Skill:
    rating = MODEL.rating(row.mu, row.sigma)
    return Skill(ordinal=rating.ordinal(), mu=row.mu, sigma=row.sigma, games=row.games)
