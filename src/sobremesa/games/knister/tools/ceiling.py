"""A figure that no player of Knister can have more than, on average: ``python ceiling.py``.

Let each of the twelve lines choose its own five rolls, as they come and for its own good alone. All lines together then
have no less than any player. What ties the lines to each other is kept in mind with prices (Lagrangian relaxation):

- A line pays for each roll that it takes. The lines through one cell pay the same together, whichever cell it is, so
  that a player, who writes every roll in one cell, pays a sum that is known, and it is given back.
- A line pays for each number that it holds already when it takes a roll. No two cells share two lines, so the lines
  through the roll's cell hold each earlier roll once at most. What a player would pay if they held all is given back.

So at any prices the lines' values and what is given back are no less than what any player can have (weak duality), and
the prices are moved to where the sum is least. A line's value is counted out exactly by dynamic programming: 1,365
hands of up to four rolls, how many of its special cells are full, 25 rolls to come. The search for prices (L-BFGS)
smooths every choice a little, or it would not know where to go; the figure that is printed smooths nothing.
"""

import argparse
from collections.abc import Callable
from itertools import combinations_with_replacement
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.knister.engine.lines import ODDS, ROLLS
from sobremesa.games.knister.scoring import CELLS, SIDE, combination

Floats = NDArray[np.float64]
Smoothed = Callable[[Floats], tuple[float, Floats]]
"""A function and its gradient."""

P: Floats = ODDS.astype(np.float64) / ODDS.astype(np.float64).sum()
"""How likely each roll is, [11]."""
HANDS = [hand for size in range(SIDE + 1) for hand in combinations_with_replacement(range(len(ROLLS)), size)]
_NUMBER = {hand: number for number, hand in enumerate(HANDS)}
OPEN = sum(len(hand) < SIDE for hand in HANDS)
"""So many hands, the first ones, are not full."""
SIZE = np.array([len(hand) for hand in HANDS])
WORTH: Floats = np.array([float(combination(bytes(k + 2 for k in hand)).points) for hand in HANDS[OPEN:]])
NEXT = np.array([[_NUMBER[tuple(sorted((*hand, roll)))] for roll in range(len(ROLLS))] for hand in HANDS[:OPEN]])
"""The hand after each roll, [1365, 11]."""
HELD: Floats = np.array([[hand.count(roll) for roll in range(len(ROLLS))] for hand in HANDS[:OPEN]], np.float64)
"""How many of each number a hand holds, [1365, 11]."""
_RULED_OUT = -1e4
"""Worse than anything that can happen. That it is finite can only raise the figure."""
_MEMORY = 20
"""Steps that L-BFGS remembers."""
_DECREASE = 1e-4
"""The part of the decrease that the gradient promises without which a step is halved (Armijo)."""
_MAX_HALVINGS = 20


class Prices(NamedTuple):
    """What lines pay, by the time and the roll that is taken. The cells' kinds are those that the lines tell apart."""

    plain: Floats
    """A row or column, for a cell on no diagonal, [25, 11]."""
    crossed: Floats
    """A row or column, for one of the eight cells on one diagonal, [25, 11]."""
    centre: Floats
    """The middle row or column, for the centre, [25, 11]."""
    held: Floats
    """Every line, for each number that it holds already, [25, 11, 11]; none is below nothing."""


class Line(NamedTuple):
    """The most that a line can have on average, and what it does then."""

    value: float
    taken: Floats
    """How often it takes each roll at each time in a common cell, and in a special one, [2, 25, 11]."""
    held: Floats
    """How many of each number it holds then, on average, times how often, [25, 11, 11]."""


def best(worth: Floats, special: int, common_price: Floats, special_price: Floats, held: Floats, width: float) -> Line:
    """One line with so many special cells, which pays for what it takes; in the end it must be full.

    ``worth`` are the points of full hands, [3003]; a width above 0 smooths every choice, upwards.
    """
    times, filled = len(common_price), np.arange(special + 1)[:, None]
    possible = (filled <= SIZE) & (SIZE - filled <= SIDE - special)
    value = np.full((special + 1, len(HANDS)), _RULED_OUT)
    value[special, OPEN:] = worth
    chances = np.empty((times, 2, special + 1, *NEXT.shape))
    for time in reversed(range(times)):
        after, held_price = value[:, NEXT], HELD @ held[time].T
        common = after - (common_price[time] + held_price)
        rare = np.full_like(common, _RULED_OUT)
        rare[:-1] = after[1:] - (special_price[time] + held_price)
        taking, which = larger(rare, common, width)
        most, take = larger(taking, np.broadcast_to(value[:, :OPEN, None], taking.shape), width)
        chances[time] = take * (1 - which), take * which
        value[:, :OPEN] = most @ P
        value[:, (SIZE < SIDE) & (times - time < SIDE - SIZE)] = _RULED_OUT
        value[~possible] = _RULED_OUT
    here, taken, holding = np.zeros((special + 1, OPEN)), np.zeros((2, times, len(P))), np.zeros_like(held)
    here[0, 0] = 1.0
    for time in range(times):
        flow = here[..., None] * P
        moved = flow * chances[time]
        taken[:, time] = moved.sum((1, 2))
        holding[time] = moved.sum((0, 1)).T @ HELD
        here = (flow - moved.sum(0)).sum(2)
        arriving = moved[0]
        arriving[1:] += moved[1, :-1]
        for count in range(special + 1):
            here[count] += np.bincount(NEXT.reshape(-1), arriving[count].reshape(-1), len(HANDS))[:OPEN]
    return Line(float(value[0, 0]), taken, holding)


