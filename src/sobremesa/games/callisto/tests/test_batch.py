"""Callisto in JAX beyond single moves: planes and placements, who is out, ties, observations."""

from functools import partial
from random import Random
from typing import Any

import pytest

pytest.importorskip("jax")

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import NDArray

from batch.alongside import follow, same, together
from batch.alongside import look as looking
from kinds import played
from sobremesa.games.callisto import GAME, CallistoState
from sobremesa.games.callisto.batch.board import HOLDS, KINDS, MAX_SIDE, middle
from sobremesa.games.callisto.batch.observation import NO_CELL, NOBODY, NUMBERS, PLANES
from sobremesa.games.callisto.batch.rules import CallistoRules, callisto
from sobremesa.games.callisto.board import bits

from .planes import legal_planes, to_placements, to_planes

TABLES = [(edition, seats) for edition in ("classic", "pocket") for seats in (2, 3, 4)]
every_table = pytest.mark.parametrize(("edition", "seats"), TABLES)
two_tables = pytest.mark.parametrize(("edition", "seats"), [("classic", 3), ("pocket", 4)])

POCKET_GAME = """
    P@g1 P@a5 P@d1 P@j4 Wa@h1 T5a@i3 P@f3 Ib@j6 T5d@d3 2b@j9 T4b@c1 Wc@h3 Ub@a1 Vb@e5 Ld@a4 Ua@g6
    Zb@a6 Zd@h7 Vb@c7 T4b@j1 O@c9 Ib@i8 Ia@e10 2b@h9 Ia@d7 O@e8 2a@a10 Lb@c4 Vb@a8 2b@f1
"""
"""With the last but one tile seat 1 is out; the last tile would give its third pillar a cell (C8)."""


def midgame(edition: str, seats: int, count: int, seed: int) -> list[CallistoState]:
    """Positions from the middle of random games."""
    random = Random(seed)
    found: list[CallistoState] = []
    while len(found) < count:
        state = CallistoState.begin(edition, seats, random.randrange(seats))
        for _ in range(random.randrange(seats * 2, seats * 12)):
            if not state.over:
                state = state.play(state.random_move(random))
        if not state.over:
            found.append(state)
    return found


