"""What clients and the server say to each other: one format for the socket and for HTTP."""

from typing import Annotated, Literal, get_args

from pydantic import BaseModel, ConfigDict, Field, StringConstraints

from sobremesa.core.language import LANGUAGES
from sobremesa.server.forms import PlainView
from sobremesa.table.fair import LONGEST_WORDS
from sobremesa.table.record import LONGEST_NAME

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

MOST_SEATS = 100_000

_EMOJI = (
    r"[\u2194-\u21aa\u231a-\u23ff\u25aa-\u27bf\u2934-\u2935\u2b05-\u2b55"
    + "\U0001f000-\U0001f3fa\U0001f400-\U0001faff]"
)
_MODIFIED = rf"{_EMOJI}[\ufe0f{chr(0x1F3FB)}-{chr(0x1F3FF)}]*"
PRINTED = rf"^\P{{C}}*(?:(?:{_MODIFIED}\u200d)+{_EMOJI}\P{{C}}*)*$"
"""No control or format characters, but for the joiner between two emoji that make one.

There is one way only to read a text by this, and Rust, Python and browsers all know such patterns.
"""

Name = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_NAME, strip_whitespace=True, pattern=PRINTED)]
Line = Annotated[str, StringConstraints(min_length=1, max_length=LONGEST_WORDS, strip_whitespace=True, pattern=PRINTED)]
OwnWords = Annotated[str, StringConstraints(max_length=LONGEST_WORDS, pattern=PRINTED)]
Id = Annotated[str, StringConstraints(min_length=1, max_length=64, pattern=r"^[A-Za-z0-9_-]+$")]
Seat = Annotated[int, Field(ge=0, lt=MOST_SEATS)]
MoveText = Annotated[str, StringConstraints(min_length=1, max_length=60)]
Version = Annotated[int, Field(ge=0, lt=2**31)]
Language = Literal["en", "es", "fr", "nl"]
assert set(get_args(Language)) == set(LANGUAGES)


class Message(BaseModel):
    """Anything that is said; unknown fields are refused."""

    model_config = ConfigDict(
        extra="forbid", strict=True, frozen=True, json_schema_serialization_defaults_required=True
    )


class Command(Message):
    """Something that a client wants; ``id`` comes back with the answer, and makes repeating harmless."""

    id: Id


class Sit(Command):
    """Takes a seat: this one, or any that is open."""

    type: Literal["sit"]
    name: Name
    seat: Seat | None = None
    words: OwnWords = ""
    """One's own words for fair chance, if the game has not begun."""


class Leave(Command):
    """Gives a seat up. The host may free any seat."""

    type: Literal["leave"]
    seat: Seat


class PutEngine(Command):
    """Seats a computer player in an empty or open seat (host, or anybody at the table once a player has left)."""

    type: Literal["engine"]
    seat: Seat
    player: Annotated[str, StringConstraints(max_length=40)]


class Words(Command):
    """Adds one's own words to the chance of the game that is about to begin."""

    type: Literal["words"]
    seat: Seat
    words: Line


class Start(Command):
    """Begins the first game, the next one of the series, or a rematch."""

    type: Literal["start"]


class Move(Command):
    """Makes a move. ``version`` is the room's version that the move answers."""

    type: Literal["move"]
    seat: Seat
    version: Version
    move: MoveText


class Say(Command):
    """Says something to the table; free text only if the host allows it."""

    type: Literal["say"]
    text: Line


class Phrase(Command):
    """Says one of the quick phrases."""

    type: Literal["phrase"]
    phrase: Annotated[str, StringConstraints(max_length=40)]


class Manage(Command):
    """The host changes how the room is run."""

    type: Literal["manage"]
    public: bool | None = None
    chat: bool | None = None


AnyCommand = Annotated[
    Sit | Leave | PutEngine | Words | Start | Move | Say | Phrase | Manage, Field(discriminator="type")
]


class Join(Message):
    """Opens the conversation on a socket: the version that the client has, if any."""

    type: Literal["join"]
    version: Version | None = None
    language: Language = "en"


class Ping(Message):
    """Asks whether the other side is still there."""

    type: Literal["ping"]


ClientMessage = Annotated[
    Join | Ping | Sit | Leave | PutEngine | Words | Start | Move | Say | Phrase | Manage, Field(discriminator="type")
]


