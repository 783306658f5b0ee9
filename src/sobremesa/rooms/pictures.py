"""Views as clients are told them: with a picture where the page has no table of the game's own."""

from collections.abc import Mapping
from typing import Any

from sobremesa.core.game import Game
from sobremesa.core.state import View


def shown_view(game: Game, view: View[Any]) -> Mapping[str, Any]:
    """A view as plain data; where nothing else draws it, with its drawing as ``svg``."""
    return view.as_dict() if game.page else {**view.as_dict(), "svg": view.svg()}
