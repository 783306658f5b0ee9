"""The network for Callisto: what it plays and learns from, that it turns, learns, goes on and travels."""

import json
from functools import cache, partial
from pathlib import Path
from random import Random
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np
import onnxruntime
from numpy.typing import NDArray

from sobremesa.batch.rules import slots
from sobremesa.core.result import Result
from sobremesa.games.callisto import CallistoState, sgf
from sobremesa.games.callisto.batch.board import HOLDS, KIND_OF_PLANE, SIZES
from sobremesa.games.callisto.batch.observation import NO_CELL
from sobremesa.games.callisto.batch.rules import CallistoRules
from sobremesa.games.callisto.batch.rules import CallistoState as Batch
from sobremesa.games.callisto.board import PILLAR
from sobremesa.games.callisto.engine.features import canvas
from sobremesa.games.callisto.training import games as callisto_games
from sobremesa.games.callisto.training import league as callisto_league
from sobremesa.games.callisto.training import minibatch as callisto_minibatch
from sobremesa.games.callisto.training import network
from sobremesa.games.callisto.training import run as callisto
from sobremesa.games.callisto.training.games import KINDS, MAX_POLICY_MOVES, Population, SelfPlay
from sobremesa.games.callisto.training.league import Drawn, Folder, League, MoveLists, draw, move_lists
from sobremesa.games.callisto.training.minibatch import Minibatch
from sobremesa.games.callisto.training.network import MARGIN_UNIT, THERE, Size, Weights
from sobremesa.games.callisto.training.search import SearchSettings
from sobremesa.training import checkpoint, export
from sobremesa.training.run import Learner, Pace

from .planes import to_placements

every_kind = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind[0]} {kind[1]}")
SMALL = Size(channels=8, hidden=8, rounds=2)
POCKET = ("pocket", 2)
ONLY_POCKET = ("--mix", "0", "0", "0", "1", "0", "0")
BATCH, ROWS, MOVES, MATCH, SEARCH = 8, 72, 36, 32, SearchSettings(2, 2, 2)
"""Runs are of this size, too, so that their programs are those of other tests: each is compiled once."""


def some_states(kind: tuple[str, int], count: int, seed: int = 1, over: bool = False) -> list[CallistoState]:
    """Positions from random games, or the last ones."""
    random = Random(seed)
    found: list[CallistoState] = []
    while len(found) < count:
        state = CallistoState.begin(*kind, random.randrange(kind[1]))
        for _ in range(1000 if over else random.randrange(kind[1] * 12)):
            if not state.over:
                state = state.play(state.random_move(random))
        if state.over == over:
            found.append(state)
    return found


def together(rules: CallistoRules, states: list[CallistoState]) -> Batch:
    return Batch(*(jnp.stack(parts) for parts in zip(*map(rules.read, states), strict=True)))


@cache
def some_weights(size: Size = SMALL) -> Weights:
    """Weights of a network whose every part has a say."""
    leaves, tree = jax.tree.flatten(network.init(jax.random.key(1), size))
    chance = np.random.default_rng(2)
    noisy = [np.asarray(leaf) + chance.normal(0, 0.2, leaf.shape).astype(np.float32) for leaf in leaves]
    answer: Weights = jax.tree.unflatten(tree, noisy)
    return answer


def result_of(state: CallistoState) -> Result:
    result = state.result()
    assert result is not None
    return result


def expected_worth(result: Result) -> NDArray[np.float64]:
    """By seat: the first place (C10) and the margin over the best of the others (C9)."""
    found = []
    for seat, (place, penalty) in enumerate(zip(result.places, result.scores, strict=True)):
        best = min(other for rival, other in enumerate(result.scores) if rival != seat)
        found.append([1 if place == 1 else -1, np.tanh((best - penalty) / MARGIN_UNIT)])
    return np.array(found)


@every_kind
def test_finished_games_are_worth_their_results(kind: tuple[str, int]) -> None:
    rules = callisto_games.rules_of(kind)
    states = some_states(kind, 12, over=True)
    found = jax.jit(partial(callisto_games.results, rules))(together(rules, states))
    for ours, state in zip(np.asarray(found), states, strict=True):
        np.testing.assert_allclose(ours, expected_worth(result_of(state)), atol=1e-6)


