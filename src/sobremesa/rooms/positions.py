"""Play from a position, without a room: for lessons, and for positions that are shared by link."""

from random import SystemRandom
from typing import Annotated, Any

from pydantic import Field, StringConstraints

from sobremesa.core.game import Game
from sobremesa.core.state import State
from sobremesa.games import find_game
from sobremesa.rooms.errors import Refusal
from sobremesa.rooms.limits import MAX_LISTED_SEATS
from sobremesa.rooms.messages import After, GameResult, Message, MoveText, Seat, Step
from sobremesa.rooms.pictures import look_ahead, shown_view
from sobremesa.rooms.updates import result_of


class AskPosition(Message):
    """A position, and what happens in it."""

    game: Annotated[str, StringConstraints(max_length=40)]
    """The game's id."""
    position: Annotated[str, StringConstraints(max_length=4_000)] | None = None
    """One line of text; without one a new game begins, set as ``options`` say."""
    options: dict[str, int | str | bool] = Field(default_factory=dict, max_length=10)
    """How the table of a new game is set; what is left out takes its default."""
    seat: Seat | None = None
    """Who moves and looks; without one a spectator looks, or with a move whoever has to decide."""
    move: MoveText | None = None
    """What the seat does, in notation; without one nothing is done."""
    outcome: Annotated[str, StringConstraints(pattern=r"^[+-]?[0-9]{1,4}$")] | None = None
    """What chance brings, if it is its turn; without one, something at random."""


class Position(Message):
    """What that leads to: a position in which somebody has to decide, or the game is over."""

    position: str
    """The position that it leads to, as one line of text."""
    steps: list[Step]
    """The move, then what chance brought; without either, the table as it stands."""
    legal: dict[int, list[str]]
    """The legal moves of each seat that has to decide."""
    over: bool
    """Whether the game is over."""
    result: GameResult | None
    """Once the game is over."""


def check_on(asked: AskPosition) -> After | None:
    """What the move would lead to; raises the rules' own error if it cannot be made."""
    game = find_game(asked.game)
    if asked.move is None:
        play_on(asked)
        return None
    state, seat = _given(game, asked), asked.seat
    state.check_seat(seat)
    if seat is None and len(state.deciding) == 1:
        (seat,) = state.deciding
    return look_ahead(game, state.play(state.parse_move(asked.move, seat), seat).view(seat))


def play_on(asked: AskPosition) -> Position:
    """Makes the move, lets chance have its turn, and looks; raises the rules' own error if that cannot be."""
    game = find_game(asked.game)
    state, seat = _given(game, asked), asked.seat
    state.check_seat(seat)
    viewer = seat
    steps: list[Step] = []

    def happened(mover: int | None, move: str | None, rolled: str | None) -> None:
        views = [shown_view(game, state.view(viewer))]
        position = state.position()
        steps.append(Step(version=len(steps), seat=mover, move=move, rolled=rolled, views=views, position=position))

    if asked.move is not None:
        if seat is None and len(state.deciding) == 1:
            (seat,) = state.deciding
            viewer = seat
        move = state.parse_move(asked.move, seat)
        state = state.play(move, seat)
        happened(seat, str(move), None)
    if asked.outcome is not None and state.chance is None:
        raise Refusal("malformed", "rooms.error.nothing-is-left-to-chance-here")
    given = asked.outcome
    while state.chance is not None:
        outcome = state.chance.draw(SystemRandom()) if given is None else int(given)
        given = None
        state = state.happen(outcome)
        happened(None, None, str(outcome))
    if not steps:
        happened(None, None, None)
    result = state.result()
    return Position(
        position=state.position(),
        steps=steps,
        legal={other: [str(move) for move in state.legal_moves(other)] for other in state.deciding},
        over=state.over,
        result=None if result is None else result_of(result, range(state.seats)),
    )


def _given(game: Game, asked: AskPosition) -> State[Any]:
    if asked.position is None:
        _check_size(int(game.set_table(asked.options)["seats"]))
        return game.start(**asked.options)
    if asked.options:
        raise Refusal("malformed", "rooms.error.a-position-says-itself-how-its-table-is-set")
    state = game.parse_position(asked.position)
    _check_size(state.seats)
    return state


def _check_size(seats: int) -> None:
    if seats > MAX_LISTED_SEATS:
        raise Refusal("malformed", "rooms.error.that-is-for-tables-of-at-most-seats", most=MAX_LISTED_SEATS)