class SeatPlan(Message):
    """How a seat is to be filled."""

    kind: Literal["me", "open", "engine"]
    player: Annotated[str, StringConstraints(max_length=40)] = "greedy"
    """Which computer player, for an engine."""
    name: Name | None = None
    """Who shares the host's screen in a seat of their own, if it is not the host."""


class NewRoom(Message):
    """How a room is set up."""

    game: Annotated[str, StringConstraints(max_length=40)]
    options: dict[str, int | str | bool] = Field(default_factory=dict, max_length=10)
    """The game's own options, without ``seats``."""
    seats: list[SeatPlan] = Field(max_length=12)
    """The seats in order; in a crowd, those that are there from the start."""
    crowd: bool = False
    """Anybody may join until the host starts; only for games without an upper limit."""
    name: Name = "Host"
    """The host's name, if one of the seats is theirs."""
    words: OwnWords = ""
    games: Annotated[int, Field(ge=1, le=100)] = 1
    """How many games make the series."""
    clock: Annotated[int, Field(ge=0, le=60 * 60 * 24 * 30)] = 0
    """Seconds for a decision, or for a round of Knister; 0 for no clock."""
    public: bool = False
    chat: bool = True
    """Whether free text is allowed beside the quick phrases."""
    hints: bool = True
    """Whether people at the table may ask the computer for hints."""
    wait: bool = False
    """Begin only when the host says so, even if all seats are taken."""
    language: Language = "en"


class SeatInfo(Message):
    """Who sits in a seat."""

    kind: Literal["person", "engine", "open", "gone"]
    name: str
    yours: bool
    here: bool
    """Whether a person is connected now."""


class Happened(Message):
    """Something that happened in the room, as far as everybody may know."""

    version: int
    kind: str
    at: float
    seat: int | None = None
    name: str | None = None
    text: str | None = None
    number: int | None = None


class Standing(Message):
    """Scores and places by seat."""

    scores: list[int]
    places: list[int]


class Table(Message):
    """The room around the game."""

    room: str
    game: str
    language: Language
    options: dict[str, int | str | bool]
    crowd: bool
    public: bool
    chat: bool
    hints: bool
    clock: int
    games: int
    number: int
    """How many games have begun."""
    playing: bool
    seated: int
    """How many seats there are."""
    seats: dict[int, SeatInfo]
    """In a crowd only yours, and those in the ranking that you see."""
    host: bool
    """Whether you are the host."""
    next_starter: int
    series: Standing | None
    """The sums of the series so far, at tables of at most 24."""
    commitment: str | None
    words: dict[int, str]
    deadline: float | None
    """When the running decision's time is up, in seconds since 1970."""
    now: float


class Update(Message):
    """Where the room stands now, for one client. ``reset``: forget what you had, these are not all events."""

    type: Literal["update"] = "update"
    version: int
    reset: bool
    events: list[Happened]
    table: Table
    views: list[PlainView]
    """One for each of your seats, else one for a spectator; empty before the first game."""
    legal: dict[int, list[str]]
    """The legal moves of each of your seats that has to decide."""


class AskJudge(Message):
    """Asks whether a seat of one's own could make a move now; nothing is done."""

    seat: Seat
    move: MoveText


class Judgement(Message):
    """Whether a move is possible now, and if not, why; in the client's language."""

    legal: bool
    text: str | None
    rule: str | None


class Accepted(Message):
    """A command was done, and is on disk as of this version."""

    type: Literal["accepted"] = "accepted"
    id: str
    version: int


class Refused(Message):
    """A command, or a message, was not done; why, in the client's language."""

    type: Literal["refused"] = "refused"
    id: str | None
    reason: str
    """A word for programs: illegal, stale, forbidden, malformed, busy, ..."""
    text: str
    rule: str | None = None
    version: int | None = None


class Pong(Message):
    """Still here."""

    type: Literal["pong"] = "pong"
    now: float


class Goodbye(Message):
    """The server is about to close this connection; try again after so many seconds."""

    type: Literal["goodbye"] = "goodbye"
    reason: str
    again: float


ServerMessage = Annotated[Update | Accepted | Refused | Pong | Goodbye, Field(discriminator="type")]
