"""Sets a table for a picture or a test: opens rooms and plays in them over HTTP, as the person whose page it is."""

from random import Random
from typing import Any
from uuid import uuid4

from playwright.sync_api import APIResponse, Page

Json = dict[str, Any]


def open_room(page: Page, game: str, *seats: str, **setup: Any) -> str:
    """Opens a room; seats are ``me``, ``open`` or the name of a computer player."""
    plans = [{"kind": seat} if seat in ("me", "open") else {"kind": "engine", "player": seat} for seat in seats]
    return str(_answer(page.request.post("/api/rooms", data={"game": game, "seats": plans} | setup))["room"])


def send_command(page: Page, room: str, kind: str, **command: Any) -> None:
    """Does a command in a room: ``send_command(page, room, "phrase", phrase="hello")``."""
    body = {"type": kind, "id": uuid4().hex} | command
    _answer(page.request.post(f"/api/rooms/{room}/commands", data=body))


def play(page: Page, room: str, moves: int | None = None, seed: int = 1) -> Json:
    """Plays one's own seats at random, so many moves or to the end; returns the room as it stands then."""
    random = Random(seed)
    made = 0
    update = look(page, room)
    while update["room"]["playing"]:
        turns = [(int(seat), legal) for seat, legal in update["legal"].items() if legal]
        if turns and made == moves:
            break
        if turns:
            seat, legal = turns[0]
            send_command(page, room, "move", seat=seat, version=update["version"], move=random.choice(legal))
            made += 1
            update = look(page, room)
        else:
            update = _answer(page.request.get(f"/api/rooms/{room}/updates?version={update['version']}"))
    return update


def move(page: Page, room: str, random: Random) -> None:
    """Makes one move, if it is this person's turn, and waits for nobody."""
    update = look(page, room)
    for seat, legal in update["legal"].items():
        send_command(page, room, "move", seat=int(seat), version=update["version"], move=random.choice(legal))


def look(page: Page, room: str) -> Json:
    """The room as it stands."""
    return _answer(page.request.get(f"/api/rooms/{room}"))


def _answer(response: APIResponse) -> Json:
    assert response.ok, f"{response.url}: {response.status} {response.text()}"
    answer: Json = response.json()
    return answer
