"""Fair chance, version 2: every seat takes part, and whoever takes part cannot choose what chance brings.

It is a commitment scheme among the server and everybody at the table. In this order:

1. The server promises: it commits to a secret, for one game in one room under agreed rules (``Context``).
2. Each seat's page seals: it commits to random words, for that promise and that seat.
3. The game is called: promise, seats, seals and words that were said openly are fixed by one digest.
4. Whoever is called opens what was sealed, and only now does anybody but the seat know it.
5. All chance of the game follows from the secret, the call and the openings.

Each step holds the digest of the one before, so none can be made later than the next. ``docs/formats.md`` has the
algebra, and ``docs/fair-chance.md`` what it is good against.
"""

import hashlib
import hmac
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property

from sobremesa.core.errors import InvalidRecord
from sobremesa.core.game import Value
from sobremesa.table.fair import Words, digest_of, draw_ticket

NOT_AGREED_BEFORE = ("seats", "starter")
"""Options that a promise does not hold, because they are known only when the game is called."""


def hash_of(*lines: str) -> str:
    """The SHA-256 of some lines, as all digests of a proof are written."""
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def seal_of(bound: str, commitment: str, seat: int, opening: "Opening") -> str:
    """A seat's commitment to what it will open, for a promise and its context's digest."""
    return hash_of("sobremesa seal 2", bound, commitment, str(seat), opening.nonce, digest_of(opening.words).hex())


def mark_of(room: str) -> str:
    """A room's id as proofs have it. The id itself invites whoever reads it."""
    return hash_of("sobremesa room 2", room)


@dataclass(frozen=True)
class Void:
    """A promise that no game was played by, because somebody who was called did not open."""

    commitment: str
    call: str
    missing: tuple[int, ...]
    """The seats that did not open."""


@dataclass(frozen=True)
class Context:
    """What a promise is made for."""

    room: str
    """The room's mark."""
    number: int
    """Which game in the room, counted from 1."""
    game: str
    rules: int
    """The version of the game's rules."""
    options: Mapping[str, Value]
    """How the table is set, but for ``seats`` and ``starter``, which the call holds."""
    crowd: bool = False
    """Whether the game may begin without those who do not open."""
    position: str | None = None
    """Where the game begins, if not with the laid table."""
    voids: tuple[Void, ...] = ()
    """What was promised for the same game before, and is void."""

    @property
    def text(self) -> str:
        """The context as lines of text."""
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield "sobremesa context 2"
        yield f"room {self.room}"
        yield f"number {self.number}"
        yield f"game {self.game}"
        yield f"rules {self.rules}"
        yield f"crowd {_plain(self.crowd)}"
        if self.position is not None:
            yield f"position {self.position}"
        for name in sorted(set(self.options).difference(NOT_AGREED_BEFORE)):
            yield f"option {name} {_plain(self.options[name])}"
        for void in self.voids:
            yield f"void {void.commitment} {void.call} {','.join(map(str, void.missing))}"

    @property
    def digest(self) -> str:
        """What promises and seals hold of it."""
        return hashlib.sha256(self.text.encode()).hexdigest()

    def promise(self, secret: bytes) -> str:
        """The server's commitment to a secret."""
        return hash_of("sobremesa promise 2", self.digest, secret.hex())

    def seal(self, commitment: str, seat: int, opening: "Opening") -> str:
        """A seat's commitment to what it will open, for one promise."""
        return seal_of(self.digest, commitment, seat, opening)


