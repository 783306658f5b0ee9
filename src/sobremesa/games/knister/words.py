"""Knister in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.knister.moves import Write


def told(move: Write) -> Sentence:
    """What a move does; where the others write, nobody sees before the round is over (K1)."""
    return "{name}: written", {}


def chance_told(outcome: int) -> Sentence:
    """What the dice show."""
    return "The dice make {roll}.", {"roll": outcome}


HELP = ("c3 writes the roll into the cell c3.",)

WORDS = Words(told, chance_told, group=lambda move: "", help=HELP, short=str)
