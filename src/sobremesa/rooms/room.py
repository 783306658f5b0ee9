"""A room: what its event log adds up to, and what may happen in it next.

``handle`` turns a command into a transition (new entries of the log, and the room after them) or refuses it; ``apply``
takes one stored entry in. Rooms are immutable: what was not written down is forgotten by dropping the successor, and
applying the stored log to an empty room gives the same room again, after a crash or on another machine.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Literal, assert_never

from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game
from sobremesa.core.result import Result
from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.rooms import binding, offers, rated, readiness
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.binding import Draw
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_LISTED_SEATS, MAX_SEATS, MAX_TAKEN_BACK, MAX_TALK_LINES
from sobremesa.rooms.names import check_company, check_name
from sobremesa.rooms.pictures import look_ahead
from sobremesa.rooms.seating import OPEN, Chair, Seating
from sobremesa.table.commitments import BoundChance, Context, Opening
from sobremesa.table.fair import FairChance, Words
from sobremesa.table.record import Record
from sobremesa.table.series import Series
from sobremesa.table.sitting import Sitting


@dataclass(frozen=True, slots=True)
class EngineMove:
    """A computer player moves."""

    seat: int
    player: str
    since: int
    """The decision that it answers: ``Room.since``."""
    move: str | None
    """None if it found none: then one is made for it, and the room says so."""


@dataclass(frozen=True, slots=True)
class TimeUp:
    """The clock of a decision has run out."""

    since: int
    """Which decision: ``Room.since``."""


@dataclass(frozen=True, slots=True)
class DrawTimeUp:
    """The next game has waited long enough for seals, or for openings."""

    since: int
    """Since when: ``Wait.since``."""


@dataclass(frozen=True, slots=True)
class LeaveAll:
    """A person leaves all their seats, because they are being forgotten."""


@dataclass(frozen=True, slots=True)
class ReadyTimeUp:
    """Who has not said that they are ready loses the seat."""

    asked: int
    """With which entry of the log they were asked."""


@dataclass(frozen=True, slots=True)
class GiveHint:
    """A person at the table is about to be told what a computer would do."""

    seat: int
    since: int
    """The decision that it helps with: ``Room.since``."""


HouseCommand = EngineMove | TimeUp | DrawTimeUp | LeaveAll | ReadyTimeUp | GiveHint
"""What the house itself sends: they come in by the same way as everybody's commands."""


@dataclass(frozen=True)
class Resources:
    """What a room is given from outside."""

    players: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The computer players that can be seated, by the game's id."""
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    """Where the secrets of fair chance come from."""
    reserved: Collection[str] = frozenset()
    """What no person's name may look like: skeletons (``names.reserved``)."""


@dataclass(frozen=True, slots=True, eq=False)
class TableStep:
    """One thing that happened at the table, and the state after it. What a viewer is told of it is a ``Step``."""

    version: int
    state: State[Any]
    event: e.Begun | e.Moved | e.Rolled | e.TakenBack
    back: int | None = None
    """If moves were taken back: the version of the last step that still counts."""
    draw: int | None = None
    """Which outcome of chance of its game it is, counted from 0."""


@dataclass(frozen=True, slots=True, eq=False)
class Undo:
    """What the table was like before a move that can be taken back."""

    seat: int
    """Who moved."""
    move: str
    sitting: Sitting
    step: TableStep
    open_step: TableStep


@dataclass(frozen=True, slots=True, eq=False)
class Missed:
    """A move that was made for a seat: a link of a persistent list, so that ten thousand of them are no more work."""

    seat: int
    move: str
    before: "Missed | None"


@dataclass(frozen=True, slots=True)
class Hint:
    """Somebody was told what a computer would do."""

    seat: int
    since: int
    """The decision that it helped with: ``Room.since``."""
    event: int
    """The event of the record that was being decided, counted from 1."""


@dataclass(frozen=True)
class Promise:
    """The promise of a game that is over, kept until the next one is."""

    game: int
    commitment: str
    words: Mapping[int, Words]
    """What seats said openly."""
    secret: str | None
    context: Context | None = None
    """What it is for; None for version 1."""
    seals: Mapping[int, str] = field(default_factory=dict)
    call: str | None = None
    openings: Mapping[int, Opening] = field(default_factory=dict)


@dataclass(frozen=True)
class Transition:
    """What a command leads to."""

    entries: tuple[e.Entry, ...]
    """New in the log, follow-ups included; the first one carries the command's idempotency key."""
    successor: "Room"
    steps: tuple[TableStep, ...]
    """What happened at the table."""

    @property
    def version(self) -> int:
        """The version at which the command itself stands in the log."""
        return self.entries[0].version


