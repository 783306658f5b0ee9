"""The rules of Callisto, C1 to C10."""

from bisect import bisect
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple, Self

from sobremesa.core.chance import Chance
from sobremesa.core.errors import IllegalMove
from sobremesa.core.result import Result, places
from sobremesa.core.seats import NOBODY, ONE, Seats
from sobremesa.core.state import State
from sobremesa.games.callisto import notation
from sobremesa.games.callisto.board import PILLAR, Board, Placement, bits, find_board, nth_bit
from sobremesa.games.callisto.editions import PillarRule
from sobremesa.games.callisto.view import CallistoView

OVER = -1


class Side(NamedTuple):
    """What one seat has on the board and in hand."""

    cells: int
    """All cells under its tiles and pillars."""
    pillars: int
    """The cells under its pillars."""
    placed: tuple[int, ...]
    """The cells of each piece on the board, in ascending order."""
    hand: tuple[int, ...]
    """How many of each tile are left, in the order of ``Board.pieces``."""


class _Fields(NamedTuple):
    board: Board
    starter: int
    turn: int
    out: int
    sides: tuple[Side, ...]


class CallistoState(_Fields, State[Placement]):
    """A position of Callisto."""

    __slots__ = ()

    @classmethod
    def begin(cls, edition: str, seats: int, starter: int) -> Self:
        """The empty board (C1: the starter was chosen when the table was set)."""
        board = find_board(edition, seats)
        side = Side(0, 0, (), tuple(board.edition.tiles.values()))
        return cls(board, starter, starter, 0, (side,) * seats)

    @property
    def seats(self) -> int:
        return self.board.seats

    @property
    def options(self) -> dict[str, Any]:
        return {"edition": self.board.edition.name, "seats": self.seats, "starter": self.starter}

    @property
    def deciding(self) -> Seats:
        return NOBODY if self.turn == OVER else ONE[self.turn]

    @property
    def chance(self) -> Chance | None:
        return None

    @property
    def over(self) -> bool:
        return self.turn == OVER

    def legal_moves(self, seat: int | None = None) -> list[Placement]:
        if self.over or seat not in (None, self.turn):
            return []
        holds = self.board.holds
        return [holds[hold][anchor] for hold, anchors in self.fits(self.turn) for anchor in bits(anchors)]

    def count_moves(self, seat: int | None = None) -> int:
        if self.over or seat not in (None, self.turn):
            return 0
        return sum(anchors.bit_count() for _, anchors in self.fits(self.turn))

    def random_move(self, random: Random, seat: int | None = None) -> Placement:
        if self.over or seat not in (None, self.turn):
            raise IndexError("there is no legal move")
        fits = list(self.fits(self.turn))
        ticket = int(random.random() * sum([anchors.bit_count() for _, anchors in fits]))
        for hold, anchors in fits:
            size = anchors.bit_count()
            if ticket < size:
                return self.board.holds[hold][nth_bit(anchors, ticket)]
            ticket -= size
        raise IndexError("there is no legal move")

    def play(self, move: Placement | str, seat: int | None = None) -> Self:
        if isinstance(move, str):
            move = self.parse_move(move, seat)
        turn = self.turn
        if turn == OVER:
            raise IllegalMove("C9", "callisto.error.the-game-is-over")
        if seat is not None and seat != turn:
            raise IllegalMove("C1", "callisto.error.it-is-not-your-turn")
        self._check(move)
        board, _, _, out, sides = self
        cells, pillars, placed, hand = sides[turn]
        where = bisect(placed, move.cells)
        placed = placed[:where] + (move.cells,) + placed[where:]
        if move.piece == PILLAR:
            side = Side(cells | move.cells, pillars | move.cells, placed, hand)
        else:
            kind = board.pieces.index(move.piece)
            hand = hand[:kind] + (hand[kind] - 1,) + hand[kind + 1 :]
            side = Side(cells | move.cells, pillars, placed, hand)
        return self._pass_turn(sides[:turn] + (side,) + sides[turn + 1 :], out)

    def happen(self, outcome: int) -> Self:
        raise IllegalMove("C2", "callisto.error.nothing-is-left-to-chance-in-callisto")

    def parse_move(self, text: str, seat: int | None = None) -> Placement:
        return notation.parse_move(text, self)

    def result(self) -> Result | None:
        """Penalties (C9), and places with the later starter ahead among equals (C10)."""
        if not self.over:
            return None
        penalties = tuple(self.penalty(seat) for seat in range(self.seats))
        return Result(penalties, places([(penalty, -self.turn_order(seat)) for seat, penalty in enumerate(penalties)]))

    def penalty(self, seat: int) -> int:
        """The squares on the seat's unplaced tiles (C9); pillars cost nothing."""
        return sum(
            left * notation.squares(piece) for piece, left in zip(self.board.pieces, self.sides[seat].hand, strict=True)
        )

    def pillars_left(self, seat: int) -> int:
        """How many pillars the seat has not placed yet."""
        return len(self.board.edition.pillars) - self.sides[seat].pillars.bit_count()

    def turn_order(self, seat: int) -> int:
        """0 for the starter, 1 for the next, and so on (C1)."""
        return (seat - self.starter) % self.seats

    def is_out(self, seat: int) -> bool:
        """Whether the seat is out for good (C8)."""
        return bool(self.out >> seat & 1)

    def view(self, seat: int | None) -> CallistoView:
        self.check_seat(seat)
        return CallistoView(seat, self)

    def position(self) -> str:
        return notation.write(self)

    def can_place(self, seat: int) -> bool:
        """Whether the seat could place anything now."""
        return next(self.fits(seat), None) is not None

    @property
    def free(self) -> int:
        """The cells on which nothing lies."""
        free = self.board.cells
        for side in self.sides:
            free ^= side.cells
        return free

    def fits(self, seat: int) -> Iterator[tuple[int, int]]:
        """Where each piece of the seat may go: how it is held (an index in ``Board.holds``), and the legal anchors."""
        board = self.board
        side = self.sides[seat]
        free = self.free
        standing = side.pillars.bit_count()
        if standing < 3:
            cells = free & self.pillar_cells(board.edition.pillars[standing])
            if cells:
                yield 0, cells
            if standing < 2:  # C2
                return
        touching = board.beside(side.cells) & free  # C3
        if not touching:
            return
        kinds = 0
        for kind, left in enumerate(side.hand):
            if left:
                kinds |= 1 << kind
        fit = [free >> shift for shift in board.shifts]
        touch = [touching >> shift for shift in board.shifts]
        for smaller, square, orientation in board.plan(kinds):
            fits = fit[smaller] & fit[square]
            touches = touch[smaller] | touch[square]
            fit.append(fits)
            touch.append(touches)
            if orientation is not None and (anchors := fits & touches):
                yield orientation + 1, anchors

    def pillar_cells(self, rule: PillarRule) -> int:
        """Where that pillar may stand, whether free or not (C4, C5, C6)."""
        board = self.board
        cells = board.rim if rule.on == "along the frame" else board.cells & ~board.centre
        if rule.apart or rule.beside_tiles:
            pillars = tiles = 0
            for side in self.sides:
                pillars |= side.pillars
                tiles |= side.cells ^ side.pillars
            if rule.beside_tiles:
                cells |= board.beside(tiles) & board.cells
            if rule.apart:
                cells &= ~board.beside(pillars)
        return cells

    def _check(self, move: Placement) -> None:
        """Raises the error that says which rule the move breaks."""
        board, side = self.board, self.sides[self.turn]
        if not (0 <= move.number < len(board.placements) and board.placements[move.number] == move):
            raise IllegalMove("C3", "callisto.error.does-not-lie-on-this-board", move=move)
        standing = side.pillars.bit_count()
        if move.piece != PILLAR:
            if standing < 2:
                raise IllegalMove("C2", "callisto.error.your-first-and-second-turn-place-a-pillar")
            if not side.hand[board.pieces.index(move.piece)]:
                raise IllegalMove("C2", "callisto.error.you-have-no-tile-left", piece=move.piece)
            if move.cells & ~self.free:
                raise IllegalMove("C3", "callisto.error.the-tile-would-lie-on-a-cell-that-is-taken")
            if not board.beside(side.cells) & move.cells:
                raise IllegalMove("C3", "callisto.error.the-tile-touches-nothing-of-yours")
            return
        if standing == len(board.edition.pillars):
            raise IllegalMove("C2", "callisto.error.you-have-no-pillar-left")
        rule = board.edition.pillars[standing]
        if move.cells & ~self.free:
            raise IllegalMove(rule.number, "callisto.error.that-cell-is-taken")
        if move.cells & ~self.pillar_cells(rule):
            if rule.on == "outside the centre":
                raise IllegalMove(rule.number, "callisto.error.a-pillar-may-not-stand-in-the-centre")
            if board.beside(move.cells) & self._all_pillars():
                raise IllegalMove(rule.number, "callisto.error.a-pillar-may-not-stand-side-by-side")
            if rule.beside_tiles:
                raise IllegalMove(rule.number, "callisto.error.the-third-pillar-stands-along-the-frame-or-beside")
            raise IllegalMove(rule.number, "callisto.error.your-first-two-pillars-stand-along-the-frame")

    def _all_pillars(self) -> int:
        pillars = 0
        for side in self.sides:
            pillars |= side.pillars
        return pillars

    def _pass_turn(self, sides: tuple[Side, ...], out: int) -> Self:
        """The next seat that can place something; those who cannot on their turn are out (C7, C8, C9)."""
        board, starter, turn = self.board, self.starter, self.turn
        seats = board.seats
        for _ in range(seats):
            turn = (turn + 1) % seats
            if not out >> turn & 1:
                state = tuple.__new__(type(self), (board, starter, turn, out, sides))
                if state.can_place(turn):
                    return state
                out |= 1 << turn
        return tuple.__new__(type(self), (board, starter, OVER, out, sides))
