"""The event log of a room: one class for each kind of thing that can happen, and nothing else can.

A room is what its log replays to. Each kind says what of it others may know (``line``, and ``shows_move`` for moves),
and what remains of it when the person behind it is forgotten (``anonymous``). The names of kinds and fields are those
of the stored log: they stay readable for ever.
"""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Annotated, Any, Literal, Self

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from sobremesa.rooms import messages as m
from sobremesa.table.commitments import Opening
from sobremesa.table.fair import Digest, Words

FORGOTTEN = "–"
"""What stands where the name or the words of a person stood who has been forgotten."""


class _Event(BaseModel):
    """Something that happened in a room."""

    model_config = ConfigDict(frozen=True, extra="ignore")

    def anonymous(self) -> Self:
        """What remains when the person who did it is forgotten."""
        return self

    def line(self, entry: "Entry", name: str) -> "m.TalkLine | None":
        """What is told beside the table, to everybody; ``name`` is who sat in the seat that it is about."""
        return None


class Created(_Event, m.NewRoom):
    """The room was opened; the fields are its setup."""

    model_config = ConfigDict(frozen=True, extra="ignore", strict=False)
    kind: Literal["created"] = "created"

    def anonymous(self) -> Self:
        """The setup without the host's name and words, and without the names of who shared the host's screen.

        Without the way back to another game, too: nobody has checked which room was named.
        """
        seats = [
            # Where no computer sits nobody has checked which player was named.
            m.SeatPlan(kind="engine", player=plan.player, name=plan.name and FORGOTTEN)
            if plan.kind == "engine"
            else m.SeatPlan(kind=plan.kind, name=plan.name and FORGOTTEN)
            for plan in self.seats
        ]
        origin = self.origin and self.origin.model_copy(update={"moment": None})
        return self.model_copy(update={"name": FORGOTTEN, "words": "", "seats": seats, "origin": origin})


class Seated(_Event):
    """A person took a seat."""

    kind: Literal["seated"] = "seated"
    seat: int
    name: str
    seals: bool = False
    """Their client takes part in fair chance."""

    def anonymous(self) -> Self:
        """Somebody without a name took the seat."""
        return self.model_copy(update={"name": FORGOTTEN})

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Who sits where is for everybody."""
        return m.SeatedLine(version=entry.version, at=entry.at, seat=self.seat, name=self.name)


class Renamed(_Event):
    """The person in a seat is called otherwise from now on."""

    kind: Literal["renamed"] = "renamed"
    seat: int
    name: str

    def anonymous(self) -> Self:
        """Somebody without a name was called otherwise."""
        return self.model_copy(update={"name": FORGOTTEN})


class Left(_Event):
    """A seat was given up, by who sat there or by the host."""

    kind: Literal["left"] = "left"
    seat: int

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Who leaves is for everybody."""
        return m.LeftLine(version=entry.version, at=entry.at, seat=self.seat, name=name)


class Forfeited(_Event):
    """Somebody has lost a rated game before its end, and their seat is free."""

    kind: Literal["forfeited"] = "forfeited"
    seat: int
    why: Literal["left", "time"]
    """They left, or their time was up too often."""

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Who has lost is for everybody."""
        return m.ForfeitedLine(version=entry.version, at=entry.at, seat=self.seat, name=name, why=self.why)


class EngineSeated(_Event):
    """A computer player took a seat."""

    kind: Literal["engine"] = "engine"
    seat: int
    player: str

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Which player it is, is for everybody."""
        return m.EngineLine(version=entry.version, at=entry.at, seat=self.seat, player=self.player)


class EngineFailed(_Event):
    """A computer player found no move: one is made for it, as for somebody whose time is up."""

    kind: Literal["engine_failed"] = "engine_failed"
    seat: int
    player: str

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """That a move is not the player's own is for everybody."""
        return m.EngineFailedLine(version=entry.version, at=entry.at, seat=self.seat, player=self.player)


