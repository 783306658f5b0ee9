"""The AlphaZero example does what it says: in a moment with tiny settings, and at length as it comes."""

import importlib.util
import re
import runpy
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
    weights = alphazero.train(moves=1, games=8, simulations=2, seed=1)
    assert any((a != b).any() for a, b in zip(jax.tree.leaves(before), jax.tree.leaves(weights), strict=True))
    assert 0 <= alphazero.against_greedy(weights, 2, 1, 2) <= 1


@pytest.mark.at_length
@pytest.mark.parametrize("seed", [1, 2])
def test_as_it_comes_it_beats_greedy(
    seed: int, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """By more than chance would give it in 400 games; without learning it loses."""
    monkeypatch.setattr("sys.argv", [str(EXAMPLE), "--seed", str(seed)])
    runpy.run_path(str(EXAMPLE), run_name="__main__")
    *_, line = capsys.readouterr().out.splitlines()
    found = re.fullmatch(r"first places against greedy: ([\d.]+)% of 400", line)
    assert found, line
    assert float(found[1]) > 50 + 100 * 0.5 / 400**0.5
