"""Chance is exact."""

from collections import Counter
from fractions import Fraction
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sobremesa.core import Chance


@st.composite
def chances(draw: st.DrawFn) -> Chance:
    weights = draw(st.dictionaries(st.integers(-99, 99), st.integers(1, 40), min_size=1, max_size=12))
    return Chance(tuple(weights), tuple(weights.values()))


@given(chances())
def test_every_ticket_wins_and_each_outcome_wins_with_as_many_as_it_weighs(chance: Chance) -> None:
    won = Counter(chance.at(ticket) for ticket in range(chance.total))
    assert won == dict(zip(chance.outcomes, chance.weights, strict=True))


@given(chances())
def test_tickets_go_to_the_outcomes_in_their_order(chance: Chance) -> None:
    winners = [chance.at(ticket) for ticket in range(chance.total)]
    assert list(dict.fromkeys(winners)) == list(chance.outcomes)


@given(chances())
def test_there_are_no_other_tickets(chance: Chance) -> None:
    for ticket in (chance.total, chance.total + 1, 10**30):
        with pytest.raises(IndexError):
            chance.at(ticket)


def test_there_are_no_tickets_below_zero() -> None:
    with pytest.raises(IndexError):
        Chance((1, 2), (1, 1)).at(-1)


@given(chances())
def test_probabilities_are_exact(chance: Chance) -> None:
    assert sum(chance.probability(outcome) for outcome in chance.outcomes) == 1
    for outcome, weight in zip(chance.outcomes, chance.weights, strict=True):
        assert chance.probability(outcome) == Fraction(weight, chance.total)
    assert chance.probability(100) == 0


@given(chances(), st.integers(0, 1000))
def test_draws_come_from_the_outcomes(chance: Chance, seed: int) -> None:
    random = Random(seed)
    assert {chance.draw(random) for _ in range(20)} <= set(chance.outcomes)


def test_in_the_long_run_a_draw_is_as_likely_as_it_should_be() -> None:
    chance = Chance((1, 2, 3), (1, 2, 3))
    random = Random(36)
    drawn = Counter(chance.draw(random) for _ in range(60_000))
    for outcome in chance.outcomes:
        assert abs(drawn[outcome] - 10_000 * outcome) < 600  # six standard deviations


def test_the_last_ticket_is_drawn_too_and_none_after_it() -> None:
    class Highest(Random):
        def random(self) -> float:
            return 1 - 2**-53

    chance = Chance((1, 2), (35, 1))
    assert chance.draw(Highest()) == 2