def _plain(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


@dataclass(frozen=True, slots=True)
class Opening:
    """What a seat had sealed."""

    nonce: str
    """32 hexadecimal digits, drawn at random."""
    words: Words = ""
    """Words of one's own, if there are any."""


@dataclass(frozen=True, slots=True)
class Sealed:
    """A seat that is called, and what it opened."""

    seat: int
    seal: str
    place: int
    """The seat's number when it was sealed: in a crowd, empty seats before it may have been cleared away since."""
    opening: Opening | None = None


@dataclass(frozen=True)
class BoundChance:
    """A secret, a call and the openings, from which all of a game's chance follows."""

    secret: bytes
    context: Context
    commitment: str
    """What was shown to everybody before anything was sealed."""
    seats: int
    starter: int
    words: tuple[tuple[int, Words], ...] = ()
    """What seats said openly before the call, in the order of the seats."""
    sealed: tuple[Sealed, ...] = ()
    """The seats that were called, in order."""

    @cached_property
    def call(self) -> str:
        """The digest of all that was fixed before anything was opened."""
        return call_digest(self.context, self.commitment, self.seats, self.starter, self.words, self.sealed)

    @cached_property
    def key(self) -> bytes:
        """The key of all tickets."""
        lines = ["sobremesa key 2", self.call]
        lines += [
            f"open {sealed.seat} {sealed.opening.nonce} {digest_of(sealed.opening.words).hex()}"
            for sealed in self.sealed
            if sealed.opening is not None
        ]
        return hmac.digest(self.secret, "\n".join(lines).encode(), "sha256")

    def ticket(self, counter: int, total: int) -> int:
        """The counter-th number of the game, uniform in ``range(total)``."""
        return draw_ticket(self.key, counter, total)

    def proof(self, reveal: bool) -> "BoundProof":
        """What a record keeps; the secret is in it only if it may be revealed."""
        return BoundProof(
            commitment=self.commitment,
            room=self.context.room,
            number=self.context.number,
            crowd=self.context.crowd,
            voids=self.context.voids,
            call=self.call,
            words=self.words,
            sealed=self.sealed,
            secret=self.secret.hex() if reveal else None,
        )


def call_digest(
    context: Context,
    commitment: str,
    seats: int,
    starter: int,
    words: tuple[tuple[int, Words], ...],
    sealed: tuple[Sealed, ...],
) -> str:
    """What everybody is shown before anybody opens."""
    return hash_of(
        "sobremesa call 2",
        context.digest,
        commitment,
        f"seats {seats}",
        f"starter {starter}",
        *(f"words {seat} {digest_of(said).hex()}" for seat, said in words),
        *(f"seal {each.seat} {each.place} {each.seal}" for each in sealed),
    )


@dataclass(frozen=True)
class BoundProof:
    """What a record keeps of fair chance, version 2. The context's other parts are in the record itself."""

    commitment: str
    room: str
    number: int
    crowd: bool
    voids: tuple[Void, ...]
    call: str
    words: tuple[tuple[int, Words], ...]
    sealed: tuple[Sealed, ...]
    secret: str | None = None
    """The secret in hexadecimal digits; None until it may be revealed."""

    version = 2

    @property
    def opened(self) -> tuple[int, ...]:
        """The seats that nobody could steer chance against: their openings are in it."""
        return tuple(sealed.seat for sealed in self.sealed if sealed.opening is not None)

    def context(self, game: str, rules: int, options: Mapping[str, Value], position: str | None = None) -> Context:
        """What the promise is for, in a record of this game."""
        agreed = {name: value for name, value in options.items() if name not in NOT_AGREED_BEFORE}
        return Context(self.room, self.number, game, rules, agreed, self.crowd, position, self.voids)

    def chance(
        self, game: str, rules: int, options: Mapping[str, Value], position: str | None = None
    ) -> BoundChance | None:
        """The chance that the secret gives, if it is revealed; raises at what was not promised, sealed or called."""
        context = self.context(game, rules, options, position)
        for each in self.sealed:
            if each.opening is None:
                if not self.crowd:
                    raise InvalidRecord("table.error.fairness-began-unopened", seat=each.seat)
            elif context.seal(self.commitment, each.place, each.opening) != each.seal:
                raise InvalidRecord("table.error.fairness-opened-something-else", seat=each.seat)
        seats, starter = int(options["seats"]), int(options["starter"])
        if call_digest(context, self.commitment, seats, starter, self.words, self.sealed) != self.call:
            raise InvalidRecord("table.error.fairness-called-with-others")
        if self.secret is None:
            return None
        secret = bytes.fromhex(self.secret)
        if not hmac.compare_digest(context.promise(secret), self.commitment):
            raise InvalidRecord("table.error.fairness-the-secret-is-not-the-one")
        return BoundChance(secret, context, self.commitment, seats, starter, self.words, self.sealed)
