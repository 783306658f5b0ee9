"""The network for Isis & Osiris: its games are the library's, its symmetry, what it knows at once, that it learns."""

import json
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import jax.test_util
import numpy as np
import onnx
import onnxruntime
from numpy.typing import NDArray

from sobremesa.games.isis_osiris import IsisOsirisState
from sobremesa.games.isis_osiris.engine import features
from sobremesa.games.isis_osiris.engine.features import CELLS, PIECES, SIDE, VALUES, Positions
from sobremesa.games.isis_osiris.moves import TURN
from sobremesa.games.isis_osiris.state import NOTHING
from sobremesa.games.isis_osiris.tools import thaw
from sobremesa.games.isis_osiris.training import games as isis_osiris_games
from sobremesa.games.isis_osiris.training import graph, network
from sobremesa.games.isis_osiris.training import run as isis_osiris
from sobremesa.games.isis_osiris.training.games import KIND_CYCLE, KINDS
from sobremesa.games.isis_osiris.training.network import Quality, Size, Weights
from sobremesa.training import checkpoint, export

quality, quality_of = jax.jit(network.quality), jax.jit(network.quality_of)
features_of = jax.jit(lambda at: features.features(at, jnp))
place = jax.jit(isis_osiris_games.place)
SMALL = Size(channels=16, hidden=32, rounds=2)
SHORT = ("--batch", "20", "--updates", "2", "--table", "24", "--games", "24")
BATCH_SIZE = 24
"""Positions at a time: one size, compiled once."""


def begin(kind: int, starter: int = 0) -> IsisOsirisState:
    variant, seats = KINDS[kind]
    return IsisOsirisState.begin("standard", seats, variant, memory_aid=False, starter=starter % seats)


def random_placement(state: IsisOsirisState, random: Random) -> tuple[list[IsisOsirisState], int, int]:
    """The states until a piece is placed, the piece and its cell; stones and tiles are equally likely."""
    moves = state.legal_moves()
    states = [state]
    if moves[-1] == TURN and (len(moves) == 1 or random.random() < 0.5):
        states.append(state.play(TURN))
        chance = states[-1].chance
        assert chance is not None
        states.append(states[-1].happen(chance.draw(random)))
        moves = states[-1].legal_moves()
    else:
        moves = tuple(move for move in moves if move != TURN)
    move = random.choice(moves)
    value = states[-1].turned
    states.append(states[-1].play(move))
    return states, 0 if value == NOTHING else 1 + VALUES.tolist().index(value), move.cell


def some_states(at: int | None = None) -> list[IsisOsirisState]:
    """States of all kinds in the middle of games, or after so many placements."""
    random, found = Random(5), []
    for game in range(BATCH_SIZE):
        state = begin(game % len(KINDS), game)
        for _ in range(game * 35 // (BATCH_SIZE - 1) if at is None else at):
            state = random_placement(state, random)[0][-1]
        found.append(state)
    return found


def some_weights(size: Size = SMALL) -> Weights:
    """Weights of a network whose every part has a say."""
    leaves, tree = jax.tree.flatten(network.init(jax.random.key(1), size))
    keys = jax.random.split(jax.random.key(2), len(leaves))
    noisy = [leaf + 0.1 * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, leaves, strict=True)]
    answer: Weights = jax.tree.unflatten(tree, noisy)
    return answer


def same(ours: Positions, theirs: Positions, over: bool) -> None:
    for name, one, two in zip(Positions._fields, ours, theirs, strict=True):
        assert (over and name == "turn") or np.array_equal(one, two), name


