"""Gymnasium's own check for every game, found by its registered name; opponents that play; moves that are forbidden."""

import warnings
from typing import Any

import gymnasium
import pytest
from gymnasium.utils.env_checker import check_env

from sobremesa import GAMES

OWN = [game for game in GAMES.values() if game.package.startswith("sobremesa.")]
ISIS = "sobremesa.envs.gym:sobremesa/isis-osiris-v1"
QUICK: dict[str, dict[str, Any]] = {"callisto": {"edition": "pocket", "opponents": "random"}}


@pytest.mark.parametrize("game", OWN, ids=lambda game: game.id)
def test_it_passes_gymnasiums_check_in_every_way_to_be_shown(game: Any) -> None:
    """Nothing is left out. What it warns of is that observations have no bounds, which is so."""
    name = f"sobremesa.envs.gym:sobremesa/{game.id}-v{game.version}"
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        check_env(gymnasium.make(name, render_mode="ansi", **QUICK.get(game.id, {})).unwrapped)
    assert not [told for told in map(str, (each.message for each in warned)) if "Box observation space" not in told]


def play(env: Any, seed: int) -> float:
    _, info = env.reset(seed=seed)
    while True:
        _, reward, over, _, info = env.step(info["action_mask"].argmax())
        if over:
            return float(reward)


def test_knister_alone_is_worth_its_points() -> None:
    env: Any = gymnasium.make("sobremesa.envs.gym:sobremesa/knister-v1").unwrapped
    reward = play(env, 3)
    assert reward == env.position.result().scores[0] / 100
    assert play(env, 3) == reward, "the same seed is the same game"


@pytest.mark.parametrize("opponents", ["greedy", ["greedy", "random"]])
def test_others_sit_in_the_other_seats(opponents: Any) -> None:
    env: Any = gymnasium.make(
        "sobremesa.envs.gym:sobremesa/isis-osiris-v1", seats=3, opponents=opponents, render_mode="ansi"
    ).unwrapped
    seats = set()
    for seed in range(6):
        assert play(env, seed) in (1, 0.25, 0, -0.5)
        seats.add(env.seat)
    assert len(seats) > 1, "the agent's seat changes if none is asked for"
    assert env.render() == env.position.view(env.seat).text()


def test_a_forbidden_move_ends_the_game_and_says_why() -> None:
    env: Any = gymnasium.make("sobremesa.envs.gym:sobremesa/knister-v1", seats=2, seat=1).unwrapped
    env.reset(seed=1)
    env.step(0)
    _, reward, over, _, info = env.step(0)
    assert (reward, over) == (-1, True)
    assert info["illegal"] == "K1: that cell is taken: written numbers stay"
