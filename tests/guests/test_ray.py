"""The levels of a game from a package of its own, measured on a Ray cluster: the same as on one machine."""

import json
from typing import Any

import pytest

from guests.conftest import Run

ray: Any = pytest.importorskip("ray", reason="Ray is not installed: make .venv/ray")
pytestmark = pytest.mark.at_length


def test_levels_come_out_the_same_on_ray(sobremesa: Run) -> None:
    line = ["levels", "reversi", "--games", "20", "--most", "4"]
    here, there = sobremesa(*line), sobremesa(*line, "--ray")
    assert (here.returncode, there.returncode) == (0, 0), there.stderr
    (about, *table), (about_there, *table_there) = here.stdout.splitlines(), there.stdout.splitlines()
    assert about.endswith("one used")
    assert about_there.endswith("Ray")
    assert table_there == table
    assert len(json.loads(table[-1])) == 8