@pytest.mark.at_length
def test_evaluations_are_by_seat_and_exact_at_the_end() -> None:
    kind = ("pocket", 3)
    rules = callisto_games.rules_of(kind)
    states = some_states(kind, 6) + some_states(kind, 2, over=True)
    batch = together(rules, states)
    think = jax.jit(lambda weights, batch: (callisto_games.evaluate(rules, weights, batch), rules.observe(batch)))
    evaluation, seen = think(some_weights(), batch)
    answer = jax.jit(network.answer)(some_weights(), *seen)
    for at, state in enumerate(states[:6]):
        chances = np.exp(answer.win[at]) / np.exp(answer.win[at]).sum()
        for slot in range(3):
            seat = (state.turn + slot) % 3
            estimate = [2 * chances[slot] - 1, np.tanh(answer.margin[at, slot])]
            np.testing.assert_allclose(evaluation.values[at, seat], estimate, atol=1e-5)
        legal = [move.number for move in state.legal_moves()]
        assert np.flatnonzero(evaluation.priors[at] > -1e8).tolist() == legal
        np.testing.assert_allclose(np.exp(evaluation.priors[at, legal]).sum(), 1, rtol=1e-5)
        planes = np.asarray(to_placements(rules, jnp.moveaxis(answer.policy[at], -1, 0)[: len(HOLDS)]))[legal]
        np.testing.assert_allclose(evaluation.priors[at, legal], planes - np.log(np.exp(planes).sum()), atol=1e-4)
    for at, state in enumerate(states[6:], 6):
        np.testing.assert_allclose(evaluation.values[at], expected_worth(result_of(state)), atol=1e-6)
    assert evaluation.over.tolist() == [False] * 6 + [True] * 2


def test_greedy_places_one_of_the_largest_tiles() -> None:
    rules = callisto_games.rules_of(POCKET)
    states = some_states(POCKET, 20)
    greedy = jax.jit(partial(callisto_games.greedy_move, rules))
    moves = greedy(together(rules, states), jax.random.key(1))
    for state, move in zip(states, moves.tolist(), strict=True):
        sizes = {legal.number: SIZES[rules.arrays.kind[legal.number]] for legal in state.legal_moves()}
        assert sizes[move] == max(sizes.values())


@pytest.mark.at_length
def test_a_policy_for_large_tiles_beats_chance_and_equals_greedy() -> None:
    rules = callisto_games.rules_of(POCKET)
    chance = network.init(jax.random.key(1), SMALL)
    large = chance | {"policy": chance["policy"] | {"out_bias": 9.0 * jnp.asarray(SIZES)[KIND_OF_PLANE]}}
    match = jax.jit(partial(callisto_games.match, rules, MATCH, jnp.float32))
    won, margin = match(large, chance, False, jax.random.key(1))
    assert won.mean() > 0.9
    assert margin.mean() > 5
    lost, behind = match(chance, large, False, jax.random.key(2))
    assert lost.mean() < 0.1
    assert behind.mean() < -5
    even, _ = match(large, chance, True, jax.random.key(3))
    assert 0.3 < even.mean() < 0.7


@cache
def played() -> tuple[SelfPlay, SelfPlay]:
    """Games of the pocket edition for two: after 36 moves in each, and after 108, when the oldest are overwritten."""
    rules = callisto_games.rules_of(POCKET)
    selfplay = jax.jit(partial(callisto_games.begin, rules, batch=BATCH, rows=ROWS))(jax.random.key(1))
    play = jax.jit(partial(callisto_games.play, rules, SEARCH, MOVES, Population(), 1.0, jnp.float32), donate_argnums=1)
    selfplays = []
    for chunk in range(3):
        selfplay, figures = play(some_weights(), selfplay, None, jnp.int32(chunk * MOVES % ROWS), jax.random.key(chunk))
        selfplays.append(jax.tree.map(np.array, selfplay))
        assert figures["games"] >= figures["first"] >= 0
    assert (selfplays[2].games > 2).all()
    return selfplays[0], selfplays[2]


def remembered(selfplay: SelfPlay, row: int, game: int) -> Batch:
    return Batch(*(part[row, game] for part in selfplay.replay.positions))


def final(selfplay: SelfPlay, row: int, game: int) -> Batch:
    return Batch(*(part[selfplay.replay.games[row, game], game] for part in selfplay.latest))


