"""What clients and a room say to each other: one format for the socket, for HTTP, and within a browser."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sobremesa.core.language import LANGUAGES
from sobremesa.rooms.errors import Reason
from sobremesa.rooms.forms import PlainView
from sobremesa.rooms.limits import MAX_PLANNED_SEATS, MAX_SEATS
from sobremesa.table.fair import MAX_WORDS_LENGTH
from sobremesa.table.record import MAX_NAME_LENGTH

PHRASES = (
    "hello",
    "good luck",
    "your turn",
    "nice move",
    "oops",
    "one moment",
    "thank you",
    "well played",
    "again?",
    "bye",
)
"""Quick phrases: keys that each page shows in its own language."""

_EMOJI = (
    r"[\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934-\u2935\u2b05-\u2b55"
    + "\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
_MODIFIED = rf"{_EMOJI}[\ufe0f{chr(0x1F3FB)}-{chr(0x1F3FF)}]*"
PRINTED = rf"^\P{{C}}*(?:(?:{_MODIFIED}\u200d)+{_EMOJI}\P{{C}}*)*$"
"""No control or format characters, but for the joiner between two emoji that make one.

There is one way only to read a text by this, and Rust, Python and browsers all know such patterns.
"""

Name = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_NAME_LENGTH, strip_whitespace=True, pattern=PRINTED)
]
Line = Annotated[
    str, StringConstraints(min_length=1, max_length=MAX_WORDS_LENGTH, strip_whitespace=True, pattern=PRINTED)
]
OwnWords = Annotated[str, StringConstraints(max_length=MAX_WORDS_LENGTH, pattern=PRINTED)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Seat = Annotated[int, Field(ge=0, lt=MAX_SEATS)]
Hash = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{64}$")]
"""A SHA-256 as hexadecimal digits."""
Nonce = Annotated[str, StringConstraints(pattern=r"^[0-9a-f]{32}$")]
"""128 random bits as hexadecimal digits."""
MoveText = Annotated[str, StringConstraints(min_length=1, max_length=60)]
Version = Annotated[int, Field(ge=0, lt=2**31)]
Language = Literal["en", "es", "fr", "nl"]
SeatKind = Literal["person", "engine", "open", "gone"]
Measure = Literal["chance", "points"]
"""What values count: chances to win, from 0 to 1, or expected final points."""
assert set(get_args(Language)) == set(LANGUAGES)


class Message(BaseModel):
    """Anything that is said; unknown fields are refused."""

    model_config = ConfigDict(
        extra="forbid",
        strict=True,
        frozen=True,
        json_schema_serialization_defaults_required=True,
        use_attribute_docstrings=True,
    )


class Command(Message):
    """Something that a client wants."""

    id: Id
    """The idempotency key: it comes back with the answer, and the same person's command with the same id in the same
    room is done only once, however often it is sent."""


class Sit(Command):
    """Takes a seat: this one, or any that is open."""

    type: Literal["sit"]
    name: Name
    """What one wants to be called."""
    seat: Seat | None = None
    """Which seat; null for any that is open."""
    words: OwnWords = ""
    """One's own words for fair chance, said openly, if the game has not begun."""
    seals: bool = False
    """Whether this client takes part in fair chance: it seals and opens words of its own, and is waited for."""


class Leave(Command):
    """Gives a seat up. The host may free any seat."""

    type: Literal["leave"]
    seat: Seat
    """The seat that is given up."""
    name: Annotated[str, StringConstraints(max_length=MAX_NAME_LENGTH)] | None = None
    """Who is meant to sit there: in a crowd somebody else may have come in the meantime, who stays."""


class PutEngine(Command):
    """Seats a computer player in an empty or open seat (host, or anybody at the table once a player has left)."""

    type: Literal["engine"]
    seat: Seat
    """The seat that the computer takes."""
    player: Annotated[str, StringConstraints(max_length=40)]
    """Which computer player, by its id."""


class AddEntropy(Command):
    """Adds one's own words, openly, to the chance of the game that is about to begin."""

    type: Literal["entropy"]
    seat: Seat
    """A seat of one's own."""
    words: Line
    """What is added."""


class Seal(Command):
    """Commits a seat to random words for the chance of the next game; a later seal replaces an earlier one."""

    type: Literal["seal"]
    """Says that this is a seal."""
    seat: Seat
    """The seat that is committed."""
    promise: Hash
    """The commitment that it is for: another promise needs another seal."""
    seal: Hash
    """The commitment: a digest of what will be opened."""


