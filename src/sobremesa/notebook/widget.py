"""The widget of ``sobremesa.replay``, made with anywidget: JupyterLab, Notebook, VS Code, Colab and marimo show it."""

from pathlib import Path
from typing import Any

import anywidget
import traitlets

from sobremesa.core.state import State
from sobremesa.table.record import Record


class Replay(anywidget.AnyWidget):
    """A game to step through. One picture at a time goes to the browser: the one that is looked at."""

    _esm = Path(__file__).with_name("replay.js")

    at = traitlets.Int(0).tag(sync=True)
    """How many events have happened."""
    last = traitlets.Int(0).tag(sync=True)
    """How many events the game has."""
    svg = traitlets.Unicode("").tag(sync=True)
    """How the table looks then."""
    event = traitlets.Unicode("").tag(sync=True)
    """What has just happened, in notation."""

    def __init__(self, record: Record, seat: int | None = None) -> None:
        self._record = record
        self._states: list[State[Any]] = list(record.states())
        self._states[0].check_seat(seat)
        self._seat = seat
        super().__init__(last=len(record.events))
        self._show()

    @traitlets.validate("at")
    def _within(self, proposal: Any) -> int:
        return max(0, min(self.last, int(proposal["value"])))

    @traitlets.observe("at")
    def _moved(self, change: Any) -> None:
        self._show()

    def _show(self) -> None:
        with self.hold_sync():
            self.svg = self._states[self.at].view(self._seat).svg()
            self.event = self._record.events[self.at - 1] if self.at else ""

    @property
    def state(self) -> State[Any]:
        """The state that is shown."""
        return self._states[self.at]
