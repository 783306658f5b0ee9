"""The same person on another device, and a page that makes no markup of texts."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from page.conftest import Troubles

pytestmark = pytest.mark.service_worker


def test_another_device_becomes_the_same_person(arrive: Callable[..., Page]) -> None:
    phone = arrive("/")
    phone.get_by_role("button", name="Invite a friend").first.click()
    phone.get_by_label("Your name").fill("Ana")
    phone.get_by_role("dialog").get_by_role("button", name="Invite a friend").click()
    phone.wait_for_url("**/r/*")
    room = phone.url.partition("/r/")[2]
    phone.goto("/me")
    phone.get_by_role("button", name="Add a device").click()
    dialog = phone.get_by_role("dialog")
    expect(dialog.get_by_role("img")).to_be_visible()
    address = dialog.locator(".address").inner_text().strip()

    tablet = arrive(address)
    tablet.get_by_role("button", name="Yes, that is me").click()
    expect(tablet.locator(f'a[href="/r/{room}"]')).to_be_visible()
    assert tablet.url.endswith("/me"), "nothing of the code is left in the address"

    tablet.get_by_role("button", name="Sign out other devices").click()
    asked = tablet.get_by_role("dialog")
    expect(asked.locator(".main")).to_have_text("Keep them signed in")
    asked.get_by_role("button", name="Sign out other devices").click()
    expect(tablet.get_by_role("status")).to_contain_text("signed out")
    phone.goto("/me")
    expect(phone.get_by_role("heading", name="Your data")).to_be_visible()
    expect(phone.locator(f'a[href="/r/{room}"]')).to_have_count(0)
    phone.get_by_role("button", name="Delete everything").click()
    expect(phone.get_by_role("dialog").locator(".main")).to_have_text("Keep it")


def test_who_says_no_stays_who_they_are(arrive: Callable[..., Page]) -> None:
    stranger = arrive("/me#device=AAAAAAAAAAAAAAAAAAAAAA", language="fr")
    stranger.get_by_role("dialog").get_by_role("button", name="Non").click()
    expect(stranger.get_by_role("dialog")).to_have_count(0)
    assert stranger.url.endswith("/me")


def test_no_text_becomes_markup_by_mistake(arrive: Callable[..., Page], troubles: Troubles) -> None:
    """Trusted Types: what a careless line, or a library, would do with a stranger's text is refused by the browser."""
    page = arrive("/rules/callisto")
    expect(page.get_by_role("heading").first).to_be_visible()
    troubles.allow("TrustedHTML|TrustedScript")
    for line in ("innerHTML = '<b>x</b>'", "outerHTML = '<b>x</b>'"):
        outcome = page.evaluate(f"""() => {{
            const part = document.body.appendChild(document.createElement("div"))
            try {{ part.{line}; return "done" }} catch (error) {{ return error.name }}
        }}""")
        assert outcome == "TypeError"
    assert page.evaluate("() => navigator.serviceWorker.getRegistration().then(Boolean)"), "and the worker is there"
