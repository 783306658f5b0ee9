"""``sobremesa bench --batch`` measures every device that JAX has."""

import json

import pytest

pytest.importorskip("jax")

from sobremesa.cli import main


@pytest.mark.usefixtures("nothing_compiled")
def test_it_prints_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--batch", "--seconds", "0.02", "--only", "knister 40"]) == 0
    about, heads, _, first, *_ = capsys.readouterr().out.splitlines()
    assert " · jax " in about
    assert heads == "| kind | device | games | a step compiles in | moves/s | masks/s | observations/s |"
    assert first.startswith("| knister 40 | cpu | 512 |")
    compiles, *rates = first.strip("| ").split(" | ")[3:]
    assert 0 < float(compiles.removesuffix(" s")) < 15
    assert all(float(rate.replace(",", "")) > 0 for rate in rates)


def test_it_prints_json(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["bench", "--batch", "--only", "none of them", "--seconds", "0.02", "--json"]) == 0
    figures = json.loads(capsys.readouterr().out)
    assert figures["jax"].startswith("jax ")
    assert figures["rows"] == []
