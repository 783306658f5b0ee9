"""Reversi for Sobremesa."""

from collections.abc import Sequence
from random import Random

from sobremesa.core.game import Game, Option
from sobremesa.core.words import Sentence, Words
from sobremesa_reversi.state import MOVES, Move, ReversiState, parse_position
from sobremesa_reversi.view import ReversiView

CORNERS = {"a1", "h1", "a8", "h8"}


def _heuristic(view: ReversiView, moves: Sequence[Move]) -> list[float]:
    """Corners first, then the fewest answers."""
    after = [view.state.play(move) for move in moves]
    return [20.0 * (str(move) in CORNERS) - state.count_moves() for move, state in zip(moves, after, strict=True)]


def _sample(view: ReversiView, random: Random) -> ReversiState:
    return view.state  # nothing is hidden


def _describe(move: Move) -> Sentence:
    return "reversi.disc", {"cell": str(move)}


def _describe_chance(outcome: int) -> Sentence:
    raise AssertionError("nothing is left to chance")


GAME = Game(
    id="reversi",
    name="Reversi",
    version=1,
    package=__name__,
    designer="Lewis Waterman and John Mollett",
    aim="reversi.aim",
    minutes=20,
    age=7,
    rule_prefix="R",
    rule_count=6,
    words=Words(
        describe=_describe,
        describe_chance=_describe_chance,
        group=lambda move: str(move)[0],
        help=("reversi.help",),
        short=str,
    ),
    options=(Option("seats", 2, choices=(2,)), Option("starter", 0)),
    begin=ReversiState.begin,
    parse_position=parse_position,
    heuristic=_heuristic,
    sample=_sample,
    all_moves=lambda state: MOVES,
    max_steps=lambda options: 60,
)
