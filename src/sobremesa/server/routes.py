"""HTTP: rooms, people, and what operators need."""

import io
import time
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Query, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse
from starlette.exceptions import HTTPException

from sobremesa.games import find_game
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.positions import AskPosition, Position, check_on, play_on
from sobremesa.rooms.replays import Replay
from sobremesa.server import renaming, statistics
from sobremesa.server.addresses import GameId, Number, RoomId
from sobremesa.server.answers import ClaimDevice, Created, Device, LobbyRoom, Me, NewName, RenewToken
from sobremesa.server.attendance import Visitor
from sobremesa.server.guestbook import PAIRING_SECONDS
from sobremesa.server.house import checked, explained
from sobremesa.server.limits import is_loopback
from sobremesa.server.listing import LISTED_FOR, listed, listed_for
from sobremesa.server.records import record_of
from sobremesa.server.replay import replay_json
from sobremesa.server.security import allowed_host, allowed_origin
from sobremesa.server.sockets import poll, serve_socket
from sobremesa.server.visitors import (
    Network,
    Person,
    TheHouse,
    give_token,
    known_person,
    language_of,
    mark_of,
    network_of,
    take_cookie,
)

MAX_WAIT = 25.0
"""Seconds that a request for updates may wait."""
Memory = Annotated[bool, Query(description="Whether values of tiles that lie face down are shown.")]
routes = APIRouter()


@routes.post("/api/rooms", status_code=201)
async def create_room(house: TheHouse, asked: m.CreateRoom, person: Person, network: Network) -> Created:
    """Opens a room; it is private unless ``public`` says otherwise. The same id again gives the same room."""
    room = (await house.open_room(asked.setup, person, network, asked.id)).room
    return Created(room=room.id, version=room.version, path=f"/r/{room.id}")


@routes.get("/api/rooms")
async def lobby(house: TheHouse) -> list[LobbyRoom]:
    """Public rooms, the liveliest first."""
    since = house.clock.time() - LISTED_FOR
    return [listed(row) for row in await house.store.lobby(since)]


@routes.get("/api/rooms/{room}", response_model=m.Update)
async def look(house: TheHouse, room: RoomId, person: Person, network: Network) -> Response:
    """Where a room stands, for whoever asks."""
    return _json(await poll(house, await house.visit(room, person, network), Visitor(person, network), None, 0))


@routes.get("/api/rooms/{room}/updates", response_model=m.Update)
async def updates(
    house: TheHouse,
    room: RoomId,
    person: Person,
    network: Network,
    version: Annotated[int | None, Query(description="The version that is known; without one, now.")] = None,
    wait: Annotated[float, Query(allow_inf_nan=False, description="Seconds to wait at most.")] = MAX_WAIT,
) -> Response:
    """A snapshot of the room as soon as it has another version: long polling, where sockets are blocked."""
    opened = await house.visit(room, person, network)
    return _json(await poll(house, opened, Visitor(person, network), version, min(max(wait, 0), MAX_WAIT)))


@routes.post("/api/rooms/{room}/commands")
async def command(
    house: TheHouse, room: RoomId, command: m.AnyCommand, person: Person, network: Network, request: Request
) -> m.Answer:
    """Does a command, or answers a question: the same messages as on the socket. The answer means it is on disk."""
    began = time.perf_counter()
    opened = await house.visit(room, person, network)
    answer = await house.do(opened, command, Visitor(person, network), language_of(request))
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
    return checked("", language_of(request), lambda: check_on(asked))


@routes.get("/api/rooms/{room}/games/{number}/replay", response_model=Replay)
async def show_replay(house: TheHouse, room: RoomId, number: Number, memory: Memory = False) -> Response:
    """A finished game moment by moment; with ``memory`` the values of tiles that lie face down are shown."""
    found = await record_of(house.store, room, number)
    return Response(await replay_json(found, number, memory), media_type="application/json")


@routes.get("/api/rooms/{room}/games/{number}/record", responses={200: {"content": {"application/json": {}}}})
async def record(house: TheHouse, room: RoomId, number: Number) -> Response:
    """The record of a finished game, for ``sobremesa verify``."""
    found = await record_of(house.store, room, number)
    name = f"sobremesa-{found.game}-{number}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found.dumps(), media_type="application/json", headers=headers)


