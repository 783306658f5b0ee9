"""Who sits where: an immutable value that ten thousand chairs do not make slow."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from sobremesa.rooms.messages import SeatKind


@dataclass(frozen=True, slots=True)
class Chair:
    """A seat and who is in it."""

    kind: SeatKind = "open"
    name: str = ""
    """A person's name, or a computer player's id."""
    person: str | None = None
    seals: bool = False
    """Whether the person's client takes part in fair chance."""

    @property
    def taken(self) -> bool:
        """Whether somebody plays here."""
        return self.kind in ("person", "engine")


OPEN = Chair()


class Seating:
    """All chairs in order; ``with_chair`` makes a new seating. What every command asks is answered beforehand."""

    __slots__ = ("_by_person", "chairs", "engines", "gone", "sealing", "taken")

    def __init__(self, chairs: Iterable[Chair] = ()) -> None:
        self.chairs = tuple(chairs)
        self.taken = sum(chair.taken for chair in self.chairs)
        self.engines = frozenset(seat for seat, chair in enumerate(self.chairs) if chair.kind == "engine")
        self.gone = frozenset(seat for seat, chair in enumerate(self.chairs) if chair.kind == "gone")
        self.sealing = sum(1 << seat for seat, chair in enumerate(self.chairs) if chair.seals)
        """A bit for each seat whose client takes part in fair chance."""
        self._by_person: dict[str, tuple[int, ...]] = {}
        for seat, chair in enumerate(self.chairs):
            if chair.person is not None:
                self._by_person[chair.person] = (*self._by_person.get(chair.person, ()), seat)

    def __len__(self) -> int:
        return len(self.chairs)

    def __getitem__(self, seat: int) -> Chair:
        return self.chairs[seat]

    def __iter__(self) -> Iterator[Chair]:
        return iter(self.chairs)

    @property
    def full(self) -> bool:
        """Whether every seat is taken."""
        return 0 < len(self.chairs) == self.taken

    @property
    def free(self) -> int | None:
        """The first seat that nobody plays at."""
        if len(self.chairs) == self.taken:
            return None
        return next(seat for seat, chair in enumerate(self.chairs) if not chair.taken)

    def seats_of(self, person: str) -> tuple[int, ...]:
        """The seats that a person has, in order."""
        return self._by_person.get(person, ())

    def with_chair(self, seat: int, chair: Chair) -> "Seating":
        """The same chairs but for one; it may be a new one at the end."""
        new = Seating.__new__(Seating)
        before = self.chairs[seat] if seat < len(self.chairs) else OPEN
        new.chairs = (*self.chairs[:seat], chair, *self.chairs[seat + 1 :])
        new.taken = self.taken - before.taken + chair.taken
        new.engines = _changed(self.engines, seat, chair.kind == "engine")
        new.gone = _changed(self.gone, seat, chair.kind == "gone")
        new.sealing = self.sealing & ~(1 << seat) | chair.seals << seat
        new._by_person = self._by_person
        if before.person is not None or chair.person is not None:
            new._by_person = dict(self._by_person)
            if before.person is not None:
                left = tuple(other for other in new._by_person.pop(before.person) if other != seat)
                if left:
                    new._by_person[before.person] = left
            if chair.person is not None:
                new._by_person[chair.person] = tuple(sorted((*new._by_person.get(chair.person, ()), seat)))
        return new


def _changed(seats: frozenset[int], seat: int, has: bool) -> frozenset[int]:
    if (seat in seats) == has:
        return seats
    return seats | {seat} if has else seats - {seat}
