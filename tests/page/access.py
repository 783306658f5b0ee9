"""Can everybody use it? Axe looks at what the page shows now."""

import json

from axe_playwright_python.base import AxeResults
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page

TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa"]
"""WCAG 2.2, levels A and AA."""
RULES = {"label-content-name-mismatch": {"enabled": True}}
"""Rules that axe keeps for who asks: who speaks to the page says what is written on a button (WCAG 2.5.3)."""
_OPTIONS = {"runOnly": {"type": "tag", "values": TAGS}, "rules": RULES, "resultTypes": ["violations"]}
_LOOK = f"async part => ({{ violations: (await axe.run(part, {json.dumps(_OPTIONS)})).violations }})"


def check(page: Page, part: str = "html") -> None:
    """Fails with a report of what somebody could not see, reach or understand, on the page or a part of it."""
    if not page.evaluate("'axe' in window"):  # half a megabyte to read
        page.evaluate(Axe().axe_script)
    found = AxeResults(page.evaluate(_LOOK, part))
    assert not found.violations_count, f"{page.url}: {found.generate_report()}"