@routes.get("/api/rooms/{room}/qr.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def qr(house: TheHouse, room: RoomId, request: Request) -> Response:
    """The invitation as a QR code; it holds the room's address and nothing else."""
    await house.room(room)
    try:
        code = segno.make(f"{str(request.base_url).rstrip('/')}/r/{room}", error="m")
    except segno.DataOverflowError:  # the address begins as the request's Host says
        raise Refusal("malformed", "server.error.the-message-is-too-long") from None
    picture = io.BytesIO()
    code.save(picture, kind="svg", scale=8, dark="#23252B", light="#FFFDF8", xmldecl=False)
    return Response(picture.getvalue(), media_type="image/svg+xml")


@routes.websocket("/api/rooms/{room}/socket")
async def open_socket(house: TheHouse, socket: WebSocket, room: str) -> None:
    """The conversation about a room; see the messages' schema."""
    if not allowed_host(socket.headers, house.settings) or not allowed_origin(socket, house.settings):
        await socket.close(4403)
        return
    try:
        person = await known_person(socket)
    except Exception as error:
        explained(error)
        await socket.close(1013)
        return
    if person is None:
        await socket.close(4401)
    else:
        with house.connections.admit(person, network_of(socket)) as admitted:
            if admitted:
                await serve_socket(house, socket, room, Visitor(person, network_of(socket)), mark_of(socket))
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
    """Gives yourself a name, at the tables where you sit, too: but for those where it looks like somebody else's."""
    await renaming.rename(house, person, new.name)
    return await me(house, person)


@routes.get("/api/me/export")
async def export(house: TheHouse, person: Person) -> dict[str, Any]:
    """Everything that is stored about you."""
    return await statistics.export_person(house.store, person)


@routes.delete("/api/me", status_code=204)
async def forget(house: TheHouse, person: Person, response: Response) -> None:
    """Removes everything that is stored about you; games that others played too remain without your name."""
    await house.forget(person)
    take_cookie(house, response)


@routes.post("/api/me/renew", status_code=204)
async def renew(house: TheHouse, asked: RenewToken, person: Person, request: Request, response: Response) -> None:
    """Ends the token that came along, or all of yours, and gives a new one."""
    if (mark := mark_of(request)) is not None:
        if asked.everywhere:
            await house.guestbook.end_all(person)
            await house.devices.end(person, but=mark)
        else:
            await house.guestbook.end(mark)
    new = give_token(house, response, house.tokens.new_token())
    await house.guestbook.add(new, person)
    if mark is not None:
        await house.devices.renew(mark, new)


@routes.post("/api/me/devices", status_code=201)
async def add_device(house: TheHouse, person: Person, request: Request) -> Device:
    """A code with which another device becomes you."""
    path = f"/me#device={await house.guestbook.make_code(person)}"
    code = segno.make(f"{str(request.base_url).rstrip('/')}{path}", error="m")
    picture = code.svg_data_uri(scale=8, dark="#23252B", light="#FFFDF8")
    return Device(path=path, qr=picture, seconds=PAIRING_SECONDS)


@routes.post("/api/me/devices/claim", status_code=204)
async def claim_device(house: TheHouse, asked: ClaimDevice, response: Response) -> None:
    """Makes this device the person who made the code."""
    person = await house.guestbook.take_code(asked.code)
    await house.guestbook.add(give_token(house, response, house.tokens.new_token()), person)


@routes.get("/api/leaderboard/{game}")
async def leaderboard(house: TheHouse, game: GameId) -> statistics.Leaderboard:
    """The best ratings in a game."""
    return await statistics.leaderboard(house.store, find_game(game).id)


@routes.get("/healthz", response_class=PlainTextResponse)
async def alive() -> str:
    """The process answers."""
    return "ok"


@routes.get("/readyz", response_class=PlainTextResponse)
async def ready(house: TheHouse, response: Response) -> str:
    """The database can be written, there is space, the other processes are heard, and it is not about to stop."""
    if not (unwell := await house.unwell()):
        return "ok"
    response.status_code = 503
    return f"not ready: {', '.join(unwell)}"


@routes.get("/metrics", include_in_schema=False)
async def show_metrics(house: TheHouse, request: Request) -> Response:
    """Figures for Prometheus, for who asks on this very machine; or nobody, if they have a port of their own."""
    if house.settings.metrics is not None or not is_loopback(request.client.host if request.client else ""):
        raise HTTPException(404)
    body, kind = house.metrics.render()
    return Response(body, media_type=kind)


def _json(text: str) -> Response:
    return Response(text, media_type="application/json")
