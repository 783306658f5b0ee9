"""How a game ended."""

from collections.abc import Sequence
from dataclasses import dataclass

SOLO_POINTS = 100.0
"""The points that are a value, or a reward, of 1 in a game alone, where there is nobody to beat."""


@dataclass(frozen=True, slots=True)
class Result:
    """Everybody's score and place, by seat. Places count from 1; equals share a place."""

    scores: tuple[int, ...]
    places: tuple[int, ...]

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats in first place."""
        return tuple(seat for seat, place in enumerate(self.places) if place == 1)


def places(keys: Sequence[int] | Sequence[tuple[int, int]]) -> tuple[int, ...]:
    """Each one's place when the smallest key is best and equal keys share a place.

    >>> places([30, 10, 10, 20])
    (4, 1, 1, 3)
    """
    first: dict[object, int] = {}
    for place, key in enumerate(sorted(keys), start=1):
        first.setdefault(key, place)
    return tuple(first[key] for key in keys)
