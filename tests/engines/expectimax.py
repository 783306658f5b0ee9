"""Expectimax: a slow, plain search to compare others with. To the end it is exact, before that an evaluation.

With several seats everybody is taken to want the most for themselves (max^n); among equals the first move counts.
"""

from collections.abc import Callable
from typing import Any

from sobremesa.core.chance import Chance
from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.engines.evaluator import Evaluate, Values, mover, outcome_of
from sobremesa.engines.limit import Limit
from sobremesa.engines.solution import Solution, TimeUp


def solve(game: Game, state: State[Any], memo: dict[State[Any], Values], stop: Callable[[], bool]) -> Values:
    """The exact values of a position: everybody plays perfectly, and chance as it likes."""
    known = memo.get(state)
    if known is not None:
        return known
    if state.over:
        return outcome_of(game, state)
    if stop():
        raise TimeUp
    if (chance := state.chance) is not None:
        values = _weighed(
            [(weight, solve(game, state.happen(outcome), memo, stop)) for outcome, weight in _odds(chance)]
        )
    else:
        seat = mover(state)
        children = (solve(game, state.play(move, seat), memo, stop) for move in state.legal_moves(seat))
        values = max(children, key=lambda values: values[seat])
    memo[state] = values
    return values


def solve_moves(game: Game, state: State[Any], stop: Callable[[], bool]) -> Solution:
    """The exact values of every move; raises TimeUp if it is stopped."""
    memo: dict[State[Any], Values] = {}
    seat = mover(state)
    moves = {move: solve(game, state.play(move, seat), memo, stop) for move in state.legal_moves(seat)}
    return Solution(moves, 0, exact=True)


def look(
    game: Game, state: State[Any], depth: int, evaluate: Evaluate, stop: Callable[[], bool]
) -> tuple[Values, bool]:
    """The values of a position so many moves ahead, and whether every line came to its end."""
    if state.over:
        return outcome_of(game, state), True
    if stop():
        raise TimeUp
    if (chance := state.chance) is not None:
        found = [
            (weight, look(game, state.happen(outcome), depth, evaluate, stop)) for outcome, weight in _odds(chance)
        ]
        return _weighed([(weight, values) for weight, (values, _) in found]), all(exact for _, (_, exact) in found)
    if depth == 0:
        return evaluate([state])[0].values, False
    seat = mover(state)
    lines = [look(game, state.play(move, seat), depth - 1, evaluate, stop) for move in state.legal_moves(seat)]
    return max(lines, key=lambda line: line[0][seat])[0], all(exact for _, exact in lines)


def deepen(game: Game, state: State[Any], evaluate: Evaluate, limit: Limit, deepest: int = 99) -> Solution:
    """Looks one move further as long as the limit allows; the first look is always finished."""
    seat = mover(state)
    found: Solution | None = None
    for depth in range(deepest):
        moves, exact = {}, True
        try:
            for move in state.legal_moves(seat):
                stop = limit.over if found is not None else (lambda: False)
                moves[move], ended = look(game, state.play(move, seat), depth, evaluate, stop)
                exact &= ended
                limit.done += 1
        except TimeUp:
            break
        found = Solution(moves, depth + 1, exact)
        if exact:
            break
    assert found is not None
    return found


def _odds(chance: Chance) -> list[tuple[int, float]]:
    total = chance.total
    return [(outcome, weight / total) for outcome, weight in zip(chance.outcomes, chance.weights, strict=True)]


def _weighed(branches: list[tuple[float, Values]]) -> Values:
    """The mean of the branches' values by their weights."""
    return tuple(sum(weight * values[seat] for weight, values in branches) for seat in range(len(branches[0][1])))
