"""HTTP: rooms, people, the daily game, and what operators need."""

import io
import time
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Query, Request, Response, WebSocket
from fastapi.responses import HTMLResponse, PlainTextResponse

from sobremesa.engines import PLAYERS
from sobremesa.games import GAMES, find_game
from sobremesa.server import messages as m
from sobremesa.server import statistics
from sobremesa.server.answers import Created, GameInfo, LobbyRoom, Me, NewName, OptionInfo, WriteDaily
from sobremesa.server.daily import DailyProof, DailyRanking, DailyReview, DailyStatus
from sobremesa.server.people import COOKIE
from sobremesa.server.records import record_of
from sobremesa.server.room import Refusal
from sobremesa.server.security import allowed_origin
from sobremesa.server.sockets import poll, serve_socket
from sobremesa.server.storage import people
from sobremesa.server.visitors import Here, Person, address_of, known_person

LONGEST_WAIT = 25.0
routes = APIRouter()


@routes.get("/api/games")
async def games() -> list[GameInfo]:
    """The games, how their tables can be set, and who can sit down as a computer player."""
    return [
        GameInfo(
            id=game.id,
            name=game.name,
            designer=game.designer,
            version=game.version,
            options=[OptionInfo(name=o.name, default=o.default, choices=list(o.choices)) for o in game.options],
            players=list(PLAYERS),
            phrases=list(m.PHRASES),
            low_wins=game.low_wins,
            even_starts=game.even_starts,
        )
        for game in GAMES.values()
    ]


@routes.post("/api/rooms", status_code=201)
async def create_room(house: Here, setup: m.NewRoom, person: Person) -> Created:
    """Opens a room; it is private unless ``public`` says otherwise."""
    live = await house.open_room(setup, person)
    return Created(room=live.room.id, version=live.room.version, path=f"/r/{live.room.id}")


@routes.get("/api/rooms")
async def lobby(house: Here) -> list[LobbyRoom]:
    """Public rooms, the liveliest first."""
    return [_listed(row) for row in await house.store.lobby()]


@routes.get("/api/rooms/{room}")
async def look(house: Here, room: str, person: Person) -> m.Update:
    """Where a room stands, for whoever asks."""
    live = await house.room(room)
    return await poll(house, live, person, None, 0)


@routes.get("/api/rooms/{room}/updates")
async def updates(
    house: Here,
    room: str,
    person: Person,
    version: int | None = None,
    wait: Annotated[float, Query(allow_inf_nan=False)] = LONGEST_WAIT,
) -> m.Update:
    """The next update after a version: long polling, where sockets are blocked."""
    live = await house.room(room)
    return await poll(house, live, person, version, min(max(wait, 0), LONGEST_WAIT))


@routes.post("/api/rooms/{room}/commands")
async def command(house: Here, room: str, command: m.AnyCommand, person: Person) -> m.Accepted:
    """Does a command: the same messages as on the socket. The answer comes when it is on disk."""
    began = time.perf_counter()
    accepted = await house.do(await house.room(room), command, person)
    house.metrics.acknowledged(time.perf_counter() - began)
    return accepted


@routes.get("/api/rooms/{room}/games/{number}/record", responses={200: {"content": {"application/json": {}}}})
async def record(house: Here, room: str, number: int) -> Response:
    """The record of a finished game, for ``sobremesa verify``."""
    await house.room(room)
    found = await record_of(house.store, room, number)
    name = f"sobremesa-{found.game}-{number}.json"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(found.dumps(), media_type="application/json", headers=headers)


@routes.get("/api/rooms/{room}/qr.svg", responses={200: {"content": {"image/svg+xml": {}}}})
async def qr(house: Here, room: str, request: Request) -> Response:
    """The invitation as a QR code; it holds the room's address and nothing else."""
    live = await house.room(room)
    try:
        code = segno.make(f"{str(request.base_url).rstrip('/')}/r/{live.room.id}", error="m")
    except segno.DataOverflowError:  # the address begins as the request's Host says
        raise Refusal("malformed", "the message is too long") from None
    picture = io.BytesIO()
    code.save(picture, kind="svg", scale=8, dark="#23252B", light="#FFFDF8", xmldecl=False)
    return Response(picture.getvalue(), media_type="image/svg+xml")


