"""HTTP: which devices are told that it is somebody's turn."""

from typing import Annotated, Literal

from fastapi import APIRouter, Request
from pydantic import Field

from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.messages import Language, Message
from sobremesa.server.visitors import Network, Person, TheHouse, mark_of
from sobremesa.server.web_push import read_subscription

push_routes = APIRouter(prefix="/api/me/devices/push")
Endpoint = Annotated[str, Field(min_length=10, max_length=1000, pattern="^https?://[\\x21-\\x7e]+$")]
"""The address of a device at its push service."""
Key = Annotated[str, Field(min_length=16, max_length=120, pattern="^[A-Za-z0-9_-]+=*$")]


class PushKey(Message):
    """What a browser needs to make a device's address that only this house can send to."""

    key: str
    """The public key of this house (VAPID), as base64url."""


class PushDevice(Message):
    """A device that is to be told, as its browser describes it (``PushSubscription``)."""

    endpoint: Endpoint
    """Where the browser's push service takes messages for it."""
    p256dh: Key
    """Its public key, in base64url."""
    auth: Key
    """Its authentication secret, in base64url."""
    language: Language
    """Of what it is told."""


class PushAddress(Message):
    """One of one's own devices."""

    endpoint: Endpoint
    """Where the browser's push service takes messages for it."""


class PushTried(Message):
    """What became of a message that was sent to try."""

    outcome: Literal["sent", "gone", "later", "refused"]
    """``sent``: the push service has taken it; ``gone``: the device wants no more; ``later``: the service asks to
    wait or is away; ``refused``: it will not have it."""


@push_routes.get("")
async def push_key(house: TheHouse) -> PushKey:
    """The key of this house."""
    return PushKey(key=(await house.notifier.key()).public)


@push_routes.put("", status_code=204)
async def add_push_device(
    house: TheHouse, asked: PushDevice, person: Person, network: Network, request: Request
) -> None:
    """Has a device told when it is your turn; once more with the same address changes its keys and language."""
    if not house.push_services.knows(asked.endpoint):
        raise Refusal("forbidden", "server.error.this-server-does-not-know-the-push-service")
    known = any(device.endpoint == asked.endpoint for device in await house.devices.of(person))
    if not known and not house.new_devices.allows(network):
        raise Refusal("busy", "server.error.slow-down-a-little", retry_after=60)
    try:
        to = read_subscription(asked.endpoint, asked.p256dh, asked.auth)
    except ValueError:
        raise Refusal("malformed", "server.error.that-is-no-device-that-could-be-told") from None
    await house.devices.add(person, mark_of(request), to, asked.language)


@push_routes.post("/end", status_code=204)
async def end_push_device(house: TheHouse, asked: PushAddress, person: Person) -> None:
    """Has a device of yours told no more."""
    await house.devices.remove(person, asked.endpoint)


@push_routes.post("/try")
async def try_push_device(house: TheHouse, asked: PushAddress, person: Person) -> PushTried:
    """Sends a message to a device of yours, to try."""
    return PushTried(outcome=(await house.notifier.try_out(person, asked.endpoint)).kind)