class HintGiven(_Event):
    """A computer told somebody at the table what it would do in their place."""

    kind: Literal["hint"] = "hint"
    seat: int

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Who was helped is for everybody; with what is not."""
        return m.HintLine(version=entry.version, at=entry.at, seat=self.seat)


class ReadyAsked(_Event):
    """Everybody was asked whether they are ready: the table is full, and public."""

    kind: Literal["ready_asked"] = "ready_asked"


class ReadySaid(_Event):
    """Somebody is ready."""

    kind: Literal["ready"] = "ready"
    seats: tuple[int, ...]


class EntropyAdded(_Event):
    """A seat openly added words of its own to the chance of the next game."""

    kind: Literal["words"] = "words"
    seat: int
    words: str = ""
    sha256: str | None = None
    """In place of the words, once their author has been forgotten: the rolls follow from it all the same."""

    @property
    def added(self) -> Words:
        """What counts."""
        return self.words if self.sha256 is None else Digest(self.sha256)

    def anonymous(self) -> Self:
        """The digest alone."""
        digest = self.sha256 or Digest.of(self.words).sha256
        return self.model_copy(update={"words": "", "sha256": digest})


class Promised(_Event):
    """The chance of the next game was promised; the secret is stored beside the log."""

    kind: Literal["promised"] = "promised"
    number: int
    commitment: str
    rules: int | None = None
    """The version of the rules that it is promised for; None for a promise of version 1, which says nothing of them."""
    options: dict[str, int | str | bool] | None = None
    """How the table is set, with rules."""


class Sealed(_Event):
    """A seat committed itself to words for the chance of the next game."""

    kind: Literal["sealed"] = "sealed"
    seat: int
    seal: str


class Gathering(_Event):
    """A game is to begin, and waits until these seats have sealed their words, or until time is up."""

    kind: Literal["gathering"] = "gathering"
    number: int
    seats: list[int]


class Called(_Event):
    """A game is to begin: promise, seats, seals and words change no more, and whoever is called opens."""

    kind: Literal["called"] = "called"
    number: int
    starter: int
    seats: list[int]
    """The seats that are called, after those that nobody took are cleared away."""
    taken: list[int] | None = None
    """In a crowd: the seats that stay; the others are cleared away."""


class Opened(_Event):
    """A seat that was called opened what it had sealed."""

    kind: Literal["opened"] = "opened"
    seat: int
    nonce: str
    words: str = ""
    sha256: str | None = None
    """In place of the words, once their author has been forgotten."""

    @property
    def opening(self) -> Opening:
        """What counts."""
        return Opening(self.nonce, self.words if self.sha256 is None else Digest(self.sha256))

    def anonymous(self) -> Self:
        """The words' digest alone; the nonce was drawn at random."""
        if not self.words:
            return self
        return self.model_copy(update={"words": "", "sha256": Digest.of(self.words).sha256})


class Voided(_Event):
    """A call is void, and the promise with it: these seats did not open in time, or left."""

    kind: Literal["voided"] = "voided"
    number: int
    missing: list[int]

    def line(self, entry: "Entry", name: str) -> m.VoidedLine:
        """Whoever does not open is seen not to."""
        return m.VoidedLine(version=entry.version, at=entry.at, seats=self.missing)


class Begun(_Event):
    """A game began."""

    kind: Literal["begun"] = "begun"
    number: int
    starter: int
    taken: list[int] | None = None
    """In a crowd: the seats that stay; the others are cleared away."""
    rated: bool = False
    """The result is that of those who sit here now."""

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """That a game begins is for everybody."""
        return m.BegunLine(version=entry.version, at=entry.at, game=self.number, starter=self.starter)


class Moved(_Event):
    """A seat moved."""

    kind: Literal["moved"] = "moved"
    seat: int
    move: str
    hidden: bool = False
    """Several decide together, and where this one went is for its own seat until all have decided."""
    forced: bool = False
    """Time was up, or nobody sits there: the move was made for the seat."""

    def shows_move(self, own: Collection[int]) -> bool:
        """Whether somebody with these seats may know the move now: it is open, or of a seat of theirs."""
        return not self.hidden or self.seat in own


class Rolled(_Event):
    """Chance brought something. It is told in a step, as long as that is the last one; after that by views alone."""

    kind: Literal["rolled"] = "rolled"
    outcome: int