class Open(Command):
    """Opens what a seat has sealed, once the game is called."""

    type: Literal["open"]
    """Says that this is an opening."""
    seat: Seat
    """The seat whose seal is opened."""
    call: Hash
    """The digest of the call that it answers."""
    nonce: Nonce
    """The random half of what was sealed, in hexadecimal digits."""
    words: OwnWords = ""
    """The words that were sealed with it."""


class Start(Command):
    """Begins the first game; after that it offers the next one, or agrees to it: it begins once all the people agree.

    In a crowd it is the host's alone.
    """

    type: Literal["start"]


class Move(Command):
    """Makes a move. ``version`` is the room's version that the move answers."""

    type: Literal["move"]
    seat: Seat
    """A seat of one's own."""
    version: Version
    """The room's version that the move answers."""
    move: MoveText
    """The move, in notation."""


class Say(Command):
    """Says something to the table; free text only if the host allows it."""

    type: Literal["say"]
    text: Line
    """What is said."""


class Phrase(Command):
    """Says one of the quick phrases."""

    type: Literal["phrase"]
    phrase: Annotated[str, StringConstraints(max_length=40)]
    """The key of the phrase."""


class Manage(Command):
    """The host changes how the room is run."""

    type: Literal["manage"]
    public: bool | None = None
    """Whether the room is in the list."""
    chat: bool | None = None
    """Whether free text is allowed."""


class Offer(Command):
    """Asks everybody at the table to take one's own last move back, with what followed, or to stop without a result.

    It happens once all the people agree; where only computers sit besides, at once.
    """

    type: Literal["offer"]
    what: Literal["takeback", "stop"]
    """What everybody is asked for."""


class AnswerOffer(Command):
    """Agrees to what somebody has offered, or declines it; who made the offer withdraws it so."""

    type: Literal["answer"]
    yes: bool
    """Whether one agrees."""


class Ready(Command):
    """Says that one is ready, at a public table that asks everybody before it begins."""

    type: Literal["ready"]


class Resign(Command):
    """Gives a game up. Of two, the other one wins; among more, a computer goes on in the seat, and nobody waits."""

    type: Literal["resign"]
    seat: Seat
    """A seat of one's own."""
    player: Annotated[str, StringConstraints(max_length=40)] | None = None
    """Which computer player goes on, where more than two play; None for the greedy one, or the first that there is."""


class CloseRound(Command):
    """The host of a crowd waits for nobody any longer: whoever has not decided is moved for, as when time is up."""

    type: Literal["close"]


class Pause(Command):
    """The host of a crowd stops the game and its clock for a while, or lets it go on."""

    type: Literal["pause"]
    on: bool
    """Whether the clock is to stand."""


RoomCommand = (
    Sit
    | Leave
    | PutEngine
    | AddEntropy
    | Seal
    | Open
    | Start
    | Ready
    | Move
    | Say
    | Phrase
    | Manage
    | Offer
    | AnswerOffer
    | Resign
    | CloseRound
    | Pause
)
"""What changes a room."""


class Check(Command):
    """Asks whether a seat of one's own could make a move now; nothing is done."""

    type: Literal["check"]
    seat: Seat
    """A seat of one's own."""
    move: MoveText
    """The move that is asked about, in notation."""


class AskHint(Command):
    """Asks what a seat of one's own could do now, where the table allows hints."""

    type: Literal["hint"]
    seat: Seat
    """A seat of one's own."""


class Hurry(Command):
    """Has the computer player that thinks in the room play now, with what it has found so far."""

    type: Literal["hurry"]


class Find(Command):
    """The host asks who sits at the table, at one too large to list everybody."""

    type: Literal["find"]
    name: Annotated[str, StringConstraints(max_length=MAX_NAME_LENGTH)] = ""
    """A part of the name, in small letters or capitals, with accents or without; empty for everybody."""


Question = Check | AskHint | Hurry | Find
"""What is answered and changes nothing."""

AnyCommand = Annotated[RoomCommand | Question, Field(discriminator="type")]


class Join(Message):
    """Opens the conversation on a socket; it is answered by an update that is a snapshot."""

    type: Literal["join"]
    language: Language = "en"
    """Of the sentences that the server says."""
    version: Version | None = Field(default=None, deprecated=True)
    """Ignored: pages of version 0.1.0, which browsers may still have, say it."""


class Ping(Message):
    """Asks whether the other side is still there."""

    type: Literal["ping"]
    hidden: bool = False
    """Whether nobody looks at the page, as in a tab behind others: then a device may be told that it is one's turn."""


