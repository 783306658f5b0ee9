"""What must hold in every position of every game."""

import json
import pickle
from collections.abc import Callable, Sequence
from fractions import Fraction
from random import Random
from typing import Any, cast

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import sobremesa
from kinds import CALLISTO, ISIS_OSIRIS, KINDS, KNISTER, Kind, examples, reached, trail
from sobremesa.core import IllegalMove, InvalidSetup, State
from sobremesa.games.callisto import CallistoState
from sobremesa.games.callisto.board import find_board
from sobremesa.games.isis_osiris import TURN, IsisOsirisState
from sobremesa.games.isis_osiris.moves import moves_on
from sobremesa.games.knister import KnisterState
from sobremesa.games.knister.moves import WRITES

Test = Callable[..., None]


def in_random_positions(count: int, kinds: Sequence[Kind] = KINDS) -> Callable[[Test], Test]:
    """Runs a test with every kind of table; Hypothesis chooses the game and the point in it."""

    def decorate(test: Test) -> Test:
        chosen = given(seed=st.integers(0, 10**6), at=st.integers(0, 10**4))(test)
        each = pytest.mark.parametrize("kind", kinds, ids=str)
        return cast(Test, each(examples(count)(chosen)))

    return decorate


def some_seats(state: State[Any], seed: int) -> list[int]:
    """A few seats of a big table, all seats of a small one."""
    everybody = range(state.seats)
    return list(everybody) if state.seats <= 5 else Random(seed).sample(everybody, 3)


def all_moves(state: State[Any]) -> Sequence[Any]:
    """Every move that there is at this table, legal or not, in the fixed order."""
    match state:
        case CallistoState():
            return state.board.placements
        case IsisOsirisState():
            moves = moves_on(state.setup.edition.names)
            return (*moves.stones, TURN, *moves.tiles)
        case KnisterState():
            return WRITES
        case _:
            raise TypeError(state)


def accepts(state: State[Any], move: Any, seat: int | None) -> bool:
    """Whether the state lets the seat play the move; if not, the error names a rule."""
    try:
        state.play(move, seat)
    except IllegalMove as error:
        assert error.rule[0] in "CIK"
        assert error.rule[1:].isdigit()
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
        accepted = [move for move in all_moves(state) if accepts(state, move, seat)]
        assert list(state.legal_moves(seat)) == accepted
        assert bool(accepted) == (seat in state.deciding)


@pytest.mark.parametrize("kind", CALLISTO, ids=str)
def test_no_placement_of_another_board_is_accepted(kind: Kind) -> None:
    state = cast(CallistoState, reached(kind, 1, 12))
    mine = set(state.board.placements)
    for other in CALLISTO:
        for move in find_board(other.options["edition"], other.options["seats"]).placements[::7]:
            assert move in mine or not accepts(state, move, None)


@in_random_positions(32)
def test_moves_are_counted_without_being_listed(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for seat in some_seats(state, seed):
        assert state.count_moves(seat) == len(state.legal_moves(seat))


@in_random_positions(20)
def test_legal_moves_are_distinct_and_in_a_fixed_order(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    order = {move: number for number, move in enumerate(all_moves(state))}
    for seat in some_seats(state, seed):
        numbers = [order[move] for move in state.legal_moves(seat)]
        assert numbers == sorted(set(numbers))


@in_random_positions(20)
def test_the_seat_may_be_left_out_when_only_one_has_to_decide(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    if len(state.deciding) > 1:
        with pytest.raises(IllegalMove):
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
        accepts(state, all_moves(state)[seed % len(all_moves(state))], seat)
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


@in_random_positions(24, kinds=CALLISTO)
def test_the_short_form_of_a_callisto_move_parses_back(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    for move in state.legal_moves():
        assert state.parse_move(move.short) == move


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


@pytest.mark.parametrize("kind", KINDS, ids=str)
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


HIDDEN = [kind for kind in ISIS_OSIRIS if not kind.options["memory_aid"]]
SHOWN = [kind for kind in ISIS_OSIRIS if kind.options["memory_aid"]]


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


@pytest.mark.parametrize("kind", ISIS_OSIRIS, ids=str)
def test_i7_at_the_end_they_are_in_every_view(kind: Kind) -> None:
    state = cast(IsisOsirisState, reached(kind, 5, -1))
    assert state.over
    other = with_other_tiles(state, 6)
    assert other.tiles != state.tiles
    for seat in (*range(state.seats), None):
        assert other.view(seat) != state.view(seat)


@in_random_positions(40, kinds=HIDDEN)
def test_what_is_public_in_isis_and_osiris_is_in_every_view(kind: Kind, seed: int, at: int) -> None:
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


@in_random_positions(60, kinds=[kind for kind in KNISTER if kind.options["seats"] > 1])
def test_k1_where_others_write_in_the_running_round_is_in_no_view(kind: Kind, seed: int, at: int) -> None:
    state = cast(KnisterState, reached(kind, seed, at))
    random = Random(seed)
    for viewer in (*some_seats(state, seed), None):
        other = state
        for seat in range(state.seats):
            if state.roll and seat != viewer and seat not in state.deciding:
                before = state.closed[seat]
                cell = random.choice([cell for cell in range(25) if not before[cell]])
                sheet = before[:cell] + bytes([state.roll]) + before[cell + 1 :]
                other = other._replace(sheets=other.sheets.put(seat, sheet))
        assert kind.game.parse_position(other.position()) == other
        assert other.view(viewer) == state.view(viewer)
        assert json.dumps(other.view(viewer).as_dict()) == json.dumps(state.view(viewer).as_dict())


@in_random_positions(40, kinds=KNISTER)
def test_k1_everybody_sees_his_own_sheet_and_the_roll(kind: Kind, seed: int, at: int) -> None:
    state = cast(KnisterState, reached(kind, seed, at))
    for seat in some_seats(state, seed):
        sheet = state.sheets[seat]
        other = state._replace(sheets=state.sheets.put(seat, bytes(14 - number for number in sheet)))
        assert other.view(seat) != state.view(seat)
        if state.roll:
            other = state._replace(roll=9 if state.roll == 5 else 5)
            assert other.view(seat) != state.view(seat)
            assert other.view(None) != state.view(None)


@pytest.mark.parametrize("kind", HIDDEN, ids=str)
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


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=st.integers(0, 10**6))
@examples(3)
def test_every_game_ends(kind: Kind, seed: int) -> None:
    seats = kind.options["seats"]
    most = {
        "callisto": seats * (3 + 18),
        "isis-osiris": 36 + 2 * 22,
        "knister": 25 * (seats + 1),
    }
    states, steps = trail(kind, seed)
    assert len(steps) <= most[kind.game.id]
    assert states[-1].over
    assert not any(state.over for state in states[:-1])


@pytest.mark.parametrize("kind", KINDS, ids=str)
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
    if kind.game.id == "callisto":  # C10
        assert sorted(places) == list(range(1, end.seats + 1))
        order = [(scores[seat], -((seat - end.options["starter"]) % end.seats)) for seat in range(end.seats)]
        assert [places[seat] for seat in sorted(range(end.seats), key=order.__getitem__)] == sorted(places)
    else:  # I8, K6
        assert places == tuple(1 + sum(other > mine for other in better) for mine in better)
    assert result.winners == tuple(seat for seat in range(end.seats) if places[seat] == 1)


@pytest.mark.parametrize("kind", KINDS, ids=str)
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


@pytest.mark.parametrize("kind", KINDS, ids=str)
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
