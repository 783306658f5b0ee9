"""A user's program passes mypy and pyright in strict mode, and what has no sense does not."""

import subprocess
import sys
from pathlib import Path

import pytest

import sobremesa
import stub

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
MYPY = [sys.executable, "-m", "mypy", "--strict", "--no-error-summary"]
PYRIGHT = [str(ROOT / "web/node_modules/.bin/pyright"), "--pythonpath", sys.executable]
WRONG = """
import sobremesa as sm

sm.callisto.start().play(7)
sm.nothing
sm.knister.start().legal_moves(0)[0].piece
"""


def check(command: list[str], path: Path) -> "subprocess.CompletedProcess[str]":
    return subprocess.run([*command, str(path)], capture_output=True, text=True, cwd=ROOT)


@pytest.mark.parametrize("checker", [MYPY, PYRIGHT], ids=["mypy", "pyright"])
def test_a_program_is_typed_to_its_states_and_moves(checker: list[str], tmp_path: Path) -> None:
    right = HERE / ("pyrightconfig.json" if checker is PYRIGHT else "program.py")
    project = ["-p"] if checker is PYRIGHT else []
    run = check([*checker, *project], right)
    assert run.returncode == 0, run.stdout
    wrong = tmp_path / "wrong.py"
    wrong.write_text(WRONG)
    complaints = check(checker, wrong).stdout
    assert all(f"wrong.py:{line}" in complaints for line in (4, 5, 6)), complaints


def test_the_stub_is_what_there_is() -> None:
    assert stub.STUB.read_text(encoding="utf-8") == stub.stub(), "run tools/stub.py"
    assert set(sobremesa.__all__) <= set(dir(sobremesa))
    assert all(getattr(sobremesa, name) is not None for name in sobremesa.__all__)
