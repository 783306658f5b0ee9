"""The end of Callisto, counted out exactly.

Everybody is taken to want the most for themselves (max^n): to be first, and by as much as possible. With two seats that
is alpha-beta over the margin. With more, among equals the first move counts, the biggest tiles before the smaller ones.

Where nobody can come into anybody's way any more, everybody fills their own room as well as it can be filled: a puzzle
for one. What is the same to the future is the same position, however it came about: a transposition table keeps it.
"""

from collections.abc import Callable
from functools import cache

from sobremesa.core.result import Result, places
from sobremesa.engines.evaluator import Values, outcome
from sobremesa.engines.solution import Solution, TimeUp
from sobremesa.games.callisto import GAME
from sobremesa.games.callisto.board import PILLAR, Board, Placement, bits
from sobremesa.games.callisto.notation import squares
from sobremesa.games.callisto.state import CallistoState

MAX_MOVES = 120
"""With more moves, all seats' together, the end is too far away to be counted out."""
OPENING_PILLARS = 2
"""The pillars that everybody begins with (C2)."""
OTHER_MOVES_EFFORT = 2
"""The best move's value is found first; with the others, the search may take this many times the positions."""
_INFINITE_LEAD = 1000

Hand = tuple[int, ...]
Penalties = tuple[int, ...]


def may_be_solved(state: CallistoState) -> bool:
    """Whether it is worth a try: few moves are left, and not because the first pillars leave little choice (C2)."""
    seats = [seat for seat in range(state.seats) if not state.is_out(seat)]
    if any(state.sides[seat].pillars.bit_count() < OPENING_PILLARS for seat in seats):
        return False
    return sum(state._replace(turn=seat).count_moves() for seat in seats) <= MAX_MOVES


@cache
def _covering(board: Board) -> list[list[tuple[int, int, int]]]:
    """For each cell the tiles that can lie on it, the biggest first: kind, squares and cells."""
    found: list[list[tuple[int, int, int]]] = [[] for _ in range(board.stride * board.height)]
    for plane in board.planes:
        for placement in plane.values():
            tile = (board.pieces.index(placement.piece), squares(placement.piece), placement.cells)
            for cell in bits(placement.cells):
                found[cell].append(tile)
    for tiles in found:
        tiles.sort(key=lambda tile: -tile[1])
    return found


