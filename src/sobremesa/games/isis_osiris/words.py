"""Isis & Osiris in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.isis_osiris.moves import Move

_SENTENCES = {
    "stone": "{name}: stone on {cell}",
    "turn": "{name}: a tile is turned over",
    "tile": "{name}: tile face down on {cell}",
}


def describe(move: Move) -> Sentence:
    """A move in words."""
    return _SENTENCES[move.kind], {"cell": move.text[1:]}


def describe_chance(outcome: int) -> Sentence:
    """What the turned tile shows."""
    return "The tile shows {value}.", {"value": f"{outcome:+}"}


HELP = ("c3 places a stone on c3. T turns a tile over; then c3 lays it on c3.",)

WORDS = Words(describe, describe_chance, group=lambda move: move.text[0], help=HELP, short=str)
