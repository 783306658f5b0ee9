"""What must hold in every position: above all, what is in a view and what is not."""

import json
from random import Random
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from kinds import Kind, each, examples, in_random_positions, kinds_of, reached, trail
from perft import perft
from sobremesa.core import State
from sobremesa.games.isis_osiris import GAME, IsisOsirisState

KINDS = kinds_of(GAME.id)
HIDDEN = [kind for kind in KINDS if not kind.options["memory_aid"]]
SHOWN = [kind for kind in KINDS if kind.options["memory_aid"]]


def with_other_tiles(state: IsisOsirisState, seed: int) -> IsisOsirisState:
    """The same table with other values face down: those on the board and those that nobody has seen, mixed."""
    values = state.setup.values
    pool = [value for value in state.tiles if value]
    down = len(pool)
    pool += [value for value, count in zip(values, state.unseen, strict=True) for _ in range(count)]
    Random(seed).shuffle(pool)
    laid = iter(pool[:down])
    return state._replace(
        tiles=tuple(next(laid) if value else 0 for value in state.tiles),
        unseen=tuple(pool[down:].count(value) for value in values),
    )


@in_random_positions(60, kinds=HIDDEN)
def test_i3_tiles_face_down_are_in_no_view(kind: Kind, seed: int, at: int) -> None:
    state = cast(IsisOsirisState, reached(kind, seed, at))
    assume(not state.over)
    other = with_other_tiles(state, seed)
    assert kind.game.parse_position(other.position()) == other
    for seat in (*range(state.seats), None):
        assert other.view(seat) == state.view(seat)
        assert json.dumps(other.view(seat).as_dict()) == json.dumps(state.view(seat).as_dict())
        assert other.view(seat).legal_moves() == state.view(seat).legal_moves()


@in_random_positions(32, kinds=SHOWN)
def test_i3_with_the_memory_aid_they_are_in_every_view(kind: Kind, seed: int, at: int) -> None:
    state = cast(IsisOsirisState, reached(kind, seed, at))
    other = with_other_tiles(state, seed)
    for seat in (*range(state.seats), None):
        assert (other.view(seat) == state.view(seat)) == (other.tiles == state.tiles)


@each(KINDS)
def test_i7_at_the_end_they_are_in_every_view(kind: Kind) -> None:
    state = cast(IsisOsirisState, reached(kind, 5, -1))
    assert state.over
    other = with_other_tiles(state, 6)
    assert other.tiles != state.tiles
    for seat in (*range(state.seats), None):
        assert other.view(seat) != state.view(seat)


@in_random_positions(40, kinds=HIDDEN)
def test_what_is_public_is_in_every_view(kind: Kind, seed: int, at: int) -> None:
    state = cast(IsisOsirisState, reached(kind, seed, at))
    others = [
        state._replace(stocks=tuple(left + 1 for left in state.stocks)),
        state._replace(stones_left=tuple(left + 1 for left in state.stones_left)),
        state._replace(stones=tuple(reversed(state.stones))),
    ]
    if not state.over:
        others.append(state._replace(turn=(state.turn + 1) % state.seats))
    if state.deciding and state.turned:
        others.append(state._replace(turned=-state.turned))
    for other in others:
        for seat in (*range(state.seats), None):
            assert (other.view(seat) == state.view(seat)) == (other == state)


@each(HIDDEN)
@given(seed=st.integers(0, 10**6))
@examples(4)
def test_i3_the_memory_aid_changes_views_only(kind: Kind, seed: int) -> None:
    states, steps = trail(kind, seed)
    aided: State[Any] = kind.game.start(**kind.options | {"memory_aid": True})
    for state, step in zip(states, [*steps, None], strict=True):
        assert aided.deciding == state.deciding
        assert aided.chance == state.chance
        assert aided.result() == state.result()
        for seat in range(state.seats):
            assert aided.legal_moves(seat) == state.legal_moves(seat)
            one, other = aided.view(seat).as_dict(), state.view(seat).as_dict()
            assert {key for key in one if one[key] != other[key]} <= {"options", "cells"}
        if step is not None:
            aided = aided.happen(step.what) if step.seat is None else aided.play(step.what, step.seat)


@each(KINDS)
def test_i8_equal_totals_share_a_place(kind: Kind) -> None:
    for seed in range(8):
        result = reached(kind, seed, -1).result()
        assert result is not None
        assert result.places == tuple(1 + sum(other > mine for other in result.scores) for mine in result.scores)


@pytest.mark.parametrize(
    ("table", "counts"),
    [
        ("own-2", [36 + 1, 36 * 36 + 8]),
        ("common-4", [36 + 1, 36 * 36 + 8]),
    ],
)
def test_ways_to_go_on_that_can_be_counted_by_hand(table: str, counts: list[int]) -> None:
    """A stone on any cell, or one of eight values is turned over."""
    assert perft(GAME.start(**GAME.kinds()[table]))[: len(counts)] == counts