class Endgame:
    """Looks at one position and what can come of it."""

    def __init__(self, state: CallistoState, stop: Callable[[], bool]) -> None:
        self._state = state
        self._stop = stop
        self._board = state.board
        self._sizes = {piece: squares(piece) for piece in self._board.pieces} | {PILLAR: 0}
        self._per_kind = [self._sizes[piece] for piece in self._board.pieces]
        self._covering = _covering(self._board)
        self._leads: dict[object, tuple[int, int]] = {}
        self._ends: dict[object, Penalties] = {}
        self._filled: dict[tuple[int, int, Hand], tuple[int, bool]] = {}
        self.positions = 0

    def moves(self, wanted: Callable[[Placement], bool] = lambda move: False) -> Solution:
        """The exact values of the best move, of those that are wanted, and of others that are soon known.

        Raises TimeUp if it is stopped.
        """
        state = self._state
        if state.seats > 2:
            found = {move: self._valued(self._end(state.play(move))) for move in self._ordered(state, 0)}
            return Solution(found, 0, exact=True)
        now, seat = [self._penalty(state, seat) for seat in range(2)], state.turn
        leads, rest, best = {}, [], -_INFINITE_LEAD
        for move in self._ordered(state, self._rooms(state)[1 - seat]):
            lead = self._lead_after(state, move, best, _INFINITE_LEAD)
            if lead > best:
                leads[move] = best = lead
            else:
                rest.append(move)
        enough = OTHER_MOVES_EFFORT * self.positions
        for move in rest:
            if self.positions < enough or wanted(move):
                leads[move] = self._lead_after(state, move, -_INFINITE_LEAD, _INFINITE_LEAD)
        values = {}
        for move, lead in leads.items():
            behind = now[seat] - now[1 - seat] - lead
            values[move] = self._valued((behind, 0) if seat == 0 else (0, behind))
        return Solution(values, 0, exact=True)

    def _valued(self, penalties: Penalties) -> Values:
        """What final penalties are worth (C10); only their differences count."""
        keys = [(penalty, -self._state.turn_order(seat)) for seat, penalty in enumerate(penalties)]
        return outcome(GAME, Result(penalties, places(keys)))

    def _lead(self, state: CallistoState, low: int, high: int) -> int:
        """How many squares more than the other the mover will place from here on; outside the window a bound of it."""
        if state.over:
            return 0
        rooms, mover = self._rooms(state), state.turn
        if self._apart(state, rooms):
            return self._fill(state, mover, rooms[mover]) - self._fill(state, 1 - mover, rooms[1 - mover])
        key = self._key(state, rooms)
        least, most = self._leads.get(key, (-_INFINITE_LEAD, _INFINITE_LEAD))
        least = max(least, -min(self._penalty(state, 1 - mover), rooms[1 - mover].bit_count()))
        most = min(most, self._penalty(state, mover), rooms[mover].bit_count())
        if least >= high or least >= most:
            return least
        if most <= low:
            return most
        self._count()
        low, high, best = max(low, least), min(high, most), -_INFINITE_LEAD
        for move in self._ordered(state, rooms[1 - mover]):
            best = max(best, self._lead_after(state, move, max(low, best), high))
            if best >= high:
                break
        self._leads[key] = (least if best <= low else max(least, best)), (most if best >= high else min(most, best))
        return best

    def _lead_after(self, state: CallistoState, move: Placement, low: int, high: int) -> int:
        """The same if the mover begins with this move."""
        size, after = self._sizes[move.piece], state.play(move)
        if after.turn == state.turn:
            return size + self._lead(after, low - size, high - size)
        return size - self._lead(after, size - high, size - low)

    def _end(self, state: CallistoState) -> Penalties:
        """The penalties that the game ends with."""
        now = tuple(self._penalty(state, seat) for seat in range(state.seats))
        if state.over:
            return now
        rooms = self._rooms(state)
        if self._apart(state, rooms):
            return tuple(penalty - self._fill(state, seat, rooms[seat]) for seat, penalty in enumerate(now))
        key = self._key(state, rooms)
        known = self._ends.get(key)
        if known is not None:
            return known
        self._count()
        seat = state.turn
        least = now[seat] - min(now[seat], rooms[seat].bit_count())
        bound = self._valued(now[:seat] + (least,) + now[seat + 1 :])[seat]
        best, worth = now, -float(_INFINITE_LEAD)
        for move in self._ordered(state, 0):
            found = self._end(state.play(move))
            value = self._valued(found)[seat]
            if value > worth:
                best, worth = found, value
                if worth >= bound:
                    break
        self._ends[key] = best
        return best

    def _ordered(self, state: CallistoState, wanted: int) -> list[Placement]:
        """The moves, those that place the most first, and take the most of what somebody else could use."""
        sizes = self._sizes
        return sorted(state.legal_moves(), key=lambda move: -sizes[move.piece] - (move.cells & wanted).bit_count())

    def _apart(self, state: CallistoState, rooms: list[int]) -> bool:
        """Whether nobody can come into anybody's way any more."""
        together = 0
        for seat, room in enumerate(rooms):
            if room & together or (not state.is_out(seat) and state.pillars_left(seat)):
                return False
            together |= room
        return True

    def _key(self, state: CallistoState, rooms: list[int]) -> object:
        """What is the same to the future is the same position: penalties follow from the hands.

        Where pillars are left it matters what lies where (C6).
        """
        sides = state.sides
        if any(state.pillars_left(seat) for seat in range(state.seats) if not state.is_out(seat)):
            return state.turn, state.out, *((side.cells, side.pillars, side.hand) for side in sides)
        touching = [self._board.beside(side.cells) & room for room, side in zip(rooms, sides, strict=True)]
        return state.turn, state.out, *rooms, *touching, *(side.hand for side in sides)

    def _rooms(self, state: CallistoState) -> list[int]:
        """The cells that each seat could still cover, if the others let it."""
        free = state.free
        rooms = []
        for seat, side in enumerate(state.sides):
            room = 0 if state.is_out(seat) else self._coverable(side.hand, free)
            if room and not state.pillars_left(seat):
                room = self._flooded(self._board.beside(side.cells), room)
            rooms.append(room)
        return rooms

    def _coverable(self, hand: Hand, free: int) -> int:
        """The free cells that a tile in hand could lie on."""
        board = self._board
        kinds = sum(1 << kind for kind, left in enumerate(hand) if left)
        fit = [free >> shift for shift in board.shifts]
        cells = 0
        for smaller, square, orientation in board.plan(kinds):
            fits = fit[smaller] & fit[square]
            fit.append(fits)
            if fits and orientation is not None:
                for x, y in board.orientations[orientation].offsets:
                    cells |= fits << y * board.stride + x
        return cells

    def _flooded(self, start: int, room: int) -> int:
        """What of a room can be reached from some cells."""
        beside, reached = self._board.beside, start & room
        while (further := (reached | beside(reached)) & room) != reached:
            reached = further
        return reached

    def _fill(self, state: CallistoState, seat: int, room: int) -> int:
        """The most squares that a seat can place in a room of its own."""
        side = state.sides[seat]
        return self._filling(self._board.beside(side.cells) & room, room, side.hand, 0)

    def _filling(self, touching: int, room: int, hand: Hand, least: int) -> int:
        """The most squares that fit a room, beginning at the cells that touch; where no more than least, a bound of it.

        One cell at a time: some tile covers it, or none ever will.
        """
        room = self._flooded(touching, room)
        touching &= room
        bound = min(self._squares(hand), room.bit_count())
        if bound <= least:
            return bound
        key = touching, room, hand
        value, exact = self._filled.get(key, (bound, False))
        if exact or value <= least:
            return value
        self._count()
        beside, best = self._board.beside, 0
        cell = touching & -touching
        for kind, size, cells in self._covering[cell.bit_length() - 1]:
            if hand[kind] and not cells & ~room:
                rest, left = room ^ cells, hand[:kind] + (hand[kind] - 1,) + hand[kind + 1 :]
                found = self._filling((touching | beside(cells)) & rest, rest, left, max(best, least) - size)
                best = max(best, size + found)
                if best >= bound:
                    break
        else:
            best = max(best, self._filling(touching ^ cell, room ^ cell, hand, max(best, least)))
        self._filled[key] = best, best > least
        return best

    def _penalty(self, state: CallistoState, seat: int) -> int:
        return self._squares(state.sides[seat].hand)

    def _squares(self, hand: Hand) -> int:
        """The squares on the tiles of a hand."""
        return sum([left * size for left, size in zip(hand, self._per_kind, strict=True)])

    def _count(self) -> None:
        self.positions += 1
        if not self.positions & 63 and self._stop():
            raise TimeUp
