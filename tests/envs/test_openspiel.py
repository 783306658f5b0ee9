"""OpenSpiel: its own random test, a playthrough, information states, MCTS, and CFR on a tiny table."""

import collections
import re
from typing import Any

import numpy as np
import pyspiel
import pytest
from open_spiel.python.algorithms import cfr, exploitability, external_sampling_mccfr, generate_playthrough, mcts

from sobremesa import GAMES, parse_position
from sobremesa.envs import openspiel

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("sobremesa_callisto", {"edition": "pocket", "seats": 2}),
    ("sobremesa_isis_osiris", {"seats": 3, "variant": "common"}),
    ("sobremesa_knister", {"seats": 2}),
    ("sobremesa_knister", {}),
]
TINY = (
    "isis-osiris edition=2x2 seats=2 variant=own memory_aid=off starter=0 turn=0 turned=- tiles=1,2 cells=+2./..",
    "isis-osiris edition=2x2 seats=2 variant=own memory_aid=off starter=0 turn=0 turned=- tiles=2,2 cells=../..",
)


def tiny(position: str) -> Any:
    return pyspiel.load_game("sobremesa_isis_osiris", {"position": position})


@pytest.mark.parametrize(("name", "options"), TABLES, ids=str)
def test_it_passes_openspiels_random_test(name: str, options: dict[str, Any]) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name, options), num_sims=2, serialize=True, verbose=False)


@pytest.mark.parametrize("name", sorted({name for name, _ in TABLES}))
def test_a_playthrough_is_generated_and_comes_out_the_same_when_it_is_played_again(name: str) -> None:
    text = generate_playthrough.playthrough(name, None, seed=1)
    assert "IsTerminal() = True" in text
    actions = [int(number) for number in re.findall(r"^action: (\d+)$", text, re.M)]
    assert generate_playthrough.playthrough(name, actions) == text


@pytest.mark.parametrize("position", TINY)
def test_a_position_to_begin_with_survives_serialization(position: str) -> None:
    game = tiny(position)
    pyspiel.random_sim_test(game, num_sims=3, serialize=True, verbose=False)
    assert game.new_initial_state().position == parse_position(position)
    assert pyspiel.load_game(str(game)).new_initial_state().position == parse_position(position)


def test_every_game_is_registered() -> None:
    names = {f"sobremesa_{id.replace('-', '_')}" for id in GAMES}
    assert names <= set(pyspiel.registered_names())


def test_information_states_agree_exactly_where_views_and_own_moves_do() -> None:
    """Over the whole tree of a tiny game."""
    texts: dict[Any, set[str]] = collections.defaultdict(set)
    keys: dict[str, set[Any]] = collections.defaultdict(set)

    def visit(state: Any, seen: tuple[Any, ...]) -> None:
        for seat in range(2):
            text, key = state.information_state_string(seat), (seat, seen[seat])
            texts[key].add(text)
            keys[text].add(key)
        for action in state.legal_actions():
            mover, after = state.current_player(), state.child(action)

            def remembered(seat: int, mover: int = mover, after: Any = after, action: int = action) -> tuple[Any, ...]:
                view: Any = after.position.view(seat)
                memory: tuple[Any, ...] = seen[seat]
                if seat == mover:
                    return (*memory, action, view)
                return memory if memory[-1] == view else (*memory, view)

            visit(after, (remembered(0), remembered(1)))

    state = tiny(TINY[0]).new_initial_state()
    visit(state, tuple((state.position.view(seat),) for seat in range(2)))
    assert len(keys) > 100
    assert all(len(found) == 1 for found in (*texts.values(), *keys.values()))


def test_what_others_write_in_the_same_round_is_in_no_information_state() -> None:
    states = []
    for cell in (3, 20):
        state = pyspiel.load_game("sobremesa_knister", {"seats": 2}).new_initial_state()
        state.apply_action(state.legal_actions()[0])
        state.apply_action(cell)
        states.append(state.information_state_string(1))
    assert states[0] == states[1]


def test_actions_are_called_what_they_are() -> None:
    state = pyspiel.load_game("sobremesa_knister").new_initial_state()
    outcomes = state.chance_outcomes()
    assert sum(likely for _, likely in outcomes) == pytest.approx(1)
    assert state.action_to_string(outcomes[5][0]) == "~7"
    state.apply_action(outcomes[5][0])
    assert state.action_to_string(12) == "c3"
    state.apply_action(12)
    assert "............7............" in str(state)


def test_openspiels_mcts_plays() -> None:
    random = np.random.RandomState(1)
    for name in ("sobremesa_callisto", "sobremesa_isis_osiris"):
        game = pyspiel.load_game(name)
        bot = mcts.MCTSBot(game, 1.4, 4, mcts.RandomRolloutEvaluator(1, random), random_state=random)
        state = game.new_initial_state()
        assert bot.step(state) in state.legal_actions()


def test_openspiels_cfr_learns_a_tiny_table() -> None:
    game = tiny(TINY[0])
    solver = cfr.CFRPlusSolver(game)
    before = exploitability.nash_conv(game, solver.average_policy())
    for _ in range(4):
        solver.evaluate_and_update_policy()
    assert exploitability.nash_conv(game, solver.average_policy()) < before / 4
    sampling = external_sampling_mccfr.ExternalSamplingSolver(tiny(TINY[1]))
    sampling.iteration()


def test_observations_are_those_of_the_environments() -> None:
    game = pyspiel.load_game("sobremesa_isis_osiris")
    state = game.new_initial_state()
    observer = game.make_py_observer()
    observer.set_from(state, 1)
    assert (observer.tensor == game.encoding.observe(state.position.view(1))).all()
    assert observer.string_from(state, 1) == state.observation_string(1)
    assert openspiel.PREFIX == "sobremesa_"
