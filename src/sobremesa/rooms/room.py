"""A room: what its event log adds up to, and what may happen in it next.

``handle`` turns a command into a transition (new entries of the log, and the room after them) or refuses it; ``apply``
takes one stored entry in. Rooms are immutable: what was not written down is forgotten by dropping the successor, and
applying the stored log to an empty room gives the same room again, after a crash or on another machine.
"""

import secrets
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game
from sobremesa.core.result import Result
from sobremesa.core.state import State
from sobremesa.rooms import applying, handling, offers, promises, rated, readiness
from sobremesa.rooms import events as e
from sobremesa.rooms import messages as m
from sobremesa.rooms.binding import Draw
from sobremesa.rooms.commands import HouseCommand
from sobremesa.rooms.draft import Transition
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.history import Hint, Missed, TableStep, Undo
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.pictures import look_ahead
from sobremesa.rooms.promises import Promise
from sobremesa.rooms.seating import Chair, Seating
from sobremesa.table.fair import Words
from sobremesa.table.record import Record
from sobremesa.table.series import Series
from sobremesa.table.sitting import Sitting

ADVISER = "champion"
"""The computer player that gives hints and reviews games."""
USUAL_PLAYER = "greedy"
"""The computer player that sits down where none is named, in a game that has it."""


@dataclass(frozen=True)
class Resources:
    """What a room is given from outside."""

    players: Mapping[str, Collection[str]] = field(default_factory=dict)
    """The computer players that can be seated, by the game's id."""
    random_bytes: Callable[[int], bytes] = secrets.token_bytes
    """Where the secrets of fair chance come from."""
    reserved: Collection[str] = frozenset()
    """What no person's name may look like: skeletons (``names.reserved``)."""


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
    forced: frozenset[int] = field(default=frozenset(), repr=False)
    """The people, by seat, whose last move was made for them; not at tables where not everybody is listed."""
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
        return handling.create(cls(id, resources), setup, person, now, command)

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
        return handling.handle(self, command, person, now, here)

    def check_move(self, seat: int, move: str, person: str) -> m.After | None:
        """What a move of a person's own seat would lead to; raises the rules' own error if it could not be made now."""
        state = self.at_table(seat, person)
        after = state.play(state.parse_move(move, seat), seat)
        return look_ahead(self.game, after.view(seat))

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

    @property
    def advised(self) -> bool:
        """Whether there is a computer player that gives hints and reviews games."""
        return ADVISER in self.resources.players.get(self.game.id, ())

    def known_player(self, player: str | None) -> str:
        """The id of a computer player, if there is one of that name; without a name, of the usual one or the first."""
        known = self.resources.players.get(self.game.id, ())
        if player is None:
            player = USUAL_PLAYER if USUAL_PLAYER in known else next(iter(known), "")
        if player not in known:
            raise Refusal("malformed", "rooms.error.there-is-no-player", name=player, players=", ".join(known))
        return player

    def at_table(self, seat: int, person: str) -> State[Any]:
        """The running game, for who plays this seat in it."""
        if self.sitting is None or not self.playing:
            raise Refusal("early", "rooms.error.no-game-is-being-played-now")
        self.check_own(seat, person)
        if self.paused:
            raise Refusal("early", "rooms.error.the-host-has-paused-the-game")
        return self.sitting.state

    def chair(self, seat: int) -> Chair:
        """One of the table's seats; refused if there is none of that number."""
        if seat >= len(self.seating):
            raise Refusal("malformed", "rooms.error.there-is-no-seat-at-this-table", seat=seat)
        return self.seating[seat]

    def check_own(self, seat: int, person: str) -> None:
        """Refuses what only who sits there may do."""
        chair = self.chair(seat)
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
        return promises.promises(self)

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
        return applying.apply(self, entry, sitting)
