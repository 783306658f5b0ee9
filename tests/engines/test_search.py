"""Searches that know no game, on boards small enough to know the truth."""

from collections.abc import Sequence
from random import Random
from typing import Any

import pytest

from engines.expectimax import deepen, solve, solve_moves
from sobremesa import GAMES
from sobremesa.core import State
from sobremesa.core.playout import playout
from sobremesa.engines import find_player
from sobremesa.engines.evaluator import MARGIN_TIEBREAK, Evaluation, outcome_of
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import DEFAULT_BUDGET, Budget, never
from sobremesa.engines.solution import TimeUp
from sobremesa.engines.tree import SearchSettings, search
from sobremesa.engines.uct import UctPlayer
from sobremesa.games.isis_osiris.state import IsisOsirisState
from sobremesa.games.isis_osiris.tests.boards import with_free_cells

SMALL = GAMES["isis-osiris"]
"""A game with chance and hidden tiles that can be solved once few cells are free."""
LOW = next(game for game in GAMES.values() if game.low_wins)
TOGETHER = next(game for game in GAMES.values() if game.crowd)


def knows_nothing(states: Sequence[State[Any]]) -> list[Evaluation]:
    return [Evaluation(None, (1 / state.seats,) * state.seats) for state in states]


def test_an_outcome_is_a_part_of_the_first_place_and_a_hair() -> None:
    won = tied = 0
    for seed in range(60):
        state = playout(SMALL.start(seats=3), Random(seed))
        values, result = outcome_of(SMALL, state), state.result()
        assert result is not None
        for seat, place in enumerate(result.places):
            ahead = result.scores[seat] - max(score for other, score in enumerate(result.scores) if other != seat)
            share = 1 / len(result.winners) if place == 1 else 0
            assert values[seat] == pytest.approx(share + MARGIN_TIEBREAK * ahead)
        won += len(result.winners) == 1
        tied += len(result.winners) > 1
    assert won
    assert tied


def test_where_low_wins_the_lower_score_is_the_better_outcome() -> None:
    state = playout(LOW.start(), Random(2))
    result = state.result()
    assert result is not None
    values = outcome_of(LOW, state)
    assert values.index(max(values)) == result.winners[0]


def test_expectimax_weighs_chance_exactly() -> None:
    state = IsisOsirisState.begin("2x2", 2, "own", False, 0)
    turned = state.play(state.legal_moves()[-1])
    memo: dict[State[Any], tuple[float, ...]] = {}
    outcomes = [solve(SMALL, turned.happen(value), memo, never) for value in (-2, -1, 1, 2)]
    mean = solve(SMALL, turned, memo, never)
    assert mean == pytest.approx([sum(values[seat] for values in outcomes) / 4 for seat in range(2)])
    assert sum(mean) == pytest.approx(1)


def test_deepening_ends_with_the_exact_values() -> None:
    state = with_free_cells(3, 1)
    found = deepen(SMALL, state, knows_nothing, Limit(DEFAULT_BUDGET, never))
    assert found.exact
    for move, values in solve_moves(SMALL, state, never).moves.items():
        assert found.moves[move] == pytest.approx(values)
    shallow = deepen(SMALL, with_free_cells(12, 1), knows_nothing, Limit(Budget(simulations=1), never))
    assert (shallow.depth, shallow.exact) == (1, False)


def test_a_search_that_is_stopped_says_so() -> None:
    with pytest.raises(TimeUp):
        solve_moves(SMALL, with_free_cells(8, 1), lambda: True)


@pytest.mark.parametrize("batch", [1, 8])
@pytest.mark.parametrize("seed", range(4))
def test_tree_search_finds_the_best_move_though_it_knows_nothing(seed: int, batch: int) -> None:
    state = with_free_cells(3, seed)
    seat = state.turn
    exact = solve_moves(SMALL, state, never).moves
    limit = Limit(Budget(simulations=3000), never)
    found = search(SMALL, state, knows_nothing, limit, Random(1), SearchSettings(considered=40, batch=batch))
    best = found.root.children[found.order[0]]
    assert exact[found.order[0]][seat] >= max(values[seat] for values in exact.values()) - 0.03
    assert best.total[seat] / best.visits == pytest.approx(exact[found.order[0]][seat], abs=0.1)
    assert found.simulations == 3000
    assert found.root.visits == 3000
    assert not found.root.virtual_losses


def test_the_evaluator_is_asked_in_batches() -> None:
    sizes = []

    def counting(states: Sequence[State[Any]]) -> list[Evaluation]:
        sizes.append(len(states))
        return knows_nothing(states)

    search(SMALL, SMALL.start(), counting, Limit(Budget(simulations=64), never), Random(1), SearchSettings(16, batch=8))
    assert max(sizes) == 8
    assert sum(sizes) == 65


