"""An evening in a café: forty people with phones, a projector, and a host who is alone with them."""

import asyncio
import re

import pytest
from playwright.sync_api import Locator, Page, expect

from page import access
from page.bots import meanwhile
from page.conftest import Arrive
from page.test_games import sit_down
from server.serving import Server
from sobremesa.server.client import Guest, Refused, Visit
from stage import look, open_room, send_command

CROWD = 40
ROUNDS = 25


class Crowd:
    """Forty phones that write each roll at once. One of them, Zoë's, goes home after two rounds without a word."""

    def __init__(self, address: str, room: str) -> None:
        self.address, self.room = address, room

    async def play(self) -> None:
        """Everybody sits down, and plays until the game is over."""
        async with asyncio.TaskGroup() as group:
            for number in range(CROWD):
                group.create_task(self._guest(number))

    async def _guest(self, number: int) -> None:
        async with Guest(self.address).enter(self.room) as visit:
            await visit.do("sit", name=f"Guest {number}" if number else "Zoë")
            while not visit.update["room"]["over"]:
                if not number and visit.views and visit.views[0]["rounds"] == 2:
                    return
                seen = visit.update["version"]
                for seat, legal in visit.update["legal"].items():
                    await self._write(visit, int(seat), legal[number % len(legal)])
                if visit.update["version"] == seen:
                    await visit.newer_than(seen)

    async def _write(self, visit: Visit, seat: int, move: str) -> None:
        try:
            await visit.move(seat, move)
        except Refused as refused:
            # The host has paused or closed the round meanwhile: the next update says what holds.
            assert refused.reason in ("stale", "early"), refused


def sheet(phone: Page) -> list[str]:
    """What stands in the cells."""
    cells: list[str] = phone.get_by_role("gridcell").evaluate_all("cells => cells.map(cell => cell.ariaLabel)")
    return cells


def write(phone: Page, cell: str, round: int) -> None:
    """Writes the roll of a round: one tap points, the other writes."""
    expect(phone.get_by_text(f"Round {round} of {ROUNDS}")).to_be_visible()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Your turn")
    where = phone.locator(f'[role=grid] [data-cell="{cell}"]')
    where.tap()
    where.tap()
    expect(where).not_to_have_attribute("aria-label", re.compile("free"))


def find(host: Page, name: str) -> Locator:
    """Looks for people on the host's page."""
    host.get_by_label("Look for somebody").fill(name)
    return host.get_by_role("list", name="Found").get_by_role("listitem")


def send_away(host: Page) -> None:
    """The host is asked first."""
    host.get_by_role("dialog").get_by_role("button", name="Remove", exact=True).click()


@pytest.mark.at_length
def test_an_evening_in_a_cafe(arrive: Arrive, server: Server) -> None:
    host = arrive()
    room = open_room(host, "knister", crowd=True, name="Ana")
    host.goto(f"/r/{room}")
    hall = host.context.new_page()
    hall.goto(f"/r/{room}/screen")
    with meanwhile(Crowd(server.address, room).play(), 60):
        come_in(arrive, host, hall, room)
        phone = arrive("/", screen="phone")
        type_the_code(phone, hall, room)
        send_away_a_double(arrive, host, hall, room)
        host.get_by_role("button", name="Start the game").click()
        somebody_is_late(arrive, room)
        phone = a_phone_dies_and_comes_back(arrive, phone, hall)
        somebody_goes_home(host, hall, phone)
        pause(hall, phone)
        for _ in range(ROUNDS - look(host, room)["steps"][-1]["views"][0]["rounds"]):
            send_command(host, room, "close")
        the_podium(hall, phone)


def come_in(arrive: Arrive, host: Page, hall: Page, room: str) -> None:
    """The wall says how to come in, how many have, and who came last."""
    expect(hall.locator(".code")).to_have_text(room)
    for page in (hall, host):
        expect(page.get_by_text(f"{CROWD} players are here").first).to_be_visible()
    people = hall.get_by_role("list", name="Players").get_by_role("listitem")
    expect(people).to_have_count(6 + 1)
    expect(people.last).to_have_text(f"{CROWD - 6} more")


def type_the_code(phone: Page, hall: Page, room: str) -> None:
    phone.get_by_label("You have a code?").fill(room.lower())
    phone.get_by_role("button", name="To the table").tap()
    sit_down(phone, "Bo")
    expect(phone.get_by_role("heading", name="You are in, Bo")).to_be_visible()
    expect(hall.get_by_role("list", name="Players").get_by_role("listitem").first).to_have_text("Bo")
    access.check(hall)


def send_away_a_double(arrive: Arrive, host: Page, hall: Page, room: str) -> None:
    """Somebody has sat down with two devices: the one that is not connected is found first."""
    send_command(arrive(), room, "sit", name="Bo")
    expect(hall.get_by_text(f"{CROWD + 2} players are here")).to_be_visible()
    found = find(host, "BO")
    expect(found).to_have_count(2)
    expect(found.nth(0)).to_contain_text("away")
    expect(found.nth(1)).not_to_contain_text("away")
    access.check(host)
    found.nth(0).get_by_role("button", name="Remove Bo from the table").click()
    access.check(host)
    host.get_by_role("dialog").get_by_role("button", name="No, thanks").click()
    expect(found).to_have_count(2)
    found.nth(0).get_by_role("button", name="Remove Bo from the table").click()
    send_away(host)
    expect(found).to_have_count(1)
    expect(found).not_to_contain_text("away")
    expect(hall.get_by_text(f"{CROWD + 1} players are here")).to_be_visible()


