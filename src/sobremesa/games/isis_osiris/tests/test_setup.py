"""What is in the box, who gets what, and what chance can bring: the table of components, and I1."""

from fractions import Fraction

import pytest

from kinds import Kind, kinds_of, played, trail
from sobremesa.core import IllegalMove
from sobremesa.games.isis_osiris.editions import EDITIONS

from .boards import random_game, start

KINDS = kinds_of("isis-osiris")

BOX = EDITIONS["standard"]


def test_the_board_has_6x6_cells() -> None:
    assert (BOX.width, BOX.height, BOX.size) == (6, 6, 36)
    assert (BOX.names[0], BOX.names[-1]) == ("a1", "f6")


def test_there_are_22_tiles() -> None:
    plus = {+1: 2, +2: 6, +3: 2, +4: 1}
    assert BOX.tiles == plus | {-value: count for value, count in plus.items()}
    assert sum(BOX.tiles.values()) == 22


@pytest.mark.parametrize(
    ("seats", "stones", "tiles", "put_away"),
    [
        (2, 8, 11, 0),
        (3, 6, 7, 1),
        (4, 5, 5, 2),
    ],
)
def test_pieces_of_each_seat(seats: int, stones: int, tiles: int, put_away: int) -> None:
    state = start(seats)
    assert state.stones_left == (stones,) * seats
    assert state.stocks == (tiles,) * seats
    assert sum(state.unseen) - sum(state.stocks) == put_away


@pytest.mark.parametrize(("seats", "turns"), [(2, 18), (3, 12), (4, 9)])
def test_turns_of_each_seat(seats: int, turns: int) -> None:
    kind = next(kind for kind in KINDS if kind.options["seats"] == seats)
    for seed in range(5):
        _, steps = trail(kind, seed)
        placed = [step.seat for step in steps if step.seat is not None and step.what.kind != "turn"]
        assert [placed.count(seat) for seat in range(seats)] == [turns] * seats


def test_i1_each_tile_is_equally_likely_to_be_turned_over() -> None:
    chance = played(start(), "T").chance
    assert chance is not None
    assert {value: chance.probability(value) for value in chance.outcomes} == {
        value: Fraction(count, 22) for value, count in BOX.tiles.items()
    }


def test_i1_a_tile_that_was_seen_does_not_come_again() -> None:
    chance = played(start(), "T *+4 Ta1 T *+2 Tb1 T *+2 Tc1 T").chance
    assert chance is not None
    assert chance.probability(+4) == 0
    assert chance.probability(+2) == Fraction(4, 19)
    assert chance.probability(-4) == Fraction(1, 19)


def test_i1_a_tile_put_away_counts_among_those_that_may_come() -> None:
    """With four seats two tiles are put away, but nobody knows which."""
    chance = played(start(4), "T *+4 Ta1 T").chance
    assert chance is not None
    assert chance.total == 21


@pytest.mark.parametrize("outcome", [+4, 0, 5, -5, 99])
def test_i1_no_other_tile_is_turned_over(outcome: int) -> None:
    with pytest.raises(IllegalMove, match=rf"^I1: no unseen tile has the value {outcome}$"):
        played(start(), "T *+4 Ta1 T").happen(outcome)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_i1_nobody_has_seen_what_is_put_away_or_left_over_at_the_end(kind: Kind) -> None:
    for seed in range(3):
        state = random_game(kind, seed)[-1]
        assert sum(state.unseen) == 22 - sum(value != 0 for value in state.tiles)
