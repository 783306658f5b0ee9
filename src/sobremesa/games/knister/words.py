"""Knister in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.knister.moves import Write


def describe(move: Write) -> Sentence:
    """A move in words; where the others write, nobody sees before the round is over (K1)."""
    return "{name}: written", {}


def describe_chance(outcome: int) -> Sentence:
    """What the dice show."""
    return "The dice make {roll}.", {"roll": outcome}


HELP = ("c3 writes the roll into the cell c3.",)

WORDS = Words(describe, describe_chance, group=lambda move: "", help=HELP, short=str)
