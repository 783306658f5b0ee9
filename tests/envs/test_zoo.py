"""PettingZoo's own conformance tests, for every game; and that what agents see is what seats may see."""

import copy
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

from sobremesa import GAMES
from sobremesa.core import IllegalMove, InvalidSetup
from sobremesa.envs import zoo

TABLES: list[tuple[str, dict[str, Any]]] = [
    ("callisto", {"edition": "pocket", "seats": 3}),
    ("isis-osiris", {"seats": 2}),
    ("knister", {"seats": 2}),
    ("knister", {"seats": 1}),
]


@pytest.fixture(autouse=True)
def _conformance_tests_may_warn() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_it_keeps_the_api_seat_by_seat(game: str, options: dict[str, Any]) -> None:
    api_test(zoo.aec(game, **options), num_cycles=40)
    seed_test(lambda: zoo.aec(game, **options), num_cycles=20)
    render_test(lambda render_mode: zoo.aec(game, render_mode, **options), {"svg": lambda shown: "<svg" in shown})


def test_every_game_of_the_house_is_tried() -> None:
    assert {game for game, _ in TABLES} >= {id for id, game in GAMES.items() if game.package.startswith("sobremesa.")}


def test_it_keeps_the_api_all_at_once() -> None:
    parallel_api_test(zoo.parallel("knister", seats=3), num_cycles=60)
    parallel_seed_test(lambda: zoo.parallel("knister", seats=3), num_cycles=20)
    with pytest.raises(InvalidSetup, match="take aec"):
        zoo.parallel("callisto")


def play(env: Any, seed: int) -> tuple[list[int], dict[str, float]]:
    """A game of moves that are drawn from the masks: the moves, and the rewards at the end."""
    env.reset(seed=seed)
    random, moves, rewards = np.random.default_rng(seed), [], {}
    for agent in env.agent_iter():
        seen, reward, over, _, _ = env.last()
        if over:
            rewards[agent] = reward
            env.step(None)
            continue
        moves.append(int(random.choice(np.flatnonzero(seen["action_mask"]))))
        env.step(moves[-1])
    return moves, rewards


@pytest.mark.parametrize(("game", "options"), TABLES[:3], ids=str)
def test_whole_games_end_with_rewards_that_add_up_to_nothing(game: str, options: dict[str, Any]) -> None:
    env = zoo.aec(game, **options)
    _, rewards = play(env, 4)
    assert len(rewards) == options["seats"]
    assert sum(rewards.values()) == pytest.approx(0)
    result = env.position.result()
    assert result is not None
    assert all((rewards[f"seat_{seat}"] > 0) == (seat in result.winners) for seat in range(options["seats"]))


@pytest.mark.parametrize(("game", "options"), TABLES, ids=str)
def test_a_copy_goes_its_own_way(game: str, options: dict[str, Any]) -> None:
    env = zoo.aec(game, **options)
    env.reset(seed=1)
    other = copy.deepcopy(env)
    before = env.position
    agent = env.agent_selection
    move = int(np.flatnonzero(env.observe(agent)["action_mask"])[0])
    other.step(move)
    assert env.position is before
    env.step(move)
    assert env.position == other.position, "both have the same chance before them"


def test_one_sees_nothing_of_what_others_write_in_the_same_round() -> None:
    env = zoo.aec("knister", seats=2)
    env.reset(seed=1)
    seen = env.observe("seat_1")["observation"]
    env.step(3)
    assert (env.observe("seat_1")["observation"] == seen).all()


def test_an_illegal_move_is_told_by_its_rule() -> None:
    env = zoo.aec("callisto", edition="pocket")
    env.reset(seed=1)
    with pytest.raises(IllegalMove, match="C"):
        env.step(env.encoding.actions - 1)


def test_without_features_of_its_own_a_view_is_laid_out_in_a_row() -> None:
    from dataclasses import replace

    from sobremesa.envs.encoding import Encoding

    for id, options in (("knister", {"seats": 2}), ("isis-osiris", {})):
        bare = Encoding(replace(GAMES[id], features=None), dict(options))
        env = zoo.SeatBySeat(bare)
        sizes = set()
        env.reset(seed=2)
        for _ in range(30):
            seen = env.observe(env.agent_selection)
            sizes.add(seen["observation"].shape)
            env.step(int(np.flatnonzero(seen["action_mask"])[0]))
        assert sizes == {(bare.observation_size,)}