def test_games_of_all_kinds_go_as_in_the_library() -> None:
    """Who moves, what he has, where it can go, its features, and the result (I1 to I8, I10)."""
    random, kinds = Random(3), np.arange(BATCH_SIZE) % len(KINDS)
    states = [begin(kind, game) for game, kind in enumerate(kinds.tolist())]
    at = isis_osiris_games.begin(jnp.asarray(kinds))
    at = at._replace(turn=jnp.asarray([state.turn for state in states], jnp.int8))
    for step in range(CELLS):
        same(features.read(states), at, over=False)
        stones, tiles = map(np.asarray, isis_osiris_games.pieces_left(at))
        free = np.asarray(isis_osiris_games.free(at))
        if step % 5 == 0:
            jax.tree.map(
                partial(np.testing.assert_allclose, rtol=1e-6), features.state_features(states), features_of(at)
            )
        pieces, cells = np.zeros(BATCH_SIZE, np.int32), np.zeros(BATCH_SIZE, np.int32)
        for game, state in enumerate(states):
            moves = state.legal_moves()
            assert (stones[game] > 0) == any(move.kind == "stone" for move in moves)
            assert (tiles[game] > 0) == (TURN in moves)
            assert free[game].tolist() == [bool(state.free >> cell & 1) for cell in range(CELLS)]
            way, pieces[game], cells[game] = random_placement(state, random)
            for turned in way[:-1]:
                jax.tree.map(
                    np.testing.assert_array_equal, features.state_features([turned]), features.state_features([state])
                )
            states[game] = way[-1]
        at = place(at, pieces, cells)
    same(features.read(states), at, over=True)
    totals, shares = np.asarray(features.totals(at, jnp)), np.asarray(isis_osiris_games.shares(at))
    for state, scores, share in zip(states, totals, shares, strict=True):
        result = state.result()
        assert result is not None
        assert scores[: state.seats].tolist() == list(result.scores)
        expected = [(place == 1) / len(result.winners) for place in result.places]
        np.testing.assert_allclose(share, expected + [0] * (4 - state.seats))


@pytest.mark.at_length
def test_what_is_learnt_from_is_played_by_the_rules() -> None:
    """Every recorded placement leads to the next position; deals hold every tile once."""
    games, last = jax.jit(isis_osiris_games.play, static_argnums=(2, 5))(
        some_weights(), jax.random.key(4), 20, 0.2, 0.01, jnp.float32
    )
    games = jax.tree.map(np.asarray, games)
    kinds = [KINDS[kind] for kind in np.resize(KIND_CYCLE, 20)]
    assert kinds.count(("own", 2)) == 10
    assert set(kinds) == set(KINDS)
    states = [begin(kind) for kind in np.resize(KIND_CYCLE, 20).tolist()]
    for step in range(CELLS):
        same(features.read(states), Positions(*(part[step] for part in games.positions)), over=False)
        for game, state in enumerate(states):
            piece, cell = int(games.pieces[step, game]), int(games.cells[step, game])
            if piece:
                state = state.play(TURN).happen(int(VALUES[piece - 1]))
            states[game] = state.play(state.setup.moves.tiles[cell] if piece else state.setup.moves.stones[cell])
    same(features.read(states), last, over=True)
    assert 0.1 < games.explored.mean() < 0.3


def symmetries() -> list[NDArray[np.int64]]:
    """Where each cell comes from, for the 8 symmetries of the board."""
    grid = np.arange(CELLS).reshape(SIDE, SIDE)
    return [np.rot90(each, turns).ravel() for each in (grid, grid.T) for turns in range(4)]


@pytest.mark.at_length
def test_qualities_turn_with_the_board() -> None:
    cells, table = features.state_features(some_states())
    weights = some_weights()
    answer = quality(weights, cells, table)
    untaught = quality(network.init(jax.random.key(1), SMALL), cells, table)
    assert np.abs(answer.win - untaught.win).max() > 0.1
    assert np.abs(answer.margin - untaught.margin).max() > 0.1
    for order in symmetries():
        turned = quality(weights, cells[:, order], table)
        for ours, whole in zip(turned, answer, strict=True):
            np.testing.assert_allclose(ours, whole[order], atol=1e-4)


def test_one_placement_is_what_all_placements_say_of_it() -> None:
    states = some_states()
    cells, table = features.state_features(states)
    at = jnp.asarray(cells[:, :, features.FREE].argmax(1))
    pieces = jnp.arange(BATCH_SIZE) % PIECES
    logits, margin = quality_of(some_weights(), cells, table, at, pieces)
    whole = quality(some_weights(), cells, table)
    chosen = Quality(*(np.asarray(part)[at, np.arange(BATCH_SIZE), pieces] for part in whole))
    before = np.array([state.free.bit_count() > 1 for state in states])
    np.testing.assert_allclose(jax.nn.softmax(logits)[before], chosen.win[before], atol=1e-5)
    np.testing.assert_allclose(margin, chosen.margin, atol=1e-5)
    np.testing.assert_allclose(chosen.win.sum(-1), 1, rtol=1e-5)
    np.testing.assert_allclose(chosen.margin[:, 2:][table[:, features.THERE][:, 2:] == 0], 0)


