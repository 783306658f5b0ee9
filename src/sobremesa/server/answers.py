"""What HTTP answers are made of, besides the messages of rooms."""

from typing import Annotated

from pydantic import Field

from sobremesa.rooms.messages import Message, Name
from sobremesa.server.statistics import PersonStatistics


class Created(Message):
    """A new room."""

    room: str
    version: int
    path: str
    """The page's address, to share; whoever has it may watch and take an open seat."""


class LobbyRoom(Message):
    """A room as it is listed."""

    id: str
    game: str
    options: dict[str, int | str | bool]
    """How the table is set, ``seats`` included."""
    public: bool
    playing: bool
    over: bool
    """The last game has ended, and no other has begun."""
    number: int
    """How many games have begun."""
    games: int
    """How many make the series."""
    seats_taken: int
    """Seats that somebody plays at."""
    seats_open: int
    """Seats that are free."""
    names: list[str]
    """Who sits there, in order of the seats, at most twelve; empty where nobody does. A computer player's is its id."""
    changed_at: float


class MyRoom(LobbyRoom):
    """A room that one has been at the table of."""

    your_turn: bool
    """Whether it is up to you to decide."""


class OptionInfo(Message):
    """Something that is agreed when a table is set; without choices it is a number."""

    name: str
    default: int | str | bool
    choices: list[int | str | bool]


class ComputerPlayer(Message):
    """A computer player that can be seated."""

    id: str
    level: int
    """1 is the weakest; 0 for a player outside the levels."""
    name: str
    """What people call it, in the language asked for."""


class GameInfo(Message):
    """A game that can be played here."""

    id: str
    name: str
    designer: str
    version: int
    options: list[OptionInfo]
    players: list[ComputerPlayer]
    phrases: list[str]
    low_wins: bool
    even_starts: bool
    has_chance: bool


class Me(Message):
    """What the server knows of the person who asks."""

    statistics: PersonStatistics
    rooms: list[MyRoom]


class NewName(Message):
    """A person's name."""

    name: Name


class Device(Message):
    """How another device becomes the same person: it opens the address within some minutes, once."""

    path: str
    """The page's address; what follows the # stays in the browser."""
    qr: str
    """The whole address as a QR code: a picture as a ``data:`` address."""
    seconds: float
    """For how long it is good."""


class RenewToken(Message):
    """Asks for a new token in place of the one that came along."""

    everywhere: bool = False
    """Whether all other devices of this person are signed out, too."""


class ClaimDevice(Message):
    """A code from another device."""

    code: Annotated[str, Field(min_length=10, max_length=64, pattern="^[A-Za-z0-9_-]+$")]


class WriteDaily(Message):
    """A placement in the daily game; ``round`` says which roll it answers."""

    name: Name
    date: Annotated[str, Field(max_length=10)]
    """The day that it is meant for: at midnight a new one begins."""
    round: Annotated[int, Field(ge=0, lt=25)]
    cell: Annotated[str, Field(min_length=2, max_length=2)]
