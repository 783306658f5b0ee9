"""Reversi once more, with a part of the page of its own: a compiled ES module among the package's files."""

from dataclasses import replace

from sobremesa_reversi import GAME as REVERSI

GAME = replace(REVERSI, id="painted", name="Painted", package=__name__, page="page/table.js")
