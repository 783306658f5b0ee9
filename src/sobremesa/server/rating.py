"""How good people are, from the places that they had in rated games: a rating as in chess, and how sure it is.

Ratings are computed by openskill's Plackett-Luce model (mu, sigma), which knows tables of any size, and told on a scale
that people know: everybody begins at 1500 ± 250, and who is 200 points ahead is expected to win three games of four.

Throw-away cookies are worth nothing: a game counts for somebody known only among people who are known, too, as in chess
a game against somebody without a rating does not count for who has one. A rating is provisional, and in no ranking,
until there were enough games against enough different people who are known.
"""

import asyncio
from collections.abc import Mapping
from typing import NamedTuple

from openskill.models import PlackettLuce
from sqlalchemy import and_, delete, func, insert, not_, select, update
from sqlalchemy.ext.asyncio import AsyncConnection

from sobremesa.server.database import ratings, results
from sobremesa.server.storage import Store

MODEL = PlackettLuce()
POINTS_A_UNIT = 30.0
"""Points of the scale for one of the model's: with little doubt left, 200 are three wins of four, as with Elo."""
START = 1500
"""Everybody's first rating."""
MAX_RATED_SEATS = 2000
"""A place at a larger table says next to nothing, and would take long to compute: such games are not rated."""
MAX_SEATS_ON_THE_LOOP = 30
"""Tables of more seats are computed beside the event loop."""

KNOWN_GAMES = 5
"""Rated games of one kind after which a person is known..."""
KNOWN_SECONDS = 86_400.0
"""...if the first of them was this long ago."""
MIN_GAMES = 10
"""Rated games against people who are known, before a rating is ranked..."""
MIN_PEOPLE = 3
"""...and how many different ones of them there must have been..."""
MAX_DEVIATION = 150
"""...and how sure the rating has to be. On lichess it is 110; this model's doubt goes down more slowly."""


class Rating(NamedTuple):
    """What is stored of a person in one game."""

    mu: float = MODEL.mu
    sigma: float = MODEL.sigma
    games: int = 0
    """Rated games."""
    settled: int = 0
    """Rated games with people in them who were known."""
    met: int = 0
    """How many different people those were."""

    @property
    def points(self) -> int:
        """The rating as people read it."""
        return round(START + POINTS_A_UNIT * (self.mu - MODEL.mu))

    @property
    def deviation(self) -> int:
        """How sure it is: two times of three the truth is no further away."""
        return round(POINTS_A_UNIT * self.sigma)

    @property
    def provisional(self) -> bool:
        """Whether too little is known for a ranking."""
        return self.settled < MIN_GAMES or self.met < MIN_PEOPLE or self.deviation > MAX_DEVIATION


class Player(NamedTuple):
    """Somebody in a game that is about to be rated."""

    person: str
    place: int
    rating: Rating
    known: bool
    """Whether they are known: see ``KNOWN_GAMES``."""


Pair = tuple[str, str]
"""A person, and somebody whom they have met in a rated game before."""


class Changed(Exception):
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
                await rate_game(store, room, number)
            except Changed:
                break  # look again, so that the order of time is kept


async def rate_game(store: Store, room: str, number: int) -> None:
    """Computes before the transaction, so that it is short, and checks in it that all is as it was."""
    async with store.reading() as connection:
        before = await _read(connection, room, number)
    game, players, met = before
    if len(players) > MAX_SEATS_ON_THE_LOOP:
        rated = await asyncio.to_thread(rate, players, met)
    else:
        rated = rate(players, met)
    async with store.writing() as connection:
        of_game = (results.c.room == room, results.c.number == number, results.c.rated.is_(False))
        claimed = await connection.execute(update(results).where(*of_game).values(rated=True))
        if not claimed.rowcount or await _read(connection, room, number) != before:
            raise Changed
        if rated:
            theirs = (ratings.c.game == game, ratings.c.person.in_(list(rated)))
            await connection.execute(delete(ratings).where(*theirs))
            rows = [{"person": person, "game": game} | rating._asdict() for person, rating in rated.items()]
            await connection.execute(insert(ratings), rows)


async def _read(connection: AsyncConnection, room: str, number: int) -> tuple[str, list[Player], frozenset[Pair]]:
    """A game, who had which place in it and how good they were before, and who of them had met before.

    Nobody is left out but computers and people who were forgotten. Of a game that does not count nobody is told.
    """
    of_game = (results.c.room == room, results.c.number == number)
    rows = (await connection.execute(select(results).where(*of_game).order_by(results.c.seat))).all()
    places = {row.person: row.place for row in rows if row.person is not None and row.counts}
    game, at = rows[0].game, rows[0].at
    if not 1 < len(places) <= MAX_RATED_SEATS or len(places) < sum(row.person is not None for row in rows):
        return game, [], frozenset()
    theirs = (ratings.c.game == game, ratings.c.person.in_(list(places)))
    # Locked, so that two processes cannot rate games of the same person at the same time.
    ranked = await connection.execute(select(ratings).where(*theirs).with_for_update())
    known = {row.person: Rating(row.mu, row.sigma, row.games, row.settled, row.met) for row in ranked}
    others = results.alias()
    before = (results.c.game == game, results.c.counts, results.c.rated, not_(and_(*of_game)))
    since = select(results.c.person, func.min(results.c.at)).where(*before, results.c.person.in_(list(places)))
    first = {row[0]: row[1] for row in await connection.execute(since.group_by(results.c.person))}
    pairs = (
        select(results.c.person, others.c.person)
        .join(others, (others.c.room == results.c.room) & (others.c.number == results.c.number))
        .where(*before, results.c.person.in_(list(places)), others.c.person.in_(list(places)))
        .distinct()
    )
    met = {(one, other) for one, other in await connection.execute(pairs) if one != other}
    players = [
        Player(
            person,
            place,
            rating := known.get(person, Rating()),
            rating.games >= KNOWN_GAMES and first.get(person, at) <= at - KNOWN_SECONDS,
        )
        for person, place in places.items()
    ]
    return game, players, frozenset(met)


def rate(players: list[Player], met: frozenset[Pair] = frozenset()) -> dict[str, Rating]:
    """The ratings after a game; none if fewer than two met.

    Who is known is rated among those who are known alone; newcomers among everybody.
    """
    if len(players) < 2:
        return {}
    known = [player for player in players if player.known]
    among_all = _rate(players) if len(known) < len(players) else {}
    among_known = _rate(known) if len(known) > 1 else {}
    after = {}
    for player in players:
        opponents = [other.person for other in known if other.person != player.person]
        mu, sigma = (among_known if player.known else among_all).get(player.person, player.rating[:2])
        after[player.person] = Rating(
            mu,
            sigma,
            player.rating.games + 1,
            player.rating.settled + bool(opponents),
            player.rating.met + sum((player.person, other) not in met for other in opponents),
        )
    return after


def _rate(players: list[Player]) -> Mapping[str, tuple[float, float]]:
    teams = [[MODEL.rating(player.rating.mu, player.rating.sigma)] for player in players]
    rated = MODEL.rate(teams, [float(player.place) for player in players])
    return {player.person: (new.mu, new.sigma) for player, [new] in zip(players, rated, strict=True)}
