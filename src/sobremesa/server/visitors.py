"""Who asks, from where, in which language, and of which house."""

from typing import Annotated

from fastapi import Depends, Response
from starlette.requests import HTTPConnection

from sobremesa.core.language import LANGUAGES
from sobremesa.server import limits
from sobremesa.server.house import House
from sobremesa.server.people import COOKIE

YEAR = 365 * 24 * 3600


def house_of(connection: HTTPConnection) -> House:
    """The house that a request has come to."""
    house: House = connection.app.state.house
    return house


def network_of(connection: HTTPConnection) -> str:
    """Where a request comes from: all of a network count as one."""
    return limits.network_of(connection.client.host) if connection.client else "?"


def language_of(connection: HTTPConnection) -> str:
    """The language in which somebody wants to be told."""
    asked = [part.strip()[:2].lower() for part in connection.headers.get("accept-language", "").split(",")]
    return next((code for code in asked if code in LANGUAGES), "en")


def known_person(connection: HTTPConnection) -> str | None:
    """Who asks, by cookie or by bearer token; None for somebody new."""
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    return house_of(connection).tokens.person(token if kind.lower() == "bearer" else connection.cookies.get(COOKIE))


def person_of(connection: HTTPConnection, response: Response) -> str:
    """Who asks; somebody new gets a token."""
    known = known_person(connection)
    if known is not None:
        return known
    house = house_of(connection)
    token = house.tokens.new_token()
    response.set_cookie(
        COOKIE, token, max_age=2 * YEAR, httponly=True, samesite="lax", secure=house.settings.secure, path="/"
    )
    person = house.tokens.person(token)
    assert person is not None
    return person


TheHouse = Annotated[House, Depends(house_of)]
Person = Annotated[str, Depends(person_of)]
Network = Annotated[str, Depends(network_of)]
