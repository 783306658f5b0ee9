"""Callisto games as ``.blksgf`` files, the SGF dialect that Pentobi reads and writes.

Pentobi knows the classic edition. The colour that starts is always the first, so seats are written in the
order of play. Of a file with variations, the main line is read. A file may hold several games, one after the other.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from sobremesa.core.errors import InvalidRecord, SobremesaError
from sobremesa.games.callisto.board import Placement
from sobremesa.games.callisto.notation import parse_cells
from sobremesa.games.callisto.state import CallistoState

MAX_CHARACTERS = 1 << 20
"""Longer files are refused unread."""
_NAMES = {2: "Callisto Two-Player", 3: "Callisto Three-Player", 4: "Callisto"}
_COLOURS = {2: "BW", 3: "123", 4: "1234"}
_PROPERTY = re.compile(r"\s*([A-Za-z0-9]+)\s*((?:\[(?:[^\]\\]|\\.)*\]\s*)+)", re.DOTALL | re.ASCII)
_VALUE = re.compile(r"\[((?:[^\]\\]|\\.)*)\]", re.DOTALL)
_BRACKET = re.compile(r"\[(?:[^\]\\]|\\.)*\]|[()]", re.DOTALL)
_BETWEEN = re.compile(r"[\s;(]*", re.ASCII)


@dataclass(frozen=True)
class Game:
    """The contents of such a file: who played, and the moves. The seats are in the order of play."""

    seats: int
    moves: tuple[Placement, ...]
    names: tuple[str, ...] = ()


def dumps(start: CallistoState, moves: tuple[Placement, ...], names: tuple[str, ...] = ()) -> str:
    """The game that these moves make, as a file for Pentobi."""
    if start.board.edition.name != "classic":
        raise InvalidRecord("callisto.error.pentobi-knows-the-classic-edition-only")
    colours = _COLOURS[start.seats]
    game = start
    lines = [f"(;GM[{_NAMES[start.seats]}]", "AP[Sobremesa]"]
    for seat, name in enumerate(names):
        escaped = re.sub(r"([\\\]])", r"\\\1", name)
        lines.append(f"P{colours[game.turn_order(seat)]}[{escaped}]")
    for move in moves:
        lines.append(f";{colours[game.turn_order(game.turn)]}[{move}]")
        game = game.play(move)
    return "\n".join(lines) + ")\n"


def loads(text: str) -> Game:
    """Reads a file that Pentobi, or this program, wrote."""
    if len(text) > MAX_CHARACTERS:
        raise InvalidRecord("callisto.error.the-file-is-too-large-for-a-game", limit=MAX_CHARACTERS)
    properties = _main_line(text)
    name = next((value for key, value in properties if key == "GM"), "")
    seats = next((seats for seats, known in _NAMES.items() if known == name), None)
    if seats is None:
        raise InvalidRecord("callisto.error.this-is-no-game-of-callisto", name=name[:40])
    colours = _COLOURS[seats]
    # Pentobi 12 wrote numbers for two players as well.
    colour_of = {colour: index for index, colour in enumerate(colours)} | {str(i + 1): i for i in range(seats)}
    state = CallistoState.begin("classic", seats, starter=0)
    moves: list[Placement] = []
    names = [""] * seats
    for key, value in properties:
        if key in colour_of:
            try:
                move = parse_cells(value.strip(), state.board)
                state = state.play(move, colour_of[key])
            except SobremesaError as error:
                number = len(moves) + 1
                raise InvalidRecord(
                    "callisto.error.move-number-move", number=number, move=value[:40], error=error
                ) from None
            moves.append(move)
        elif key[:1] == "P" and key[1:] in colour_of:
            names[colour_of[key[1:]]] = value if value.isprintable() else ""
        elif key in ("AE", "PL") or (key[:1] == "A" and key[1:] in colour_of):
            raise InvalidRecord("callisto.error.the-file-sets-up-a-position", key=key)
    return Game(seats, tuple(moves), tuple(names) if any(names) else ())


def split(text: str) -> Iterator[str]:
    """The games of a file, each as a text for `loads`."""
    depth, begin = 0, 0
    for bracket in _BRACKET.finditer(text):
        if bracket[0] == "(":
            begin = begin if depth else bracket.start()
            depth += 1
        elif bracket[0] == ")" and depth:
            depth -= 1
            if not depth:
                yield text[begin : bracket.end()]


def _main_line(text: str) -> list[tuple[str, str]]:
    """The properties up to the first closing parenthesis, where the main line ends."""
    properties: list[tuple[str, str]] = []
    at = text.find("(")
    while at >= 0:
        between = _BETWEEN.match(text, at)
        at = between.end() if between else at
        if text[at : at + 1] == ")":
            return properties
        match = _PROPERTY.match(text, at)
        if match is None:
            break
        properties += [(match[1], re.sub(r"\\(.)", r"\1", value)) for value in _VALUE.findall(match[2])]
        at = match.end()
    raise InvalidRecord("callisto.error.this-is-no-sgf-file", count=len(properties))