def replayed(selfplay: SelfPlay, game: int) -> list[tuple[int, int, CallistoState]]:
    """Rows of the games that began in memory, with the library's final states: (first row, row after the last, end)."""
    rules = callisto_games.rules_of(POCKET)
    numbers = selfplay.replay.games[:MOVES, game]
    starts = [row for row in range(1, MOVES) if numbers[row] != numbers[row - 1]]
    found = []
    for start, stop in zip(starts, [*starts[1:], MOVES], strict=True):
        state = CallistoState.begin(*POCKET, 0)
        for row in range(start, stop):
            before = remembered(selfplay, row, game)
            for ours, theirs in zip(before, rules.read(state), strict=True):
                assert np.array_equal(ours, theirs)
            policy = selfplay.replay.moves[row, game], selfplay.replay.shares[row, game]
            legal = {move.number for move in state.legal_moves()}
            assert {move for move, share in zip(*policy, strict=True) if share > 0} <= legal
            assert 0.5 < policy[1].sum() < 1.01
            assert (np.diff(policy[1]) <= 0).all()
            after = remembered(selfplay, row + 1, game) if row + 1 < stop else final(selfplay, row, game)
            (placed,) = [bits for bits in (after.cells ^ before.cells) if bits.any()]
            cells = sum(rules.board.bit(x, y) for y, line in enumerate(placed) for x in range(32) if line >> x & 1)
            state = state.play(rules.board.by_cells[cells])
        found.append((start, stop, state))
    return found


@pytest.mark.at_length
def test_remembered_games_are_the_librarys() -> None:
    """Every position leads to the next by a legal move, and what is kept of the end is the end."""
    selfplay, _ = played()
    rules, over = callisto_games.rules_of(POCKET), 0
    for game in range(BATCH):
        for start, stop, state in replayed(selfplay, game):
            end = final(selfplay, start, game)
            assert bool(rules.over(end)) == state.over
            assert state.over or stop == MOVES
            over += state.over
            for name, ours, theirs in zip(Batch._fields, end, rules.read(state), strict=True):
                assert name == "turn" or np.array_equal(ours, theirs)
    assert over >= 2


@pytest.mark.at_length
def test_a_share_of_the_games_begins_blindly() -> None:
    """After up to four turns of everybody, none of them twice the same; the others begin at their beginning."""
    rules = callisto_games.rules_of(POCKET)
    begun = jax.jit(partial(callisto_games.openings, rules, 400, Population(0.25), None))(jax.random.key(1))
    pieces = np.array(rules.init(jnp.zeros(1, jnp.int8)).left.sum() - begun.left.sum((1, 2)))
    blind = begun.cells[pieces > 0]
    assert set(pieces) == set(range(callisto_games.MAX_BLIND_TURNS * rules.seats + 1))
    assert 70 < len(blind) < 130
    assert len(np.unique(blind.reshape(len(blind), -1), axis=0)) > 0.8 * len(blind)
    assert not rules.over(begun).any()


@pytest.mark.at_length
def test_the_end_belongs_to_its_game_also_when_old_games_are_overwritten() -> None:
    _, selfplay = played()
    for row in range(ROWS):
        for game in range(BATCH):
            now, end = remembered(selfplay, row, game), final(selfplay, row, game)
            assert not (now.cells & ~end.cells).any()
            assert (now.left >= end.left).all()
            assert (now.left != end.left).any()


@pytest.mark.at_length
def test_minibatches_are_drawn_from_finished_games_with_their_results() -> None:
    selfplay, _ = played()
    rules = callisto_games.rules_of(POCKET)
    sample = jax.jit(partial(callisto_minibatch.sample, rules, count=64))
    drawn = [
        sample(selfplay, jax.random.key(2), MOVES, MOVES, outcome_weight=outcome_weight)
        for outcome_weight in (1.0, 0.0)
    ]
    outcome, thought = jax.tree.map(np.asarray, drawn)
    known = Batch(*(part[:MOVES].reshape(-1, *part.shape[2:]) for part in selfplay.replay.positions))
    ends = Batch(*(part[selfplay.replay.games[:MOVES], np.arange(BATCH)] for part in selfplay.latest))
    ends = Batch(*(part.reshape(-1, *part.shape[2:]) for part in ends))

    @jax.jit
    def value_targets(known: Batch, ends: Batch, values: Any) -> Any:
        both = callisto_games.results(rules, ends), values.reshape(-1, 2, 2)
        return *(slots(each, known.turn) for each in both), rules.owners(ends, known.turn)

    numbers = jax.jit(rules.observe)(known).numbers
    results, estimates, owners = map(np.asarray, value_targets(known, ends, selfplay.replay.values[:MOVES]))
    assert outcome.mask.sum() > 48
    for at in np.flatnonzero(outcome.mask):
        alike = np.flatnonzero(np.isclose(numbers, outcome.numbers[at], atol=1e-4).all(1))
        right = [place for place in alike if np.allclose(outcome.value_targets[at], results[place], atol=1e-5)]
        assert any(np.allclose(thought.value_targets[at], estimates[place], atol=1e-5) for place in right)
        ways = [each for place in right for one in (owners[place], owners[place].T) for each in (one, np.rot90(one))]
        ways += [np.rot90(way, 2) for way in ways]
        assert any(np.array_equal(outcome.owners[at], way) for way in ways)


