"""What HTTP answers are made of, besides the messages of rooms."""

from typing import Annotated

from pydantic import Field

from sobremesa.rooms.messages import Message, Name
from sobremesa.server.statistics import PersonStatistics


class Created(Message):
    """A new room."""

    room: str
    """The room's id."""
    version: int
    """How many events its log has."""
    path: str
    """The page's address, to share; whoever has it may watch and take an open seat."""


class LobbyRoom(Message):
    """A room as it is listed."""

    id: str
    """The room's id."""
    game: str
    """The game's id."""
    options: dict[str, int | str | bool]
    """How the table is set, ``seats`` included."""
    public: bool
    """Whether it is listed for everybody."""
    playing: bool
    """Whether a game is being played."""
    over: bool
    """The last game has ended, and no other has begun."""
    number: int
    """How many games have begun."""
    games: int
    """How many make the series."""
    rated: bool
    """Whether the running game counts for ratings, or the next one would."""
    seats_taken: int
    """Seats that somebody plays at."""
    seats_open: int
    """Seats that are free."""
    names: list[str]
    """Who sits there, in order of the seats, at most twelve; empty where nobody does. A computer player's is its id."""
    changed_at: float
    """When anything last happened, in seconds since 1970."""


class MyRoom(LobbyRoom):
    """A room that one has been at the table of."""

    your_turn: bool
    """Whether it is up to you to decide."""
    deadline: float | None
    """When the time of the running decision is up, in seconds since 1970; null if no clock runs."""
    yours: bool
    """Whether you have a seat there; or, as its host, a crowd's table, or one that has not begun."""
    others: bool
    """Whether other people sit there, or are to come."""


class Me(Message):
    """What the server knows of the person who asks."""

    statistics: PersonStatistics
    """Your name, games, results and ratings."""
    rooms: list[MyRoom]
    """Rooms that you have been at the table of, the latest first."""


class NewName(Message):
    """A person's name."""

    name: Name
    """What you want to be called."""


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
    """The code behind the ``#`` of the address that the other device shows."""
