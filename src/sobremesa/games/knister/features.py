"""What a seat of Knister sees, as numbers for learning agents.

| numbers | what |
|---|---|
| 25 x 12 | for each cell of one's own sheet: free, or which of the sums 2 to 12 |
| 11 | the roll that is being written |
| 1 | the share of rounds that have ended |
| 3 | one's own points and the best of the others, in hundreds, as the last round left them; one's place, as a share |
"""

from sobremesa.games.knister.scoring import CELLS
from sobremesa.games.knister.view import KnisterView

SUMS = range(2, 13)
_SYMBOLS = (0, *SUMS)


def features(view: KnisterView) -> list[float]:
    """The numbers; always as many. A spectator has an empty sheet."""
    sheet = view.sheet or bytes(CELLS)
    found = [float(number == symbol) for number in sheet for symbol in _SYMBOLS]
    found += [float(view.roll == total) for total in SUMS]
    own = next((row for row in view.standings if row.seat == view.seat), None)
    best = max((row.points for row in view.standings if row.seat != view.seat), default=0)
    found += [view.rounds / CELLS, (own.points if own else 0) / 100, best / 100]
    found.append((own.place if own else view.seats) / view.seats)
    return found
