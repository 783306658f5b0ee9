"""Enough for everybody: token buckets per network and per person, thinking time, and a limit on connections."""

import ipaddress
import time
from collections import Counter, OrderedDict
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from sobremesa.server.engine_pool import Account

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


def network_of(address: str) -> str:
    """What counts as one client: an IPv4 address, or the /64 that somebody with IPv6 has to themselves."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address
    if isinstance(parsed, ipaddress.IPv4Address):
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.IPv6Network((parsed, 64), strict=False))


def is_loopback(address: str) -> bool:
    """Whether somebody asks from this very machine."""
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False


class ThinkingTime:
    """Seconds that computer players may think: for a network, for a person, in a room."""

    def __init__(self, network: TokenBuckets, person: TokenBuckets, room: TokenBuckets) -> None:
        self._network = network
        self._person = person
        self._room = room

    def allows(self, account: Account, room: str) -> bool:
        """Whether there is any left."""
        buckets = ((self._network, account.network), (self._person, account.person), (self._room, room))
        return all(bucket.allows(key, 0) for bucket, key in buckets)

    def charge(self, account: Account, room: str, seconds: float) -> None:
        """Takes what was thought."""
        self._network.charge(account.network, seconds)
        self._person.charge(account.person, seconds)
        self._room.charge(room, seconds)


def unlimited_thinking() -> ThinkingTime:
    """For servers of one's own, and for tests."""
    return ThinkingTime(*(TokenBuckets(1e9, 10**9) for _ in range(3)))


class ConnectionLimits:
    """Counts open connections, by person and by network, and lets no more in than each may have."""

    def __init__(self, of_person: int, of_network: int) -> None:
        self._of_person = of_person
        self._of_network = of_network
        self._people: Counter[str] = Counter()
        self._networks: Counter[str] = Counter()

    @property
    def open(self) -> int:
        """How many connections there are."""
        return self._people.total()

    @contextmanager
    def admit(self, person: str, network: str) -> Iterator[bool]:
        """Lets somebody in for a while, if there is room; says whether there is."""
        if self._people[person] >= self._of_person or self._networks[network] >= self._of_network:
            yield False
            return
        self._people[person] += 1
        self._networks[network] += 1
        try:
            yield True
        finally:
            for counter, key in ((self._people, person), (self._networks, network)):
                counter[key] -= 1
                if not counter[key]:
                    del counter[key]
