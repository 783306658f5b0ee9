"""What a seat of Isis & Osiris sees, as numbers for learning agents.

| numbers | what |
|---|---|
| cells x (seats + 3) | free; a stone of each seat, from the one that looks; a tile; its value if it can be read |
| 2 | is a tile being turned over; the value that lies face up, in fours |
| seats x 3 | stones left and tiles left, in tens, and the turn, from the seat that looks |
"""

from sobremesa.games.isis_osiris.view import FREE, IsisOsirisView

MAX_VALUE = 4.0


def features(view: IsisOsirisView) -> list[float]:
    """The numbers; always as many at tables of one kind. A spectator looks as the first seat does."""
    order = [((view.seat or 0) + slot) % view.seats for slot in range(view.seats)]
    found = list[float]()
    for mark in view.cells:
        tile = mark not in (FREE, *"ABCD")
        value = int(mark) / MAX_VALUE if mark[0] in "+-" else 0.0
        found += [float(mark == FREE), *(float(mark == "ABCD"[seat]) for seat in order), float(tile), value]
    found += [float(view.turning), (view.turned or 0) / MAX_VALUE]
    for seat in order:
        found += [view.stones_left[seat] / 10, view.tiles_left[seat] / 10, float(view.turn == seat)]
    return found