def test_priors_say_where_to_look() -> None:
    state = SMALL.start()
    moves = state.legal_moves()

    def likes_the_last(states: Sequence[State[Any]]) -> list[Evaluation]:
        found = []
        for state in states:
            count = len(state.legal_moves())
            found.append(Evaluation([0.1 / count] * (count - 1) + [0.9], (0.5, 0.5)))
        return found

    found = search(
        SMALL, state, likes_the_last, Limit(Budget(simulations=40), never), Random(1), SearchSettings(considered=4)
    )
    assert found.root.moves[0] == moves[-1]
    assert len(found.order) == 4


@pytest.mark.parametrize(("batch", "threads"), [(1, 1), (8, 1), (4, 2)])
@pytest.mark.parametrize("seed", range(2))
def test_puct_at_the_root_finds_the_best_move_too(seed: int, batch: int, threads: int) -> None:
    state = with_free_cells(3, seed)
    seat = state.turn
    exact = solve_moves(SMALL, state, never).moves
    limit, settings = Limit(Budget(simulations=3000), never), SearchSettings(batch=batch, halving=False)
    found = search(SMALL, state, knows_nothing, limit, Random(1), settings, threads=threads)
    assert exact[found.order[0]][seat] >= max(values[seat] for values in exact.values()) - 0.03
    assert found.root.visits == found.simulations <= 3000
    assert not found.root.virtual_losses
    visits = [found.root.children[move].visits for move in found.order]
    assert visits == sorted(visits, reverse=True)


def test_puct_stops_when_no_move_can_catch_up() -> None:
    def is_sure(states: Sequence[State[Any]]) -> list[Evaluation]:
        return [Evaluation([0.99, *[0.001] * (state.count_moves() - 1)], (0.5, 0.5)) for state in states]

    limit = Limit(Budget(simulations=1000), never)
    found = search(SMALL, SMALL.start(), is_sure, limit, Random(1), SearchSettings(halving=False))
    best, *others = (found.root.children[move].visits for move in found.order)
    assert 500 <= found.simulations < 600
    assert best - max(others, default=0) > 1000 - found.simulations


def test_a_move_that_must_be_considered_has_its_share_of_walks() -> None:
    state = SMALL.start()
    last = state.legal_moves()[-1]
    limit, settings = Limit(Budget(simulations=320), never), SearchSettings(halving=False)

    def likes_the_first(states: Sequence[State[Any]]) -> list[Evaluation]:
        return [
            Evaluation([0.9, 0.1], (0.5, 0.5), [*state.legal_moves(), *state.legal_moves()][:2]) for state in states
        ]

    assert last not in search(SMALL, state, likes_the_first, limit, Random(1), settings).order
    limit = Limit(Budget(simulations=320), never)
    found = search(SMALL, state, likes_the_first, limit, Random(1), settings, lambda move: move == last)
    assert found.root.children[last].visits >= 20
    assert found.order[0] == state.legal_moves()[0]


@pytest.mark.parametrize("threads", [1, 3])
def test_an_evaluator_that_fails_is_heard_of(threads: int) -> None:
    asked = 0

    def fails(states: Sequence[State[Any]]) -> list[Evaluation]:
        nonlocal asked
        asked += 1
        if asked > 5:
            raise OSError("no more")
        return knows_nothing(states)

    with pytest.raises(OSError, match="no more"):
        search(
            SMALL,
            SMALL.start(),
            fails,
            Limit(DEFAULT_BUDGET, never),
            Random(1),
            SearchSettings(halving=False),
            threads=threads,
        )


def test_a_search_goes_on_with_what_is_known() -> None:
    state = SMALL.start()
    settings = SearchSettings(batch=4, halving=False)
    first = search(SMALL, state, knows_nothing, Limit(Budget(simulations=200), never), Random(1), settings)
    known = first.root.find(state, 0)
    assert known is first.root
    before = known.visits
    again = search(SMALL, state, knows_nothing, Limit(Budget(simulations=50), never), Random(1), settings, known=known)
    assert again.root is known
    assert before < again.root.visits <= before + 50
    assert first.root.find(SMALL.start(seats=3), 3) is None
    for move, child in first.root.children.items():
        assert first.root.find(state.play(move), 1) is child


@pytest.mark.parametrize("seed", range(3))
def test_uct_solves_small_positions(seed: int) -> None:
    state = with_free_cells(3, seed)
    seat = state.turn
    exact = solve_moves(SMALL, state, never).moves
    player = UctPlayer(SMALL, Random(1), lambda view, past, seed: state, 3000)
    thought = player.think(state.view(seat))
    assert exact[thought.move][seat] >= max(values[seat] for values in exact.values()) - 0.03
    assert thought.simulations == 3000


def test_who_has_no_time_knows_nothing_and_says_so() -> None:
    state = SMALL.start().view(0)
    thought = find_player("uct-30", SMALL, Random(1)).think(state, (), DEFAULT_BUDGET, lambda: True)
    assert (thought.simulations, thought.chances) == (0, (0.5, 0.5))
    assert thought.move in state.legal_moves()


def test_uct_alone_plays_for_points() -> None:
    thought = find_player("uct-200", TOGETHER, Random(1)).think(TOGETHER.start().happen(7).view(0))
    assert thought.measure == "points"
    assert 10 < thought.values[0] < 60
