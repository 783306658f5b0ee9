"""A room: what its event log adds up to, and what may happen in it next. No clock, no disk, no network in here.

``decide`` turns a command into drafts of events or refuses it; ``apply`` takes one event in. Applying the
stored log to a fresh room gives the same room again, after a crash or on another machine.
"""

import secrets
from collections import deque
from dataclasses import dataclass, field
from typing import Any

from sobremesa.core.errors import SobremesaError
from sobremesa.core.game import Game
from sobremesa.core.result import Result
from sobremesa.core.state import State
from sobremesa.engines import PLAYERS
from sobremesa.games import find_game
from sobremesa.server import messages as m
from sobremesa.table.fair import FairChance
from sobremesa.table.record import Record
from sobremesa.table.series import Series
from sobremesa.table.sitting import Sitting

REMEMBERED = 200
"""So many events, and answers to commands, are kept in memory for clients that come back."""


class Refusal(SobremesaError):
    """A command that the room will not do; ``reason`` is a word for programs."""

    def __init__(self, reason: str, text: str, /, **values: object) -> None:
        super().__init__(text, **values)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Event:
    """One line of a room's log."""

    version: int
    kind: str
    data: dict[str, Any]
    at: float
    person: str | None = None


@dataclass(frozen=True, slots=True)
class Draft:
    """An event that is about to happen. A promise brings the secret that must be stored with it."""

    kind: str
    data: dict[str, Any] = field(default_factory=dict)
    person: str | None = None
    secret: bytes | None = None


@dataclass(slots=True)
class Chair:
    """A seat of the table and who is in it."""

    kind: str
    """``open``, ``person``, ``engine`` or ``gone``."""
    name: str = ""
    person: str | None = None