def somebody_is_late(arrive: Arrive, room: str) -> None:
    late = arrive(f"/r/{room}", screen="phone")
    expect(late.get_by_text("The game is on. You can join the next one: stay here.")).to_be_visible()
    late.close()


def a_phone_dies_and_comes_back(arrive: Arrive, phone: Page, hall: Page) -> Page:
    """It finds its sheet again, with the number of the round that it missed, and is told where that went and why."""
    write(phone, "c3", 1)
    expect(hall.get_by_role("heading", level=1)).to_have_text(f"Round 2 of {ROUNDS}")
    write(phone, "b2", 2)
    expect(hall.get_by_role("heading", level=1)).to_have_text(f"Round 3 of {ROUNDS}")
    before, address = sheet(phone), phone.url
    cookies = phone.context.storage_state()["cookies"]
    phone.context.close()
    expect(hall.get_by_text(f"{CROWD - 1} of {CROWD + 1} have written")).to_be_visible()
    hall.get_by_role("button", name="Close the round").click()
    expect(hall.get_by_text("Not in time: Zoë, Bo (row 1, column 1).")).to_be_visible()
    access.check(hall)
    phone = arrive(screen="phone")
    phone.context.add_cookies([{**cookie} for cookie in cookies])  # type: ignore[typeddict-item]
    phone.goto(address)
    expect(phone.get_by_text("(rule K1): your number went into the first free cell, row 1, column 1.")).to_be_visible()
    access.check(phone)
    changed = [cell for cell, was in zip(sheet(phone), before, strict=True) if cell != was]
    assert re.fullmatch(r"row 1, column 1, \d+", changed[0]), changed
    assert len(changed) == 1, "what had been written is still there"
    return phone


def somebody_goes_home(host: Page, hall: Page, phone: Page) -> None:
    """All but one have written: the host sends her away, and the round is over without her."""
    write(phone, "e1", 4)
    expect(hall.get_by_text(f"{CROWD} of {CROWD + 1} have written")).to_be_visible()
    found = find(host, "zoe")
    expect(found).to_have_count(1)
    expect(found).to_contain_text("away")
    found.get_by_role("button", name="Remove Zoë from the table").click()
    send_away(host)
    expect(host.get_by_text("Nobody at this table is called that.")).to_be_visible()
    expect(hall.get_by_role("heading", level=1)).to_have_text(f"Round 5 of {ROUNDS}")
    expect(hall.get_by_text("Not in time")).to_have_count(0)


def pause(hall: Page, phone: Page) -> None:
    hall.get_by_role("button", name="Pause").click()
    expect(phone.get_by_text("Ana has paused the game. No time runs.")).to_be_visible()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Paused")
    hall.get_by_role("button", name="Go on").click()
    expect(phone.get_by_role("heading", level=1)).to_contain_text("Your turn")


def the_podium(hall: Page, phone: Page) -> None:
    expect(hall.get_by_role("list", name="Podium").get_by_role("listitem").first).to_contain_text(
        re.compile(r"Guest|Bo")
    )
    expect(hall.get_by_role("button", name="Play again")).to_be_visible()
    access.check(hall)
    expect(phone.get_by_role("region", name="The end")).to_contain_text(re.compile(r"Guest|Bo|You win"))
    expect(phone.get_by_role("button", name="Play again")).to_have_count(0)


def test_at_the_end_a_host_sees_everybody_of_a_small_crowd(arrive: Arrive, server: Server) -> None:
    host = arrive()
    room = open_room(host, "knister", crowd=True, name="Ana")
    host.goto(f"/r/{room}")
    people = [*(f"Guest {number}" for number in range(7)), "Maximiliaan Vandenberghe de Groot"]

    async def sit() -> None:
        for name in people:
            sitting = {"type": "sit", "id": "sit", "name": name}
            await Guest(server.address).call("POST", f"/api/rooms/{room}/commands", sitting)

    with meanwhile(sit()):
        expect(host.get_by_role("heading", level=1)).to_contain_text("8 players are here")
    send_command(host, room, "start")
    seats = host.get_by_role("list", name="Seats").get_by_role("listitem")
    expect(seats.filter(has_text="away")).to_have_count(8)
    expect(host.get_by_text("is writing")).to_have_count(0)  # who is away does not write
    before = host.viewport_size
    assert before
    host.set_viewport_size({"width": 320, "height": 568})
    sheets = host.get_by_role("region", name="Sheets")
    assert sheets.evaluate("sheets => sheets.scrollWidth - sheets.clientWidth") == 0, "a long name makes nothing wider"
    host.set_viewport_size(before)
    for _ in range(ROUNDS):
        send_command(host, room, "close")
    expect(host.get_by_role("region", name="The end")).to_be_visible()
    expect(seats).to_have_count(8)
    for name in people:
        expect(host.get_by_role("button", name=f"Remove {name} from the table")).to_have_count(1)
    host.get_by_role("button", name="Remove Guest 3 from the table").click()
    send_away(host)
    expect(seats.filter(has_text="Guest 3")).to_have_count(0)
