"""Every tool that takes arguments says what it is for."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]
TOOLS = [
    path
    for folder in (ROOT / "tools", *(ROOT / "src/sobremesa/games").glob("*/tools"))
    for path in sorted(folder.glob("*.py"))
    if "ArgumentParser" in path.read_text(encoding="utf-8")
]


@pytest.mark.at_length
@pytest.mark.parametrize("tool", TOOLS, ids=lambda tool: str(tool.relative_to(ROOT)))
def test_a_tool_explains_itself(tool: Path, tmp_path: Path) -> None:
    done = subprocess.run([sys.executable, str(tool), "--help"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.startswith("usage: ")
    assert not list(tmp_path.iterdir()), "it only explains"
