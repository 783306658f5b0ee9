"""The page: what ``web/`` was built into, read once and handed out from memory."""

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from fastapi import APIRouter, Request, Response
from starlette.exceptions import HTTPException

from sobremesa.games import GAMES
from sobremesa.server.database import is_away
from sobremesa.server.visitors import person_of

FOLDER = Path(__file__).parent / "page"
ADDRESSES = (
    "/",
    "/new/{game}",
    "/r/{room}",
    "/r/{room}/screen",
    "/r/{room}/games/{number}",
    "/position/{game}",
    "/lobby",
    "/me",
    "/settings",
    "/rules/{game}",
    "/learn/{game}",
)
"""Where the page has a screen, besides the games' own; it looks at the address itself."""
MANIFEST = "/manifest.webmanifest"
KINDS = {
    ".css": "text/css; charset=utf-8",
    ".html": "text/html; charset=utf-8",
    ".js": "text/javascript; charset=utf-8",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
PACKED = {"br": ".br", "gzip": ".gz"}
"""How files come packed from the build, the smallest first."""
FOR_EVER = "public, max-age=31536000, immutable"
"""For /assets/: a file's name there changes with what is in it."""
ASK_AGAIN = "no-cache"
YOURS = "private, no-cache"
"""For the page itself, whose first answer brings somebody's cookie."""
NOT_BUILT = """<!doctype html><html lang="en"><meta charset="utf-8"><title>Sobremesa</title>
<p>The server is running, but its page has not been built: run <code>make play</code> in Sobremesa's folder.</p></html>
"""


@dataclass(frozen=True)
class File:
    """One file as it is handed out."""

    kind: str
    keeping: str
    tag: str
    bodies: Mapping[str, bytes]
    """By the encoding that they come in; the plain one is under ``identity``."""

    @classmethod
    def read(cls, path: Path, keeping: str) -> "File":
        """The file, and how it comes packed."""
        plain = path.read_bytes()
        packed = {encoding: path.with_name(path.name + ending) for encoding, ending in PACKED.items()}
        bodies = {encoding: other.read_bytes() for encoding, other in packed.items() if other.exists()}
        return cls(KINDS[path.suffix], keeping, _tag(plain), bodies | {"identity": plain})

    def with_shortcuts(self) -> "File":
        """The manifest, with a shortcut to a new table of each game that is there."""
        shortcuts = [{"name": game.name, "url": f"/new/{game.id}"} for game in GAMES.values()]
        plain = json.dumps(json.loads(self.bodies["identity"]) | {"shortcuts": shortcuts}).encode()
        return replace(self, tag=_tag(plain), bodies={"identity": plain})

    def answer(self, request: Request, status: int = 200) -> Response:
        """As the browser takes it; nothing but a nod if it has it already."""
        headers = {"Cache-Control": self.keeping, "ETag": self.tag, "Vary": "Accept-Encoding"}
        if status == 200 and self.tag in request.headers.get("if-none-match", ""):
            return Response(status_code=304, headers=headers)
        encoding = next((one for one in self.bodies if one in _taken(request)), "identity")
        if encoding != "identity":
            headers["Content-Encoding"] = encoding
        return Response(self.bodies[encoding], status, headers | {"Content-Type": self.kind})


class Page:
    """Everything that a browser loads."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self.files = {
            f"/{path.relative_to(folder).as_posix()}": File.read(path, _keeping(path.relative_to(folder)))
            for path in sorted(folder.rglob("*"))
            if path.suffix in KINDS
        }
        if manifest := self.files.get(MANIFEST):
            self.files[MANIFEST] = manifest.with_shortcuts()
        self._index = self.files.pop("/index.html", None)
        self.routes = APIRouter()
        beside = [path for path in self.files if path.count("/") == 1]
        own = [address for game in GAMES.values() for address in game.screens]
        for endpoint, addresses in ((self.show, (*ADDRESSES, *own)), (self.hand_out, ("/assets/{name}", *beside))):
            for address in addresses:
                self.routes.add_route(address, endpoint, ["GET", "HEAD"], include_in_schema=False)

    async def show(self, request: Request) -> Response:
        """The page; whoever comes for the first time gets to be somebody."""
        response = self.shell(request)
        try:
            await person_of(request, response)
        except Exception as error:  # the page can say that the server is in trouble, if it is there
            if not is_away(error):
                raise
        return response

    async def hand_out(self, request: Request) -> Response:
        """One of its files."""
        file = self.files.get(request.scope["path"])
        if file is None:
            raise HTTPException(404)
        return file.answer(request)

    def shell(self, request: Request, status: int = 200) -> Response:
        """The page as it begins, whatever its address."""
        if self._index is None:
            return Response(NOT_BUILT, 503, media_type="text/html")
        return self._index.answer(request, status)

    def tells(self, request: Request) -> bool:
        """Whether it is somebody at a browser whom the page has to tell that there is nothing here."""
        looking = request.method in ("GET", "HEAD") and "text/html" in request.headers.get("accept", "")
        return looking and not request.scope["path"].startswith(("/api/", "/assets/"))


def _tag(plain: bytes) -> str:
    return f'W/"{hashlib.sha256(plain).hexdigest()[:16]}"'


def _keeping(path: Path) -> str:
    if path.parts[0] == "assets":
        return FOR_EVER
    return YOURS if path.name == "index.html" else ASK_AGAIN


def _taken(request: Request) -> set[str]:
    """The encodings that a browser takes."""
    offers = (offer.replace(" ", "").partition(";") for offer in request.headers.get("accept-encoding", "").split(","))
    return {name for name, _, weight in offers if weight not in ("q=0", "q=0.0", "q=0.00", "q=0.000")}
