"""The application: routes, limits and errors around the house."""

import contextlib
import logging
import math
import time
from collections.abc import AsyncIterator, Awaitable, Callable
from typing import Any

from fastapi import FastAPI, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException
from starlette.middleware.gzip import GZipMiddleware
from starlette.types import Receive, Scope, Send

from sobremesa import __version__
from sobremesa.core.errors import SobremesaError
from sobremesa.games import GAMES
from sobremesa.rooms import messages as m
from sobremesa.rooms.errors import Overloaded, Reason, Refusal
from sobremesa.server.catalogue import catalogue_routes
from sobremesa.server.clock import Clock
from sobremesa.server.database import is_away
from sobremesa.server.house import House, explained, refused
from sobremesa.server.matching import matching_routes
from sobremesa.server.pages import Page
from sobremesa.server.parts import part_of
from sobremesa.server.push_routes import push_routes
from sobremesa.server.routes import routes
from sobremesa.server.security import BodyLimit, allowed_host, allowed_origin, secure_headers
from sobremesa.server.settings import Settings
from sobremesa.server.sockets import malformed
from sobremesa.server.study_routes import study_routes
from sobremesa.server.visitors import language_of, network_of

log = logging.getLogger("sobremesa.app")
STATUS = {
    Reason.UNKNOWN: 404,
    Reason.FORBIDDEN: 403,
    Reason.RATED: 403,
    Reason.MALFORMED: 422,
    Reason.BUSY: 429,
    Reason.BROKEN: 500,
}
"""The HTTP status for a refusal's reason; any other reason is a conflict."""
REFUSALS: dict[int | str, dict[str, Any]] = {
    code: {"model": m.Refused} for code in (400, 403, 404, 405, 409, 413, 421, 422, 429, 431, 500, 503)
}


def create_app(settings: Settings, clock: Clock | None = None) -> FastAPI:
    """A server with these settings, and with the machine's time if no other is given."""
    house = House(settings, clock)

    @contextlib.asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        await house.open()
        try:
            yield
        finally:
            await house.close()

    app = FastAPI(
        title="Sobremesa",
        version=__version__,
        description="Rooms for " + ", ".join(game.name for game in GAMES.values()) + ".",
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
        openapi_url="/api/openapi.json",
        responses=REFUSALS,
    )
    app.state.house = house
    app.include_router(routes)
    app.include_router(study_routes)
    app.include_router(push_routes)
    app.include_router(matching_routes)
    app.include_router(catalogue_routes)
    for game in GAMES.values():
        if game.server:
            app.include_router(part_of(game).routes)
    app.state.page = Page()
    app.include_router(app.state.page.routes)
    app.add_middleware(PackedAnswers, minimum_size=1024, compresslevel=5)
    app.add_middleware(BodyLimit, limit=settings.limits.body)
    app.middleware("http")(_guard)
    for kind, handler in (
        (SobremesaError, _known_error),
        (RequestValidationError, _malformed),
        (HTTPException, _http_error),
        (Exception, _known_error),
    ):
        app.add_exception_handler(kind, handler)
    return app


class PackedAnswers(GZipMiddleware):
    """Packs long answers of the API; the page's files come packed from the build."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Lets all else pass."""
        packing = scope["type"] == "http" and scope["path"].startswith("/api/")
        await (super().__call__ if packing else self.app)(scope, receive, send)


async def _guard(request: Request, call_next: Callable[[Request], Awaitable[Response]]) -> Response:
    """Limits, the origin of anything that changes something, headers, and a count."""
    house: House = request.app.state.house
    began = time.perf_counter()
    if not _always_served(request) and not house.requests.allows(network_of(request)):
        response: Response = refusal(Refusal("busy", "server.error.slow-down-a-little", retry_after=2), request)
    elif not allowed_host(request.headers, house.settings):
        response = refusal(Refusal("forbidden", "server.error.this-server-does-not-go-by-that-name"), request, 421)
    elif request.method not in ("GET", "HEAD", "OPTIONS") and not allowed_origin(request, house.settings):
        response = refusal(Refusal("forbidden", "server.error.this-page-may-not-talk-to-this-server"), request)
    else:
        try:
            response = await call_next(request)
        except Exception as error:
            if not is_away(error):
                log.exception("a request broke")
            response = refusal(error, request)
    for name, value in secure_headers(house.settings).items():
        response.headers.setdefault(name, value)
    route = getattr(request.scope.get("route"), "path", "-")
    house.metrics.request(request.method, route, response.status_code, time.perf_counter() - began)
    return response


def _always_served(request: Request) -> bool:
    """The page's files, which cost nothing and come by the dozen, and what operators ask."""
    path = request.scope["path"]
    return path in ("/healthz", "/readyz") or path in request.app.state.page.files


async def _known_error(request: Request, error: Exception) -> Response:
    return refusal(error, request)


async def _malformed(request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    return refusal(malformed(error.errors()[0]), request)


async def _http_error(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    page: Page = request.app.state.page
    if error.status_code == 404 and page.tells(request):
        return page.shell(request, 404)
    wrong = Refusal("unknown" if error.status_code == 404 else "malformed", "server.error.there-is-nothing-here")
    response = refusal(wrong, request, error.status_code)
    response.headers.update(error.headers or {})
    return response


def refusal(error: Exception, request: Request, status: int | None = None) -> JSONResponse:
    """An error as an answer. It brings its own headers: when all else has failed, it does not pass the guard."""
    error = explained(error)
    message = refused(error, language_of(request))
    headers = secure_headers(request.app.state.house.settings)
    if message.retry_after is not None:
        headers["Retry-After"] = str(math.ceil(message.retry_after))
    if status is None:
        # Too much of one's own, or too much for the house; what is refused for another reason is a conflict.
        status = 503 if isinstance(error, Overloaded) else STATUS.get(message.reason, 409)
    return JSONResponse(message.model_dump(mode="json"), status, headers)