@routes.websocket("/api/rooms/{room}/socket")
async def open_socket(house: Here, socket: WebSocket, room: str) -> None:
    """The conversation about a room; see the messages' schema."""
    if not allowed_origin(socket.headers, house.settings):
        await socket.close(4403)
    elif (person := known_person(socket)) is None:
        await socket.close(4401)
    else:
        with house.doors.admit(person, address_of(socket)) as admitted:
            if admitted:
                await serve_socket(house, socket, room, person, address_of(socket))
            else:
                await socket.close(4429)


@routes.get("/api/me")
async def me(house: Here, person: Person) -> Me:
    """Who you are here: your name, games, results, ratings, and rooms to go on with."""
    rooms = [_listed(row) for row in await house.store.rooms_of(person)]
    return Me(statistics=await statistics.person_statistics(house.store, person), rooms=rooms)


@routes.put("/api/me")
async def rename(house: Here, new: NewName, person: Person) -> Me:
    """Gives yourself a name."""
    await house.store.put(
        people, ["id"], {"id": person, "name": new.name, "created_at": time.time()}, keep=["created_at"]
    )
    return await me(house, person)


@routes.get("/api/me/export")
async def export(house: Here, person: Person) -> dict[str, Any]:
    """Everything that is stored about you."""
    return await statistics.export_person(house.store, person)


@routes.delete("/api/me", status_code=204)
async def forget(house: Here, person: Person, response: Response) -> None:
    """Removes everything that is stored about you; games that others played too remain without your name."""
    await house.forget(person)
    response.delete_cookie(COOKIE, path="/")


@routes.get("/api/leaderboard/{game}")
async def leaderboard(house: Here, game: str) -> statistics.Leaderboard:
    """The best ratings in a game."""
    return await statistics.leaderboard(house.store, find_game(game).id)


@routes.get("/api/daily")
async def daily(house: Here, person: Person) -> DailyStatus:
    """Today's Knister: one set of rolls for everybody, one try."""
    return await house.daily.status(person)


@routes.post("/api/daily")
async def write_daily(house: Here, command: WriteDaily, person: Person) -> DailyStatus:
    """Writes the current roll into a cell."""
    return await house.daily.write(person, command.name, command.round, command.cell, command.date)


@routes.get("/api/daily/{date}/ranking")
async def daily_ranking(house: Here, date: str, person: Person) -> DailyRanking:
    """Who has finished, and how well."""
    return await house.daily.ranking(date, person)


@routes.get("/api/daily/{date}/review")
async def daily_review(house: Here, date: str, person: Person) -> DailyReview:
    """Your sheet against the strongest engine's, for who has finished."""
    return await house.daily.review(person, date)


@routes.get("/api/daily/{date}/proof")
async def daily_proof(house: Here, date: str) -> DailyProof:
    """The secret of a day that is over."""
    return await house.daily.proof(date)


@routes.get("/healthz", response_class=PlainTextResponse)
async def alive() -> str:
    """The process answers."""
    return "ok"


@routes.get("/readyz", response_class=PlainTextResponse)
async def ready(house: Here, response: Response) -> str:
    """The database answers, and the server is not about to stop."""
    try:
        if not house.hub.closing and await house.store.ready():
            return "ok"
    except Exception:
        pass
    response.status_code = 503
    return "not ready"


@routes.get("/metrics", include_in_schema=False)
async def show_metrics(house: Here) -> Response:
    """Figures for Prometheus."""
    body, kind = house.metrics.render()
    return Response(body, media_type=kind)


@routes.get("/", response_class=HTMLResponse, include_in_schema=False)
@routes.get("/r/{room}", response_class=HTMLResponse, include_in_schema=False)
async def page(room: str | None = None) -> str:
    """The page."""
    return PAGE


def _listed(row: Any) -> LobbyRoom:
    keys = ("id", "game", "public", "playing", "seated", "open", "changed_at")
    return LobbyRoom(**{key: row[key] for key in keys})


PAGE = """<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>Sobremesa</title>
<h1>Sobremesa</h1>
<p>The server is running. It speaks HTTP and WebSocket as described in <a href="/api/openapi.json">OpenAPI</a>;
the page to play on is not part of this version. In the terminal: <code>sobremesa play knister</code>.</p>
</html>
"""
