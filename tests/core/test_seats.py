"""Sets of seats, against Python's own sets."""

import operator
import pickle
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sobremesa.core import NOBODY, Seats
from sobremesa.core.seats import ONE

MODELS = st.frozensets(st.integers(0, 100) | st.integers(0, 10_000), max_size=20)


def seats(model: frozenset[int]) -> Seats:
    return Seats(sum(1 << seat for seat in model))


@given(MODELS)
@example(frozenset())
@example(frozenset({9_999}))
def test_it_holds_what_a_set_holds(model: frozenset[int]) -> None:
    assert len(seats(model)) == len(model)
    assert bool(seats(model)) == bool(model)
    assert list(seats(model)) == sorted(model)
    assert set(seats(model)) == model


@given(MODELS, st.integers(-5, 200) | st.integers())
def test_membership(model: frozenset[int], seat: int) -> None:
    assert (seat in seats(model)) == (seat in model)


@pytest.mark.parametrize("thing", ["0", None, (), object()])
def test_what_is_no_seat_is_no_member(thing: object) -> None:
    assert thing not in Seats(1)


@given(MODELS, MODELS)
@example(frozenset({1}), frozenset({1}))
def test_comparison(one: frozenset[int], other: frozenset[int]) -> None:
    compare: list[Callable[[Any, Any], bool]] = [
        operator.eq,
        operator.ne,
        operator.le,
        operator.lt,
        operator.ge,
        operator.gt,
    ]
    for relation in compare:
        assert relation(seats(one), seats(other)) == relation(one, other)
        assert relation(seats(one), other) == relation(one, other)
    assert seats(one).isdisjoint(seats(other)) == one.isdisjoint(other)


@given(MODELS, MODELS)
def test_operations(one: frozenset[int], other: frozenset[int]) -> None:
    combine: list[Callable[[Any, Any], Any]] = [operator.and_, operator.or_, operator.sub, operator.xor]
    for operation in combine:
        found = operation(seats(one), seats(other))
        assert isinstance(found, Seats)
        assert found == operation(one, other)


@given(MODELS)
def test_equal_sets_have_equal_hashes(model: frozenset[int]) -> None:
    assert seats(model) == model
    assert hash(seats(model)) == hash(seats(model))
    assert hash(seats(model)) == hash(model)


@given(MODELS)
def test_it_can_be_pickled(model: frozenset[int]) -> None:
    assert pickle.loads(pickle.dumps(seats(model))) == seats(model)


def test_it_reads_like_a_set() -> None:
    assert repr(Seats(0b101)) == "Seats({0, 2})"
    assert repr(NOBODY) == "Seats({})"


def test_single_seats_are_ready_made() -> None:
    assert [set(one) for one in ONE] == [{seat} for seat in range(12)]
