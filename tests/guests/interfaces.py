"""A program: a game of another package, found by its entry point, in the field's interfaces and their own checks.

Its views are laid out in a row, since it declares no features. ``python interfaces.py GAME``
"""

import sys
import warnings

import gymnasium
import pyspiel
from gymnasium.utils.env_checker import check_env
from open_spiel.python.algorithms.generate_playthrough import playthrough
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test

import sobremesa.envs.gym
import sobremesa.envs.openspiel  # noqa: F401
from sobremesa import GAMES
from sobremesa.envs import zoo


def check(game: str, together: bool) -> None:
    """Everything that the field checks; raises where something is wrong."""
    assert GAMES[game].features is None
    api_test(zoo.aec(game), num_cycles=30)
    seed_test(lambda: zoo.aec(game), num_cycles=20)
    render_test(lambda render_mode: zoo.aec(game, render_mode), {"svg": lambda shown: "<svg" in shown})
    if together:
        parallel_api_test(zoo.parallel(game, seats=3), num_cycles=30)
        parallel_seed_test(lambda: zoo.parallel(game, seats=3), num_cycles=20)
    name = f"sobremesa/{game}-v{GAMES[game].version}"
    check_env(gymnasium.make(name, render_mode="ansi", opponents="random").unwrapped)
    spiel = pyspiel.load_game(f"sobremesa_{game}")
    pyspiel.random_sim_test(spiel, num_sims=2, serialize=True, verbose=False)
    assert "IsTerminal() = True" in playthrough(f"sobremesa_{game}", None, seed=1)


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    check(sys.argv[1], together=sys.argv[2:] == ["--together"])
