"""What must hold in every position of every game."""

import json
import pickle
from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobremesa
from kinds import KINDS, Kind, each, examples, in_random_positions, reached, some_seats, trail
from sobremesa.core import IllegalMove, InvalidSetup, SobremesaError, State


def all_moves(kind: Kind, state: State[Any]) -> Sequence[Any]:
    """Every move that the game declares for this table, legal or not; without a declaration, those that are legal."""
    if kind.game.all_moves is not None:
        return kind.game.all_moves(state)
    return [move for seat in state.deciding for move in state.legal_moves(seat)]


def accepts(kind: Kind, state: State[Any], move: Any, seat: int | None) -> bool:
    """Whether the state lets the seat play the move; if not, the error names a rule."""
    try:
        state.play(move, seat)
    except IllegalMove as error:
        assert error.rule in {f"{kind.game.rule_prefix}{number + 1}" for number in range(kind.game.rule_count)}
        assert str(error).startswith(f"{error.rule}: ")
        return False
    return True


def snapshot(state: State[Any]) -> tuple[int, str, bytes]:
    """All that can be seen of a state."""
    return hash(state), state.position(), pickle.dumps(state)


@in_random_positions(16)
def test_legal_moves_are_exactly_those_that_play_accepts(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in some_seats(state, seed):
        accepted = [move for move in all_moves(kind, state) if accepts(kind, state, move, seat)]
        assert list(state.legal_moves(seat)) == accepted
        assert bool(accepted) == (seat in state.deciding)


@in_random_positions(32)
def test_moves_are_counted_without_being_listed(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in some_seats(state, seed):
        assert state.count_moves(seat) == len(state.legal_moves(seat))


@in_random_positions(20)
def test_legal_moves_are_distinct_and_in_a_fixed_order(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    order = {move: number for number, move in enumerate(all_moves(kind, state))}
    for seat in some_seats(state, seed):
        numbers = [order[move] for move in state.legal_moves(seat)]
        assert numbers == sorted(set(numbers))


@in_random_positions(20)
def test_the_seat_may_be_left_out_when_only_one_has_to_decide(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    if len(state.deciding) > 1:
        with pytest.raises(SobremesaError):
            state.legal_moves()
        return
    seat = next(iter(state.deciding), 0)
    assert state.legal_moves() == state.legal_moves(seat)
    assert state.count_moves() == state.count_moves(seat)
    for move in state.legal_moves()[:3]:
        assert state.play(move) == state.play(move, seat)


class Fixed(Random):
    """Always the same number."""

    def __init__(self, number: float) -> None:
        super().__init__(0)
        self._number = number

    def random(self) -> float:
        return self._number


@in_random_positions(16)
def test_a_random_move_is_any_legal_move_each_equally_likely(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in set(some_seats(state, seed)) & set(state.deciding):
        moves = state.legal_moves(seat)
        some = Random(seed).sample(range(len(moves)), min(len(moves), 30))
        for index in some:
            assert state.random_move(Fixed((index + 0.5) / len(moves)), seat) == moves[index]
        assert state.random_move(Random(seed), seat) in moves


@in_random_positions(20)
def test_whatever_happens_the_old_state_stays_as_it_was(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    before, copy = snapshot(state), pickle.loads(pickle.dumps(state))
    if state.chance is not None:
        for outcome in state.chance.outcomes:
            assert state.happen(outcome) != state
    for seat in some_seats(state, seed):
        for move in state.legal_moves(seat)[:40]:
            assert state.play(move, seat) != state
        accepts(kind, state, all_moves(kind, state)[seed % len(all_moves(kind, state))], seat)
        state.view(seat).as_dict()
    state.result()
    assert snapshot(state) == before
    assert state == copy


@in_random_positions(24)
def test_a_move_in_writing_parses_back(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in some_seats(state, seed):
        for move in state.legal_moves(seat):
            assert state.parse_move(str(move), seat) == move
            assert state.parse_move(f" {str(move).upper()} ", seat) == move


@in_random_positions(40)
def test_a_position_in_writing_parses_back(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    text = state.position()
    for again in (kind.game.parse_position(text), sobremesa.parse_position(f" {text}\n")):
        assert again == state
        assert hash(again) == hash(state)
        assert again.position() == text
        assert again.deciding == state.deciding
        assert again.chance == state.chance
        assert again.result() == state.result()
    assert "\n" not in text


@in_random_positions(24)
def test_a_state_can_be_pickled(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    again = pickle.loads(pickle.dumps(state))
    assert again == state
    assert type(again) is type(state)
    assert hash(again) == hash(state)
    assert again.position() == state.position()
    if state.deciding:
        seat = min(state.deciding)
        move = pickle.loads(pickle.dumps(state.legal_moves(seat)[0]))
        assert again.play(move, seat) == state.play(move, seat)


@each(KINDS)
def test_the_options_of_a_state_start_the_same_table(kind: Kind) -> None:
    for state in (kind.start(), reached(kind, 3, 10)):
        assert kind.game.start(**state.options) == kind.start()
        assert kind.game.set_table(state.options) == state.options
        assert state.seats == kind.options["seats"]


@in_random_positions(40)
def test_a_state_waits_for_seats_or_for_chance_or_is_over(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    assert [bool(state.deciding), state.chance is not None, state.over].count(True) == 1
    assert (state.result() is not None) == state.over
    assert all(state.legal_moves(seat) for seat in state.deciding)


@in_random_positions(40)
def test_probabilities_sum_to_one_and_no_other_outcome_is_accepted(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    chance = state.chance
    outcomes = chance.outcomes if chance else ()
    if chance:
        assert sum((chance.probability(outcome) for outcome in outcomes), Fraction(0)) == 1
    for outcome in (*range(-15, 16), 99, 10**30):
        if outcome in outcomes:
            assert chance
            assert chance.probability(outcome) > 0
            state.happen(outcome)
        else:
            with pytest.raises(IllegalMove):
                state.happen(outcome)


@in_random_positions(32)
def test_a_seat_finds_its_legal_moves_in_its_view_and_nobody_elses(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in some_seats(state, seed):
        view = state.view(seat)
        assert view.seat == seat
        assert view.legal_moves() == state.legal_moves(seat)
        assert bool(view.legal_moves()) == (seat in state.deciding)
    assert state.view(None).seat is None
    assert not state.view(None).legal_moves()


@in_random_positions(32)
def test_equal_views_are_equal_as_plain_data(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    again = kind.game.parse_position(state.position())
    for seat in (*some_seats(state, seed), None):
        view = state.view(seat)
        assert view == again.view(seat)
        assert hash(view) == hash(again.view(seat))
        data = json.dumps(view.as_dict(), allow_nan=False)
        assert data == json.dumps(again.view(seat).as_dict())
        assert json.loads(data) == view.as_dict()
        assert view.as_dict()["game"] == kind.game.id
        assert view.as_dict()["seat"] == seat
        assert view.as_dict()["options"] == state.options


@in_random_positions(32)
def test_everybody_sees_that_something_happened(kind: Kind, seed: int, at: int) -> None:
    """A move or a roll changes every view: at the very least whose turn it is, or who has written."""
    states, _ = trail(kind, seed)
    at %= len(states) - 1
    seats = [seat for seat in range(states[0].seats) if seat < 5]
    for seat in (*seats, None):
        before, after = states[at].view(seat), states[at + 1].view(seat)
        assert before != after
        assert before.as_dict() != after.as_dict()


@each(KINDS)
@given(seed=st.integers(0, 10**6))
@examples(3)
def test_every_game_ends(kind: Kind, seed: int) -> None:
    states, steps = trail(kind, seed)
    assert kind.game.max_steps is None or len(steps) <= kind.game.max_steps(states[0].options)
    assert states[-1].over
    assert not any(state.over for state in states[:-1])


@each(KINDS)
@given(seed=st.integers(0, 10**6))
@examples(8)
def test_places_go_with_the_scores(kind: Kind, seed: int) -> None:
    end = trail(kind, seed)[0][-1]
    result = end.result()
    assert result is not None
    scores, places = result.scores, result.places
    assert len(scores) == len(places) == end.seats
    better = [-score for score in scores] if kind.game.low_wins else list(scores)
    for one in range(end.seats):
        for other in range(end.seats):
            if better[one] > better[other]:
                assert places[one] < places[other]
    assert result.winners == tuple(seat for seat in range(end.seats) if places[seat] == 1)


@each(KINDS)
def test_the_same_steps_lead_to_the_same_states(kind: Kind) -> None:
    states, steps = trail(kind, 11)
    state = kind.start()
    for expected, step in zip(states, [*steps, None], strict=True):
        assert state == expected
        assert hash(state) == hash(expected)
        if step is not None:
            state = state.happen(step.what) if step.seat is None else state.play(step.what, step.seat)


def test_all_states_of_a_game_are_different() -> None:
    for kind in KINDS:
        states, _ = trail(kind, 12)
        assert len(set(states)) == len({state.position() for state in states}) == len(states)


@each(KINDS)
def test_a_seat_that_is_not_there_has_no_moves_and_no_view(kind: Kind) -> None:
    state = kind.start()
    for _ in range(3):
        for seat in (-1, state.seats, state.seats + 7):
            assert len(state.legal_moves(seat)) == 0
            assert state.count_moves(seat) == 0
            with pytest.raises(InvalidSetup, match="there is no seat"):
                state.view(seat)
        if state.chance is not None:
            state = state.happen(state.chance.outcomes[0])
        else:
            seat = next(iter(state.deciding))
            state = state.play(state.legal_moves(seat)[0], seat)