class TakenBack(_Event):
    """Moves were taken back: none of them hid anything, and chance has not spoken since."""

    kind: Literal["taken_back"] = "taken_back"
    seat: int
    """Who decides anew."""
    moves: int
    """How many, of everybody together."""


class Paused(_Event):
    """The host of a crowd stopped the game and its clock for a while."""

    kind: Literal["paused"] = "paused"


class Resumed(_Event):
    """A paused game goes on, with as much time as was left."""

    kind: Literal["resumed"] = "resumed"


class Ended(_Event):
    """A game ended, and its secret is told."""

    kind: Literal["ended"] = "ended"
    number: int
    scores: tuple[int, ...]
    places: tuple[int, ...]
    secret: str | None = None
    how: Literal["played", "resigned", "stopped", "left"] = "played"
    """A game that was stopped has no result: its scores and places are empty. A rated one is over when all but one have
    left."""
    seat: int | None = None
    """Who has resigned, or left last."""

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """That a game is over is for everybody."""
        return m.EndedLine(version=entry.version, at=entry.at, game=self.number)


class Offered(_Event):
    """Somebody offered something to everybody at the table."""

    kind: Literal["offered"] = "offered"
    what: m.OfferKind
    seats: tuple[int, ...]
    """The seats of who offered it; the first one speaks."""


class Agreed(_Event):
    """Somebody agreed to what was offered, and others still have to."""

    kind: Literal["agreed"] = "agreed"
    seats: tuple[int, ...]


class Declined(_Event):
    """What was offered is off the table: declined, or withdrawn."""

    kind: Literal["declined"] = "declined"
    seat: int


class _Talk(_Event):
    """Something that somebody said."""

    seat: int | None = None
    """Where they sat; None for a host without a seat."""
    name: str
    text: str

    def anonymous(self) -> Self:
        """Something was said, by somebody."""
        return self.model_copy(update={"name": FORGOTTEN, "text": FORGOTTEN})


class Said(_Talk):
    """Somebody said something."""

    kind: Literal["said"] = "said"

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Talk is for everybody in the room."""
        return m.SaidLine(version=entry.version, at=entry.at, seat=self.seat, name=self.name, text=self.text)


class PhraseSaid(_Talk):
    """Somebody said one of the quick phrases: ``text`` is its key."""

    kind: Literal["phrase"] = "phrase"

    def line(self, entry: "Entry", name: str) -> m.TalkLine:
        """Talk is for everybody in the room."""
        return m.PhraseLine(version=entry.version, at=entry.at, seat=self.seat, name=self.name, phrase=self.text)


class Managed(_Event):
    """The host changed how the room is run; what is None stays as it was."""

    kind: Literal["managed"] = "managed"
    public: bool | None = None
    chat: bool | None = None


Event = (
    Created
    | Seated
    | Renamed
    | Left
    | Forfeited
    | EngineSeated
    | EngineFailed
    | HintGiven
    | ReadyAsked
    | ReadySaid
    | EntropyAdded
    | Promised
    | Sealed
    | Gathering
    | Called
    | Opened
    | Voided
    | Begun
    | Moved
    | Rolled
    | TakenBack
    | Paused
    | Resumed
    | Ended
    | Offered
    | Agreed
    | Declined
    | Said
    | PhraseSaid
    | Managed
)
"""Everything that can happen in a room."""

_READ: TypeAdapter[Event] = TypeAdapter(Annotated[Event, Field(discriminator="kind")])


def read_event(data: dict[str, Any]) -> Event:
    """An event as it was stored."""
    return _READ.validate_python(data)


@dataclass(frozen=True, slots=True)
class Entry:
    """One line of a room's log."""

    version: int
    """Counts up by one."""
    at: float
    """Seconds since 1970."""
    event: Event
    person: str | None = None
    """Who did it; None for computer players, clocks and chance."""
    command: str | None = None
    """The idempotency key of the command that led to it, on the first entry of a command."""
    secret: bytes | None = None
    """The secret behind a promise, which is stored apart from the log."""

    def anonymous(self) -> "Entry":
        """What remains when the person is forgotten: nothing that names them, quotes them or links to them."""
        return Entry(self.version, self.at, self.event.anonymous(), None, None, self.secret)
