"""The lesson goes on from what the learner has done."""

import re

from playwright.sync_api import expect

from page.conftest import Arrive


def test_a_lesson_goes_on_from_ones_own_move(arrive: Arrive) -> None:
    """The tile is laid beside the stone where the learner has put it, not where the example would."""
    page = arrive("/learn/isis-osiris", motion=False)
    page.locator("[aria-keyshortcuts=S]").click()
    page.locator('[role=grid] [data-cell="0"]').click()
    for _ in range(2):
        page.get_by_role("button", name="Next").click()
        show = page.get_by_role("button", name="Show me")
        show.click()
        expect(page.locator(".answer.good")).to_be_visible()
    laid = page.locator('[role=grid] [data-cell="1"], [role=grid] [data-cell="6"]')
    expect(laid.and_(page.get_by_label(re.compile("face down")))).to_have_count(1)
