"""The rules of Isis & Osiris, I1 to I10.

Nobody knows a tile before it is turned over (I1), so the state does not know it either: it
counts the values that nobody has seen, and the deal is decided tile by tile as they are turned.
That is the same game: of the unseen tiles, each is equally likely to be the one that is turned.
"""

from typing import Any, NamedTuple, Self

from sobremesa.core.chance import Chance
from sobremesa.core.errors import IllegalMove
from sobremesa.core.result import Result, places
from sobremesa.core.seats import NOBODY, ONE, Seats
from sobremesa.core.state import State
from sobremesa.games.isis_osiris import notation
from sobremesa.games.isis_osiris.editions import Setup, find_setup
from sobremesa.games.isis_osiris.moves import TURN, Move, parse_move
from sobremesa.games.isis_osiris.view import IsisOsirisView

NOTHING = 0
"""No tile is turned over and waiting for a cell."""
FACE_DOWN = 99
"""A tile is being turned over: chance decides its value."""


class _Fields(NamedTuple):
    setup: Setup
    turn: int
    turned: int
    """The value of the tile that was turned over and has to be placed, or NOTHING, or FACE_DOWN."""
    free: int
    """The free cells, a bit for each."""
    stones: tuple[int, ...]
    """The cells under each seat's stones, a bit for each."""
    tiles: tuple[int, ...]
    """The value of the tile on each cell; 0 where there is none."""
    stones_left: tuple[int, ...]
    stocks: tuple[int, ...]
    """How many tiles are left to turn over, in each stock."""
    unseen: tuple[int, ...]
    """How many tiles of each value (``Setup.values``) nobody has seen."""


