"""How a server is set up."""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Limits:
    """How much anybody may ask of the server. Rates are per second, with a burst on top."""

    requests: float = 40
    """HTTP requests and socket messages of one network (an IPv4 address, or an IPv6 /64), each second."""
    requests_burst: int = 200
    """Those of one network at once."""
    commands: float = 10
    """Commands of one person, each second."""
    commands_burst: int = 40
    """Those of one person at once."""
    rooms_an_hour: int = 120
    """Rooms that one person may open."""
    rooms_of_network_an_hour: int = 300
    """Rooms that the people of one network may open."""
    public_seats_of_network: float = 1 / 30
    """Seats at public tables that wait for their first game, which people of one network take each second, with however
    many cookies."""
    public_seats_of_network_burst: int = 4
    """Those that they take at once: a family."""
    open_rooms: int = 20_000
    """Rooms in memory; if somebody is in all of them, there is no new one."""
    sockets: int = 50
    """Sockets of one person at the same time."""
    sockets_of_network: int = 2500
    """Sockets of one network at the same time."""
    thinking: float = 0.5
    """Seconds of computer players' time for one person, and in one room, each second; beyond that they play slowly."""
    thinking_burst: int = 300
    """Those for one person, and in one room, at once."""
    thinking_of_network: float = 1.0
    """Seconds of computer players' time for one network, each second."""
    thinking_of_network_burst: int = 600
    """Those for one network at once."""
    devices: int = 10
    """Devices on which one person is told that it is their turn; of more, the oldest goes."""
    new_devices_an_hour: int = 60
    """Devices that may be added from one network."""
    pushes_an_hour: int = 60
    """Messages to the devices of one person."""
    body: int = 64 * 1024
    """Bytes in a request's body or a socket's message."""
    behind: int = 50
    """Messages that a slow reader may be behind before the socket is closed; an update can be 100 kB in memory."""


@dataclass(frozen=True)
class Timeouts:
    """How many seconds the server waits for a client before it closes the connection."""

    head: float = 10
    """For a request's first line and headers, from the connection, or from its first byte."""
    body: float = 30
    """For the whole of its body after that. The longest body there is has to come at 2 kB a second."""
    stalled: float = 20
    """For any sign that it reads, where more waits for it than the network takes; it is cut off within twice that."""


@dataclass(frozen=True)
class Settings:
    """Everything that ``sobremesa serve`` can be told."""

    database: str
    """Where it keeps everything, as SQLAlchemy names databases."""
    host: str = "127.0.0.1"
    """The address that it listens at."""
    port: int = 8765
    """The port there; 0 for any that is free."""
    redis: str | None = None
    """By which several processes are one house; None if there is one process alone."""
    origins: tuple[str, ...] = ()
    """Origins besides the server's own that pages may come from."""
    hosts: tuple[str, ...] = ()
    """Names that this server goes by, besides addresses in numbers and names of the local network."""
    metrics: tuple[str, int] | None = None
    """Where figures for Prometheus are told; None for this machine alone, on the server's own port."""
    secure: bool = False
    """Whether cookies are for HTTPS only."""
    proxies: str = "127.0.0.1"
    """Whose word on a client's address is believed."""
    pause: float = 0.6
    """Seconds that a computer player waits before it moves."""
    idle: float = 300
    """Seconds after which a room that nobody touches leaves the memory."""
    workers: int | None = None
    """Processes in which computer players think."""
    away_for: float = 60
    """Seconds after which somebody who looks at no table is told on their device what waits for them."""
    push_services: tuple[str, ...] = ()
    """Origins of push services besides those of the browsers."""
    limits: Limits = field(default_factory=Limits)
    """How much anybody may ask."""
    timeouts: Timeouts = field(default_factory=Timeouts)
    """How long it waits for clients."""


NO_LIMITS = Limits(
    requests=1e9,
    requests_burst=10**9,
    commands=1e9,
    commands_burst=10**9,
    rooms_an_hour=10**9,
    sockets=10**9,
    rooms_of_network_an_hour=10**9,
    public_seats_of_network=1e9,
    public_seats_of_network_burst=10**9,
    open_rooms=10**9,
    thinking=1e9,
    thinking_burst=10**9,
    thinking_of_network=1e9,
    thinking_of_network_burst=10**9,
    sockets_of_network=10**9,
    new_devices_an_hour=10**9,
    pushes_an_hour=10**9,
)
"""For load tests on one machine."""
