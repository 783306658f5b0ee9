"""Play from a position, without a room: for lessons, and for positions that are shared by link."""

from random import SystemRandom
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.server.forms import PlainView
from sobremesa.server.messages import Message, MoveText, Seat
from sobremesa.server.room import Refusal

FEW = 24
"""A table of more seats belongs into a room."""


class AskPosition(Message):
    """A position, and what happens in it."""

    game: Annotated[str, StringConstraints(max_length=40)]
    position: Annotated[str, StringConstraints(max_length=4_000)] | None = None
    """One line of text; without one a new game begins, set as ``options`` say."""
    options: dict[str, int | str | bool] = Field(default_factory=dict, max_length=10)
    seat: Seat | None = None
    """Who moves and looks; without one a spectator looks, or with a move whoever has to decide."""
    move: MoveText | None = None
    outcome: Annotated[str, StringConstraints(pattern=r"^[+-]?[0-9]{1,4}$")] | None = None
    """What chance brings, if it is its turn; without one, something at random."""


class Position(Message):
    """What that leads to: a position in which somebody has to decide, or the game is over."""

    position: str
    view: PlainView
    legal: dict[int, list[str]]
    """The legal moves of each seat that has to decide."""
    deciding: list[int]
    rolled: str | None
    """What chance brought."""
    over: bool


def play_on(asked: AskPosition) -> Position:
    """Makes the move, lets chance have its turn, and looks; raises the rules' own error if that cannot be."""
    state, seat, rolled = _given(asked), asked.seat, None
    state.check_seat(seat)
    if asked.move is not None:
        if seat is None and len(state.deciding) == 1:
            (seat,) = state.deciding
        state = state.play(state.parse_move(asked.move, seat), seat)
    if asked.outcome is not None and state.chance is None:
        raise Refusal("malformed", "nothing is left to chance here")
    while state.chance is not None:
        first = rolled is None and asked.outcome is not None
        outcome = int(asked.outcome or 0) if first else state.chance.draw(SystemRandom())
        state, rolled = state.happen(outcome), str(outcome)
    return Position(
        position=state.position(),
        view=state.view(seat).as_dict(),
        legal={other: [str(move) for move in state.legal_moves(other)] for other in state.deciding},
        deciding=list(state.deciding),
        rolled=rolled,
        over=state.over,
    )


def _given(asked: AskPosition) -> State[Any]:
    game = find_game(asked.game)
    if asked.position is None:
        _check_size(int(game.set_table(asked.options)["seats"]))
        return game.start(**asked.options)
    if asked.options:
        raise Refusal("malformed", "a position says itself how its table is set: leave the options out")
    state = game.parse_position(asked.position)
    _check_size(state.seats)
    return state


def _check_size(seats: int) -> None:
    if seats > FEW:
        raise Refusal("malformed", "that is for tables of at most {most} seats: open a room", most=FEW)
