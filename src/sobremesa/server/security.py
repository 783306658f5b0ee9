"""What keeps pages apart: origins, headers, and the size of what is sent."""

import ipaddress
from collections.abc import Mapping
from urllib.parse import urlsplit

from starlette.requests import HTTPConnection
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from sobremesa.rooms.errors import Refusal
from sobremesa.server.house import refused
from sobremesa.server.settings import Settings
from sobremesa.server.visitors import language_of

CONTENT_POLICY = (
    "default-src 'self'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src 'self'; "
    "object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'; "
    "require-trusted-types-for 'script'; trusted-types svelte-trusted-html sobremesa"
)
LOCAL_NAMES = (".localhost", ".local", ".home.arpa", ".internal")
"""Endings of names that no public name server knows: nobody can point them at us from outside."""

MAX_HEADER_BYTES = 16 * 1024
"""Bytes in a request's address and headers."""


def secure_headers(settings: Settings) -> dict[str, str]:
    """Headers that every answer has."""
    headers = {
        "Content-Security-Policy": CONTENT_POLICY,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "same-origin",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), microphone=(), geolocation=()",
        "Cache-Control": "no-store",
    }
    if settings.secure:
        headers["Strict-Transport-Security"] = "max-age=31536000"
    return headers


def allowed_host(headers: Mapping[str, str], settings: Settings) -> bool:
    """Whether a request is meant for us, by the name that it was sent to.

    A page of somebody else's whose name is pointed at our address (DNS rebinding) has its own name. An address in
    numbers is nobody's name, and names without a dot or with a local ending are given by who runs the network.
    """
    try:
        name = urlsplit(f"//{headers.get('host', '')}").hostname or ""
    except ValueError:
        return False
    if name in settings.hosts or name in (urlsplit(origin).hostname for origin in settings.origins):
        return True
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return bool(name) and ("." not in name.rstrip(".") or name.endswith(LOCAL_NAMES))
    return True


def allowed_origin(connection: HTTPConnection, settings: Settings) -> bool:
    """Whether a request comes from our own page, or from no page at all (a program)."""
    origin = connection.headers.get("origin")
    if origin is None:
        return True
    secure = settings.secure or connection.scope.get("scheme") in ("https", "wss")
    try:
        asked = urlsplit(origin)
    except ValueError:
        return False
    ours = asked.netloc == connection.headers.get("host") and asked.scheme == ("https" if secure else "http")
    return ours or origin in settings.origins


class BodyLimit:
    """Refuses headers that are too large, bodies before and while they are read, and lengths that contradict."""

    def __init__(self, app: ASGIApp, limit: int) -> None:
        self._app = app
        self._limit = limit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Counts what comes in."""
        if scope["type"] == "lifespan":
            await self._app(scope, receive, send)
            return
        asked = len(scope.get("raw_path") or b"") + len(scope["query_string"])
        if asked + sum(len(name) + len(value) for name, value in scope["headers"]) > MAX_HEADER_BYTES:
            if scope["type"] == "http":
                await self._refuse(scope, receive, send, 431)
            else:
                await send({"type": "websocket.close", "code": 1009})
            return
        if scope["type"] == "websocket":
            await self._app(scope, receive, send)
            return
        headers = dict(scope["headers"])
        if b"content-length" in headers and b"transfer-encoding" in headers:
            # What one reads as a body, a proxy in front may have read as a request of somebody else's (smuggling).
            await self._refuse(scope, receive, send, 400, "server.error.the-request-tells-two-lengths")
            return
        length = headers.get(b"content-length", b"0")
        if not length.isdigit() or int(length) > self._limit:
            await self._refuse(scope, receive, send)
            return
        got = 0
        too_long = started = False

        async def counted() -> Message:
            nonlocal got, too_long
            message = await receive()
            got += len(message.get("body", b""))
            if got > self._limit:
                too_long = True
                return {"type": "http.disconnect"}
            return message

        async def answer(message: Message) -> None:
            nonlocal started
            if started or not too_long:
                started = True
                await send(message)

        await self._app(scope, counted, answer)
        if too_long and not started:
            await self._refuse(scope, receive, send)

    async def _refuse(
        self,
        scope: Scope,
        receive: Receive,
        send: Send,
        status: int = 413,
        why: str = "server.error.the-message-is-too-long",
    ) -> None:
        """Says why, and closes: where the next request would begin is not to be trusted."""
        refusal = refused(Refusal("malformed", why), language_of(HTTPConnection(scope)))
        headers = {"Connection": "close"}
        await JSONResponse(refusal.model_dump(mode="json"), status, headers)(scope, receive, send)