ClientMessage = Annotated[Join | Ping | RoomCommand | Question, Field(discriminator="type")]


class SeatPlan(Message):
    """How a seat is to be filled."""

    kind: Literal["me", "open", "engine"]
    """``me``: the person who opens the room; ``open``: whoever comes; ``engine``: a computer player."""
    player: Annotated[str, StringConstraints(max_length=40)] | None = None
    """Which computer player, for an engine; None for the greedy one, or the first that there is."""
    name: Name | None = None
    """Who shares the host's screen in a seat of their own, if it is not the host."""


class Moment(Message):
    """A moment of a finished game."""

    room: Id
    """The room."""
    number: Annotated[int, Field(ge=1, lt=2**31)]
    """The game in that room, counted from 1."""
    step: Annotated[int, Field(ge=0, lt=2**31)]
    """The step of its game."""


class Origin(Message):
    """Where the games of a room begin, instead of the laid table."""

    position: Annotated[str, StringConstraints(min_length=1, max_length=4_000, pattern=PRINTED)]
    """One line of text; it says itself how its table is set."""
    moment: Moment | None = None
    """What it was taken from, for the way back."""


class OriginInfo(Message):
    """That the games of a room begin from a position. Not which: it may tell what is hidden."""

    moment: Moment | None
    """From where the game was played on."""


class NewRoom(Message):
    """How a room is set up."""

    game: Annotated[str, StringConstraints(max_length=40)]
    """The game's id."""
    options: dict[str, int | str | bool] = Field(default_factory=dict, max_length=10)
    """The game's own options, without ``seats``."""
    seats: list[SeatPlan] = Field(max_length=MAX_PLANNED_SEATS)
    """The seats in order; in a crowd, those that are there from the start."""
    crowd: bool = False
    """Anybody may join until the host starts; only for games without an upper limit."""
    name: Name = "Host"
    """The host's name, if one of the seats is theirs."""
    words: OwnWords = ""
    """Words of the host's own that go into fair chance, as in ``sit``."""
    seals: bool = False
    """Whether the host's client takes part in fair chance, as in ``sit``."""
    games: Annotated[int, Field(ge=1, le=100)] = 1
    """How many games make the series. A game with a rule about series (``series_rule``) wants at least as many as there
    are seats; only multiples of that let everybody start equally often."""
    clock: Annotated[int, Field(ge=0, le=60 * 60 * 24 * 30)] = 0
    """Seconds for a decision, or for a round of Knister; 0 for no clock."""
    public: bool = False
    """Whether the room is listed, for anybody to come in."""
    chat: bool = True
    """Whether free text is allowed beside the quick phrases."""
    hints: bool = True
    """Whether people at the table may ask the computer for hints; in rated games nobody may."""
    rated: bool | None = None
    """Whether games of different people, each in one seat, count for their ratings. They need a clock. Null: if the
    table is public and has one."""
    wait: bool = False
    """Begin only when the host says so, even if all seats are taken."""
    origin: Origin | None = None
    """A position that is played on from: for single games at tables with a fixed number of seats, never rated."""
    language: Language = "en"
    """The host's language."""


class CreateRoom(NewRoom):
    """Asks for a room."""

    id: Id | None = None
    """The idempotency key: the same person who asks again with the same id gets the room that there is, not another."""

    @property
    def setup(self) -> NewRoom:
        """The room, without the key."""
        return NewRoom.model_construct(**{name: value for name, value in self.__dict__.items() if name != "id"})


class SeatInfo(Message):
    """Who sits in a seat."""

    kind: SeatKind
    """Who is there: a person, a computer, nobody yet, or somebody who has left."""
    name: str
    """Who sits there."""
    yours: bool
    """Whether it is one's own seat."""
    here: bool
    """Whether a person is connected now."""


class _Line(Message):
    """A line of what is told beside the table."""

    version: int
    """The room's version at which it happened."""
    at: float
    """Seconds since 1970."""


class SaidLine(_Line):
    """Somebody said something."""

    kind: Literal["said"] = "said"
    seat: int | None
    """Where they sat; None for a host without a seat."""
    name: str
    """Who it was."""
    text: str
    """What was said."""


class PhraseLine(_Line):
    """Somebody said one of the quick phrases."""

    kind: Literal["phrase"] = "phrase"
    seat: int | None
    """Where they sat; None for a host without a seat."""
    name: str
    """Who it was."""
    phrase: str
    """The key of the phrase."""