class IsisOsirisState(_Fields, State[Move]):
    """A position of Isis & Osiris. Who has no piece left is passed over (I10)."""

    __slots__ = ()

    @classmethod
    def begin(cls, edition: str, seats: int, variant: str, memory_aid: bool, starter: int) -> Self:
        """The empty board."""
        setup = find_setup(edition, seats, variant, memory_aid, starter)
        size = setup.edition.size
        return cls(
            setup=setup,
            turn=starter,
            turned=NOTHING,
            free=(1 << size) - 1,
            stones=(0,) * seats,
            tiles=(0,) * size,
            stones_left=setup.stones,
            stocks=setup.stocks,
            unseen=tuple(setup.edition.tiles.values()),
        )

    @property
    def seats(self) -> int:
        return self.setup.seats

    @property
    def options(self) -> dict[str, Any]:
        setup = self.setup
        return {
            "edition": setup.edition.name,
            "seats": setup.seats,
            "variant": setup.variant,
            "memory_aid": setup.memory_aid,
            "starter": setup.starter,
        }

    @property
    def deciding(self) -> Seats:
        return NOBODY if self.turned == FACE_DOWN or not self.free else ONE[self.turn]

    @property
    def chance(self) -> Chance | None:
        """Each unseen tile is equally likely to be the one that is turned over (I1)."""
        if self.turned != FACE_DOWN:
            return None
        left = [(value, count) for value, count in zip(self.setup.values, self.unseen, strict=True) if count]
        return Chance(tuple([value for value, _ in left]), tuple([count for _, count in left]))

    @property
    def over(self) -> bool:
        """The last cell is filled (I6)."""
        return not self.free

    def tiles_left(self, seat: int) -> int:
        """How many tiles the seat can still turn over: its own, or those of the common stock."""
        return self.stocks[self.setup.stock_of[seat]]

    def legal_moves(self, seat: int | None = None) -> tuple[Move, ...]:
        turn, turned, free = self.turn, self.turned, self.free
        if turned == FACE_DOWN or not free or (seat is not None and seat != turn):
            return ()
        moves = self.setup.moves
        if turned:
            return moves.on("tile", free)  # I2
        if not self.tiles_left(turn):
            return moves.on("stone", free)  # I4
        if not self.stones_left[turn]:
            return (TURN,)  # I4
        return (*moves.on("stone", free), TURN)

    def count_moves(self, seat: int | None = None) -> int:
        if self.turned == FACE_DOWN or not self.free or seat not in (None, self.turn):
            return 0
        cells = self.free.bit_count()
        if self.turned:
            return cells
        return (cells if self.stones_left[self.turn] else 0) + (1 if self.tiles_left(self.turn) else 0)

    def play(self, move: Move | str, seat: int | None = None) -> Self:
        if isinstance(move, str):
            move = self.parse_move(move, seat)
        setup, turn, turned, free, stones, tiles, stones_left, stocks, unseen = self
        if not free:
            raise IllegalMove("I6", "isis-osiris.error.the-game-is-over")
        if seat is not None and seat != turn:
            raise IllegalMove("I5", "isis-osiris.error.it-is-not-your-turn")
        if turned == FACE_DOWN:
            raise IllegalMove("I2", "isis-osiris.error.the-tile-is-still-being-turned-over")
        kind, cell, _ = move
        if move == TURN:
            if turned:
                raise IllegalMove("I2", "isis-osiris.error.the-tile-that-you-turned-over-must-be")
            if not self.tiles_left(turn):
                raise IllegalMove("I4", "isis-osiris.error.there-is-no-tile-left-for-you")
            stock = setup.stock_of[turn]
            stocks = stocks[:stock] + (stocks[stock] - 1,) + stocks[stock + 1 :]
            return tuple.__new__(type(self), (setup, turn, FACE_DOWN, free, stones, tiles, stones_left, stocks, unseen))
        known = setup.moves.stones if kind == "stone" else setup.moves.tiles
        if not (0 <= cell < len(known) and known[cell] == move):
            raise IllegalMove("I2", "isis-osiris.error.is-not-on-this-board", move=move)
        bit = 1 << cell
        if kind == "stone":
            if turned:
                raise IllegalMove("I2", "isis-osiris.error.a-tile-that-was-turned-over-must-be")
            left = stones_left[turn]
            if not left:
                raise IllegalMove("I4", "isis-osiris.error.you-have-no-stone-left")
            if not free & bit:
                raise IllegalMove("I2", "isis-osiris.error.that-cell-is-taken")
            stones = stones[:turn] + (stones[turn] | bit,) + stones[turn + 1 :]
            stones_left = stones_left[:turn] + (left - 1,) + stones_left[turn + 1 :]
        else:
            if not turned:
                raise IllegalMove("I2", "isis-osiris.error.turn-a-tile-over-before-you-place-it")
            if not free & bit:
                raise IllegalMove("I2", "isis-osiris.error.that-cell-is-taken")
            tiles = tiles[:cell] + (turned,) + tiles[cell + 1 :]
        seats = setup.seats
        for _ in range(seats):
            turn = (turn + 1) % seats
            if stones_left[turn] or stocks[setup.stock_of[turn]]:
                break
        return tuple.__new__(type(self), (setup, turn, NOTHING, free ^ bit, stones, tiles, stones_left, stocks, unseen))

    def happen(self, outcome: int) -> Self:
        if self.turned != FACE_DOWN:
            raise IllegalMove("I2", "isis-osiris.error.no-tile-is-being-turned-over")
        values, unseen = self.setup.values, self.unseen
        if outcome not in values or not unseen[values.index(outcome)]:
            raise IllegalMove("I1", "isis-osiris.error.no-unseen-tile-has-the-value", value=outcome)
        at = values.index(outcome)
        unseen = unseen[:at] + (unseen[at] - 1,) + unseen[at + 1 :]
        return tuple.__new__(type(self), (*self[:2], outcome, *self[3:8], unseen))

    def parse_move(self, text: str, seat: int | None = None) -> Move:
        return parse_move(text, self.setup.edition, self.turned != NOTHING)

    def worth(self, cell: int) -> int:
        """What a stone on the cell scores: the sum of the tiles beside it (I7)."""
        return sum([self.tiles[beside] for beside in self.setup.edition.neighbours[cell]])

    def scores(self) -> tuple[int, ...]:
        """The totals as the board stands (I7)."""
        return tuple(
            sum([self.worth(cell) for cell in range(len(self.tiles)) if stones >> cell & 1]) for stones in self.stones
        )

    def result(self) -> Result | None:
        """Highest total first; equal totals share the place (I8)."""
        if not self.over:
            return None
        scores = self.scores()
        return Result(scores, places([-score for score in scores]))

    def view(self, seat: int | None) -> IsisOsirisView:
        self.check_seat(seat)
        return IsisOsirisView.of(self, seat)

    def position(self) -> str:
        return notation.write(self)
