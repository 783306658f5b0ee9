"""What stands in the addresses that programs ask for, as the OpenAPI description tells it."""

from typing import Annotated

from fastapi import Path, Query

from sobremesa.rooms.messages import Language

GameId = Annotated[str, Path(description="The game's id.")]
RoomId = Annotated[str, Path(description="The room's id: the last part of its address.")]
Number = Annotated[int, Path(description="The game's number in the room, from 1.")]
InLanguage = Annotated[
    Language | None, Query(description="The language of texts; without one, the first known of ``Accept-Language``.")
]
