"""Sets of seats, cheap for two and for ten thousand."""

from collections.abc import Iterable, Iterator, Set


class Seats(Set[int]):
    """An immutable set of seats, kept as one integer with a bit for each seat."""

    __slots__ = ("_bits",)

    def __init__(self, bits: int = 0) -> None:
        self._bits = bits

    @classmethod
    def _from_iterable(cls, seats: Iterable[int]) -> "Seats":  # type: ignore[override]
        bits = 0
        for seat in seats:
            bits |= 1 << seat
        return cls(bits)

    def __contains__(self, seat: object) -> bool:
        return isinstance(seat, int) and seat >= 0 and self._bits >> seat & 1 == 1

    def __iter__(self) -> Iterator[int]:
        bits = self._bits
        while bits:
            lowest = bits & -bits
            yield lowest.bit_length() - 1
            bits ^= lowest

    def __len__(self) -> int:
        return self._bits.bit_count()

    def __bool__(self) -> bool:
        return self._bits != 0

    def __hash__(self) -> int:
        return self._hash()

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Seats):
            return self._bits == other._bits
        return super().__eq__(other)

    def __repr__(self) -> str:
        return f"Seats({{{', '.join(map(str, self))}}})"


NOBODY = Seats()
ONE = tuple(Seats(1 << seat) for seat in range(12))
"""The set of a single seat, ready made, for games in which one decides at a time."""
