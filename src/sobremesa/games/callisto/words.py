"""Callisto in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.callisto.board import PILLAR, Placement, turned
from sobremesa.games.callisto.editions import SHAPES


def describe(move: Placement) -> Sentence:
    """A move in words."""
    if move.piece == PILLAR:
        return "callisto.pillar-on", {"cell": move.text}
    return "callisto.tile-on", {"tile": move.piece, "cells": move.text.replace(",", " ")}


def describe_chance(outcome: int) -> Sentence:
    """Nothing is left to chance in Callisto."""
    raise AssertionError(outcome)


def shapes() -> str:
    """Every tile in every orientation, with the text that names it."""
    lines = []
    for piece in SHAPES:
        block = [""] * 4
        for orientation in turned(piece):
            block[0] += f"{piece + orientation.letter:<8}"
            for y in range(3):
                row = "".join("██" if (x, 2 - y) in orientation.offsets else "  " for x in range(3))
                block[y + 1] += f"{row:<8}"
        lines += [line.rstrip() for line in block if line.strip()] + [""]
    return "\n".join(lines).rstrip()


HELP = (
    "callisto.help.a-move-names-the-cells",
    "callisto.help.or-a-tile-and-the-leftmost",
    "callisto.help.shapes-the-tiles-and-the-letters",
    "callisto.help.moves-l-those-of",
)

WORDS = Words(
    describe, describe_chance, group=lambda move: move.piece, help=HELP, short=lambda move: move.short, shapes=shapes()
)