class SeatedLine(_Line):
    """Somebody took a seat."""

    kind: Literal["seated"] = "seated"
    seat: int
    """Whose seat, counted from 0."""
    name: str
    """Who it was."""


class LeftLine(_Line):
    """A seat was given up."""

    kind: Literal["left"] = "left"
    seat: int
    """Whose seat, counted from 0."""
    name: str
    """Who it was."""


class ForfeitedLine(_Line):
    """Somebody has lost a rated game before its end."""

    kind: Literal["forfeited"] = "forfeited"
    seat: int
    """Whose seat, counted from 0."""
    name: str
    """Who it was."""
    why: Literal["left", "time"]
    """They left, or their time was up."""


class HintLine(_Line):
    """Somebody asked a computer what to do."""

    kind: Literal["hint"] = "hint"
    seat: int
    """Whose seat, counted from 0."""


class EngineLine(_Line):
    """A computer player took a seat."""

    kind: Literal["engine"] = "engine"
    seat: int
    """Whose seat, counted from 0."""
    player: str
    """Which computer player, by its id."""


class EngineFailedLine(_Line):
    """A computer player found no move, and one was made for it."""

    kind: Literal["engine_failed"] = "engine_failed"
    seat: int
    """Whose seat, counted from 0."""
    player: str
    """Which computer player, by its id."""


class BegunLine(_Line):
    """A game began."""

    kind: Literal["begun"] = "begun"
    game: int
    """Its number in this room, counted from 1."""
    starter: int
    """The seat that starts."""


class EndedLine(_Line):
    """A game ended."""

    kind: Literal["ended"] = "ended"
    game: int
    """Its number in this room, counted from 1."""


class VoidedLine(_Line):
    """A promise is void: some seats were called and did not open in time. Chance is promised anew."""

    kind: Literal["voided"] = "voided"
    """Says that a promise is void."""
    seats: list[int]
    """The seats that did not open."""


TalkLine = Annotated[
    SaidLine
    | PhraseLine
    | SeatedLine
    | LeftLine
    | ForfeitedLine
    | HintLine
    | EngineLine
    | EngineFailedLine
    | BegunLine
    | EndedLine
    | VoidedLine,
    Field(discriminator="kind"),
]


class Standing(Message):
    """Scores and places by seat."""

    scores: list[int]
    """By seat."""
    places: list[int]
    """By seat, counted from 1; equals share one."""


class GameResult(Message):
    """How a game ended, for the seats that are listed."""

    scores: dict[int, int]
    """By seat."""
    places: dict[int, int]
    """By seat, counted from 1; equals share one."""


class WordsDigest(Message):
    """In place of words whose author has been forgotten."""

    sha256: str
    """The digest of the words, in hexadecimal digits."""


class Opening(Message):
    """What a seat had sealed."""

    nonce: str
    """The random half of it, in hexadecimal digits."""
    words: str | WordsDigest = ""
    """Its words, or what is left of them."""


class Promise(Message):
    """What fair chance needs to know of one game."""

    game: int
    """Its number in this room, counted from 1."""
    commitment: str
    """The server's commitment to the secret, shown before the game."""
    words: dict[int, str | WordsDigest]
    """What seats said openly, of those that are listed."""
    secret: str | None
    """Once the game is over."""
    context: str | None = None
    """What the promise is for, as lines of text; None for a promise of version 1."""
    seals: dict[int, str] = {}
    """What seats are committed to, of those that are listed; once the game is called, of those that are called."""
    call: str | None = None
    """The digest of the call, once the game is called."""
    openings: dict[int, Opening] = {}
    """What the called seats had sealed, of those that are listed, once the game has begun."""


class Drawing(Message):
    """A game is about to begin, and waits for seats that take part in fair chance."""

    stage: Literal["sealing", "opening"]
    """Whether seals are still missing, or openings."""
    waiting: list[int]
    """The seats that are waited for, of those that are listed."""
    left: int
    """How many there are in all."""
    deadline: float
    """Until when, in seconds since 1970."""


class SeatMove(Message):
    """A move, and who made it."""

    seat: int
    """Whose seat, counted from 0."""
    move: str
    """The move, in notation."""


class LastMove(SeatMove):
    """The last move of a seat."""

    forced: bool = False
    """Time was up: the move was made for who sits there."""


class MissedMove(SeatMove):
    """A move that was made for somebody."""

    name: str
    """Whose move it was."""


