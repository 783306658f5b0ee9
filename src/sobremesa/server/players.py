"""The computer players with their levels and names, which are the engines' own."""

from sobremesa.engines.levels import LEVELS, OTHERS
from sobremesa.server.answers import ComputerPlayer


def computer_players(code: str) -> list[ComputerPlayer]:
    """Who can be seated, the weakest level first, then those outside the levels; names in this language."""
    levels = [ComputerPlayer(id=id, level=level.number, name=level.names[code]) for id, level in LEVELS.items()]
    return levels + [ComputerPlayer(id=id, level=0, name=names[code]) for id, names in OTHERS.items()]
