"""Isis & Osiris in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.isis_osiris.moves import Move

_SENTENCES = {
    "stone": "isis-osiris.stone-on",
    "turn": "isis-osiris.a-tile-is-turned-over",
    "tile": "isis-osiris.tile-face-down-on",
}


def describe(move: Move) -> Sentence:
    """A move in words."""
    return _SENTENCES[move.kind], {"cell": move.text[1:]}


def describe_chance(outcome: int) -> Sentence:
    """What the turned tile shows."""
    return "isis-osiris.the-tile-shows", {"value": f"{outcome:+}"}


HELP = ("isis-osiris.help.c3-places-a-stone-on-c3",)

WORDS = Words(describe, describe_chance, group=lambda move: move.text[0], help=HELP, short=str)
