"""A device that is told: asked at a fitting moment, reached by a push service of our own, shown by the worker."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from chromium import launch
from page import access
from page.conftest import Arrive
from page.hands import until
from page.test_games import sit_down
from server.push_service import Device, PushService, push_service
from server.serving import Server, serving
from stage import look, open_room, send_command

pytestmark = pytest.mark.service_worker

SUBSCRIBES = """device => {
  const toJSON = () => ({ endpoint: device.endpoint, keys: { p256dh: device.p256dh, auth: device.auth } })
  let subscription = null
  const made = { endpoint: device.endpoint, toJSON, unsubscribe: async () => { subscription = null; return true } }
  PushManager.prototype.subscribe = async function ({ userVisibleOnly, applicationServerKey }) {
    if (!userVisibleOnly || atob(applicationServerKey.replace(/-/g, "+").replace(/_/g, "/")).length !== 65)
      throw new TypeError("no browser would take that")
    return (subscription = made)
  }
  PushManager.prototype.getSubscription = async () => subscription
  window.asked = 0
  let permission = "default"
  Notification.requestPermission = async () => { window.asked++; return (permission = "granted") }
  Object.defineProperty(Notification, "permission", { get: () => permission })
}"""
"""The browser's own way to its push service, which a test has none of: everything else is as it is."""


@pytest.fixture(scope="module")
def browser(browser: Browser) -> Iterator[Browser]:
    """The whole of Chromium: the one that can have no windows shows no notifications either."""
    whole = launch(browser.browser_type, whole=True)
    yield whole
    whole.close()


@pytest.fixture
def service() -> Iterator[PushService]:
    with push_service() as service:
        yield service
        assert not service.refused, service.refused


@pytest.fixture
def telling_server(tmp_path: Path, service: PushService) -> Iterator[Server]:
    """A server that takes people to be away after a moment."""
    arguments = ("--no-limits", "--away", "0.3", "--push-service", service.address)
    with serving(f"sqlite:///{tmp_path / 'page.db'}", tmp_path, *arguments) as server:
        yield server
    assert "Traceback" not in server.log, server.log


def deliver(page: Page, text: str) -> None:
    """Hands a message to the service worker, as the browser does when one has come for it."""
    devtools = page.context.new_cdp_session(page)
    found: list[str] = []
    devtools.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(_ids(event)))
    devtools.send("ServiceWorker.enable")
    until(page, lambda: found)
    origin = re.match(r"https?://[^/]+", page.url)
    assert origin
    message = {"origin": origin[0], "registrationId": found[0], "data": text}
    devtools.send("ServiceWorker.deliverPushMessage", message)


def _ids(event: dict[str, Any]) -> list[str]:
    return [str(one["registrationId"]) for one in event["registrations"]]


SHOWN = """() => navigator.serviceWorker.ready.then(it => it.getNotifications()).then(all =>
  all.map(({ title, body, tag, lang }) => ({ title, body, tag, lang })))"""


def test_a_closed_page_is_told_that_it_is_ones_turn(
    telling_server: Server, arrive: Arrive, service: PushService
) -> None:
    device = Device(service)
    ana, bo = arrive("/", to=telling_server), arrive("/", screen="phone", language="es", to=telling_server)
    room = open_room(ana, "callisto", "me", "open", name="Ana", clock=259_200, options={"starter": 1})
    bo.add_init_script(f"({SUBSCRIBES})({device.subscription()})")
    bo.goto(f"/r/{room}")
    sit_down(bo, "Benita")
    question = bo.get_by_role("complementary", name="Cuando te toque")
    expect(bo.locator(".status h1")).to_contain_text("Te toca")
    expect(bo.get_by_role("timer")).to_have_text("3 días")
    expect(question).to_have_count(0)
    send_command(bo, room, "move", seat=1, version=look(bo, room)["version"], move="e5")
    expect(question).to_be_visible()
    access.check(bo)
    assert bo.evaluate("() => window.asked") == 0, "the browser asks when the person has said yes, never before"
    question.get_by_role("button", name="Avísame").tap()
    expect(bo.get_by_text("Este dispositivo te avisará cuando te toque.")).to_be_visible()
    bo.goto("/settings")
    # The page was loaded anew, and so was what stands in for the browser: it says that there is no subscription.
    switch = bo.get_by_role("checkbox", name="Avísame en este dispositivo")
    expect(switch).not_to_be_checked()
    switch.tap()
    expect(switch).to_be_checked()
    access.check(bo)
    bo.get_by_role("button", name="Envía uno de prueba").tap()
    expect(bo.get_by_role("status")).to_have_text("Va de camino: aparecerá enseguida.")
    assert [told["body"] for told in device.got] == ["Los mensajes llegan aquí."]
    send_command(ana, room, "move", seat=0, version=look(ana, room)["version"], move="g5")
    until(bo, lambda: len(device.got) > 1)
    told = device.got[-1]
    assert told == {
        "title": "Te toca",
        "body": "Callisto con Ana",
        "path": f"/r/{room}",
        "tag": room,
        "language": "es",
    }
    bo.context.grant_permissions(["notifications"], origin=telling_server.address)
    deliver(bo, device.decrypt(service.taken[-1].body).decode())
    until(bo, lambda: bo.evaluate(SHOWN))
    assert bo.evaluate(SHOWN) == [{"title": "Te toca", "body": "Callisto con Ana", "tag": room, "lang": "es"}]
    (worker,) = bo.context.service_workers
    worker.evaluate(
        """async () => {
          const [notification] = await self.registration.getNotifications()
          self.dispatchEvent(new NotificationEvent("notificationclick", { notification }))
        }"""
    )
    bo.wait_for_url(f"**/r/{room}")
    expect(bo.locator(".status h1")).to_contain_text("Te toca")
    until(bo, lambda: not bo.evaluate(SHOWN))  # who is at the table has seen it
    here = device.decrypt(service.taken[-1].body).decode()
    elsewhere = json.loads(here) | {"path": "/r/elsewhere", "tag": "elsewhere"}
    deliver(bo, here)
    deliver(bo, json.dumps(elsewhere))
    until(bo, lambda: bo.evaluate(SHOWN))
    shown = [notification["tag"] for notification in bo.evaluate(SHOWN)]
    assert shown == ["elsewhere"], "nobody is told what is before their eyes"


def test_a_browser_that_cannot_be_told_says_so(arrive: Arrive) -> None:
    page = arrive("/")
    page.add_init_script("delete window.PushManager")
    page.goto("/settings")
    expect(page.get_by_text("This browser cannot be told while the page is closed.")).to_be_visible()
    other = arrive("/settings", screen="tiny")  # a window of nobody's allows nothing
    expect(other.get_by_text(re.compile("allow notifications for this page|Tell me on this device"))).to_be_visible()
    access.check(other)
