"""What a notebook shows: everything draws itself, and a record can be stepped through."""

import base64
import sys
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect, sync_playwright

import sobremesa as sm
from chromium import found, launch
from sobremesa import notebook


def finished() -> sm.Record:
    sitting = sm.Sitting.start(sm.knister, {"seats": 1}, sm.FairChance.from_seed("1"))
    while not sitting.state.over:
        sitting = sitting.roll() if sitting.state.chance else sitting.play(sitting.state.legal_moves()[0])
    return sitting.record()


def test_everything_draws_itself() -> None:
    record = finished()
    state = record.final()
    for shown in (state, state.view(0), record):
        assert shown._repr_svg_().startswith("<svg")


def test_a_record_is_stepped_through() -> None:
    widget = sm.replay(finished(), seat=0)
    assert (widget.at, widget.last, widget.event) == (0, 50, "")
    before = widget.svg
    widget.at = 2
    assert widget.event == "a1"
    assert widget.svg != before
    widget.at = 99
    assert widget.at == 50
    assert widget.state.over
    assert "export default" in str(widget._esm)


MODEL = """
import replay from "data:text/javascript;base64,%s"

const listeners = {}
let now = await window.ask(null)
const model = {
  get: (name) => now[name],
  set: (name, value) => { now = { ...now, [name]: value } },
  on: (what, heard) => { (listeners[what] ??= []).push(heard) },
  save_changes: async () => {
    const before = now
    now = await window.ask(now.at)
    for (const [what, heard] of Object.entries(listeners)) for (const listener of heard) listener()
  },
}
replay.render({ model, el: document.body })
"""
"""What a notebook does for a widget: its model is kept the same here and in Python."""


@pytest.mark.skipif(found() is None, reason="Chromium is not installed")
def test_a_browser_steps_through_it() -> None:
    """The widget's own JavaScript in a real browser, its Python here."""
    widget = sm.replay(finished())

    def ask(at: int | None) -> dict[str, Any]:
        widget.at = widget.at if at is None else at
        return {name: getattr(widget, name) for name in ("at", "last", "svg", "event")}

    source = base64.b64encode((Path(notebook.__file__).with_name("replay.js")).read_bytes()).decode()
    with sync_playwright() as playwright:
        browser = launch(playwright.chromium)
        page = browser.new_page()
        wrong: list[str] = []
        page.on("pageerror", lambda error: wrong.append(str(error)))
        page.expose_function("ask", ask)
        page.goto("about:blank")
        page.add_script_tag(type="module", content=MODEL % source)
        told, picture = page.get_by_role("status"), page.locator("[data-picture]")
        expect(told).to_have_text("0 / 50")
        first = picture.inner_html()
        assert first.startswith("<svg")
        page.get_by_role("button", name="On").click()
        expect(told).to_have_text(f"1 / 50 {widget._record.events[0]}")
        page.get_by_role("group").press("ArrowRight")
        expect(told).to_have_text("2 / 50 a1")
        assert widget.at == 2
        assert picture.inner_html() != first
        page.get_by_role("group").press("End")
        expect(told).to_have_text(f"50 / 50 {widget._record.events[-1]}")
        assert widget.state.over
        page.get_by_role("slider").fill("0")
        expect(told).to_have_text("0 / 50")
        assert picture.inner_html() == first
        browser.close()
    assert not wrong


def test_without_the_package_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sobremesa.notebook.widget", None)
    with pytest.raises(sm.SobremesaError, match="pip install 'sobremesa\\[notebook\\]'"):
        sm.replay(finished())