def turned_rows(rows: Any, symmetry: int, width: int) -> Any:
    columns = np.arange(width, dtype=np.uint32)
    cells = np.asarray(rows)[..., None] >> columns & 1
    cells = cells[..., ::-1] if symmetry & 1 else cells
    cells = cells[..., ::-1, :] if symmetry & 2 else cells
    cells = cells.swapaxes(-1, -2) if symmetry & 4 else cells
    return (cells << columns).sum(-1, dtype=np.uint32)


@pytest.mark.at_length
@pytest.mark.parametrize("kind", [("classic", 3), POCKET])
def test_an_augmented_minibatch_is_one_from_turned_boards(kind: tuple[str, int]) -> None:
    rules = callisto_games.rules_of(kind)
    (state,), (end,) = some_states(kind, 1, seed=4), some_states(kind, 1, over=True)
    legal = [move.number for move in state.legal_moves()][:MAX_POLICY_MOVES]
    moves = jnp.array([legal + [0] * (MAX_POLICY_MOVES - len(legal))] * 8)
    shares = jnp.array([[0.5 / len(legal)] * len(legal) + [0] * (MAX_POLICY_MOVES - len(legal))] * 8)
    now, last = together(rules, [state] * 8), together(rules, [end] * 8)
    value_targets = jnp.broadcast_to(expected_worth(result_of(end)), (8, kind[1], 2))

    def on_turned(batch: Batch) -> Batch:
        def turn(rows: Any) -> Any:
            return np.stack([turned_rows(each, symmetry, rules.board.width) for symmetry, each in enumerate(rows)])

        return batch._replace(cells=turn(batch.cells), pillars=turn(batch.pillars))

    @jax.jit
    def minibatch(now: Batch, last: Batch, moves: Any, symmetry: Any) -> Minibatch:
        plain = callisto_minibatch.plain(rules, now, last, moves, shares, value_targets, jnp.ones(8))
        return callisto_minibatch.augmented(rules, plain, symmetry)

    ours = minibatch(now, last, moves, jnp.arange(8))
    there = ours.moves
    theirs = minibatch(on_turned(now), on_turned(last), there, jnp.zeros(8, int))
    for name, one, other in zip(ours._fields, ours, theirs, strict=True):
        np.testing.assert_array_equal(one, other, err_msg=name)
    for symmetry, (before, after) in enumerate(zip(*map(np.asarray, (moves, there)), strict=True)):
        for old, new in zip(before[: len(legal)], after[: len(legal)], strict=True):
            covered = turned_rows(rules.arrays.covered[old], symmetry, rules.board.width)
            assert np.array_equal(covered, rules.arrays.covered[new])


