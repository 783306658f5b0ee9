"""HTTP: rooms, people, the daily game, and what operators need."""

import io
import time
from collections.abc import Callable
from typing import Annotated, Any

import segno
from fastapi import APIRouter, Query, Request, Response, WebSocket
from fastapi.responses import PlainTextResponse

from sobremesa.core.errors import IllegalMove, InvalidMove
from sobremesa.games import GAMES, find_game
from sobremesa.server import messages as m
from sobremesa.server import statistics
from sobremesa.server.answers import Created, GameInfo, LobbyRoom, Me, NewName, OptionInfo, WriteDaily
from sobremesa.server.daily import DailyProof, DailyRanking, DailyReview, DailyStatus
from sobremesa.server.house import refused
from sobremesa.server.listing import listed, listed_for
from sobremesa.server.people import COOKIE
from sobremesa.server.players import computer_players
from sobremesa.server.positions import AskPosition, Position, play_on
from sobremesa.server.records import record_of
from sobremesa.server.replay import Replay, replay_json
from sobremesa.server.room import Refusal
from sobremesa.server.security import allowed_origin
from sobremesa.server.sockets import poll, serve_socket
from sobremesa.server.storage import people
from sobremesa.server.visitors import Here, Person, address_of, known_person, language_of

LONGEST_WAIT = 25.0
routes = APIRouter()


@routes.get("/api/games")
async def games(request: Request, language: m.Language | None = None) -> list[GameInfo]:
    """The games, how their tables can be set, and who can sit down as a computer player."""
    players = computer_players(language or language_of(request))
    return [
        GameInfo(
            id=game.id,
            name=game.name,
            designer=game.designer,
            version=game.version,
            options=[OptionInfo(name=o.name, default=o.default, choices=list(o.choices)) for o in game.options],
            players=players,
            phrases=list(m.PHRASES),
            low_wins=game.low_wins,
            even_starts=game.even_starts,
            has_chance=game.has_chance,
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
    return [listed(row) for row in await house.store.lobby()]


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


@routes.post("/api/rooms/{room}/judge")
async def judge(house: Here, room: str, asked: m.AskJudge, person: Person, request: Request) -> m.Judgement:
    """Whether one's own seat could make a move now, and if not, which rule is against it. Nothing is done."""
    live = await house.room(room)
    return _judged(lambda: live.room.check_move(asked.seat, asked.move, person), request)


@routes.post("/api/positions")
async def positions(asked: AskPosition) -> Position:
    """Plays on from a position, or from the start, without a room: makes a move, lets chance have its turn, looks."""
    return play_on(asked)


@routes.post("/api/positions/judge")
async def judge_position(asked: AskPosition, request: Request) -> m.Judgement:
    """Whether a move is possible in a position, and if not, which rule is against it."""
    return _judged(lambda: play_on(asked), request)


@routes.get("/api/rooms/{room}/games/{number}/replay", response_model=Replay)
async def show_replay(house: Here, room: str, number: int, memory: bool = False) -> Response:
    """A finished game moment by moment; with ``memory`` the values of tiles that lie face down are shown."""
    found = await record_of(house.store, room, number)
    return Response(await replay_json(found, memory), media_type="application/json")


@routes.post("/api/rooms/{room}/hurry", status_code=204)
async def hurry(house: Here, room: str, person: Person) -> None:
    """Has the computer that thinks in a room play now, with what it has found so far."""
    live = await house.room(room)
    if not live.room.seats_of(person):
        raise Refusal("forbidden", "only people at the table can hurry a computer")
    house.hub.thinking.hurry(live.room.id)


@routes.get("/api/rooms/{room}/games/{number}/record", responses={200: {"content": {"application/json": {}}}})
async def record(house: Here, room: str, number: int) -> Response:
    """The record of a finished game, for ``sobremesa verify``."""
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
    live = house.hub.rooms
    rows = await house.store.rooms_of(person)
    rooms = [listed_for(row, person, live[row["id"]].room if row["id"] in live else None) for row in rows]
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


def _judged(attempt: Callable[[], object], request: Request) -> m.Judgement:
    """Whether the rules let an attempt through; anything else that is wrong with it is an error as ever."""
    try:
        attempt()
    except (IllegalMove, InvalidMove) as error:
        why = refused(error, language_of(request))
        return m.Judgement(legal=False, text=why.text, rule=why.rule)
    return m.Judgement(legal=True, text=None, rule=None)
