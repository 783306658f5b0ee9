"""Chance, explicit: what can happen, and exactly how likely it is."""

from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction
from random import Random


@dataclass(frozen=True, slots=True)
class Chance:
    """The outcomes that chance can bring now; the whole weights give exact probabilities.

    >>> coin = Chance((0, 1), (1, 1))
    >>> coin.probability(1)
    Fraction(1, 2)
    >>> for side, probability in coin:
    ...     print(side, probability)
    0 1/2
    1 1/2
    """

    outcomes: tuple[int, ...]
    weights: tuple[int, ...]

    @property
    def total(self) -> int:
        """The sum of all weights."""
        return sum(self.weights)

    def __iter__(self) -> Iterator[tuple[int, Fraction]]:
        """Each outcome with its probability."""
        total = self.total
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            yield outcome, Fraction(weight, total)

    def __len__(self) -> int:
        """How many outcomes there are."""
        return len(self.outcomes)

    def probability(self, outcome: int) -> Fraction:
        """How likely the outcome is; 0 for one that cannot happen."""
        if outcome not in self.outcomes:
            return Fraction(0)
        return Fraction(self.weights[self.outcomes.index(outcome)], self.total)

    def at(self, ticket: int) -> int:
        """The outcome that a ticket drawn uniformly from ``range(total)`` wins."""
        if ticket < 0:
            raise IndexError("a ticket is a number from 0")
        for outcome, weight in zip(self.outcomes, self.weights, strict=True):
            if ticket < weight:
                return outcome
            ticket -= weight
        raise IndexError("a ticket is a number below the total weight")

    def draw(self, random: Random) -> int:
        """An outcome at random, each as likely as it should be."""
        return self.at(int(random.random() * self.total))