def test_an_untaught_network_is_as_surprised_as_somebody_who_guesses() -> None:
    kind = ("pocket", 4)
    rules = callisto_games.rules_of(kind)
    states, ends = some_states(kind, 8), some_states(kind, 8, over=True)
    mask = np.array([state.count_moves() for state in states])
    legal = [[move.number for move in state.legal_moves()][:MAX_POLICY_MOVES] for state in states]
    moves = jnp.array([each + [0] * (MAX_POLICY_MOVES - len(each)) for each in legal])
    shares = jnp.array([[0.75] + [0.0] * (MAX_POLICY_MOVES - 1)] * 8)
    value_targets = jnp.stack([expected_worth(result_of(end)) for end in ends])
    batches = together(rules, states), together(rules, ends)
    weights = network.init(jax.random.key(1), SMALL)

    @jax.jit
    def learn(now: Batch, last: Batch) -> tuple[Minibatch, dict[str, Any]]:
        minibatch = callisto_minibatch.plain(rules, now, last, moves, shares, value_targets, jnp.ones(8))
        (found,) = callisto_minibatch.answers(weights, [minibatch])
        return minibatch, callisto_minibatch.losses(rules, found, minibatch)

    minibatch, found = learn(*batches)
    long = mask > MAX_POLICY_MOVES
    assert long.sum() >= 3
    guess = 0.75 * np.log(mask) - 0.25 * np.log1p(-MAX_POLICY_MOVES / np.where(long, mask, MAX_POLICY_MOVES + 1))
    np.testing.assert_allclose(found["policy"][long], guess[long], rtol=1e-4)
    np.testing.assert_allclose(found["win"], np.log(4), rtol=1e-5)
    np.testing.assert_allclose(found["margin"], jnp.square(value_targets[..., 1]).mean(-1), rtol=1e-4)
    np.testing.assert_allclose(found["owners"], np.log(5), rtol=1e-5)
    assert not (np.asarray(minibatch.owners) == NO_CELL).any()


@pytest.mark.at_length
def test_learning_goes_the_same_way_in_half_precision() -> None:
    """As on a GPU, where convolutions are computed in bfloat16."""
    rules, (selfplay, _) = callisto_games.rules_of(POCKET), played()

    @partial(jax.jit, static_argnums=1)
    def gradient(weights: Weights, dtype: Any) -> Any:
        minibatch = callisto_minibatch.sample(rules, selfplay, jax.random.key(1), MOVES, MOVES, 0.5, 32)

        def loss(weights: Weights) -> Any:
            (found,) = callisto_minibatch.answers(network.ready(weights, dtype), [minibatch])
            return sum(part.mean() for part in callisto_minibatch.losses(rules, found, minibatch).values())

        return jax.grad(loss)(weights)

    selfplay = jax.tree.map(jnp.asarray, selfplay)
    whole, half = (gradient(some_weights(), dtype) for dtype in (jnp.float32, jnp.bfloat16))
    one, other = (np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(each)]) for each in (whole, half))
    assert half["cell"].dtype == jnp.float32
    assert one @ other > 0.99 * np.linalg.norm(one) * np.linalg.norm(other)


