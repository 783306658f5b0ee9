"""The network for Knister: its symmetry, what it knows at once, that it learns, goes on and travels."""

import itertools
import json
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import jax.test_util
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sobremesa.core.errors import SobremesaError
from sobremesa.games.knister.batch import rules
from sobremesa.games.knister.scoring import CELLS, SIDE, points
from sobremesa.games.knister.training import games as knister_games
from sobremesa.games.knister.training import graph, network
from sobremesa.games.knister.training import lines as knister_lines
from sobremesa.games.knister.training import run as knister
from sobremesa.games.knister.training.network import Size, Weights
from sobremesa.training import checkpoint, export, layers

quality, quality_of = jax.jit(network.quality), jax.jit(network.quality_of)
SMALL = Size(channels=16, hidden=16, rounds=2)
SHORT = ("--sweeps", "4", "--batch", "16", "--games", "16", "--updates", "2", "--bins", "8")


def symmetries() -> list[NDArray[np.int64]]:
    """Where each cell comes from, for all rearrangements of a sheet that keep its lines."""
    found = []
    halves = [
        order for order in itertools.permutations(range(SIDE)) if all(order[4 - i] == 4 - order[i] for i in order)
    ]
    for rows, mirrored, transposed in itertools.product(halves, (False, True), (False, True)):
        columns = rows[::-1] if mirrored else rows
        grid = np.arange(CELLS).reshape(SIDE, SIDE)[np.ix_(rows, columns)]
        found.append((grid.T if transposed else grid).ravel())
    return found


def some_sheets(count: int, seed: int = 0) -> NDArray[np.int8]:
    """Sheets in the middle of games, [count, 25], from blank to full."""
    chance = np.random.default_rng(seed)
    rolls = chance.choice(rules.ROLLS, (count, CELLS), p=rules.ODDS.astype(float) / rules.ODDS.astype(float).sum())
    written = chance.random((count, CELLS)).argsort(1) < np.linspace(0, CELLS, count).round()[:, None]
    return np.where(written, rolls, 0).astype(np.int8)


def some_weights(size: Size = SMALL) -> Weights:
    """Weights of a network whose every part has a say."""
    weights = network.init(jax.random.key(1), size)
    leaves, tree = jax.tree.flatten(weights)
    keys = jax.random.split(jax.random.key(2), len(leaves))
    noisy = [leaf + 0.1 * jax.random.normal(key, leaf.shape) for key, leaf in zip(keys, leaves, strict=True)]
    answer: Weights = jax.tree.unflatten(tree, noisy)
    return answer


def test_the_sheet_has_32_symmetries() -> None:
    lines = {frozenset(line.tolist()) for line in rules.LINE_CELLS}
    assert len({tuple(order.tolist()) for order in symmetries()}) == 32
    for order in symmetries():
        assert {frozenset(order[line].tolist()) for line in rules.LINE_CELLS} == lines


@pytest.mark.at_length
def test_qualities_turn_with_the_sheet() -> None:
    sheets, weights = jnp.asarray(some_sheets(26)), some_weights()
    answer = np.asarray(quality(weights, sheets))
    assert np.abs(answer - np.asarray(network.expected(rules.hands(sheets).T))).max() > 1
    for order in symmetries():
        np.testing.assert_allclose(np.asarray(quality(weights, sheets[:, order])), answer[order], atol=2e-3)


def test_one_placement_is_what_all_placements_say_of_it() -> None:
    sheets, weights = jnp.asarray(some_sheets(26)), some_weights()
    cells, rolls = jnp.asarray((sheets == 0).argmax(1)), jnp.arange(26) % 11
    found, _ = quality_of(weights, sheets, cells, rolls)
    said = np.asarray(quality(weights, sheets))[cells, np.arange(26), rolls]
    np.testing.assert_allclose(found[:-1], said[:-1], atol=1e-3)  # the last sheet is full


