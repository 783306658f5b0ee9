"""Views as clients are told them: with a picture where the page has no table of the game's own."""

from collections.abc import Mapping
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import View
from sobremesa.rooms.messages import After


def shown_view(game: Game, view: View[Any]) -> Mapping[str, Any]:
    """A view as plain data; where nothing else draws it, with its drawing as ``svg``."""
    return view.as_dict() if game.page else {**view.as_dict(), "svg": view.svg()}


def look_ahead(game: Game, view: View[Any]) -> After | None:
    """A seat's view after a move that it has not made. Where something is hidden, nobody may look ahead."""
    if game.page or game.hidden:
        return None
    points = view.as_dict().get("points")
    return After(svg=view.svg(), points=None if points is None else list(points))
