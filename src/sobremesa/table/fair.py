"""Fair chance: anybody can check afterwards that nobody chose the dice.

This is a commitment scheme. Before the first roll the SHA-256 of a secret is shown to everybody; then every
seat may add words of its own, its entropy. Each roll is derived from the secret, the words and a counter. The
secret was fixed before the words were known, so neither side could steer a roll; once it is revealed, everybody
can recompute all.
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


def _digest(words: Words) -> bytes:
    return hashlib.sha256(words.encode()).digest() if isinstance(words, str) else bytes.fromhex(words.sha256)


@dataclass(frozen=True)
class FairChance:
    """A secret and the seats' words, from which all of a game's chance follows.

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
        """The counter-th number of the game, uniform in ``range(total)``.

        HMAC-SHA256 gives 256 bits; the few values past the last multiple of ``total`` are drawn again
        (rejection sampling), so that every number is exactly equally likely.
        """
        words = b"".join(map(_digest, self.words))
        key = hmac.digest(self.secret, words, "sha256")
        fair = (1 << 256) - (1 << 256) % total
        attempt = 0
        while True:
            digest = hmac.digest(key, f"{counter}.{attempt}".encode(), "sha256")
            number = int.from_bytes(digest, "big")
            if number < fair:
                return number % total
            attempt += 1


@dataclass(frozen=True)
class FairnessProof:
    """What a record keeps of fair chance: the commitment, the words, and the secret once the game is over."""

    commitment: str
    words: tuple[Words, ...] = ()
    secret: str | None = None
    """The secret in hexadecimal digits; None until it may be revealed."""

    @classmethod
    def of(cls, chance: FairChance, reveal: bool) -> "FairnessProof":
        """The proof of a game; the secret is in it only if it may be revealed."""
        return cls(chance.commitment, chance.words, chance.secret.hex() if reveal else None)

    def chance(self) -> FairChance | None:
        """The chance that the secret gives, if it is revealed; raises if it does not fit the commitment."""
        if self.secret is None:
            return None
        chance = FairChance(bytes.fromhex(self.secret), self.words)
        if not hmac.compare_digest(chance.commitment, self.commitment):
            raise InvalidRecord("table.error.fairness-the-secret-is-not-the-one")
        return chance
