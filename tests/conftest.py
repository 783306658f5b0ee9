"""What all tests share: the search path for ``kinds`` and the tools, and Hypothesis' profiles."""

import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent.parent
for folder in ("tools", "tests"):
    if (path := str(ROOT / folder)) not in sys.path:
        sys.path.insert(0, path)

# The same examples every time, so that nobody's check fails over somebody else's bug;
# ``pytest --hypothesis-profile=long`` looks for new ones.
settings.register_profile("usual", deadline=None, derandomize=True, max_examples=100, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("usual")


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that this tree builds."""
    folder = tmp_path_factory.mktemp("wheel")
    build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
    subprocess.run(build, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built
