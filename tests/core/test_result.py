"""Places: the smallest key is best, and equal keys share a place."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core import Result
from sobremesa.core.result import places


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ([], ()),
        ([7], (1,)),
        ([1, 2, 3], (1, 2, 3)),
        ([3, 2, 1], (3, 2, 1)),
        ([5, 5], (1, 1)),
        ([5, 5, 6], (1, 1, 3)),
        ([5, 4, 5], (2, 1, 2)),
        ([-1, 0, -1, 0], (1, 3, 1, 3)),
    ],
)
def test_places(keys: list[int], expected: tuple[int, ...]) -> None:
    assert places(keys) == expected


def test_a_second_part_of_the_key_breaks_ties() -> None:
    assert places([(5, -0), (5, -1), (4, -2)]) == (3, 2, 1)


@given(st.lists(st.integers(-5, 5), max_size=12))
def test_a_place_is_one_more_than_the_number_of_those_who_are_better(keys: list[int]) -> None:
    assert places(keys) == tuple(1 + sum(other < key for other in keys) for key in keys)


def test_the_winners_are_those_in_first_place() -> None:
    assert Result((5, 9, 9), (3, 1, 1)).winners == (1, 2)
    assert Result((5, 9), (2, 1)).winners == (1,)
