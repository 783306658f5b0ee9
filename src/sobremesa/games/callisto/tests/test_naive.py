"""C2 to C6: the bit boards find what a slow and plain reading of the rules finds."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kinds import Kind, examples, kinds_of, reached

from . import naive

KINDS = kinds_of("callisto")


@pytest.mark.parametrize("kind", KINDS, ids=str)
@given(seed=st.integers(0, 10**6), at=st.integers(0, 10**3))
@examples(40)
def test_legal_moves_are_those_of_the_plain_rules(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    found = {(move.piece, frozenset(map(naive.read_cell, move.text.split(",")))) for move in state.legal_moves()}
    assert found == naive.legal(state.position())
