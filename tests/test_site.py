"""The site that is built of the documentation: links lead somewhere, nothing needs a network, words are found."""

import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest
from playwright.sync_api import expect, sync_playwright

from chromium import found, launch
from sobremesa import GAMES

ROOT = Path(__file__).resolve().parents[1]


class Page(HTMLParser):
    """What can be linked to in a page, what it links to, and what it loads."""

    def __init__(self, file: Path) -> None:
        super().__init__()
        self.anchors: set[str] = set()
        self.links: list[str] = []
        self.loaded: list[str] = []
        self.feed(file.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value for name, value in attrs if value}
        self.anchors |= {given["id"]} if "id" in given else set()
        target = given.get("href") or given.get("src")
        if target:
            (self.links if tag == "a" else self.loaded).append(target)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, as ``make docs`` builds it: what Sphinx warns of is an error."""
    folder = tmp_path_factory.mktemp("docs") / "site"
    build = [sys.executable, str(ROOT / "tools/docs_site.py"), str(folder)]
    done = subprocess.run(build, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(site: Path) -> None:
    pages = {file: Page(file) for file in site.rglob("*.html")}
    made = {*(f"play/{game}.html" for game in GAMES), "changelog.html", "program/reference.html", "search.html"}
    assert made <= {str(file.relative_to(site)) for file in pages}
    for file, page in pages.items():
        here = file.relative_to(site)
        assert not [target for target in page.loaded if urlsplit(target).netloc], f"{here} needs a network"
        for target in page.links + page.loaded:
            link = urlsplit(target)
            if link.scheme or link.netloc:
                continue
            other = (file.parent / unquote(link.path)).resolve() if link.path else file
            assert other.exists(), f"{here}: {target} leads nowhere"
            anchors = pages[other].anchors if other in pages and link.fragment else {unquote(link.fragment)}
            assert unquote(link.fragment) in anchors, f"{here}: there is no {target}"


@pytest.mark.skipif(found() is None, reason="Chromium is not installed")
def test_a_word_is_found_without_a_network(site: Path) -> None:
    """From the disk, where nothing can be asked for."""
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        context = browser.new_context(offline=True)
        page = context.new_page()
        asked: list[str] = []
        page.on("request", lambda request: asked.append(request.url))
        page.goto(site.joinpath("index.html").as_uri())
        page.get_by_role("searchbox").or_(page.get_by_placeholder("Search")).first.fill("dice promise")
        page.keyboard.press("Enter")
        results = page.locator("#search-results li a")
        expect(results.filter(has_text="Fair chance").first).to_be_visible()
        assert not [url for url in asked if not url.startswith("file:")]
        results.filter(has_text="Fair chance").first.click()
        expect(page.get_by_role("heading", level=1)).to_contain_text("Fair chance")
        browser.close()
