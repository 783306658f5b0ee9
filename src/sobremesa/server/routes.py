"""HTTP: rooms, people, and what operators need."""

import io
import time
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Query, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse

from sobremesa.games import find_game
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.positions import AskPosition, Position, play_on
from sobremesa.rooms.replays import Replay
from sobremesa.server import statistics
from sobremesa.server.answers import Created, LobbyRoom, Me, NewName
from sobremesa.server.house import checked
from sobremesa.server.listing import listed, listed_for
from sobremesa.server.people import COOKIE
from sobremesa.server.records import record_of
from sobremesa.server.replay import replay_json
from sobremesa.server.security import allowed_origin
from sobremesa.server.sockets import poll, serve_socket
from sobremesa.server.storage import people
from sobremesa.server.visitors import Person, TheHouse, address_of, known_person, language_of

MAX_WAIT = 25.0
"""Seconds that a request for updates may wait."""
routes = APIRouter()


@routes.post("/api/rooms", status_code=201)
async def create_room(house: TheHouse, setup: m.NewRoom, person: Person) -> Created:
    """Opens a room; it is private unless ``public`` says otherwise."""
    room = (await house.open_room(setup, person)).room
    return Created(room=room.id, version=room.version, path=f"/r/{room.id}")


@routes.get("/api/rooms")
async def lobby(house: TheHouse) -> list[LobbyRoom]:
    """Public rooms, the liveliest first."""
    return [listed(row) for row in await house.store.lobby()]


@routes.get("/api/rooms/{room}", response_model=m.Update)
async def look(house: TheHouse, room: str, person: Person) -> Response:
    """Where a room stands, for whoever asks."""
    return _json(await poll(house, await house.room(room), person, None, 0))


@routes.get("/api/rooms/{room}/updates", response_model=m.Update)
async def updates(
    house: TheHouse,
    room: str,
    person: Person,
    version: int | None = None,
    wait: Annotated[float, Query(allow_inf_nan=False)] = MAX_WAIT,
) -> Response:
    """A snapshot of the room as soon as it has another version: long polling, where sockets are blocked."""
    return _json(await poll(house, await house.room(room), person, version, min(max(wait, 0), MAX_WAIT)))


@routes.post("/api/rooms/{room}/commands")
async def command(house: TheHouse, room: str, command: m.AnyCommand, person: Person, request: Request) -> m.Answer:
    """Does a command, or answers a question: the same messages as on the socket. The answer means it is on disk."""
    began = time.perf_counter()
    answer = await house.do(await house.room(room), command, person, language_of(request))
    if isinstance(answer, m.Accepted) and not isinstance(command, m.Hurry):
        house.metrics.acknowledged(time.perf_counter() - began)
    return answer


@routes.post("/api/positions")
async def positions(asked: AskPosition) -> Position:
    """Plays on from a position, or from the start, without a room: makes a move, lets chance have its turn, looks."""
    return play_on(asked)


@routes.post("/api/positions/check")
async def check_position(asked: AskPosition, request: Request) -> m.Checked:
    """Whether a move is possible in a position, and if not, which rule is against it."""
    return checked("", language_of(request), lambda: play_on(asked))


@routes.get("/api/rooms/{room}/games/{number}/replay", response_model=Replay)
async def show_replay(house: TheHouse, room: str, number: int, memory: bool = False) -> Response:
    """A finished game moment by moment; with ``memory`` the values of tiles that lie face down are shown."""
    found = await record_of(house.store, room, number)
    return Response(await replay_json(found, number, memory), media_type="application/json")


@routes.get("/api/rooms/{room}/games/{number}/record", responses={200: {"content": {"application/json": {}}}})
async def record(house: TheHouse, room: str, number: int) -> Response:
    """The record of a finished game, for ``sobremesa verify``."""
    found = await record_of(house.store, room, number)
    name = f"sobremesa-{found.game}-{number}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found.dumps(), media_type="application/json", headers=headers)


@routes.get("/api/rooms/{room}/qr.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def qr(house: TheHouse, room: str, request: Request) -> Response:
    """The invitation as a QR code; it holds the room's address and nothing else."""
    await house.room(room)
    try:
        code = segno.make(f"{str(request.base_url).rstrip('/')}/r/{room}", error="m")
    except segno.DataOverflowError:  # the address begins as the request's Host says
        raise Refusal("malformed", "the message is too long") from None
    picture = io.BytesIO()
    code.save(picture, kind="svg", scale=8, dark="#23252B", light="#FFFDF8", xmldecl=False)
    return Response(picture.getvalue(), media_type="image/svg+xml")


@routes.websocket("/api/rooms/{room}/socket")
async def open_socket(house: TheHouse, socket: WebSocket, room: str) -> None:
    """The conversation about a room; see the messages' schema."""
    if not allowed_origin(socket.headers, house.settings):
        await socket.close(4403)
    elif (person := known_person(socket)) is None:
        await socket.close(4401)
    else:
        with house.connections.admit(person, address_of(socket)) as admitted:
            if admitted:
                await serve_socket(house, socket, room, person, address_of(socket))
            else:
                await socket.close(4429)


@routes.get("/api/me")
async def me(house: TheHouse, person: Person) -> Me:
    """Who you are here: your name, games, results, ratings, and rooms to go on with."""
    live = house.hub.rooms
    rows = await house.store.rooms_of(person)
    rooms = [listed_for(row, person, live[row["id"]].room if row["id"] in live else None) for row in rows]
    return Me(statistics=await statistics.person_statistics(house.store, person), rooms=rooms)


@routes.put("/api/me")
async def rename(house: TheHouse, new: NewName, person: Person) -> Me:
    """Gives yourself a name."""
    await house.store.put(
        people, ["id"], {"id": person, "name": new.name, "created_at": time.time()}, keep=["created_at"]
    )
    return await me(house, person)


@routes.get("/api/me/export")
async def export(house: TheHouse, person: Person) -> dict[str, Any]:
    """Everything that is stored about you."""
    return await statistics.export_person(house.store, person)


@routes.delete("/api/me", status_code=204)
async def forget(house: TheHouse, person: Person, response: Response) -> None:
    """Removes everything that is stored about you; games that others played too remain without your name."""
    await house.forget(person)
    response.delete_cookie(COOKIE, path="/")


@routes.get("/api/leaderboard/{game}")
async def leaderboard(house: TheHouse, game: str) -> statistics.Leaderboard:
    """The best ratings in a game."""
    return await statistics.leaderboard(house.store, find_game(game).id)


@routes.get("/healthz", response_class=PlainTextResponse)
async def alive() -> str:
    """The process answers."""
    return "ok"


@routes.get("/readyz", response_class=PlainTextResponse)
async def ready(house: TheHouse, response: Response) -> str:
    """The database answers, and the server is not about to stop."""
    try:
        if not house.hub.closing and await house.store.ready():
            return "ok"
    except Exception:
        pass
    response.status_code = 503
    return "not ready"


@routes.get("/metrics", include_in_schema=False)
async def show_metrics(house: TheHouse) -> Response:
    """Figures for Prometheus."""
    body, kind = house.metrics.render()
    return Response(body, media_type=kind)


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")
