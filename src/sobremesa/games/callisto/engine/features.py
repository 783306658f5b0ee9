"""The features of positions that the network for Callisto takes, and the placements that its policy means.

The form is that of :mod:`sobremesa.games.callisto.batch.observation`, on the smallest canvas of the board. Policies are
planes, one for each way to hold a piece of the house; a piece is held by the middle of the box around it.
"""

from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from sobremesa.games.callisto.board import PILLAR, Board, Orientation, Placement, turned
from sobremesa.games.callisto.editions import EDITIONS, SHAPES
from sobremesa.games.callisto.state import CallistoState

Floats = NDArray[np.float32]
Ints = NDArray[np.int64]
Perturb = Callable[[Floats], Floats]

SLOTS = 4
"""The slots for seats, counted from the mover onwards."""
KINDS = (PILLAR, *SHAPES)
"""Every piece of the house, whether an edition has it or not."""
HOLDS = (Orientation(PILLAR, "", ((0, 0),)), *(hold for piece in SHAPES for hold in turned(piece)))
"""Every way to hold a piece: a plane of the policy for each."""
PLANES, NUMBERS = 3 * SLOTS + 4, 70
"""How many planes and how many numbers the features have."""
KIND = slice(64, 69)
"""Which of the numbers tell the kind of table."""
SQUARES = np.array([0, *(shape.count("#") for shape in SHAPES.values())])
"""What an unplaced piece costs (C9), [12]."""
MAX_COPIES = np.array(
    [3, *(max(edition.tiles.get(piece, 0) for edition in EDITIONS.values()) for piece in SHAPES)], np.float32
)
"""The most copies of each piece that an edition has, [12]."""
_ALL_SQUARES = np.float32(SQUARES @ MAX_COPIES)


def kind_of(edition: str, seats: int) -> tuple[float, ...]:
    """The numbers that tell a kind of table: one of three for the seats, one of two for the edition."""
    return (*(float(seats == each) for each in (2, 3, 4)), *(float(edition == name) for name in EDITIONS))


