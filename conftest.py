"""What all tests share: the search path for ``kinds`` and the tools, Hypothesis' profiles, what JAX has compiled."""

import fcntl
import os
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import settings

ROOT = Path(__file__).resolve().parent
for folder in ("benchmarks", "tools", "tests"):
    if (path := str(ROOT / folder)) not in sys.path:
        sys.path.insert(0, path)

# What JAX has compiled once is not compiled again by another process, in this run or the next. It reads this early.
os.environ |= {
    "JAX_COMPILATION_CACHE_DIR": str(ROOT / "build/compiled"),
    "JAX_PERSISTENT_CACHE_MIN_COMPILE_TIME_SECS": "0",
}
# Short tests spend more time on compiling than on what is compiled; those at length do not.
if "--at-length" not in sys.argv:
    os.environ.setdefault("XLA_FLAGS", "--xla_backend_optimization_level=0 --xla_llvm_disable_expensive_passes=true")


# The same examples every time, so that nobody's check fails over somebody else's bug;
# ``pytest --hypothesis-profile=long`` looks for new ones.
settings.register_profile("usual", deadline=None, derandomize=True, max_examples=25, print_blob=True)
settings.register_profile("long", deadline=None, max_examples=2000, print_blob=True)
settings.load_profile("usual")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--at-length", action="store_true", help="what takes long, too, as make soak does")


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    if not config.getoption("--at-length"):
        left_out = [item for item in items if item.get_closest_marker("at_length")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel that this tree builds: once, whichever of the workers asks first."""
    base = tmp_path_factory.getbasetemp()
    folder = (base.parent if os.environ.get("PYTEST_XDIST_WORKER") else base) / "wheel"
    folder.mkdir(exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not list(folder.glob("*.whl")):
            build = [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", str(folder), str(ROOT)]
            subprocess.run(build, check=True, capture_output=True)
    (built,) = folder.glob("*.whl")
    return built
