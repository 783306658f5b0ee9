"""Fair chance: anybody can check afterwards that chance kept to what was promised.

Every roll is derived from a secret whose commitment is shown before the game, from what seats added, and from a
counter. This module has what is common, and version 1: words are said openly, after the promise. There a server that
works together with a seat can choose that seat's words last, and so steer; ``commitments`` has version 2, where it
cannot.
"""

import hashlib
import hmac
import secrets
from dataclasses import dataclass

from sobremesa.core.errors import InvalidRecord

MAX_WORDS_LENGTH = 200
"""The most characters that a seat may add."""


@dataclass(frozen=True)
class Digest:
    """What is left of words whose author has been forgotten: their SHA-256, from which the same rolls follow."""

    sha256: str
    """64 hexadecimal digits."""

    @classmethod
    def of(cls, words: str) -> "Digest":
        """The digest of some words."""
        return cls(hashlib.sha256(words.encode()).hexdigest())


Words = str | Digest
"""What a seat adds to chance."""


def digest_of(words: Words) -> bytes:
    """The SHA-256 of some words, which is all that chance takes of them."""
    return hashlib.sha256(words.encode()).digest() if isinstance(words, str) else bytes.fromhex(words.sha256)


def draw_ticket(key: bytes, counter: int, total: int) -> int:
    """The counter-th number that follows from a key, uniform in ``range(total)``.

    HMAC-SHA256 gives 256 bits; the few values past the last multiple of ``total`` are drawn again
    (rejection sampling), so that every number is exactly equally likely.
    """
    fair = (1 << 256) - (1 << 256) % total
    attempt = 0
    while True:
        digest = hmac.digest(key, f"{counter}.{attempt}".encode(), "sha256")
        number = int.from_bytes(digest, "big")
        if number < fair:
            return number % total
        attempt += 1


@dataclass(frozen=True)
class FairChance:
    """A secret and the seats' words, from which all of a game's chance follows: version 1.

    >>> chance = FairChance(bytes(32), ("fortuna", "suerte"))
    >>> [chance.ticket(counter, 36) for counter in range(5)]
    [35, 11, 0, 35, 11]
    """

    secret: bytes
    words: tuple[Words, ...] = ()

    @classmethod
    def fresh(cls) -> "FairChance":
        """A secret that nobody can guess."""
        return cls(secrets.token_bytes(32))

    @classmethod
    def from_seed(cls, seed: str) -> "FairChance":
        """A secret that anybody who knows the seed can make again: for experiments and examples."""
        return cls(hashlib.sha256(b"sobremesa seed " + seed.encode()).digest())

    @property
    def commitment(self) -> str:
        """What is shown to everybody before the first roll."""
        return hashlib.sha256(self.secret).hexdigest()

    def ticket(self, counter: int, total: int) -> int:
        """The counter-th number of the game, uniform in ``range(total)``."""
        return draw_ticket(hmac.digest(self.secret, b"".join(map(digest_of, self.words)), "sha256"), counter, total)

    def proof(self, reveal: bool) -> "FairnessProof":
        """What a record keeps; the secret is in it only if it may be revealed."""
        return FairnessProof(self.commitment, self.words, self.secret.hex() if reveal else None)


@dataclass(frozen=True)
class FairnessProof:
    """What a record keeps of version 1: the commitment, the words, and the secret once the game is over."""

    commitment: str
    words: tuple[Words, ...] = ()
    secret: str | None = None
    """The secret in hexadecimal digits; None until it may be revealed."""

    version = 1

    def chance(self) -> FairChance | None:
        """The chance that the secret gives, if it is revealed; raises if it does not fit the commitment."""
        if self.secret is None:
            return None
        chance = FairChance(bytes.fromhex(self.secret), self.words)
        if not hmac.compare_digest(chance.commitment, self.commitment):
            raise InvalidRecord("table.error.fairness-the-secret-is-not-the-one")
        return chance