@dataclass(frozen=True, eq=False)
class Room:
    """The present state of a room; the first entry of its log is ``created``."""

    id: str
    resources: Resources = field(default_factory=Resources, repr=False)
    version: int = 0
    setup: m.NewRoom = None  # type: ignore[assignment]
    game: Game = None  # type: ignore[assignment]
    host: str | None = None
    public: bool = False
    chat: bool = True
    seating: Seating = field(default_factory=Seating)
    number: int = 0
    """How many games have begun."""
    playing: bool = False
    commitment: str | None = None
    """The promise for the running game, or for the next one."""
    secret: bytes | None = field(default=None, repr=False)
    words: dict[int, Words] = field(default_factory=dict)
    """What seats have added to the chance of the running game, or of the next one."""
    words_in_play: dict[int, Words] = field(default_factory=dict)
    """What the chance of the running game was made of; who leaves does not take it along."""
    draw: Draw = field(default_factory=Draw, repr=False)
    """How far the chance of the next game has come."""
    kept_promise: Promise | None = field(default=None, repr=False)
    """The promise of the last game, once it is over."""
    sitting: Sitting | None = None
    results: tuple[Result, ...] = ()
    since: int = 0
    """The version with which the running decision began: moves must answer it."""
    since_at: float = 0.0
    paused_at: float | None = None
    """When the host stopped the running game for a while."""
    changed_at: float = 0.0
    step: TableStep | None = None
    """The last thing that happened at the table."""
    open_step: TableStep | None = None
    """The last one that was not hidden from anybody."""
    talk: tuple[m.TalkLine, ...] = ()
    """The last lines of talk."""
    undo: tuple[Undo, ...] = field(default=(), repr=False)
    """The moves that can be taken back, oldest first: since chance has spoken, or something was hidden."""
    missed_now: Missed | None = field(default=None, repr=False)
    """The moves that were made for seats in the running decision."""
    missed_last: Missed | None = field(default=None, repr=False)
    """The same of the decision before it."""
    offer: offers.Offer | None = None
    end: e.Ended | None = None
    """How the last game ended."""
    stake: rated.Stake | None = None
    """Of the running or last game, if it is rated."""
    ready: readiness.Asked | None = None
    """Whether everybody is being asked if they are ready."""
    hints: tuple[Hint, ...] = ()
    """The hints that were given in the running or last game."""

    # -- what may happen ------------------------------------------------------------------------------------------

    @classmethod
    def create(
        cls,
        id: str,
        setup: m.NewRoom,
        person: str,
        now: float,
        resources: Resources,
        command: str | None = None,
    ) -> Transition:
        """A new room; ``command`` is the idempotency key of who asked for it."""
        game = find_game(setup.game)
        if "seats" in setup.options:
            raise Refusal("malformed", "rooms.error.the-seats-are-a-list-of-their-own")
        if setup.crowd and not game.crowd:
            raise Refusal("malformed", "rooms.error.is-not-for-crowds", game=game.name)
        if setup.origin is not None:
            setup = setup.model_copy(update={"options": _options_of(game, setup, setup.origin)})
        game.set_table(setup.options | {"seats": MAX_SEATS if setup.crowd else len(setup.seats)})
        if setup.games > 1 and not setup.crowd:
            Series(game, setup.options | {"seats": len(setup.seats)}, setup.games)
        for name in (setup.name, *(plan.name for plan in setup.seats if plan.kind == "me" and plan.name)):
            check_name(name, resources.reserved)
        draft = Draft(cls(id, resources), person, command, now)
        draft.take(e.Created(**setup.__dict__ | {"rated": rated.wanted(setup)}))
        for seat, plan in enumerate(setup.seats):
            if plan.kind == "me":
                draft.take(e.Seated(seat=seat, name=plan.name or setup.name, seals=setup.seals))
                if setup.words:
                    draft.take(e.EntropyAdded(seat=seat, words=setup.words))
            elif plan.kind == "engine":
                player = draft.room.known_player(plan.player)
                draft.take(e.EngineSeated(seat=seat, player=player), by_itself=True)
        return draft.finish()

    def handle(
        self,
        command: m.RoomCommand | HouseCommand,
        person: str | None,
        now: float,
        here: Collection[str] | None = None,
    ) -> Transition:
        """What a command of this person leads to, follow-ups included; raises a refusal, or the rules' own error.

        ``here``: the people who are in the room now; None if that is not known.
        """
        draft = Draft(self, person, command.id if isinstance(command, m.Command) else None, now, here)
        match command:
            case EngineMove():
                self._engine_moves(command, draft)
            case TimeUp():
                self._time_is_up(command, draft)
            case DrawTimeUp():
                for event in binding.time_is_up(self, command.since, here):
                    draft.take(event, by_itself=True)
            case LeaveAll():
                for seat in self.seats_of(person or ""):
                    rated.leave(self, seat, draft)
                if not draft.entries:
                    raise Refusal("stale", "rooms.error.the-table-has-changed-since")
            case ReadyTimeUp():
                readiness.time_is_up(self, command.asked, draft)
            case GiveHint():
                self._at_table(command.seat, person or "")
                rated.check_alone(self)
                if command.since != self.since or self.was_helped(command.seat):
                    raise Refusal("stale", "rooms.error.the-table-has-changed-since")
                draft.take(e.HintGiven(seat=command.seat))
            case _:
                assert person is not None, "only the house sends commands of its own"
                self._handle_person(command, person, draft)
        return draft.finish()

    def _handle_person(self, command: m.RoomCommand, person: str, draft: "Draft") -> None:
        match command:
            case m.Move():
                state = self._at_table(command.seat, person)
                if not self.since <= command.version <= self.version:
                    raise Refusal("stale", "rooms.error.the-table-has-changed-since")
                draft.move(state.parse_move(command.move, command.seat), command.seat, person)
            case m.Sit():
                self._sit(command, person, draft)
            case m.Leave():
                chair = self._chair(command.seat)
                if not chair.taken or person not in (chair.person, self.host):
                    raise Refusal("forbidden", "rooms.error.only-who-sits-there-or-the-host-can")
                rated.check_free(self, command.seat, person)
                rated.leave(self, command.seat, draft)
            case m.PutEngine():
                chair = self._chair(command.seat)
                if chair.kind == "person":
                    raise Refusal("taken", "rooms.error.somebody-sits-there-already")
                if person != self.host and not (chair.kind == "gone" and self.seats_of(person)):
                    raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
                draft.take(e.EngineSeated(seat=command.seat, player=self.known_player(command.player)))
            case m.AddEntropy():
                if self.playing or self.draw.call is not None:
                    raise Refusal("late", "rooms.error.the-game-has-begun")
                self._own(command.seat, person)
                draft.take(e.EntropyAdded(seat=command.seat, words=command.words))
            case m.Seal():
                self._own(command.seat, person)
                draft.take(binding.seal(self, command))
            case m.Open():
                self._own(command.seat, person)
                draft.take(binding.opening(self, command))
            case m.Start():
                self._check_start(person)
                if self.number and not self.setup.crowd and self.seats_of(person):
                    offers.offer(self, "again", person, draft)
                else:
                    readiness.start(self, person, draft)
            case m.Ready():
                readiness.say(self, person, draft)
            case m.Offer():
                if command.what == "takeback":
                    rated.check_alone(self)
                if command.what not in offers.may(self, self.seats_of(person)):
                    if command.what == "stop":
                        raise Refusal("forbidden", "rooms.error.no-game-is-being-played-now")
                    raise Refusal("forbidden", "rooms.error.nothing-can-be-taken-back")
                offers.offer(self, command.what, person, draft)
            case m.AnswerOffer():
                offers.answer(self, command.yes, person, draft)
            case m.CloseRound():
                self._check_crowd_host(person)
                self._time_is_up(TimeUp(self.since), draft)
            case m.Pause():
                self._check_crowd_host(person)
                if not self.playing:
                    raise Refusal("early", "rooms.error.no-game-is-being-played-now")
                if command.on == self.paused:
                    raise Refusal("stale", "rooms.error.the-table-has-changed-since")
                draft.take(e.Paused() if command.on else e.Resumed())
            case m.Resign():
                self._at_table(command.seat, person)
                if "resign" not in offers.may(self, (command.seat,)):
                    raise Refusal("forbidden", "rooms.error.a-game-of-a-series-cannot-be-given")
                if len(self.seating) > 2:
                    player = self.known_player(command.player)
                    rated.leave(self, command.seat, draft)
                    draft.take(e.EngineSeated(seat=command.seat, player=player))
                    return
                places = tuple(2 if seat == command.seat else 1 for seat in range(2))
                draft.end("resigned", self.scores_so_far, places, command.seat)
            case m.Say() | m.Phrase():
                draft.take(self._say(command, person))
            case m.Manage():
                if person != self.host:
                    raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
                draft.take(e.Managed(public=command.public, chat=command.chat))
            case _:
                assert_never(command)

    def check_move(self, seat: int, move: str, person: str) -> m.After | None:
        """What a move of a person's own seat would lead to; raises the rules' own error if it could not be made now."""
        state = self._at_table(seat, person)
        after = state.play(state.parse_move(move, seat), seat)
        return look_ahead(self.game, after.view(seat))

    def _check_crowd_host(self, person: str) -> None:
        if person != self.host or not self.setup.crowd:
            raise Refusal("forbidden", "rooms.error.only-the-host-of-a-crowd-can-do")

    def _engine_moves(self, command: EngineMove, draft: "Draft") -> None:
        if self.since != command.since or (command.seat, command.player) not in self.engines_to_move():
            raise Refusal("stale", "rooms.error.the-table-has-changed-since")
        assert self.sitting is not None
        if command.move is None:
            draft.take(e.EngineFailed(seat=command.seat, player=command.player), by_itself=True)
            draft.force(command.seat)
        else:
            draft.move(self.sitting.state.parse_move(command.move, command.seat), command.seat)

    def _time_is_up(self, command: TimeUp, draft: "Draft") -> None:
        """The moves of everybody whose time is up, by the game's stated rule (``Game.forced``)."""
        if self.sitting is None or not self.playing or self.paused or self.since != command.since:
            raise Refusal("stale", "rooms.error.the-table-has-changed-since")
        for seat in self.sitting.state.deciding:
            if seat not in self.seating.engines:
                draft.force(seat)
        if not draft.entries:
            raise Refusal("stale", "rooms.error.the-table-has-changed-since")

    def _sit(self, command: m.Sit, person: str, draft: "Draft") -> None:
        rated.check_open(self)
        check_name(command.name, self.resources.reserved)
        if len(self.seating) <= MAX_LISTED_SEATS:
            check_company(command.name, (each.name for each in self.seating if each.kind == "person"))
        if self.public and not self.playing and self.seats_of(person):
            raise Refusal("taken", "rooms.error.you-have-a-seat-already-at")
        growing = self.setup.crowd and not self.playing and self.draw.call is None
        if command.seat is None:
            if growing and self.seats_of(person):
                raise Refusal("taken", "rooms.error.you-have-a-seat-already")
            free = self.seating.free
            seat = len(self.seating) if free is None and growing else free
            if seat is None or seat >= MAX_SEATS:
                raise Refusal("full", "rooms.error.there-is-no-seat-left")
        else:
            seat = command.seat
            if self._chair(seat).kind == "person":
                raise Refusal("taken", "rooms.error.somebody-sits-there-already")
            if self._chair(seat).kind == "engine":
                raise Refusal("taken", "rooms.error.a-computer-sits-there")
        draft.take(e.Seated(seat=seat, name=command.name, seals=command.seals))
        if command.words and not self.playing and self.draw.call is None:
            draft.take(e.EntropyAdded(seat=seat, words=command.words))

    def _check_start(self, person: str) -> None:
        if self.playing or self.draw.wait is not None:
            raise Refusal("late", "rooms.error.the-game-has-begun-already")
        if self.setup.crowd and person != self.host:
            raise Refusal("forbidden", "rooms.error.only-the-host-can-do-that")
        if person != self.host and not (self.number and self.seats_of(person)):
            raise Refusal("forbidden", "rooms.error.only-the-host-can-start-the-first-game")
        if self.setup.crowd and not self.seating.taken:
            raise Refusal("early", "rooms.error.nobody-has-sat-down-yet")
        if not (self.seating.full or self.setup.crowd):
            raise Refusal("early", "rooms.error.some-seats-are-still-open")

    def beginning(self) -> e.Begun:
        """The next game; in a crowd, seats that nobody took are cleared away first, if they were not at the call."""
        if self.draw.call is not None:
            starter = self.draw.call.starter
            return e.Begun(
                number=self.number + 1, starter=starter, rated=rated.is_rated(self.setup.rated, self.seating)
            )
        taken = [seat for seat, chair in enumerate(self.seating) if chair.taken]
        starter = self.next_starter % len(taken)
        return e.Begun(
            number=self.number + 1,
            starter=starter,
            taken=taken if self.setup.crowd else None,
            rated=rated.is_rated(self.setup.rated, self.seating),
        )

    def _say(self, command: m.Say | m.Phrase, person: str) -> e.Said | e.PhraseSaid:
        seats = self.seats_of(person)
        if not seats and person != self.host:
            raise Refusal("forbidden", "rooms.error.only-people-at-the-table-can-talk")
        name = self.seating[seats[0]].name if seats else self.setup.name
        seat = seats[0] if seats else None
        if isinstance(command, m.Phrase):
            if command.phrase not in m.PHRASES:
                raise Refusal("malformed", "rooms.error.there-is-no-such-phrase")
            return e.PhraseSaid(seat=seat, name=name, text=command.phrase)
        if not self.chat:
            raise Refusal("forbidden", "rooms.error.the-host-has-switched-free-text-off")
        return e.Said(seat=seat, name=name, text=command.text)

    def known_player(self, player: str) -> str:
        """The id of a computer player, if there is one of that name."""
        known = self.resources.players.get(self.game.id, ())
        if player not in known:
            raise Refusal("malformed", "rooms.error.there-is-no-player", name=player, players=", ".join(known))
        return player

    def _at_table(self, seat: int, person: str) -> State[Any]:
        """The running game, for who plays this seat in it."""
        if self.sitting is None or not self.playing:
            raise Refusal("early", "rooms.error.no-game-is-being-played-now")
        self._own(seat, person)
        if self.paused:
            raise Refusal("early", "rooms.error.the-host-has-paused-the-game")
        return self.sitting.state

    def _chair(self, seat: int) -> Chair:
        if seat >= len(self.seating):
            raise Refusal("malformed", "rooms.error.there-is-no-seat-at-this-table", seat=seat)
        return self.seating[seat]

    def _own(self, seat: int, person: str) -> None:
        chair = self._chair(seat)
        if chair.kind != "person" or chair.person != person:
            raise Refusal("forbidden", "rooms.error.that-is-not-your-seat")

    # -- what there is to know ------------------------------------------------------------------------------------

    def seats_of(self, person: str) -> tuple[int, ...]:
        """The seats that a person has."""
        return self.seating.seats_of(person)

    def engines_to_move(self) -> list[tuple[int, str]]:
        """The seats that a computer has to decide for now, and which player it is."""
        if self.sitting is None or not self.playing or self.paused or not self.seating.engines:
            return []
        deciding = self.sitting.state.deciding
        return [(seat, self.seating[seat].name) for seat in sorted(self.seating.engines) if seat in deciding]

    @property
    def deadline(self) -> float | None:
        """When the running decision's time is up."""
        if not self.setup.clock or not self.playing or self.paused or self.sitting is None:
            return None
        return self.since_at + self.setup.clock if self.sitting.state.deciding else None

    @property
    def paused(self) -> bool:
        """Whether the host has stopped the game for a while."""
        return self.paused_at is not None

    def was_helped(self, seat: int) -> bool:
        """Whether the log says already that a seat had a hint for the running decision."""
        return any((hint.seat, hint.since) == (seat, self.since) for hint in self.hints)

    @property
    def at_stake(self) -> bool:
        """Whether a rated game is being played."""
        return self.playing and self.stake is not None

    @property
    def scores_so_far(self) -> tuple[int, ...]:
        """The scores of a game that is not played to its end."""
        assert self.sitting is not None
        so_far = self.game.scores_so_far
        return (0,) * len(self.seating) if so_far is None else so_far(self.sitting.state)

    @property
    def next_starter(self) -> int:
        """Who starts the next game; a position says itself whose turn it is."""
        first = int(self.setup.options.get("starter", 0))
        if self.setup.origin is not None:
            return first
        return (first + self.number) % max(1, len(self.seating))

    @cached_property
    def missed(self) -> Mapping[int, str]:
        """The moves that were made for seats whose time was up in the decision before this one."""
        found: dict[int, str] = {}
        link = self.missed_last
        while link is not None:
            found[link.seat] = link.move
            link = link.before
        return found

    @cached_property
    def series(self) -> Series | None:
        """The series that the last game belonged to, or the next one begins."""
        seats, games = len(self.seating), self.setup.games
        if not 0 < seats <= MAX_LISTED_SEATS:
            return None
        done = len(self.results) % games or (games if self.results else 0)
        results = [result for result in self.results[len(self.results) - done :] if len(result.scores) == seats]
        try:
            return Series(self.game, self.setup.options | {"seats": seats}, games, tuple(results))
        except SobremesaError:
            return None

    @cached_property
    def promises(self) -> tuple[Promise, ...]:
        """Fair chance of the running or last game, and of the next one. Secrets only of games that are over."""
        if self.playing and self.commitment is not None:
            return (self._promise(None),)
        last = (self.kept_promise,) if self.kept_promise is not None else ()
        if self.commitment is None:
            return last
        draw = self.draw
        return (
            *last,
            Promise(
                self.number + 1,
                self.commitment,
                self.words,
                None,
                draw.context,
                {
                    seat: sealed.seal
                    for seat, sealed in (draw.call.by_seat if draw.call else draw.seals.as_dict()).items()
                },
                None if draw.call is None else draw.call.digest,
            ),
        )

    def _promise(self, secret: str | None) -> Promise:
        """The promise of the game that is being played, or has just been."""
        chance = None if self.sitting is None else self.sitting.chance
        if not isinstance(chance, BoundChance):
            return Promise(self.number, self.commitment or "", self.words_in_play, secret)
        return Promise(
            self.number,
            self.commitment or "",
            self.words_in_play,
            secret,
            chance.context,
            {each.seat: each.seal for each in chance.sealed},
            chance.call,
            {each.seat: each.opening for each in chance.sealed if each.opening is not None},
        )

    @property
    def result(self) -> Result | None:
        """The result of the last game, if it is over and no other is being played."""
        if self.playing or (self.end is not None and self.end.how == "stopped"):
            return None
        return self.results[-1] if self.results else None

    def record(self) -> Record | None:
        """The record of the last game, once it is over."""
        if self.sitting is None or self.playing:
            return None
        return replace(self.sitting.record(), hints=tuple((hint.event, hint.seat) for hint in self.hints))

    # -- what has happened ----------------------------------------------------------------------------------------

    @classmethod
    def replay(cls, id: str, log: Iterable[e.Entry], resources: Resources | None = None) -> "Room":
        """The room that a log adds up to."""
        room = cls(id, resources or Resources())
        for entry in log:
            room = room.apply(entry)
        return room

    def apply(self, entry: e.Entry, sitting: Sitting | None = None) -> "Room":
        """The room after one entry. ``sitting`` is the game after a move that has been played already."""
        assert entry.version == self.version + 1, "entries come in order"
        name = ""
        event = entry.event
        match event:
            case e.Moved():
                assert self.sitting is not None
                if sitting is None:
                    move = self.sitting.state.parse_move(event.move, event.seat)
                    sitting = self.sitting.play(move, event.seat)
                step = TableStep(entry.version, sitting.state, event)
                changed = replace(
                    self,
                    sitting=sitting,
                    step=step,
                    open_step=self.open_step if event.hidden else step,
                    undo=self._undo_after(event),
                    missed_now=Missed(event.seat, event.move, self.missed_now) if event.forced else self.missed_now,
                    offer=None if self.offer and self.offer.what == "takeback" else self.offer,
                    stake=self.stake and self.stake.after(event, self.seating[event.seat].kind == "person"),
                )
                if not sitting.together or not sitting.state.deciding:
                    changed = changed._wait_from(entry)
            case e.Rolled():
                assert self.sitting is not None
                sitting = self.sitting.happen(event.outcome)
                step = TableStep(entry.version, sitting.state, event, draw=self.sitting.rolls)
                changed = replace(self, sitting=sitting, step=step, open_step=step, undo=())._wait_from(entry)
            case e.TakenBack():
                undo = self.undo[-event.moves]
                step = TableStep(entry.version, undo.sitting.state, event, undo.step.version)
                kept = self.undo[: -event.moves]
                changed = replace(self, sitting=undo.sitting, step=step, open_step=step, undo=kept, offer=None)
                changed = changed._wait_from(entry)
            case e.Paused():
                changed = replace(self, paused_at=entry.at)
            case e.Resumed():
                # Not more time than there was, even if clocks went back meanwhile.
                rest = max(0.0, entry.at - (entry.at if self.paused_at is None else self.paused_at))
                changed = replace(self, paused_at=None, since_at=self.since_at + rest)
            case e.Offered():
                changed = replace(self, offer=offers.Offer(event.what, event.seats[0], frozenset(event.seats)))
            case e.Agreed():
                assert self.offer is not None
                changed = replace(self, offer=replace(self.offer, agreed=self.offer.agreed | set(event.seats)))
            case e.Declined():
                changed = replace(self, offer=None)
            case e.Created():
                changed = replace(
                    self,
                    setup=event,
                    game=find_game(event.game),
                    host=entry.person,
                    public=event.public,
                    chat=event.chat,
                    seating=Seating(OPEN for _ in event.seats),
                )
            case e.Seated():
                chair = Chair("person", event.name, entry.person, event.seals)
                changed = replace(self, seating=self.seating.with_chair(event.seat, chair), offer=None, ready=None)
            case e.Left() | e.Forfeited():
                name = self.seating[event.seat].name
                chair = Chair("gone" if self.number or self.draw.call is not None else "open", name)
                words = {seat: words for seat, words in self.words.items() if seat != event.seat}
                seating, draw = self.seating.with_chair(event.seat, chair), self.draw.without(event.seat)
                if draw.call is None and not self.setup.crowd:
                    draw = replace(draw, wait=None, again=False)
                changed = replace(self, seating=seating, words=words, draw=draw, offer=None, ready=None)
                if isinstance(event, e.Forfeited) and self.stake is not None:
                    changed = replace(changed, stake=replace(self.stake, lost=(*self.stake.lost, event.seat)))
            case e.EngineSeated():
                seating = self.seating.with_chair(event.seat, Chair("engine", event.player))
                changed = replace(self, seating=seating, ready=None)
            case e.ReadyAsked():
                changed = replace(self, ready=readiness.Asked(entry.version, entry.at, self.seating.engines))
            case e.ReadySaid():
                assert self.ready is not None
                said = replace(self.ready, seats=self.ready.seats.union(event.seats))
                changed = replace(self, ready=said)
            case e.HintGiven():
                assert self.sitting is not None
                hint = Hint(event.seat, self.since, self.sitting.next_event)
                changed = replace(self, hints=(*self.hints, hint))
            case e.EntropyAdded():
                changed = replace(self, words=self.words | {event.seat: event.added})
            case e.Promised():
                draw = binding.after(self, event, entry)
                changed = replace(self, commitment=event.commitment, secret=entry.secret, draw=draw)
            case e.Voided():
                draw = binding.after(self, event, entry)
                changed = replace(self, commitment=None, secret=None, draw=draw)
            case e.Gathering() | e.Called():
                cleared = self._cleared(event.taken) if isinstance(event, e.Called) else self
                changed = replace(cleared, draw=binding.after(cleared, event, entry), offer=None, ready=None)
            case e.Sealed() | e.Opened():
                changed = replace(self, draw=binding.after(self, event, entry))
            case e.Begun():
                changed = self._begin(event, entry)
            case e.Ended():
                changed = self._end(event)
            case e.Managed():
                changed = replace(
                    self,
                    public=self.public if event.public is None else event.public,
                    chat=self.chat if event.chat is None else event.chat,
                    ready=None,
                )
            case e.Said() | e.PhraseSaid() | e.EngineFailed():
                changed = self
            case _:
                assert_never(event)
        return replace(changed, version=entry.version, changed_at=entry.at, talk=self._heard(event.line(entry, name)))

    def _heard(self, line: m.TalkLine | None) -> tuple[m.TalkLine, ...]:
        """The talk with one more line. In a crowd coming and going is not worth one."""
        if line is None:
            return self.talk
        if len(self.seating) > MAX_LISTED_SEATS and line.kind in ("seated", "left", "engine"):
            return self.talk
        return (*self.talk, line)[-MAX_TALK_LINES:]

    def _cleared(self, taken: list[int] | None) -> "Room":
        """The room after the seats were cleared away that are not among those that stay."""
        if taken is None:
            return self
        places = {seat: place for place, seat in enumerate(taken)}
        words = {places[seat]: said for seat, said in self.words.items() if seat in places}
        seating = Seating(self.seating[seat] for seat in taken)
        return replace(self, seating=seating, words=words, draw=self.draw.renumbered(taken))

    def _begin(self, event: e.Begun, entry: e.Entry) -> "Room":
        cleared = self._cleared(event.taken)
        seating, words = cleared.seating, cleared.words
        seats = range(len(seating))
        chance: FairChance | BoundChance | None = binding.chance_of(cleared, event.starter)
        if chance is None:
            chance = FairChance(self.secret or b"", tuple(words.get(seat, "") for seat in seats) if words else ())
        options = self.setup.options | {"seats": len(seats), "starter": event.starter}
        position = None if self.setup.origin is None else self.setup.origin.position
        sitting = Sitting.start(self.game, options, chance, tuple(chair.name for chair in seating), position)
        step = TableStep(entry.version, sitting.state, event)
        begun = replace(
            self,
            seating=seating,
            words=words,
            words_in_play=words,
            sitting=sitting,
            number=event.number,
            playing=True,
            draw=Draw(),
            kept_promise=None,
            step=step,
            open_step=step,
            undo=(),
            missed_now=None,
            missed_last=None,
            offer=None,
            end=None,
            stake=rated.Stake(tuple(chair.person for chair in seating)) if event.rated else None,
            ready=None,
            hints=(),
        )
        return begun._wait_from(entry)

    def _end(self, event: e.Ended) -> "Room":
        kept = None
        if self.commitment is not None:
            kept = self._promise(event.secret)
        stopped = event.how == "stopped"
        lost = () if self.stake is None else self.stake.lost
        started = () if self.sitting is None else self.sitting.names
        names = tuple(started[seat] if seat in lost else chair.name for seat, chair in enumerate(self.seating))
        return replace(
            self,
            results=self.results if stopped else (*self.results, Result(event.scores, event.places)),
            # The names that people have at the end: who came back under another one lost or won with it.
            sitting=None if self.sitting is None else replace(self.sitting, names=names),
            undo=(),
            offer=None,
            end=event,
            playing=False,
            paused_at=None,
            commitment=None,
            secret=None,
            words={},
            kept_promise=kept,
        )

    def _undo_after(self, event: e.Moved) -> tuple[Undo, ...]:
        """What can be taken back after a move: nothing, if it was hidden from others or hides what was open."""
        assert self.sitting is not None
        if event.hidden or self.game.hides(event.move) or self.step is None or self.open_step is None:
            return ()
        return (*self.undo, Undo(event.seat, event.move, self.sitting, self.step, self.open_step))[-MAX_TAKEN_BACK:]

    def _wait_from(self, entry: e.Entry) -> "Room":
        """A new decision begins with this entry: its clock starts, and moves must answer it."""
        if entry.version == self.since:
            return self
        # A roll right after the moves of a round belongs to the same change of decision.
        moved = isinstance(entry.event, e.Rolled) and self.since == entry.version - 1 and self.missed_now is None
        last = self.missed_last if moved else self.missed_now
        return replace(self, since=entry.version, since_at=entry.at, missed_last=last, missed_now=None)


