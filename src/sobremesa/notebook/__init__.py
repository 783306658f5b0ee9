"""``sobremesa.replay``: a game to step through, in a notebook."""

from typing import TYPE_CHECKING

from sobremesa.core.errors import InvalidSetup
from sobremesa.table.record import Record

if TYPE_CHECKING:
    from sobremesa.notebook.widget import Replay


def replay(record: Record, seat: int | None = None) -> "Replay":
    """The game of a record as a widget: arrow keys and buttons go through it, as the seat or a spectator sees it.

    ``at`` of the widget is the number of events that have happened; set it to jump there.
    """
    try:
        from sobremesa.notebook.widget import Replay
    except ImportError:
        raise InvalidSetup("notebook.error.a-widget-needs-anywidget") from None
    return Replay(record, seat)
