"""Runs ``make test`` again and again on a busy machine, and tells what each run took and what others took meanwhile.

    python tools/ten_runs.py                       ten runs beside whatever else this machine does
    python tools/ten_runs.py --busy 2              with two endless loops beside them
    python tools/ten_runs.py --runs 1 --busy 0 -- make lint

Every run does everything: as in CI, no check is left out because it has passed before. What is told is a table in
Markdown, a line as soon as a run is over; what the runs print is in ``build/runs``. The first that fails is the last.
Linux only: it reads ``/proc/stat``.
"""

import argparse
import contextlib
import ctypes
import datetime
import os
import re
import resource
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "build/runs"
TICKS = os.sysconf("SC_CLK_TCK")
PR_SET_CHILD_SUBREAPER = 36
HEAD = """\
| run | began | wall | processor time | others took | load | passed | failed | skipped |
|---|---|---|---|---|---|---|---|---|"""


@dataclass(frozen=True)
class Moment:
    """What clocks and counters say."""

    wall: float
    own: float
    """Seconds of processor time of all that this program has started and that is over."""
    busy: float
    """Seconds that all cores together have worked, for whomever."""
    whole: float
    """Seconds that all cores together could have worked."""

    @classmethod
    def now(cls) -> "Moment":
        """Reads them."""
        times = [int(word) / TICKS for word in Path("/proc/stat").read_text().splitlines()[0].split()[1:9]]
        used = resource.getrusage(resource.RUSAGE_CHILDREN)
        idle = times[3] + times[4]
        return cls(time.monotonic(), used.ru_utime + used.ru_stime, sum(times) - idle, sum(times))


@dataclass(frozen=True)
class Run:
    """One run, and what it took."""

    number: int
    status: int
    before: Moment
    after: Moment
    load: float
    """Load average over five minutes when it was over."""
    output: str

    def count(self, word: str) -> int:
        """How many tests have passed, failed or were skipped, as pytest's last line has it."""
        *_, last = re.findall(r"^=*\s*(.*\d+ passed.*in [\d.]+s.*)$", self.output, re.M) or [""]
        found = re.search(rf"(\d+) {word}", last)
        return int(found[1]) if found else 0

    @property
    def others(self) -> float:
        """The share of all cores' time that other programs had meanwhile."""
        whole = self.after.whole - self.before.whole
        own = self.after.own - self.before.own
        return max(0.0, (self.after.busy - self.before.busy - own) / whole) if whole else 0.0

    def line(self, began: datetime.datetime) -> str:
        """A line of the table."""
        wall, own = self.after.wall - self.before.wall, self.after.own - self.before.own
        cells = [
            f"{self.number}{'' if self.status == 0 else ' (failed)'}",
            f"{began:%H:%M}",
            f"{int(wall) // 60}:{int(wall) % 60:02}",
            f"{own / 60:.1f} min",
            f"{self.others:.0%}",
            f"{self.load:.1f}",
            *(str(self.count(word)) for word in ("passed", "failed", "skipped")),
        ]
        return f"| {' | '.join(cells)} |"


def run(number: int, command: list[str]) -> Run:
    """Runs the command once; whatever it leaves behind when it ends is waited for, so that its time counts."""
    file = FOLDER / f"{number}.log"
    before = Moment.now()
    with file.open("w") as log:
        environment = os.environ | {"CI": "1"}
        process = subprocess.Popen(command, cwd=ROOT, stdout=log, stderr=subprocess.STDOUT, env=environment)
        status = process.wait()
    _reap()
    return Run(number, status, before, Moment.now(), os.getloadavg()[1], file.read_text(errors="replace"))


def _reap() -> None:
    """Takes note of orphans that have ended: they are ours, see ``main``."""
    with contextlib.suppress(ChildProcessError):
        while os.waitpid(-1, os.WNOHANG)[0]:
            pass


@contextlib.contextmanager
def busy(loops: int) -> Iterator[None]:
    """Programs that would take every core they are given. A process of its own has them, so they are none of ours."""
    program = f"import os\nfor _ in range({loops} - 1):\n    if not os.fork(): break\nwhile True: pass"
    keeper = subprocess.Popen([sys.executable, "-c", program], start_new_session=True) if loops else None
    try:
        yield
    finally:
        if keeper is not None:
            os.killpg(keeper.pid, 9)
            keeper.wait()


def main(arguments: list[str] | None = None) -> int:
    """Runs them all; 0 if all have passed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=10, help="how many (10)")
    parser.add_argument("--busy", type=int, default=0, help="endless loops of our own beside them (0)")
    parser.add_argument("command", nargs="*", default=["make", "test"], help="what is run (make test)")
    options = parser.parse_args(arguments)
    FOLDER.mkdir(parents=True, exist_ok=True)
    # Whoever is left by their parent becomes a child of this process, which takes note of their time.
    ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    print(HEAD, flush=True)
    with busy(options.busy):
        for number in range(1, options.runs + 1):
            began = datetime.datetime.now()
            found = run(number, options.command)
            print(found.line(began), flush=True)
            if found.status:
                print(f"Run {number} failed: {FOLDER / f'{number}.log'}", file=sys.stderr)
                return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
