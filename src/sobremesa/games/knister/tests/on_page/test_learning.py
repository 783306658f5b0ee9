"""The lesson, the rules and shared positions."""

import re
from urllib.parse import quote

from playwright.sync_api import expect

from page import access
from page.conftest import Arrive

FOUR_FREE = "knister seats=1 starter=0 roll=9 sheets=.5.84B6A64..9847696465A89"


def test_a_wrong_move_is_explained_and_taken_back(arrive: Arrive) -> None:
    page = arrive("/learn/knister")
    page.get_by_role("button", name="Skip").click()
    expect(page.locator(".task")).to_contain_text("four lines")
    page.locator('[data-cell="b2"]').click()
    expect(page.get_by_role("alert")).to_contain_text("That one lies on fewer lines.")
    expect(page.locator('[data-cell="b2"]')).to_have_attribute("aria-label", re.compile("free"))
    page.locator('[data-cell="c3"]').click()
    expect(page.locator(".answer.good")).to_contain_text("The very middle")
    page.get_by_role("button", name="Back").click()
    expect(page.locator(".task")).to_contain_text("any cell")


def test_the_rulebook_s_worked_example_is_on_the_page(arrive: Arrive) -> None:
    page = arrive("/rules/knister", screen="phone")
    tim = page.get_by_role("table").filter(has=page.get_by_role("columnheader", name="a", exact=True))
    expect(tim.get_by_role("row").nth(2)).to_have_text(re.compile(r"7\s*8\s*8\s*8\s*7\s*8"))
    expect(tim.locator("strong")).to_have_count(9)
    expect(page.locator("article")).to_contain_text("19 + 12 + 6 + 16 = 53 points.")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing runs over the edge"


def test_a_position_that_somebody_has_shared(arrive: Arrive) -> None:
    page = arrive(f"/position/knister?p={quote(FOUR_FREE)}", screen="phone")
    cell = page.locator('[data-cell="a1"]')
    expect(cell).to_have_attribute("aria-label", re.compile("free"))
    page.get_by_label("Show what each cell would do").set_checked(True)
    expect(page.locator(".legend")).to_contain_text("Small numbers: what the row (at the right)")
    access.check(page)
    for _ in range(2):
        cell.tap()
    expect(cell).to_have_attribute("aria-label", re.compile("9"))
    page.get_by_role("button", name="Take back").click()
    expect(cell).to_have_attribute("aria-label", re.compile("free"))


def test_lines_light_up_when_a_number_completes_them(arrive: Arrive) -> None:
    page = arrive(f"/position/knister?p={quote(FOUR_FREE)}", motion=True)
    expect(page.locator('[data-cell="a1"]')).to_be_visible()
    expect(page.locator(".margin rect.lit")).to_have_count(0)
    page.locator('[data-cell="a1"]').click()
    expect(page.locator(".cell.fresh")).to_have_attribute("data-cell", "a1")
    expect(page.locator(".margin rect.lit")).to_have_count(1)  # the diagonal
    expect(page.locator(".margin rect.lit")).to_have_count(0)
