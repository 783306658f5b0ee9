"""Games on the machines of a Ray cluster: each is a task, and one whose worker is lost is played again elsewhere.

A game depends on its fixture alone, so it comes out the same wherever it is played, and however often.
"""

from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from socket import create_connection
from typing import Any, TypeVar

from sobremesa import __version__
from sobremesa.core.errors import InvalidSetup, SobremesaError

T = TypeVar("T")
R = TypeVar("R")
MAX_RETRIES = 5
"""How often a task is tried again after its worker or its whole node was lost."""
CONNECTION_TIMEOUT = 10.0
"""The seconds that a cluster has to answer at its address."""


def on_ray(address: str, work: Callable[[bytes, T], R], packed: bytes, todo: Sequence[T]) -> Iterator[tuple[int, R]]:
    """Does ``work(packed, one)`` for each on a cluster, and yields its number and the result as soon as it is there.

    Without an address Ray takes the cluster that it finds, or starts one of this machine alone.
    """
    try:
        ray = import_module("ray")
    except ImportError:
        raise SobremesaError("engines.error.games-on-a-cluster-need-ray") from None
    joined = not ray.is_initialized()
    if joined:
        try:
            _knock(address)
            ray.init(address=address or None, log_to_driver=False, logging_level="error")
        except (OSError, RuntimeError, ValueError) as error:
            raise SobremesaError("engines.error.no-ray-cluster-there", address=address, why=str(error)) from None
    try:
        task, shared = ray.remote(max_retries=MAX_RETRIES)(_there), ray.put(packed)
        waiting = {task.remote(__version__, work, shared, one): index for index, one in enumerate(todo)}
        while waiting:
            (ready,), _ = ray.wait(list(waiting), num_returns=1)
            try:
                done = ray.get(ready)
            except ray.exceptions.RayTaskError as error:
                raise getattr(error, "cause", error) from None
            except ray.exceptions.RayError as error:
                raise SobremesaError("engines.error.workers-are-lost-again-and-again", why=str(error)) from None
            yield waiting.pop(ready), done
    finally:
        if joined:
            ray.shutdown()


def _knock(address: str) -> None:
    """Raises OSError if nobody listens at an address; Ray by itself would try for minutes."""
    host, _, port = address.removeprefix("ray://").rpartition(":")
    if host and port.isdigit():
        create_connection((host, int(port)), CONNECTION_TIMEOUT).close()


def _there(version: str, work: Callable[[bytes, Any], R], packed: bytes, one: Any) -> R:
    if version != __version__:
        raise InvalidSetup("engines.error.another-version-on-the-cluster", here=version, there=__version__)
    return work(packed, one)