class MissedMoves(Message):
    """Who did not decide in time, in the decision before this one."""

    count: int
    """How many people."""
    first: list[MissedMove]
    """The first twelve of them, by seat, and oneself."""
    rule: str | None
    """The rule of the game by which everybody has to move (``Game.forced_rule``)."""


OfferKind = Literal["again", "takeback", "stop"]
"""What people can agree on: another game, taking a move back, stopping without a result."""


class OpenOffer(Message):
    """Something that somebody has offered and that not everybody has agreed to yet."""

    what: OfferKind
    """What everybody is asked for."""
    seat: int
    """Whose offer it is."""
    agreed: list[int]
    """The seats that agree, the one that offered it among them."""


class GameEnd(Message):
    """How the last game ended, if it was not played to its end."""

    how: Literal["resigned", "stopped", "left"]
    """Given up; stopped without a result; or a rated game in which others have left."""
    seat: int | None
    """Who has resigned, or left last."""


class ReadyCheck(Message):
    """Everybody at a public table is asked whether they are ready."""

    deadline: float
    """When whoever has not answered loses the seat, in seconds since 1970."""
    seats: list[int]
    """The seats of those who are ready; computers always are."""


class RoomState(Message):
    """The room around the game."""

    id: str
    """The room."""
    game: str
    """The game's id."""
    language: Language
    """Of who opened it."""
    options: dict[str, int | str | bool]
    """How the table is set."""
    crowd: bool
    """Whether anybody may join until the host starts."""
    public: bool
    """Whether it is in the list."""
    chat: bool
    """Whether free text is allowed."""
    hints: bool
    """Whether hints can be asked for now."""
    rated: bool
    """Whether this game is rated; before it begins, whether it would be with who sits there."""
    lost: list[int] = []
    """Of the seats that are listed, those that have lost this rated game before its end: they left, or their time was
    up."""
    helped: dict[int, int] = {}
    """How many hints each seat has had in this game, if any."""
    ready: ReadyCheck | None = None
    """Who has said that they are ready, where everybody is asked."""
    clock: int
    """Seconds for a decision; 0 for no clock."""
    games: int
    """How many games make the series."""
    origin: OriginInfo | None = None
    """Set if its games do not begin with the laid table."""
    number: int
    """How many games have begun."""
    playing: bool
    """Whether a game is being played."""
    paused: bool = False
    """Whether the host of a crowd has stopped the game for a while."""
    over: bool
    """Whether the last game has ended with a result; one that was stopped has none (``end``)."""
    result: GameResult | None
    """Of the last game, once it is over."""
    seats_total: int
    """How many seats there are."""
    seats_taken: int = 0
    """How many of them somebody has, computers among them."""
    seats_here: int = 0
    """How many of those who have one are connected now; computers always are."""
    seats: dict[int, SeatInfo]
    """All of them at tables of at most 24, else only yours, and those in the ranking that you see; before the first
    game those who look on, and the host, are told the twelve who sat down last."""
    host: bool
    """Whether you are the host."""
    host_name: str = ""
    """Who invites to this table."""
    last_moves: list[LastMove] = []
    """The last move in the running or last game of each seat that is listed, oldest first; not where others decided at
    the same time, but for your own."""
    missed: MissedMoves | None = None
    """Whose time was up in the decision before this one, if anybody's was."""
    offer: OpenOffer | None = None
    """What somebody has offered."""
    may: list[Literal["takeback", "stop", "resign"]] = []
    """What you could ask for now, besides moving."""
    end: GameEnd | None = None
    """How the last game ended, if not by its rules."""
    next_starter: int
    """Who starts the next game."""
    series: Standing | None
    """The sums of the series so far, at tables of at most 24."""
    uneven: bool
    """Whether some seats start once more than others in this series, in a game with a rule about that
    (``series_rule``): only multiples of the number of seats are even."""
    promises: list[Promise]
    """Fair chance of the running or last game, and of the next one."""
    drawing: Drawing | None = None
    """What the next game waits for, once it is to begin."""
    deadline: float | None
    """When the running decision's time is up, in seconds since 1970."""
    now: float
    """The server's time, in seconds since 1970."""


class Step(Message):
    """One thing that happened at the table, and how the table looks after it. The start of a game is one, too."""

    version: int
    """The room's version at which it happened; in a replay the step's number, 0 is the start."""
    seat: int | None
    """Who moved; None for chance, for the start, and in a replay where several decided together."""
    move: str | None
    """The move, where one may know it; in a replay where several decided together all of them, in the order of the
    seats with blanks between."""
    rolled: str | None
    """What chance brought."""
    draw: int | None = None
    """Which outcome of chance of its game that is, counted from 0."""
    back: int | None = None
    """Moves were taken back: the steps after this version do not count any more."""
    views: list[PlainView]
    """One for each of your seats, else one for a spectator."""
    position: str | None = None
    """The position as one line of text: never in a running game, where it would tell what is hidden."""


