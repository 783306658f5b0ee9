"""The editions of Callisto, as data: tiles, boards, and where pillars may stand."""

from dataclasses import dataclass

SHAPES = {
    "2": "##",
    "I": "###",
    "V": "#. ##",
    "O": "## ##",
    "L": "#.. ###",
    "T4": "### .#.",
    "Z": "##. .##",
    "U": "#.# ###",
    "T5": "### .#. .#.",
    "W": "#.. ##. .##",
    "X": ".#. ### .#.",
}
"""Each tile once, rows from top to bottom. They all fit a square of 3x3."""

CENTRE = (2, 4, 6, 6, 4, 2)


@dataclass(frozen=True)
class PillarRule:
    """Where a pillar may stand."""

    number: str
    """The number of the rule."""
    on: str
    """The cells it may stand on: ``"outside the centre"`` or ``"along the frame"``."""
    beside_tiles: bool = False
    """Whether it may also stand beside any tile."""
    apart: bool = False
    """Whether it must not stand beside another pillar."""


@dataclass(frozen=True)
class Edition:
    """One edition: its tiles, its boards and its pillar rules."""

    name: str
    tiles: dict[str, int]
    """How many copies of each tile a seat has."""
    boards: dict[int, tuple[int, ...]]
    """By number of seats, the widths of the board's rows."""
    pillars: tuple[PillarRule, PillarRule, PillarRule]
    """The rules of a seat's first, second and third pillar."""
    centre: tuple[int, ...] = ()
    """The widths of the centre's rows; empty if the board has no centre."""


_ANYWHERE = PillarRule("C4", "outside the centre")
_FRAME = PillarRule("C5", "along the frame", apart=True)
_FRAME_OR_TILE = PillarRule("C6", "along the frame", beside_tiles=True, apart=True)

EDITIONS = {
    "classic": Edition(
        name="classic",
        tiles={"2": 2, "I": 2, "V": 2, "O": 2, "L": 2, "T4": 2, "Z": 2, "U": 1, "T5": 1, "W": 1, "X": 1},
        boards={
            2: (2, 4, 6, 8, 10, 12, 14, 16, 16, 14, 12, 10, 8, 6, 4, 2),
            3: (2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 20, 18, 16, 14, 12, 10, 8, 6, 4, 2),
            4: (6, 8, 10, 12, 14, 16, 18, 20, 20, 20, 20, 20, 20, 18, 16, 14, 12, 10, 8, 6),
        },
        pillars=(_ANYWHERE, _ANYWHERE, _ANYWHERE),
        centre=CENTRE,
    ),
    "pocket": Edition(
        name="pocket",
        tiles={"2": 2, "I": 2, "V": 2, "O": 1, "L": 1, "T4": 1, "Z": 1, "U": 1, "T5": 1, "W": 1},
        boards={2: (10,) * 10, 3: (12,) * 12, 4: (14,) * 14},
        pillars=(_FRAME, _FRAME, _FRAME_OR_TILE),
    ),
}
