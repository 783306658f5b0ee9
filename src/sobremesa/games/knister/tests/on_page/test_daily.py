"""Daily Knister in the browser: a sheet filled to the end, what is shared of it, days in a row, days that are over."""

import re
import sqlite3
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Page, expect

from page import access
from page.conftest import AWAY, Arrive, Troubles
from page.hands import list_keys
from server.serving import Server

CELLS = [f"{column}{row}" for row in range(1, 6) for column in "abcde"]
_SHARING = "navigator.share = async ({ text }) => { document.documentElement.dataset.shared = text }"
"""Stands in for the sheet of a phone in which one chooses a friend."""


def fill(page: Page, order: list[str]) -> None:
    """Writes all numbers of the day, one after the other."""
    for round, name in enumerate(order):
        cell = page.locator(f'[role=grid] [data-cell="{name}"]').first
        expect(cell).to_have_attribute("aria-label", re.compile("free"))
        with page.expect_response(lambda answer: answer.request.method == "POST" and "/daily" in answer.url) as answer:
            cell.click()
        assert answer.value.json()["round"] == round + 1


def let_a_day_pass(own_server: Server, folder: Path) -> None:
    """Over night the server is stopped, and everything that it knows of days becomes a day older."""
    own_server.stop()
    with sqlite3.connect(folder / "page.db") as database:
        for table in ("dailies", "daily_sheets"):
            for (date,) in database.execute(f"SELECT DISTINCT date FROM {table} ORDER BY date").fetchall():
                database.execute(f"UPDATE {table} SET date = date(?, '-1 day') WHERE date = ?", (date, date))
    own_server.start()


def test_a_day_to_the_end_and_the_days_after(
    arrive: Arrive, own_server: Server, tmp_path: Path, troubles: Troubles
) -> None:
    troubles.allow(AWAY)
    page = arrive(to=own_server)
    page.add_init_script(_SHARING)
    page.goto("/daily/archive")
    expect(page.get_by_text("Today is the first day here.")).to_be_visible()
    for day in (1, 2):
        page.goto("/daily")
        if day == 1:
            page.get_by_label("Your name in the ranking").fill("Ana")
        page.get_by_role("button", name="Roll the dice").click()
        fill(page, Random(day).sample(CELLS, 25))
        expect(page.get_by_text("The next rolls come in")).to_be_visible()
        status = page.request.get("/api/daily").json()
        assert status["finished"]
        assert status["streak"] == day
        expect(page.locator(".streak")).to_have_count(day - 1)  # one day is no row of days
        page.get_by_role("button", name="Share").click()
        shared = page.locator("html").get_attribute("data-shared")
        assert shared
        head, *grid = shared.splitlines()
        assert re.search(rf"{status['date']} .* {status['points']} points", head)
        assert all(re.fullmatch("[🟩🟨🟧⬜]{5}", row) for row in grid[:5])
        rest = ["🔥 2 days in a row"] if day == 2 else []
        assert grid[5:] == [*rest, f"{own_server.address}/daily"], "nothing else, and no number of the sheet"
        access.check(page)
        if day == 1:
            let_a_day_pass(own_server, tmp_path)
    expect(page.locator(".streak")).to_contain_text("2 days in a row")

    page.get_by_role("link", name="Past days").click()
    yesterday = page.get_by_role("main").get_by_role("listitem").get_by_role("link")
    expect(yesterday).to_have_count(1)
    expect(yesterday).to_contain_text(re.compile(r"\d+ points"))
    access.check(page)
    yesterday.click()
    expect(page.get_by_role("heading", name="How the computer wrote them")).to_be_visible()
    expect(page.get_by_label(re.compile("Round 25 of 25"))).to_be_visible()
    access.check(page)


@pytest.mark.at_length
def test_a_day_that_is_over_is_played_for_oneself(
    arrive: Arrive, own_server: Server, tmp_path: Path, troubles: Troubles
) -> None:
    troubles.allow(AWAY)
    page = arrive("/daily", to=own_server)
    expect(page.locator(".intro")).to_be_visible()
    let_a_day_pass(own_server, tmp_path)
    page.goto("/daily/archive")
    page.get_by_role("link", name="Play it").click()
    expect(page.locator(".late")).to_contain_text("That day is over")
    list_keys(page, "write the number")
    fill(page, CELLS)
    expect(page.get_by_role("link", name="Today’s rolls")).to_be_visible()
    date = page.url.rsplit("/", 1)[1]
    status = page.request.get(f"/api/daily?date={date}").json()
    assert (status["finished"], status["league"], status["streak"]) == (True, "late", 0)
    ranking = page.request.get(f"/api/daily/{date}/ranking").json()
    assert ranking["rows"] == ranking["for_fun"] == []
    page.goto("/daily/archive")
    expect(page.get_by_role("main").get_by_role("listitem").get_by_role("link")).to_contain_text(
        f"{status['points']} points, played later"
    )