class Update(Message):
    """What has happened, and where the room stands now, for one client."""

    type: Literal["update"] = "update"
    version: int
    """The room's version."""
    reset: bool
    """A snapshot: forget what you had."""
    room: RoomState
    """Who sits where, and how the room stands now."""
    steps: list[Step]
    """Since the last update of this conversation, oldest first; in a snapshot the last step alone. In a room of more
    than 24 seats: your own moves and the last step, with the table as it is now; the roll that follows a move of
    yours is in the same step."""
    talk: list[TalkLine]
    """Since the last update of this conversation; in a snapshot the last 100 lines."""
    legal: dict[int, list[str]]
    """The legal moves of each of your seats that has to decide."""


class Accepted(Message):
    """A command was done, and is on disk as of this version. An update that shows it follows, unless it has come."""

    type: Literal["accepted"] = "accepted"
    id: str
    """The id of the command that this answers."""
    version: int
    """The room's version at which it is on disk."""


class After(Message):
    """How the table looks to a seat after a move of its own: what the move does, before it is made."""

    svg: str
    """The picture of its view."""
    points: list[int] | None
    """The points by seat, if the view says them."""


class Checked(Message):
    """Whether a move is possible now, and if not, why; in the client's language."""

    type: Literal["checked"] = "checked"
    id: str
    """The id of the command that this answers."""
    legal: bool
    """Whether it is possible."""
    text: str | None
    """Why not, in the client's language."""
    rule: str | None
    """The number of the rule that forbids it."""
    after: After | None = None
    """What it leads to, where the page draws by pictures; none where something is hidden, which a look would tell."""


class Suggestion(Message):
    """A move and what it is worth to who makes it."""

    move: str
    """The move, in notation."""
    value: float
    """A chance to win, or expected final points."""
    visits: int
    """How often the search looked at it; 0 if it does not count."""


class Hinted(Message):
    """The best moves of one's own seat now, the best first."""

    type: Literal["hinted"] = "hinted"
    id: str
    """The id of the command that this answers."""
    seat: int
    """Whose hint it is."""
    version: int
    """The room's version that this answers: when it has changed, the hint is stale."""
    measure: Measure
    """What values count."""
    moves: list[Suggestion]
    """The best moves."""
    chances: list[float]
    """Each seat's chance to win as things stand; empty if the player cannot tell."""
    exact: bool
    """Whether the values are certain, not an estimate."""
    player: str
    """Whose opinion it is."""


class FoundSeat(SeatInfo):
    """Who sits in a seat, and which one it is."""

    seat: int
    """Which seat, counted from 0."""


class Found(Message):
    """Who sits at the table."""

    type: Literal["found"] = "found"
    id: str
    """The id of the command that this answers."""
    count: int
    """How many there are of that name."""
    seats: list[FoundSeat]
    """The first 24 of them: those who are not connected come first, then by seat."""


class Refused(Message):
    """A command, or a message, was not done; why, in the client's language."""

    type: Literal["refused"] = "refused"
    id: str | None
    """The id of the command; null for what is no command."""
    reason: Reason
    """Why, for programs."""
    text: str
    """Why, in the client's language."""
    rule: str | None = None
    """The rule of the game that forbids the move."""
    version: int | None = None
    """The room's."""
    retry_after: float | None = None
    """Seconds after which another try may be worth it."""


class Pong(Message):
    """Still here."""

    type: Literal["pong"] = "pong"
    now: float
    """The server's time, in seconds since 1970."""
    version: int | None
    """The room's, as far as the server knows; None for who has not joined. Who has been told less joins again."""


class Goodbye(Message):
    """The server is about to close this connection."""

    type: Literal["goodbye"] = "goodbye"
    reason: Literal["slow", "changed", "restart", "unknown"]
    """You read too slowly; what you were shown does not hold any more; the server restarts; there is no such room."""
    retry_after: float
    """Seconds after which to come back."""


Answer = Accepted | Checked | Hinted | Found
"""What a command is answered with, if it is not refused."""

ServerMessage = Annotated[Update | Answer | Refused | Pong | Goodbye, Field(discriminator="type")]
