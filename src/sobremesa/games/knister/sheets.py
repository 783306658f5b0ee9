"""All sheets of a table: an immutable row that shares what did not change (a persistent vector).

Writing on one sheet of ten thousand copies three short tuples, not ten thousand references.
"""

from collections.abc import Iterator
from functools import cached_property
from typing import Any

from sobremesa.core.result import places
from sobremesa.games.knister.scoring import EMPTY, points

_WIDTH = 32
_SHIFT = 5


class Standings:
    """Points and places of all seats, and the seats in order of rank."""

    def __init__(self, sheets: "Sheets") -> None:
        self.points = tuple(points(sheet) for sheet in sheets)
        self.places = places([-total for total in self.points])
        self.order = tuple(sorted(range(len(self.points)), key=lambda seat: (self.places[seat], seat)))

    @cached_property
    def rank(self) -> tuple[int, ...]:
        """Each seat's index in ``order``."""
        rank = [0] * len(self.order)
        for index, seat in enumerate(self.order):
            rank[seat] = index
        return tuple(rank)


class Sheets:
    """Everybody's sheet, by seat. ``put`` makes a new row and leaves this one as it is."""

    __slots__ = ("_depth", "_hash", "_size", "_standings", "_tree")

    _tree: Any
    _standings: Standings | None
    _hash: int | None

    def __init__(self, sheets: list[bytes]) -> None:
        row: list[Any] = sheets
        depth = 0
        while True:
            row = [tuple(row[low : low + _WIDTH]) for low in range(0, len(row), _WIDTH)]
            if len(row) == 1:
                break
            depth += _SHIFT
        self._tree = row[0]
        self._size = len(sheets)
        self._depth = depth
        self._standings = None
        self._hash = None

    @classmethod
    def blank(cls, seats: int) -> "Sheets":
        """Empty sheets for everybody."""
        blank = cls([EMPTY])
        blank._size = seats
        while seats > _WIDTH << blank._depth:
            blank._depth += _SHIFT
        blank._tree = _repeat(EMPTY, seats, blank._depth)
        return blank

    def __len__(self) -> int:
        return self._size

    def __getitem__(self, seat: int) -> bytes:
        node = self._tree
        for shift in range(self._depth, -1, -_SHIFT):
            node = node[seat >> shift & _WIDTH - 1]
        return node  # type: ignore[no-any-return]

    def __iter__(self) -> Iterator[bytes]:
        return _leaves(self._tree, self._depth)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Sheets) and self._tree == other._tree

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash(self._tree)
        return self._hash

    def __reduce__(self) -> tuple[type["Sheets"], tuple[list[bytes]]]:
        return Sheets, (list(self),)

    def put(self, seat: int, sheet: bytes) -> "Sheets":
        """The row in which the seat has this sheet."""
        changed = Sheets.__new__(Sheets)
        changed._tree = _put(self._tree, self._depth, seat, sheet)
        changed._size = self._size
        changed._depth = self._depth
        changed._standings = None
        changed._hash = None
        return changed

    @property
    def standings(self) -> Standings:
        """Points and places, counted once for each row of sheets that is asked for them."""
        if self._standings is None:
            self._standings = Standings(self)
        return self._standings


def _repeat(sheet: bytes, size: int, shift: int) -> tuple[Any, ...]:
    """A tree of equal sheets, which all share one branch."""
    if not shift:
        return (sheet,) * size
    full, rest = divmod(size, 1 << shift)
    tree: tuple[Any, ...] = (_repeat(sheet, 1 << shift, shift - _SHIFT),) * full
    return (*tree, _repeat(sheet, rest, shift - _SHIFT)) if rest else tree


def _put(node: tuple[Any, ...], shift: int, seat: int, sheet: bytes) -> tuple[Any, ...]:
    at = seat >> shift & _WIDTH - 1
    below = _put(node[at], shift - _SHIFT, seat, sheet) if shift else sheet
    return node[:at] + (below,) + node[at + 1 :]


def _leaves(node: tuple[Any, ...], shift: int) -> Iterator[bytes]:
    if not shift:
        return iter(node)
    return (sheet for below in node for sheet in _leaves(below, shift - _SHIFT))
