"""Who looks at a page of ours just now, at whichever table: whoever does needs no message on their device."""

from collections import Counter, OrderedDict

from sobremesa.server.clock import Clock

PRESENCE_SECONDS = 30.0
"""Seconds for which who has asked without a socket counts as looking: as long as a request for updates may wait."""
MAX_SEEN = 50_000
"""People who are remembered for having asked."""


class Presence:
    """Counts the sockets whose page is looked at, by person, in this process."""

    def __init__(self, clock: Clock, linger: float = PRESENCE_SECONDS) -> None:
        self._clock = clock
        self._linger = linger
        self._looking: Counter[str] = Counter()
        self._seen: OrderedDict[str, float] = OrderedDict()

    def come(self, person: str) -> None:
        """Somebody looks, until they go."""
        self._looking[person] += 1

    def go(self, person: str) -> None:
        """Somebody looks no more: the socket is closed, or the page is hidden."""
        self._looking[person] -= 1
        if self._looking[person] <= 0:
            del self._looking[person]

    def see(self, person: str) -> None:
        """Somebody has asked, without a socket."""
        self._seen.pop(person, None)
        self._seen[person] = self._clock.monotonic()
        if len(self._seen) > MAX_SEEN:
            self._seen.popitem(last=False)

    def __contains__(self, person: str) -> bool:
        if person in self._looking:
            return True
        return self._clock.monotonic() - self._seen.get(person, -self._linger) < self._linger

    def everybody(self) -> set[str]:
        """All who look now."""
        limit = self._clock.monotonic() - self._linger
        while self._seen and next(iter(self._seen.values())) <= limit:
            self._seen.popitem(last=False)
        return {*self._looking, *self._seen}
