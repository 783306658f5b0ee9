"""Who asks, from where, in which language, and of which house."""

from typing import Annotated

from fastapi import Depends, Response
from starlette.requests import HTTPConnection

from sobremesa.core.language import LANGUAGES
from sobremesa.server import limits
from sobremesa.server.house import House
from sobremesa.server.people import COOKIE, HOST_COOKIE

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


def mark_of(connection: HTTPConnection) -> str | None:
    """What follows from the token that came along, by cookie or as a bearer token; None if there was none of ours."""
    house = house_of(connection)
    kind, _, token = connection.headers.get("authorization", "").partition(" ")
    if kind.lower() == "bearer":
        return house.tokens.person(token)
    cookies = connection.cookies
    # Who came before this server was under HTTPS, or before it had such names, still has the old one.
    return house.tokens.person(cookies.get(cookie_name(house)) or cookies.get(COOKIE))


async def known_person(connection: HTTPConnection) -> str | None:
    """Who asks; None for somebody new, and for who comes with a token that was ended."""
    return await house_of(connection).guestbook.person(mark_of(connection))


def cookie_name(house: House) -> str:
    """What the cookie is called: under HTTPS no other host can set it."""
    return HOST_COOKIE if house.settings.secure else COOKIE


def give_token(house: House, response: Response, token: str) -> str:
    """Hands somebody a token; returns what follows from it."""
    response.set_cookie(
        cookie_name(house),
        token,
        max_age=2 * YEAR,
        httponly=True,
        samesite="lax",
        secure=house.settings.secure,
        path="/",
    )
    mark = house.tokens.person(token)
    assert mark is not None
    return mark


def take_cookie(house: House, response: Response) -> None:
    """Has the browser forget its token."""
    response.delete_cookie(cookie_name(house), path="/", secure=house.settings.secure, httponly=True, samesite="lax")
    if house.settings.secure:
        response.delete_cookie(COOKIE, path="/")


async def person_of(connection: HTTPConnection, response: Response) -> str:
    """Who asks; somebody new gets a token."""
    house = house_of(connection)
    if (known := await known_person(connection)) is None:
        return give_token(house, response, house.tokens.new_token())
    old = connection.cookies.get(COOKIE)
    if house.settings.secure and old and HOST_COOKIE not in connection.cookies and house.tokens.person(old):
        give_token(house, response, old)
        response.delete_cookie(COOKIE, path="/")
    return known


TheHouse = Annotated[House, Depends(house_of)]
Person = Annotated[str, Depends(person_of)]
Network = Annotated[str, Depends(network_of)]