def test_gradients_through_neighbours_are_those_of_plain_sums() -> None:
    cells = jax.random.normal(jax.random.key(0), (CELLS, 2, 3))
    sums = [np.einsum("cd,dnk->cnk", each, cells) for each in graph._sums()]
    np.testing.assert_allclose(network.gather(cells), np.concatenate([cells, *sums], -1), rtol=1e-5, atol=1e-5)
    weights = jax.random.normal(jax.random.key(1), (CELLS, 2, 12))
    gradient = jax.jit(jax.grad(lambda x: (network.gather(x) * weights).sum()))(cells)
    parts = np.split(np.asarray(weights), 4, -1)
    plain = parts[0] + sum(np.einsum("dc,dnk->cnk", *pair) for pair in zip(graph._sums(), parts[1:], strict=True))
    np.testing.assert_allclose(gradient, plain, rtol=1e-4, atol=1e-4)


def test_the_last_placement_is_exact_without_learning() -> None:
    states = some_states(CELLS - 1)
    found = quality(some_weights(), *features.state_features(states))
    random = Random(1)
    for game, state in enumerate(states):
        (*_, full), piece, cell = random_placement(state, random)
        result = full.result()
        assert result is not None
        order = [(state.turn + slot) % state.seats for slot in range(state.seats)]
        shares = [(result.places[seat] == 1) / len(result.winners) for seat in order]
        np.testing.assert_allclose(found.win[cell, game, piece, : state.seats], shares, atol=1e-6)
        mean = sum(result.scores) / state.seats
        ahead = [(result.scores[seat] - mean) * state.seats / (state.seats - 1) / network.POINTS_UNIT for seat in order]
        np.testing.assert_allclose(found.margin[cell, game, piece, : state.seats], ahead, atol=1e-5)


def test_the_mover_takes_what_is_best_for_himself() -> None:
    chance = np.random.default_rng(1)
    found = Quality(*(jnp.asarray(chance.random((CELLS, BATCH_SIZE, PIECES, 4)), jnp.float32) for _ in range(2)))
    free = chance.random((BATCH_SIZE, CELLS)) < 0.1
    free[:, 3] = True
    odds = chance.dirichlet(np.ones(8), BATCH_SIZE).astype(np.float32)
    stone, tile = np.arange(BATCH_SIZE) % 3 != 0, np.arange(BATCH_SIZE) % 3 != 1
    choice = jax.tree.map(np.asarray, jax.jit(network.choose)(found, free, odds, stone, tile))
    win, margin = map(np.asarray, found)
    for game in range(BATCH_SIZE):
        wants = win[:, game, :, 0] + 0.05 * margin[:, game, :, 0]
        cells = np.flatnonzero(free[game])
        best = [cells[wants[cells, piece].argmax()] for piece in range(PIECES)]
        turn = sum(odds[game, at] * wants[best[at + 1], at + 1] for at in range(8))
        turning = tile[game] and (not stone[game] or turn > wants[best[0], 0])
        assert (choice.turning[game] > 0) == turning
        for ours, part in zip(choice.value, (win, margin), strict=True):
            vectors = [part[best[piece], game, piece] for piece in range(PIECES)]
            value = sum(odds[game, at] * vectors[at + 1] for at in range(8)) if turning else vectors[0]
            np.testing.assert_allclose(ours[game], value, rtol=1e-4)


def test_targets_look_ahead_along_the_game_but_not_past_a_random_placement() -> None:
    values = jnp.broadcast_to(jnp.array([0.5, 0.6, 0.7, 0.9])[:, None, None, None], (4, 1, 2, 4))
    steps, explored = jnp.zeros((4, 1), int), jnp.array([[False], [True], [False], [True]])
    games = isis_osiris_games.Games(features.read([begin(0)]), steps, steps, explored, values)
    found = isis_osiris.targets(games, 0.5)
    np.testing.assert_allclose(found[:, 0, 1, 3], [0.6, (0.7 + 0.9) / 2, 0.9])


