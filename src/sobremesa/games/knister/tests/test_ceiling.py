"""The two halves of the proof that nobody has more than the ceiling: what is given back, and what a line can have."""

from functools import cache

import numpy as np
import pytest

from sobremesa.games.knister.engine.lines import LINE_CELLS
from sobremesa.games.knister.scoring import CELLS, SIDE, combination
from sobremesa.games.knister.tools import ceiling
from sobremesa.games.knister.tools.ceiling import P, Prices

NUMBERS = len(P)
CENTRE = CELLS // 2
DIAGONALS = LINE_CELLS[-2:]


def some_prices(seed: int, size: float = 1.0) -> Prices:
    random = np.random.default_rng(seed)
    plain, crossed, centre = random.normal(0.5, size, (3, CELLS, NUMBERS))
    return Prices(plain, crossed, centre, random.exponential(size, (CELLS, NUMBERS, NUMBERS)) / 5)


def cell_price(prices: Prices, line: int, cell: int) -> ceiling.Floats:
    """What a line pays for a cell, as `ceiling` hands it to `best`, [25, 11]."""
    plain, crossed, centre, _ = prices
    if line >= len(LINE_CELLS) - len(DIAGONALS):
        return plain - centre if cell == CENTRE else 2 * (plain - crossed)
    if cell == CENTRE:
        return centre
    return crossed if cell in DIAGONALS else plain


@pytest.mark.parametrize("seed", range(5))
def test_a_player_pays_no_more_than_is_given_back(seed: int) -> None:
    random, prices = np.random.default_rng(seed), some_prices(seed)
    cells, rolls = random.permutation(CELLS), random.choice(NUMBERS, CELLS, p=P)
    for_cells = for_held = most = 0.0
    for time, (cell, roll) in enumerate(zip(cells, rolls, strict=True)):
        most += prices.held[time, roll, rolls[:time]].sum()
        for line in np.flatnonzero((cell == LINE_CELLS).any(1)).tolist():
            for_cells += cell_price(prices, line, cell)[time, roll]
            for_held += prices.held[time, roll, rolls[:time][np.isin(cells[:time], LINE_CELLS[line])]].sum()
    assert for_cells == pytest.approx(2 * prices.plain[np.arange(CELLS), rolls].sum())
    assert for_held <= most


@pytest.mark.parametrize(("times", "special"), [(6, 1), (6, 2)])
def test_a_line_has_what_brute_force_finds(times: int, special: int) -> None:
    common, rare, _, held = (prices[:times] for prices in some_prices(special, 0.3))
    plain, other, for_held, chances = common.tolist(), rare.tolist(), held.tolist(), P.tolist()

    @cache
    def value(hand: tuple[int, ...], filled: int, time: int) -> float:
        if time == times:
            return combination(bytes(roll + 2 for roll in hand)).points if len(hand) == SIDE else -np.inf
        total = 0.0
        for roll, chance in enumerate(chances):
            ways, after = [value(hand, filled, time + 1)], tuple(sorted((*hand, roll)))
            paid = sum(for_held[time][roll][number] for number in hand)
            if len(hand) - filled < SIDE - special:
                ways.append(value(after, filled, time + 1) - plain[time][roll] - paid)
            if filled < special:
                ways.append(value(after, filled + 1, time + 1) - other[time][roll] - paid)
            total += chance * max(ways)
        return total

    line = ceiling.best(ceiling.WORTH, special, common, rare, held, 0.0)
    assert line.value == pytest.approx(value((), 0, 0))
    assert line.taken.sum() == pytest.approx(SIDE)


def test_the_ceiling_is_above_the_champion_and_smoothing_only_raises_it() -> None:
    prices = some_prices(1, 0.2)
    value, change = ceiling.ceiling(prices)
    assert 72.0 < value < ceiling.ceiling(prices, 0.2)[0]
    others = some_prices(2, 0.2)
    line = sum(
        float((gradient * (there - here)).sum()) for gradient, there, here in zip(change, others, prices, strict=True)
    )
    assert ceiling.ceiling(others)[0] >= value + line


def test_prices_that_are_the_same_everywhere_change_no_choice() -> None:
    prices = some_prices(3, 0.2)
    value, _ = ceiling.ceiling(prices)
    dearer = Prices(prices.plain + 1, prices.crossed + 1, prices.centre + 1, prices.held)
    assert ceiling.ceiling(dearer)[0] == pytest.approx(value)
    pairs_of_rolls, pairs_in_lines = CELLS * (CELLS - 1) / 2, len(LINE_CELLS) * SIDE * (SIDE - 1) / 2
    more_for_pairs = prices._replace(held=prices.held + 1)
    assert ceiling.ceiling(more_for_pairs)[0] == pytest.approx(value + pairs_of_rolls - pairs_in_lines)
