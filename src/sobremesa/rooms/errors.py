"""Why a room says no."""

from enum import StrEnum

from sobremesa.core.errors import SobremesaError


class Reason(StrEnum):
    """Why a message was refused: a word for programs. ``docs/server.md`` has the table."""

    ILLEGAL = "illegal"
    """The rules of the game forbid the move; ``rule`` says which one."""
    STALE = "stale"
    """The move answers a decision that has passed: look at the newest update."""
    FORBIDDEN = "forbidden"
    """Somebody else may do that, you may not."""
    MALFORMED = "malformed"
    """The message, or something that it names, does not exist in this form."""
    EARLY = "early"
    """Not yet: something else has to happen first."""
    LATE = "late"
    """Not any more."""
    TAKEN = "taken"
    """Somebody sits there."""
    RATED = "rated"
    """The game is rated: no hints, nothing is taken back, nobody is sent away or sits down for somebody else."""
    FULL = "full"
    """No seat is left."""
    UNKNOWN = "unknown"
    """There is no such room, game or day."""
    BUSY = "busy"
    """Too much at once: try again after ``retry_after`` seconds."""
    BROKEN = "broken"
    """A mistake of ours; the room is unharmed."""


class Refusal(SobremesaError):
    """A message that is not done. ``retry_after`` says in how many seconds it may be worth another try."""

    def __init__(self, reason: str, id: str, /, *, retry_after: float | None = None, **values: object) -> None:
        super().__init__(id, **values)
        self.reason = Reason(reason)
        self.retry_after = retry_after


class Overloaded(Refusal):
    """The house, not the one who asks, is at its limit: HTTP answers 503, where too much of one's own is 429."""
