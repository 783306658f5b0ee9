"""HTTP for reviews, and for what there is to say about a position."""

from typing import Annotated

from fastapi import APIRouter, Path, Response

from sobremesa.server.addresses import Number, RoomId
from sobremesa.server.attendance import Visitor
from sobremesa.server.study import AskAnalysis, PositionAnalysis, Review, ReviewProgress
from sobremesa.server.visitors import Network, Person, TheHouse

study_routes = APIRouter()


@study_routes.get("/api/rooms/{room}/games/{number}/review", responses={202: {"model": ReviewProgress}})
async def review(
    house: TheHouse,
    room: RoomId,
    number: Annotated[Number, Path(ge=1, lt=2**31)],
    person: Person,
    network: Network,
    response: Response,
) -> Review | ReviewProgress:
    """A finished game looked over by the strongest player; while it is being worked on, how far that is (202)."""
    found = await house.study.review(await house.room(room), number, Visitor(person, network))
    if isinstance(found, ReviewProgress):
        response.status_code = 202
    return found


@study_routes.post("/api/positions/analysis")
async def analyse(house: TheHouse, asked: AskAnalysis, person: Person, network: Network) -> PositionAnalysis:
    """What the strongest player would do in a position; it is told only what the seat may know."""
    return await house.study.analyse(asked, Visitor(person, network))