class Canvas:
    """How the positions of one board are drawn. There is one of each: get it from ``canvas(board)``.

    A set of cells goes into a row of bytes as it is, the board's spare column included.
    """

    def __init__(self, board: Board) -> None:
        assert board.width == board.height, "every board lies in a square"
        assert KINDS[1 : 1 + len(board.pieces)] == board.pieces, "an edition's tiles are the first of the house"
        self.board = board
        self.side = board.width
        self.bytes = -(-board.stride * board.height // 8)
        self.number, self.at = self._places()
        """Of each anchor of each way to hold a piece, the placement's number, and where it lies in a policy."""
        seats, edition = board.seats, board.edition.name
        self._gap = (0,) * (SLOTS - seats)
        self._missing = (0,) * (len(KINDS) - 1 - len(board.pieces))
        self._kind = np.array(kind_of(edition, seats), np.float32)
        self._there = np.array([slot < seats for slot in range(SLOTS)], np.float32)
        self._size = np.float32(board.cells.bit_count())
        self._nowhere = bytes(self.bytes)

    def _places(self) -> tuple[NDArray[np.int16], NDArray[np.int32]]:
        board, side = self.board, self.side
        plane_of = {(hold.piece, hold.letter): plane for plane, hold in enumerate(HOLDS)}
        number = np.full((len(board.holds), self.bytes * 8), -1, np.int16)
        at = np.full(number.shape, -1, np.int32)
        for row, (hold, placed) in enumerate(zip((HOLDS[0], *board.orientations), board.holds, strict=True)):
            left, low = (max(each) // 2 for each in zip(*hold.offsets, strict=True))
            plane = plane_of[hold.piece, hold.letter]
            for anchor, placement in placed.items():
                x, y = board.xy(anchor)
                number[row, anchor] = placement.number
                at[row, anchor] = (plane * side + y + low) * side + x + left
        return number.reshape(-1), at.reshape(-1)

    def observe(self, states: Sequence[CallistoState]) -> tuple[Floats, Floats]:
        """The features of positions: planes [N, 16, side, side] and numbers [N, 70], in float32."""
        sets: list[int] = []
        left: list[tuple[int, ...]] = []
        facts: list[tuple[int, ...]] = []
        for state in states:
            sets += self._sets(state)
            left += self._left(state)
            facts.append(self._facts(state))
        return self._drawn(sets), self._counted(np.array(left), np.array(facts))

    def _sets(self, state: CallistoState) -> list[int]:
        """The sets of cells that become planes."""
        board, _, turn, _, sides = state
        sides, free, gap = sides[turn:] + sides[:turn], state.free, self._gap
        rules, standing = board.edition.pillars, sides[0].pillars.bit_count()
        pillar = state.pillar_cells(rules[standing]) & free if standing < len(rules) else 0
        return [
            *[side.cells for side in sides],
            *gap,
            *[side.pillars for side in sides],
            *gap,
            *[board.beside(side.cells) & free for side in sides],
            *gap,
            board.cells,
            free,
            board.centre,
            pillar,
        ]

    def _left(self, state: CallistoState) -> list[tuple[int, ...]]:
        """How many of each piece each slot has left."""
        turn, sides, missing = state.turn, state.sides, self._missing
        hands = [(3 - side.pillars.bit_count(), *side.hand, *missing) for side in sides[turn:] + sides[:turn]]
        return hands + [(0,) * len(KINDS)] * len(self._gap)

    def _facts(self, state: CallistoState) -> tuple[int, ...]:
        """For each slot whether it is out (C8), then whether it started (C10), and last how many cells are free."""
        _, starter, turn, out, sides = state
        seats, gap = len(sides), self._gap
        order = [*range(turn, seats), *range(turn)]
        return (
            *[out >> seat & 1 for seat in order],
            *gap,
            *[seat == starter for seat in order],
            *gap,
            state.free.bit_count(),
        )

    def _drawn(self, sets: list[int]) -> Floats:
        """Sets of cells as planes."""
        size, board = self.bytes, self.board
        joined = b"".join([cells.to_bytes(size, "little") for cells in sets])
        bits = np.unpackbits(np.frombuffer(joined, np.uint8).reshape(-1, size), axis=1, bitorder="little")
        cells = bits[:, : board.stride * board.height].reshape(-1, PLANES, board.height, board.stride)
        return cells[..., : board.width].astype(np.float32)

    def _counted(self, left: Ints, facts: Ints) -> Floats:
        """What each slot has left [N * 4, 12], and the facts [N, 9], as numbers."""
        count = len(facts)
        numbers = np.empty((count, NUMBERS), np.float32)
        numbers[:, :48] = (left.astype(np.float32) / MAX_COPIES).reshape(count, -1)
        numbers[:, 48:52] = ((left @ SQUARES).astype(np.float32) / _ALL_SQUARES).reshape(count, SLOTS)
        numbers[:, 52:56] = self._there
        numbers[:, 56:64] = facts[:, :8]
        numbers[:, KIND] = self._kind
        numbers[:, 69] = facts[:, 8].astype(np.float32) / self._size
        return numbers

    def legal(self, state: CallistoState) -> Ints:
        """The legal moves of the seat to decide, as indices of ``number`` and ``at``."""
        rows, size = [self._nowhere] * len(self.board.holds), self.bytes
        for hold, anchors in state.fits(state.turn):
            rows[hold] = anchors.to_bytes(size, "little")
        bits = np.unpackbits(np.frombuffer(b"".join(rows), np.uint8), bitorder="little")
        return np.flatnonzero(bits.view(np.bool_))

    def without_pillars(self, legal: Ints) -> Ints:
        """The tiles among the legal moves; all of them if there is no tile."""
        tiles = legal[legal >= self.bytes * 8]  # the first way to hold a piece is the pillar's
        return tiles if len(tiles) else legal

    def priors(
        self,
        state: CallistoState,
        policy: Floats,
        max_moves: int,
        perturb: Perturb | None = None,
        only_tiles: bool = False,
    ) -> "tuple[Moves, Floats]":
        """At most ``max_moves`` legal moves and their priors, the best first, from logits [39 * side * side].

        The logits may be perturbed first. The priors are shares among all legal moves (a masked softmax), or among
        tiles as long as one fits.
        """
        legal = self.legal(state)
        if only_tiles:
            legal = self.without_pillars(legal)
        logits = policy[self.at[legal]]
        if perturb is not None:
            logits = perturb(logits)
        weights = np.exp(logits - logits.max())
        total = weights.sum()
        if len(legal) > max_moves:
            best = np.argpartition(weights, len(legal) - max_moves)[-max_moves:]
            legal, weights = legal[best], weights[best]
        order = np.argsort(-weights, kind="stable")
        return Moves(self.board.placements, self.number[legal[order]]), weights[order] / total


class Moves:
    """Placements by their numbers: most are never looked at."""

    __slots__ = ("_numbers", "_placements")

    def __init__(self, placements: list[Placement], numbers: NDArray[np.int16]) -> None:
        self._placements = placements
        self._numbers = numbers

    def __len__(self) -> int:
        return len(self._numbers)

    def __getitem__(self, at: int) -> Placement:
        return self._placements[int(self._numbers[at])]


@cache
def canvas(board: Board) -> Canvas:
    """How a board is drawn."""
    return Canvas(board)
