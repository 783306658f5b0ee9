"""Callisto in words."""

from sobremesa.core.words import Sentence, Words
from sobremesa.games.callisto.board import PILLAR, Placement


def told(move: Placement) -> Sentence:
    """What a move does."""
    if move.piece == PILLAR:
        return "{name}: pillar on {cell}", {"cell": move.text}
    return "{name}: tile {tile} on {cells}", {"tile": move.piece, "cells": move.text.replace(",", " ")}


def chance_told(outcome: int) -> Sentence:
    """Nothing is left to chance in Callisto."""
    raise AssertionError(outcome)


HELP = (
    "A move names the cells: e9,e10,f10. A pillar is one cell: h6.",
    "Or a tile and its lowest, leftmost cell: L@e9; if it fits in several ways, with a letter: Lc@e9.",
)

WORDS = Words(told, chance_told, group=lambda move: move.piece, help=HELP, short=lambda move: move.short)
