"""When to stop thinking: so much time, so many simulations, or somebody who cannot wait."""

from time import perf_counter

from sobremesa.engines.player import Budget, Stop

UNLIMITED = 1 << 60
"""More simulations than anybody will make."""


class Limit:
    """Counts simulations and watches the clock. A level's own limits hold where the budget says nothing."""

    def __init__(
        self, budget: Budget, stop: Stop, simulations: int | None = None, seconds: float | None = None
    ) -> None:
        self.began = perf_counter()
        self.simulations = budget.simulations if budget.simulations is not None else simulations
        seconds = budget.seconds if budget.seconds is not None else seconds
        self._until = None if seconds is None else self.began + seconds
        self._stop = stop
        self.done = 0

    @property
    def seconds(self) -> float:
        """How long it has taken so far."""
        return perf_counter() - self.began

    @property
    def left(self) -> int:
        """How many simulations may still be made, as far as they are counted."""
        return UNLIMITED if self.simulations is None else max(0, self.simulations - self.done)

    @property
    def progress(self) -> float:
        """How much of it is over, from 0 to 1; 0 as long as there is no limit."""
        counted = self.done / self.simulations if self.simulations else 0.0
        timed = (
            self.seconds / (self._until - self.began) if self._until is not None and self._until > self.began else 0.0
        )
        return min(1.0, max(counted, timed))

    @property
    def expected(self) -> float:
        """How many simulations may still come, if they go on as fast as they went so far."""
        if self._until is None or not self.done:
            return self.left
        now = perf_counter()
        return min(self.left, self.done / (now - self.began) * max(0.0, self._until - now))

    def over(self) -> bool:
        """Whether it is time to move."""
        return not self.left or self.hurried()

    def hurried(self) -> bool:
        """Whether the time is up or somebody says stop, however many simulations are left."""
        return (self._until is not None and perf_counter() >= self._until) or self._stop()