def _options_of(game: Game, setup: m.NewRoom, origin: m.Origin) -> dict[str, Any]:
    """How the table of a position is set, if a room can begin there."""
    if setup.crowd or setup.games > 1:
        raise Refusal("malformed", "rooms.error.from-a-position-single-games-are-played-and-not-by-a-crowd")
    state = game.parse_position(origin.position)
    if state.seats != len(setup.seats):
        raise Refusal("malformed", "rooms.error.the-position-is-for-seats", seats=state.seats)
    if state.over:
        raise Refusal("malformed", "rooms.error.the-game-is-over-in-this-position")
    return {name: value for name, value in state.options.items() if name != "seats"}


class Draft:
    """A transition in the making."""

    def __init__(
        self,
        room: Room,
        person: str | None,
        command: str | None,
        now: float,
        here: Collection[str] | None = None,
    ) -> None:
        self.room = room
        self.here = here
        self.entries: list[e.Entry] = []
        self._steps: list[TableStep] = []
        self._person = person
        self._command = command
        self._now = now

    def take(
        self, event: e.Event, *, by_itself: bool = False, sitting: Sitting | None = None, secret: bytes | None = None
    ) -> None:
        """Takes an event in; ``by_itself`` if nobody did it."""
        person = None if by_itself else self._person
        command = None if self.entries else self._command
        entry = e.Entry(self.room.version + 1, self._now, event, person, command, secret)
        before = self.room.step
        self.room = self.room.apply(entry, sitting)
        self.entries.append(entry)
        if self.room.step is not None and self.room.step is not before:
            self._steps.append(self.room.step)

    def move(self, move: Any, seat: int, person: str | None = None, *, forced: bool = False) -> None:
        """A seat moves. Where several decide together the move is hidden: others are not told where it went."""
        sitting = self.room.sitting
        assert sitting is not None
        event = e.Moved(seat=seat, move=str(move), hidden=sitting.together, forced=forced)
        self.take(event, by_itself=person is None, sitting=sitting.play(move, seat))

    def end(
        self,
        how: Literal["played", "resigned", "stopped", "left"],
        scores: tuple[int, ...] = (),
        places: tuple[int, ...] = (),
        seat: int | None = None,
    ) -> None:
        """The game ends, and its secret is told."""
        secret = self.room.secret.hex() if self.room.secret else None
        event = e.Ended(number=self.room.number, scores=scores, places=places, secret=secret, how=how, seat=seat)
        self.take(event, by_itself=how in ("played", "left"))

    def begin(self, *, by_itself: bool = False) -> None:
        """The next game begins, or waits for whoever takes part in fair chance."""
        self.take(binding.first_step(self.room, self.here), by_itself=by_itself)

    def force(self, seat: int) -> None:
        """The move that is made for a seat that does not decide by itself."""
        assert self.room.sitting is not None
        self.move(self.room.game.forced(self.room.sitting.state.view(seat)), seat, forced=True)

    def finish(self) -> Transition:
        """Lets everything happen that happens by itself."""
        while self._follow_up():
            pass
        return Transition(tuple(self.entries), self.room, tuple(self._steps))

    def _asks_the_gone(self) -> bool:
        """Whether seats whose people have left may have to decide now, and did not before."""
        event = self.entries[-1].event
        return self.room.since == self.room.version or isinstance(event, e.Left | e.Forfeited | e.Resumed)

    def _follow_up(self) -> bool:
        """A full table begins, chance speaks, who left is moved for, a game ends and the next one is promised."""
        room = self.room
        if room.sitting is not None and room.playing:
            state = room.sitting.state
            if state.over:
                result = state.result()
                assert result is not None
                self.end("played", result.scores, result.places)
            elif rated.follow_up(self):
                pass
            elif state.chance is not None:
                self.take(e.Rolled(outcome=room.sitting.bound()), by_itself=True)
            elif (
                room.seating.gone
                and (room.sitting.together or room.at_stake)
                and not room.paused
                and self._asks_the_gone()
            ):
                deciding = state.deciding
                seats = [seat for seat in sorted(room.seating.gone) if seat in deciding]
                for seat in seats:
                    self.force(seat)
                return bool(seats)
            else:
                return False
        elif room.commitment is None:
            secret_bytes = room.resources.random_bytes(32)
            self.take(binding.promised(room, secret_bytes), by_itself=True, secret=secret_bytes)
        elif (event := binding.by_itself(room, self.here)) is not None:
            self.take(event, by_itself=True)
        elif room.draw.wait is not None:
            return False
        elif room.ready is not None and readiness.everybody(room):
            self.begin(by_itself=True)
        elif (
            room.number == 0 and room.ready is None and room.seating.full and not (room.setup.wait or room.setup.crowd)
        ):
            readiness.begin(room, self)
        else:
            return False
        return True
