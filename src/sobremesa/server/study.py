"""Hints and reviews: what the strongest player thinks of a position, or of a whole game that is over."""

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, StringConstraints

from sobremesa.engines import Budget, Candidate
from sobremesa.engines.analysis import Assumed, as_seen, game_of
from sobremesa.engines.review import Moment, compare, moments
from sobremesa.games import parse_position
from sobremesa.rooms.commands import GiveHint
from sobremesa.rooms.errors import Overloaded, Refusal
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.messages import AskHint, Hinted, Measure, Message, Seat, Suggestion
from sobremesa.rooms.rated import check_alone
from sobremesa.rooms.room import ADVISER
from sobremesa.server.attendance import Visitor
from sobremesa.server.engine_players import past_views
from sobremesa.server.engine_pool import Account, Interrupted, ThinkingFailed, TooBusy
from sobremesa.server.hub import Hub, OpenRoom
from sobremesa.server.records import record_of
from sobremesa.table.record import Record

log = logging.getLogger("sobremesa.study")

HINT = Budget(seconds=1.0)
"""How much thinking a hint is worth."""
REVIEW_SECONDS = 0.3
"""Seconds that one move of a review may take."""
PositionText = Annotated[str, StringConstraints(max_length=4_000)]
"""A position that somebody asks about."""
MAX_PAST = 120
"""The most earlier positions that somebody may add to one."""
MAX_SUGGESTIONS = 5
"""Moves that are suggested, the best first."""
MAX_REVIEWED_SEATS = 12
"""At larger tables a review tells of one's own seats alone."""
MAX_REVIEWS = 200
"""Reviews that are kept in memory."""
ABANDONED_AFTER = 30.0
"""Seconds after which a review that nobody asks for any more is given up."""


class ReviewedMove(Message):
    """One move of a finished game beside the best there was."""

    event: int
    """The record's event that it belongs to, counted from 1."""
    seat: int
    """Who moved."""
    move: str
    """The move, in notation."""
    value: float
    """What it was worth."""
    lost: float
    """What it gave away against the best move; 0 for the best."""
    points_lost: float | None = None
    """The same in points, or squares, at the end of the game: an estimate, where the player can give one."""
    best: list[Suggestion]
    """The best moves there were; the first is the best."""
    exact: bool
    """Whether the values are certain, not an estimate."""


class AskAnalysis(Message):
    """A position to think about."""

    position: PositionText
    """One line of text, as everywhere."""
    seat: Seat | None = None
    """For whom; it may be left out where one alone has to decide."""
    past: Annotated[list[PositionText], Field(max_length=MAX_PAST)] | None = None
    """The positions before this one, oldest first: what the seat has seen. Left out, in a game where views forget, the
    seat is taken to remember everything that was ever shown, and ``assumed`` says so."""


class PositionAnalysis(Message):
    """What the strongest player thinks of a position, from what one seat may know."""

    game: str
    """The game's id."""
    seat: int
    """Who looks, and has to decide."""
    player: str
    """Whose opinion it is."""
    measure: Measure
    """What values count."""
    moves: list[Suggestion]
    """The best moves, the best first."""
    chances: list[float]
    """Each seat's chance to win; empty if the player cannot tell."""
    exact: bool
    """Whether the values are certain, not an estimate."""
    assumed: Assumed | None
    """What was assumed of what the seat had seen: ``memory``, that it remembers everything that was ever shown."""


class Point(Message):
    """Where the game stood after an event."""

    event: int
    """0 is the start."""
    chances: list[float]
    """Each seat's chance to win; empty in a game alone, and for seats that the review leaves out."""
    points: list[float]
    """Each seat's expected final score; empty if the player counts chances only."""


class Review(Message):
    """A finished game, move by move."""

    type: Literal["review"] = "review"
    room: str
    """The room's id."""
    number: int
    """The game's number in the room, from 1."""
    game: str
    """The game's id."""
    player: str
    """Who reviewed it."""
    measure: Measure
    """What ``value`` and ``lost`` count."""
    seats: list[int]
    """The seats whose moves are reviewed."""
    moves: list[ReviewedMove]
    """Every move of those seats, in order."""
    curve: list[Point]
    """Where the game stood after each event."""
    lost: dict[int, float]
    """What each seat gave away in all."""


