"""Expectimax for Isis & Osiris: what it judges, what it sees coming, and that depth pays."""

from random import Random

import pytest

from sobremesa.engines import arena, find_player
from sobremesa.games.isis_osiris import GAME
from sobremesa.games.isis_osiris.engine.expectimax import OPEN_CELL_WORTH, ahead, judged, looked_at, worth

from .boards import with_free_cells


def test_a_full_board_is_judged_by_its_totals() -> None:
    state = with_free_cells(1, 2)
    while not state.over:
        state = state.happen(state.chance.outcomes[0]) if state.chance else state.play(state.legal_moves()[0])
    assert judged(state) == state.scores()


def test_a_free_cell_beside_a_stone_is_worth_a_little() -> None:
    state = with_free_cells(36, 1)
    corner, middle = (next(m for m in state.legal_moves() if m.text == text) for text in ("Sa1", "Sc3"))
    assert judged(state.play(corner)) == (2 * OPEN_CELL_WORTH, 0)
    assert judged(state.play(middle)) == (4 * OPEN_CELL_WORTH, 0)


@pytest.mark.parametrize("seed", range(6))
def test_a_tile_that_is_to_be_turned_over_is_worth_the_mean_of_all_it_may_be(seed: int) -> None:
    state = with_free_cells(5, seed)
    turned = next((state.play(move) for move in state.legal_moves() if move.kind == "turn"), None)
    if turned is None:
        return
    chance = turned.chance
    assert chance is not None
    each = [worth(turned.happen(value), 1)[0] for value in chance.outcomes]
    mean = sum(value * weight for value, weight in zip(each, chance.weights, strict=True)) / chance.total
    assert worth(turned, 1)[0] == pytest.approx(mean)


def test_deeper_looks_count_the_answer() -> None:
    """What a move is worth two placements deep is what it is worth after the best answer to it."""
    state = with_free_cells(6, 4)
    for move, totals in looked_at(state, 2):
        if move.kind == "stone":
            after = state.play(move)
            answers = dict(looked_at(after, 1))
            assert ahead(totals, after.turn) == max(ahead(each, after.turn) for each in answers.values())


def test_it_beats_whoever_plays_by_the_simple_heuristic() -> None:
    todo = arena.fixtures(GAME.id, ["expectimax-1", "greedy"], 24, "test", {}, 2)
    rows = {row.name: row for row in arena.tally(arena.play_all(todo, 1, lambda number: None)).rows}
    assert rows["expectimax-1"].points.mean > 0.6


def test_it_plays_at_every_table() -> None:
    for seats in (2, 3, 4):
        state = with_free_cells(8, 5, seats=seats)
        move = find_player("expectimax-2", GAME, Random(1)).choose(state.view(state.turn))
        assert move in state.legal_moves()
