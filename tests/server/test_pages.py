"""The page as it is handed out: from the files that the build has made."""

import asyncio
import gzip
import re
from collections.abc import Awaitable, Callable
from pathlib import Path

import httpx
import pytest

from server.spies import desk
from sobremesa import GAMES
from sobremesa.server.pages import FOLDER, KINDS, MANIFEST, Page
from sobremesa.server.people import COOKIE
from sobremesa.server.settings import NO_LIMITS, Limits

BROWSER = {"Accept": "text/html,*/*;q=0.8", "Accept-Encoding": "gzip, deflate"}


def asking(folder: Path, ask: Callable[[httpx.AsyncClient], Awaitable[None]], limits: Limits = NO_LIMITS) -> None:
    """Puts questions to a server, as a browser would."""

    async def main() -> None:
        async with desk(folder, limits) as here:
            here.http.headers.update(BROWSER)
            await ask(here.http)

    asyncio.run(main())


@pytest.mark.parametrize(
    "path",
    ["/", "/new/knister", "/r/abc", "/r/abc/screen", "/r/abc/games/2", "/position/callisto", "/lobby"]
    + ["/me", "/settings", "/rules/isis-osiris", "/learn/knister", "/openings/callisto"]
    + ["/daily", "/daily/2026-11-18", "/daily/archive"],
)
def test_every_address_of_the_page_is_the_page(tmp_path: Path, path: str) -> None:
    async def ask(http: httpx.AsyncClient) -> None:
        answer = await http.get(path)
        assert answer.status_code == 200
        assert answer.headers["Content-Type"] == "text/html; charset=utf-8"
        assert '<div id="app">' in answer.text
        assert answer.headers["Cache-Control"] == "private, no-cache"
        assert answer.headers["Set-Cookie"].startswith(f"{COOKIE}=")
        assert "Set-Cookie" not in (await http.get(path)).headers, "who is known stays the same"
        head = await http.head(path)
        assert (head.status_code, head.headers["Content-Length"]) == (200, answer.headers["Content-Length"])

    asking(tmp_path, ask)


def test_where_nothing_is_the_page_says_so_to_people_and_the_server_to_programs(tmp_path: Path) -> None:
    async def ask(http: httpx.AsyncClient) -> None:
        for path in (
            "/nowhere",
            "/r/abc/nowhere",
            "/index.html",
            "/pages.py",
            "/..%2fpages.py",
            "/%2e%2e/%2e%2e/app.py",
        ):
            lost = await http.get(path)
            assert lost.status_code == 404, path
            assert '<div id="app">' in lost.text
            told = await http.get(path, headers={"Accept": "*/*"})
            assert (told.status_code, told.json()["reason"]) == (404, "unknown")
        for path in ("/api/nowhere", "/assets/nowhere.js", "/assets/..%2f..%2fapp.py", "/assets/%2e%2e/app.py"):
            lost = await http.get(path)
            assert (lost.status_code, lost.json()["reason"]) == (404, "unknown"), path
        assert (await http.post("/nowhere")).status_code == 404
        assert (await http.post("/lobby")).status_code == 405

    asking(tmp_path, ask)


def test_files_come_packed_with_the_right_type_and_are_kept_as_long_as_they_are_good(tmp_path: Path) -> None:
    page = Page()
    assert {path.rpartition(".")[2] for path in page.files} >= {"js", "css", "woff2", "svg", "png", "webmanifest"}
    assert "/worker.js" in page.files

    async def ask(http: httpx.AsyncClient) -> None:
        for path, file in page.files.items():
            plain = await http.get(path, headers={"Accept-Encoding": "identity"})
            assert plain.status_code == 200
            if path != MANIFEST:
                assert plain.content == (FOLDER / path[1:]).read_bytes()
            assert plain.headers["Content-Type"] == KINDS[Path(path).suffix]
            for_ever = path.startswith("/assets/")
            assert plain.headers["Cache-Control"] == ("public, max-age=31536000, immutable" if for_ever else "no-cache")
            assert "Set-Cookie" not in plain.headers, "what anybody may keep is nobody's in particular"
            for encoding, body in file.bodies.items():
                packed = await http.head(path, headers={"Accept-Encoding": f"deflate, {encoding}"})
                assert packed.headers.get("Content-Encoding", "identity") == encoding
                assert int(packed.headers["Content-Length"]) == len(body)
                assert packed.headers["Vary"] == "Accept-Encoding"
            if "gzip" in file.bodies:
                best = await http.head(path, headers={"Accept-Encoding": "gzip, deflate, br, zstd"})
                assert best.headers["Content-Encoding"] == "br"
                assert gzip.decompress(file.bodies["gzip"]) == plain.content
                refused = await http.get(path, headers={"Accept-Encoding": "gzip;q=0, br;q=0"})
                assert "Content-Encoding" not in refused.headers
            nod = await http.get(path, headers={"If-None-Match": plain.headers["ETag"]})
            assert (nod.status_code, nod.content) == (304, b"")
            assert nod.headers["Cache-Control"] == plain.headers["Cache-Control"]
            assert (await http.get(path, headers={"If-None-Match": 'W/"another"'})).status_code == 200

    asking(tmp_path, ask)


def test_the_launcher_has_a_shortcut_to_each_game_that_is_there(tmp_path: Path) -> None:
    async def ask(http: httpx.AsyncClient) -> None:
        told = (await http.get(MANIFEST)).json()
        assert told["name"] == "Sobremesa"
        assert [(one["name"], one["url"]) for one in told["shortcuts"]] == [
            (game.name, f"/new/{id}") for id, game in GAMES.items()
        ]
        for one in told["shortcuts"]:
            assert (await http.get(one["url"])).status_code == 200

    asking(tmp_path, ask)


def test_many_may_load_the_page_at_one_address(tmp_path: Path) -> None:
    """A school class behind one router: files do not count against what an address may ask; all else does."""

    async def ask(http: httpx.AsyncClient) -> None:
        file = next(path for path in Page().files if path.startswith("/assets/"))
        assert [(await http.get(path)).status_code for path in ("/", "/", "/")] == [200, 200, 429]
        assert {(await http.get(file)).status_code for _ in range(20)} == {200}
        assert (await http.get("/assets/nowhere.js")).status_code == 429

    asking(tmp_path, ask, Limits(requests=0.001, requests_burst=2))


def test_a_page_that_was_not_built_says_how_to(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Page.__init__, "__defaults__", (tmp_path / "nothing",))

    async def ask(http: httpx.AsyncClient) -> None:
        answer = await http.get("/")
        assert answer.status_code == 503
        assert "make play" in answer.text
        assert (await http.get("/api/games")).status_code == 200

    asking(tmp_path, ask)


def test_long_answers_of_the_api_come_packed(tmp_path: Path) -> None:
    async def ask(http: httpx.AsyncClient) -> None:
        packed = await http.get("/api/games")
        assert packed.headers["Content-Encoding"] == "gzip"
        assert packed.json() == (await http.get("/api/games", headers={"Accept-Encoding": "identity"})).json()
        assert "Content-Encoding" not in (await http.get("/api/rooms")).headers, "a short one gains nothing"

    asking(tmp_path, ask)


def test_the_page_asks_nobody_else(tmp_path: Path) -> None:
    """Everything that the shell names is on this server."""

    async def ask(http: httpx.AsyncClient) -> None:
        for address in re.findall(r'(?:src|href)="([^"]+)"', (await http.get("/")).text):
            assert address.startswith("/")
            assert (await http.get(address)).status_code == 200

    asking(tmp_path, ask)
