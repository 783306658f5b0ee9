"""The champion of Callisto: its features, what its network says, the end counted out, and how it plays."""

import subprocess
import sys
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import onnx
import pytest

from engines.expectimax import solve_moves
from sobremesa.core.errors import InvalidSetup
from sobremesa.core.playout import random_play
from sobremesa.engines import Budget, arena, find_player
from sobremesa.engines.evaluator import Values, outcome_of
from sobremesa.engines.limit import Limit
from sobremesa.engines.player import never
from sobremesa.engines.solution import TimeUp
from sobremesa.engines.tree import SearchSettings, search
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.board import PILLAR
from sobremesa.games.callisto.engine import engine_set
from sobremesa.games.callisto.engine.endgame import Endgame, may_be_solved
from sobremesa.games.callisto.engine.features import HOLDS, NUMBERS, PLANES, canvas
from sobremesa.games.callisto.engine.gtp import GTP_GAMES
from sobremesa.games.callisto.engine.network import (
    MAX_PRIORS,
    OWN_NETWORKS,
    THIRD_PILLAR_TURN,
    EvaluationNoise,
    Network,
    NetworkEvaluator,
    keeps_pillar,
)
from sobremesa.games.callisto.engine.player import NetworkPlayer, Skill
from sobremesa.games.callisto.tools import duel as callisto_duel
from sobremesa.games.callisto.tools.probe import numbers, probe_graph

from .networks import random_network

TABLES = [(edition, seats) for edition in ("classic", "pocket") for seats in (2, 3, 4)]
every_table = pytest.mark.parametrize(("edition", "seats"), TABLES)


