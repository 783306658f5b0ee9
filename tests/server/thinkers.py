"""Players that do what a test says, where workers run. Each worker imports this: nothing of pytest is in it."""

import os
import signal
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from random import Random
from typing import Any

from sobremesa import GAMES
from sobremesa.core import Game, View
from sobremesa.engines import Budget, Player, Thought
from sobremesa.engines.player import DEFAULT_BUDGET, Stop, never

VIEW = GAMES["callisto"].start().view(0)


class Actor(Player):
    """Does what its name says, where workers run. The name may end in a file, to leave a mark outside."""

    def __init__(self, name: str) -> None:
        self.name, _, self._file = name.partition(" ")

    def think(
        self, view: View[Any], past: Sequence[View[Any]] = (), budget: Budget = DEFAULT_BUDGET, stop: Stop = never
    ) -> Thought:
        self._view, self._past, self._budget, self._stop = view, past, budget, stop
        return Thought(getattr(self, self.name)())

    def weigh(self) -> int:
        return len(self._view)  # type: ignore[arg-type]

    def pid(self) -> int:
        return os.getpid()

    def niceness(self) -> int:
        return os.nice(0)

    def modules(self) -> str:
        return " ".join(sys.modules)

    def doze(self) -> str:
        time.sleep(0.05)
        return "awake"

    def wait(self) -> str:
        Path(self._file).touch()
        while not self._stop():
            time.sleep(0.005)
        return "hurried"

    def remember(self) -> str:
        return f"{len(self._past)} {self._budget.simulations} {self._budget.seed}"

    def brood(self) -> None:
        Path(self._file).touch()
        while True:
            pass

    def crash(self) -> None:
        with open(self._file, "a") as file:
            file.write("crash\n")
        os.kill(os.getpid(), signal.SIGKILL)

    def crash_once(self) -> str:
        if not Path(self._file).exists():
            self.crash()
        return "better"

    def stumble(self) -> None:
        raise ArithmeticError("two and two")


def find_actor(name: str, game: Game, random: Random) -> Player:
    return Actor(name)


def find_nobody(name: str, game: Game, random: Random) -> Player:
    os._exit(3)
