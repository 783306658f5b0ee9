"""Knister in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.knister.moves import Write


def describe(move: Write) -> Sentence:
    """A move in words; where the others write, nobody sees before the round is over (K1)."""
    return "knister.name-written", {}


def describe_chance(outcome: int) -> Sentence:
    """What the dice show."""
    return "knister.the-dice-make", {"roll": outcome}


HELP = ("knister.help.c3-writes-the-roll-into-the-cell",)

WORDS = Words(
    describe,
    describe_chance,
    group=lambda move: "",
    help=HELP,
    short=str,
    ask_chance="knister.press-enter-to-roll-the-dice",
)