def test_gradients_through_lines_are_those_of_plain_sums() -> None:
    cells = jax.random.normal(jax.random.key(0), (CELLS, 3, 4))
    straight, diagonal = network.to_lines(cells)
    sums = np.asarray(cells)[rules.LINE_CELLS].sum(1)
    np.testing.assert_allclose(np.concatenate([straight, diagonal]), sums, rtol=1e-5, atol=1e-5)
    check: Callable[..., None] = jax.test_util.check_grads

    def twice(x: jax.Array) -> jax.Array:
        return (network.to_cells(network.to_lines(layers.silu(layers.norm(x)))) ** 2).sum()

    def picked(x: jax.Array) -> jax.Array:
        return (layers.pick(x, jnp.array([24, 0, 24])) ** 2).sum()

    check(twice, (cells,), order=1, modes=["rev"], rtol=2e-2)
    check(picked, (cells,), order=1, modes=["rev"], rtol=2e-2)


def test_the_end_is_exact_without_learning() -> None:
    """With two free cells: the first roll anywhere, then the second comes as it likes."""
    weights = some_weights()
    for seed in range(5):
        sheets = some_sheets(26, seed)
        sheet = sheets[CELLS - 2]
        one, two = np.flatnonzero(sheet == 0)
        answer = np.asarray(quality(weights, sheets))[:, CELLS - 2]
        for (cell, other), roll in itertools.product(((one, two), (two, one)), range(11)):
            mean = 0.0
            for last in range(11):
                full = sheet.copy()
                full[cell], full[other] = rules.ROLLS[roll], rules.ROLLS[last]
                mean += rules.ODDS[last] * points(bytes(full.tolist()))
            assert answer[cell, roll] == pytest.approx(mean, abs=1e-3)


def test_single_lines_are_expected_as_they_come() -> None:
    at = {tuple(hand): index for index, hand in enumerate(rules.HANDS.tolist())}
    four_fives = at[0, 4, 4, 4, 4]
    assert knister_lines.EXPECTED[four_fives, 0] == pytest.approx(6 + 4 * 4 / 36)
    assert knister_lines.EXPECTED[four_fives, 1 + 3] == pytest.approx(10 - 6 - 4 * 4 / 36)
    assert knister_lines.EXPECTED[at[1, 2, 3, 4, 5], 0] == 12
    found = knister_lines.FEATURES[:, graph.EXPECTED_AT : graph.EXPECTED_AT + 12]
    assert (found * ([4] + [2] * 11) == knister_lines.EXPECTED).all()


def tiny(out: Path, *more: str) -> dict[str, Any]:
    return knister.main(["--tiny", "--out", str(out), "--every", "1000", *more])


@pytest.mark.at_length
def test_a_short_run_learns(tmp_path: Path) -> None:
    """The random player makes 20 points; what the network says of its own games comes true more and more."""
    result = tiny(tmp_path, "--sweeps", "40", "--every", "0", "--looking", "64", "--batch", "128")
    rows = [line.split(",") for line in (tmp_path / "curve.csv").read_text().splitlines()]
    assert rows[0] == ["seconds", "games", "mean", "error"]
    errors = [float(row[3]) for row in rows[1:]]
    assert np.mean(errors[-5:]) < np.mean(errors[:5]) / 3
    assert result["network"]["mean"] > 40
    assert result["looking_ahead"]["mean"] > result["network"]["mean"] - 2
    assert json.loads((tmp_path / "result.json").read_text()) == result
    assert (tmp_path / "curve.png").stat().st_size > 1000


@pytest.mark.at_length
def test_a_run_that_was_stopped_goes_on_exactly(tmp_path: Path) -> None:
    tiny(tmp_path / "whole", *SHORT)
    run = knister.Run(knister.options(["--tiny", "--out", str(tmp_path / "half"), *SHORT]))
    run.sweep()
    run.sweep()
    run.save()
    tiny(tmp_path / "half", *SHORT, "--resume", str(tmp_path / "half" / "checkpoint.npz"))
    for name in ("checkpoint.npz", "moments.npz"):
        with np.load(tmp_path / "whole" / name) as whole, np.load(tmp_path / "half" / name) as half:
            assert set(whole) == set(half)
            assert all((whole[part] == half[part]).all() for part in whole if part != "about")


@pytest.mark.at_length
def test_time_that_was_spent_counts(tmp_path: Path) -> None:
    more = (*SHORT, "--sweeps", "0", "--minutes", "50")
    tiny(tmp_path, *more, "--stop", "0.001")
    resume = ["--tiny", "--out", str(tmp_path), *more, "--resume", str(tmp_path / "checkpoint.npz")]
    run = knister.Run(knister.options(resume))
    assert run.seconds > 0.06
    assert run.progress == run.seconds / 3000
    short = [*resume, "--minutes", "0.0005"]
    with pytest.raises(SobremesaError, match=r"checkpoint.npz has had more already; --anew starts"):
        knister.Run(knister.options(short))
    assert knister.Run(knister.options([*short, "--anew"])).progress == 0


