"""Games of other packages, which declare no features: their views are laid out in a row."""

import sys
import warnings
from collections.abc import Iterator
from pathlib import Path

import pyspiel
import pytest
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, parallel_api_test

from sobremesa.core.game import Game
from sobremesa.envs import gym, openspiel, zoo

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(params=["sobremesa_reversi", "sobremesa_duel"])
def guest(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[Game]:
    for folder in ("examples/sobremesa-reversi/src", "tests/guests/duel"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield __import__(request.param).GAME
    sys.modules.pop(request.param, None)


def test_a_guest_keeps_every_interface(guest: Game) -> None:
    assert guest.features is None
    api_test(zoo.aec(guest), num_cycles=30)
    check_env(gym.OneSeat(guest, opponents="random"), skip_render_check=True)
    if guest.id == "duel":
        parallel_api_test(zoo.parallel(guest, seats=3), num_cycles=30)
    openspiel._register(guest)
    pyspiel.random_sim_test(pyspiel.load_game(f"sobremesa_{guest.id}"), num_sims=1, serialize=False, verbose=False)
