"""Plays on real servers while they are killed, stopped, cut off and set to wrong times, and checks the whole history.

``python tools/faults.py --minutes 60`` is the long form of ``tests/server/test_history.py``. It starts a PostgreSQL, a
Redis and servers of its own, in a temporary folder, and touches nothing else. ``--sqlite`` takes one server on SQLite,
whose disk fills up. The same ``--seed`` gives the same schedule of faults; what the processes make of it differs.
With ``--keep FOLDER`` the servers' logs stay, and all that is known of rooms in which something was wrong.
"""

import argparse
import asyncio
import contextlib
import json
import logging
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))

from server.faults import Cluster, Tally, run
from server.postgres import new_database, postgres
from server.wall_clock import LIBRARY


async def play(folder: Path, database: str, processes: int, seed: int, seconds: float, tables: int) -> Tally:
    """One run."""
    async with Cluster(folder, database, processes, clocks=LIBRARY is not None) as cluster:
        return await run(cluster, seed, seconds, tables)


def main() -> None:
    """Runs as long as the command line says; ends with 1 if anything was seen that cannot be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=60, help="for how long (%(default)s)")
    parser.add_argument("--seed", type=int, default=1, help="of the faults and the moves (%(default)s)")
    parser.add_argument("--processes", type=int, default=3, help="servers (%(default)s)")
    parser.add_argument("--tables", type=int, default=12, help="games at once (%(default)s)")
    parser.add_argument("--sqlite", action="store_true", help="one server on SQLite instead")
    parser.add_argument("--keep", type=Path, help="a new folder for the servers' logs and whatever was wrong")
    chosen = parser.parse_args()
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(message)s")
    logging.getLogger("faults").setLevel(logging.INFO)
    if LIBRARY is None:
        print("libfaketime is not installed: clocks are left alone", file=sys.stderr)
    began = time.strftime("%Y-%m-%d %H:%M UTC", time.gmtime())
    with contextlib.ExitStack() as stack:
        folder = chosen.keep or Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="sobremesa-faults-")))
        folder.mkdir(parents=True, exist_ok=True)
        if chosen.sqlite:
            database = f"sqlite:///{folder / 'house.db'}"
        else:
            database = new_database(stack.enter_context(postgres()))
        tally = asyncio.run(play(folder, database, chosen.processes, chosen.seed, 60 * chosen.minutes, chosen.tables))
    print(json.dumps({"began": began, "processes": 1 if chosen.sqlite else chosen.processes} | vars(tally), indent=1))
    sys.exit(bool(tally.wrong))


if __name__ == "__main__":
    main()
