"""Another wall clock for a process than the machine's, which a test sets while it runs (libfaketime; Debian has it)."""

import os
import sys
from pathlib import Path

import pytest

LIBRARY = next(Path("/usr/lib").glob("*/faketime/libfaketime.so.1"), None)


class WallClock:
    """What one process takes for the time of day. Its monotonic clock runs as ever."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self.set(0)

    @property
    def program(self) -> list[str]:
        """Sobremesa with this clock."""
        told = {
            "LD_PRELOAD": LIBRARY,
            "FAKETIME_TIMESTAMP_FILE": self._file,
            "FAKETIME_CACHE_DURATION": 1,
            "FAKETIME_DONT_FAKE_MONOTONIC": 1,
        }
        return ["env", *(f"{name}={value}" for name, value in told.items()), sys.executable, "-m", "sobremesa"]

    def set(self, seconds: float) -> None:
        """So many seconds ahead of the machine's clock; the process sees it within a second."""
        self._file.write_text(f"{seconds:+.0f}s\n")


def wall_clock(file: Path) -> WallClock:
    """A clock for a test, which is skipped where the library is missing, unless it is CI that runs it."""
    if LIBRARY is None:
        (pytest.fail if os.environ.get("CI") else pytest.skip)("libfaketime is not installed")
    return WallClock(file)