@pytest.mark.at_length
def test_a_finished_run_starts_a_new_schedule(tmp_path: Path) -> None:
    tiny(tmp_path, *SHORT)
    resume = ["--resume", str(tmp_path / "checkpoint.npz")]
    run = knister.Run(knister.options(["--tiny", "--out", str(tmp_path), *SHORT, *resume]))
    assert (run.progress, run.sweeps, run.games) == (0, 4, 64)
    (tmp_path / "moments.npz").unlink()
    tiny(tmp_path, *SHORT, *resume)
    assert checkpoint.about(tmp_path / "checkpoint.npz")["sweeps"] == 8


@pytest.mark.at_length
def test_the_spread_can_be_learnt_later_and_changes_nothing_else(tmp_path: Path) -> None:
    small = ["--tiny", "--out", str(tmp_path), *SHORT, "--bins"]
    run = knister.Run(knister.options([*small, "0"]))
    run.sweep()
    run.save()
    resume = ["--resume", str(tmp_path / "checkpoint.npz")]
    plain, more = (knister.Run(knister.options([*small, bins, *resume])) for bins in "08")
    plain.sweep()
    more.sweep()
    learnt = dict(more.learner.weights)
    assert jnp.abs(learnt.pop("spread")["out"] - network.init(jax.random.key(1), more.size)["spread"]["out"]).max() > 0
    jax.tree.map(partial(np.testing.assert_allclose, atol=1e-5), learnt, plain.learner.weights)


def test_bins_cover_all_totals() -> None:
    assert network.bin_of(jnp.array([-90.0, -64, -0.1, 0, 63.9, 90]), 64).tolist() == [0, 0, 31, 32, 63, 63]


def test_another_network_is_refused(tmp_path: Path) -> None:
    checkpoint.save(tmp_path / "a.npz", {"average": some_weights()}, {})
    with pytest.raises(ValueError, match="another network"):
        checkpoint.load(tmp_path / "a.npz", {"average": jax.eval_shape(lambda: some_weights(Size(8, 8, 2)))})


def test_targets_look_ahead_along_the_game_but_not_past_a_random_placement() -> None:
    steps = jnp.zeros((3, 1), int)
    values = jnp.array([[50.0], [60.0], [70.0]])
    explored = jnp.array([[False], [True], [False]])
    games = knister_games.Games(jnp.zeros((3, 1, CELLS)), steps, steps, explored, values)
    found = knister.targets(games, jnp.array([90.0]), 0.5)
    np.testing.assert_allclose(found[:, 0], [60, (70 + 90) / 2, 90])


def test_onnx_answers_as_jax_does(tmp_path: Path) -> None:
    run = knister.Run(knister.options(["--tiny", "--out", str(tmp_path), "--bins", "8"]))
    weights = some_weights(run.size)
    run.learner = run.learner._replace(average=weights)
    run.save()
    export.main([str(tmp_path / "checkpoint.npz"), str(tmp_path / "knister.onnx")])
    session = onnxruntime.InferenceSession(tmp_path / "knister.onnx", providers=["CPUExecutionProvider"])
    sheets = jnp.concatenate([some_sheets(26, seed) for seed in range(8)])
    points, spread = session.run(["points", "spread"], {"sheets": np.asarray(sheets, np.int64)})
    ours = np.asarray(quality(weights, sheets)).transpose(1, 0, 2)
    np.testing.assert_allclose(points, ours, atol=1e-3)
    cells = jnp.arange(len(sheets)) % CELLS
    _, hidden = quality_of(weights, sheets, cells, cells % 11)
    chances = jax.nn.softmax(network.spread(weights, hidden))
    np.testing.assert_allclose(spread[np.arange(len(sheets)), cells], chances, atol=1e-3)
    halves = checkpoint.load(tmp_path / "knister.npz", weights)
    np.testing.assert_allclose(np.asarray(quality(halves, sheets)).transpose(1, 0, 2), ours, atol=0.2)
