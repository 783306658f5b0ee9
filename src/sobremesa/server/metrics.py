"""Figures for Prometheus. Labels say what kind of thing happened, never to whom or where: no ids, no tokens."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from prometheus_client import CollectorRegistry, Counter, GCCollector, Histogram, PlatformCollector, ProcessCollector
from prometheus_client import start_http_server as start_http_server
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily, Metric
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4, generate_latest
from prometheus_client.registry import Collector

if TYPE_CHECKING:
    from sobremesa.server.house import House

METHODS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
OTHER = "other"
"""For a method or a route that is not ours: a client can invent as many as it likes."""
BUCKETS_IN_SECONDS = (0.002, 0.005, 0.01, 0.02, 0.035, 0.05, 0.075, 0.1, 0.15, 0.25, 0.5, 1, 2.5, 5, 10)

LAG_SECONDS = (0.001, 0.002, 0.003, 0.005, 0.0075, 0.01, 0.015, 0.02, 0.035, 0.05, 0.1, 0.2, 0.5, 1)


class Metrics:
    """What one server has done so far, and what it is doing now."""

    def __init__(self, house: "House") -> None:
        self._registry = CollectorRegistry()
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=self._registry)
        self._registry.register(_HouseCollector(house))
        self._requests = Counter(
            "sobremesa_http_requests",
            "HTTP requests answered.",
            ("method", "route", "status"),
            registry=self._registry,
        )
        self._request_seconds = Histogram(
            "sobremesa_http_request_seconds",
            "Time to answer an HTTP request; long polling waits on purpose.",
            ("method", "route"),
            buckets=BUCKETS_IN_SECONDS,
            registry=self._registry,
        )
        self._command_seconds = Histogram(
            "sobremesa_command_seconds",
            "Time from reading a command until it is on disk and acknowledged.",
            buckets=BUCKETS_IN_SECONDS,
            registry=self._registry,
        )

        self._loop_lag = Histogram(
            "sobremesa_loop_lag_seconds",
            "How late the event loop does what is due: everybody waits for as long.",
            buckets=LAG_SECONDS,
            registry=self._registry,
        )

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an HTTP request. ``route`` is the template, as in ``/api/rooms/{room}``, not what was asked for."""
        method = method if method in METHODS else OTHER
        route = route if route.startswith("/") else OTHER
        self._requests.labels(method, route, f"{status // 100}xx").inc()
        self._request_seconds.labels(method, route).observe(seconds)

    def acknowledged(self, seconds: float) -> None:
        """Counts a command that was done."""
        self._command_seconds.observe(seconds)

    def loop_lag(self, seconds: float) -> None:
        """Counts how late the event loop did something that was due."""
        self._loop_lag.observe(seconds)

    def serve(self, host: str, port: int) -> Callable[[], None]:
        """Tells the figures on a port of their own, in a thread of its own; what is returned ends that."""
        server, thread = start_http_server(port, host, self._registry)

        def stop() -> None:
            server.shutdown()
            server.server_close()
            thread.join()

        return stop

    def render(self) -> tuple[bytes, str]:
        """The page for Prometheus, and its content type."""
        return generate_latest(self._registry), CONTENT_TYPE_PLAIN_0_0_4


class _HouseCollector(Collector):
    """Reads the figures that the house keeps anyway, at the moment when somebody asks."""

    def __init__(self, house: "House") -> None:
        self._house = house

    def collect(self) -> Iterator[Metric]:
        """All figures of the house."""
        hub, pool = self._house.hub, self._house.pool
        yield GaugeMetricFamily("sobremesa_rooms", "Rooms in memory.", len(hub.rooms))
        yield GaugeMetricFamily("sobremesa_sockets", "Open sockets.", self._house.connections.open)
        yield CounterMetricFamily("sobremesa_moves", "Moves written down, of people and computers.", hub.moves)
        yield CounterMetricFamily("sobremesa_commits", "Transactions of the event log.", self._house.store.commits)
        now = GaugeMetricFamily("sobremesa_thinking", "Moves that computer players work on.", labels=["state"])
        now.add_metric(["waiting"], pool.waiting)
        now.add_metric(["running"], pool.running)
        yield now
        so_far = CounterMetricFamily("sobremesa_thoughts", "Moves that computer players chose.", labels=["outcome"])
        so_far.add_metric(["done"], pool.done)
        so_far.add_metric(["failed"], pool.failed)
        yield so_far
