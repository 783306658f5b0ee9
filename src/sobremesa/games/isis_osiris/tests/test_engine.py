"""Isis & Osiris: memory, the end counted out, small boards solved, and looking ahead with the network."""

import time
from random import Random
from typing import Any

import numpy as np
import pytest

from engines.expectimax import solve_moves
from engines.positions import along
from sobremesa.engines import Budget, arena, find_player
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import never
from sobremesa.games.isis_osiris import GAME
from sobremesa.games.isis_osiris.editions import SMALL
from sobremesa.games.isis_osiris.engine.endgame import Endgame, can_solve, positions
from sobremesa.games.isis_osiris.engine.memory import recall, seen
from sobremesa.games.isis_osiris.engine.network import network
from sobremesa.games.isis_osiris.engine.search import Search
from sobremesa.games.isis_osiris.state import IsisOsirisState

from .boards import with_free_cells

TABLES: list[dict[str, Any]] = [
    {},
    {"variant": "common"},
    {"seats": 3},
    {"seats": 4, "variant": "common"},
    {"seats": 2, "memory_aid": True},
]


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_a_perfect_memory_knows_the_position(options: dict[str, Any]) -> None:
    states = along(GAME, 4, **options)
    for at, state in enumerate(states[:-1]):
        for seat in range(state.seats):
            past = [earlier.view(seat) for earlier in states[:at]]
            assert recall(state.view(seat), past, "") == state  # type: ignore[arg-type]


def test_who_saw_nothing_guesses_what_can_lie_there() -> None:
    state = with_free_cells(10, 3)
    guesses = {recall(state.view(0), (), str(seed)) for seed in range(30)}
    assert len(guesses) > 20
    for guess in guesses:
        assert guess.free == state.free
        assert guess.stones == state.stones
        assert [bool(value) for value in guess.tiles] == [bool(value) for value in state.tiles]
        assert sum(guess.unseen) == sum(state.unseen)
        assert min(guess.unseen) >= 0


def test_a_short_memory_forgets_old_tiles_and_stays_consistent() -> None:
    states = along(GAME, 8)
    late = next(at for at, state in enumerate(states) if state.free.bit_count() == 4 and state.chance is None)  # type: ignore[attr-defined]
    views = [state.view(0) for state in states]
    known = seen(views[: late + 1])  # type: ignore[arg-type]
    assert len(known) > 8

    def wrong(memory_span: float, seed: str, at: int) -> set[int]:
        mind = recall(views[at], views[:at], seed, memory_span)  # type: ignore[arg-type]
        truth = states[at]
        assert isinstance(truth, IsisOsirisState)
        return {cell for cell, value in enumerate(truth.tiles) if mind.tiles[cell] != value}

    short = sum(len(wrong(3.0, str(seed), late)) for seed in range(20))
    long = sum(len(wrong(40.0, str(seed), late)) for seed in range(20))
    assert short > 2 * long
    assert wrong(5.0, "a", late) == wrong(5.0, "a", late)


@pytest.mark.parametrize("options", TABLES, ids=str)
@pytest.mark.parametrize("free", [1, 3, 4])
def test_the_end_is_counted_out_as_brute_force_does(free: int, options: dict[str, Any]) -> None:
    for seed in range(3):
        state = with_free_cells(free, seed, **options)
        found, truth = Endgame(state, never).moves(), solve_moves(GAME, state, never)
        assert list(found.moves) == list(truth.moves)
        for move, values in truth.moves.items():
            assert found.moves[move] == pytest.approx(values)


def test_six_free_cells_are_counted_out_as_brute_force_does() -> None:
    state = with_free_cells(6, 7)
    found, truth = Endgame(state, never).moves(), solve_moves(GAME, state, never)
    for move, values in truth.moves.items():
        assert found.moves[move] == pytest.approx(values)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_the_last_six_cells_take_a_moment(options: dict[str, Any]) -> None:
    for seed in range(4):
        state = with_free_cells(6, seed, **options)
        began = time.process_time()
        endgame = Endgame(state, never)
        endgame.moves()
        assert time.process_time() - began < 5
        assert endgame.positions <= positions(state)


def test_the_champion_counts_the_end_out_and_says_so() -> None:
    states = along(GAME, 2)
    at = next(at for at, s in enumerate(states) if s.free.bit_count() == 5 and s.chance is None)  # type: ignore[attr-defined]
    state = states[at]
    assert isinstance(state, IsisOsirisState)
    past = [earlier.view(state.turn) for earlier in states[:at]]
    thought = find_player("champion", GAME, Random(1)).think(state.view(state.turn), past)
    truth = solve_moves(GAME, state, never).moves
    assert thought.exact
    assert truth[thought.move][state.turn] == max(values[state.turn] for values in truth.values())


