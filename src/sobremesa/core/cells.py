"""Names of cells: a column letter from the left, then a row number from the bottom (``e9``)."""

import re

from sobremesa.core.errors import InvalidMove

_CELL = re.compile(r"([a-z])([1-9][0-9]?)", re.ASCII)


def cell_name(x: int, y: int) -> str:
    """The name of column ``x``, row ``y``, both counted from 0 at the bottom left."""
    return f"{chr(ord('a') + x)}{y + 1}"


def parse_cell(text: str, width: int, height: int) -> tuple[int, int]:
    """The column and row of a cell's name on a board of that size."""
    match = _CELL.fullmatch(text.lower())
    if match is None:
        raise InvalidMove("core.error.is-no-cell", text=text[:20])
    x, y = ord(match[1]) - ord("a"), int(match[2]) - 1
    if x >= width or y >= height:
        raise InvalidMove("core.error.is-not-on-this-board", text=text)
    return x, y