@pytest.mark.parametrize(("kind", "seats"), [(0, 2), (4, 3), (2, 4)])
def test_equals_share_the_wins(kind: int, seats: int) -> None:
    """Every deal is played once from each seat, so that the same player on all of them has exactly his share."""
    weights = some_weights()
    found = isis_osiris_games.evaluate(weights, weights, 0.0, kind, 48, 24, 1, jnp.float32)
    assert found["games"] == 48
    assert found["share"] == pytest.approx(1 / seats, abs=1e-6)


def tiny(out: Path, *more: str) -> dict[str, Any]:
    return isis_osiris.main(["--tiny", "--out", str(out), "--every", "1000", *SHORT, *more])


@pytest.mark.at_length
def test_a_short_run_learns(tmp_path: Path) -> None:
    result = isis_osiris.main(["--tiny", "--out", str(tmp_path), "--sweeps", "60", "--every", "0"])
    rows = [line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()]
    assert rows[0] == ["seconds", "games", "error", "surprise", "share"]
    errors = [float(row[2]) for row in rows[1:]]
    assert np.mean(errors[-5:]) < np.mean(errors[:5])
    assert result["random"]["own 2"]["share"] > 0.8
    assert result["totals"]["own 2"]["share"] > 0.5
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert (tmp_path / "curve.png").stat().st_size > 1000


@pytest.mark.at_length
def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path) -> None:
    whole, half = tmp_path / "whole", tmp_path / "half"
    tiny(whole, "--sweeps", "4")
    run = isis_osiris.Run(isis_osiris.options(["--tiny", "--out", str(half), *SHORT, "--sweeps", "4"]))
    run.sweep()
    run.sweep()
    run.save()
    result = tiny(
        half, "--sweeps", "4", "--resume", str(half / "checkpoint.npz"), "--against", str(whole / "checkpoint.npz")
    )
    for name in ("checkpoint.npz", "moments.npz"):
        with np.load(whole / name) as ours, np.load(half / name) as theirs:
            assert set(ours) == set(theirs)
            assert all((ours[part] == theirs[part]).all() for part in ours if part != "about")
    assert result["against"]["own 2"]["share"] == 0.5
    assert set(result["against"]) == {f"{variant} {seats}" for variant, seats in KINDS}


def test_onnx_answers_as_jax_does(tmp_path: Path) -> None:
    run = isis_osiris.Run(isis_osiris.options(["--tiny", "--out", str(tmp_path)]))
    weights = some_weights(run.size)
    run.learner = run.learner._replace(average=weights)
    run.save()
    export.main([str(tmp_path / "checkpoint.npz"), str(tmp_path / "isis_osiris.onnx")])
    session = onnxruntime.InferenceSession(tmp_path / "isis_osiris.onnx", providers=["CPUExecutionProvider"])
    halves = checkpoint.load(tmp_path / "isis_osiris.npz", weights)
    for states in (some_states(), some_states(CELLS - 1)):
        cells, table = features.state_features(states)
        win, margin = session.run(["win", "margin"], {"cells": cells, "table": table})
        ours = quality(weights, cells, table)
        np.testing.assert_allclose(win, np.asarray(ours.win).transpose(1, 0, 2, 3), atol=1e-4)
        np.testing.assert_allclose(
            margin, network.POINTS_UNIT * np.asarray(ours.margin).transpose(1, 0, 2, 3), atol=1e-3
        )
        assert np.abs(quality(halves, cells, table).win - ours.win).max() < 0.05


@pytest.mark.at_length
def test_training_can_go_on_from_a_network_alone(tmp_path: Path) -> None:
    """All weights are in the file that is played with, and each is found where it belongs."""
    keys = iter(jax.random.split(jax.random.key(5), 40))
    drawn = jax.tree.map(lambda leaf: jax.random.normal(next(keys), leaf.shape), network.init(next(keys), SMALL))
    onnx.save(graph.graph(drawn), tmp_path / "some.onnx")
    found = thaw.thawed(tmp_path / "some.onnx", SMALL)
    jax.tree.map(np.testing.assert_array_equal, found, drawn)
    thaw.main(["--out", str(tmp_path / "thawed.npz")])
    export.main([str(tmp_path / "thawed.npz"), str(tmp_path / "again.onnx")])
    assert (tmp_path / "again.onnx").read_bytes() == thaw.HOUSE.read_bytes()