class ReviewProgress(Message):
    """A review that is being worked on: ask again in a moment."""

    type: Literal["progress"] = "progress"
    done: int
    """How many moves have been looked at."""
    of: int
    """How many there are."""


@dataclass
class _Work:
    """A review on its way."""

    of: int
    asked: float
    """When somebody asked for it last."""
    done: int = 0
    review: Review | None = None
    task: "asyncio.Task[None] | None" = None


Key = tuple[str, int, tuple[int, ...]]
"""A room, a game of it, and the seats that are reviewed."""


class Study:
    """Gives hints and reviews, in the processes where computer players think; nobody else waits for them."""

    def __init__(self, hub: Hub) -> None:
        self._hub = hub
        self._engines = hub.engines
        self._clock = hub.clock
        self._works: OrderedDict[Key, _Work] = OrderedDict()

    async def hint(self, opened: OpenRoom, asked: AskHint, visitor: Visitor) -> Hinted:
        """The best moves of a person's own seat."""
        person = visitor.person
        room, seat = opened.room, asked.seat
        if not (room.setup.hints and room.advised):
            raise Refusal("forbidden", "server.error.this-table-plays-without-hints")
        if seat not in room.seats_of(person):
            raise Refusal("forbidden", "server.error.that-is-not-your-seat")
        if room.sitting is None or not room.playing or seat not in room.sitting.state.deciding:
            raise Refusal("early", "server.error.you-have-nothing-to-decide-now")
        check_alone(room)
        account = Account(visitor.network, person)
        if not self._engines.time.allows(account, room.id):
            raise Overloaded("busy", "server.error.all-computer-players-are-busy", retry_after=2)
        try:
            thought = await self._engines.pool.advise(
                f"hint {room.id}",
                room.game.id,
                ADVISER,
                room.sitting.state.view(seat),
                past=past_views(room, seat),
                budget=HINT,
                account=account,
            )
        except (ThinkingFailed, Interrupted) as error:
            raise TooBusy(str(error)) from error
        await self._leave_trace(opened, seat, room.since, person)
        return Hinted(
            id=asked.id,
            seat=seat,
            version=room.version,
            measure=thought.measure,
            moves=_suggestions(thought.candidates),
            chances=list(thought.chances),
            exact=thought.exact,
            player=ADVISER,
        )

    async def analyse(self, asked: AskAnalysis, visitor: Visitor) -> PositionAnalysis:
        """What there is to say about a position that somebody has, on their account; no room is needed."""
        state = parse_position(asked.position)
        if state.seats > MAX_LISTED_SEATS:
            raise Refusal("malformed", "server.error.that-is-for-tables-of-at-most-seats", most=MAX_LISTED_SEATS)
        state.check_seat(asked.seat)
        seat = state.decider(asked.seat)
        game = game_of(state)
        if ADVISER not in self._hub.resources.players.get(game.id, ()):
            raise Refusal("forbidden", "server.error.no-computer-player-advises-on-this-game")
        tables = (each.room for each in self._hub.rooms.values())
        if any(room.at_stake and room.game is game and room.seats_of(visitor.person) for room in tables):
            raise Refusal("rated", "server.error.you-are-playing-a-rated-game-of-this")
        past = None if asked.past is None else [game.parse_position(line) for line in asked.past]
        if any(before.options != state.options for before in past or ()):
            raise Refusal("malformed", "server.error.the-past-is-of-another-table")
        view, seen, assumed = as_seen(game, state, seat, past)
        account, place = Account(visitor.network, visitor.person, at_table=False), f"position {visitor.person}"
        if not self._engines.time.allows(account, place):
            raise Overloaded("busy", "server.error.all-computer-players-are-busy", retry_after=2)
        try:
            thought = await self._engines.pool.advise(
                place, game.id, ADVISER, view, past=seen, budget=HINT, account=account
            )
        except (ThinkingFailed, Interrupted) as error:
            raise TooBusy(str(error)) from error
        return PositionAnalysis(
            game=game.id,
            seat=seat,
            player=ADVISER,
            measure=thought.measure,
            moves=_suggestions(thought.candidates),
            chances=list(thought.chances),
            exact=thought.exact,
            assumed=assumed,
        )

    async def _leave_trace(self, opened: OpenRoom, seat: int, since: int, person: str) -> None:
        """Has the log say that somebody is about to be helped; once for each decision."""
        if opened.room.since == since and opened.room.was_helped(seat):
            return
        try:
            await opened.actor.do(GiveHint(seat, since), person)
        except Refusal:
            if opened.room.since != since or not opened.room.was_helped(seat):  # else another one has just been logged
                raise

    async def review(self, opened: OpenRoom, number: int, visitor: Visitor) -> Review | ReviewProgress:
        """A game's review if it is ready, else how far it has come; asking for it starts it."""
        room, person = opened.room, visitor.person
        if not room.advised:
            raise Refusal("forbidden", "server.error.no-computer-player-advises-on-this-game")
        if not 1 <= number <= len(room.results):
            raise Refusal("unknown", "server.error.there-is-no-finished-game-with-that-number")
        seats = len(room.results[number - 1].scores)
        everybody = tuple(range(seats))
        own = everybody if seats <= MAX_REVIEWED_SEATS else room.seats_of(person)[:MAX_REVIEWED_SEATS]
        key = (room.id, number, own)
        if key not in self._works:
            record = await record_of(self._hub.store, room.id, number)
            self._begin(key, Account(visitor.network, person, at_table=False), record)
        work = self._works[key]
        self._works.move_to_end(key)
        work.asked = self._clock.monotonic()
        return work.review or ReviewProgress(done=work.done, of=work.of)

    def cancel(self, room: str) -> None:
        """Gives up all reviews of a room that are not ready."""
        for key in [key for key, work in self._works.items() if key[0] == room and work.review is None]:
            self._give_up(key)

    def _begin(self, key: Key, account: Account, record: Record) -> None:
        if key in self._works:  # somebody else has asked while the record was read
            return
        decided = moments(record, key[2])
        work = self._works[key] = _Work(len(decided), self._clock.monotonic())
        work.task = self._hub.keep(self._work(key, account, record, decided, work))
        if len(self._works) > MAX_REVIEWS:
            self._give_up(next(iter(self._works)))

    def _give_up(self, key: Key) -> None:
        work = self._works.pop(key)
        if work.task is not None:
            work.task.cancel()

    async def _work(self, key: Key, account: Account, record: Record, decided: list[Moment], work: _Work) -> None:
        try:
            work.review = await self._think(key, account, record, decided, work)
        except (ThinkingFailed, Interrupted, TooBusy) as error:
            log.info("a review was given up: %s", error)
        finally:
            if work.review is None:
                self._works.pop(key, None)

    async def _think(self, key: Key, account: Account, record: Record, decided: list[Moment], work: _Work) -> Review:
        room, number, seats = key
        thoughts = []
        for moment in decided:
            while not self._engines.time.allows(account, room):
                await self._clock.sleep(1)
            if self._clock.monotonic() - work.asked > ABANDONED_AFTER:
                raise Interrupted("nobody waits for it")
            thoughts.append(
                await self._engines.pool.advise(
                    f"review {room} {number}",
                    record.game,
                    ADVISER,
                    moment.view,
                    seed=moment.event,
                    past=moment.past,
                    budget=Budget(REVIEW_SECONDS, seed="review", consider=moment.move),
                    account=account,
                )
            )
            work.done += 1
        found = compare(record, decided, thoughts, MAX_SUGGESTIONS)
        return Review(
            room=room,
            number=number,
            game=record.game,
            player=ADVISER,
            measure=found.measure,
            seats=list(seats),
            moves=[
                ReviewedMove(
                    event=move.event,
                    seat=move.seat,
                    move=move.move,
                    value=move.value,
                    lost=move.lost,
                    points_lost=move.points_lost,
                    best=_suggestions(move.best),
                    exact=move.exact,
                )
                for move in found.moves
            ],
            curve=[Point(event=p.event, chances=list(p.chances), points=list(p.points)) for p in found.curve],
            lost={seat: found.lost(seat) for seat in seats},
        )


def _suggestions(candidates: Sequence[Candidate]) -> list[Suggestion]:
    return [Suggestion(move=str(c.move), value=c.value, visits=c.visits) for c in candidates[:MAX_SUGGESTIONS]]
