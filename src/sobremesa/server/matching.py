"""Computer players of one's own strength: looked up in one's own results whenever somebody asks, and kept nowhere."""

from collections import defaultdict

from fastapi import APIRouter
from sqlalchemy import select

from sobremesa.engines import players_of
from sobremesa.engines.levels import LEVELS
from sobremesa.engines.strength import MAX_GAMES, Meeting, find_strength, ladder_of
from sobremesa.games import GAMES
from sobremesa.rooms.messages import Message
from sobremesa.server.database import results
from sobremesa.server.storage import Store
from sobremesa.server.visitors import Person, TheHouse

matching_routes = APIRouter()
MAX_COUNTED = 10
"""Of how many games against the levels it is told how many were won."""


class LevelMatch(Message):
    """The level of one's own strength in a game, and what speaks for it."""

    game: str
    """The game's id."""
    player: str
    """The computer player's id."""
    games: int
    """How many games against the levels were looked at."""
    last: int
    """The last so many of them."""
    won: float
    """How many of the last ones were won; half a game for a tie."""


@matching_routes.get("/api/me/levels")
async def own_levels(house: TheHouse, person: Person) -> list[LevelMatch]:
    """For each game the level that is about as strong as you, by your games against the levels."""
    played = await meetings(house.store, person)
    found = []
    for game in GAMES.values():
        ladder = ladder_of(game, [name for name in players_of(game) if name in LEVELS])
        if not ladder:
            continue
        mine = [meeting for meeting in played.get(game.id, []) if meeting.level in ladder]
        last = mine[-MAX_COUNTED:]
        match = find_strength(mine, ladder)
        found.append(
            LevelMatch(
                game=game.id,
                player=match.level,
                games=len(mine),
                last=len(last),
                won=sum(meeting.score for meeting in last),
            )
        )
    return found


async def meetings(store: Store, person: str) -> dict[str, list[Meeting]]:
    """A person's last games against computer players by game, the oldest first.

    Who had several seats at a table has no result of their own there.
    """
    mine, theirs = results.alias(), results.alias()
    same = (theirs.c.room == mine.c.room) & (theirs.c.number == mine.c.number)
    engines = (
        select(mine.c.game, mine.c.room, mine.c.number, mine.c.place, theirs.c.player, theirs.c.place.label("other"))
        .join(theirs, same & theirs.c.player.is_not(None))
        .where(mine.c.person == person)
        .order_by(mine.c.at.desc(), mine.c.room, mine.c.number.desc(), mine.c.seat, theirs.c.seat)
        .limit(MAX_GAMES * 4 * len(GAMES))
    )
    doubled = select(mine.c.room, mine.c.number).join(
        theirs, same & (theirs.c.person == person) & (theirs.c.seat != mine.c.seat)
    )
    async with store.reading() as connection:
        rows = (await connection.execute(engines)).all()
        shared = {tuple(row) for row in await connection.execute(doubled.where(mine.c.person == person))}
    found: dict[str, list[Meeting]] = defaultdict(list)
    for row in reversed(rows):
        if (row.room, row.number) not in shared:
            score = 0.5 if row.place == row.other else float(row.place < row.other)
            found[row.game].append(Meeting(row.player, score))
    return found
