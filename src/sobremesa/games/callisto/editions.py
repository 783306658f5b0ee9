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
    """Where a pillar may stand. On top of ``on``, perhaps beside any tile; perhaps apart from all pillars."""

    number: str
    on: str
    """``"outside the centre"`` or ``"along the frame"``."""
    beside_tiles: bool = False
    apart: bool = False


@dataclass(frozen=True)
class Edition:
    """One edition: the copies of each tile that a seat has, the boards' row widths, the pillar rules."""

    name: str
    tiles: dict[str, int]
    boards: dict[int, tuple[int, ...]]
    pillars: tuple[PillarRule, PillarRule, PillarRule]
    centre: tuple[int, ...] = ()


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