class Room:
    """The present state of a room. Made by applying its events, the first of which is ``created``."""

    def __init__(self, id: str) -> None:
        self.id = id
        self.version = 0
        self.setup: m.NewRoom
        self.game: Game
        self.host: str | None = None
        self.public = False
        self.chat = True
        self.chairs: list[Chair] = []
        self.number = 0
        self.playing = False
        self.secret: bytes | None = None
        self.commitment: str | None = None
        self.words: dict[int, str] = {}
        self.sitting: Sitting | None = None
        self.results: list[Result] = []
        self.since = 0
        self.since_at = 0.0
        self.changed_at = 0.0
        self.recent: deque[Event] = deque(maxlen=REMEMBERED)
        self._seats: dict[str | None, list[int]] = {}
        self._answered: dict[tuple[str | None, str], int] = {}

    # -- what may happen ------------------------------------------------------------------------------------------

    @staticmethod
    def create(setup: m.NewRoom, person: str) -> list[Draft]:
        """The first events of a new room."""
        game = find_game(setup.game)
        seats = next(option for option in game.options if option.name == "seats")
        if "seats" in setup.options:
            raise Refusal("malformed", "the seats are a list of their own")
        if setup.crowd:
            if seats.choices:
                raise Refusal("malformed", "{game} is not for crowds", game=game.name)
            game.set_table(setup.options | {"seats": m.MOST_SEATS})
        else:
            game.set_table(setup.options | {"seats": len(setup.seats)})
        if game.even_starts and setup.games > 1:
            Series(game, setup.options | {"seats": len(setup.seats)}, setup.games)
        drafts = [Draft("created", setup.model_dump(mode="json"), person)]
        for seat, plan in enumerate(setup.seats):
            if plan.kind == "me":
                drafts.append(Draft("seated", {"seat": seat, "name": plan.name or setup.name}, person))
                if setup.words:
                    drafts.append(Draft("words", {"seat": seat, "words": setup.words}, person))
            elif plan.kind == "engine":
                drafts.append(Draft("engine", {"seat": seat, "player": _known(plan.player)}))
        return [*drafts, promise(1)]

    def decide(self, command: m.AnyCommand, person: str) -> list[Draft]:
        """What a command of this person leads to; raises a refusal, or the rules' own error."""
        match command:
            case m.Sit():
                return self._sit(command, person)
            case m.Leave():
                chair = self._chair(command.seat)
                if chair.kind not in ("person", "engine") or person not in (chair.person, self.host):
                    raise Refusal("forbidden", "only who sits there, or the host, can free that seat")
                return [Draft("left", {"seat": command.seat}, person)]
            case m.PutEngine():
                return self._put_engine(command, person)
            case m.Words():
                if self.playing:
                    raise Refusal("late", "the game has begun: words count for the next one")
                self._own(command.seat, person)
                return [Draft("words", {"seat": command.seat, "words": command.words}, person)]
            case m.Start():
                return [self._start(person)]
            case m.Move():
                return self._move(command, person)
            case m.Say() | m.Phrase():
                return [self._say(command, person)]
            case m.Manage():
                self._only_host(person)
                changes = {key: value for key in ("public", "chat") if (value := getattr(command, key)) is not None}
                return [Draft("managed", changes, person)]

    def answered(self, command: m.Command, person: str) -> int | None:
        """The version at which this very command was done already, if it was."""
        return self._answered.get((person, command.id))

    def follow_up(self) -> Draft | None:
        """What happens by itself now: a full table begins, chance speaks, a game ends and the next one is promised."""
        if self.sitting is not None and self.playing:
            state = self.sitting.state
            if state.over:
                result = state.result()
                assert result is not None
                secret = self.secret.hex() if self.secret else None
                scores = {"scores": result.scores, "places": result.places}
                return Draft("ended", {"number": self.number} | scores | {"secret": secret})
            if state.chance is not None:
                assert self.secret is not None
                return Draft("rolled", {"outcome": self.sitting.bound()})
            return None
        if self.commitment is None:
            return promise(self.number + 1)
        if self.number == 0 and not self.setup.wait and not self.setup.crowd and self.full:
            return self._begin()
        return None

    def time_out(self) -> list[Draft]:
        """The moves of everybody whose time is up, by the game's stated rule (``Game.forced``)."""
        if self.sitting is None or not self.playing:
            return []
        return [self._forced_move(seat) for seat in self.sitting.state.deciding if self.chairs[seat].kind != "engine"]

    def moves_of_the_gone(self) -> list[Draft]:
        """The moves of seats whose people have left, in games where all decide at once and nobody should wait."""
        if self.sitting is None or not self.playing or not self.sitting.together:
            return []
        return [self._forced_move(seat) for seat in self.sitting.state.deciding if self.chairs[seat].kind == "gone"]

    def engines_to_move(self) -> list[tuple[int, str]]:
        """The seats that a computer has to decide for now, and which player it is."""
        if self.sitting is None or not self.playing:
            return []
        deciding = self.sitting.state.deciding
        if len(deciding) > len(self._engine_seats):
            return [(seat, self.chairs[seat].name) for seat in self._engine_seats if seat in deciding]
        return [(seat, self.chairs[seat].name) for seat in deciding if self.chairs[seat].kind == "engine"]

    @property
    def _engine_seats(self) -> list[int]:
        return [seat for seat, chair in enumerate(self.chairs) if chair.kind == "engine"]

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return bool(self.chairs) and all(chair.kind in ("person", "engine") for chair in self.chairs)

    @property
    def deadline(self) -> float | None:
        """When the running decision's time is up."""
        if not self.setup.clock or not self.playing or self.sitting is None or not self.sitting.state.deciding:
            return None
        return self.since_at + self.setup.clock

    @property
    def next_starter(self) -> int:
        """Who starts the next game."""
        first = int(self.setup.options.get("starter", 0))
        return (first + self.number) % max(1, len(self.chairs))

    @property
    def series(self) -> Series | None:
        """The series that the last game belonged to, or the next one begins."""
        if not self.chairs or len(self.chairs) > 24:
            return None
        done = len(self.results) % self.setup.games or (self.setup.games if self.results else 0)
        results = [
            result for result in self.results[len(self.results) - done :] if len(result.scores) == len(self.chairs)
        ]
        try:
            return Series(self.game, self.setup.options | {"seats": len(self.chairs)}, self.setup.games, tuple(results))
        except SobremesaError:
            return None

    def seats_of(self, person: str) -> list[int]:
        """The seats that a person has."""
        return self._seats.get(person, [])

    def record(self) -> Record | None:
        """The record of the last game, once it is over."""
        return None if self.sitting is None or self.playing else self.sitting.record()

    def _sit(self, command: m.Sit, person: str) -> list[Draft]:
        if command.seat is None and self.setup.crowd and not self.playing:
            if self.seats_of(person):
                raise Refusal("taken", "you have a seat already")
            seat = next((s for s, chair in enumerate(self.chairs) if chair.kind in ("open", "gone")), len(self.chairs))
            if seat >= m.MOST_SEATS:
                raise Refusal("full", "there is no seat left")
        elif command.seat is None:
            free = [seat for seat, chair in enumerate(self.chairs) if chair.kind in ("open", "gone")]
            if not free:
                raise Refusal("full", "there is no seat left")
            seat = free[0]
        else:
            seat = command.seat
            if self._chair(seat).kind == "person":
                raise Refusal("taken", "somebody sits there already")
            if self._chair(seat).kind == "engine":
                raise Refusal("taken", "a computer sits there; the host can free the seat")
        drafts = [Draft("seated", {"seat": seat, "name": command.name}, person)]
        if command.words and not self.playing:
            drafts.append(Draft("words", {"seat": seat, "words": command.words}, person))
        return drafts

    def _put_engine(self, command: m.PutEngine, person: str) -> list[Draft]:
        chair = self._chair(command.seat)
        if chair.kind == "person":
            raise Refusal("taken", "somebody sits there already")
        if person != self.host and not (chair.kind == "gone" and self.seats_of(person)):
            raise Refusal("forbidden", "only the host can do that")
        return [Draft("engine", {"seat": command.seat, "player": _known(command.player)}, person)]

    def _start(self, person: str) -> Draft:
        if self.playing:
            raise Refusal("late", "the game has begun already")
        if person != self.host and not (self.number and self.seats_of(person)):
            raise Refusal("forbidden", "only the host can start the first game")
        if not (self.full or (self.setup.crowd and any(c.kind in ("person", "engine") for c in self.chairs))):
            raise Refusal("early", "some seats are still open")
        return self._begin()

    def _begin(self) -> Draft:
        """The next game; in a crowd, seats that nobody took are cleared away first."""
        taken = [seat for seat, chair in enumerate(self.chairs) if chair.kind in ("person", "engine")]
        starter = self.next_starter % len(taken)
        return Draft(
            "begun", {"number": self.number + 1, "starter": starter, "taken": taken if self.setup.crowd else None}
        )

    def _move(self, command: m.Move, person: str) -> list[Draft]:
        self._at_table(command.seat, person)
        if command.version < self.since or command.version > self.version:
            raise Refusal("stale", "the table has changed since: look again")
        return [self.move_draft(command.seat, self.check_move(command.seat, command.move, person), person)]

    def check_move(self, seat: int, move: str, person: str) -> str:
        """A move of one's own seat in full notation; raises the rules' own error if it is not possible now."""
        state = self._at_table(seat, person)
        parsed = state.parse_move(move, seat)
        state.play(parsed, seat)
        return str(parsed)

    def _at_table(self, seat: int, person: str) -> State[Any]:
        """The running game, for who plays this seat in it."""
        if self.sitting is None or not self.playing:
            raise Refusal("early", "no game is being played now")
        self._own(seat, person)
        return self.sitting.state

    def move_draft(self, seat: int, move: str, person: str | None = None) -> Draft:
        """A move. Where several decide together it is marked as hidden: others are not told where it went."""
        hidden = {"hidden": True} if self.sitting is not None and self.sitting.together else {}
        return Draft("moved", {"seat": seat, "move": move} | hidden, person)

    def _forced_move(self, seat: int) -> Draft:
        assert self.sitting is not None
        return self.move_draft(seat, str(self.game.forced(self.sitting.state.view(seat))))

    def _say(self, command: m.Say | m.Phrase, person: str) -> Draft:
        seats = self.seats_of(person)
        if not seats and person != self.host:
            raise Refusal("forbidden", "only people at the table can talk")
        name = self.chairs[seats[0]].name if seats else self.setup.name
        seat = seats[0] if seats else None
        if isinstance(command, m.Phrase):
            if command.phrase not in m.PHRASES:
                raise Refusal("malformed", "there is no such phrase")
            return Draft("phrase", {"seat": seat, "name": name, "text": command.phrase}, person)
        if not self.chat:
            raise Refusal("forbidden", "the host has switched free text off")
        return Draft("said", {"seat": seat, "name": name, "text": command.text}, person)

    def _chair(self, seat: int) -> Chair:
        if seat >= len(self.chairs):
            raise Refusal("malformed", "there is no seat {seat} at this table", seat=seat)
        return self.chairs[seat]

    def _own(self, seat: int, person: str) -> None:
        chair = self._chair(seat)
        if chair.kind != "person" or chair.person != person:
            raise Refusal("forbidden", "that is not your seat")

    def _only_host(self, person: str) -> None:
        if person != self.host:
            raise Refusal("forbidden", "only the host can do that")

    # -- what has happened ----------------------------------------------------------------------------------------

    def apply(self, event: Event, secret: bytes | None = None) -> None:
        """Takes one event in. The secret comes with the promise that it belongs to."""
        assert event.version == self.version + 1, "events come in order"
        getattr(self, f"_on_{event.kind}")(event, secret)
        self.version = event.version
        self.changed_at = event.at
        self.recent.append(event)
        if command := event.data.get("id"):
            self._answered[event.person, command] = event.version
            if len(self._answered) > REMEMBERED + 2 * len(self.chairs):
                self._answered.pop(next(iter(self._answered)))

    def _on_created(self, event: Event, secret: bytes | None) -> None:
        self.setup = m.NewRoom.model_validate(event.data)
        self.game = find_game(self.setup.game)
        self.host = event.person
        self.public, self.chat = self.setup.public, self.setup.chat
        self.chairs = [Chair("open") for _ in self.setup.seats]

    def _on_seated(self, event: Event, secret: bytes | None) -> None:
        seat = event.data["seat"]
        if seat == len(self.chairs):
            self.chairs.append(Chair("open"))
        self._take_seat(seat, Chair("person", event.data["name"], event.person))

    def _on_left(self, event: Event, secret: bytes | None) -> None:
        seat = event.data["seat"]
        self._take_seat(seat, Chair("gone" if self.number else "open", self.chairs[seat].name))
        self.words.pop(seat, None)

    def _on_engine(self, event: Event, secret: bytes | None) -> None:
        self._take_seat(event.data["seat"], Chair("engine", event.data["player"]))

    def _take_seat(self, seat: int, chair: Chair) -> None:
        if (before := self.chairs[seat]).kind == "person":
            self._seats[before.person].remove(seat)
        self.chairs[seat] = chair
        if chair.kind == "person":
            self._seats[chair.person] = sorted([*self._seats.get(chair.person, ()), seat])

    def _on_words(self, event: Event, secret: bytes | None) -> None:
        self.words[event.data["seat"]] = event.data["words"]

    def _on_promised(self, event: Event, secret: bytes | None) -> None:
        self.commitment = event.data["commitment"]
        self.secret = secret

    def _on_begun(self, event: Event, secret: bytes | None) -> None:
        if (taken := event.data["taken"]) is not None:
            self.words = {taken.index(seat): words for seat, words in self.words.items() if seat in taken}
            self.chairs = [self.chairs[seat] for seat in taken]
            self._seats = {}
            for seat, chair in enumerate(self.chairs):
                if chair.kind == "person":
                    self._seats.setdefault(chair.person, []).append(seat)
        seats = len(self.chairs)
        options = self.setup.options | {"seats": seats, "starter": event.data["starter"]}
        words = tuple(self.words.get(seat, "") for seat in range(seats)) if self.words else ()
        names = tuple(chair.name for chair in self.chairs)
        chance = FairChance(self.secret or b"", words)
        self.sitting = Sitting.start(self.game, options, chance, names)
        self.number = event.data["number"]
        self.playing = True
        self._wait_from(event)

    def _on_moved(self, event: Event, secret: bytes | None) -> None:
        assert self.sitting is not None
        seat = event.data["seat"]
        self.sitting.play(self.sitting.state.parse_move(event.data["move"], seat), seat)
        if not self.sitting.together or not self.sitting.state.deciding:
            self._wait_from(event)

    def _on_rolled(self, event: Event, secret: bytes | None) -> None:
        assert self.sitting is not None
        self.sitting.happen(event.data["outcome"])
        self._wait_from(event)

    def _on_ended(self, event: Event, secret: bytes | None) -> None:
        self.results.append(Result(tuple(event.data["scores"]), tuple(event.data["places"])))
        self.playing = False
        self.commitment = None
        self.secret = None
        self.words = {}

    def _on_said(self, event: Event, secret: bytes | None) -> None:
        pass

    def _on_phrase(self, event: Event, secret: bytes | None) -> None:
        pass

    def _on_managed(self, event: Event, secret: bytes | None) -> None:
        self.public = event.data.get("public", self.public)
        self.chat = event.data.get("chat", self.chat)

    def _wait_from(self, event: Event) -> None:
        """A new decision begins with this event: its clock starts, and moves must answer it."""
        self.since = event.version
        self.since_at = event.at


def promise(number: int) -> Draft:
    """The promise of a game's chance, with the secret behind it."""
    secret = secrets.token_bytes(32)
    return Draft("promised", {"number": number, "commitment": FairChance(secret).commitment}, secret=secret)


def _known(player: str) -> str:
    if player not in PLAYERS:
        raise Refusal(
            "malformed", "there is no player “{name}”: there are {players}", name=player, players=", ".join(PLAYERS)
        )
    return player
