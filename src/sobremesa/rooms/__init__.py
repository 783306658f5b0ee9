"""Rooms: what may happen in one, and what everybody is told of it.

Pure: no asyncio, no SQL, no HTTP, no clock (time is an argument). It runs on a server and in a browser's Python alike;
besides the standard library it needs pydantic.
"""

from sobremesa.rooms.draft import Transition
from sobremesa.rooms.errors import Reason, Refusal
from sobremesa.rooms.room import Room

__all__ = ["Reason", "Refusal", "Room", "Transition"]