@pytest.fixture(scope="module")
def weights(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return random_network(tmp_path_factory.mktemp("weights") / "callisto.onnx")


def along(edition: str, seats: int, seed: int) -> list[CallistoState]:
    """A random game, state by state, without its end."""
    start = CallistoState.begin(edition, seats, seed % seats)
    states: list[Any] = [start, *(state for _, state in random_play(start, Random(seed)))]
    return [state for state in states if not state.over]


def endings(edition: str, seats: int, seed: int, moves: int) -> list[CallistoState]:
    """The last positions of a random game with so few moves, all seats' together."""
    return [
        state
        for state in along(edition, seats, seed)
        if sum(state._replace(turn=seat).count_moves() for seat in range(seats) if not state.is_out(seat)) <= moves
    ]


@every_table
def test_the_network_is_told_what_the_rules_in_jax_tell(edition: str, seats: int) -> None:
    """Bit for bit, but for the last bit of quotients, of which compilers make products."""
    jax = pytest.importorskip("jax")
    from batch.alongside import together
    from sobremesa.games.callisto.batch import board as callisto_board
    from sobremesa.games.callisto.batch.rules import callisto

    rules = callisto(edition, seats)
    drawn = canvas(rules.board)
    states = [state for seed in range(4) for state in along(edition, seats, seed)]
    seen, (planes, numbers) = jax.jit(rules.observe)(together(rules, [*states])), drawn.observe(states)
    assert planes.dtype == numbers.dtype == np.float32
    assert np.array_equal(np.asarray(seen.planes, np.float32), planes)
    np.testing.assert_array_max_ulp(np.asarray(seen.numbers), numbers, maxulp=1)
    assert HOLDS == callisto_board.HOLDS
    assert np.array_equal(drawn.at[np.argsort(drawn.number)[-rules.actions :]], rules.arrays.at(rules.side))


@every_table
def test_the_third_pillar_is_kept_back_where_that_is_better(weights: Path, edition: str, seats: int) -> None:
    """As long as a tile fits (C7), and only at the tables where matches have shown it."""
    earliest = THIRD_PILLAR_TURN.get((edition, seats), 0)
    kept = 0
    for state in along(edition, seats, 5):
        drawn, turn = canvas(state.board), len(state.sides[state.turn].placed) + 1
        tiles = [move for move in state.legal_moves() if move.piece != PILLAR]
        assert keeps_pillar(state) == (state.pillars_left(state.turn) == 1 and turn < earliest)
        moves, priors = drawn.priors(state, np.zeros(len(HOLDS) * drawn.side**2, np.float32), 10_000, None, True)
        placed = [moves[at] for at in range(len(moves))]
        assert set(placed) == set(tiles or state.legal_moves())
        assert priors.sum() == pytest.approx(1, abs=1e-4)
        (found,) = NetworkEvaluator(Network(weights), 0.0)([state])
        assert found.moves is not None
        if keeps_pillar(state) and tiles:
            kept += 1
            assert all(found.moves[at].piece != PILLAR for at in range(len(found.moves)))
    assert (kept > 0) == (earliest > 0)


@every_table
def test_a_kind_of_table_may_have_a_network_of_its_own(edition: str, seats: int) -> None:
    """Whoever asks need not know of it; its policy is made narrower, and another file is taken as it is."""
    states = along(edition, seats, 2)[:4]
    given = canvas(states[0].board).observe(states)
    own = OWN_NETWORKS.get((edition, seats))
    policy, *others = Network()(*given)
    bare, *same = Network(Path(engine_set.__file__).with_name(own.file if own else "weights.onnx"))(*given)
    np.testing.assert_allclose(policy * (own.policy_temperature if own else 1), bare, rtol=1e-5, atol=1e-5)
    for one, other in zip(others, same, strict=True):
        np.testing.assert_array_equal(one, other)
    assert (own is not None) == (edition == "classic" and seats > 2)


def test_noise_is_less_among_many_seats_where_a_level_says_so() -> None:
    many, two = (EvaluationNoise(0.5, 2.0, 1, crowd=0.5) for _ in range(2))
    nothing = np.zeros(50, np.float32)
    np.testing.assert_allclose(2 * many.win(nothing, 3), two.win(nothing, 2), rtol=1e-5)
    np.testing.assert_allclose(2 * many.logits(nothing, 4), two.logits(nothing, 2), rtol=1e-5)


def test_how_long_a_pillar_is_kept_back_can_be_tried_out() -> None:
    for state in along("classic", 4, 3):
        turn, third = len(state.sides[state.turn].placed) + 1, state.pillars_left(state.turn) == 1
        assert keeps_pillar(state, 7) == (third and turn < 7)
        assert not keeps_pillar(state, 0)


def test_a_pillar_that_is_kept_back_is_looked_at_when_somebody_asks(weights: Path) -> None:
    state = next(state for state in along("classic", 3, 5) if keeps_pillar(state))
    pillar = next(move for move in state.legal_moves() if move.piece == PILLAR)
    player = NetworkPlayer("any", GAME, Random(1), Skill(40), weights)
    asked = player.think(state.view(state.turn), budget=Budget(consider=str(pillar)))
    assert pillar in [candidate.move for candidate in asked.candidates]
    assert pillar not in [candidate.move for candidate in player.think(state.view(state.turn)).candidates]


@every_table
def test_priors_are_shares_among_legal_moves(edition: str, seats: int) -> None:
    random = np.random.default_rng(1)
    for state in along(edition, seats, 5)[::3]:
        drawn, moves = canvas(state.board), state.legal_moves()
        policy = random.normal(size=len(HOLDS) * drawn.side**2).astype(np.float32)
        where = dict(zip(drawn.number.tolist(), drawn.at.tolist(), strict=True))
        weights = {move: np.exp(policy[where[move.number]]) for move in moves}
        ranked, priors = drawn.priors(state, policy, 10_000)
        assert len(ranked) == len(priors) == len(moves)
        for at, prior in enumerate(priors):
            assert prior == pytest.approx(weights[ranked[at]] / sum(weights.values()), rel=1e-4)
        assert {ranked[at] for at in range(len(ranked))} == set(moves)
        assert (np.diff(priors) <= 0).all()
        some, few = drawn.priors(state, policy, 5)
        assert [some[at] for at in range(len(some))] == [ranked[at] for at in range(min(5, len(moves)))]
        assert np.array_equal(few, priors[:5])
        _, even = drawn.priors(state, policy, 10_000, np.zeros_like)
        assert even == pytest.approx(np.full(len(moves), 1 / len(moves)), rel=1e-3)


@every_table
def test_the_network_judges_from_the_movers_seat(edition: str, seats: int, weights: Path) -> None:
    network = Network(weights)
    states = along(edition, seats, 2)[:: 2 * seats + 1]
    drawn = canvas(states[0].board)
    planes, numbers = drawn.observe(states)
    assert planes.shape == (len(states), PLANES, drawn.side, drawn.side)
    assert numbers.shape == (len(states), NUMBERS)
    _, win, margin = network(planes, numbers)
    for evaluation, state, wins, margins in zip(
        NetworkEvaluator(network, 0.2)(states), states, win, margin, strict=True
    ):
        assert evaluation.moves is not None
        assert len(evaluation.moves) == min(MAX_PRIORS, state.count_moves())
        assert len(evaluation.values) == seats
        for slot in range(seats):
            value = wins[slot] + 0.1 * np.tanh(margins[slot] / 10)
            assert evaluation.values[(state.turn + slot) % seats] == pytest.approx(value, abs=5e-3)


def test_with_a_gumbel_scale_of_1_moves_come_first_as_often_as_their_priors_say(weights: Path) -> None:
    state = along("classic", 2, 1)[0]
    (plain,) = NetworkEvaluator(Network(weights), 0.0)([state])
    assert plain.moves is not None
    assert plain.priors is not None
    evaluator = NetworkEvaluator(Network(weights), 0.0, EvaluationNoise(0.1, 1.0, seed=1))
    heard = evaluator([state] * 2000)
    first = [evaluation.moves[0] for evaluation in heard if evaluation.moves]
    for at in range(3):
        assert first.count(plain.moves[at]) / 2000 == pytest.approx(plain.priors[at], abs=0.03)
    chances = np.array([evaluation.values for evaluation in heard])
    assert chances.std(0) == pytest.approx([0.1, 0.1], rel=0.1)
    assert chances.mean(0) == pytest.approx(plain.values, abs=0.01)


def test_with_a_high_policy_temperature_priors_are_more_even(weights: Path) -> None:
    state, network = along("pocket", 2, 3)[10], Network(weights)
    (plain,), (doubtful,) = (
        NetworkEvaluator(network, 0.0, policy_temperature=policy_temperature)([state])
        for policy_temperature in (1.0, 2.0)
    )
    assert plain.moves is not None
    assert plain.priors is not None
    assert doubtful.moves is not None
    assert doubtful.priors is not None
    assert all(plain.moves[at] == doubtful.moves[at] for at in range(len(plain.moves)))
    assert plain.values == doubtful.values
    halved = np.sqrt(plain.priors / plain.priors[0])
    np.testing.assert_allclose(doubtful.priors / doubtful.priors[0], halved, rtol=1e-4)
    assert halved.min() < 0.99


def test_c10_a_finished_game_is_worth_its_places_and_a_little_margin(weights: Path) -> None:
    evaluator = NetworkEvaluator(Network(weights), 0.2)
    for starter in (0, 1):
        rest = "turn=- out=xx placed=-/-"
        tied = GAME.parse_position(f"callisto edition=classic seats=2 starter={starter} {rest}")
        values = evaluator.finish(tied)
        assert values[1 - starter] == 1
        assert values[starter] == 0
    for seed in range(10):
        (state,) = (state for _, state in random_play(CallistoState.begin("pocket", 3, 0), Random(seed)) if state.over)
        values, plain = evaluator.finish(state), outcome_of(GAME, state)
        assert np.argsort(values).tolist() == np.argsort(plain).tolist()
        assert max(abs(one - two) for one, two in zip(values, plain, strict=True)) <= 0.11


def brute(state: CallistoState, memo: dict[CallistoState, Values]) -> Values:
    """Everything looked at, the biggest tiles first."""
    if state.over:
        return outcome_of(GAME, state)
    if state not in memo:
        ordered = sorted(state.legal_moves(), key=lambda move: -move.cells.bit_count() * (move.piece != "P"))
        found = [brute(state.play(move), memo) for move in ordered]
        memo[state] = max(found, key=lambda values: values[state.turn])
    return memo[state]


@pytest.mark.parametrize(("edition", "moves"), [("pocket", 10), ("classic", 12)])
def test_the_end_of_a_duel_is_counted_out_as_if_everything_were_looked_at(edition: str, moves: int) -> None:
    counted = 0
    for seed in range(12):
        for state in endings(edition, 2, seed, moves)[:2]:
            exact = solve_moves(GAME, state, never).moves
            endgame = Endgame(state, never)
            found = endgame.moves(lambda move: True)
            assert found.exact
            assert set(found.moves) == set(state.legal_moves())
            for move, values in found.moves.items():
                assert values == pytest.approx(exact[move])
            best = Endgame(state, never).moves().moves
            top = max(values[state.turn] for values in exact.values())
            assert max(values[state.turn] for values in best.values()) == pytest.approx(top)
            counted += len(exact) > 1
    assert counted > 8


@pytest.mark.parametrize(("edition", "seats"), [("pocket", 3), ("pocket", 4), ("classic", 3)])
def test_the_end_with_more_seats_is_what_everybody_would_want(edition: str, seats: int) -> None:
    counted = 0
    for seed in range(8):
        for state in endings(edition, seats, seed, 9)[:2]:
            memo: dict[CallistoState, Values] = {}
            for move, values in Endgame(state, never).moves().moves.items():
                assert values == pytest.approx(brute(state.play(move), memo))
            counted += len(state.legal_moves()) > 1
    assert counted > 4


def test_an_endgame_that_is_stopped_says_so() -> None:
    state = along("classic", 2, 1)[-12]
    with pytest.raises(TimeUp):
        Endgame(state, lambda: True).moves()


def test_the_end_is_only_counted_out_where_it_is_near() -> None:
    states = along("classic", 2, 3)
    assert not may_be_solved(states[6])
    assert may_be_solved(states[-1])
    assert not any(map(may_be_solved, along("pocket", 2, 3)[:4])), "the first pillars leave few moves, but all to come"


@every_table
def test_a_player_with_a_network_plays_a_whole_game(edition: str, seats: int, weights: Path) -> None:
    player = NetworkPlayer(
        "champion", GAME, Random(1), Skill(6, exact=True, settings=SearchSettings(batch=3, halving=False)), weights
    )
    state, exact = CallistoState.begin(edition, seats, 0), 0
    while not state.over:
        view = state.view(state.turn)
        thought = player.think(view, (), Budget(seconds=0.4))
        assert thought.move in view.legal_moves()
        assert sum(thought.chances) == pytest.approx(1)
        assert all(0 <= candidate.value <= 1 for candidate in thought.candidates)
        exact += thought.exact
        assert thought.exact or thought.simulations <= 6
        state = state.play(thought.move)
    assert exact


def test_what_is_counted_out_is_what_happens(weights: Path) -> None:
    """Once the end is known, perfect play of both keeps the promise."""
    player = NetworkPlayer("champion", GAME, Random(1), Skill(6, exact=True), weights)
    kept = 0
    for seed in range(4):
        state: Any = next(iter(endings("pocket", 2, seed, 40)))
        promised = None
        while not state.over:
            thought = player.think(state.view(state.turn), (), Budget(seconds=60))
            assert thought.exact
            assert promised in (None, thought.chances)
            promised = thought.chances
            state = state.play(thought.move)
        assert promised == outcome_chances(state)
        kept += 1
    assert kept == 4


def outcome_chances(state: CallistoState) -> tuple[float, ...]:
    result = state.result()
    assert result is not None
    return tuple(float(place == 1) for place in result.places)


def test_a_move_to_consider_is_counted_out_too(weights: Path) -> None:
    player = NetworkPlayer("champion", GAME, Random(1), Skill(6, exact=True), weights)
    state = endings("classic", 2, 4, 30)[0]
    for move in state.legal_moves():
        thought = player.think(state.view(state.turn), (), Budget(seconds=60, consider=str(move)))
        assert thought.exact
        assert move in [candidate.move for candidate in thought.candidates]


def test_the_tree_is_kept_from_move_to_move(weights: Path) -> None:
    settings = SearchSettings(batch=4, halving=False)
    player = NetworkPlayer(
        "champion", GAME, Random(1), Skill(200, seconds=60, settings=settings, reuse_tree=True), weights
    )
    state = along("pocket", 2, 1)[6]
    first = player.think(state.view(state.turn))
    after = state.play(first.move)
    answer = first.candidates and player._last
    assert answer
    child = answer.children[first.move]
    reply = max(child.children, key=lambda move: child.children[move].visits)
    known = child.children[reply].visits
    again = player.think((later := after.play(reply)).view(later.turn), (), Budget(simulations=1))
    assert sum(candidate.visits for candidate in again.candidates) >= known
    fresh = NetworkPlayer("champion", GAME, Random(1), Skill(200, settings=settings), weights)
    assert sum(c.visits for c in fresh.think(later.view(later.turn), (), Budget(simulations=1)).candidates) == 1


def test_threads_walk_one_tree(weights: Path) -> None:
    state, evaluator = along("classic", 2, 1)[8], NetworkEvaluator(Network(weights), 0.1)
    for threads, halving in ((1, False), (2, False), (2, True), (3, True)):
        limit, settings = Limit(Budget(simulations=300), never), SearchSettings(batch=8, halving=halving)
        found = search(GAME, state, evaluator, limit, Random(1), settings, finish=evaluator.finish, threads=threads)
        nodes = [found.root]
        for node in nodes:
            nodes += node.kids
            assert not node.virtual_losses
            assert node.seat < 0 or node.visits >= sum(kid.visits for kid in node.kids)
        assert found.root.visits == found.simulations == limit.done
        assert limit.done == 300 if halving else 0 < limit.done <= 300


@pytest.mark.parametrize("name", engine_set.SKILLS)
def test_the_levels_know_every_table(name: str) -> None:
    for edition, seats in (("pocket", 3), ("classic", 4)):
        view = CallistoState.begin(edition, seats, 0).view(0)
        thought = find_player(name, GAME, Random(1)).think(view, (), Budget(simulations=8))
        assert thought.move in view.legal_moves()


def test_the_network_fills_the_board_better_than_the_greedy() -> None:
    numbers = arena.tally(arena.play_all(arena.fixtures("callisto", ["search-1", "greedy"], 6, "a", {}, 2), 1))
    assert next(row for row in numbers.rows if row.name == "search-1").points.mean > 0.8


def test_the_probe_is_told_less_in_the_form_of_the_house(tmp_path: Path) -> None:
    random, few = np.random.default_rng(1), 4
    shapes = {"sc": (32, few), "scb": (few,), "stem": (3, 3, 8, few), "cfg": (4,)}
    shapes |= {f"c{part}_{block}": (3, 3, few, few) for part in (1, 2) for block in range(2)}
    shapes |= {f"o{part}_{block}": (few,) for part in (1, 2) for block in range(2)} | {"g_1": (few, few)}
    shapes |= {"p1": (3, 3, few, few), "p1b": (few,), "p2": (1, 1, few, 40), "p2b": (40,), "v1": (1, 1, few, 32)}
    shapes |= {"v1b": (32,), "v2": (64, few), "v2b": (few,), "v3": (few, 2), "v3b": (2,)}
    gumbel_scale = {name: random.normal(size=settings).astype(np.float32) / 4 for name, settings in shapes.items()}
    gumbel_scale["cfg"] = np.array([2, few, 2, 0.3])
    onnx.save(probe_graph(gumbel_scale), tmp_path / "probe.onnx")
    states = along("classic", 2, 1)[::5]
    _, win, margin = Network(tmp_path / "probe.onnx")(*canvas(states[0].board).observe(states))
    assert win.sum(1) == pytest.approx(np.ones(len(states)))
    assert margin.sum(1) == pytest.approx(np.zeros(len(states)), abs=1e-5)
    assert not win[:, 2:].any()
    matrix, offset = numbers()
    _, table = canvas(states[0].board).observe(states)
    for state, found in zip(states, table @ matrix + offset, strict=True):
        placed = sum(len(side.placed) for side in state.sides)
        ahead = state.penalty(1 - state.turn) - state.penalty(state.turn)
        expected = [float(state.turn != state.starter), placed / 40, ahead / 10, state.free.bit_count() / 144]
        assert found[24:28] == pytest.approx(expected, abs=1e-5)


def test_two_ways_to_search_can_be_compared(weights: Path) -> None:
    texts = ["simulations=3 halving=1 exact=0", f"simulations=2 halving=0 batch=1 exact=0 weights={weights}"]
    wanted = callisto_duel.Opening(pieces=4, gumbel_scale=6.0, even=0.4)
    games = callisto_duel.play(GTP_GAMES["callisto_pocket_2"], wanted, texts, weights, 1)
    assert len(games) == 2
    assert all(won in (0, 1) for won, _ in games)
    assert all(ahead > 0 for won, ahead in games if won and ahead)
    player = callisto_duel.described("explore=2.5 margin=0.3 halving=0", weights, Random(1))
    assert player._skill.margin == 0.3
    assert player._skill.settings == SearchSettings(16, 8, halving=False, c_puct=2.5)
    for wrong in ("c_push=1", "margin=wide", "margin", "changed=1"):
        with pytest.raises(InvalidSetup, match=r"changes nothing that a player has"):
            Skill(1).changed(wrong)


def test_openings_of_a_duel_can_be_even() -> None:
    """Whoever begins is far ahead where both place well."""
    wanted = callisto_duel.Opening(pieces=6, gumbel_scale=6.0, even=0.2)
    even = callisto_duel.opening(GTP_GAMES["callisto_pocket_2"], wanted, None, Random(1))
    likely = callisto_duel.opening(
        GTP_GAMES["callisto_pocket_2"], wanted._replace(gumbel_scale=1.0, even=1.0), None, Random(1)
    )
    assert callisto_duel.far(even, None) <= 0.2 < callisto_duel.far(likely, None)
    assert sum(len(side.placed) for side in even.sides) == 6


def test_a_file_that_is_no_network(tmp_path: Path) -> None:
    (tmp_path / "words.onnx").write_text("words")
    with pytest.raises(InvalidSetup, match=r"words\.onnx is no network"):
        Network(tmp_path / "words.onnx")


def test_playing_needs_no_jax_and_little_memory(weights: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from random import Random
from sobremesa.engines import Budget
from sobremesa.games.callisto.engine import engine_set
assert not {{"numpy", "onnxruntime", "jax", "onnx"}} & set(sys.modules), "too early"
player = engine_set.make_player("champion", Random(1), Path({str(weights)!r}))
view = engine_set.GAME.start(seats=4).view(0)
player.think(view, (), Budget(seconds=60, simulations=3000))
assert not {{"jax", "onnx"}} & set(sys.modules), "not to play"
most = next(line for line in open("/proc/self/status") if line.startswith("VmHWM"))
assert int(most.split()[1]) < 300 * 1024, most
"""
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr
