"""The AlphaZero example does what it says, with tiny settings."""

import importlib.util
from pathlib import Path
from typing import Any

import jax
import pytest

EXAMPLE = Path(__file__).resolve().parents[2] / "examples/alphazero.py"


def example() -> Any:
    spec = importlib.util.spec_from_file_location("alphazero", EXAMPLE)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_example_is_short() -> None:
    assert len(EXAMPLE.read_text().splitlines()) < 200


@pytest.mark.at_length
def test_it_learns_and_plays_against_greedy() -> None:
    alphazero = example()
    before = alphazero.new_network(jax.random.split(jax.random.key(1), 3)[1])
    weights, moves = alphazero.train(minutes=0, games=8, simulations=2, seed=1)
    assert moves == 8 * 40
    assert any((a != b).any() for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(weights), strict=True))
    assert 0 <= alphazero.against_greedy(weights, 2, 1, 2) <= 1
