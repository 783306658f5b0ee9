"""Can everybody use it? Axe looks at what the page shows now."""

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""WCAG 2.2, levels A and AA."""


def check(page: Page) -> None:
    """Fails with a report of what somebody could not see, reach or understand."""
    options = {"runOnly": {"type": "tag", "values": TAGS}, "resultTypes": ["violations"]}
    found = Axe().run(page, options=options)
    assert not found.violations_count, f"{page.url}: {found.generate_report()}"
