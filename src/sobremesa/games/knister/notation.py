"""Positions of Knister in writing."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from sobremesa.core.errors import InvalidMove, InvalidPosition
from sobremesa.core.position import read_number, read_position, write_position
from sobremesa.games.knister.moves import WRITES, parse_move
from sobremesa.games.knister.scoring import CELLS
from sobremesa.games.knister.sheets import Sheets

if TYPE_CHECKING:
    from sobremesa.games.knister.state import KnisterState

GAME = "knister"
_FIELDS = ("seats", "starter", "roll", "sheets")
_DIGITS = ".?23456789ABC"
"""A number as one character: ``A``, ``B``, ``C`` for 10, 11, 12; ``.`` for a free cell. 1 cannot occur."""
_SHEET = re.compile(r"([.2-9ABC]{25})(?:\+([a-e][1-5]))?", re.ASCII)


def write(state: KnisterState) -> str:
    """The position as one line of text.

    Each sheet's cells from a1, b1 to e5; ``+c3`` behind it says where the running roll was written.
    """
    sheets = []
    for sheet, before in zip(state.sheets, state.closed, strict=True):
        text = "".join(_DIGITS[number] for number in sheet)
        if sheet != before:
            cell = next(cell for cell in range(CELLS) if sheet[cell] != before[cell])
            text += f"+{WRITES[cell]}"
        sheets.append(text)
    return write_position(GAME, state.options | {"roll": state.roll or "-", "sheets": "/".join(sheets)})


def parse_position(text: str) -> KnisterState:
    """Reads what ``write`` wrote; all sheets must hold the same rolls."""
    from sobremesa.games.knister.state import DICE, NO_ROLL, KnisterState

    fields = read_position(text, GAME, _FIELDS)
    seats, starter = read_number(fields, "seats"), read_number(fields, "starter")
    roll = NO_ROLL if fields["roll"] == "-" else read_number(fields, "roll")
    if fields["roll"] != "-" and roll not in DICE.outcomes:
        raise InvalidPosition("knister.error.two-dice-cannot-show", roll=roll)
    words = fields["sheets"].split("/")
    if len(words) != seats or starter >= seats:
        raise InvalidPosition("knister.error.sheets-needs-a-sheet-for-each-seat-with-between")
    now, before, waiting = [], [], 0
    for seat, word in enumerate(words):
        match = _SHEET.fullmatch(word)
        if match is None:
            raise InvalidPosition("knister.error.is-no-sheet-of-25-cells", sheet=word[:40])
        sheet = bytes(max(0, _DIGITS.index(mark)) for mark in match[1])
        now.append(sheet)
        if match[2] is None:
            waiting |= 1 << seat
            before.append(sheet)
            continue
        cell = _cell(match[2])
        if not roll or sheet[cell] != roll:
            raise InvalidPosition("knister.error.the-running-roll-was-not-written-into", cell=match[2])
        before.append(sheet[:cell] + b"\0" + sheet[cell + 1 :])
    if any(sorted(sheet) != sorted(before[0]) for sheet in before):
        raise InvalidPosition("knister.error.the-sheets-do-not-hold-the-same-rolls")
    if not roll:
        waiting = 0
    elif not waiting:
        raise InvalidPosition("knister.error.the-round-is-over-when-everybody-has-written")
    elif not before[0].count(0):
        raise InvalidPosition("knister.error.there-is-no-round-after-the-twenty-fifth")
    return KnisterState(starter, CELLS - before[0].count(0), roll, waiting, Sheets(now), Sheets(before))


def _cell(name: str) -> int:
    try:
        return parse_move(name).cell
    except InvalidMove as error:  # the pattern admits cells of the sheet only
        raise InvalidPosition(error.id, **error.values) from None