@pytest.mark.parametrize("edition", ["2x2", "3x3"])
def test_small_boards_are_solved(edition: str) -> None:
    state = IsisOsirisState.begin(edition, 2, "own", False, 0)
    truth = solve_moves(GAME, state, never).moves
    thought = find_player("champion", GAME, Random(1)).think(state.view(0), (), Budget(seconds=1e9))
    assert thought.exact
    assert thought.values[0] == pytest.approx(max(values[0] for values in truth.values()), abs=0.005)
    assert truth[thought.move][0] == pytest.approx(max(values[0] for values in truth.values()))


def test_the_four_by_three_board_is_solved_after_six_pieces() -> None:
    for seed in range(2):
        random, state = Random(seed), IsisOsirisState.begin("4x3", 2, "own", False, 0)
        while state.free.bit_count() > 6 or state.chance is not None:
            state = state.happen(state.chance.draw(random)) if state.chance else state.play(state.random_move(random))
        truth = solve_moves(GAME, state, never).moves
        found = Endgame(state, never).moves().moves
        for move, values in truth.items():
            assert found[move] == pytest.approx(values)


def test_small_boards_are_in_no_menu() -> None:
    option = next(option for option in GAME.options if option.name == "edition")
    assert not set(SMALL) & set(option.choices)
    state = IsisOsirisState.begin("3x3", 2, "own", False, 0)
    assert GAME.parse_position(state.position()) == state


def test_the_network_sees_a_position_alike_from_every_side() -> None:
    """A tile that lies face up is one of those that might be turned over; a board turned round is the same board."""
    state = next(s for s in along(GAME, 3, seats=3) if isinstance(s, IsisOsirisState) and s.turned not in (0, 99))
    before = state._replace(turned=0)
    at, stock = state.setup.values.index(state.turned), state.setup.stock_of[state.turn]
    before = before._replace(
        unseen=tuple(count + (i == at) for i, count in enumerate(state.unseen)),
        stocks=tuple(count + (i == stock) for i, count in enumerate(state.stocks)),
    )
    one, two = (network().quality([each]) for each in (state, before))
    np.testing.assert_allclose(one.win, two.win)
    mirrored = [cell // 6 * 6 + 5 - cell % 6 for cell in range(36)]
    turned = before._replace(
        free=sum(1 << mirrored[cell] for cell in range(36) if before.free >> cell & 1),
        stones=tuple(sum(1 << mirrored[cell] for cell in range(36) if mine >> cell & 1) for mine in before.stones),
        tiles=tuple(before.tiles[cell] for cell in mirrored),
    )
    np.testing.assert_allclose(network().quality([turned]).margin[0, mirrored], two.margin[0], atol=1e-3)


@pytest.mark.parametrize("options", TABLES, ids=str)
def test_looking_ahead_finds_what_counting_out_finds(options: dict[str, Any]) -> None:
    """With enough walks the values near the end are the exact ones, but for the drawing of tiles."""
    for seed in range(3):
        state = with_free_cells(2, seed, **options)
        search = Search(state, network(), Random(seed))
        search.run(Limit(Budget(simulations=600), never))
        truth = Endgame(state, never).moves().moves
        best = max(values[state.turn] for values in truth.values())
        move, values, visits = search.ranked()[0]
        assert truth[move][state.turn] == pytest.approx(best, abs=0.02)
        assert values[state.turn] == pytest.approx(best, abs=0.1)
        assert visits > 100
        assert {move for move, _, _ in search.ranked()} == set(truth)


def test_what_lies_ahead_is_not_known() -> None:
    """Walks that turn a tile over meet every value about as often as it can come."""
    state = with_free_cells(3, 5)._replace(stones_left=(0, 0))
    search = Search(state, network(), Random(1))
    search.run(Limit(Budget(simulations=800), never))
    met = search.root.visits.sum(1)[1:] - search.root.visits.shape[1]
    expected = 800 * np.array(state.unseen) / sum(state.unseen)
    assert met[expected == 0].sum() == 0
    assert (abs(met - expected) < 5 * np.sqrt(expected) + 1).all()


def test_the_network_beats_the_greedy() -> None:
    table = arena.tally(arena.play_all(arena.fixtures("isis-osiris", ["net", "greedy"], 20, "a", {}, 2), 1))
    assert next(row for row in table.rows if row.name == "net").points.mean > 0.8


def test_what_can_be_solved() -> None:
    assert can_solve(with_free_cells(6, 1, seats=4), 0.1)
    assert not can_solve(with_free_cells(12, 1), 1.7)
    assert positions(with_free_cells(1, 1)) < 20
