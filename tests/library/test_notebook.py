"""What a notebook shows: everything draws itself, and a record can be stepped through."""

import sys

import pytest

import sobremesa as sm


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
    assert (widget.at, widget.last, widget.told) == (0, 50, "")
    before = widget.svg
    widget.at = 2
    assert widget.told == "a1"
    assert widget.svg != before
    widget.at = 99
    assert widget.at == 50
    assert widget.state.over
    assert "export default" in str(widget._esm)


def test_without_the_package_it_says_which(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sobremesa.notebook.widget", None)
    with pytest.raises(sm.SobremesaError, match="pip install 'sobremesa\\[notebook\\]'"):
        sm.replay(finished())