def plane(rules: CallistoRules, cells: int, side: int) -> NDArray[Any]:
    """A set of cells of the library, drawn on a canvas."""
    drawn = np.zeros((side, side), bool)
    for cell in bits(cells):
        x, y = rules.board.xy(cell)
        drawn[y + (side - rules.board.height) // 2, x + (side - rules.board.width) // 2] = True
    return drawn


@every_table
def test_every_placement_has_its_place_on_its_plane(edition: str, seats: int) -> None:
    rules = callisto(edition, seats)
    for side in (rules.side, MAX_SIDE):
        assert (np.diff(rules.arrays.at(side)) > 0).all()
        low, left = (side - rules.board.height) // 2, (side - rules.board.width) // 2
        for placement, at in zip(rules.board.placements[::7], rules.arrays.at(side)[::7].tolist(), strict=True):
            hold = HOLDS[at // side**2]
            y, x = divmod(at % side**2, side)
            dx, dy = middle(hold)
            squares = [rules.board.bit(x - left - dx + u, y - low - dy + v) for u, v in hold.offsets]
            assert (hold.piece, sum(squares)) == (placement.piece, placement.cells)


@two_tables
def test_planes_and_placements_say_the_same(edition: str, seats: int) -> None:
    rules = callisto(edition, seats)
    batch = together(rules, [*midgame(edition, seats, 3, seed=1)])
    said = np.random.default_rng(1).random((3, rules.actions)).astype(np.float32)

    @partial(jax.jit, static_argnums=2)
    def both(batch: Any, said: Any, side: int | None) -> Any:
        legal, planes, spoken = rules.legal(batch), legal_planes(rules, batch, side), to_planes(rules, said, side)
        there, back = to_planes(rules, legal, side), to_placements(rules, planes)
        return legal, planes, there, back, spoken, to_placements(rules, spoken)

    for side in (None, MAX_SIDE):
        legal, planes, there, back, spoken, heard = map(np.asarray, both(batch, said, side))
        assert planes.shape == (3, len(HOLDS), side or rules.side, side or rules.side)
        assert np.array_equal(planes, there)
        assert np.array_equal(back, legal)
        assert np.array_equal(heard, said)
        assert (spoken != 0).sum() == said.size


@two_tables
def test_a_turned_board_has_the_turned_moves(edition: str, seats: int) -> None:
    """Under each symmetry of the square, positions and moves turn together."""
    rules = callisto(edition, seats)
    (state,) = midgame(edition, seats, 1, seed=2)
    columns = np.arange(rules.board.width, dtype=np.uint32)

    def turned(rows: Any, symmetry: int) -> Any:
        cells = np.asarray(rows)[..., None] >> columns & 1
        cells = cells[..., ::-1] if symmetry & 1 else cells
        cells = cells[..., ::-1, :] if symmetry & 2 else cells
        cells = cells.swapaxes(-1, -2) if symmetry & 4 else cells
        return (cells << columns).sum(-1, dtype=np.uint32)

    batch = together(rules, [state] * 8)
    cells, pillars = (
        np.stack([turned(rows[symmetry], symmetry) for symmetry in range(8)]) for rows in (batch.cells, batch.pillars)
    )
    legal = np.asarray(jax.jit(rules.legal)(batch._replace(cells=cells, pillars=pillars)))
    assert np.array_equal(legal, legal[0, rules.arrays.symmetries])
    assert legal[0].sum() == state.count_moves()


def test_c8_a_later_tile_brings_nobody_back() -> None:
    rules = callisto("pocket", 2)
    state = CallistoState.begin("pocket", 2, 0)
    batch, step = rules.init(jnp.zeros(1, int)), jax.jit(rules.step)
    for word in POCKET_GAME.split():
        move = state.parse_move(word)
        state, batch = state.play(move), step(batch, jnp.array([move.number]))
        same("callisto", rules, state, jax.tree.map(lambda part: np.asarray(part[0]), looking(rules)(batch)))
    assert state.can_place(1)
    assert rules.over(batch).all()


@two_tables
def test_c8_whoever_is_out_stays_out_even_with_moves(edition: str, seats: int) -> None:
    """Random positions in which somebody else than the mover was declared out, played on to the end."""
    rules, random = callisto(edition, seats), Random(4)
    states: list[Any] = []
    for state in midgame(edition, seats, 8, seed=5):
        other = (state.turn + random.randrange(1, seats)) % seats
        states.append(GAME.parse_position(state._replace(out=state.out | 1 << other).position()))
    follow("callisto", rules, states, together(rules, states), random)


@every_table
def test_c10_among_equals_the_later_starter_ranks_higher(edition: str, seats: int) -> None:
    rules = callisto(edition, seats)
    rest = f"turn=- out={'x' * seats} placed={'/'.join('-' * seats)}"
    states: list[Any] = [
        GAME.parse_position(f"callisto edition={edition} seats={seats} starter={starter} {rest}")
        for starter in range(seats)
    ]
    batch = together(rules, states)
    places = np.asarray(jax.jit(rules.places)(batch))
    assert [tuple(each) for each in places.tolist()] == [state.result().places for state in states]
    assert np.array_equal(jax.jit(rules.winnings)(batch), places == 1)


@pytest.mark.parametrize(
    ("edition", "seats", "side"), [("classic", 2, 16), ("classic", 4, 20), ("pocket", 2, 20), ("pocket", 3, 12)]
)
def test_an_observation_is_the_position_as_the_mover_sees_it(edition: str, seats: int, side: int) -> None:
    rules = callisto(edition, seats)
    states = midgame(edition, seats, 4, seed=3)
    seen = jax.jit(rules.observe, static_argnums=1)(together(rules, list(states)), side)
    assert seen.planes.shape == (4, PLANES, side, side)
    assert seen.numbers.shape == (4, NUMBERS)
    for state, planes, numbers in zip(states, np.asarray(seen.planes), np.asarray(seen.numbers), strict=True):
        order = [(state.turn + slot) % seats for slot in range(seats)]
        sides = [state.sides[seat] for seat in order]
        gap: list[Any] = [0] * (4 - seats)
        free = state.board.cells & ~sum(each.cells for each in state.sides)
        pillar = sum(move.cells for move in state.legal_moves() if move.piece == "P")
        sets = [each.cells for each in sides] + gap + [each.pillars for each in sides] + gap
        sets += [state.board.beside(each.cells) & free for each in sides] + gap
        sets += [state.board.cells, free, state.board.centre, pillar]
        assert np.array_equal(planes, [plane(rules, cells, side) for cells in sets])
        hands = [
            [state.pillars_left(seat) / 3, *(state_left(state, seat, kind) for kind in KINDS[1:])] for seat in order
        ]
        expected: list[Any] = [number for hand in hands for number in hand] + [0] * 12 * (4 - seats)
        expected += [state.penalty(seat) / 68 for seat in order] + gap + [1] * seats + gap
        expected += [state.is_out(seat) for seat in order] + gap
        expected += [seat == state.starter for seat in order] + gap
        expected += [seats == 2, seats == 3, seats == 4, edition == "classic", edition == "pocket"]
        expected += [free.bit_count() / state.board.cells.bit_count()]
        np.testing.assert_allclose(numbers, np.array(expected, np.float32), rtol=1e-6)


def state_left(state: CallistoState, seat: int, kind: str) -> float:
    """The share of a tile's copies that a seat has left, of the two or one (U to X) that the classic edition has."""
    pieces = state.board.pieces
    left = state.sides[seat].hand[pieces.index(kind)] if kind in pieces else 0
    return left / (1 if kind in ("U", "T5", "W", "X") else 2)


@two_tables
def test_the_owners_of_cells_are_slots_from_a_seat_on(edition: str, seats: int) -> None:
    rules, (state,) = callisto(edition, seats), midgame(edition, seats, 1, seed=6)
    owners_by_viewer = jax.jit(rules.owners, static_argnums=2)(
        together(rules, [state] * seats), np.arange(seats), MAX_SIDE
    )
    for viewer, owners in enumerate(np.asarray(owners_by_viewer)):
        expected = np.where(plane(rules, state.board.cells, MAX_SIDE), NOBODY, NO_CELL)
        for seat, each in enumerate(state.sides):
            expected[plane(rules, each.cells, MAX_SIDE)] = (seat - viewer) % seats
        assert np.array_equal(owners, expected)


def test_played_positions_can_be_read() -> None:
    """From the library's notation straight into a batch."""
    state = played(CallistoState.begin("classic", 2, 0), "h1 h16 a8 p9")
    assert jax.tree.all(jax.tree.map(np.array_equal, *(callisto().read(state) for _ in range(2))))
    assert jax.jit(callisto().legal)(callisto().read(state)).sum() == state.count_moves()
