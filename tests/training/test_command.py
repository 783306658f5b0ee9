"""``sobremesa train``: hands everything on, and no other command knows of training."""

import subprocess
import sys

import pytest

from sobremesa import GAMES
from sobremesa.cli import main
from sobremesa.core import Game


@pytest.mark.parametrize("game", [game for game in GAMES.values() if game.training], ids=lambda game: game.id)
def test_arguments_are_handed_on(game: Game, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("jax")
    heard: list[list[str]] = []
    monkeypatch.setattr(game.training.replace(":", "."), heard.append)
    assert main(["train", game.id, "--out", "run1", "--tiny", "--lang", "x"]) == 0
    assert heard == [["--out", "run1", "--tiny", "--lang", "x"]]


@pytest.mark.parametrize("package", ["jax", "optax"])
def test_one_line_says_what_to_install(
    package: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.setenv("LC_ALL", "C.UTF-8")
    assert main(["train", "knister", "--out", "run1"]) == 1
    assert capsys.readouterr().err == "teaching a network needs JAX: pip install 'sobremesa[train]'\n"


def test_other_commands_do_without_training_and_jax() -> None:
    heavy = "('sobremesa.training', 'sobremesa.batch', 'jax', 'numpy')"
    program = f"import sobremesa.cli, sys; print([name for name in sys.modules if name.startswith({heavy})])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=60)
    assert run.stdout == "[]\n", run.stderr
