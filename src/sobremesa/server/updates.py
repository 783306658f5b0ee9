"""What one client is told of a room. Everything about the game comes from views; nothing else of a state leaves."""

import time
from collections.abc import Mapping
from typing import Any

from sobremesa.server import messages as m
from sobremesa.server.room import Event, Room

FEW = 24
"""At tables of more seats than this, only the seats that matter to a client are told."""


def build_update(room: Room, person: str, version: int | None, here: set[str]) -> m.Update:
    """Where the room stands for a person who has a version of it, or none."""
    seats = room.seats_of(person)
    views: list[Mapping[str, Any]] = []
    legal: dict[int, list[str]] = {}
    if room.sitting is not None:
        state = room.sitting.state
        own: list[int | None] = [seat for seat in seats[:12] if seat < state.seats]
        for seat in own or [None]:
            view = state.view(seat)
            views.append(view.as_dict())
            if seat is not None and (moves := view.legal_moves()):
                legal[seat] = [str(move) for move in moves]
    missing = [event for event in room.recent if version is not None and event.version > version]
    reset = version is None or version > room.version or len(missing) < room.version - version
    return m.Update(
        version=room.version,
        reset=reset,
        events=[] if reset else [told for event in missing if (told := _told(room, event, person)) is not None],
        table=_table(room, person, seats, views, here),
        views=views,
        legal=legal,
    )


def _told(room: Room, event: Event, person: str) -> m.Happened | None:
    """An event as this person may know it. Outcomes of chance are in views only, as long as they lie open."""
    data = event.data
    happened: dict[str, Any] = {"version": event.version, "kind": event.kind, "at": event.at}
    match event.kind:
        case "moved":
            if data.get("hidden") and event.person != person:
                if len(room.chairs) > FEW:
                    return None
                return m.Happened(**happened, seat=data["seat"])
            return m.Happened(**happened, seat=data["seat"], text=data["move"])
        case "seated":
            return m.Happened(**happened, seat=data["seat"], name=data["name"])
        case "engine":
            return m.Happened(**happened, seat=data["seat"], name=data["player"])
        case "left":
            return m.Happened(**happened, seat=data["seat"])
        case "words":
            return m.Happened(**happened, seat=data["seat"], text=data["words"])
        case "promised":
            return m.Happened(**happened, number=data["number"], text=data["commitment"])
        case "begun":
            return m.Happened(**happened, number=data["number"], seat=data["starter"])
        case "said" | "phrase":
            return m.Happened(**happened, seat=data["seat"], name=data["name"], text=data["text"])
        case "ended":
            return m.Happened(**happened, number=data["number"], text=data["secret"])
        case _:
            return m.Happened(**happened)


def _table(room: Room, person: str, own: list[int], views: list[Mapping[str, Any]], here: set[str]) -> m.Table:
    count = len(room.chairs)
    shown = (
        set(range(count)) if count <= FEW else set(own) | {row["seat"] for v in views for row in v.get("standings", ())}
    )
    series = room.series
    return m.Table(
        room=room.id,
        game=room.game.id,
        language=room.setup.language,
        options=dict(room.setup.options),
        crowd=room.setup.crowd,
        public=room.public,
        chat=room.chat,
        hints=room.setup.hints,
        clock=room.setup.clock,
        games=room.setup.games,
        number=room.number,
        playing=room.playing,
        seated=count,
        seats={
            seat: m.SeatInfo(
                kind=chair.kind,  # type: ignore[arg-type]
                name=chair.name,
                yours=chair.kind == "person" and chair.person == person,
                here=chair.kind == "engine" or chair.person in here,
            )
            for seat, chair in ((seat, room.chairs[seat]) for seat in sorted(shown) if seat < count)
        },
        host=person == room.host,
        next_starter=room.next_starter,
        series=m.Standing(scores=list(series.standing.scores), places=list(series.standing.places)) if series else None,
        commitment=room.commitment,
        words={seat: words for seat, words in room.words.items() if seat in shown},
        deadline=room.deadline,
        now=time.time(),
    )
