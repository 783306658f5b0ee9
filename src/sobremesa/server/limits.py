"""Enough for everybody: token buckets per address and per person, and a limit on connections."""

import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

MAX_BUCKETS = 50_000
"""Keys that are remembered; who has not come for longest is forgotten first, and starts with a full bucket."""


class TokenBuckets:
    """A token bucket for each key: it fills with time, up to a burst, and empties with use."""

    def __init__(self, per_second: float, burst: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._per_second = per_second
        self._burst = burst
        self._clock = clock
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def allows(self, key: str, cost: float = 1) -> bool:
        """Whether this key may do one more thing now."""
        now = self._clock()
        left, then = self._buckets.pop(key, (float(self._burst), now))
        left = min(self._burst, left + (now - then) * self._per_second)
        allowed = left >= cost
        self._buckets[key] = (left - cost if allowed else left, now)
        if len(self._buckets) > MAX_BUCKETS:
            self._buckets.popitem(last=False)
        return allowed

    def charge(self, key: str, cost: float) -> None:
        """Takes what something has cost, even if that leaves the bucket in debt."""
        self.allows(key, 0)
        left, then = self._buckets[key]
        self._buckets[key] = (left - cost, then)


class ConnectionLimits:
    """Counts open connections, by person and by address, and lets no more in than each may have."""

    def __init__(self, of_person: int, of_address: int) -> None:
        self._of_person = of_person
        self._of_address = of_address
        self._people: Counter[str] = Counter()
        self._addresses: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """How many connections there are."""
        return self._people.total()

    @contextmanager
    def admit(self, person: str, address: str) -> Iterator[bool]:
        """Lets somebody in for a while, if there is room; says whether there is."""
        if self._people[person] >= self._of_person or self._addresses[address] >= self._of_address:
            yield False
            return
        self._people[person] += 1
        self._addresses[address] += 1
        try:
            yield True
        finally:
            for counter, key in ((self._people, person), (self._addresses, address)):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