def tiny(out: Path, *more: str) -> list[str]:
    short = ["--every", "1000", "--lessons", "16", "--updates", "2", "--fill", "1"]
    searched = dict(zip(("simulations", "considered", "kept"), SEARCH, strict=True))
    sizes = SMALL._asdict() | searched
    sizes |= {"batch": BATCH, "moves": MOVES, "memory": ROWS // MOVES, "table": MATCH}
    given = [word for name, size in sizes.items() for word in (f"--{name}", str(size))]
    return ["--tiny", "--out", str(out), *ONLY_POCKET, *short, *given, *more]


def same(one: Any, other: Any) -> bool:
    return bool(jax.tree.all(jax.tree.map(np.array_equal, one, other)))


@pytest.mark.at_length
def test_a_run_goes_on_exactly_and_leaves_a_bad_way(tmp_path: Path) -> None:
    half, file = tmp_path / "half", str(tmp_path / "half" / "checkpoint.npz")
    run = callisto.Run(callisto.options(tiny(half, "--sweeps", "4")))
    untaught = jax.tree.map(np.asarray, run.learner)
    run.sweep()
    run.sweep()
    run.save()
    assert run.learner.updates == 4
    assert not same(untaught.weights, run.learner.weights)
    ends = []
    for name in ("one", "two"):
        on = callisto.Run(callisto.options(tiny(tmp_path / name, "--sweeps", "4", "--resume", file)))
        assert same(on.learner, run.learner)
        assert (on.sweeps, on.progress, on.games) == (2, 0.5, run.games)
        on.sweep()
        on.sweep()
        assert on.progress == 1
        assert on.learner.updates == 8
        ends.append(on.learner)
    assert same(*ends)
    before: Learner = jax.tree.map(np.asarray, run.learner)
    run.learner, _ = run.learn(run.learner, jax.random.key(1), Pace(1e6, 0.0, 1.0))
    assert run.rate_factor == 0.5
    assert same(run.learner, before)


@pytest.mark.at_length
def test_a_whole_run_leaves_its_files(tmp_path: Path) -> None:
    callisto.main(tiny(tmp_path / "old", "--sweeps", "2"))
    old = str(tmp_path / "old" / "checkpoint.npz")
    result = callisto.main(tiny(tmp_path / "new", "--sweeps", "3", "--resume", old, "--against", old, "--rounds", "3"))
    assert json.loads((tmp_path / "new" / "result.json").read_text()) == result
    assert set(result["greedy"]) == set(result["against"]) == {"pocket 2"}
    assert result["against"]["pocket 2"]["games"] == MATCH
    head, *rows = (tmp_path / "new" / "curve.csv").read_text().splitlines()
    assert head == "seconds,games,margin,owners,policy,strangers,win,first,pocket 2,pocket 2 against"
    assert len(rows) == 2
    assert len(list((tmp_path / "new").iterdir())) <= 8


def test_shares_of_kinds_are_shares_of_games_and_minibatches() -> None:
    found = callisto.kinds(callisto.KIND_SHARES, 4096, 2048)
    assert [kind.name for kind in found] == [f"{edition} {seats}" for edition, seats in KINDS]
    assert [kind.batch for kind in found] == [1640, 616, 816, 408, 208, 408]
    assert [kind.minibatch for kind in found] == [816, 304, 408, 208, 104, 208]
    assert [kind.name for kind in callisto.kinds((0, 0, 3, 0, 0, 1), 64, 64)] == ["classic 4", "pocket 4"]


def test_onnx_answers_as_jax_does(tmp_path: Path) -> None:
    weights = some_weights()
    checkpoint.save(tmp_path / "checkpoint.npz", {"average": weights}, about())
    export.main([str(tmp_path / "checkpoint.npz"), str(tmp_path / "callisto.onnx")])
    session = onnxruntime.InferenceSession(tmp_path / "callisto.onnx", providers=["CPUExecutionProvider"])
    say, looked_at, answered = jax.jit(network.answer), [], []
    for kind in KINDS:
        states = some_states(kind, 3)
        drawn = canvas(states[0].board)
        planes, numbers = drawn.observe(states)
        policy, win, margin = session.run(["policy", "win", "margin"], {"planes": planes, "table": numbers})
        ours = say(weights, planes, numbers)
        looked_at.append(Minibatch(jnp.asarray(planes), jnp.asarray(numbers), *[jnp.zeros(0)] * 7))
        answered.append(ours)
        assert policy.shape == (3, len(HOLDS), drawn.side, drawn.side)
        np.testing.assert_allclose(policy, np.moveaxis(ours.policy, -1, 1)[:, : len(HOLDS)], atol=1e-3)
        there = numbers[:, THERE]
        np.testing.assert_allclose(win, jax.nn.softmax(ours.win) * there, atol=1e-4)
        np.testing.assert_allclose(margin, MARGIN_UNIT * np.asarray(ours.margin) * there, atol=1e-2)
        assert np.abs(margin).max() > 0.1
        np.testing.assert_array_equal(win[:, kind[1] :], 0)
    for ours, theirs in zip(jax.jit(callisto_minibatch.answers)(weights, looked_at), answered, strict=True):
        jax.tree.map(partial(np.testing.assert_allclose, rtol=1e-3, atol=1e-3), ours, theirs)
    halves = checkpoint.load(tmp_path / "callisto.npz", weights)
    assert jax.tree.all(jax.tree.map(lambda half, whole: np.allclose(half, whole, atol=1e-2), halves, weights))


@pytest.mark.at_length
def test_a_deeper_network_goes_on_where_a_shallow_one_was(tmp_path: Path) -> None:
    """It says the same as before, and has more to learn with."""
    weights, deeper = some_weights(), Size(channels=8, hidden=8, rounds=5)
    checkpoint.save(tmp_path / "shallow.npz", weights, about())
    begun = network.init(jax.random.key(3), deeper)
    grown = checkpoint.load(tmp_path / "shallow.npz", begun, network.added(deeper, SMALL))
    assert len(grown["rounds"]) == 5
    assert jnp.abs(grown["rounds"][4]["in"]).max() > 0
    states = some_states(POCKET, 3)
    planes, numbers = map(jnp.asarray, canvas(states[0].board).observe(states))
    say = jax.jit(network.answer)
    jax.tree.map(np.testing.assert_array_equal, say(weights, planes, numbers), say(grown, planes, numbers))
    with pytest.raises(ValueError, match="another network"):
        checkpoint.load(tmp_path / "shallow.npz", begun)
    with pytest.raises(ValueError, match="a network of 5 rounds cannot go on with 2"):
        network.added(SMALL, deeper)


def about() -> dict[str, Any]:
    facts = {"options": {}, "device": "", "sweeps": 0, "updates": 0}
    return {"game": "callisto", "size": SMALL._asdict(), **facts}


@pytest.mark.at_length
def test_a_short_run_learns(tmp_path: Path) -> None:
    """In 30 sweeps, to beat the policy it began with, which is blind."""
    arguments = ["--tiny", *ONLY_POCKET, "--batch", "64", "--lessons", "128", "--updates", "16", "--simulations", "8"]
    callisto.Run(callisto.options([*arguments, "--out", str(tmp_path / "blind")])).save()
    more = ["--sweeps", "30", "--every", "20", "--memory", "32", "--table", "64", "--games", "192"]
    against = ["--against", str(tmp_path / "blind" / "checkpoint.npz")]
    result = callisto.main([*arguments, *more, *against, "--out", str(tmp_path)])
    assert result["against"]["pocket 2"]["share"] > 0.8
    assert result["against"]["pocket 2"]["margin"] > 3
    assert (tmp_path / "curve.png").stat().st_size > 1000


def strangers_games(tmp_path: Path, seats: int = 3, count: int = 3) -> tuple[Path, list[tuple[CallistoState, ...]]]:
    """A folder with random games, and their positions."""
    games, text = [], ""
    for seed in range(count):
        random, states, moves = Random(seed), [CallistoState.begin("classic", seats, 0)], []
        while not states[-1].over:
            moves.append(states[-1].random_move(random))
            states.append(states[-1].play(moves[-1]))
        text += sgf.dumps(states[0], tuple(moves))
        games.append(tuple(states))
    (tmp_path / "league.blksgf").write_text(text)
    return tmp_path, games


def test_a_folder_of_strangers_games_may_grow(tmp_path: Path) -> None:
    folder, games = strangers_games(tmp_path)
    whole = (folder / "league.blksgf").read_text()
    (folder / "league.blksgf").write_text(whole[:-40])
    league = Folder(folder)
    assert league.refresh()
    assert len(league.games(3)) == 2
    assert not league.refresh()
    (folder / "league.blksgf").write_text(whole)
    assert league.refresh()
    assert [len(moves) for moves in league.games(3)] == [len(states) - 1 for states in games]
    assert league.games(4) == []
    unfinished = sgf.loads(whole)
    (folder / "more.blksgf").write_text(sgf.dumps(games[0][0], unfinished.moves[:9]))
    assert not league.refresh()


def test_a_league_holds_what_strangers_met_placed_and_came_to(tmp_path: Path) -> None:
    folder, games = strangers_games(tmp_path)
    rules, league = callisto_games.rules_of(("classic", 3)), Folder(folder)
    league.refresh()

    @jax.jit
    def drawn(lists: MoveLists, key: Any) -> tuple[League, Drawn, Drawn]:
        found = callisto_league.replayed(rules, lists)
        return found, draw(found, key, 40), draw(found, key, 40, 6)

    lists = move_lists(rules, league.games(3), 5)
    found, everywhere, early = jax.tree.map(np.asarray, drawn(lists, jax.random.key(1)))
    assert found.lengths.tolist() == [len(states) - 1 for states in games] + [0, 0]
    for at, states in enumerate(games):
        for ply in (0, 7, len(states) - 2):
            for ours, theirs in zip(found.positions, rules.read(states[ply]), strict=True):
                np.testing.assert_array_equal(ours[ply, at], theirs)
        assert rules.over(Batch(*(part[at] for part in found.ends)))
    assert everywhere.there.all()
    pieces = rules.hand.sum() * 3 - early.positions.left.sum((1, 2))
    assert set(pieces) == set(range(6))
    known = {states[ply].free for states in games for ply in range(len(states))}
    cells = np.bitwise_or.reduce(everywhere.positions.cells, 1)
    board = rules.board
    for rows in cells:
        taken = sum(board.bit(x, y) for y, row in enumerate(rows) for x in range(board.width) if row >> x & 1)
        assert board.cells & ~taken in known
    _, nothing, _ = drawn(move_lists(rules, (), 5), jax.random.key(1))
    assert not nothing.there.any()
    assert len(move_lists(rules, league.games(3) * 2, 4).lengths) == 4


def test_what_boxers_want_can_be_undone() -> None:
    values = jax.random.normal(jax.random.key(1), (3, 3, 2))
    boxed = jnp.array([[False, True, False], [False] * 3, [False, False, True]])
    seen = callisto_games.boxing(boxed, values)
    np.testing.assert_allclose(seen[0, 1], values[0, 1])
    np.testing.assert_allclose(seen[1], values[1])
    np.testing.assert_allclose(seen[0, 0], 0.4 * values[0, 0] - 0.6 * values[0, 1], rtol=1e-5)
    np.testing.assert_allclose(callisto_games.unboxing(boxed, seen), values, atol=1e-5)


@pytest.mark.at_length
def test_a_share_of_the_tables_has_strangers_or_boxers() -> None:
    rules = callisto_games.rules_of(("pocket", 4))
    found = callisto_games.roles(rules, Population(strangers=0.3, boxers=0.2), 1000, jax.random.key(1))
    strangers, boxed = np.asarray(found.strangers).sum(1), np.asarray(found.boxed).sum(1)
    assert set(strangers) == {0, 3}
    assert set(boxed) == {0, 1}
    assert not ((strangers > 0) & (boxed > 0)).any()
    assert 240 < (strangers > 0).sum() < 360
    assert 150 < boxed.sum() < 250


@pytest.mark.at_length
def test_a_share_of_the_seats_keeps_the_last_pillar_back() -> None:
    rules = callisto_games.rules_of(("pocket", 4))
    found = callisto_games.roles(rules, Population(keepers=0.5), 500, jax.random.key(1)).pillar_turn
    turns = np.asarray(found)
    assert set(turns.flat) == {0, *range(*callisto_games.KEEPERS_TURNS)}
    assert 900 < (turns > 0).sum() < 1100


@pytest.mark.at_length
def test_a_keeper_does_not_look_at_its_last_pillar_as_long_as_a_tile_fits() -> None:
    """In games of the library, position by position: only tiles have a prior, until the turn has come."""
    rules, random = callisto_games.rules_of(("pocket", 3)), Random(7)
    position, keep = CallistoState.begin("pocket", 3, 0), 9
    met = set()
    while not position.over:
        legal = position.legal_moves()
        state = jax.tree.map(lambda part: jnp.asarray(part)[None], rules.read(position))
        priors = jax.nn.log_softmax(jnp.where(rules.legal(state), 0.0, -1e9))
        kept = callisto_games.keeping(rules, jnp.full((1, 3), keep, jnp.int8), state, priors)
        seen = set(np.flatnonzero(np.asarray(kept[0]) > -1e8).tolist())
        tiles = {move.number for move in legal if move.piece != PILLAR}
        early = position.pillars_left(position.turn) == 1 and len(position.sides[position.turn].placed) + 1 < keep
        assert seen == (tiles if early and tiles else {move.number for move in legal})
        np.testing.assert_allclose(np.exp(np.asarray(kept)).sum(), 1, rtol=1e-4)
        met.add((early, bool(tiles), len(tiles) < len(legal)))
        position = position.play(random.choice([move for move in legal if move.number in tiles] or legal))
    assert {(True, True, True), (False, True, True)} <= met


@pytest.mark.at_length
def test_a_run_learns_from_strangers(tmp_path: Path) -> None:
    """What they place becomes likelier in their head; a network without one goes on with it."""
    folder, _ = strangers_games(tmp_path, 3, 4)
    callisto.Run(callisto.options(tiny(tmp_path / "old"))).save()
    mix = ["--mix", "0", "1", "0", "0", "0", "0", "--moves", "4", "--memory", "40"]
    league = ["--league", str(folder), "--strangers", "0.5", "--boxers", "0.3", "--keepers", "0.5"]
    league += ["--policy-temperature", "1.2"]
    more = [*mix, *league, "--resume", str(tmp_path / "old" / "checkpoint.npz"), "--sweeps", "6", "--updates", "8"]
    run = callisto.Run(callisto.options(tiny(tmp_path / "new", *more)))
    assert same(run.learner.weights["strangers"], run.learner.weights["policy"])
    figures = [run.sweep() for _ in range(6)]
    assert figures[-1]["strangers"] < figures[0]["strangers"]
    run.save()
    again = callisto.Run(callisto.options(tiny(tmp_path / "more", *more, "--resume", str(run.out / "checkpoint.npz"))))
    assert same(again.learner, run.learner)
