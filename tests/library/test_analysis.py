"""What a player thinks of a position: from what a seat may know, and never without saying what was assumed."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import sobremesa as sm
from engines.positions import decisions
from kinds import KINDS, Kind, examples, reached
from sobremesa.core import NothingToDecide
from sobremesa.engines import Budget, find_player, players_of


def midgame(**options: Any) -> Iterator[tuple[list[sm.State[Any]], sm.State[Any]]]:
    """States in which tiles lie face down, with those before them."""
    for before, state in decisions(sm.isis_osiris, 4, **options)[8:]:
        if "?" in state.view(0).as_dict()["cells"]:
            yield list(before), state


def test_a_position_alone_is_judged_as_if_everything_were_remembered_and_says_so() -> None:
    for before, state in list(midgame())[::6]:
        bare = sm.analyse(state, simulations=60, seconds=60)
        assert bare.assumed == "memory"
        assert "remembered" in str(bare)
        with_past = sm.analyse(state, past=before, simulations=60, seconds=60)
        assert with_past.assumed is None
        assert [c.value for c in bare.candidates] == pytest.approx([c.value for c in with_past.candidates])
        assert bare.view == state.view(bare.seat), "what is shown is what the seat sees"


def test_nothing_is_assumed_where_nothing_is_forgotten() -> None:
    assert sm.analyse(sm.callisto.start(edition="pocket"), player="greedy").assumed is None
    assert sm.analyse(sm.isis_osiris.start(), player="greedy").assumed is None, "nothing lies on the board yet"
    _, open_state = decisions(sm.isis_osiris, 4, memory_aid=True)[-1]
    assert sm.analyse(open_state, player="greedy").assumed is None


def test_an_empty_past_is_somebody_who_has_seen_nothing() -> None:
    _, state = next(midgame())
    assert sm.analyse(state, past=[], player="greedy").assumed is None


def test_a_record_is_looked_over() -> None:
    sitting = sm.Sitting.start(sm.knister, {"seats": 2}, sm.FairChance.from_seed("1"))
    while not sitting.state.over:
        state = sitting.state
        sitting = (
            sitting.roll()
            if state.chance
            else sitting.play(state.legal_moves(min(state.deciding))[0], min(state.deciding))
        )
    found = sm.analyse(sitting.record(), seat=1, player="champion", seconds=0.01)
    assert [move.seat for move in found.moves] == [1] * 25
    assert found.lost(1) > 0
    assert len(found.to_dict()["move"]) == 25
    assert "<table>" in found._repr_html_()
    with pytest.raises(sm.SobremesaError, match="a record tells by itself"):
        sm.analyse(sitting.record(), past=[])  # type: ignore[call-overload]


def test_it_shows_itself() -> None:
    found = sm.analyse(sm.knister.start().happen(7), seconds=0.2)
    assert found.move in found.view.legal_moves()
    assert found.measure == "points"
    assert found.to_dict()["value"][0] == found.value
    assert "<svg" in found._repr_html_()
    assert str(found.move) in str(found)
    thought = found.thought
    assert thought.rows() == [(str(each.move), f"{each.value:.1f}") for each in found.candidates[:8]]
    assert str(thought).splitlines()[0] == str(found.move)
    assert f"<td>{found.move}</td><td>{found.value:.1f}</td>" in thought._repr_html_()
    assert str(sm.Thought(found.move)).split() == [str(found.move)] * 2, "a player that does not compare"


@pytest.mark.parametrize("kind", KINDS[::3], ids=str)
@examples(12)
@given(seed=st.integers(0, 9), at=st.integers(0, 200))
def test_who_has_nothing_to_decide_gets_one_kind_of_error_from_every_player(kind: Kind, seed: int, at: int) -> None:
    state = reached(kind, seed, at)
    idle = [seat for seat in range(min(state.seats, 4)) if seat not in state.deciding]
    for name in (*players_of(kind.game), "uct-5"):
        player = find_player(name, kind.game, Random(1))
        for seat in [*idle, None]:
            with pytest.raises(NothingToDecide):
                player.think(state.view(seat), (), Budget(simulations=2, seconds=0.1))
    for seat in idle:
        with pytest.raises(NothingToDecide):
            sm.analyse(state, seat)