def larger(one: Floats, other: Floats, width: float) -> tuple[Floats, Floats]:
    """The larger of two, smoothed upwards where they differ by less than the width, and the weight of the first."""
    if not width:
        return np.maximum(one, other), (one > other).astype(np.float64)
    apart = (one - other) / width
    weight = np.clip((apart + 1) / 2, 0, 1)
    return other + width * (weight**2 + np.maximum(apart - 1, 0)), weight


def ceiling(prices: Prices, width: float = 0.0) -> tuple[float, Prices]:
    """The most that any player can have, as far as these prices show it, and how it changes with each price."""
    plain, crossed, centre, held = prices
    outer = best(WORTH, 2, plain, crossed, held, width)
    middle = best(WORTH, 1, plain, centre, held, width)
    # The lines through a cell pay twice the plain price together: two of them, three on a diagonal, four in the centre.
    diagonal = best(2 * WORTH, 1, 2 * (plain - crossed), plain - centre, held, width)
    earlier = np.arange(len(plain))[:, None, None] * P[:, None] * P
    given_back = 2 * float((plain @ P).sum()) + float((held * earlier).sum())
    return 8 * outer.value + 2 * middle.value + 2 * diagonal.value + given_back, Prices(
        2 * P - 8 * outer.taken[0] - 2 * middle.taken[0] - 4 * diagonal.taken[0] - 2 * diagonal.taken[1],
        4 * diagonal.taken[0] - 8 * outer.taken[1],
        2 * diagonal.taken[1] - 2 * middle.taken[1],
        earlier - 8 * outer.held - 2 * middle.held - 2 * diagonal.held,
    )


_SHAPES = [(CELLS, len(P))] * 3 + [(CELLS, len(P), len(P))]
_ENDS = np.cumsum([np.prod(shape) for shape in _SHAPES])
_SCALE = [1 / np.sqrt(P)] * 3 + [1 / np.sqrt(np.sqrt(np.outer(P, P)))]
"""Rolls that are rare tell less of their prices: longer steps."""


def prices_at(point: Floats) -> Prices:
    """The prices at a point of the search; it holds the root of prices that are not below nothing."""
    parts = [part.reshape(shape) for part, shape in zip(np.split(point, _ENDS[:-1]), _SHAPES, strict=True)]
    plain, crossed, centre, root = (part * scale for part, scale in zip(parts, _SCALE, strict=True))
    return Prices(plain, crossed, centre, root**2)


def smoothed(point: Floats, width: float) -> tuple[float, Floats]:
    """The smoothed ceiling at a point of the search, and its gradient there."""
    value, change = ceiling(prices_at(point), width)
    root = point[_ENDS[2] :].reshape(_SHAPES[3]) * _SCALE[3]
    by_root = (*change[:3], change.held * 2 * root)
    return value, np.concatenate([(part * scale).reshape(-1) for part, scale in zip(by_root, _SCALE, strict=True)])


def descend(function: Smoothed, point: Floats, steps: int) -> Floats:
    """A point where the function is less, by so many steps of L-BFGS."""
    value, gradient = function(point)
    past: list[tuple[Floats, Floats]] = []
    for _ in range(steps):
        way = -direction(gradient, past)
        decrease, length = float(way @ gradient), 1.0 if past else 1 / max(1.0, sqrt(gradient @ gradient))
        for _ in range(_MAX_HALVINGS):
            there, steeper = function(point + length * way)
            if there <= value + _DECREASE * length * decrease:
                break
            length /= 2
        else:
            return point
        moved, turned = length * way, steeper - gradient
        if moved @ turned > 0:
            past = [*past[1 - _MEMORY :], (moved, turned)]
        point, value, gradient = point + moved, there, steeper
    return point


def direction(gradient: Floats, past: list[tuple[Floats, Floats]]) -> Floats:
    """The gradient times what the last steps tell of the inverse Hessian (the two-loop recursion)."""
    found, parts = gradient.copy(), []
    for moved, turned in reversed(past):
        parts.append(float(moved @ found) / float(moved @ turned))
        found -= parts[-1] * turned
    if past:
        moved, turned = past[-1]
        found *= float(moved @ turned) / float(turned @ turned)
    for (moved, turned), part in zip(past, reversed(parts), strict=True):
        found += (part - float(turned @ found) / float(moved @ turned)) * moved
    return found


def main() -> None:
    """Prints the ceiling, ever lower."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--widths", default="0.5,0.2,0.1,0.05,0.02,0.01", help="of smoothing, in points (%(default)s)")
    parser.add_argument("--steps", type=int, default=150, help="with each (%(default)s)")
    chosen = parser.parse_args()
    point = np.concatenate([np.full(_ENDS[2], 0.3), np.full(_ENDS[3] - _ENDS[2], 0.1)])
    for width in map(float, chosen.widths.split(",")):
        point = descend(lambda at, width=width: smoothed(at, width), point, chosen.steps)  # type: ignore[misc]
        print(
            f"smoothed by {width}: nobody can have more on average than {ceiling(prices_at(point))[0]:.2f}", flush=True
        )


if __name__ == "__main__":
    main()
