"""The network in int8: as fast as it says, and near what it was."""

from pathlib import Path

import pytest

from sobremesa.games.callisto.engine.gtp import GTP_GAMES
from sobremesa.games.callisto.engine.network import Network
from sobremesa.games.callisto.tools import int8
from sobremesa.training.quantise import quantise

from .networks import random_network


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("GAMES", "SIMULATIONS"):
        monkeypatch.setattr(int8, name, 2)
    monkeypatch.setattr(int8, "BATCHES", (2,))


def test_the_network_in_int8(tmp_path: Path, few: None) -> None:
    whole, small = random_network(tmp_path / "fp32.onnx", rounds=2), tmp_path / "int8.onnx"
    network = Network(whole)
    states = {name: int8.played(GTP_GAMES[name], network, 1) for name in ("callisto_pocket", "callisto_2")}
    assert all(states.values())
    assert quantise(whole, small, int8.batches(states), int8.inside) == 5
    for played in states.values():
        assert int8.compared(network, network, played) == (0, 0, 1)
        off = int8.compared(network, Network(small), played)
        assert 0 < off.win < 0.05
        assert 0 < off.divergence < 0.05
        assert off.same > 0.5
        assert int8.speed(Network(small), played, 2) > 0
        assert int8.walked(small, played[0], 2) > 0
